// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Contributions are exact integers; intervals and ranks come from the same resamples of whole traces.
#include "core/analysis/comparestages.h"

#include "core/analysis/multiplicity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chokepoint {

namespace {

WideSum floorQuotient(WideSum numerator, WideSum denominator)
{
    return numerator / denominator - (numerator % denominator < 0 ? 1 : 0);
}

/// after / n' - before / n over the common denominator n n'.
WideSum crossDifference(WideSum before, std::size_t countBefore, WideSum after, std::size_t countAfter)
{
    return after * WideSum(countBefore) - before * WideSum(countAfter);
}

/// Whether the orientation has to be turned so that a difference and its negation are shared out alike.
bool pointsDown(const std::vector<WideSum>& numerators, std::int64_t total)
{
    if (total != 0)
        return total < 0;
    const auto first = std::find_if(numerators.begin(), numerators.end(), [](WideSum n) { return n != 0; });
    return first != numerators.end() && *first < 0;
}

Interval rankInterval(std::vector<unsigned>& ranks)
{
    if (ranks.empty())
        return {};
    std::sort(ranks.begin(), ranks.end());
    const double last = double(ranks.size() - 1);
    return {double(ranks[std::size_t(0.025 * last)]), double(ranks[std::size_t(std::ceil(0.975 * last))])};
}

/// 95 % of the rank of each top-level stage over the replicates.
std::vector<Interval> rankIntervals(const SideReplicates& replicates)
{
    std::vector<std::vector<unsigned>> ranks(replicates.tops);
    for (std::size_t r = 0; r < replicates.count(); ++r) {
        const auto row = replicates.byTop.begin() + std::ptrdiff_t(r * replicates.tops);
        const std::vector<unsigned> ofReplicate = ranksOf({row, row + std::ptrdiff_t(replicates.tops)});
        for (std::size_t t = 0; t < replicates.tops; ++t)
            ranks[t].push_back(ofReplicate[t]);
    }
    std::vector<Interval> intervals;
    for (std::vector<unsigned>& ofStage : ranks)
        intervals.push_back(rankInterval(ofStage));
    return intervals;
}

struct Difference {
    std::optional<Interval> interval;
    double p = 1; // two-sided, from the spread of the replicates
    double delta = 0;
    double spread = 0; // standard deviation of the replicates
};

template <typename At> Difference differenceOf(std::size_t replicates, double delta, bool enough, const At& at)
{
    if (!enough || replicates == 0)
        return {};
    std::vector<double> differences(replicates);
    double sum = 0;
    double squares = 0;
    for (std::size_t r = 0; r < replicates; ++r) {
        differences[r] = at(r);
        sum += differences[r] - delta;
        squares += (differences[r] - delta) * (differences[r] - delta);
    }
    const auto n = double(replicates);
    const double variance = std::max(0.0, squares / n - sum / n * (sum / n));
    Difference difference;
    difference.delta = delta;
    difference.spread = std::sqrt(variance);
    difference.p = variance > 0 ? std::erfc(std::abs(delta) / std::sqrt(2 * variance)) : delta == 0 ? 1 : 0;
    difference.interval = percentileInterval(differences);
    return difference;
}

/// In 95 % of the replicates no stage is farther from its difference than this many standard deviations; nothing without replicates.
template <typename At>
std::optional<double> largestDeviation(std::size_t replicates, const std::vector<Difference>& differences, const At& at)
{
    std::vector<double> largest(replicates);
    for (std::size_t t = 0; t < differences.size(); ++t)
        for (std::size_t r = 0; r < replicates && differences[t].spread > 0; ++r)
            largest[r] = std::max(largest[r], std::abs(at(r, t) - differences[t].delta) / differences[t].spread);
    if (largest.empty())
        return std::nullopt;
    std::sort(largest.begin(), largest.end());
    return largest[std::size_t(std::ceil(0.95 * double(largest.size() - 1)))];
}

/// Both sides and all that rows are made of.
struct StageComparer {
    const StageAxis& axis;
    const SideFigures& before;
    const SideFigures& after;
    const SideReplicates& beforeReplicates;
    const SideReplicates& afterReplicates;
    bool enough = false;

    [[nodiscard]] WideSum denominator() const { return WideSum(before.size()) * WideSum(after.size()); }

    [[nodiscard]] StageRow row(const std::string& name, const std::string& label, WideSum beforeSum, WideSum afterSum) const
    {
        const auto meanOf = [](WideSum sum, std::size_t n) {
            const auto twice = WideSum(n);
            return Duration(std::int64_t((2 * sum + twice) / (2 * twice))); // sums are never negative
        };
        StageRow made;
        made.stage = name;
        made.label = label;
        made.beforeMean = meanOf(beforeSum, before.size());
        made.afterMean = meanOf(afterSum, after.size());
        made.beforeShare = before.share(beforeSum);
        made.afterShare = after.share(afterSum);
        return made;
    }

    [[nodiscard]] double exactDelta(WideSum beforeSum, WideSum afterSum) const
    {
        return double(crossDifference(beforeSum, before.size(), afterSum, after.size())) / double(denominator());
    }

    /// Sub-stages of a top-level stage; with the stage's own time their contributions add up to the stage's.
    [[nodiscard]] std::vector<StageRow> substages(std::size_t top, Duration contribution) const
    {
        std::vector<std::size_t> columns;
        std::vector<WideSum> numerators;
        for (std::size_t c = 0; c < axis.columns.size(); ++c) {
            if (axis.topOfColumn[c] != top)
                continue;
            columns.push_back(c);
            numerators.push_back(crossDifference(before.columnSums[c], before.size(), after.columnSums[c], after.size()));
        }
        const std::vector<std::int64_t> shares = apportion(numerators, denominator(), toNs(contribution));
        std::vector<StageRow> rows;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const std::size_t c = columns[k];
            if (axis.columns[c] == axis.tops[top])
                continue;
            StageRow made = row(axis.columns[c], axis.columnLabels[c], before.columnSums[c], after.columnSums[c]);
            made.contribution = Duration(shares[k]);
            made.beforePresence = double(before.columnPresence[c]) / double(before.size());
            made.afterPresence = double(after.columnPresence[c]) / double(after.size());
            made.interval =
                differenceOf(beforeReplicates.count(), exactDelta(before.columnSums[c], after.columnSums[c]), enough, [&](std::size_t r) {
                    return afterReplicates.column(r, c) - beforeReplicates.column(r, c);
                }).interval;
            rows.push_back(std::move(made));
        }
        return rows;
    }

    /// Top-level stages in the order of the axis; their contributions add up to \a meanDelta.
    [[nodiscard]] std::vector<StageRow> tops(Duration meanDelta) const
    {
        std::vector<WideSum> numerators;
        for (std::size_t t = 0; t < axis.tops.size(); ++t)
            numerators.push_back(crossDifference(before.topSums[t], before.size(), after.topSums[t], after.size()));
        const std::vector<std::int64_t> contributions = apportion(numerators, denominator(), toNs(meanDelta));
        std::vector<StageRow> rows;
        for (std::size_t t = 0; t < axis.tops.size(); ++t) {
            StageRow made = row(axis.tops[t], axis.topLabels[t], before.topSums[t], after.topSums[t]);
            made.contribution = Duration(contributions[t]);
            made.beforePresence = double(before.topPresence[t]) / double(before.size());
            made.afterPresence = double(after.topPresence[t]) / double(after.size());
            made.substages = substages(t, made.contribution);
            rows.push_back(std::move(made));
        }
        return rows;
    }
};

/// \a rows: in the order of the axis, as below.
void setRanks(const StageComparer& comparer, std::vector<StageRow>& rows)
{
    std::vector<double> beforeShares;
    std::vector<double> afterShares;
    for (const StageRow& row : rows) {
        beforeShares.push_back(row.beforeShare);
        afterShares.push_back(row.afterShare);
    }
    const std::vector<unsigned> beforeRanks = ranksOf(beforeShares);
    const std::vector<unsigned> afterRanks = ranksOf(afterShares);
    const std::vector<Interval> beforeIntervals = rankIntervals(comparer.beforeReplicates);
    const std::vector<Interval> afterIntervals = rankIntervals(comparer.afterReplicates);
    for (std::size_t t = 0; t < rows.size(); ++t) {
        rows[t].beforeRank = beforeRanks[t];
        rows[t].afterRank = afterRanks[t];
        rows[t].beforeRankInterval = beforeIntervals[t];
        rows[t].afterRankInterval = afterIntervals[t];
    }
}

/// Intervals of each stage and of all together, and what survives the correction for their number.
void setCertainty(const StageComparer& comparer, const CompareOptions& options, std::vector<StageRow>& rows)
{
    const std::size_t replicates = comparer.beforeReplicates.count();
    const auto replicate = [&](std::size_t r, std::size_t t) {
        return comparer.afterReplicates.top(r, t) - comparer.beforeReplicates.top(r, t);
    };
    std::vector<Difference> differences;
    std::vector<double> p;
    for (std::size_t t = 0; t < rows.size(); ++t) {
        const double delta = comparer.exactDelta(comparer.before.topSums[t], comparer.after.topSums[t]);
        differences.push_back(differenceOf(replicates, delta, comparer.enough, [&](std::size_t r) { return replicate(r, t); }));
        p.push_back(differences[t].p);
        rows[t].interval = differences[t].interval;
    }
    const std::optional<double> reach = comparer.enough ? largestDeviation(replicates, differences, replicate) : std::nullopt;
    for (std::size_t t = 0; reach && t < rows.size(); ++t)
        rows[t].simultaneous =
            Interval{differences[t].delta - *reach * differences[t].spread, differences[t].delta + *reach * differences[t].spread};
    const std::vector<double> adjusted = holmAdjusted(p);
    const std::vector<double> explored = benjaminiHochbergAdjusted(p);
    const double meanBefore = double(comparer.before.e2eSum) / double(comparer.before.size());
    const double relevant = std::max(options.relevantShare * meanBefore, double(toNs(options.relevantTime)));
    for (std::size_t t = 0; t < rows.size(); ++t) {
        const bool isRelevant = std::abs(double(toNs(rows[t].contribution))) >= relevant;
        rows[t].p = adjusted[t];
        rows[t].q = explored[t];
        rows[t].significant = adjusted[t] < 0.05 && isRelevant && rows[t].interval && rows[t].interval->excludesZero();
    }
}

} // namespace

std::vector<std::int64_t> apportion(const std::vector<WideSum>& numerators, WideSum denominator, std::int64_t total)
{
    const WideSum sign = pointsDown(numerators, total) ? -1 : 1;
    std::vector<WideSum> shares;
    std::vector<std::size_t> order(numerators.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    WideSum left = sign * total;
    for (const WideSum numerator : numerators) {
        shares.push_back(floorQuotient(sign * numerator, denominator));
        left -= shares.back();
    }
    const auto remainder = [&](std::size_t i) { return sign * numerators[i] - shares[i] * denominator; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b); });
    // Rounded means may ask for a little more or less than the remainders hold; go round until all is shared out.
    for (std::size_t k = 0; left > 0 && !order.empty(); ++k, --left)
        ++shares[order[k % order.size()]];
    for (std::size_t k = 0; left < 0 && !order.empty(); ++k, ++left)
        --shares[order[order.size() - 1 - k % order.size()]];
    std::vector<std::int64_t> result;
    for (const WideSum share : shares)
        result.push_back(std::int64_t(sign * share));
    return result;
}

std::vector<unsigned> ranksOf(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    std::vector<unsigned> ranks(values.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        ranks[order[k]] = unsigned(k + 1);
    return ranks;
}

std::vector<StageRow> compareStages(const StageAxis& axis, const SideFigures& before, const SideFigures& after,
    const SideReplicates& beforeReplicates, const SideReplicates& afterReplicates, Duration meanDelta, const CompareOptions& options)
{
    const StageComparer comparer{axis, before, after, beforeReplicates, afterReplicates, isEnoughForMean(before) && isEnoughForMean(after)};
    std::vector<StageRow> rows = comparer.tops(meanDelta);
    setRanks(comparer, rows);
    setCertainty(comparer, options, rows);
    std::stable_sort(rows.begin(), rows.end(), [](const StageRow& a, const StageRow& b) {
        return a.beforeMean + a.afterMean > b.beforeMean + b.afterMean; // equal ones stay in the order of their names
    });
    return rows;
}

} // namespace chokepoint
