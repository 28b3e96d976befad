// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/summaryintervals.h"

#include "core/analysis/comparestages.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <array>

namespace chokepoint {

namespace {

template <typename At> Interval intervalOf(std::size_t replicates, const At& at)
{
    std::vector<double> values(replicates);
    for (std::size_t r = 0; r < replicates; ++r)
        values[r] = at(r);
    return percentileInterval(values);
}

} // namespace

std::vector<std::string> clusterWarnings(const ResampledSide& unit, const std::string& cluster)
{
    std::vector<std::string> warnings;
    if (unit.clusters < clustersNeeded)
        warnings.push_back(
            fmt::format("No intervals: {} by {}, at least {} are needed", clustersText(unit.clusters), cluster, clustersNeeded));
    else if (unit.clusters < clustersWanted)
        warnings.push_back(fmt::format("Intervals draw whole clusters by {}, and there are only {}; with fewer than {} they are too narrow",
            cluster, unit.clusters, clustersWanted));
    if (unit.unnamed > 0)
        warnings.push_back(fmt::format("{} traces tell no {}; each is drawn by itself", formatCount(unit.unnamed), cluster));
    return warnings;
}

SummaryIntervals summaryIntervals(const ComparisonSide& side, const CompareOptions& options)
{
    const StageAxis axis = stageAxis(side, side);
    const SideFigures figures = sideFigures(side, axis);
    SummaryIntervals intervals;
    intervals.cluster = options.cluster;
    if (figures.clusters) {
        intervals.unit = ResampledSide{figures.clusters->size(), figures.clusters->largest(), figures.clusters->unnamed};
        intervals.warnings = clusterWarnings(*intervals.unit, options.cluster);
    }
    constexpr std::array<double, 3> levels{0.5, 0.95, 0.99};
    const std::vector<std::vector<double>> drawn = resampleSideQuantiles(figures, levels, options);
    const auto quantileOf = [&](std::size_t level) -> std::optional<Interval> {
        if (!figures.clusters)
            return quantileInterval(figures.e2e, levels[level]);
        if (drawn.empty() || figures.size() < minimumForInterval(levels[level]))
            return std::nullopt;
        return intervalOf(drawn[level].size(), [&](std::size_t r) { return drawn[level][r]; });
    };
    intervals.p50 = quantileOf(0);
    intervals.p95 = quantileOf(1);
    intervals.p99 = quantileOf(2);
    if (!isEnoughForMean(figures))
        return intervals;
    const SideReplicates replicates = resampleSide(figures, axis, options);
    intervals.mean = intervalOf(replicates.count(), [&](std::size_t r) { return replicates.e2e(r); });
    for (std::size_t t = 0; t < axis.tops.size(); ++t) {
        const auto share = [&](std::size_t r) { return replicates.e2e(r) > 0 ? replicates.top(r, t) / replicates.e2e(r) : 0; };
        intervals.stages.push_back({axis.tops[t], intervalOf(replicates.count(), [&](std::size_t r) { return replicates.top(r, t); }),
            intervalOf(replicates.count(), share)});
    }
    return intervals;
}

} // namespace chokepoint
