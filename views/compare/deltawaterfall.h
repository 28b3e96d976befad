// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the difference of the means went: contributions of the stages that add up from before to after.
#pragma once

#include "views/charts/chartwidget.h"
#include "views/compare/comparefigures.h"
#include "views/compare/comparelayouts.h"

namespace chokepoint {

/// With one side only, the same rows show the mean of each stage, stacked up to the mean end-to-end time.
class DeltaWaterfall : public ChartWidget {
    Q_OBJECT
public:
    explicit DeltaWaterfall(ViewState& state, QWidget* parent = nullptr);
    void setFigures(const CompareFigures& figures);
    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintPlot(QPainter& painter, const ChartPalette& palette) override;
    void layoutPlot() override;

private:
    [[nodiscard]] const StageRow* rowOf(const DeltaStep& step) const;
    [[nodiscard]] QString labelOf(const DeltaStep& step) const;
    [[nodiscard]] QString toolTipOf(const DeltaStep& step) const;
    [[nodiscard]] QRectF rowRect(std::size_t row) const; // 0: total before, then the steps, then total after
    [[nodiscard]] double xOf(Duration time) const;
    void paintTotal(QPainter& painter, const ChartPalette& palette, std::size_t row, Side side) const;
    void paintStep(QPainter& painter, const ChartPalette& palette, std::size_t index) const;

    CompareFigures m_figures;
    DeltaLayout m_layout;
    QRectF m_bars;
    double m_rowHeight = 0;
    double m_labelWidth = 0;
    double m_valueWidth = 0;
};

} // namespace chokepoint
