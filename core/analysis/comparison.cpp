// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a comparison together: end-to-end figures, stages, bottleneck, comparability, verdict.
#include "core/analysis/comparison.h"

#include "core/analysis/comparability.h"
#include "core/analysis/comparestages.h"
#include "core/analysis/mixshift.h"
#include "core/analysis/noisefloor.h"
#include "core/analysis/quantilesplit.h"
#include "core/analysis/verdict.h"

#include <fmt/format.h>

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

void setShortfall(E2eRow& row, std::size_t needed, std::size_t fewest)
{
    if (fewest < needed)
        row.shortfall = fmt::format("needs {} traces a side, have {}", needed, fewest);
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
    const std::size_t fewest = std::min(before.size(), after.size());
    setShortfall(row, minimumForMean, fewest);
    if (before.size() >= minimumForMean)
        row.beforeInterval = meanInterval(beforeReplicates);
    if (after.size() >= minimumForMean)
        row.afterInterval = meanInterval(afterReplicates);
    if (fewest < minimumForMean || beforeReplicates.count() == 0)
        return row;
    std::vector<double> differences(beforeReplicates.count());
    for (std::size_t r = 0; r < differences.size(); ++r)
        differences[r] = afterReplicates.e2e(r) - beforeReplicates.e2e(r);
    judge(row, std::move(differences), options);
    return row;
}

E2eRow quantileRow(const Level& level, const SideFigures& before, const SideFigures& after, const CompareOptions& options)
{
    E2eRow row;
    row.statistic = level.statistic;
    const auto valueOf = [&](const SideFigures& side) {
        return side.size() >= minimumForValue(level.p) ? quantile(side.e2e, level.p) : unknownDuration;
    };
    row.before = valueOf(before);
    row.after = valueOf(after);
    row.beforeInterval = quantileInterval(before.e2e, level.p);
    row.afterInterval = quantileInterval(after.e2e, level.p);
    setDelta(row);
    const std::size_t fewest = std::min(before.size(), after.size());
    setShortfall(row, minimumForInterval(level.p), fewest);
    if (fewest < minimumForInterval(level.p) || options.replicates == 0)
        return row;
    const std::uint64_t seed = options.seed + std::uint64_t(level.statistic) * 0x9e3779b97f4a7c15ULL;
    judge(row, quantileDifferences(before.e2e, after.e2e, level.p, seed, options.replicates), options);
    return row;
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

double errorRate(const SideFigures& side)
{
    return side.size() == 0 ? 0 : double(side.errorRoots) / double(side.size());
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
    const SideFigures first = sideFigures(before, axis);
    const SideFigures second = sideFigures(after, axis);

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

    const SideReplicates firstReplicates = resampleSide(first, axis, options);
    const SideReplicates secondReplicates = resampleSide(second, axis, options);
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    result.e2e.push_back(meanRow(first, second, firstReplicates, secondReplicates, options));
    for (const Level& level : levels)
        result.e2e.push_back(quantileRow(level, first, second, options));
    if (first.size() > 0 && second.size() > 0) {
        result.stages = compareStages(axis, first, second, firstReplicates, secondReplicates, result.e2e.front().delta, options);
        result.bottleneck = compareBottlenecks(axis, first, second, firstReplicates, secondReplicates, result.stages);
        result.test = WholeTest{rankTest(first.e2e, second.e2e), hodgesLehmannShift(first.e2e, second.e2e)};
        result.quantiles = splitQuantiles(axis, first, second);
        result.bands = compareBands(axis, first, second);
        for (BandRow& band : result.bands) {
            nameExemplar(band.before, before.columns);
            nameExemplar(band.after, after.columns);
        }
        result.mix = splitMix(axis, first, second);
        const std::array<Duration, 4> noise = noiseFloor(first.e2e, mix64(options.seed) ^ first.contentHash);
        for (std::size_t k = 0; k < noise.size(); ++k)
            result.e2e[k].noise = noise[k];
    }
    setVerdict(result, sameTraces(first, second), comparability.failsMore);
    return result;
}

} // namespace chokepoint
