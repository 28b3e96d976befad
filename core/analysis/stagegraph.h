// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The pipeline as a graph of its top-level stages: what follows what, what calls what, and what is repeated.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/population.h"

#include <string>
#include <vector>

namespace chokepoint {

enum class StageEdgeKind : std::uint8_t {
    Path, // the next step on the critical path, with own time of containers, network and gaps looked through; latency: of that step
    Call, // a span of the stage below a span of the other, with none of a stage between; latency: of that span
    Retry, // an attempt that was replaced, to where the next one begins; latency: from one's begin to the other's
};
[[nodiscard]] const char* stageEdgeKindName(StageEdgeKind kind); // "path", "call", "retry"

struct StageNode {
    std::string stage;
    std::string label;
    std::uint64_t calls = 0; // spans that lie in no other span of the stage
    std::uint64_t requests = 0; // with the stage on their path or in such a span
    double callsPerRequest = 0; // of all requests
    Duration mean = unknownDuration; // of those spans
    Duration p95 = unknownDuration;
    Duration onPathMean{}; // time on the critical path, of all requests
    double share = 0; // of all end-to-end time
};

struct StageEdge {
    StageEdgeKind kind{};
    std::uint32_t from = 0; // in StageGraph::nodes
    std::uint32_t to = 0; // the same as from where a stage is repeated
    std::uint64_t count = 0;
    std::uint64_t requests = 0; // that have it
    double perRequest = 0; // count over all requests
    Duration mean = unknownDuration;
    Duration p95 = unknownDuration;
};

/// Of the included traces of a population.
struct StageGraph {
    std::uint64_t requests = 0;
    std::vector<StageNode> nodes; // by stage name
    std::vector<StageEdge> edges; // by kind, from, to
};

/// \a retries may be null: then there are no Retry edges. Linear in spans but for sorting. Spans of unmappedStage are looked through
/// for calls. Fails with Cancelled only.
[[nodiscard]] Result<StageGraph> stageGraph(const TraceColumns& columns, const StageMap& stages, const Population& population,
    const RetryAnalysis* retries, const PathOptions& options, const JobControl& job);

} // namespace chokepoint
