// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ShareBars: the layout comes from layoutShareBars(); here are labels, ribbons and the legend.
#include "views/compare/sharebars.h"

#include "views/charts/sidemarker.h"
#include "views/charts/stageorder.h"
#include "views/format/text.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr double gutter = 22; // for the side markers
constexpr double maxBar = 40; // height of a bar
constexpr double swatch = 10;
constexpr double legendGap = 14;

QPolygonF ribbon(const ShareSegment& segment, const QRectF& from, const QRectF& to)
{
    return QPolygonF(
        {QPointF(from.left() + segment.beforeX, from.bottom()), QPointF(from.left() + segment.beforeX + segment.beforeWidth, from.bottom()),
            QPointF(to.left() + segment.afterX + segment.afterWidth, to.top()), QPointF(to.left() + segment.afterX, to.top())});
}

} // namespace

ShareBars::ShareBars(ViewState& state, QWidget* parent) : ChartWidget(state, parent)
{
    setObjectName(QStringLiteral("shareBars"));
}

QSize ShareBars::minimumSizeHint() const
{
    return {320, int(7.5 * lineHeight()) + 60};
}

void ShareBars::setFigures(const CompareFigures& figures)
{
    m_figures = figures;
    m_rows.clear();
    if (m_figures.comparison)
        for (const StageRow& row : m_figures.comparison->stages)
            if (row.beforeShare > 0 || row.afterShare > 0)
                m_rows.push_back(&row);
    std::ranges::sort(m_rows, [](const StageRow* a, const StageRow* b) { return pipelineLess(a->stage, b->stage); });
    setHeading(tr("Share of end-to-end time by stage"), tr("On the critical path, all requests together; each bar is 100 %"));
    refresh();
}

QRectF ShareBars::beforeBar() const
{
    const double bar = m_figures.single ? std::min(maxBar, m_bars.height()) : std::min(maxBar, m_bars.height() * 0.3);
    return {m_bars.left(), m_bars.top(), m_bars.width(), bar};
}

QRectF ShareBars::afterBar() const
{
    const double bar = std::min(maxBar, m_bars.height() * 0.3);
    return {m_bars.left(), m_bars.bottom() - bar, m_bars.width(), bar};
}

QString ShareBars::stageToolTip(const StageRow& row) const
{
    const QString label = toText(row.label);
    if (m_figures.single)
        return tr("%1: %2 of the time, %3 a request").arg(label, shareText(row.beforeShare), durationText(row.beforeMean));
    return tr("%1\nBefore %2 of the time, %3 a request\nAfter %4 of the time, %5 a request\nDouble click for the traces")
        .arg(label, shareText(row.beforeShare), durationText(row.beforeMean), shareText(row.afterShare), durationText(row.afterMean));
}

void ShareBars::layoutLegend()
{
    m_legend.clear();
    const QRectF plot = plotRect();
    const QFontMetricsF metrics(smallFont());
    double x = m_bars.left();
    double y = 0;
    for (const StageRow* row : m_rows) {
        const double width = swatch + 5 + metrics.horizontalAdvance(toText(row->label));
        if (x > m_bars.left() && x + width > plot.right()) {
            x = m_bars.left();
            y += lineHeight();
        }
        m_legend.push_back({row, QRectF(x, y, width, lineHeight())});
        x += width + legendGap;
    }
    const double height = m_legend.empty() ? 0 : y + lineHeight();
    const double top = m_figures.single ? std::min(plot.bottom() - height, m_bars.top() + maxBar + 14) : plot.bottom() - height;
    for (LegendEntry& entry : m_legend)
        entry.rect.translate(0, top);
    m_bars.setBottom(std::max(m_bars.top() + 30, top - 8));
}

void ShareBars::layoutPlot()
{
    m_bars = plotRect().adjusted(m_figures.single ? 0 : gutter, 2, 0, 0);
    layoutLegend();
    std::vector<SharePair> shares;
    for (const StageRow* row : m_rows)
        shares.push_back({row->beforeShare, row->afterShare});
    m_segments = layoutShareBars(shares, m_bars.width());

    std::vector<ChartTarget> targets;
    const QRectF from = beforeBar();
    const QRectF to = afterBar();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const ShareSegment& s = m_segments[i];
        const QString stage = toText(m_rows[i]->stage);
        const QString tip = stageToolTip(*m_rows[i]);
        targets.push_back({QRectF(from.left() + s.beforeX, from.top(), s.beforeWidth, from.height()), stage, tip});
        if (!m_figures.single) {
            targets.push_back({QRectF(to.left() + s.afterX, to.top(), s.afterWidth, to.height()), stage, tip});
            targets.push_back({ribbon(s, from, to), stage, tip});
        }
    }
    for (const LegendEntry& entry : m_legend)
        targets.push_back({entry.rect, toText(entry.row->stage), stageToolTip(*entry.row)});
    setTargets(std::move(targets));
}

void ShareBars::paintBar(QPainter& painter, Side side) const
{
    const QRectF bar = side == Side::Before ? beforeBar() : afterBar();
    const QFontMetricsF metrics(painter.font());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const ShareSegment& s = m_segments[i];
        const double x = side == Side::Before ? s.beforeX : s.afterX;
        const double width = side == Side::Before ? s.beforeWidth : s.afterWidth;
        if (width <= 0)
            continue;
        const QRectF cell(bar.left() + x, bar.top(), width, bar.height());
        const StageStyle style = stageStyle(toText(m_rows[i]->stage));
        painter.setRenderHint(QPainter::Antialiasing, false);
        fillStage(painter, width > 3 ? cell.adjusted(0, 0, -1, 0) : cell, style);
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(style.text);
        const double share = side == Side::Before ? m_rows[i]->beforeShare : m_rows[i]->afterShare;
        const QString label = toText(m_rows[i]->label);
        for (const QString& text : {label + QLatin1Char(' ') + shareText(share), shareText(share)})
            if (metrics.horizontalAdvance(text) + 10 <= width) {
                if (style.texture != Qt::SolidPattern) {
                    const double textWidth = metrics.horizontalAdvance(text) + 6;
                    painter.fillRect(
                        QRectF(cell.center().x() - textWidth / 2, cell.center().y() - metrics.height() / 2, textWidth, metrics.height()),
                        style.fill);
                }
                painter.drawText(cell, Qt::AlignCenter, text);
                break;
            }
    }
}

void ShareBars::paintRibbons(QPainter& painter, const ChartPalette& palette) const
{
    const double base = painter.opacity();
    const QRectF from = beforeBar();
    const QRectF to = afterBar();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const QPolygonF area = ribbon(m_segments[i], from, to);
        QPainterPath path(area[0]);
        const double middle = (from.bottom() + to.top()) / 2;
        path.lineTo(area[1]);
        path.cubicTo(area[1].x(), middle, area[2].x(), middle, area[2].x(), area[2].y());
        path.lineTo(area[3]);
        path.cubicTo(area[3].x(), middle, area[0].x(), middle, area[0].x(), area[0].y());
        painter.setOpacity(base * (isShadowed(toText(m_rows[i]->stage)) ? 0.1 : 0.22));
        painter.fillPath(path, palette.stage(m_rows[i]->stage).fill);
    }
    painter.setOpacity(base);
}

void ShareBars::paintLegend(QPainter& painter) const
{
    for (const LegendEntry& entry : m_legend) {
        const QString stage = toText(entry.row->stage);
        fillStage(painter, QRectF(entry.rect.left(), entry.rect.center().y() - swatch / 2, swatch, swatch), stageStyle(stage));
        painter.setPen(textColor(stage));
        drawText(painter, entry.rect.adjusted(swatch + 5, 0, 4, 0), Qt::AlignLeft | Qt::AlignVCenter, toText(entry.row->label));
    }
}

void ShareBars::paintPlot(QPainter& painter, const ChartPalette& palette)
{
    painter.setFont(smallFont());
    paintBar(painter, Side::Before);
    if (!m_figures.single) {
        paintBar(painter, Side::After);
        paintRibbons(painter, palette);
        paintSideLetter(painter, {plotRect().left(), beforeBar().top(), gutter, beforeBar().height()}, Side::Before, palette);
        paintSideLetter(painter, {plotRect().left(), afterBar().top(), gutter, afterBar().height()}, Side::After, palette);
    }
    paintLegend(painter);
}

ChartTable ShareBars::table() const
{
    ChartTable result;
    result.headers = m_figures.single
        ? QStringList{tr("Stage"), tr("Share"), tr("Mean time")}
        : QStringList{tr("Stage"), tr("Share before"), tr("Share after"), tr("Mean before"), tr("Mean after")};
    for (const StageRow* row : m_rows) {
        if (m_figures.single)
            result.rows.append({toText(row->label), shareText(row->beforeShare), durationText(row->beforeMean)});
        else
            result.rows.append({toText(row->label), shareText(row->beforeShare), shareText(row->afterShare), durationText(row->beforeMean),
                durationText(row->afterMean)});
    }
    return result;
}

} // namespace chokepoint
