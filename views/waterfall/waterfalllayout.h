// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From a trace, its rows and a viewport to rectangles: the only thing that the waterfall's painter and mouse look at. Pure.
#pragma once

#include "views/waterfall/spanrows.h"
#include "views/waterfall/timescale.h"
#include "views/waterfall/tracescene.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace chokepoint {

struct WaterfallViewport {
    TimeRange time;
    double timelineWidth = 1; // px of the bars' area
    std::int64_t top = 0; // px of the rows that have scrolled away
    int height = 0; // px of the rows' area
    int rowHeight = 22;
    std::size_t stickyRows = 4; // at most
};

enum class BarShape : std::uint8_t {
    None, // not in view
    NoStart, // no start time: nowhere to draw it
    Box,
    Point // no length
};

/// A part of a bar that attributes give to a sub-stage.
struct BarPart {
    PixelRun run;
    StageId stage{};
};

/// What hides in a collapsed row, by pixel column: neighbours that look alike are one run. Columns without a span are left out.
struct HiddenRun {
    int column = 0;
    int columns = 0;
    StageId stage{}; // of the innermost span
    bool error = false; // an error span starts or runs here
    friend bool operator==(const HiddenRun&, const HiddenRun&) = default;
};

struct WaterfallRow {
    std::size_t row = 0;
    SpanRowRef ref;
    int y = 0; // top edge in the viewport, px
    BarShape shape = BarShape::None;
    PixelRun bar; // inside [0, timelineWidth]
    bool clippedLeft = false; // goes on beyond the view
    bool clippedRight = false;
    bool torn = false; // unfinished: the end is not known
    bool error = false;
    bool before = false; // shape None: the span lies left of the view, else right of it
    std::uint32_t hiddenSpans = 0;
    std::uint32_t hiddenErrors = 0;
    std::vector<BarPart> parts;
    std::vector<PixelRun> path; // of the span, and of what it hides; whole pixel columns where segments share one
    std::vector<HiddenRun> hidden;
};

/// The critical path steps from one row to another.
struct PathLink {
    double x = 0;
    int fromY = 0; // middle of the rows, clipped to one row outside the viewport
    int toY = 0;
};

struct WaterfallFrame {
    std::vector<WaterfallRow> rows; // top to bottom
    std::vector<WaterfallRow> sticky; // on top of them, y from 0
    std::vector<PathLink> links;
};

/// Cost follows the pixels of the viewport and the log of the trace's size; see also hiddenRuns().
[[nodiscard]] WaterfallFrame layoutWaterfall(const TraceScene& scene, const SpanRows& rows, const WaterfallViewport& viewport);

/// Spans [first, last) seen through pixel columns. Each column shows the innermost span; an error is never averaged away.
[[nodiscard]] std::vector<HiddenRun> hiddenRuns(const TraceScene& scene, std::uint32_t first, std::uint32_t last, const TimeScale& scale);

/// The visible parts of the path among \a parts (ordered by time): disjoint, left to right, at most one a pixel column.
[[nodiscard]] std::vector<PixelRun> pathRuns(std::span<const PathPart> parts, const TimeScale& scale);

/// Row at \a y of the viewport; nullopt below the last. Sticky rows win.
[[nodiscard]] std::optional<std::size_t> rowAt(const WaterfallFrame& frame, const WaterfallViewport& viewport, std::size_t rowCount, int y);

/// The scroll offset nearest to viewport.top at which \a row is in full view below its sticky ancestors.
[[nodiscard]] std::int64_t scrollToRow(const SpanRows& rows, const WaterfallViewport& viewport, std::size_t row);

} // namespace chokepoint
