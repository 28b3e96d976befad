// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/spending.h"

#include "core/analysis/proportions.h"

#include <fmt/format.h>

#include <algorithm>

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

} // namespace

Spending spending(const TraceColumns& columns, const Population& population, const Billing& billing,
    const std::vector<AnswerVerdict>& verdicts, const std::vector<bool>& successful)
{
    Spending spending;
    spending.currency = billing.currency;
    std::optional<Money> labelledCost;
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
        if (verdicts[t] == AnswerVerdict::Unlabelled)
            continue;
        ++spending.correct.labelled;
        spending.correct.correct += verdicts[t] == AnswerVerdict::Correct ? 1 : 0;
        add(labelledCost, totals.cost);
    }
    spending.isLowerBound = spending.totals.costIsLowerBound;
    if (spending.cost && spending.requests > 0)
        spending.perRequest = spending.cost->number() / double(spending.requests);
    if (spending.cost && spending.successful > 0)
        spending.perSuccessfulAnswer = spending.cost->number() / double(spending.successful);
    addCorrect(spending, labelledCost);
    return spending;
}

} // namespace chokepoint
