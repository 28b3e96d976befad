// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A deployment as numbers: for each complete trace its end-to-end time and where on the path it went, by stage.
#pragma once

#include "core/analysis/criticalpath.h"
#include "core/analysis/stages.h"
#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <functional>
#include <memory>
#include <vector>

namespace chokepoint {

/// What a trace is about: a request, the building of an index, or a server that starts.
enum class PipelineKind : std::uint8_t { Request, Ingest, Startup };

/// Summary of one trace of the columns, complete or not; by trace index.
struct TraceFigures {
    std::int32_t root = -1; // index in the trace
    Duration e2e = unknownDuration; // length of the path's window; unknown without a root
    bool hasTrueRoot = false;
    bool complete = false; // counted in the population
    std::uint32_t errors = 0; // spans with status error
    PipelineKind pipeline = PipelineKind::Request;
    Duration inferred{};
};

/// Stage times of all traces, in the trace order of the columns. Rows of incomplete traces are kept (for the list), but
/// `included` names the rows that statistics use.
struct Population {
    std::shared_ptr<const StageTable> table;
    std::vector<TraceFigures> traces; // by trace index
    std::vector<std::uint32_t> included; // trace indices, ascending: complete traces with a true root, of requests if there are any
    std::size_t stageCount = 0; // = table->size()
    std::vector<Duration> onPath; // traces x stageCount, row-major; sub-stages hold their own time, not their parents'
    std::vector<Duration> selfTime; // by stage: sum of self times over included traces
    std::vector<std::uint64_t> spanCount; // by stage: spans of all traces
    std::uint64_t excludedNoRoot = 0;
    std::uint64_t excludedOpen = 0;
    std::uint64_t excludedOffline = 0; // complete ones of other pipelines, beside requests

    /// Time of \a stage on the path of trace \a trace; of a top-level stage with its sub-stages.
    [[nodiscard]] Duration onPathOf(std::size_t trace, StageId stage) const;
    /// End-to-end times of the included traces, in their order.
    [[nodiscard]] std::vector<Duration> e2e() const;
};

/// Runs the critical path over all traces. Parallel over traces with \a threads (0: all cores); results do not depend on it.
[[nodiscard]] Result<Population> analysePopulation(
    const TraceColumns& columns, const StageMap& stages, const PathOptions& options, unsigned threads, const JobControl& job);

/// Splits a path's segments by stage: that of the owning span, the sub-stages that attributes derive for it, or the stage of a gap
/// (GapStages). Calls
/// visit(StageId, const PathSegment& part) in time order; the parts cover the path exactly. \a firstSpan: the trace's offset in the
/// columns.
using VisitStagePart = std::function<void(StageId, const PathSegment&)>;
void forEachStagePart(
    const CriticalPath& path, const TraceView& trace, const StageMap& stages, std::uint64_t firstSpan, const VisitStagePart& visit);

} // namespace chokepoint
