// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Aggregates a whole trace into pixel columns.
#include "views/waterfall/minimaplayout.h"

#include "views/waterfall/columnpaint.h"

#include <algorithm>

namespace chokepoint {

namespace {

void paintLine(const TraceScene& scene, const TimeScale& scale, std::uint32_t first, std::uint32_t last, StageId* cells)
{
    ColumnPaint paint(scale.columns());
    const auto extentOf = [&scene](std::uint32_t span) { return scene.shownExtent(span); };
    const auto visit = [&](std::uint32_t span, const BlockExtent& extent) {
        const int column = scale.firstColumn(extent.begin);
        paint.paint(column, std::max(column, scale.lastColumn(extent.end)), scene.stage[span]);
    };
    // Last to first: the innermost span keeps the column.
    forEachRun(scene.spanBlocks, extentOf, scale, first, last, visit);
    for (int column = 0; column < scale.columns(); ++column) {
        if (paint.isPainted(std::size_t(column)))
            cells[column] = paint.stage(std::size_t(column));
    }
}

std::vector<bool> errorColumns(const TraceScene& scene, const TimeScale& scale)
{
    ColumnCover cover(scale.columns());
    for (const std::uint32_t span : scene.errors) {
        if (!scene.hasStart(span))
            continue;
        const int column = scale.firstColumn(scene.view.start[span]);
        cover.add(column, std::max(column, scale.lastColumn(scene.shownEnd(span))));
    }
    return cover.covered();
}

/// Parts are disjoint and in order: each column asks for the one at its middle.
std::vector<StageId> pathColumns(const TraceScene& scene, const TimeScale& scale)
{
    std::vector<StageId> path(std::size_t(scale.columns()), MinimapLayout::nothing);
    const std::vector<PathPart>& parts = scene.pathByTime;
    const auto endsBefore = [](const PathPart& part, Timestamp time) { return part.end <= time; };
    for (int column = 0; column < scale.columns(); ++column) {
        const Timestamp middle = scale.timeAt(column + 0.5);
        const auto part = std::lower_bound(parts.begin(), parts.end(), middle, endsBefore);
        if (part != parts.end() && part->begin <= middle)
            path[std::size_t(column)] = part->stage;
    }
    return path;
}

} // namespace

MinimapLayout layoutMinimap(const TraceScene& scene, TimeRange bounds, int columns, int lines)
{
    const TimeScale scale(bounds, columns);
    MinimapLayout map;
    map.columns = scale.columns();
    map.lines = int(std::min<std::size_t>(std::size_t(std::max(1, lines)), std::max<std::size_t>(1, scene.size())));
    map.cells.assign(std::size_t(map.columns) * std::size_t(map.lines), MinimapLayout::nothing);
    const auto border = [&](int line) {
        return std::uint32_t(std::uint64_t(scene.size()) * std::uint64_t(line) / std::uint64_t(map.lines));
    };
    for (int line = 0; line < map.lines; ++line)
        paintLine(scene, scale, border(line), border(line + 1), map.cells.data() + std::size_t(line) * std::size_t(map.columns));
    map.path = pathColumns(scene, scale);
    map.errors = errorColumns(scene, scale);
    return map;
}

} // namespace chokepoint
