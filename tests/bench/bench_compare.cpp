// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of two deployments and its statistics. CHOKEPOINT_BENCH_REQUESTS sets the traces a side (default 50,000).
#include "tests/bench/ratios.h"
#include "tests/bench/workload.h"

#include "core/analysis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>

namespace chokepoint::bench {
namespace {

constexpr unsigned naiveReplicates = 100;

struct Side {
    WorkloadColumns workload;
    Population population;
    std::vector<Duration> sorted; // end-to-end times

    [[nodiscard]] ComparisonSide view(const char* label) const { return {workload.columns, workload.stages, population, label}; }
};

Result<Side> makeSide(std::uint64_t seed, std::uint64_t requests, Variant variant)
{
    Side side{workloadColumns(seed, requests, variant), {}, {}};
    Result<Population> population = analysePopulation(side.workload.columns, side.workload.stages, {}, 0, JobControl());
    if (!population)
        return fail(population.error());
    side.population = std::move(*population);
    side.sorted = side.population.e2e();
    std::ranges::sort(side.sorted);
    return side;
}

void compareSides(benchmark::State& state, const Side& before, const Side& after)
{
    for (auto _ : state) {
        const Result<Comparison> comparison = compare(before.view("before"), after.view("after"), {}, JobControl());
        if (!comparison)
            state.SkipWithError(comparison.error().message().c_str());
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(before.sorted.size() + after.sorted.size()));
}

void sortSides(benchmark::State& state, const Side& before, const Side& after)
{
    for (auto _ : state) {
        for (const Side* side : {&before, &after}) {
            std::vector<Duration> values = side->population.e2e();
            std::ranges::sort(values);
            benchmark::DoNotOptimize(values.data());
        }
    }
}

void exactInterval(benchmark::State& state, const Side& before, const Side& after)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(quantileDifferenceInterval(before.sorted, after.sorted, 0.95, 1, naiveReplicates));
}

/// What the order-statistic method replaces: draw every resample and select its quantile.
void naiveInterval(benchmark::State& state, const Side& before, const Side& after)
{
    std::mt19937_64 random(1);
    std::vector<Duration> resample;
    std::vector<Duration> differences;
    const auto quantileOfResample = [&](const std::vector<Duration>& values) {
        resample.clear();
        for (std::size_t i = 0; i < values.size(); ++i)
            resample.push_back(values[random() % values.size()]);
        const auto place = resample.begin() + std::ptrdiff_t(values.size() * 95 / 100);
        std::ranges::nth_element(resample, place);
        return *place;
    };
    for (auto _ : state) {
        differences.clear();
        for (unsigned i = 0; i < naiveReplicates; ++i)
            differences.push_back(quantileOfResample(after.sorted) - quantileOfResample(before.sorted));
        std::ranges::sort(differences);
        benchmark::DoNotOptimize(differences.data());
    }
}

int run(int argc, char** argv)
{
    const std::uint64_t requests = sizeFromEnvironment("CHOKEPOINT_BENCH_REQUESTS", 50'000);
    const Result<Side> before = makeSide(1, requests, Variant::Before);
    const Result<Side> after = makeSide(2, requests, Variant::After);
    if (!before || !after) {
        std::fputs("bench_compare: the workload could not be analysed\n", stderr);
        return 1;
    }
    const auto add = [](const char* name, auto&& body) {
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
    };
    add("sort/end-to-end", [&](benchmark::State& state) { sortSides(state, *before, *after); });
    add("compare", [&](benchmark::State& state) { compareSides(state, *before, *after); });
    add("interval/order-statistics", [&](benchmark::State& state) { exactInterval(state, *before, *after); });
    add("interval/naive-bootstrap", [&](benchmark::State& state) { naiveInterval(state, *before, *after); });
    return runBenchmarks(argc, argv,
        {{"whole comparison / sorting both sides once", "compare", "sort/end-to-end", 50},
            {fmt::format("P95 interval, {} replicates: naive bootstrap / order statistics", naiveReplicates), "interval/naive-bootstrap",
                "interval/order-statistics", 100, Ratio::Sense::AtLeast}});
}

} // namespace
} // namespace chokepoint::bench

int main(int argc, char** argv)
{
    return chokepoint::bench::run(argc, argv);
}
