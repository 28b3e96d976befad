// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sums and quantiles of one population.
#include "views/session/profile.h"

#include "core/analysis/summary.h"
#include "views/format/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

struct StatisticRule {
    Statistic statistic;
    double p; // < 0: the mean
};
constexpr std::array statisticRules{StatisticRule{Statistic::Mean, -1}, StatisticRule{Statistic::P50, 0.50},
    StatisticRule{Statistic::P95, 0.95}, StatisticRule{Statistic::P99, 0.99}};

E2eRow e2eRow(const StatisticRule& rule, std::span<const Duration> sorted)
{
    E2eRow row;
    row.statistic = rule.statistic;
    if (rule.p < 0) {
        row.before = mean(sorted);
        return row;
    }
    if (sorted.size() >= minimumForValue(rule.p)) {
        row.before = quantile(sorted, rule.p);
        row.beforeInterval = quantileInterval(sorted, rule.p);
    }
    if (sorted.size() < minimumForInterval(rule.p))
        row.shortfall = QCoreApplication::translate("Profile", "needs %1 traces, has %2")
                            .arg(countText(minimumForInterval(rule.p)), countText(sorted.size()))
                            .toStdString();
    return row;
}

std::vector<StageRow> stageRows(const PopulationSummary& summary)
{
    std::vector<StageRow> rows;
    for (const StageFigures& stage : summary.stages) {
        StageRow row;
        row.stage = stage.stage;
        row.label = stage.label;
        row.beforeMean = Duration{toNs(stage.critical) / std::int64_t(summary.e2e.n)};
        row.beforeShare = stage.share;
        row.beforeRank = unsigned(rows.size() + 1);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

Comparison profileOf(const Dataset& dataset)
{
    const Population& population = dataset.population;
    Comparison profile;
    profile.tracesBefore = population.included.size();
    profile.excludedBefore = population.excludedNoRoot + population.excludedOpen;
    std::vector<Duration> e2e = population.e2e();
    std::ranges::sort(e2e);
    for (const StatisticRule& rule : statisticRules)
        profile.e2e.push_back(e2eRow(rule, e2e));
    const PopulationSummary summary = summarise(dataset.columns, population);
    if (const StageFigures* top = summary.bottleneck()) {
        profile.stages = stageRows(summary);
        profile.bottleneck.before = top->stage;
    }
    const auto failed = std::ranges::count_if(population.included, [&](std::uint32_t trace) {
        const std::int32_t root = population.traces[trace].root;
        return root >= 0 && dataset.columns.trace(trace).flags[std::size_t(root)].isError();
    });
    profile.errorRateBefore = e2e.empty() ? 0 : double(failed) / double(e2e.size());
    return profile;
}

} // namespace chokepoint
