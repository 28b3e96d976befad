// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole trace as a small picture: a strip of the path, a map of the spans by row and time, and a mark for every error. Pure.
#pragma once

#include "views/waterfall/tracescene.h"

#include <cstdint>
#include <vector>

namespace chokepoint {

struct MinimapLayout {
    static constexpr StageId nothing = StageTable::noStage;

    int columns = 0;
    int lines = 0;
    std::vector<StageId> cells; // lines x columns, row-major: stage of the innermost span there, or `nothing`
    std::vector<StageId> path; // by column: stage that holds the path in its middle, or `nothing`
    std::vector<bool> errors; // by column: an error span starts or runs here

    [[nodiscard]] StageId cell(int line, int column) const { return cells[std::size_t(line) * std::size_t(columns) + std::size_t(column)]; }
};

/// Spans in display order are spread over \a lines. O(columns x lines + errors) wherever neighbours lie close in time.
[[nodiscard]] MinimapLayout layoutMinimap(const TraceScene& scene, TimeRange bounds, int columns, int lines);

} // namespace chokepoint
