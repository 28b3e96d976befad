// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/analysis/usagecase.h"

#include "core/analysis/rulebook.h"

#include <fmt/format.h>

namespace chokepoint {

const CallFacts& UsageCase::call(std::size_t i) const
{
    const CallFacts* const found = usage.find(i);
    static const CallFacts none;
    return found == nullptr ? none : *found;
}

UsageTotals UsageCase::totals(std::size_t trace, const PriceTable& prices) const
{
    return bill(prices).totals(columns.firstSpan[trace], columns.firstSpan[trace + 1] - columns.firstSpan[trace]);
}

UsageCase usageCase(const StageCase& given, std::string_view userRules)
{
    const auto rules = parseStageRules(builtInStageRules(), userRules).value();
    StageClassifier classifier(rules, given.columns.dictionary);
    UsageReader usage(rules, given.columns.dictionary);
    for (std::size_t t = 0; t < given.columns.traceCount(); ++t) {
        const TraceView trace = given.columns.trace(t);
        for (std::size_t i = 0; i < trace.size(); ++i)
            readPayload(trace, i, given.payloads[given.columns.firstSpan[t] + i], given.columns.dictionary->strings, classifier, usage);
        classifier.endTrace(trace);
    }
    return {given.columns, classifier.take(), usage.take()};
}

UsageCase usageCase(const std::vector<std::string>& traces, std::string_view userRules)
{
    return usageCase(stageCase(traces), userRules);
}

std::string countsText(const TokenBuckets& tokens)
{
    const auto text = [](TokenCount count) { return count.isKnown() ? std::to_string(count.orZero()) : "-"; };
    return fmt::format("in {} out {} read {} write {} reason {} total {}", text(tokens.input()), text(tokens.output()),
        text(tokens[TokenKind::CacheRead]), text(tokens.cacheWrite()), text(tokens[TokenKind::Reasoning]), text(tokens.total()));
}

PriceTable examplePrices()
{
    return PriceTable::parse(R"({"version": 1, "models": [
        {"model": "gpt-x", "per_million": {"input": 2.5, "output": 10}},
        {"model": "embed-x", "per_million": {"input": 0.02}}]})",
        "prices.json")
        .value();
}

} // namespace chokepoint
