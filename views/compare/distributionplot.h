// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Distribution of the end-to-end time: cumulative shares of both deployments in one plot.
#pragma once

#include "views/charts/chartwidget.h"
#include "views/compare/comparefigures.h"

#include <memory>

class QCustomPlot;

namespace chokepoint {

/// Sorted end-to-end times of the included traces of both sides; either may be empty.
struct E2eSamples {
    std::vector<Duration> before;
    std::vector<Duration> after;
};

class DistributionPlot : public ChartWidget {
    Q_OBJECT
public:
    explicit DistributionPlot(ViewState& state, QWidget* parent = nullptr);
    ~DistributionPlot() override;

    void setFigures(const CompareFigures& figures, E2eSamples samples);
    [[nodiscard]] bool isLogarithmic() const { return m_logarithmic; }
    void setLogarithmic(bool on);
    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintPlot(QPainter& painter, const ChartPalette& palette) override;
    void layoutPlot() override;
    void extendMenu(QMenu& menu) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void addCurve(Side side, const std::vector<Duration>& sorted);
    void addMarks();
    void styleAxes();
    [[nodiscard]] Side sideOf(bool before) const;

    CompareFigures m_figures;
    E2eSamples m_samples;
    QCustomPlot* m_plot;
    bool m_logarithmic = true;
};

} // namespace chokepoint
