// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Order of painting: background and grid, rows, path links, sticky rows. Bars are in barpainter.cpp, names in treepainter.cpp.
#include "views/waterfall/waterfallpainter.h"

#include "views/waterfall/rowpainters.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace chokepoint {

namespace {

void paintGrid(QPainter& painter, const WaterfallPaint& paint, const ChartPalette& colors)
{
    painter.setPen(QPen(colors.grid(), 1));
    for (const TimeTick& tick : paint.ticks.ticks) {
        const qreal x = paint.timeline.left() + std::floor(tick.x) + 0.5;
        painter.drawLine(QPointF(x, paint.timeline.top()), QPointF(x, paint.timeline.bottom() + 1));
    }
}

void paintRowBackground(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row)
{
    const QRect whole(
        paint.tree.left(), paint.tree.top() + row.y, paint.timeline.right() - paint.tree.left() + 1, paint.viewport.rowHeight);
    QColor highlight = paint.palette.color(QPalette::Highlight);
    if (paint.emphasis.current == row.ref) {
        const QColor edge = highlight;
        highlight.setAlpha(paint.emphasis.focused ? 56 : 36);
        painter.fillRect(whole, highlight);
        painter.fillRect(QRect(whole.left(), whole.top(), 3, whole.height()), edge);
    } else if (paint.emphasis.hoveredRow == row.row) {
        highlight.setAlpha(20);
        painter.fillRect(whole, highlight);
    }
}

void paintBackgrounds(QPainter& painter, const WaterfallPaint& paint, const std::vector<WaterfallRow>& rows)
{
    painter.setClipRect(paint.tree.united(paint.timeline));
    for (const WaterfallRow& row : rows)
        paintRowBackground(painter, paint, row);
    painter.setClipping(false);
}

void paintRows(QPainter& painter, const WaterfallPaint& paint, const std::vector<WaterfallRow>& rows, const ChartPalette& colors)
{
    painter.setClipRect(paint.timeline);
    for (const WaterfallRow& row : rows)
        paintBarRow(painter, paint, row, colors);
    painter.setClipRect(paint.tree);
    for (const WaterfallRow& row : rows)
        paintTreeRow(painter, paint, row, colors);
    painter.setClipping(false);
}

void paintLinks(QPainter& painter, const WaterfallPaint& paint, const ChartPalette& colors)
{
    painter.setClipRect(paint.timeline);
    const QPoint origin = paint.timeline.topLeft();
    // Both ends on the underline of the bars, so that path and links are one line.
    const int below = pathLineY(paint.viewport.rowHeight) - paint.viewport.rowHeight / 2;
    for (const auto& [color, width] : {std::pair(colors.pathHalo(), 3), std::pair(colors.path(), 1)}) {
        for (const PathLink& link : paint.frame.links) {
            const int top = origin.y() + std::min(link.fromY, link.toY) + below;
            const int bottom = origin.y() + std::max(link.fromY, link.toY) + below;
            const qreal x = std::clamp<qreal>(origin.x() + std::floor(link.x), origin.x(), paint.timeline.right());
            painter.fillRect(QRectF(x - width / 2, top, width, bottom - top), color);
        }
    }
    painter.setClipping(false);
}

} // namespace

void paintWaterfall(QPainter& painter, const WaterfallPaint& paint)
{
    const ChartPalette& colors = chartPalette(paint.palette);
    painter.setFont(paint.font);
    painter.fillRect(paint.tree, colors.background());
    painter.fillRect(paint.timeline, colors.background());
    paintGrid(painter, paint, colors);
    paintBackgrounds(painter, paint, paint.frame.rows);
    paintLinks(painter, paint, colors); // below the bars and their labels
    paintRows(painter, paint, paint.frame.rows, colors);
    if (!paint.frame.sticky.empty()) {
        const int height = int(paint.frame.sticky.size()) * paint.viewport.rowHeight;
        const QRect whole(paint.tree.left(), paint.tree.top(), paint.timeline.right() - paint.tree.left() + 1, height);
        painter.fillRect(whole, colors.background());
        paintBackgrounds(painter, paint, paint.frame.sticky);
        paintRows(painter, paint, paint.frame.sticky, colors);
        painter.fillRect(QRect(whole.left(), whole.bottom(), whole.width(), 1), colors.mutedText());
    }
    painter.fillRect(QRect(paint.tree.right(), paint.tree.top(), 1, paint.tree.height()), colors.grid());
}

} // namespace chokepoint
