// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/splitset.h"

#include "core/analysis/doubts.h"
#include "core/analysis/spanentries.h"
#include "core/pipeline/tracevalues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace chokepoint {

namespace {

/// Fills in the values that the user left open; fails when there are not exactly two to choose from.
Result<void> chooseValues(
    const Dataset& whole, const std::string& attribute, const std::vector<std::string>& values, std::string& before, std::string& after)
{
    struct Seen {
        std::size_t traces = 0;
        Timestamp first = Timestamp::max();
    };
    std::map<std::string, Seen> seen;
    for (std::size_t t = 0; t < values.size(); ++t) {
        if (values[t].empty())
            continue;
        Seen& value = seen[values[t]];
        ++value.traces;
        value.first = std::min(value.first, traceExtent(whole.columns.trace(t)).begin);
    }
    std::string found;
    for (const auto& [value, use] : seen)
        found += fmt::format("{}\"{}\" ({} traces)", found.empty() ? "" : ", ", value, use.traces);
    const std::string list = found.empty() ? "no trace has it" : "values found: " + found;
    for (const std::string* wanted : {&before, &after})
        if (!wanted->empty() && !seen.contains(*wanted))
            return fail(ErrorCode::InvalidArgument, fmt::format("no trace has {} = \"{}\"; {}", attribute, *wanted, list));
    seen.erase(before);
    seen.erase(after);
    const std::size_t open = std::size_t(before.empty()) + std::size_t(after.empty());
    if (open > 0 && seen.size() != open)
        return fail(ErrorCode::InvalidArgument,
            fmt::format("{} does not split the traces in two; name them with --before and --after; {}", attribute, list));
    if (before == after && open == 0)
        return fail(ErrorCode::InvalidArgument, "before and after are the same value");
    while (!seen.empty()) {
        const auto earliest =
            std::min_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
        (before.empty() ? before : after) = earliest->first;
        seen.erase(earliest);
    }
    return {};
}

/// What all traces of \a whole share, and none of them.
std::shared_ptr<Dataset> withoutTraces(const Dataset& whole, const std::string& label)
{
    const auto part = std::make_shared<Dataset>();
    part->store = whole.store;
    part->label = label;
    part->startJitter = whole.startJitter;
    part->pathOptions = whole.pathOptions;
    part->pathOptions.startJitter = part->startJitter;
    part->stages.table = whole.stages.table;
    part->stages.ruleNames = whole.stages.ruleNames;
    part->stages.ruleConfidence = whole.stages.ruleConfidence;
    part->stages.gaps = whole.stages.gaps;
    part->columns.dictionary = whole.columns.dictionary;
    part->rules = whole.rules;
    part->stageOrders = whole.stageOrders;
    part->prices = whole.prices;
    part->labels = whole.labels;
    part->usage.texts = whole.usage.texts;
    part->checkFacts.texts = whole.checkFacts.texts;
    return part;
}

/// Entries of spans [first, first + count), as those of spans from \a target on.
template <typename Entry>
void appendEntries(const std::vector<Entry>& from, std::uint64_t first, std::uint64_t count, std::uint64_t target, std::vector<Entry>& to)
{
    for (Entry entry : entriesOf(std::span(from), first, count)) {
        entry.span = entry.span - first + target;
        to.push_back(entry);
    }
}

/// Appends trace \a t of \a whole.
void appendTrace(const Dataset& whole, std::size_t t, const DoubtFacts& doubtFacts, Dataset& part)
{
    TraceColumns& columns = part.columns;
    const std::uint64_t first = whole.columns.firstSpan[t];
    const std::uint64_t last = whole.columns.firstSpan[t + 1];
    const std::uint64_t count = last - first;
    const std::uint64_t target = columns.spanCount();
    appendEntries(whole.stages.derived, first, count, target, part.stages.derived);
    appendEntries(whole.stages.owned, first, count, target, part.stages.owned);
    appendEntries(whole.usage.calls, first, count, target, part.usage.calls);
    appendEntries(whole.usage.scores, first, count, target, part.usage.scores);
    part.attemptFacts.append(whole.attemptFacts, first, count, target);
    part.links.append(whole.links, first, count, target);
    part.checkFacts.append(whole.checkFacts, first, count, target);
    part.doubtFacts.append(doubtFacts, first, count, target);
    if (const auto text = whole.columns.traceIdText.find(std::uint32_t(t)); text != whole.columns.traceIdText.end())
        columns.traceIdText.emplace(std::uint32_t(columns.traceCount()), text->second);
    columns.traceId.push_back(whole.columns.traceId[t]);
    columns.storeKey.push_back(whole.columns.storeKey[t]);
    for (std::uint64_t i = first; i < last; ++i) {
        columns.spans.push_back(whole.columns.spans.row(i));
        columns.parent.push_back(whole.columns.parent[i]);
        columns.subtreeSize.push_back(whole.columns.subtreeSize[i]);
        part.stages.stage.push_back(whole.stages.stage[i]);
        part.stages.rule.push_back(whole.stages.rule[i]);
        part.stages.container.push_back(whole.stages.container[i]);
    }
    columns.firstSpan.push_back(columns.spanCount());
}

/// The traces of \a whole whose value is \a value, as a dataset of their own.
Result<std::shared_ptr<const Dataset>> subset(
    const Dataset& whole, const std::vector<std::string>& values, const std::string& value, const JobControl& job)
{
    const std::shared_ptr<Dataset> part = withoutTraces(whole, value);
    // Links from one side to the other lead somewhere: only those that do not in the whole are doubtful.
    const DoubtFacts doubtFacts{whole.doubtFacts.mixedGenerations, unresolvedLinks(whole.columns, whole.doubtFacts)};
    for (std::size_t t = 0; t < whole.columns.traceCount(); ++t)
        if (values[t] == value)
            appendTrace(whole, t, doubtFacts, *part);
    Result<Population> population = analysePopulation(part->columns, part->stages, part->pathOptions, 0, job);
    if (!population)
        return fail(std::move(population).error());
    part->population = std::move(*population);
    settleSpending(*part);
    if (Result<void> settled = settleRetries(*part, 0, job); !settled)
        return fail(std::move(settled).error());
    for (const StageDoubt& doubt : whole.stages.doubts) // their counts are of the whole; both sides have their stages from there
        part->doubts.add(
            doubt.code, doubt.count, fmt::format("{}; {}, before the split", doubt.what, placeOfSpan(whole.columns, doubt.span)));
    return part;
}

} // namespace

Result<SplitSides> splitByAttribute(
    const std::shared_ptr<const Dataset>& whole, const std::string& attribute, std::string before, std::string after, const JobControl& job)
{
    const Result<std::vector<std::string>> values = valuesByTrace(*whole, std::array{std::string_view(attribute)}, ValueScope::Root, job);
    if (!values)
        return fail(values.error());
    if (Result<void> chosen = chooseValues(*whole, attribute, *values, before, after); !chosen)
        return fail(std::move(chosen).error());
    Result<std::shared_ptr<const Dataset>> first = subset(*whole, *values, before, job);
    if (!first)
        return fail(std::move(first).error());
    Result<std::shared_ptr<const Dataset>> second = subset(*whole, *values, after, job);
    if (!second)
        return fail(std::move(second).error());
    return SplitSides{std::move(*first), std::move(*second)};
}

} // namespace chokepoint
