// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the pieces of the comparison charts go: pure functions from figures to positions.
#pragma once

#include "core/base/time.h"

#include <QPointF>

#include <cstddef>
#include <span>
#include <vector>

namespace chokepoint {

// ---- share bars -----------------------------------------------------------------------------------------------------

struct SharePair {
    double before = 0;
    double after = 0;
};

/// One stage in both bars; the ribbon joins [beforeX, beforeX + beforeWidth) above with the same below.
struct ShareSegment {
    double beforeX = 0;
    double beforeWidth = 0;
    double afterX = 0;
    double afterWidth = 0;
};

/// In the order given. Widths are proportional to the shares, and each bar's segments meet and end at \a width exactly. A side
/// whose shares are all zero has zero widths.
[[nodiscard]] std::vector<ShareSegment> layoutShareBars(std::span<const SharePair> shares, double width);

// ---- contributions --------------------------------------------------------------------------------------------------

/// One contribution: the running total goes from \a from to \a to (ns).
struct DeltaStep {
    std::size_t stage = 0; // index into the input; foldedStage for the sum of those left out
    Duration contribution{};
    Duration from{};
    Duration to{};
};
inline constexpr std::size_t foldedStage = static_cast<std::size_t>(-1);

struct DeltaLayout {
    std::vector<DeltaStep> steps; // largest contribution first, the folded rest last
    Duration before{};
    Duration after{}; // = before + all contributions, and the last step's end
    Duration low{}; // of the axis
    Duration high{};
    bool broken = false; // the axis does not start at zero
    std::size_t folded = 0; // stages in the last step
};

/// At most \a maxSteps steps (at least 2). The axis starts at zero, unless the steps would then use less than a third of it.
[[nodiscard]] DeltaLayout layoutDelta(Duration before, std::span<const Duration> contributions, std::size_t maxSteps);

// ---- ranks ----------------------------------------------------------------------------------------------------------

struct RankPair {
    unsigned before = 0; // from 1; 0: the stage is not on this side
    unsigned after = 0;
};

/// One stage of the slope chart; slots count from 0 at the top of each side, -1: not on this side.
struct SlopeLine {
    std::size_t stage = 0;
    int beforeSlot = -1;
    int afterSlot = -1;
};

struct SlopeLayout {
    std::vector<SlopeLine> lines; // by beforeSlot, those without one last
    int rows = 0; // rows that are needed
    std::size_t folded = 0; // stages left out
};

/// The \a top best ranks of either side.
[[nodiscard]] SlopeLayout layoutSlope(std::span<const RankPair> ranks, unsigned top);

// ---- distributions --------------------------------------------------------------------------------------------------

/// Cumulative share of \a sorted (ascending) against milliseconds, as the upper corners of a staircase that starts at 0 and
/// ends at 1. A corner is left out when it lies in the same of \a pixels columns and within 1 / \a pixels of the height of the
/// one before, so that at most two a pixel remain, on a linear axis and on a logarithmic one.
[[nodiscard]] std::vector<QPointF> ecdfSteps(std::span<const Duration> sorted, double pixels);

} // namespace chokepoint
