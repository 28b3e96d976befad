// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A what-if as its slider moves. CHOKEPOINT_BENCH_REPLAYS sets the traces (default 5,000).
#include "tests/bench/ratios.h"
#include "tests/bench/workload.h"

#include "core/analysis/whatif.h"

#include <cstdio>

namespace chokepoint::bench {
namespace {

int run(int argc, char** argv)
{
    const std::uint64_t requests = sizeFromEnvironment("CHOKEPOINT_BENCH_REPLAYS", 5'000);
    const WorkloadColumns workload = workloadColumns(1, requests, Variant::Before);
    const Result<Population> population = analysePopulation(workload.columns, workload.stages, {}, 0, JobControl());
    if (!population) {
        std::fputs("bench_whatif: the workload could not be analysed\n", stderr);
        return 1;
    }
    const auto create = [&] { return WhatIf::create(workload.columns, workload.stages, *population, nullptr, {}, 0, JobControl()); };
    const Result<WhatIf> whatIf = create();
    const Result<WhatIfSetting> setting = parseWhatIf("stage.generate=x0.5");
    if (!whatIf || !setting) {
        std::fputs("bench_whatif: the workload cannot be replayed\n", stderr);
        return 1;
    }
    const auto add = [](const char* name, auto&& body) {
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
    };
    add("path/all-traces", [&](benchmark::State& state) {
        for (auto _ : state)
            benchmark::DoNotOptimize(analysePopulation(workload.columns, workload.stages, {}, 0, JobControl()));
    });
    add("whatif/learn", [&](benchmark::State& state) {
        for (auto _ : state)
            benchmark::DoNotOptimize(create());
    });
    add("whatif/update", [&](benchmark::State& state) {
        for (auto _ : state) {
            const Result<WhatIfResult> result = whatIf->run({*setting}, {}, JobControl());
            if (!result)
                state.SkipWithError(result.error().message().c_str());
        }
    });
    return runBenchmarks(argc, argv, {{"an update / the critical paths of the same traces", "whatif/update", "path/all-traces", 5}});
}

} // namespace
} // namespace chokepoint::bench

int main(int argc, char** argv)
{
    return chokepoint::bench::run(argc, argv);
}
