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
    // Last to first: the innermost span keeps the column.
    for (std::uint32_t i = last; i > first; --i) {
        const std::uint32_t span = i - 1;
        if (!scene.hasStart(span))
            continue;
        const int column = scale.firstColumn(scene.view.start[span]);
        paint.paint(column, std::max(column, scale.lastColumn(scene.shownEnd(span))), scene.stage[span]);
    }
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

/// Parts are disjoint and in order: each column belongs to the part that holds most of it.
std::vector<StageId> pathColumns(const TraceScene& scene, const TimeScale& scale)
{
    std::vector<StageId> path(std::size_t(scale.columns()), MinimapLayout::nothing);
    std::vector<double> held(path.size(), 0);
    for (const PathPart& part : scene.pathByTime) {
        const double from = scale.xAt(part.begin);
        const double to = scale.xAt(part.end);
        const int first = scale.firstColumn(part.begin);
        for (int column = first; column <= std::max(first, scale.lastColumn(part.end)); ++column) {
            const double share = std::min(to, column + 1.0) - std::max(from, double(column));
            if (share <= held[std::size_t(column)] && path[std::size_t(column)] != MinimapLayout::nothing)
                continue;
            held[std::size_t(column)] = share;
            path[std::size_t(column)] = part.stage;
        }
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
