// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// RankSlope: rank is the position, size is the figure beside it.
#include "views/compare/rankslope.h"

#include "views/charts/sidemarker.h"
#include "views/format/text.h"

#include <QPainter>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr double maxRow = 48;
constexpr double dot = 9;
constexpr unsigned topRanks = 8;

/// The intervals of the ranks do not touch: the move is no accident of sampling.
bool rankChanged(const StageRow& row)
{
    return row.beforeRank != row.afterRank && row.beforeRank > 0 && row.afterRank > 0
        && (row.beforeRankInterval.high < row.afterRankInterval.low || row.afterRankInterval.high < row.beforeRankInterval.low);
}

} // namespace

RankSlope::RankSlope(ViewState& state, QWidget* parent) : ChartWidget(state, parent)
{
    setObjectName(QStringLiteral("rankSlope"));
}

QSize RankSlope::minimumSizeHint() const
{
    return {320, int(8 * lineHeight()) + 60};
}

void RankSlope::setFigures(const CompareFigures& figures)
{
    m_figures = figures;
    setHeading(tr("Bottleneck rank"), tr("By mean time on the critical path; bold lines changed rank reliably"));
    refresh();
}

QString RankSlope::toolTipOf(const StageRow& row) const
{
    const auto rank = [](unsigned value) { return value > 0 ? QString::number(value) : tr("absent"); };
    QString text =
        tr("%1\nBefore: rank %2, %3 a request\nAfter: rank %4, %5 a request")
            .arg(toText(row.label), rank(row.beforeRank), durationText(row.beforeMean), rank(row.afterRank), durationText(row.afterMean));
    return text + QLatin1Char('\n') + tr("Double click for the traces");
}

void RankSlope::layoutPlot()
{
    m_layout = {};
    setTargets({});
    if (!m_figures.comparison || m_figures.single)
        return;
    const std::vector<StageRow>& stages = m_figures.comparison->stages;
    const QRectF plot = plotRect();
    const auto rows = unsigned(std::max(3.0, plot.height() / lineHeight() - 1));
    std::vector<RankPair> ranks;
    for (const StageRow& row : stages)
        ranks.push_back({row.beforeMean > Duration{0} ? row.beforeRank : 0, row.afterMean > Duration{0} ? row.afterRank : 0});
    unsigned top = std::min(topRanks, rows);
    do {
        m_layout = layoutSlope(ranks, top);
    } while (unsigned(m_layout.rows) > rows && --top > 0);

    const QFontMetricsF metrics(smallFont());
    double beforeWidth = 0;
    double afterWidth = 0;
    for (const SlopeLine& line : m_layout.lines) {
        const StageRow& row = stages[line.stage];
        const double label = metrics.horizontalAdvance(toText(row.label) + QStringLiteral("  0 "));
        beforeWidth = std::max(beforeWidth, label + metrics.horizontalAdvance(durationText(row.beforeMean)));
        afterWidth = std::max(afterWidth, label + metrics.horizontalAdvance(durationText(row.afterMean)));
    }
    m_left = plot.left() + std::min(beforeWidth + dot + 12, plot.width() * 0.4);
    m_right = plot.right() - std::min(afterWidth + dot + 12, plot.width() * 0.4);
    const double foldLine = m_layout.folded > 0 ? 1 : 0;
    m_rowHeight = std::min(maxRow, plot.height() / (std::max(1, m_layout.rows) + foldLine));
    m_top = plot.top();

    std::vector<ChartTarget> targets;
    for (const SlopeLine& line : m_layout.lines) {
        const StageRow& row = stages[line.stage];
        const QString stage = toText(row.stage);
        const QString tip = toolTipOf(row);
        if (line.beforeSlot >= 0)
            targets.push_back(
                {QRectF(plot.left(), m_top + line.beforeSlot * m_rowHeight, m_left + dot - plot.left(), m_rowHeight), stage, tip});
        if (line.afterSlot >= 0)
            targets.push_back(
                {QRectF(m_right - dot, m_top + line.afterSlot * m_rowHeight, plot.right() - m_right + dot, m_rowHeight), stage, tip});
        if (line.beforeSlot >= 0 && line.afterSlot >= 0) {
            const QPointF a = pointOf(line.beforeSlot, Side::Before);
            const QPointF b = pointOf(line.afterSlot, Side::After);
            const QPointF up(0, -5);
            targets.push_back({QPolygonF({a + up, b + up, b - up, a - up}), stage, tip});
        }
    }
    setTargets(std::move(targets));
}

QPointF RankSlope::pointOf(int slot, Side side) const
{
    return {side == Side::Before ? m_left : m_right, m_top + (slot + 0.5) * m_rowHeight};
}

void RankSlope::paintLine(QPainter& painter, const ChartPalette& palette, const SlopeLine& line) const
{
    if (line.beforeSlot < 0 || line.afterSlot < 0)
        return;
    const StageRow& row = m_figures.comparison->stages[line.stage];
    const bool bold = rankChanged(row);
    const QPointF from = pointOf(line.beforeSlot, Side::Before);
    const QPointF to = pointOf(line.afterSlot, Side::After);
    painter.setPen(QPen(palette.background(), bold ? 6 : 4));
    painter.drawLine(from, to);
    painter.setPen(QPen(stageStyle(toText(row.stage)).fill, bold ? 3.5 : 1.6, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(from, to);
}

void RankSlope::paintEnd(QPainter& painter, const ChartPalette& palette, const SlopeLine& line, Side side) const
{
    const int slot = side == Side::Before ? line.beforeSlot : line.afterSlot;
    if (slot < 0)
        return;
    const StageRow& row = m_figures.comparison->stages[line.stage];
    const bool top = slot == 0;
    const QPointF point = pointOf(slot, side);
    const QColor fill = stageStyle(toText(row.stage)).fill;
    painter.setPen(QPen(fill, 2));
    painter.setBrush(side == Side::Before ? palette.background() : fill);
    painter.drawEllipse(point, dot / 2, dot / 2);

    painter.save();
    QFont font = painter.font();
    font.setBold(top);
    painter.setFont(font);
    painter.setPen(textColor(toText(row.stage)));
    const QString time = durationText(side == Side::Before ? row.beforeMean : row.afterMean);
    const QRectF plot = plotRect();
    const double y = m_top + slot * m_rowHeight;
    const QString text = QString::number(slot + 1) + QStringLiteral("  ") + toText(row.label);
    if (side == Side::Before) {
        const QRectF rect(plot.left(), y, m_left - dot - plot.left(), m_rowHeight);
        const double timeWidth = painter.fontMetrics().horizontalAdvance(time);
        drawText(painter, rect.adjusted(0, 0, -timeWidth - 6, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, time);
    } else {
        const QRectF rect(m_right + dot, y, plot.right() - m_right - dot, m_rowHeight);
        const double timeWidth = painter.fontMetrics().horizontalAdvance(time);
        drawText(painter, rect.adjusted(0, 0, -timeWidth - 6, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, time);
    }
    painter.restore();
}

void RankSlope::paintPlot(QPainter& painter, const ChartPalette& palette)
{
    painter.setFont(smallFont());
    // Steady lines first, so that the ones that tell the story lie on top.
    for (const bool bold : {false, true})
        for (const SlopeLine& line : m_layout.lines)
            if (rankChanged(m_figures.comparison->stages[line.stage]) == bold)
                paintLine(painter, palette, line);
    for (const SlopeLine& line : m_layout.lines)
        for (const Side side : {Side::Before, Side::After})
            paintEnd(painter, palette, line, side);
    if (m_layout.folded > 0) {
        painter.setPen(palette.mutedText());
        const QRectF rest(plotRect().left(), m_top + m_layout.rows * m_rowHeight, plotRect().width(), m_rowHeight);
        drawText(painter, rest, Qt::AlignLeft | Qt::AlignVCenter,
            m_layout.folded == 1 ? tr("and 1 smaller stage") : tr("and %1 smaller stages").arg(m_layout.folded));
    }
}

ChartTable RankSlope::table() const
{
    ChartTable result;
    result.headers = {tr("Stage"), tr("Rank before"), tr("Rank after"), tr("Mean before"), tr("Mean after"), tr("Changed reliably")};
    if (!m_figures.comparison)
        return result;
    for (const StageRow& row : m_figures.comparison->stages)
        result.rows.append({toText(row.label), QString::number(row.beforeRank), QString::number(row.afterRank),
            durationText(row.beforeMean), durationText(row.afterMean), rankChanged(row) ? tr("yes") : tr("no")});
    return result;
}

} // namespace chokepoint
