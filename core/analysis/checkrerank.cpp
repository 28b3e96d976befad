// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a rerank stage saves more time in retries than it takes (algorithms.md 6, E2).
#include "core/analysis/bootstrap.h"
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"
#include "core/analysis/proportions.h"

#include <algorithm>

namespace chokepoint::checks {

namespace {

constexpr std::size_t fewestRequests = 30; // a side
constexpr unsigned replicates = 2000;

enum Column : std::size_t { Wasted, Reranking, ColumnCount };

/// A row a request: time wasted in retries, time of reranking on the path.
TraceTable tableOf(const CheckSide& side)
{
    const StageId rerank = side.stages.table->find("rerank");
    TraceTable table;
    table.columns = ColumnCount;
    for (const std::uint32_t trace : side.population.included) {
        const Duration wasted = side.retries.traces[trace].wasted;
        table.values.push_back(isKnown(wasted) ? toNs(wasted) : 0);
        table.values.push_back(rerank == StageTable::noStage ? 0 : toNs(side.population.onPathOf(trace, rerank)));
        ++table.rows;
    }
    return table;
}

double columnMean(const TraceTable& table, Column column)
{
    double sum = 0;
    for (std::size_t row = 0; row < table.rows; ++row)
        sum += double(table.at(row, column));
    return table.rows == 0 ? 0 : sum / double(table.rows);
}

double payoff(double wastedBefore, double wasted, double reranking)
{
    return (wastedBefore - wasted) / reranking;
}

Interval payoffInterval(const TraceTable& before, const TraceTable& after, std::uint64_t seed)
{
    const ReplicateMeans meansBefore = resampleMeans(before, seed, replicates, 0);
    const ReplicateMeans means = resampleMeans(after, seed + 1, replicates, 0);
    std::vector<double> payoffs;
    for (unsigned r = 0; r < replicates; ++r)
        if (means.at(r, Reranking) > 0)
            payoffs.push_back(payoff(meansBefore.at(r, Wasted), means.at(r, Wasted), means.at(r, Reranking)));
    return percentileInterval(payoffs);
}

/// Retries may pay in the tail and cost in the median: all three are shown.
void addEndToEnd(const Sides& sides, Draft& draft)
{
    const auto sorted = [](const CheckSide& side) {
        std::vector<Duration> all = side.population.e2e();
        std::sort(all.begin(), all.end());
        return all;
    };
    const std::vector<Duration> before = sorted(*sides.before);
    const std::vector<Duration> after = sorted(sides.after);
    draft.time("mean_change", mean(after) - mean(before));
    draft.time("p50_change", quantile(after, 0.5) - quantile(before, 0.5));
    if (std::min(before.size(), after.size()) >= minimumForValue(0.95))
        draft.time("p95_change", quantile(after, 0.95) - quantile(before, 0.95));
}

/// Requests with the most time of reranking first.
void addTraces(const CheckSide& side, const TraceTable& table, Draft& draft)
{
    std::vector<std::pair<std::int64_t, std::uint32_t>> byTime;
    for (std::size_t row = 0; row < table.rows; ++row)
        byTime.emplace_back(-table.at(row, Reranking), side.population.included[row]);
    const auto end = byTime.begin() + std::ptrdiff_t(std::min(mostTraces, byTime.size()));
    std::partial_sort(byTime.begin(), end, byTime.end());
    for (auto each = byTime.begin(); each != end; ++each)
        draft.trace(each->second);
}

} // namespace

void rerankPayoff(const Sides& sides, Draft& draft)
{
    const TraceTable after = tableOf(sides.after);
    const double reranking = columnMean(after, Reranking);
    if (reranking <= 0)
        return draft.conclude(CheckStatus::NotApplicable, "No request reranks documents on its critical path.");
    draft.count("requests", after.rows);
    draft.time("rerank_time", toDuration(reranking));
    draft.time("retry_time", toDuration(columnMean(after, Wasted)));
    addTraces(sides.after, after, draft);
    if (sides.before == nullptr)
        return draft.missing("Reranking takes {rerank_time} a request; one deployment alone does not tell which retries it removed.",
            {"BEFORE (--against), without reranking"});
    const TraceTable before = tableOf(*sides.before);
    const double rerankingBefore = columnMean(before, Reranking);
    draft.count("requests_before", before.rows);
    draft.time("retry_time_before", toDuration(columnMean(before, Wasted)));
    if (rerankingBefore > 0) {
        draft.time("rerank_time_before", toDuration(rerankingBefore));
        return draft.conclude(CheckStatus::NotApplicable, "Both deployments rerank: nothing was added that could pay.");
    }
    if (std::min(before.rows, after.rows) < fewestRequests) {
        draft.count("requests_needed", fewestRequests);
        return draft.missing(
            "Not enough data: {requests_before} requests before and {requests} after, {requests_needed} a side are needed.",
            {"more requests"});
    }
    const double value = payoff(columnMean(before, Wasted), columnMean(after, Wasted), reranking);
    const Interval interval = payoffInterval(before, after, sides.seed);
    draft.ratio("payoff", value, interval);
    draft.ratio("payoff_limit", payoffLimit);
    draft.time("retry_time_removed", toDuration(columnMean(before, Wasted) - columnMean(after, Wasted)));
    addEndToEnd(sides, draft);
    draft.measure(value);
    if (interval.high < payoffLimit)
        return draft.conclude(CheckStatus::Suspect,
            "Reranking takes {rerank_time} a request and removes {retry_time_removed} of retries: it costs more time than it saves.");
    if (interval.low >= payoffLimit)
        return draft.conclude(
            CheckStatus::Ok, "Reranking takes {rerank_time} a request and removes {retry_time_removed} of retries: it pays.");
    draft.missing("Not enough data: reranking takes {rerank_time} a request and removes {retry_time_removed} of retries, but the interval "
                  "does not tell which is more.",
        {"more requests"});
}

} // namespace chokepoint::checks
