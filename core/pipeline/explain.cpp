// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/explain.h"

#include "core/analysis/replaysample.h"

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
    Result<AmdahlAnalysis> amdahl =
        analyseAmdahl({first, before.pathOptions, &before.retries}, {second, after.pathOptions, &after.retries}, comparison, job);
    if (!amdahl)
        return fail(std::move(amdahl).error());
    const Result<std::optional<WhatIfResult>> ceilings = ceilingsOf(after, comparison.options.threads, job);
    if (!ceilings)
        return fail(ceilings.error());
    const PopulationSummary summaryBefore = summarise(before.columns, before.population);
    const PopulationSummary summaryAfter = summarise(after.columns, after.population);
    const FindingsSide findingsBefore{before.columns, before.population, summaryBefore, &before.spending, &before.retries};
    const CheckSide checkBefore = before.checkSide();
    const std::vector<Check> checks = runChecks(after.checkSide(), &checkBefore, comparison.options.seed);
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
    const std::vector<Check> checks = runChecks(dataset.checkSide(), nullptr);
    return findingsOf(FindingsSide{
        dataset.columns, dataset.population, summary, &dataset.spending, &dataset.retries, *ceilings ? &**ceilings : nullptr, &checks});
}

} // namespace chokepoint
