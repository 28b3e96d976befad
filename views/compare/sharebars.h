// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Share of the end-to-end time by stage: one 100 % bar a deployment, joined by ribbons.
#pragma once

#include "views/charts/chartwidget.h"
#include "views/compare/comparefigures.h"
#include "views/compare/comparelayouts.h"

namespace chokepoint {

class ShareBars : public ChartWidget {
    Q_OBJECT
public:
    explicit ShareBars(ViewState& state, QWidget* parent = nullptr);
    void setFigures(const CompareFigures& figures);
    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintPlot(QPainter& painter, const ChartPalette& palette) override;
    void layoutPlot() override;

private:
    struct LegendEntry {
        const StageRow* row = nullptr;
        QRectF rect;
    };
    [[nodiscard]] QString stageToolTip(const StageRow& row) const;
    [[nodiscard]] QRectF beforeBar() const;
    [[nodiscard]] QRectF afterBar() const;
    void layoutLegend();
    void paintBar(QPainter& painter, Side side) const;
    void paintRibbons(QPainter& painter, const ChartPalette& palette) const;
    void paintLegend(QPainter& painter) const;

    CompareFigures m_figures;
    std::vector<const StageRow*> m_rows; // in pipeline order, those without any time left out
    std::vector<ShareSegment> m_segments;
    std::vector<LegendEntry> m_legend;
    QRectF m_bars; // both bars and the ribbons between them
};

} // namespace chokepoint
