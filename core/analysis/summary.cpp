// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/summary.h"

#include "core/analysis/statistics.h"

#include <algorithm>
#include <set>

namespace chokepoint {

namespace {

void countSpans(const TraceColumns& columns, PopulationSummary& summary)
{
    summary.traces = columns.traceCount();
    summary.spans = columns.spanCount();
    for (std::size_t i = 0; i < columns.spanCount(); ++i) {
        const SpanFlags flags = columns.spans.flags[i];
        summary.errorSpans += flags.isError() ? 1 : 0;
        summary.orphanSpans += flags.has(SpanFlags::Orphan) ? 1 : 0;
        summary.rootSpans += columns.parent[i] < 0 && !flags.has(SpanFlags::Orphan) ? 1 : 0;
    }
}

void findServices(const TraceColumns& columns, PopulationSummary& summary)
{
    std::vector<bool> used(columns.dictionary->resourceCount());
    for (const ResourceId resource : columns.spans.resource)
        used[toIndex(resource)] = true;
    std::set<std::string> names;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (const std::string_view name = columns.dictionary->text(columns.dictionary->service(ResourceId(i))); used[i] && !name.empty())
            names.emplace(name);
    summary.services.assign(names.begin(), names.end());
}

void findExtent(const TraceColumns& columns, PopulationSummary& summary)
{
    for (std::size_t t = 0; t < columns.traceCount(); ++t) {
        const TimeRange extent = traceExtent(columns.trace(t));
        if (extent == TimeRange{})
            continue;
        if (!isKnown(summary.extent.begin) || extent.begin < summary.extent.begin)
            summary.extent.begin = extent.begin;
        if (!isKnown(summary.extent.end) || extent.end > summary.extent.end)
            summary.extent.end = extent.end;
    }
}

/// Fills in what is computed from \a times, the stage's time on the path of each included trace.
void setTimes(StageFigures& figures, std::vector<Duration> times, Duration total)
{
    for (const Duration time : times)
        figures.critical += time;
    figures.share = total > Duration{0} ? double(toNs(figures.critical)) / double(toNs(total)) : 0;
    if (times.empty())
        return;
    const auto middle = times.begin() + std::ptrdiff_t(quantilePosition(0.50, times.size()).lower);
    std::nth_element(times.begin(), middle, times.end());
    std::sort(middle, times.end()); // nobody asks for less than the median
    figures.p50 = quantile(times, 0.50);
    figures.p95 = quantile(times, 0.95);
    figures.p99 = quantile(times, 0.99);
}

void sortByTime(std::vector<StageFigures>& stages)
{
    std::sort(stages.begin(), stages.end(), [](const StageFigures& a, const StageFigures& b) {
        return a.critical != b.critical ? a.critical > b.critical : a.stage < b.stage;
    });
}

std::vector<StageFigures> stageFigures(const Population& population)
{
    const StageTable& table = *population.table;
    const std::size_t width = population.stageCount;
    const std::size_t n = population.included.size();
    Duration total{0};
    for (const std::uint32_t trace : population.included)
        total += population.traces[trace].e2e;

    std::vector<StageFigures> all(width);
    std::vector<std::vector<Duration>> topTimes(width);
    for (std::size_t s = 0; s < width; ++s) {
        const auto id = StageId(s);
        const std::size_t top = toIndex(table.topLevel(id));
        std::vector<Duration> own(n);
        topTimes[top].resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            own[k] = population.onPath[population.included[k] * width + s];
            topTimes[top][k] += own[k];
        }
        all[s] = StageFigures{id, table.name(id), table.label(id), population.spanCount[s], {}, population.selfTime[s]};
        if (top != s)
            setTimes(all[s], std::move(own), total);
    }
    std::vector<StageFigures> result;
    for (std::size_t s = 0; s < width; ++s) {
        const std::size_t top = toIndex(table.topLevel(StageId(s)));
        if (top == s)
            continue;
        all[top].spans += all[s].spans;
        all[top].self += all[s].self;
        if (all[s].spans > 0 || all[s].critical > Duration{0})
            all[top].substages.push_back(all[s]);
    }
    for (std::size_t s = 0; s < width; ++s) {
        if (toIndex(table.topLevel(StageId(s))) != s)
            continue;
        setTimes(all[s], std::move(topTimes[s]), total);
        sortByTime(all[s].substages);
        if (all[s].spans > 0 || all[s].critical > Duration{0})
            result.push_back(std::move(all[s]));
    }
    sortByTime(result);
    return result;
}

} // namespace

E2eFigures e2eFigures(std::vector<Duration> times)
{
    std::sort(times.begin(), times.end());
    E2eFigures figures;
    figures.n = times.size();
    if (times.empty())
        return figures;
    figures.mean = mean(times);
    figures.min = times.front();
    figures.p50 = quantile(times, 0.50);
    figures.p95 = quantile(times, 0.95);
    figures.p99 = quantile(times, 0.99);
    figures.max = times.back();
    return figures;
}

PopulationSummary summarise(const TraceColumns& columns, const Population& population)
{
    PopulationSummary summary;
    countSpans(columns, summary);
    findServices(columns, summary);
    findExtent(columns, summary);
    summary.e2e = e2eFigures(population.e2e());
    summary.stages = stageFigures(population);
    summary.excludedNoRoot = population.excludedNoRoot;
    summary.excludedOpen = population.excludedOpen;
    summary.excludedOffline = population.excludedOffline;
    return summary;
}

} // namespace chokepoint
