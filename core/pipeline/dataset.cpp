// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/dataset.h"

#include "core/pipeline/requestclusters.h"
#include "core/pipeline/requestkinds.h"

#include "core/analysis/doubts.h"
#include "core/analysis/rulebook.h"

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

/// Prices given by the user win over those that the workspace carries; Chokepoint has none of its own.
Result<PriceTable> pricesFor(const Store& store, const AnalysisOptions& options)
{
    if (!options.prices.empty())
        return PriceTable::parse(options.prices, options.pricesFile);
    Result<std::optional<std::string>> stored = store.setting("prices");
    if (!stored)
        return fail(std::move(stored).error());
    return *stored ? PriceTable::parse(**stored, "the workspace's prices") : Result<PriceTable>(PriceTable());
}

/// The one pass over the payloads: each is decoded once for all readers.
Result<void> readPayloads(Dataset& dataset, const JobControl& job)
{
    const TraceColumns& columns = dataset.columns;
    StageClassifier classifier(dataset.rules, columns.dictionary);
    UsageReader usage(dataset.rules, columns.dictionary);
    AttemptFactReader attempts(columns.dictionary);
    CheckFactReader checks(columns.dictionary);
    DoubtFactReader doubts(columns.dictionary);
    DeclaredLinkReader links;
    std::size_t next = 0;
    const auto visit = [&](std::size_t index, const std::vector<std::string_view>& payloads) {
        const TraceView trace = columns.trace(index);
        for (std::size_t i = 0; i < trace.size(); ++i) {
            readPayload(trace, i, payloads[i], columns.dictionary->strings, classifier, usage, attempts, checks, doubts, links);
            attempts.remainder(payloads[i]);
        }
        classifier.endTrace(trace);
        links.endTrace(trace);
        ++next;
        return !job.stopRequested();
    };
    if (Result<void> visited = dataset.store->forEachTracePayloads(columns, visit, job); !visited)
        return visited;
    if (next != columns.traceCount())
        return fail(ErrorCode::Cancelled, "cancelled");
    dataset.stages = classifier.take();
    dataset.stageOrders = ordersIn(*dataset.stages.table, dataset.rules->table, dataset.rules->dependencies);
    dataset.usage = usage.take();
    dataset.attemptFacts = attempts.take();
    dataset.checkFacts = checks.take();
    dataset.doubtFacts = doubts.take();
    dataset.links = links.take();
    return {};
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
    dataset->rules = std::move(*rules);
    Result<PriceTable> prices = pricesFor(*dataset->store, options);
    if (!prices)
        return fail(std::move(prices).error());
    dataset->prices = std::move(*prices);
    if (!options.labels.empty()) {
        Result<AnswerLabels> labels = AnswerLabels::parse(options.labels, options.labelsFile);
        if (!labels)
            return fail(std::move(labels).error());
        dataset->labels = std::make_shared<const AnswerLabels>(std::move(*labels));
    }
    job.report({.step = "Finding the stages of " + label});
    if (Result<void> read = readPayloads(*dataset, job); !read)
        return fail(std::move(read).error());

    dataset->startJitter = startJitter(dataset->columns);
    dataset->pathOptions = options.path;
    dataset->pathOptions.startJitter = dataset->startJitter;
    job.report({.step = "Finding the critical paths of " + label});
    Result<Population> population = analysePopulation(dataset->columns, dataset->stages, dataset->pathOptions, options.threads, job);
    if (!population)
        return fail(std::move(population).error());
    dataset->population = std::move(*population);
    settleSpending(*dataset);
    job.report({.step = "Finding the retries of " + label});
    if (Result<void> settled = settleRetries(*dataset, options.threads, job); !settled)
        return fail(std::move(settled).error());
    return dataset;
}

Result<void> settleRetries(Dataset& dataset, unsigned threads, const JobControl& job)
{
    Result<RetryAnalysis> retries =
        analyseRetries(dataset.columns, dataset.stages, dataset.attemptFacts, dataset.population, dataset.billing, threads, job);
    if (!retries)
        return fail(std::move(retries).error());
    dataset.retries = std::move(*retries);
    dataset.doubts = findDoubts(dataset.checkSide(), dataset.doubtFacts);
    return {};
}

void settleSpending(Dataset& dataset)
{
    dataset.billing = billingSet(dataset.columns, dataset.stages, dataset.usage, dataset.prices);
    dataset.verdicts = judgeAnswers(dataset.columns, dataset.population, dataset.stages, dataset.usage, dataset.rules->correctness);
    if (dataset.labels != nullptr)
        dataset.labelMatches = applyLabels(*dataset.labels, dataset.columns, dataset.usage, dataset.attemptFacts, dataset.verdicts);
    dataset.spending = spending(dataset.columns, dataset.population, dataset.billing, dataset.verdicts,
        successfulRequests(dataset.columns, dataset.population, dataset.stages, dataset.usage));
}

Result<std::shared_ptr<const Trace>> Dataset::trace(std::size_t traceIndex) const
{
    return store->loadTrace(columns.storeKey[traceIndex]);
}

Diagnostics Dataset::faults() const
{
    Diagnostics all = columns.diagnostics;
    all.merge(faultsIn(billing.diagnostics));
    return all;
}

Diagnostics Dataset::allDoubts() const
{
    Diagnostics all = doubtsIn(billing.diagnostics);
    all.merge(doubts);
    return all;
}

CriticalPath Dataset::path(std::size_t traceIndex) const
{
    return criticalPath(columns.trace(traceIndex), *columns.dictionary, pathOptions);
}

Result<Comparison> compareDatasets(const Dataset& before, const Dataset& after, const CompareOptions& options, const JobControl& job)
{
    job.report({.step = "Comparing " + before.label + " with " + after.label});
    const std::vector<std::string> kindsBefore = requestKinds(before);
    const std::vector<std::string> kindsAfter = requestKinds(after);
    ComparisonSide first = before.side();
    ComparisonSide second = after.side();
    first.kinds = &kindsBefore;
    second.kinds = &kindsAfter;
    if (options.cluster.empty()) {
        Result<Comparison> comparison = compare(first, second, options, job);
        if (comparison)
            for (std::string& hint : clusterHints(before, after))
                comparison->reasons.push_back(std::move(hint));
        return comparison;
    }
    const Result<std::vector<std::string>> clustersBefore = requestClusters(before, options.cluster, job);
    if (!clustersBefore)
        return fail(clustersBefore.error());
    const Result<std::vector<std::string>> clustersAfter = requestClusters(after, options.cluster, job);
    if (!clustersAfter)
        return fail(clustersAfter.error());
    first.clusters = &*clustersBefore;
    second.clusters = &*clustersAfter;
    return compare(first, second, options, job);
}

} // namespace chokepoint
