// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rectangles of the waterfall.
#include "views/waterfall/waterfalllayout.h"

#include "views/waterfall/columnpaint.h"

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

void coverErrors(const TraceScene& scene, std::span<const std::uint32_t> errors, const TimeScale& scale, ColumnCover& cover)
{
    for (const std::uint32_t span : errors) {
        const Timestamp begin = scene.view.start[span];
        if (!isKnown(begin) || !scale.intersects(begin, scene.shownEnd(span)))
            continue;
        const int first = scale.firstColumn(begin);
        cover.add(first, std::max(first, scale.lastColumn(scene.shownEnd(span))));
    }
}

/// Path of a collapsed branch, the spans [first, last): its parts are ordered by span, so they meet in pixel columns.
std::vector<PixelRun> branchPath(const TraceScene& scene, std::uint32_t first, std::uint32_t last, const TimeScale& scale)
{
    ColumnCover cover(scale.columns());
    const auto extentOf = [&scene](std::uint32_t part) { return BlockExtent{scene.pathBySpan[part].begin, scene.pathBySpan[part].end}; };
    const auto visit = [&](std::uint32_t, const BlockExtent& extent) {
        const int column = scale.firstColumn(extent.begin);
        cover.add(column, std::max(column, scale.lastColumn(extent.end)));
    };
    forEachRun(scene.pathBlocks, extentOf, scale, scene.pathBegin[first], scene.pathBegin[last], visit);
    std::vector<PixelRun> runs;
    const std::vector<bool> covered = cover.covered();
    for (std::size_t column = 0; column < covered.size(); ++column) {
        if (!covered[column])
            continue;
        const double right = std::min(double(column + 1), scale.width());
        if (!runs.empty() && runs.back().x + runs.back().width >= double(column))
            runs.back().width = right - runs.back().x;
        else
            runs.push_back({double(column), right - double(column)});
    }
    return runs;
}

Timestamp offsetTime(Timestamp begin, Duration offset)
{
    std::int64_t ns = 0;
    return __builtin_add_overflow(toNs(begin), toNs(offset), &ns) ? Timestamp::max() : timestampFromNs(ns);
}

void placeBar(const TraceScene& scene, std::uint32_t span, const TimeScale& scale, WaterfallRow& row)
{
    const Timestamp begin = scene.view.start[span];
    if (!isKnown(begin)) {
        row.shape = BarShape::NoStart;
        return;
    }
    const Timestamp end = scene.shownEnd(span);
    if (!scale.intersects(begin, end)) {
        row.before = end <= scale.view().begin;
        return;
    }
    row.shape = end > begin ? BarShape::Box : BarShape::Point;
    row.bar = scale.run(begin, end);
    row.clippedLeft = begin < scale.view().begin;
    row.clippedRight = end > scale.view().end;
    row.torn = scene.isUnfinished(span) && !row.clippedRight;
    for (const DerivedPart& part : scene.derivedOf(span)) {
        const Timestamp from = offsetTime(begin, part.begin);
        const Timestamp to = offsetTime(begin, part.end);
        if (from < to && scale.intersects(from, to))
            row.parts.push_back({scale.run(from, to), part.stage});
    }
}

WaterfallRow placedRow(const TraceScene& scene, const SpanRows& rows, std::size_t index, int y, const TimeScale& scale)
{
    WaterfallRow row;
    row.row = index;
    row.ref = rows[index];
    row.y = y;
    const std::uint32_t span = row.ref.span;
    if (row.ref.isMarker)
        return row;
    row.error = scene.view.flags[span].isError();
    placeBar(scene, span, scale, row);
    const std::uint32_t end = rows.hiddenEnd(span);
    if (end == span + 1) {
        row.path = pathRuns(scene.pathOf(span), scale);
        return row;
    }
    row.hiddenSpans = end - span - 1;
    row.hiddenErrors = std::uint32_t(scene.errorsIn(span + 1, end).size());
    row.path = branchPath(scene, span, end, scale);
    row.hidden = hiddenRuns(scene, span + 1, end, scale);
    return row;
}

std::vector<PathLink> pathLinks(const TraceScene& scene, const SpanRows& rows, const WaterfallViewport& viewport, const TimeScale& scale)
{
    constexpr double closest = 4; // px; nearer steps would be a smear
    constexpr std::ptrdiff_t mostSteps = 8; // in so many px; one out of more would say nothing, and all such together are a bar code
    const auto middle = [&](std::uint32_t span) {
        const auto row = std::int64_t(*rows.rowOf(rows.visibleSpan(span)));
        const std::int64_t y = row * viewport.rowHeight - viewport.top + viewport.rowHeight / 2;
        return int(std::clamp<std::int64_t>(y, -viewport.rowHeight, viewport.height + viewport.rowHeight));
    };
    std::vector<PathLink> links;
    const auto startsBefore = [](const PathPart& part, Timestamp time) { return part.begin < time; };
    auto it = std::lower_bound(scene.pathByTime.begin(), scene.pathByTime.end(), scale.view().begin, startsBefore);
    while (it != scene.pathByTime.end() && it->begin <= scale.view().end) {
        const double x = scale.xAt(it->begin);
        const Timestamp end = std::max(scale.timeAt(x + closest), it->begin + Duration{1});
        const auto next = std::lower_bound(it + 1, scene.pathByTime.end(), end, startsBefore);
        if (it != scene.pathByTime.begin() && next - it <= mostSteps) {
            const PathLink link{x, middle(std::prev(it)->span), middle(it->span)};
            if (link.fromY != link.toY)
                links.push_back(link);
        }
        it = next;
    }
    return links;
}

} // namespace

std::vector<HiddenRun> hiddenRuns(const TraceScene& scene, std::uint32_t first, std::uint32_t last, const TimeScale& scale)
{
    ColumnPaint paint(scale.columns());
    const auto extentOf = [&scene](std::uint32_t span) { return scene.shownExtent(span); };
    const auto visit = [&](std::uint32_t span, const BlockExtent& extent) {
        const int column = scale.firstColumn(extent.begin);
        paint.paint(column, std::max(column, scale.lastColumn(extent.end)), scene.stage[span]);
    };
    // Last to first: children stand after their parents, so the innermost span comes first.
    forEachRun(scene.spanBlocks, extentOf, scale, first, last, visit);
    ColumnCover errorCover(scale.columns());
    coverErrors(scene, scene.errorsIn(first, last), scale, errorCover);
    const std::vector<bool> errors = errorCover.covered();

    std::vector<HiddenRun> runs;
    for (int column = 0; column < scale.columns(); ++column) {
        const auto i = std::size_t(column);
        if (!paint.isPainted(i))
            continue;
        const HiddenRun cell{column, 1, paint.stage(i), errors[i]};
        const bool continues = !runs.empty() && runs.back().column + runs.back().columns == column && runs.back().stage == cell.stage
            && runs.back().error == cell.error;
        if (continues)
            ++runs.back().columns;
        else
            runs.push_back(cell);
    }
    return runs;
}

std::vector<PixelRun> pathRuns(std::span<const PathPart> parts, const TimeScale& scale)
{
    std::vector<PixelRun> runs;
    const auto endsBefore = [](const PathPart& part, Timestamp time) { return part.end <= time; };
    auto it = std::lower_bound(parts.begin(), parts.end(), scale.view().begin, endsBefore);
    while (it != parts.end() && it->begin < scale.view().end) {
        const PixelRun run = scale.run(it->begin, it->end);
        const double right = run.x + run.width;
        if (!runs.empty() && run.x < runs.back().x + runs.back().width + 1)
            runs.back().width = std::max(runs.back().width, right - runs.back().x);
        else
            runs.push_back(run);
        // What ends inside the pixels that are covered already adds nothing.
        it = std::lower_bound(it + 1, parts.end(), scale.timeAt(right), endsBefore);
    }
    return runs;
}

WaterfallFrame layoutWaterfall(const TraceScene& scene, const SpanRows& rows, const WaterfallViewport& viewport)
{
    WaterfallFrame frame;
    if (rows.size() == 0 || viewport.rowHeight <= 0)
        return frame;
    const TimeScale scale(viewport.time, viewport.timelineWidth);
    const auto first = std::size_t(std::max<std::int64_t>(0, viewport.top / viewport.rowHeight));
    for (std::size_t row = first; row < rows.size(); ++row) {
        const std::int64_t y = std::int64_t(row) * viewport.rowHeight - viewport.top;
        if (y >= viewport.height)
            break;
        frame.rows.push_back(placedRow(scene, rows, row, int(y), scale));
    }
    const std::size_t topRow = std::min(first + (viewport.top % viewport.rowHeight != 0 ? 1 : 0), rows.size() - 1);
    int y = 0;
    if (viewport.top > 0) {
        for (const std::uint32_t span : rows.stickyAncestors(topRow, viewport.stickyRows)) {
            frame.sticky.push_back(placedRow(scene, rows, *rows.rowOf(span), y, scale));
            y += viewport.rowHeight;
        }
    }
    frame.links = pathLinks(scene, rows, viewport, scale);
    return frame;
}

std::optional<std::size_t> rowAt(const WaterfallFrame& frame, const WaterfallViewport& viewport, std::size_t rowCount, int y)
{
    for (const WaterfallRow& row : frame.sticky) {
        if (y >= row.y && y < row.y + viewport.rowHeight)
            return row.row;
    }
    const std::int64_t content = viewport.top + y;
    if (y < 0 || content < 0 || content / viewport.rowHeight >= std::int64_t(rowCount))
        return std::nullopt;
    return std::size_t(content / viewport.rowHeight);
}

std::int64_t scrollToRow(const SpanRows& rows, const WaterfallViewport& viewport, std::size_t row)
{
    const std::int64_t y = std::int64_t(row) * viewport.rowHeight;
    const auto covered = std::int64_t(std::min<std::size_t>(viewport.stickyRows, rows.stickyAncestors(row, viewport.stickyRows).size()));
    if (y - covered * viewport.rowHeight < viewport.top)
        return std::max<std::int64_t>(0, y - covered * viewport.rowHeight);
    return std::max(viewport.top, y + viewport.rowHeight - viewport.height);
}

} // namespace chokepoint
