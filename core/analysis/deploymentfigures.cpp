// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/deploymentfigures.h"

#include "core/analysis/proportions.h"

#include <cmath>

namespace chokepoint {

namespace {

GateFigure retryFigure(const RetrySummary& before, const RetrySummary& after)
{
    const Proportion first{before.retriedRequests, before.requests};
    const Proportion second{after.retriedRequests, after.requests};
    GateFigure figure{FigureUnit::Share, first.rate(), second.rate(), proportionDifference(first, second), {}};
    if (!figure.before || !figure.after)
        figure.missing = "one side has no request";
    return figure;
}

/// 95 % interval of after - before from the two figures' own: the distances to their ends, squared and added.
Interval squareAndAdd(double before, const Interval& beforeInterval, double after, const Interval& afterInterval)
{
    const double difference = after - before;
    return {difference - std::hypot(after - afterInterval.low, beforeInterval.high - before),
        difference + std::hypot(afterInterval.high - after, before - beforeInterval.low)};
}

} // namespace

std::optional<GateFigure> deploymentFigure(const DeploymentFigures& before, const DeploymentFigures& after, std::string_view statistic)
{
    if (statistic == "retry_rate")
        return retryFigure(before.retries, after.retries);
    std::optional<GateFigure> figure = spendingFigure(before.spending, after.spending, statistic);
    if (!figure || statistic != "cost_per_correct_answer" || !figure->before || !figure->after)
        return figure;
    const CorrectAnswers& first = before.spending.correct;
    const CorrectAnswers& second = after.spending.correct;
    if (first.costInterval && second.costInterval) {
        figure->difference = squareAndAdd(*figure->before, *first.costInterval, *figure->after, *second.costInterval);
        figure->missing.clear();
    }
    return figure;
}

} // namespace chokepoint
