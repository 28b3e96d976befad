// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/explain.h"

#include "core/analysis/arena.h"
#include "core/analysis/replaysample.h"

#include <tbb/parallel_invoke.h>

#include <mutex>

namespace chokepoint {

namespace {

constexpr std::size_t replayedForCeilings = 1000; // each once a stage

/// What requests would gain at most from each stage; nothing when they cannot be replayed.
Result<std::optional<WhatIfResult>> ceilingsOf(const Dataset& dataset, unsigned threads, const JobControl& job)
{
    const Population sample = replaySample(dataset.columns, dataset.population, replayedForCeilings);
    const Result<WhatIf> whatIf =
        WhatIf::create(dataset.columns, dataset.stages, sample, &dataset.retries, dataset.pathOptions, threads, job);
    Result<WhatIfResult> result = whatIf ? whatIf->run({}, {.ceilings = true}, job) : Result<WhatIfResult>(fail(whatIf.error()));
    if (result)
        return std::optional(std::move(*result));
    if (result.error().code == ErrorCode::Cancelled)
        return fail(std::move(result).error());
    return std::optional<WhatIfResult>();
}

} // namespace

Result<ComparisonExplained> explainComparison(
    const Dataset& before, const Dataset& after, const Comparison& comparison, const JobControl& job)
{
    const ComparisonSide first = before.side();
    const ComparisonSide second = after.side();
    const CheckSide checkBefore = before.checkSide();
    std::mutex reporting;
    const JobControl each(job.stopToken(), [&](const Progress& progress) {
        const std::lock_guard lock(reporting);
        job.report(progress);
    });
    Result<AmdahlAnalysis> amdahl;
    Result<std::optional<WhatIfResult>> ceilings;
    std::vector<Check> checks;
    PopulationSummary summaryBefore;
    PopulationSummary summaryAfter;
    const unsigned threads = comparison.options.threads;
    arenaFor(threads).execute([&] {
        tbb::parallel_invoke(
            [&] {
                amdahl = analyseAmdahl(
                    {first, before.pathOptions, &before.retries}, {second, after.pathOptions, &after.retries}, comparison, each);
            },
            [&] { checks = runChecks(after.checkSide(), &checkBefore, comparison.options.seed); },
            [&] { ceilings = ceilingsOf(after, threads, each); }, [&] { summaryBefore = summarise(before.columns, before.population); },
            [&] { summaryAfter = summarise(after.columns, after.population); });
    });
    if (!amdahl)
        return fail(std::move(amdahl).error());
    if (!ceilings)
        return fail(std::move(ceilings).error());
    const FindingsSide findingsBefore{before.columns, before.population, summaryBefore, &before.spending, &before.retries};
    const FindingsSide findingsAfter{
        after.columns, after.population, summaryAfter, &after.spending, &after.retries, *ceilings ? &**ceilings : nullptr, &checks};
    ComparisonExplained explained{std::move(*amdahl), {}};
    explained.findings = findingsOf(FindingsPair{findingsBefore, findingsAfter, comparison, &explained.amdahl});
    return explained;
}

Result<std::vector<Finding>> explainDataset(
    const Dataset& dataset, const PopulationSummary& summary, unsigned threads, const JobControl& job)
{
    const Result<std::optional<WhatIfResult>> ceilings = ceilingsOf(dataset, threads, job);
    if (!ceilings)
        return fail(ceilings.error());
    std::vector<Check> checks;
    arenaFor(threads).execute([&] { checks = runChecks(dataset.checkSide(), nullptr); });
    return findingsOf(FindingsSide{
        dataset.columns, dataset.population, summary, &dataset.spending, &dataset.retries, *ceilings ? &**ceilings : nullptr, &checks});
}

} // namespace chokepoint
