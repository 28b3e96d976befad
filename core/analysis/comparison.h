// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before against after: is it faster end to end, is that real, what paid for it, and what is the bottleneck now.
#pragma once

#include "core/analysis/population.h"
#include "core/analysis/statistics.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

struct CompareOptions {
    std::uint64_t seed = 1;
    unsigned replicates = 2000;
    unsigned threads = 0;
    /// A change below this share of BEFORE's mean, or below this time, is not relevant (4.4).
    double relevantShare = 0.01;
    Duration relevantTime = std::chrono::milliseconds(1);
};

enum class Statistic : std::uint8_t { Mean, P50, P95, P99 };
[[nodiscard]] const char* statisticName(Statistic statistic); // "mean", "p50", ...

/// One end-to-end statistic on both sides. Fields are unknown (nullopt, unknownDuration) where the sample is too small.
struct E2eRow {
    Statistic statistic{};
    Duration before = unknownDuration;
    Duration after = unknownDuration;
    std::optional<Interval> beforeInterval; // 95 %, ns
    std::optional<Interval> afterInterval;
    Duration delta = unknownDuration; // after - before
    std::optional<double> change; // delta / before; none when before is 0
    std::optional<Interval> interval; // 95 % of delta, ns; none below the minimum size
    bool significant = false; // the interval excludes 0
    std::string shortfall; // "needs 100 traces a side, have 40", or empty
};

/// One top-level stage on both sides, on-path. Stages of either side; absent ones have zero time.
struct StageRow {
    std::string stage;
    std::string label;
    Duration beforeMean{}; // rounded for display; the exact sums are below
    Duration afterMean{};
    Duration contribution{}; // integer ns; contributions of all rows add up to the mean's delta exactly (largest remainder)
    std::optional<Interval> interval; // 95 %, cluster bootstrap over traces
    double beforeShare = 0; // of all end-to-end time, ratio of sums
    double afterShare = 0;
    unsigned beforeRank = 0; // from 1, by share; ties by name
    unsigned afterRank = 0;
    Interval beforeRankInterval; // 95 % of the rank's bootstrap distribution
    Interval afterRankInterval;
    bool significant = false; // Holm-corrected within the stages, and relevant (4.4)
    double beforePresence = 0; // share of traces with the stage on path
    double afterPresence = 0;
    std::vector<StageRow> substages; // one level; without ranks and significance
};

struct BottleneckVerdict {
    std::string before; // "" when there is no population
    std::string after;
    std::vector<std::string> jointBefore; // near ties with the top one (3), the top included
    std::vector<std::string> jointAfter;
    bool moved = false; // tops differ in >= 95 % of joint replicates and the new top is ahead for certain
    bool mayHaveMoved = false; // point tops differ, without that support
    double confidence = 0; // share of replicates in which the tops are as reported
    std::string why; // "the old one shrank", "another grew", "both", "a new path appeared", or ""
};

enum class VerdictKind : std::uint8_t { Faster, Slower, NoReliableChange, Mixed, NotEnoughData, Identical };

/// Latency of one (service, span name) group on both sides, over finished spans (bugs.md 14, 15).
struct GroupRow {
    std::string service;
    std::string name;
    std::uint64_t countBefore = 0;
    std::uint64_t countAfter = 0;
    Duration p50Before = unknownDuration;
    Duration p50After = unknownDuration;
    Duration p50Delta = unknownDuration;
    std::optional<double> p50Percent; // (after - before) / before * 100; 0 -> 0 is 0; none for 0 -> more
    std::uint64_t errorsBefore = 0;
    std::uint64_t errorsAfter = 0;
};

struct Comparison {
    std::size_t tracesBefore = 0; // included ones
    std::size_t tracesAfter = 0;
    VerdictKind verdict = VerdictKind::NotEnoughData;
    std::string sentence; // the sentence every screen serves, from fixed templates
    std::vector<E2eRow> e2e; // mean, p50, p95, p99
    std::vector<StageRow> stages; // by before mean + after mean, largest first
    BottleneckVerdict bottleneck;
    bool comparable = true;
    std::vector<std::string> reasons; // why not comparable, or what to keep in mind
    double errorRateBefore = 0; // traces whose root is an error
    double errorRateAfter = 0;
    std::uint64_t excludedBefore = 0;
    std::uint64_t excludedAfter = 0;
    CompareOptions options;
};

/// One side of a comparison. All references outlive the call.
struct ComparisonSide {
    const TraceColumns& columns;
    const StageMap& stages;
    const Population& population;
    std::string label;
};

/// Deterministic for a seed, whatever the number of threads. Swapping the sides negates every delta, contribution and
/// interval exactly; a side against itself is Identical.
[[nodiscard]] Result<Comparison> compare(
    const ComparisonSide& before, const ComparisonSide& after, const CompareOptions& options, const JobControl& job);

/// Groups by (service, name), over every span of both sides; ordered by service, then name.
[[nodiscard]] std::vector<GroupRow> compareGroups(const TraceColumns& before, const TraceColumns& after);

} // namespace chokepoint
