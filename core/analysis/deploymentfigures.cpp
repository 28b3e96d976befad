// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/deploymentfigures.h"

#include <fmt/format.h>

#include <array>
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

constexpr const char* noBefore = "there is no BEFORE to compare with";

struct E2eStatistic {
    std::string_view name;
    Duration E2eFigures::*figure;
    double p; // 0: not a quantile
};
constexpr std::array e2eStatistics = {E2eStatistic{"mean", &E2eFigures::mean, 0}, E2eStatistic{"p50", &E2eFigures::p50, 0.5},
    E2eStatistic{"p95", &E2eFigures::p95, 0.95}, E2eStatistic{"p99", &E2eFigures::p99, 0.99}};

GateFigure timeFigure(const PopulationSummary& summary, const E2eStatistic& statistic)
{
    GateFigure figure{FigureUnit::Time, {}, {}, {}, noBefore};
    const std::size_t needed = statistic.p == 0 ? 1 : minimumForValue(statistic.p);
    if (summary.e2e.n >= needed)
        figure.after = double(toNs(summary.e2e.*statistic.figure));
    else
        figure.missing = fmt::format("needs {} complete traces, have {}", needed, summary.e2e.n);
    return figure;
}

const StageFigures* findStage(const std::vector<StageFigures>& stages, std::string_view name)
{
    for (const StageFigures& stage : stages) {
        if (stage.stage == name)
            return &stage;
        if (const StageFigures* found = findStage(stage.substages, name))
            return found;
    }
    return nullptr;
}

std::optional<GateFigure> stageFigure(const PopulationSummary& summary, std::string_view statistic)
{
    const std::size_t dot = statistic.rfind('.');
    const std::string_view what = dot == std::string_view::npos ? "" : statistic.substr(dot + 1);
    if (what != "mean" && what != "share")
        return std::nullopt;
    GateFigure figure{what == "mean" ? FigureUnit::Time : FigureUnit::Share, {}, {}, {}, noBefore};
    const StageFigures* stage = findStage(summary.stages, statistic.substr(0, dot));
    if (stage == nullptr || summary.e2e.n == 0)
        figure.missing = fmt::format("the stage {} is on no critical path of these traces", statistic.substr(0, dot));
    else
        figure.after = what == "share" ? stage->share : double(toNs(stage->critical)) / double(summary.e2e.n);
    return figure;
}

} // namespace

Proportion failedRequests(const TraceColumns& columns, const Population& population)
{
    Proportion failed{0, population.included.size()};
    for (const std::uint32_t trace : population.included)
        if (columns.spans.flags[columns.firstSpan[trace] + std::size_t(population.traces[trace].root)].isError())
            ++failed.successes;
    return failed;
}

std::optional<GateFigure> singleFigure(
    const PopulationSummary& summary, Proportion failed, const DeploymentFigures& figures, std::string_view statistic)
{
    for (const E2eStatistic& each : e2eStatistics)
        if (statistic == each.name)
            return timeFigure(summary, each);
    if (statistic == "error_rate")
        return GateFigure{FigureUnit::Share, {}, failed.rate(), {}, failed.rate() ? noBefore : "there is no complete trace"};
    constexpr std::string_view prefix = "stage.";
    if (statistic.starts_with(prefix))
        return stageFigure(summary, statistic.substr(prefix.size()));
    std::optional<GateFigure> figure = deploymentFigure(figures, figures, statistic);
    if (!figure)
        return std::nullopt;
    figure->before.reset();
    figure->difference.reset();
    if (figure->after)
        figure->missing = noBefore;
    return figure;
}

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
