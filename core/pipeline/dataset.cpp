// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/dataset.h"

namespace chokepoint {

namespace {

/// Rules given by the user win over those that the workspace carries.
Result<std::shared_ptr<const StageRules>> rulesFor(const Store& store, const AnalysisOptions& options)
{
    if (!options.userRules.empty())
        return parseStageRules(builtInStageRules(), options.userRules, options.userRulesFile);
    Result<std::optional<std::string>> stored = store.setting("rules");
    if (!stored)
        return fail(std::move(stored).error());
    return parseStageRules(builtInStageRules(), stored->value_or(""), "the workspace's rules");
}

Result<StageMap> classifyAll(
    const Store& store, const TraceColumns& columns, std::shared_ptr<const StageRules> rules, const JobControl& job)
{
    StageClassifier classifier(std::move(rules), columns.dictionary);
    std::size_t next = 0;
    const auto visit = [&](std::size_t index, const std::vector<std::string_view>& payloads) {
        classifier.classify(columns.trace(index), payloads);
        ++next;
        return !job.stopRequested();
    };
    if (Result<void> visited = store.forEachTracePayloads(columns, visit, job); !visited)
        return fail(std::move(visited).error());
    if (next != columns.traceCount())
        return fail(ErrorCode::Cancelled, "cancelled");
    return classifier.take();
}

} // namespace

Result<std::shared_ptr<const Dataset>> loadDataset(std::shared_ptr<const Store> store, std::optional<std::int64_t> deployment,
    const std::string& label, const AnalysisOptions& options, const JobControl& job)
{
    const auto dataset = std::make_shared<Dataset>();
    dataset->store = std::move(store);
    dataset->label = label;
    job.report({.step = "Loading " + label});
    Result<TraceColumns> columns = dataset->store->loadColumns(deployment, job);
    if (!columns)
        return fail(std::move(columns).error());
    dataset->columns = std::move(*columns);

    Result<std::shared_ptr<const StageRules>> rules = rulesFor(*dataset->store, options);
    if (!rules)
        return fail(std::move(rules).error());
    job.report({.step = "Finding the stages of " + label});
    Result<StageMap> stages = classifyAll(*dataset->store, dataset->columns, std::move(*rules), job);
    if (!stages)
        return fail(std::move(stages).error());
    dataset->stages = std::move(*stages);

    dataset->startJitter = startJitter(dataset->columns);
    dataset->pathOptions = options.path;
    dataset->pathOptions.startJitter = dataset->startJitter;
    job.report({.step = "Finding the critical paths of " + label});
    Result<Population> population = analysePopulation(dataset->columns, dataset->stages, dataset->pathOptions, options.threads, job);
    if (!population)
        return fail(std::move(population).error());
    dataset->population = std::move(*population);
    return dataset;
}

Result<std::shared_ptr<const Trace>> Dataset::trace(std::size_t traceIndex) const
{
    return store->loadTrace(columns.storeKey[traceIndex]);
}

CriticalPath Dataset::path(std::size_t traceIndex) const
{
    return criticalPath(columns.trace(traceIndex), *columns.dictionary, pathOptions);
}

Result<Comparison> compareDatasets(const Dataset& before, const Dataset& after, const CompareOptions& options, const JobControl& job)
{
    job.report({.step = "Comparing " + before.label + " with " + after.label});
    return compare(before.side(), after.side(), options, job);
}

} // namespace chokepoint
