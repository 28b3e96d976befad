// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which stage is the bottleneck: ranks of the stages before and after, joined by lines that cross where the order changed.
#pragma once

#include "views/charts/chartwidget.h"
#include "views/compare/comparefigures.h"
#include "views/compare/comparelayouts.h"

namespace chokepoint {

class RankSlope : public ChartWidget {
    Q_OBJECT
public:
    explicit RankSlope(ViewState& state, QWidget* parent = nullptr);
    void setFigures(const CompareFigures& figures);
    [[nodiscard]] ChartTable table() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintPlot(QPainter& painter, const ChartPalette& palette) override;
    void layoutPlot() override;

private:
    [[nodiscard]] QPointF pointOf(int slot, Side side) const;
    [[nodiscard]] QString toolTipOf(const StageRow& row) const;
    void paintLine(QPainter& painter, const ChartPalette& palette, const SlopeLine& line) const;
    void paintEnd(QPainter& painter, const ChartPalette& palette, const SlopeLine& line, Side side) const;

    CompareFigures m_figures;
    SlopeLayout m_layout;
    double m_top = 0;
    double m_rowHeight = 0;
    double m_left = 0; // x of the dots
    double m_right = 0;
};

} // namespace chokepoint
