// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Critical paths of many ordinary traces and of extreme ones. CHOKEPOINT_BENCH_REQUESTS sets the number of traces (default 50,000).
#include "tests/bench/ratios.h"
#include "tests/bench/workload.h"

#include "core/analysis/pathfinder.h"
#include "core/analysis/population.h"
#include "tests/testkit/randomtrace.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint::bench {
namespace {

constexpr std::uint32_t extremeSpans = 1'000'000;

struct WalkStep {
    std::uint32_t span;
    Timestamp until;
};

/// The textbook walk and nothing else: from the end of a span backwards to the child that ended last, then on from that
/// child's start. The sum of what each span on the path owns itself, which is the root's duration.
Duration bareWalk(const TraceView& trace, std::vector<WalkStep>& open, std::vector<std::uint32_t>& children)
{
    Duration owned{};
    open.assign(1, {0, trace.end[0]});
    while (!open.empty()) {
        const auto [span, until] = open.back();
        open.pop_back();
        children.clear();
        for (std::uint32_t child = span + 1; child < span + trace.subtreeSize[span]; child += trace.subtreeSize[child])
            children.push_back(child);
        std::ranges::sort(children, std::ranges::greater(), [&](std::uint32_t child) { return trace.end[child]; });
        Timestamp cursor = until;
        for (const std::uint32_t child : children) {
            if (trace.start[child] >= cursor || trace.end[child] <= trace.start[span])
                continue;
            const Timestamp end = std::min(trace.end[child], cursor);
            owned += cursor - end;
            open.push_back({child, end});
            cursor = std::max(trace.start[child], trace.start[span]);
        }
        owned += cursor - trace.start[span];
    }
    return owned;
}

void walkAll(benchmark::State& state, const TraceColumns& columns)
{
    std::vector<WalkStep> open;
    std::vector<std::uint32_t> children;
    for (auto _ : state) {
        bool covers = true;
        for (std::size_t i = 0; i < columns.traceCount(); ++i) {
            const TraceView trace = columns.trace(i);
            covers = covers && bareWalk(trace, open, children) == trace.duration(0);
        }
        if (!covers)
            state.SkipWithError("a walk does not cover its trace");
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(columns.spanCount()));
}

void pathAll(benchmark::State& state, const TraceColumns& columns)
{
    const std::vector<Duration> jitter = startJitter(columns);
    PathOptions options;
    options.startJitter = jitter;
    PathFinder finder;
    CriticalPath path;
    for (auto _ : state) {
        Duration sum{};
        for (std::size_t i = 0; i < columns.traceCount(); ++i) {
            finder.find(columns.trace(i), *columns.dictionary, options, path);
            sum += path.length;
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(columns.spanCount()));
}

void population(benchmark::State& state, const WorkloadColumns& workload, unsigned threads)
{
    const std::vector<Duration> jitter = startJitter(workload.columns);
    PathOptions options;
    options.startJitter = jitter;
    for (auto _ : state) {
        const Result<Population> result = analysePopulation(workload.columns, workload.stages, options, threads, JobControl());
        if (!result || result->included.size() != workload.columns.traceCount())
            state.SkipWithError("traces are missing");
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(workload.columns.spanCount()));
}

int run(int argc, char** argv)
{
    const std::uint64_t requests = sizeFromEnvironment("CHOKEPOINT_BENCH_REQUESTS", 50'000);
    const WorkloadColumns workload = workloadColumns(1, requests, Variant::Before);
    const TraceColumns chain = testkit::chainTrace(extremeSpans);
    const TraceColumns wide = testkit::wideTrace(extremeSpans);
    const auto add = [](const char* name, auto&& body) {
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
    };
    add("walk/requests", [&](benchmark::State& state) { walkAll(state, workload.columns); });
    add("path/requests", [&](benchmark::State& state) { pathAll(state, workload.columns); });
    add("population/1-thread", [&](benchmark::State& state) { population(state, workload, 1); });
    add("population/2-threads", [&](benchmark::State& state) { population(state, workload, 2); });
    add("path/chain-1M", [&](benchmark::State& state) { pathAll(state, chain); });
    add("path/wide-1M", [&](benchmark::State& state) { pathAll(state, wide); });
    return runBenchmarks(argc, argv,
        {{"critical path with every rule / bare walk", "path/requests", "walk/requests", 5},
            {"whole population / bare walk", "population/1-thread", "walk/requests"},
            {"population: 1 thread / 2 threads", "population/1-thread", "population/2-threads", 1.7, Ratio::Sense::AtLeast},
            {"one chain of 1M spans / requests of 20 spans", "path/chain-1M", "path/requests"},
            {"one root with 1M children / requests of 20 spans", "path/wide-1M", "path/requests"}});
}

} // namespace
} // namespace chokepoint::bench

int main(int argc, char** argv)
{
    return chokepoint::bench::run(argc, argv);
}
