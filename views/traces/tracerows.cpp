// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the trace list.
#include "views/traces/tracerows.h"

#include "core/base/starttext.h"
#include "views/charts/stageorder.h"

#include <algorithm>

namespace chokepoint {

namespace {

void addRows(const Dataset& dataset, Side side, std::vector<TraceListRow>& rows)
{
    std::vector<Duration> sorted = dataset.population.e2e();
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < dataset.columns.traceCount(); ++i) {
        const TraceFigures& figures = dataset.population.traces[i];
        const TraceView view = dataset.columns.trace(i);
        TraceListRow row;
        row.ref = {side, i};
        row.e2e = figures.e2e;
        row.spans = view.size();
        row.errors = figures.errors;
        row.complete = figures.complete;
        row.start = earliestStart(view.start);
        if (figures.root >= 0) {
            const auto root = std::size_t(figures.root);
            row.name = dataset.columns.dictionary->text(view.name[root]);
            row.service = dataset.columns.dictionary->text(dataset.columns.dictionary->service(view.resource[root]));
        }
        if (figures.complete && !sorted.empty())
            row.rank = double(std::lower_bound(sorted.begin(), sorted.end(), figures.e2e) - sorted.begin()) / double(sorted.size());
        rows.push_back(row);
    }
}

std::vector<StageId> topLevelStages(const StageTable& table)
{
    std::vector<StageId> stages;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.topLevel(StageId(i)) == StageId(i))
            stages.push_back(StageId(i));
    }
    std::sort(stages.begin(), stages.end(), [&table](StageId a, StageId b) { return pipelineLess(table.name(a), table.name(b)); });
    return stages;
}

} // namespace

std::string TraceRows::traceId(std::size_t row) const
{
    return dataset(rows[row]).columns.traceIdName(rows[row].ref.index);
}

std::vector<StripPart> TraceRows::strip(std::size_t row) const
{
    std::vector<StripPart> parts;
    const TraceListRow& trace = rows[row];
    if (!isKnown(trace.e2e) || trace.e2e <= Duration{0})
        return parts;
    const Population& population = dataset(trace).population;
    const auto whole = double(toNs(trace.e2e));
    Duration before{0};
    for (const StageId stage : stages[std::size_t(trace.ref.side)]) {
        const Duration time = population.onPathOf(trace.ref.index, stage);
        if (time > Duration{0})
            parts.push_back({population.table->name(stage), double(toNs(before)) / whole, double(toNs(before + time)) / whole});
        before += time;
    }
    return parts;
}

double TraceRows::share(std::size_t row, std::string_view stage) const
{
    const TraceListRow& trace = rows[row];
    if (!isKnown(trace.e2e) || trace.e2e <= Duration{0})
        return -1;
    const Population& population = dataset(trace).population;
    const StageId id = population.table->find(stage);
    return id == StageTable::noStage ? 0 : double(toNs(population.onPathOf(trace.ref.index, id))) / double(toNs(trace.e2e));
}

double TraceRows::largestShare(std::size_t row) const
{
    const TraceListRow& trace = rows[row];
    if (!isKnown(trace.e2e) || trace.e2e <= Duration{0})
        return -1;
    const Population& population = dataset(trace).population;
    Duration largest{0};
    for (const StageId stage : stages[std::size_t(trace.ref.side)])
        largest = std::max(largest, population.onPathOf(trace.ref.index, stage));
    return largest > Duration{0} ? double(toNs(largest)) / double(toNs(trace.e2e)) : -1;
}

std::size_t TraceRows::count(Side side) const
{
    const ViewState::DatasetPtr& dataset = datasets[std::size_t(side)];
    return dataset ? dataset->columns.traceCount() : 0;
}

std::shared_ptr<const TraceRows> makeTraceRows(const ViewState::DatasetPtr& before, const ViewState::DatasetPtr& after)
{
    auto result = std::make_shared<TraceRows>();
    result->datasets = {before, after};
    for (const Side side : {Side::Before, Side::After}) {
        const ViewState::DatasetPtr& dataset = result->datasets[std::size_t(side)];
        if (!dataset)
            continue;
        addRows(*dataset, side, result->rows);
        result->stages[std::size_t(side)] = topLevelStages(*dataset->stages.table);
        result->begin[std::size_t(side)] = beginWithoutDate(dataset->columns.spans.start);
    }
    return result;
}

} // namespace chokepoint
