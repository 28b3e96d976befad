// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before against after: is it faster end to end, is that real, what paid for it, and what is the bottleneck now.
#pragma once

#include "core/analysis/population.h"
#include "core/analysis/ranktests.h"
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
    /// What intervals draw together: "session", "user", "replica", "minute" or the key of an attribute; empty: each trace by itself.
    std::string cluster;
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
    std::optional<Interval> welch; // of the mean alone: 95 % of delta by Welch's t, beside the bootstrap
    bool significant = false; // the interval excludes 0
    bool equivalent = false; // the 90 % interval lies inside +- the relevant change (4.4): equal for all purposes
    Duration noise = unknownDuration; // 95 % of the splits of BEFORE into two halves differ by less
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
    std::optional<Interval> simultaneous; // 95 % for all top-level stages together, from the largest |t| of each replicate
    double beforeShare = 0; // of all end-to-end time, ratio of sums
    double afterShare = 0;
    unsigned beforeRank = 0; // from 1, by share; ties by name
    unsigned afterRank = 0;
    Interval beforeRankInterval; // 95 % of the rank's bootstrap distribution
    Interval afterRankInterval;
    bool significant = false; // Holm-corrected within the stages, and relevant (4.4)
    double p = 1; // Holm-adjusted
    double q = 1; // Benjamini-Hochberg, for exploration
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

/// All requests of one side against all of the other, by rank (4.4).
struct WholeTest {
    RankTest rank;
    Duration shift = unknownDuration; // Hodges-Lehmann
};

/// Latency of the requests whose root is no error; a deployment that fails more is not faster.
struct SuccessRow {
    Statistic statistic{};
    Duration before = unknownDuration; // unknown where the sample is too small
    Duration after = unknownDuration;
};

/// What a stage adds to a quantile of the end-to-end time (Harrell-Davis; section 3).
struct QuantileStage {
    std::string stage;
    Duration before{};
    Duration after{};
    Duration contribution{}; // add up to the quantile's delta exactly
};

struct QuantileSplit {
    Statistic statistic{};
    Duration before = unknownDuration; // the Harrell-Davis estimate, near the familiar one but not the same
    Duration after = unknownDuration;
    Duration delta = unknownDuration;
    std::vector<QuantileStage> stages; // by before + after, largest first
    std::string bottleneckBefore; // "" when too few
    std::string bottleneckAfter;
    std::string shortfall;
};

/// One side of a band of requests.
struct BandSide {
    std::size_t traces = 0;
    Duration mean = unknownDuration; // unknown below 5 traces
    std::vector<Duration> stages; // add up to the mean exactly; empty below 5 traces
    std::optional<std::uint32_t> exemplar; // trace index of the request whose stages are nearest to these
    std::string exemplarId;
};

struct BandRow {
    std::string name; // "median", "tail", "extreme"
    std::vector<std::string> stages;
    BandSide before;
    BandSide after;
};

struct MixStratum {
    std::string name;
    std::size_t before = 0;
    std::size_t after = 0;
    Duration beforeMean = unknownDuration;
    Duration afterMean = unknownDuration;
};

struct MixStage {
    std::string stage;
    Duration mix{};
    Duration within{};
    Duration traffic{};
};

/// The change of the mean, split into the change of the kinds of requests and the change within them (4.5).
struct MixShift {
    Duration mix{}; // kinds that both sides have became more or less frequent
    Duration within{}; // like for like
    Duration traffic{}; // kinds that one side alone has
    double p = 1; // that both sides have the same mix
    bool matters = false; // p < 0.01, or mix and traffic exceed 20 % of the change
    bool simpson = false; // like for like it went the other way
    bool isThin = false; // some kind has fewer than 10 requests on a side
    std::vector<MixStratum> strata; // by name
    std::vector<MixStage> stages;
    /// Mean, P50, P95 and P99 of AFTER with the kinds as frequent as in BEFORE (kinds of both sides alone). Unknown where the weights
    /// leave too few requests.
    std::array<Duration, 4> reweighted{unknownDuration, unknownDuration, unknownDuration, unknownDuration};
    double effectiveRequests = 0; // of AFTER behind them: (sum of weights)^2 / sum of their squares
};

/// What the intervals of one side draw.
struct ResampledSide {
    std::size_t clusters = 0;
    std::size_t largest = 0; // traces of the largest cluster
    std::size_t unnamed = 0; // traces without a value, each drawn by itself
};

/// Clusters of both sides (4.1).
struct ResampledUnit {
    std::string name; // CompareOptions::cluster
    ResampledSide before;
    ResampledSide after;
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
    std::optional<WholeTest> test; // none when a side is empty
    std::vector<QuantileSplit> quantiles; // p50, p95, p99
    std::vector<BandRow> bands;
    std::optional<MixShift> mix; // none when there is one kind of request
    std::optional<ResampledUnit> unit; // none when each trace is drawn by itself
    bool comparable = true;
    std::vector<std::string> reasons; // why not comparable, or what to keep in mind
    std::vector<SuccessRow> successes; // mean, p50, p95, p99; empty when no request failed
    std::optional<BrunnerMunzel> unequalSpreads; // of all requests; none below 2 a side
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
    const std::vector<std::string>* kinds = nullptr; // of request, by trace, for the split of the mix; the root's name when absent
    const std::vector<std::string>* clusters = nullptr; // names by trace, "" for one by itself; see rowClusters()
};

/// Deterministic for a seed, whatever the number of threads. Swapping the sides negates every delta, contribution and
/// interval exactly; a side against itself is Identical.
[[nodiscard]] Result<Comparison> compare(
    const ComparisonSide& before, const ComparisonSide& after, const CompareOptions& options, const JobControl& job);

/// Groups by (service, name), over every span of both sides; ordered by service, then name.
[[nodiscard]] std::vector<GroupRow> compareGroups(const TraceColumns& before, const TraceColumns& after);

} // namespace chokepoint
