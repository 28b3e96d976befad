// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/spending.h"

#include "core/analysis/proportions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

void addCorrect(Spending& spending, const std::optional<Money>& labelledCost)
{
    CorrectAnswers& answers = spending.correct;
    const Proportion proportion{answers.correct, answers.labelled};
    answers.rate = proportion.rate();
    answers.rateInterval = wilsonInterval(proportion);
    if (answers.labelled < labelsAtLeast)
        answers.shortfall = answers.labelled == 0 ? "no answer is labelled right or wrong"
                                                  : fmt::format("needs {} labelled answers, has {}", labelsAtLeast, answers.labelled);
    else if (answers.correct == 0)
        answers.shortfall = "no labelled answer is correct";
    else if (!labelledCost)
        answers.shortfall = "no cost is known";
    if (!answers.shortfall.empty())
        return;
    const double mean = labelledCost->number() / double(answers.labelled);
    answers.cost = labelledCost->number() / double(answers.correct);
    answers.costInterval = Interval{mean / answers.rateInterval->high, mean / answers.rateInterval->low};
}

std::optional<RequestMean> meanOf(const std::vector<double>& values)
{
    RequestMean result;
    result.n = values.size();
    if (values.empty())
        return std::nullopt;
    for (const double value : values)
        result.mean += value / double(result.n);
    for (const double value : values)
        result.variance += result.n < 2 ? 0 : (value - result.mean) * (value - result.mean) / double(result.n - 1);
    return result;
}

/// Too many calls without a cost: what is known of the sum is no basis for a verdict.
bool isTooThin(const Spending& spending)
{
    const UsageTotals& totals = spending.totals;
    return totals.withoutCost * 100 > totals.pricedSpans + totals.withoutCost;
}

GateFigure figureOf(const std::optional<RequestMean>& before, const std::optional<RequestMean>& after, const char* what)
{
    constexpr std::uint64_t enough = 30;
    constexpr double normalQuantile = 1.959963984540054;
    GateFigure figure;
    if (before)
        figure.before = before->mean;
    if (after)
        figure.after = after->mean;
    if (!before || !after) {
        figure.missing = fmt::format("{} of one side is not known", what);
    } else if (before->n < enough || after->n < enough) {
        figure.missing = fmt::format("needs {} requests a side", enough);
    } else {
        const double half = normalQuantile * std::sqrt(before->variance / double(before->n) + after->variance / double(after->n));
        figure.difference = Interval{after->mean - before->mean - half, after->mean - before->mean + half};
    }
    return figure;
}

} // namespace

std::optional<GateFigure> spendingFigure(const Spending& before, const Spending& after, std::string_view statistic)
{
    const bool isCost = statistic == "cost_per_request" || statistic == "cost_per_correct_answer";
    if (isCost && (isTooThin(before) || isTooThin(after)))
        return GateFigure{FigureUnit::Number, {}, {}, {}, "more than 1 % of the calls of one side have no cost"};
    if (statistic == "cost_per_request")
        return figureOf(before.requestCost, after.requestCost, "the cost");
    if (statistic == "tokens_per_request")
        return figureOf(before.requestTokens, after.requestTokens, "the number of tokens");
    if (statistic != "cost_per_correct_answer")
        return std::nullopt;
    const std::string& missing = before.correct.cost ? after.correct.shortfall : before.correct.shortfall;
    return GateFigure{FigureUnit::Number, before.correct.cost, after.correct.cost, {},
        missing.empty() ? "there is no interval of this figure's difference" : missing};
}

Spending spending(const TraceColumns& columns, const Population& population, const Billing& billing,
    const std::vector<AnswerVerdict>& verdicts, const std::vector<bool>& successful)
{
    Spending spending;
    spending.currency = billing.currency;
    std::optional<Money> labelledCost;
    std::vector<double> costs;
    std::vector<double> tokens;
    const bool hasRequests = std::any_of(population.traces.begin(), population.traces.end(),
        [](const TraceFigures& figures) { return figures.hasTrueRoot && figures.pipeline == PipelineKind::Request; });
    const auto add = [](std::optional<Money>& sum, const std::optional<Money>& cost) {
        if (cost)
            sum = sum.value_or(Money()) + *cost;
    };
    for (std::size_t t = 0; t < columns.traceCount(); ++t) {
        const std::uint64_t first = columns.firstSpan[t];
        const UsageTotals totals = billing.totals(first, columns.firstSpan[t + 1] - first);
        spending.totals += totals;
        spending.costOfTrace.push_back(totals.cost);
        if (!population.traces[t].hasTrueRoot || (hasRequests && population.traces[t].pipeline != PipelineKind::Request))
            continue;
        ++spending.requests;
        spending.successful += successful[t] ? 1 : 0;
        add(spending.cost, totals.cost);
        costs.push_back(totals.cost ? totals.cost->number() : 0);
        tokens.push_back(double(totals.generate.total().orZero()));
        if (verdicts[t] == AnswerVerdict::Unlabelled)
            continue;
        ++spending.correct.labelled;
        spending.correct.correct += verdicts[t] == AnswerVerdict::Correct ? 1 : 0;
        add(labelledCost, totals.cost);
    }
    spending.isLowerBound = spending.totals.costIsLowerBound;
    if (spending.cost)
        spending.requestCost = meanOf(costs);
    if (spending.totals.generate.total().isKnown())
        spending.requestTokens = meanOf(tokens);
    if (spending.cost && spending.requests > 0)
        spending.perRequest = spending.cost->number() / double(spending.requests);
    if (spending.cost && spending.successful > 0)
        spending.perSuccessfulAnswer = spending.cost->number() / double(spending.successful);
    addCorrect(spending, labelledCost);
    return spending;
}

} // namespace chokepoint
