// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One deployment in figures: counts, end-to-end quantiles, and what each stage costs on the path.
#pragma once

#include "core/analysis/population.h"

#include <string>
#include <vector>

namespace chokepoint {

/// One stage over a population. critical and self are sums over the included traces, in ns.
struct StageFigures {
    StageId id{};
    std::string stage;
    std::string label;
    std::uint64_t spans = 0; // of all stored spans; a top-level stage counts those of its sub-stages
    Duration critical{}; // a top-level stage holds its sub-stages' time
    Duration self{};
    double share = 0; // critical / sum of all end-to-end times
    Duration p50 = unknownDuration; // over traces, of the time on path; 0 where the stage is absent
    Duration p95 = unknownDuration;
    Duration p99 = unknownDuration;
    std::vector<StageFigures> substages;
};

struct E2eFigures {
    std::uint64_t n = 0;
    Duration mean = unknownDuration;
    Duration min = unknownDuration;
    Duration p50 = unknownDuration;
    Duration p95 = unknownDuration;
    Duration p99 = unknownDuration;
    Duration max = unknownDuration;
};

/// Of end-to-end times in any order.
[[nodiscard]] E2eFigures e2eFigures(std::vector<Duration> times);

struct PopulationSummary {
    std::uint64_t traces = 0; // everything stored
    std::uint64_t spans = 0;
    std::uint64_t errorSpans = 0;
    std::uint64_t rootSpans = 0;
    std::uint64_t orphanSpans = 0;
    std::vector<std::string> services; // sorted
    TimeRange extent{unknownTime, unknownTime};
    E2eFigures e2e; // of the included traces
    std::vector<StageFigures> stages; // top level, largest critical first, then by name
    std::uint64_t excludedNoRoot = 0;
    std::uint64_t excludedOpen = 0;
    std::uint64_t excludedOffline = 0;

    /// The largest stage, or nullptr without a population.
    [[nodiscard]] const StageFigures* bottleneck() const { return e2e.n == 0 || stages.empty() ? nullptr : &stages.front(); }
};

[[nodiscard]] PopulationSummary summarise(const TraceColumns& columns, const Population& population);

} // namespace chokepoint
