// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a comparison together: end-to-end figures, stages, bottleneck, comparability, verdict.
#include "core/analysis/comparison.h"

#include "core/analysis/arena.h"
#include "core/analysis/comparability.h"
#include "core/analysis/comparestages.h"
#include "core/analysis/mixshift.h"
#include "core/analysis/noisefloor.h"
#include "core/analysis/quantilesplit.h"
#include "core/analysis/verdict.h"
#include "core/base/format.h"

#include <fmt/format.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>

namespace chokepoint {

namespace {

struct Level {
    Statistic statistic;
    double p;
};
constexpr std::array<Level, 3> levels{{{Statistic::P50, 0.5}, {Statistic::P95, 0.95}, {Statistic::P99, 0.99}}};

void setDelta(E2eRow& row)
{
    if (!isKnown(row.before) || !isKnown(row.after))
        return;
    row.delta = row.after - row.before;
    if (row.before > Duration(0))
        row.change = double(toNs(row.delta)) / double(toNs(row.before));
    else if (row.delta == Duration(0))
        row.change = 0;
}

std::size_t fewestClusters(const SideFigures& before, const SideFigures& after)
{
    const auto clusters = [](const SideFigures& side) { return side.clusters ? side.clusters->size() : clustersNeeded; };
    return std::min(clusters(before), clusters(after));
}

void setShortfall(E2eRow& row, std::size_t needed, const SideFigures& before, const SideFigures& after)
{
    const std::size_t fewest = std::min(before.size(), after.size());
    if (fewest < needed)
        row.shortfall = fmt::format("needs {} traces a side, have {}", needed, fewest);
    else if (const std::size_t clusters = fewestClusters(before, after); clusters < clustersNeeded)
        row.shortfall = fmt::format("needs {} clusters a side, have {}", clustersNeeded, clusters);
}

Interval meanInterval(const SideReplicates& side)
{
    std::vector<double> means(side.count());
    for (std::size_t r = 0; r < means.size(); ++r)
        means[r] = side.e2e(r);
    return percentileInterval(means);
}

/// Interval, significance and equivalence from replicates of the difference.
void judge(E2eRow& row, std::vector<double> differences, const CompareOptions& options)
{
    row.interval = percentileInterval(differences);
    row.significant = row.interval->excludesZero();
    const Interval ninety = percentileInterval(differences, 0.05);
    const double relevant = std::max(options.relevantShare * double(toNs(row.before)), double(toNs(options.relevantTime)));
    row.equivalent = ninety.low > -relevant && ninety.high < relevant;
}

E2eRow meanRow(const SideFigures& before, const SideFigures& after, const SideReplicates& beforeReplicates,
    const SideReplicates& afterReplicates, const CompareOptions& options)
{
    E2eRow row;
    row.statistic = Statistic::Mean;
    row.before = mean(before.e2e);
    row.after = mean(after.e2e);
    setDelta(row);
    setShortfall(row, minimumForMean, before, after);
    if (row.shortfall.empty() && !before.clusters)
        row.welch = welchInterval(before.e2e, after.e2e);
    if (isEnoughForMean(before))
        row.beforeInterval = meanInterval(beforeReplicates);
    if (isEnoughForMean(after))
        row.afterInterval = meanInterval(afterReplicates);
    if (!row.shortfall.empty() || beforeReplicates.count() == 0)
        return row;
    std::vector<double> differences(beforeReplicates.count());
    for (std::size_t r = 0; r < differences.size(); ++r)
        differences[r] = afterReplicates.e2e(r) - beforeReplicates.e2e(r);
    judge(row, std::move(differences), options);
    return row;
}

/// Quantiles of both sides where clusters are drawn, by level and replicate.
struct ClusterQuantiles {
    std::vector<std::vector<double>> before;
    std::vector<std::vector<double>> after;
};

std::optional<Interval> clusterInterval(const std::vector<std::vector<double>>& quantiles, std::size_t level)
{
    if (quantiles.empty() || quantiles[level].empty())
        return std::nullopt;
    std::vector<double> values = quantiles[level];
    return percentileInterval(values);
}

E2eRow quantileRow(
    std::size_t index, const SideFigures& before, const SideFigures& after, const ClusterQuantiles& drawn, const CompareOptions& options)
{
    const Level& level = levels[index];
    E2eRow row;
    row.statistic = level.statistic;
    const auto valueOf = [&](const SideFigures& side) {
        return side.size() >= minimumForValue(level.p) ? quantile(side.e2e, level.p) : unknownDuration;
    };
    const auto intervalOf = [&](const SideFigures& side, const std::vector<std::vector<double>>& quantiles) {
        if (!side.clusters)
            return quantileInterval(side.e2e, level.p);
        return side.size() >= minimumForInterval(level.p) ? clusterInterval(quantiles, index) : std::nullopt;
    };
    row.before = valueOf(before);
    row.after = valueOf(after);
    row.beforeInterval = intervalOf(before, drawn.before);
    row.afterInterval = intervalOf(after, drawn.after);
    setDelta(row);
    setShortfall(row, minimumForInterval(level.p), before, after);
    if (!row.shortfall.empty() || options.replicates == 0)
        return row;
    if (drawn.before.empty()) {
        const std::uint64_t seed = options.seed + std::uint64_t(level.statistic) * 0x9e3779b97f4a7c15ULL;
        judge(row, quantileDifferences(before.e2e, after.e2e, level.p, seed, options.replicates), options);
        return row;
    }
    std::vector<double> differences(options.replicates);
    for (std::size_t r = 0; r < differences.size(); ++r)
        differences[r] = drawn.after[index][r] - drawn.before[index][r];
    judge(row, std::move(differences), options);
    return row;
}

/// What is drawn on both sides, and a warning where that is too little.
void setUnit(Comparison& result, const SideFigures& before, const SideFigures& after)
{
    if (!before.clusters || !after.clusters)
        return;
    const auto sideOf = [](const RowClusters& clusters) { return ResampledSide{clusters.size(), clusters.largest(), clusters.unnamed}; };
    result.unit = ResampledUnit{result.options.cluster, sideOf(*before.clusters), sideOf(*after.clusters)};
    const auto& [name, first, second] = *result.unit;
    const std::size_t fewest = std::min(first.clusters, second.clusters);
    if (fewest < clustersNeeded)
        result.reasons.push_back(
            fmt::format("No intervals: they draw whole clusters by {}, and there are {} before and {} after; {} a side "
                        "are needed",
                name, first.clusters, second.clusters, clustersNeeded));
    else if (fewest < clustersWanted)
        result.reasons.push_back(fmt::format("Intervals draw whole clusters by {}, and there are few of them: {} before, {} after; with "
                                             "fewer than {} a side they are too narrow",
            name, first.clusters, second.clusters, clustersWanted));
    if (first.unnamed + second.unnamed > 0)
        result.reasons.push_back(fmt::format("{} traces before and {} after tell no {}; each is drawn by itself",
            formatCount(first.unnamed), formatCount(second.unnamed), name));
}

bool sameTraces(const SideFigures& before, const SideFigures& after)
{
    return before.size() > 0 && before.ids == after.ids && before.errorRoots == after.errorRoots
        && before.table.values == after.table.values;
}

void nameExemplar(BandSide& band, const TraceColumns& columns)
{
    if (band.exemplar)
        band.exemplarId = columns.traceIdName(*band.exemplar);
}

std::vector<SuccessRow> successRows(const SideFigures& before, const SideFigures& after)
{
    if (before.errorRoots + after.errorRoots == 0)
        return {};
    const auto meanOf = [](const SideFigures& side) {
        return side.successes.size() >= minimumForMean ? mean(side.successes) : unknownDuration;
    };
    std::vector<SuccessRow> rows{{Statistic::Mean, meanOf(before), meanOf(after)}};
    for (const Level& level : levels) {
        const auto valueOf = [&level](const SideFigures& side) {
            return side.successes.size() >= minimumForValue(level.p) ? quantile(side.successes, level.p) : unknownDuration;
        };
        rows.push_back({level.statistic, valueOf(before), valueOf(after)});
    }
    return rows;
}

double errorRate(const SideFigures& side)
{
    return side.size() == 0 ? 0 : double(side.errorRoots) / double(side.size());
}

/// Two sides that have traces.
struct Both {
    const StageAxis& axis;
    const SideFigures& first;
    const SideFigures& second;
    const SideReplicates& firstReplicates;
    const SideReplicates& secondReplicates;
};

/// What needs nothing of each other: all at once.
void addParts(const Both& both, const CompareOptions& options, Comparison& result)
{
    const StageAxis& axis = both.axis;
    const SideFigures& first = both.first;
    const SideFigures& second = both.second;
    const auto stages = [&] {
        result.stages = compareStages(axis, first, second, both.firstReplicates, both.secondReplicates, result.e2e.front().delta, options);
        result.bottleneck = compareBottlenecks(axis, first, second, both.firstReplicates, both.secondReplicates, result.stages);
    };
    std::array<Duration, 4> noise{};
    const auto findNoise = [&] {
        const std::uint64_t seed = mix64(options.seed) ^ first.contentHash;
        noise = first.clusters ? clusterNoiseFloor(first, seed) : noiseFloor(first.e2e, seed);
    };
    const auto test = [&] { result.test = WholeTest{rankTest(first.e2e, second.e2e), hodgesLehmannShift(first.e2e, second.e2e)}; };
    const auto quantiles = [&] { result.quantiles = splitQuantiles(axis, first, second); };
    const auto bands = [&] { result.bands = compareBands(axis, first, second); };
    const auto mix = [&] { result.mix = splitMix(axis, first, second); };
    arenaFor(options.threads).execute([&] { tbb::parallel_invoke(findNoise, stages, test, quantiles, bands, mix); });
    for (std::size_t k = 0; k < noise.size(); ++k)
        result.e2e[k].noise = noise[k];
}

} // namespace

const char* statisticName(Statistic statistic)
{
    switch (statistic) {
    case Statistic::Mean: return "mean";
    case Statistic::P50: return "p50";
    case Statistic::P95: return "p95";
    case Statistic::P99: return "p99";
    }
    return "";
}

Result<Comparison> compare(const ComparisonSide& before, const ComparisonSide& after, const CompareOptions& options, const JobControl& job)
{
    job.report({.step = "Comparing"});
    const StageAxis axis = stageAxis(before, after);
    SideFigures first;
    SideFigures second;
    arenaFor(options.threads).execute([&] {
        tbb::parallel_invoke([&] { first = sideFigures(before, axis); }, [&] { second = sideFigures(after, axis); });
    });

    Comparison result;
    result.options = options;
    result.tracesBefore = first.size();
    result.tracesAfter = second.size();
    result.errorRateBefore = errorRate(first);
    result.errorRateAfter = errorRate(second);
    result.excludedBefore = before.population.excludedNoRoot + before.population.excludedOpen;
    result.excludedAfter = after.population.excludedNoRoot + after.population.excludedOpen;
    Comparability comparability = assessComparability(before, after, first, second);
    result.comparable = comparability.comparable;
    result.reasons = std::move(comparability.reasons);
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");

    setUnit(result, first, second);
    const SideReplicates firstReplicates = resampleSide(first, axis, options);
    const SideReplicates secondReplicates = resampleSide(second, axis, options);
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    result.e2e.push_back(meanRow(first, second, firstReplicates, secondReplicates, options));
    constexpr std::array<double, 3> shares{levels[0].p, levels[1].p, levels[2].p};
    const ClusterQuantiles drawn{resampleSideQuantiles(first, shares, options), resampleSideQuantiles(second, shares, options)};
    for (std::size_t level = 0; level < levels.size(); ++level)
        result.e2e.push_back(quantileRow(level, first, second, drawn, options));
    if (first.size() > 0 && second.size() > 0) {
        addParts({axis, first, second, firstReplicates, secondReplicates}, options, result);
        for (BandRow& band : result.bands) {
            nameExemplar(band.before, before.columns);
            nameExemplar(band.after, after.columns);
        }
    }
    result.unequalSpreads = brunnerMunzel(first.e2e, second.e2e);
    result.successes = successRows(first, second);
    if (result.mix)
        considerMix(result.bottleneck, result.stages, *result.mix);
    setVerdict(result, sameTraces(first, second), comparability.failsMore);
    return result;
}

} // namespace chokepoint
