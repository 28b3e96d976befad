// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Filter and order of the trace list.
#include "views/traces/tracequery.h"

#include "core/analysis/tracefilter.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace chokepoint {

namespace {

bool isInBand(const Band& band, double rank)
{
    return band.isWhole() || (rank >= band.low && (rank < band.high || (band.high >= 1 && rank >= 0)));
}

bool isInRange(const TraceScope& scope, Duration e2e)
{
    if (!scope.from && !scope.below)
        return true;
    return isKnown(e2e) && (!scope.from || e2e >= *scope.from) && (!scope.below || e2e < *scope.below);
}

/// All that the scope says but the expression and the range of durations.
bool passesClicks(const TraceRows& rows, std::size_t index, const TraceScope& scope, const std::string& stage)
{
    const TraceListRow& row = rows.rows[index];
    return (!scope.side || row.ref.side == *scope.side) && (!scope.errorsOnly || row.errors > 0) && (!scope.incompleteOnly || !row.complete)
        && isInBand(scope.band, row.rank) && (stage.empty() || rows.share(index, stage) > 0);
}

/// By row, from the indices that the expression lets pass on each side.
std::vector<bool> passingExpression(const TraceRows& rows, const TraceFilter& filter)
{
    std::vector<bool> passing(rows.rows.size(), filter.isEmpty());
    std::size_t first = 0;
    for (const ViewState::DatasetPtr& dataset : rows.datasets) {
        if (!dataset || filter.isEmpty())
            continue;
        for (const std::uint32_t trace : filter.apply(dataset->columns, dataset->population))
            passing[first + trace] = true;
        first += dataset->columns.traceCount();
    }
    return passing;
}

std::vector<ClauseCount> clauseCounts(const TraceRows& rows, const TraceFilter& filter, const TraceScope& scope)
{
    std::vector<ClauseCount> counts;
    for (const std::string& text : filter.clauses()) {
        const Result<TraceFilter> clause = TraceFilter::parse(text);
        if (!clause)
            continue;
        const std::vector<bool> passing = passingExpression(rows, *clause);
        counts.push_back({text, std::size_t(std::count(passing.begin(), passing.end(), true))});
    }
    TraceScope clicks = scope;
    clicks.text.clear();
    if (!clicks.isEmpty())
        counts.push_back({std::string(), countTraces(rows, clicks)});
    return counts;
}

/// \a value(row) gives an optional that is compared; rows without a value come last.
template <typename Value> void sortBy(std::vector<std::uint32_t>& order, bool descending, Value&& value)
{
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto left = value(a);
        const auto right = value(b);
        if (!left || !right)
            return left.has_value() && !right.has_value();
        return descending ? *right < *left : *left < *right;
    });
}

std::vector<double> shareKeys(const TraceRows& rows, const std::vector<std::uint32_t>& order, const std::string& stage)
{
    std::vector<double> keys(rows.rows.size(), -1);
    for (const std::uint32_t row : order)
        keys[row] = stage.empty() ? rows.largestShare(row) : rows.share(row, stage);
    return keys;
}

} // namespace

void sortTraces(const TraceRows& rows, std::vector<std::uint32_t>& order, const TraceSort& sort)
{
    const auto by = [&](auto value) { sortBy(order, sort.descending, value); };
    const auto row = [&rows](std::uint32_t index) -> const TraceListRow& { return rows.rows[index]; };
    const auto known = [](auto value, bool isKnownValue) { return isKnownValue ? std::optional(value) : std::nullopt; };
    switch (sort.column) {
    case TraceColumn::Side: by([&](std::uint32_t i) { return std::optional(row(i).ref.side); }); break;
    case TraceColumn::Start: by([&](std::uint32_t i) { return known(row(i).start, isKnown(row(i).start)); }); break;
    case TraceColumn::E2e: by([&](std::uint32_t i) { return known(row(i).e2e, isKnown(row(i).e2e)); }); break;
    case TraceColumn::Rank: by([&](std::uint32_t i) { return known(row(i).rank, row(i).rank >= 0); }); break;
    case TraceColumn::Spans: by([&](std::uint32_t i) { return std::optional(row(i).spans); }); break;
    case TraceColumn::Errors: by([&](std::uint32_t i) { return std::optional(row(i).errors); }); break;
    case TraceColumn::Name: by([&](std::uint32_t i) { return known(row(i).name, !row(i).name.empty()); }); break;
    case TraceColumn::Service: by([&](std::uint32_t i) { return known(row(i).service, !row(i).service.empty()); }); break;
    case TraceColumn::TraceId: {
        std::vector<std::string> ids(rows.rows.size());
        for (const std::uint32_t i : order)
            ids[i] = rows.traceId(i);
        by([&](std::uint32_t i) { return std::optional(std::string_view(ids[i])); });
        break;
    }
    case TraceColumn::Shares: {
        const std::vector<double> keys = shareKeys(rows, order, sort.stage);
        by([&](std::uint32_t i) { return known(keys[i], keys[i] >= 0); });
        break;
    }
    case TraceColumn::Count_: break;
    }
}

std::size_t countTraces(const TraceRows& rows, const TraceScope& scope)
{
    const std::string stage = scope.stage.toStdString();
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows.rows.size(); ++i)
        count += passesClicks(rows, i, scope, stage) && isInRange(scope, rows.rows[i].e2e) ? 1 : 0;
    return count;
}

Result<TraceQueryResult> queryTraces(const TraceRows& rows, const TraceScope& scope, const TraceSort& sort, const JobControl& job)
{
    Result<TraceFilter> filter = TraceFilter::parse(scope.text.toStdString());
    if (!filter)
        return fail(std::move(filter).error());
    const std::vector<bool> passing = passingExpression(rows, *filter);
    const std::string stage = scope.stage.toStdString();
    TraceQueryResult result;
    for (std::uint32_t i = 0; i < rows.rows.size(); ++i) {
        if (!passing[i] || !passesClicks(rows, i, scope, stage))
            continue;
        result.unbrushed.push_back(i);
        if (isInRange(scope, rows.rows[i].e2e))
            result.rows.push_back(i);
    }
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "stopped");
    if (result.rows.empty())
        result.clauses = clauseCounts(rows, *filter, scope);
    sortTraces(rows, result.rows, sort);
    return result;
}

} // namespace chokepoint
