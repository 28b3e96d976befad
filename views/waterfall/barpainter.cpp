// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bars: stage colour, hatch for errors, torn end for unfinished spans, the path below, the duration beside.
#include "views/format/text.h"
#include "views/waterfall/rowpainters.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <array>
#include <cmath>

namespace chokepoint {

namespace {

constexpr int barTop = 4; // px from the row's top
constexpr int pathWidth = 2;
constexpr double dimmed = 0.28;
constexpr int textGap = 6;

QString text(const char* english)
{
    return QCoreApplication::translate("Waterfall", english);
}

StageStyle styleOf(const TraceScene& scene, StageId stage, const ChartPalette& colors)
{
    return colors.stage(stage == StageTable::noStage ? unmappedStage : std::string_view(scene.stages->name(stage)));
}

QRectF barRect(const WaterfallPaint& paint, const WaterfallRow& row, const PixelRun& run)
{
    return {paint.timeline.left() + run.x, double(paint.timeline.top() + row.y + barTop), run.width,
        double(pathLineY(paint.viewport.rowHeight) - barTop - 2)};
}

void paintTornEdge(QPainter& painter, const QRectF& bar, const QColor& background)
{
    constexpr double tooth = 3;
    QPolygonF edge{QPointF(bar.right() + 1, bar.top())};
    bool in = false;
    for (double y = bar.top(); y <= bar.bottom() + tooth; y += tooth, in = !in)
        edge << QPointF(bar.right() - (in ? 2 * tooth : 0), std::min(y, bar.bottom()));
    edge << QPointF(bar.right() + 1, bar.bottom());
    painter.setPen(Qt::NoPen);
    painter.setBrush(background);
    painter.drawPolygon(edge);
}

void paintError(QPainter& painter, const QRectF& bar, const StageStyle& style, const ChartPalette& colors)
{
    painter.fillRect(bar, QBrush(style.text, Qt::BDiagPattern));
    painter.setPen(QPen(colors.error(), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar.adjusted(1, 1, -1, -1));
}

void paintPoint(QPainter& painter, const QRectF& bar, const StageStyle& style, const WaterfallRow& row, const ChartPalette& colors)
{
    constexpr double radius = 4.5;
    const QPointF center(bar.x(), bar.center().y());
    const QPolygonF diamond{
        center + QPointF(0, -radius), center + QPointF(radius, 0), center + QPointF(0, radius), center - QPointF(radius, 0)};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(row.error ? colors.error() : style.fill, row.error ? 2 : 1));
    painter.setBrush(style.fill);
    painter.drawPolygon(diamond);
    painter.restore();
}

void paintHidden(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const ChartPalette& colors)
{
    const double top = paint.timeline.top() + row.y + barTop + 4;
    const double height = pathLineY(paint.viewport.rowHeight) - barTop - 6;
    for (const HiddenRun& run : row.hidden) {
        const bool dim = paint.emphasis.stage != StageTable::noStage && !hasStage(*paint.scene.stages, run.stage, paint.emphasis.stage);
        const double opacity = painter.opacity();
        painter.setOpacity(dim ? opacity * dimmed : opacity);
        const QRectF rect(paint.timeline.left() + run.column, top, run.columns, height);
        fillStage(painter, rect, styleOf(paint.scene, run.stage, colors));
        if (run.error)
            painter.fillRect(QRectF(rect.x(), top - 4, std::max<qreal>(2, rect.width()), 4), colors.error());
        painter.setOpacity(opacity);
    }
}

void paintPath(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const ChartPalette& colors)
{
    const int y = paint.timeline.top() + row.y + pathLineY(paint.viewport.rowHeight) - pathWidth / 2;
    for (const PixelRun& run : row.path)
        painter.fillRect(QRectF(paint.timeline.left() + run.x - 1, y - 1, run.width + 2, pathWidth + 2), colors.pathHalo());
    for (const PixelRun& run : row.path)
        painter.fillRect(QRectF(paint.timeline.left() + run.x, y, run.width, pathWidth), colors.path());
}

/// Text on the background of its row, readable where grid and path links cross it.
void paintOutsideLabel(QPainter& painter, const QRectF& place, const QString& label, const ChartPalette& colors)
{
    QColor pad = colors.background();
    pad.setAlpha(200);
    painter.fillRect(place.adjusted(-2, 4, 2, -3), pad);
    painter.setPen(colors.mutedText());
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft, label);
}

QString durationLabel(const WaterfallPaint& paint, std::uint32_t span)
{
    const Duration duration = paint.scene.view.duration(span);
    if (isKnown(duration))
        return durationText(duration);
    return paint.scene.isUnfinished(span) ? text("unfinished") : text("unknown");
}

/// Beside the bar where there is room, else inside it, else before it, else over its end.
void paintLabel(
    QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const StageStyle& style, const ChartPalette& colors)
{
    const QString label = durationLabel(paint, row.ref.span);
    const double width = QFontMetrics(paint.font).horizontalAdvance(label) + 1;
    const double right = row.bar.x + std::max(row.bar.width, row.shape == BarShape::Point ? 5.0 : 0.0);
    const double glyph = row.error ? 18 : 0;
    const QRectF line(paint.timeline.left(), paint.timeline.top() + row.y, paint.timeline.width(), paint.viewport.rowHeight - 2);
    const auto at = [&line](double x, double w) { return QRectF(line.x() + x, line.y(), w, line.height()); };
    if (right + textGap + glyph + width <= line.width()) {
        if (row.error)
            paintErrorGlyph(painter, {line.x() + right + textGap + 6, line.center().y()}, colors);
        paintOutsideLabel(painter, at(right + textGap + glyph, width), label, colors);
    } else if (row.bar.width >= width + 4 * textGap && row.hiddenSpans == 0 && isEmphasized(paint, row)) {
        const StageStyle inside = row.parts.empty() ? style : styleOf(paint.scene, row.parts.back().stage, colors);
        const QRectF place = at(right - width - 2 * textGap, width + textGap);
        painter.fillRect(place.adjusted(-2, 5, 2, -5), inside.fill);
        painter.setPen(inside.text);
        painter.drawText(place, Qt::AlignCenter, label);
    } else {
        const bool fitsBefore = row.bar.x >= width + 2 * textGap;
        paintOutsideLabel(painter, at(fitsBefore ? row.bar.x - width - textGap : right - width - 2 * textGap, width), label, colors);
    }
}

/// Where to look for a bar that is out of view.
void paintOutOfView(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const ChartPalette& colors)
{
    const double y = paint.timeline.top() + row.y + paint.viewport.rowHeight / 2.0;
    const double tip = row.before ? paint.timeline.left() + 4 : paint.timeline.right() - 4;
    const double back = row.before ? 5 : -5;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colors.mutedText(), 1.5));
    painter.drawPolyline(QPolygonF{QPointF(tip + back, y - 4), QPointF(tip, y), QPointF(tip + back, y + 4)});
    painter.restore();
}

void paintBox(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const StageStyle& style, const ChartPalette& colors)
{
    const QRectF bar = barRect(paint, row, row.bar);
    fillStage(painter, bar, style);
    for (const BarPart& part : row.parts)
        fillStage(painter, barRect(paint, row, part.run), styleOf(paint.scene, part.stage, colors));
    if (row.error)
        paintError(painter, bar, style, colors);
    if (row.torn && bar.width() > 8)
        paintTornEdge(painter, bar, colors.background());
}

} // namespace

int pathLineY(int rowHeight)
{
    return rowHeight - 5;
}

bool hasStage(const StageTable& table, StageId id, StageId wanted)
{
    return id == wanted || (id != StageTable::noStage && table.topLevel(id) == wanted);
}

bool isEmphasized(const WaterfallPaint& paint, const WaterfallRow& row)
{
    const WaterfallEmphasis& emphasis = paint.emphasis;
    const std::uint32_t first = row.ref.span;
    const std::uint32_t last = first + row.hiddenSpans + 1;
    if (row.ref.isMarker || emphasis.current == row.ref)
        return true;
    if (emphasis.matches != nullptr) {
        const auto match = std::lower_bound(emphasis.matches->begin(), emphasis.matches->end(), first);
        return match != emphasis.matches->end() && *match < last;
    }
    if (emphasis.pathOnly)
        return !paint.scene.pathOf(first, last).empty();
    if (emphasis.stage == StageTable::noStage)
        return true;
    const auto isWanted = [&](StageId stage) { return hasStage(*paint.scene.stages, stage, emphasis.stage); };
    return isWanted(paint.scene.stage[first])
        || std::any_of(row.hidden.begin(), row.hidden.end(), [&](const HiddenRun& run) { return isWanted(run.stage); })
        || std::any_of(row.parts.begin(), row.parts.end(), [&](const BarPart& part) { return isWanted(part.stage); });
}

void paintErrorGlyph(QPainter& painter, QPointF center, const ChartPalette& colors)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.error());
    painter.drawPolygon(QPolygonF{center + QPointF(0, -6), center + QPointF(6.5, 5), center + QPointF(-6.5, 5)});
    const QColor mark = textOn(colors.error());
    painter.fillRect(QRectF(center.x() - 0.8, center.y() - 2, 1.6, 3.6), mark);
    painter.fillRect(QRectF(center.x() - 0.8, center.y() + 2.4, 1.6, 1.6), mark);
    painter.restore();
}

void paintBarRow(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const ChartPalette& colors)
{
    if (row.ref.isMarker)
        return;
    const StageStyle style = styleOf(paint.scene, paint.scene.stage[row.ref.span], colors);
    painter.setOpacity(isEmphasized(paint, row) ? 1 : dimmed);
    switch (row.shape) {
    case BarShape::None: paintOutOfView(painter, paint, row, colors); break;
    case BarShape::NoStart:
        painter.setPen(colors.mutedText());
        painter.drawText(
            QRect(paint.timeline.left() + textGap, paint.timeline.top() + row.y, paint.timeline.width(), paint.viewport.rowHeight),
            Qt::AlignVCenter | Qt::AlignLeft, text("start unknown"));
        break;
    case BarShape::Box: paintBox(painter, paint, row, style, colors); break;
    case BarShape::Point: paintPoint(painter, barRect(paint, row, row.bar), style, row, colors); break;
    }
    paintHidden(painter, paint, row, colors);
    paintPath(painter, paint, row, colors);
    painter.setOpacity(1); // text stays readable
    if (row.shape == BarShape::Box || row.shape == BarShape::Point)
        paintLabel(painter, paint, row, style, colors);
}

} // namespace chokepoint
