// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a faster stage should have given by Amdahl's law, what it gave, and where the difference went (algorithms.md 4.7).
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/comparison.h"

#include <string>
#include <vector>

namespace chokepoint {

/// One side of a comparison with what a replay of it needs. All references outlive the call.
struct AmdahlSide {
    const ComparisonSide& side;
    const PathOptions& path;
    const RetryAnalysis* retries = nullptr; // without it only backoff counts as retry
};

/// A part of the distance between prediction and outcome; positive where the outcome is slower for it.
struct AmdahlTerm {
    /// "critical-path": other work hides behind the stage, by replay; "stage:NAME": another stage changed, or the stage itself did so
    /// on the path otherwise than on average; "retries", "queue": time in attempts that were replaced, and in queues; "mix": other
    /// requests came; "rest".
    std::string what;
    Duration time{};
};

/// A stage that got faster. All figures are of means over requests.
struct AmdahlRow {
    std::string stage;
    std::string label;
    double factor = 1; // useful own time of the stage a request, after / before, for the same mix of requests
    double stageSpeedup = 1; // 1 / factor; infinity when nothing is left of it
    double shareBefore = 0; // of the time on the path, as in StageRow
    double predictedSpeedup = 1; // end to end
    double ceilingSpeedup = 1; // if the stage took no time; infinity when it was everything
    double actualSpeedup = 1;
    Duration predicted{}; // mean after, if nothing else had changed and nothing else had been in the way
    Duration gap{}; // mean after - predicted
    std::vector<AmdahlTerm> terms; // add up to gap exactly; largest first, "rest" last, none of 0 ns
    bool significant = false; // as in StageRow
};

/// A statistic of AFTER as the replay of BEFORE gives it, and as it came.
struct BacktestRow {
    Statistic statistic{};
    Duration before = unknownDuration;
    Duration predicted = unknownDuration;
    Duration actual = unknownDuration;
    std::optional<double> error; // predicted / actual - 1
    Duration withRetries = unknownDuration; // predicted with AFTER's share of retried requests as well; unknown where that cannot be
};

struct BacktestFactor {
    std::string stage;
    double factor = 1;
    Duration predicted{}; // mean on path
    Duration actual{};
};

/// BEFORE replayed with the achieved factors of all its stages, against AFTER.
struct Backtest {
    std::size_t traces = 0; // replayed ones
    std::vector<BacktestRow> rows; // mean, p50, p95
    std::vector<BacktestFactor> factors; // by name: stages whose time changed
    std::vector<std::string> unpredicted; // stages of AFTER that BEFORE does not have
};

struct AmdahlAnalysis {
    std::vector<AmdahlRow> stages; // largest predicted speed-up first, then by name
    std::optional<Backtest> backtest; // none when BEFORE cannot be replayed, or nothing changed
    std::string shortfall; // why there is no replay, or ""
};

/// Stages of both sides that got faster by at least the relevant change of \a comparison, which is of the same sides. Deterministic,
/// whatever the number of threads and the order of the input. With more than replayedAtMost traces so many are replayed. Fails with
/// Cancelled only.
[[nodiscard]] Result<AmdahlAnalysis> analyseAmdahl(
    const AmdahlSide& before, const AmdahlSide& after, const Comparison& comparison, const JobControl& job);

inline constexpr std::size_t replayedAtMost = 5000;

} // namespace chokepoint
