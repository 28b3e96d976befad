// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/usagejson.h"

#include "core/base/format.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

Json intervalJson(const std::optional<Interval>& interval)
{
    return interval ? Json{interval->low, interval->high} : Json(nullptr);
}

std::string countText(TokenCount count)
{
    return count.isKnown() ? formatCount(std::uint64_t(count.orZero())) : "unknown";
}

/// "0.0042 USD": four digits that say something, however small.
std::string amountText(double amount, const std::string& currency)
{
    return fmt::format("{:.4g} {}", amount, currency);
}

} // namespace

Json countJson(TokenCount count)
{
    return count.isKnown() ? Json(count.orZero()) : Json(nullptr);
}

Json moneyJson(const std::optional<Money>& amount)
{
    return amount ? Json(amount->number()) : Json(nullptr);
}

Json tokensJson(const UsageTotals& totals)
{
    const TokenBuckets& tokens = totals.generate;
    return {{"input", countJson(tokens.input())}, {"output", countJson(tokens.output())},
        {"cache_read", countJson(tokens[TokenKind::CacheRead])}, {"cache_write", countJson(tokens.cacheWrite())},
        {"reasoning", countJson(tokens[TokenKind::Reasoning])}, {"total", countJson(tokens.total())},
        {"embedding", countJson(totals.embedding)}, {"rerank", countJson(totals.rerank)}, {"evaluation", countJson(totals.evaluation)},
        {"calls", totals.withUsage}, {"calls_without_usage", totals.withoutUsage},
        {"failed_calls_without_usage", totals.failedWithoutUsage}};
}

Json traceCostJson(const UsageTotals& totals, const std::string& currency)
{
    return {{"total", totals.cost ? Json(totals.cost->text()) : Json(nullptr)}, {"currency", currency},
        {"priced_spans", totals.pricedSpans}, {"unpriced_spans", totals.unpricedSpans},
        {"unpriced_tokens", countJson(totals.unpricedTokens)},
        {"evaluation", totals.evaluationCost ? Json(totals.evaluationCost->text()) : Json(nullptr)},
        {"lower_bound", totals.cost.has_value() && totals.costIsLowerBound}};
}

Json costJson(const Spending& spending)
{
    const UsageTotals& totals = spending.totals;
    const CorrectAnswers& correct = spending.correct;
    Json json = {{"currency", spending.currency}, {"total", moneyJson(totals.cost)}, {"evaluation", moneyJson(totals.evaluationCost)},
        {"priced_spans", totals.pricedSpans}, {"unpriced_spans", totals.unpricedSpans}, {"estimated_spans", totals.estimatedSpans},
        {"unpriced_tokens", countJson(totals.unpricedTokens)}, {"lower_bound", totals.cost.has_value() && spending.isLowerBound},
        {"requests", spending.requests}, {"per_request", toJson(spending.perRequest)}, {"successful_answers", spending.successful},
        {"per_successful_answer", toJson(spending.perSuccessfulAnswer)}, {"per_correct_answer", toJson(correct.cost)},
        {"per_correct_answer_ci", intervalJson(correct.costInterval)}};
    json["correct"] = {{"labelled", correct.labelled}, {"correct", correct.correct}, {"rate", toJson(correct.rate)},
        {"rate_ci", intervalJson(correct.rateInterval)}};
    if (!correct.shortfall.empty())
        json["correct"]["shortfall"] = correct.shortfall;
    return json;
}

std::string spendingText(const Spending& spending)
{
    const UsageTotals& totals = spending.totals;
    if (totals.withUsage + totals.pricedSpans + totals.unpricedSpans + totals.withoutUsage == 0)
        return {};
    std::string text = fmt::format("Tokens: {} in, {} out, {} together, in {} calls", countText(totals.generate.input()),
        countText(totals.generate.output()), countText(totals.generate.total()), formatCount(totals.withUsage));
    if (totals.embedding.isKnown())
        text += fmt::format("; embedding {}", countText(totals.embedding));
    if (totals.rerank.isKnown())
        text += fmt::format("; rerank {}", countText(totals.rerank));
    if (totals.withoutUsage > 0)
        text += fmt::format("; {} calls tell none", formatCount(totals.withoutUsage));
    text += '\n';
    if (!totals.cost)
        return text + "Cost: unknown; no call reports one, and no price table has a price (--prices FILE)\n";
    text += fmt::format("Cost: {}{} {}", spending.isLowerBound ? "at least " : "", totals.cost->text(), spending.currency);
    if (spending.perRequest)
        text += fmt::format(", {} a request", amountText(*spending.perRequest, spending.currency));
    if (spending.correct.cost)
        text += fmt::format(", {} a correct answer", amountText(*spending.correct.cost, spending.currency));
    if (totals.estimatedSpans > 0)
        text += fmt::format(
            " ({} {} estimated from GPU hours)", formatCount(totals.estimatedSpans), totals.estimatedSpans == 1 ? "call" : "calls");
    if (totals.unpricedSpans > 0)
        text += fmt::format(" ({} {} without price)", formatCount(totals.unpricedSpans), totals.unpricedSpans == 1 ? "call" : "calls");
    return text + '\n';
}

} // namespace chokepoint
