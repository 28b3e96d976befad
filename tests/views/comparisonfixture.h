// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison by hand: a service that became 24 % faster while its queue became the bottleneck.
#pragma once

#include "views/compare/comparefigures.h"

#include <algorithm>
#include <memory>

namespace chokepoint::fixture {

struct StageTimes {
    const char* stage;
    const char* label;
    int beforeMs;
    int afterMs;
    bool significant;
};

inline constexpr StageTimes stageTimes[] = {{"queue", "Queue", 120, 560, true}, {"retrieve", "Retrieve", 240, 220, false},
    {"rerank", "Rerank", 380, 95, true}, {"assemble", "Assemble", 310, 300, false}, {"generate", "Generate", 820, 420, true},
    {"validate", "Validate", 90, 85, false}, {"backoff", "Backoff", 340, 70, true}};

inline E2eRow e2eRow(Statistic statistic, int beforeMs, int afterMs, int lowMs, int highMs)
{
    E2eRow row;
    row.statistic = statistic;
    row.before = std::chrono::milliseconds(beforeMs);
    row.after = std::chrono::milliseconds(afterMs);
    row.delta = row.after - row.before;
    row.change = double(afterMs - beforeMs) / beforeMs;
    row.interval = Interval{lowMs * 1e6, highMs * 1e6};
    row.significant = row.interval->excludesZero();
    return row;
}

inline void rank(std::vector<StageRow>& stages, Duration StageRow::*mean, unsigned StageRow::*rank)
{
    std::vector<StageRow*> order;
    for (StageRow& row : stages)
        order.push_back(&row);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](const StageRow* row) { return row->*mean; });
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i]->*rank = unsigned(i + 1);
}

/// Means 2,300 ms before and 1,750 ms after; P99 without enough traces.
inline std::shared_ptr<Comparison> comparison()
{
    auto result = std::make_shared<Comparison>();
    result->tracesBefore = 400;
    result->tracesAfter = 400;
    result->verdict = VerdictKind::Faster;
    result->sentence = "v1.9 is 24 % faster on average; queue is now the bottleneck";
    result->e2e = {e2eRow(Statistic::Mean, 2300, 1750, -620, -480), e2eRow(Statistic::P50, 2010, 1640, -402, -342),
        e2eRow(Statistic::P95, 4820, 3060, -1930, -1590), e2eRow(Statistic::P99, 8900, 4410, -4900, 120)};
    result->e2e[3].shortfall = "needs 500 traces a side, has 400";
    for (const StageTimes& times : stageTimes) {
        StageRow row;
        row.stage = times.stage;
        row.label = times.label;
        row.beforeMean = std::chrono::milliseconds(times.beforeMs);
        row.afterMean = std::chrono::milliseconds(times.afterMs);
        row.contribution = row.afterMean - row.beforeMean;
        row.beforeShare = times.beforeMs / 2300.0;
        row.afterShare = times.afterMs / 1750.0;
        row.significant = times.significant;
        result->stages.push_back(row);
    }
    rank(result->stages, &StageRow::beforeMean, &StageRow::beforeRank);
    rank(result->stages, &StageRow::afterMean, &StageRow::afterRank);
    for (StageRow& row : result->stages) {
        row.beforeRankInterval = {double(row.beforeRank), double(row.beforeRank)};
        row.afterRankInterval = {double(row.afterRank), double(row.afterRank)};
    }
    result->bottleneck.before = "generate";
    result->bottleneck.after = "queue";
    result->bottleneck.moved = true;
    result->bottleneck.confidence = 0.998;
    result->errorRateBefore = 0.0105;
    result->errorRateAfter = 0.001;
    return result;
}

inline CompareFigures figures()
{
    CompareFigures result;
    result.comparison = comparison();
    result.beforeLabel = QStringLiteral("v1.8");
    result.afterLabel = QStringLiteral("v1.9");
    return result;
}

} // namespace chokepoint::fixture
