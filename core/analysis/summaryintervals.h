// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How far the figures of one deployment can be trusted: 95 % intervals, with traces or clusters of them as the unit.
#pragma once

#include "core/analysis/comparison.h"

#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

struct StageIntervals {
    std::string stage; // top level
    Interval mean; // time on path of a trace, ns
    Interval share; // of all end-to-end time
};

struct SummaryIntervals {
    std::optional<Interval> mean; // ns; none below the minimum size (algorithms.md 4.3)
    std::optional<Interval> p50; // by order statistics, or from the draws of clusters
    std::optional<Interval> p95;
    std::optional<Interval> p99;
    std::vector<StageIntervals> stages; // by name; empty below the minimum size
    std::string cluster; // as asked for
    std::optional<ResampledSide> unit; // none when each trace is drawn by itself
    std::vector<std::string> warnings;
};

/// Of the included traces of \a side, in clusters where it has them. Deterministic for a seed.
[[nodiscard]] SummaryIntervals summaryIntervals(const ComparisonSide& side, const CompareOptions& options);

/// What to know of intervals that draw clusters of one side: too few of them, traces without a name.
[[nodiscard]] std::vector<std::string> clusterWarnings(const ResampledSide& unit, const std::string& cluster);

} // namespace chokepoint
