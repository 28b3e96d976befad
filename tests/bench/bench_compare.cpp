// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of two deployments after loading: all that the command line's compare prints, and its statistics alone.
// CHOKEPOINT_BENCH_REQUESTS sets the traces a side (default 50,000).
#include "tests/bench/otlpbatch.h"
#include "tests/bench/ratios.h"

#include "core/pipeline/explain.h"
#include "core/report/comparisonreport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

namespace chokepoint::bench {
namespace {

constexpr unsigned naiveReplicates = 100;

constexpr std::uint64_t requestsPerFile = 5000;
constexpr std::uint64_t requestsPerLine = 10;

struct Side {
    std::shared_ptr<const Dataset> dataset;
    std::vector<Duration> sorted; // end-to-end times
};

/// OTLP JSON lines of some requests.
std::string linesOf(std::uint64_t seed, std::uint64_t first, std::uint64_t end, Variant variant)
{
    std::string lines;
    std::vector<RequestSpan> batch;
    for (std::uint64_t request = first; request < end; ++request) {
        for (RequestSpan& span : makeRequest(seed, request, variant))
            batch.push_back(std::move(span));
        if (request + 1 < end && (request + 1) % requestsPerLine != 0)
            continue;
        lines += otlpJson(batch) + '\n';
        batch.clear();
    }
    return lines;
}

/// The workload as it comes out of a workspace.
Result<Side> makeSide(const char* label, std::uint64_t seed, std::uint64_t requests, Variant variant)
{
    Result<Store> store = Store::temporary();
    if (!store)
        return fail(std::move(store).error());
    const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("chokepoint-bench-{}.jsonl", getpid());
    for (std::uint64_t first = 0; first < requests; first += requestsPerFile) {
        std::ofstream(file, std::ios::binary) << linesOf(seed, first, std::min(first + requestsPerFile, requests), variant);
        const auto imported = importInputs(*store, {file.string()}, label, JobControl());
        std::filesystem::remove(file);
        if (!imported)
            return fail(imported.error());
    }
    Result<std::shared_ptr<const Dataset>> dataset =
        loadDataset(std::make_shared<const Store>(std::move(*store)), std::nullopt, label, {}, JobControl());
    if (!dataset)
        return fail(std::move(dataset).error());
    Side side{std::move(*dataset), {}};
    side.sorted = side.dataset->population.e2e();
    std::ranges::sort(side.sorted);
    return side;
}

/// Everything that the command line prints, as JSON.
void compareFully(benchmark::State& state, const Side& before, const Side& after)
{
    for (auto _ : state) {
        const Result<Comparison> comparison = compareDatasets(*before.dataset, *after.dataset, {}, JobControl());
        if (!comparison) {
            state.SkipWithError(comparison.error().message().c_str());
            break;
        }
        const Result<ComparisonExplained> explained = explainComparison(*before.dataset, *after.dataset, *comparison, JobControl());
        if (!explained) {
            state.SkipWithError(explained.error().message().c_str());
            break;
        }
        const ReportedComparison report{*comparison, before.dataset->label, after.dataset->label,
            compareGroups(before.dataset->columns, after.dataset->columns), {}, &before.dataset->spending, &after.dataset->spending,
            &before.dataset->retries.summary, &after.dataset->retries.summary, &explained->amdahl, &explained->findings};
        benchmark::DoNotOptimize(comparisonJson(report).size());
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(before.sorted.size() + after.sorted.size()));
}

void compareSides(benchmark::State& state, const Side& before, const Side& after)
{
    for (auto _ : state) {
        const Result<Comparison> comparison = compareDatasets(*before.dataset, *after.dataset, {}, JobControl());
        if (!comparison)
            state.SkipWithError(comparison.error().message().c_str());
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(before.sorted.size() + after.sorted.size()));
}

void sortSides(benchmark::State& state, const Side& before, const Side& after)
{
    for (auto _ : state) {
        for (const Side* side : {&before, &after}) {
            std::vector<Duration> values = side->dataset->population.e2e();
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
    const Result<Side> before = makeSide("before", 1, requests, Variant::Before);
    const Result<Side> after = makeSide("after", 2, requests, Variant::After);
    if (!before || !after) {
        std::fputs("bench_compare: the workload could not be analysed\n", stderr);
        return 1;
    }
    const auto add = [](const char* name, auto&& body) {
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
    };
    add("sort/end-to-end", [&](benchmark::State& state) { sortSides(state, *before, *after); });
    add("compare/everything", [&](benchmark::State& state) { compareFully(state, *before, *after); });
    add("compare/statistics", [&](benchmark::State& state) { compareSides(state, *before, *after); });
    add("interval/order-statistics", [&](benchmark::State& state) { exactInterval(state, *before, *after); });
    add("interval/naive-bootstrap", [&](benchmark::State& state) { naiveInterval(state, *before, *after); });
    return runBenchmarks(argc, argv,
        {{"comparison with everything / sorting both sides once", "compare/everything", "sort/end-to-end", 100},
            {"statistics of the comparison / sorting both sides once", "compare/statistics", "sort/end-to-end", 50},
            {"comparison with everything: cores kept busy", "compare/everything", "", 0, Ratio::Sense::AtLeast, Ratio::Measure::Cores},
            {fmt::format("P95 interval, {} replicates: naive bootstrap / order statistics", naiveReplicates), "interval/naive-bootstrap",
                "interval/order-statistics", 100, Ratio::Sense::AtLeast}});
}

} // namespace
} // namespace chokepoint::bench

int main(int argc, char** argv)
{
    return chokepoint::bench::run(argc, argv);
}
