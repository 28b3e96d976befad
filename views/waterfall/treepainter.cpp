// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Names: indentation, expand arrow, stage dot, span name, service, what is hidden, status.
#include "core/base/utf8.h"
#include "views/format/text.h"
#include "views/waterfall/rowpainters.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr int indentStep = 14;
constexpr int dotSize = 8;
constexpr double dimmed = 0.35; // of the dot; text turns muted instead

void paintArrow(QPainter& painter, QPointF center, bool collapsed, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const QPolygonF right{center + QPointF(-2.5, -4.5), center + QPointF(3, 0), center + QPointF(-2.5, 4.5)};
    const QPolygonF down{center + QPointF(-4.5, -2.5), center + QPointF(4.5, -2.5), center + QPointF(0, 3)};
    painter.drawPolygon(collapsed ? right : down);
    painter.restore();
}

void paintCheck(QPainter& painter, QPointF center, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.6));
    painter.drawPolyline(QPolygonF{center + QPointF(-4, 0), center + QPointF(-1, 3), center + QPointF(4, -4)});
    painter.restore();
}

void paintGuides(QPainter& painter, const QRect& line, std::uint32_t depth, int treeWidth, const ChartPalette& colors)
{
    painter.setPen(QPen(colors.grid(), 1));
    for (std::uint32_t level = 0; level < depth; ++level) {
        const int x = line.left() + treeIndent(level, treeWidth) + expandArrowWidth / 2;
        if (treeIndent(level, treeWidth) == treeIndent(level + 1, treeWidth))
            break;
        painter.drawLine(x, line.top(), x, line.bottom());
    }
}

QString markerText(const WaterfallPaint& paint, std::uint32_t span)
{
    const std::uint32_t orphans = paint.rows.orphansBelow(span);
    const QString id = oneLine(paint.scene.trace->parentIdName(span), 40);
    return orphans == 1 ? QCoreApplication::translate("Waterfall", "missing parent %1 of 1 span").arg(id)
                        : QCoreApplication::translate("Waterfall", "missing parent %1 of %2 spans").arg(id, countText(orphans));
}

/// Status and hidden errors on the right; returns the x where names must end.
int paintStatus(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const QRect& line, const ChartPalette& colors)
{
    int right = line.right() - 6;
    const SpanStatus status = paint.scene.view.flags[row.ref.span].status();
    const QPointF center(right - 7, line.center().y() + 0.5);
    if (row.error || row.hiddenErrors > 0) {
        paintErrorGlyph(painter, center, colors);
        right -= 18;
    } else if (status == SpanStatus::Ok) {
        paintCheck(painter, center, colors.mutedText());
        right -= 18;
    }
    if (row.hiddenSpans > 0) {
        const QString count = QStringLiteral("+") + countText(row.hiddenSpans);
        const int width = QFontMetrics(paint.font).horizontalAdvance(count);
        painter.setPen(colors.mutedText());
        painter.drawText(QRect(right - width, line.top(), width, line.height()), Qt::AlignVCenter | Qt::AlignRight, count);
        right -= width + 6;
    }
    return right;
}

void paintNames(
    QPainter& painter, const WaterfallPaint& paint, std::uint32_t span, const QRect& room, const QColor& ink, const ChartPalette& colors)
{
    const QFontMetrics metrics(paint.font);
    const QString name = oneLine(paint.scene.trace->name(span));
    const QString shownName =
        metrics.elidedText(name.isEmpty() ? QCoreApplication::translate("Waterfall", "(no name)") : name, Qt::ElideRight, room.width());
    painter.setPen(ink);
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, shownName);
    const int used = metrics.horizontalAdvance(shownName) + 8;
    constexpr int shortest = 30; // px of a service name that say something
    const bool isSameAsParent = paint.scene.view.parent[span] >= 0
        && paint.scene.trace->service(std::size_t(paint.scene.view.parent[span])) == paint.scene.trace->service(span);
    if (room.width() - used < shortest || isSameAsParent)
        return;
    const QRect rest(room.left() + used, room.top(), room.width() - used, room.height());
    painter.setPen(colors.mutedText());
    painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
        metrics.elidedText(oneLine(paint.scene.trace->service(span)), Qt::ElideRight, rest.width()));
}

void paintDot(QPainter& painter, const WaterfallPaint& paint, std::uint32_t span, QPointF center, const ChartPalette& colors)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.stage(paint.scene.stageName(span)).fill);
    painter.drawEllipse(center, dotSize / 2.0, dotSize / 2.0);
    painter.restore();
}

} // namespace

int treeIndent(std::uint32_t depth, int treeWidth)
{
    const int deepest = std::max(0, treeWidth / 2 / indentStep);
    return 6 + indentStep * int(std::min<std::uint32_t>(depth, std::uint32_t(deepest)));
}

QString oneLine(std::string_view text, std::size_t most)
{
    return toText(elided(text.substr(0, 8 * most), most)).simplified();
}

void paintTreeRow(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const ChartPalette& colors)
{
    const QRect line(paint.tree.left(), paint.tree.top() + row.y, paint.tree.width() - 2, paint.viewport.rowHeight);
    const std::uint32_t span = row.ref.span;
    if (row.ref.isMarker) {
        QFont italic = paint.font;
        italic.setItalic(true);
        painter.setFont(italic);
        painter.setPen(colors.warning());
        const QRect room = line.adjusted(treeIndent(0, paint.tree.width()) + 4, 0, -4, 0);
        painter.drawText(
            room, Qt::AlignVCenter | Qt::AlignLeft, QFontMetrics(italic).elidedText(markerText(paint, span), Qt::ElideRight, room.width()));
        painter.setFont(paint.font);
        return;
    }
    const std::uint32_t depth = paint.scene.depth[span];
    paintGuides(painter, line, depth, paint.tree.width(), colors);
    const bool emphasized = isEmphasized(paint, row);
    int x = line.left() + treeIndent(depth, paint.tree.width());
    if (paint.rows.hasChildren(span))
        paintArrow(painter, QPointF(x + expandArrowWidth / 2.0, line.center().y() + 0.5), paint.rows.isCollapsed(span), colors.mutedText());
    x += expandArrowWidth;
    painter.setOpacity(emphasized ? 1 : dimmed);
    paintDot(painter, paint, span, QPointF(x + dotSize / 2.0, line.center().y() + 1), colors);
    painter.setOpacity(1);
    x += dotSize + 6;
    const int right = paintStatus(painter, paint, row, line, colors);
    if (right > x)
        paintNames(
            painter, paint, span, QRect(x, line.top(), right - x, line.height()), emphasized ? colors.text() : colors.mutedText(), colors);
}

} // namespace chokepoint
