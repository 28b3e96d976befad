// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// All that the waterfall draws of one trace, worked out once off the UI thread: depth, stages, path by span, errors, extent.
#pragma once

#include "core/analysis/criticalpath.h"
#include "core/analysis/population.h"
#include "core/analysis/stages.h"
#include "core/model/trace.h"
#include "views/waterfall/extentblocks.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace chokepoint {

struct Dataset;

/// A piece of the critical path with the stage that it counts for. Times are absolute.
struct PathPart {
    std::uint32_t span = 0;
    StageId stage{};
    SegmentType type = SegmentType::Self;
    Timestamp begin{};
    Timestamp end{};
};

/// The trace's place among the complete traces of its deployment.
struct TraceRank {
    std::size_t shorter = 0; // complete traces with a strictly shorter end-to-end time
    std::size_t population = 0; // complete traces
    bool known = false; // false for a trace that is not complete
};

/// Immutable once built; shared between threads. Vectors "by span" have one entry a span of the trace.
struct TraceScene {
    std::shared_ptr<const Trace> trace;
    TraceView view; // of trace
    std::shared_ptr<const StageTable> stages;
    CriticalPath path;
    TimeRange extent;
    Timestamp dataBegin = unknownTime; // of the deployment's spans without dates, when this trace has none; see formatStart()
    std::string deployment;
    TraceRank rank;

    std::vector<StageId> stage; // by span
    std::vector<std::uint16_t> rule; // by span: index into ruleNames
    std::vector<std::string> ruleNames;
    std::vector<DerivedPart> derived; // span: index in the trace; ordered by span, then begin
    std::vector<std::uint32_t> depth; // by span; children of an orphan count from its marker row, which has depth 0
    std::vector<Duration> selfTime; // by span; unknownDuration where the duration is unknown
    std::vector<std::uint32_t> errors; // spans with status error, ascending
    std::vector<PathPart> pathByTime;
    std::vector<PathPart> pathBySpan; // ordered by span, then time
    std::vector<std::uint32_t> pathBegin; // by span, and one more: its parts are [pathBegin[i], pathBegin[i + 1]) of pathBySpan
    ExtentBlocks spanBlocks; // over the spans
    ExtentBlocks pathBlocks; // over pathBySpan

    [[nodiscard]] std::size_t size() const { return view.size(); }
    [[nodiscard]] std::span<const PathPart> pathOf(std::uint32_t span) const { return pathOf(span, span + 1); }
    /// Parts of the spans [first, last).
    [[nodiscard]] std::span<const PathPart> pathOf(std::uint32_t first, std::uint32_t last) const
    {
        return std::span(pathBySpan).subspan(pathBegin[first], pathBegin[last] - pathBegin[first]);
    }
    [[nodiscard]] bool isOnPath(std::uint32_t span) const { return pathBegin[span] != pathBegin[span + 1]; }
    [[nodiscard]] Duration onPath(std::uint32_t span) const;
    /// Spans with errors among [first, last).
    [[nodiscard]] std::span<const std::uint32_t> errorsIn(std::uint32_t first, std::uint32_t last) const;
    [[nodiscard]] std::span<const DerivedPart> derivedOf(std::uint32_t span) const;
    [[nodiscard]] bool hasStart(std::uint32_t span) const { return isKnown(view.start[span]); }
    [[nodiscard]] bool isUnfinished(std::uint32_t span) const { return !isKnown(view.end[span]); }
    /// Where the bar ends: an unfinished span runs to the end of the trace, one that ends before it starts has no length.
    [[nodiscard]] Timestamp shownEnd(std::uint32_t span) const;
    /// Of the span's bar; unknown without a start.
    [[nodiscard]] BlockExtent shownExtent(std::uint32_t span) const;
    [[nodiscard]] std::string_view stageName(std::uint32_t span) const;
};

/// Time of one top-level stage on the path.
struct StageTime {
    StageId stage{};
    Duration time{};
};

/// Stages of the path, the largest first; they add up to the path's length.
[[nodiscard]] std::vector<StageTime> stageTimes(const TraceScene& scene);

/// What a scene needs besides the trace and its path. `stage` and `rule` are by span of the trace, derived spans count from firstSpan.
struct SceneStages {
    std::shared_ptr<const StageTable> table;
    std::span<const StageId> stage;
    std::span<const std::uint16_t> rule;
    std::span<const std::string> ruleNames;
    std::span<const DerivedPart> derived;
    std::uint64_t firstSpan = 0;
    std::vector<bool> container = {};
    GapStages gaps = {};
};

/// O(n log n), no recursion.
[[nodiscard]] std::shared_ptr<TraceScene> makeTraceScene(std::shared_ptr<const Trace> trace, CriticalPath path, const SceneStages& stages);

/// Loads one trace of \a dataset and works out its scene. Blocks; run it off the UI thread. Fails as Dataset::trace() does.
[[nodiscard]] Result<std::shared_ptr<const TraceScene>> loadTraceScene(const Dataset& dataset, std::size_t traceIndex);

} // namespace chokepoint
