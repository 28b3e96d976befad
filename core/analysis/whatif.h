// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What would happen if: every trace of a population replayed with the same changes, and the figures of the result.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/checkfacts.h"
#include "core/analysis/clusters.h"
#include "core/analysis/population.h"
#include "core/analysis/replay.h"
#include "core/analysis/statistics.h"
#include "core/analysis/summary.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// One change. Written NAME=VALUE: "stage.generate=x0.5", "stage.rerank=+60ms", "retry_rate=0.03", "cache_hit=0.3", ...
struct WhatIfSetting {
    enum class Kind : std::uint8_t {
        ScaleStage, // stage.NAME=xF: all own time of the stage takes F of its time
        AddToStage, // stage.NAME=+D or -D: to each of its calls; where a trace has none, a step behind everything else
        RetryRate, // retry_rate=R: share of requests that are retried
        RouterAccuracy, // router_accuracy=A: share of requests that no fallback or escalation follows
        CacheHit, // cache_hit=H: share of generate calls answered by a cache
        CacheLookup, // cache_lookup=D: what asking that cache takes; 0 when absent
        SpeculativeAcceptance, // spec_accept=A: share of drafted tokens that are accepted; decode time changes
        DraftLength, // spec_draft=N: tokens drafted at a time; 4 when absent
        DraftCost, // spec_cost=C: a step of the draft over one of the model; 0.1 when absent
        Failure, // failure.STAGE=Q: share of calls that fail when they are done
        Fallback, // fallback.STAGE=D: what follows a failure; the call once more when absent; "none": the request fails
        Timeout, // timeout.STAGE=D: what a failing call takes; as long as it took when absent
        Retry, // retry.STAGE=P: share of attempts that fail; observed retries are taken out first
        RetryMost, // retry_max.STAGE=N: retries after the first attempt; 3 when absent
        RetryBackoff, // retry_backoff.STAGE=D: before the first retry; 0 when absent
        RetryGrowth, // retry_growth.STAGE=F: of the backoff from retry to retry; 2 when absent
        Load, // load=xF: requests arrive F times as often
        Servers, // servers.STAGE=N: how many work in parallel; makes waits depend on the load
    };
    Kind kind{};
    std::string stage;
    double number = 0; // factor, share, count; ns of a time; -1 for "none"
    std::string text; // as written
};

/// Fails with InvalidArgument, which says what can be set and how.
[[nodiscard]] Result<WhatIfSetting> parseWhatIf(std::string_view text);

/// How strictly times are read as waits.
enum class WaitReading : std::uint8_t {
    Pessimistic, // a span waits for all that ended before it began
    Learned, // but for operations that some trace shows not to wait; the same below 20 traces
    Declared, // but for what links and rules declare: those spans wait for what is named and for nothing else
};

struct WhatIfFigures {
    E2eFigures e2e;
    std::vector<Duration> stageMean; // by top-level stage of WhatIfResult::stages; rounded
    std::string bottleneck;
};

/// What a formula behind a prediction was given and gave: shares, times in ns, counts, by name.
struct WhatIfModel {
    std::string kind; // "cache", "failure", "retry", "retry_rate", "router", "speculation", "queue"
    std::string stage; // or ""
    std::vector<std::pair<std::string, double>> numbers;
};

struct StageCeiling {
    std::string stage;
    double speedup = 1; // of the mean, if the stage took no time at all
    Duration p95 = unknownDuration;
};

struct WhatIfResult {
    std::vector<std::string> stages; // top level, by name
    WhatIfFigures base;
    WhatIfFigures predicted;
    std::optional<Duration> pessimisticMean; // of predicted, when the reading makes a difference
    std::vector<std::pair<WaitReading, E2eFigures>> readings; // predicted under each that applies, when they differ
    double fidelity = 1; // share of traces whose replay without a change gives their time to the nanosecond
    std::size_t traces = 0;
    std::optional<Interval> meanInterval; // 95 % of predicted - base, ns, paired over traces
    std::optional<Interval> p95Interval;
    std::vector<StageCeiling> ceilings; // by speed-up, largest first; when asked for
    std::vector<std::string> notes; // assumptions that the figures rest on
    std::vector<WhatIfModel> models; // in the order of their kinds
    double failedShare = 0; // of the requests that fail for good as predicted; each ends where it fails
};

[[nodiscard]] const char* waitReadingName(WaitReading reading); // "pessimistic", "learned", "declared"

class Scenario;

/// A population ready to be replayed. Everything it is made of must outlive it.
class WhatIf {
public:
    /// Learns which operations wait for which, once. \a retries may be null: then retry_rate and router_accuracy cannot be set; \a facts
    /// too: then no lookup in a cache is known to have hit.
    [[nodiscard]] static Result<WhatIf> create(const TraceColumns& columns, const StageMap& stages, const Population& population,
        const RetryAnalysis* retries, const PathOptions& options, unsigned threads, const JobControl& job,
        const DeclaredOrders& declared = {}, const CheckFacts* facts = nullptr);

    struct Options {
        std::uint64_t seed = 1; // for what is drawn by chance: the same trace draws the same in every scenario
        WaitReading reading = WaitReading::Learned;
        bool readings = true; // the prediction under every reading of waits, beside the one asked for
        bool ceilings = false;
        bool intervals = false;
        unsigned replicates = 400;
        const RowClusters* clusters = nullptr; // of the included traces, in their order: intervals draw whole ones
        std::string cluster = {}; // what these are: "session", ...
    };
    /// Replays all included traces. Nothing set gives base == predicted. Fails with InvalidArgument when a setting cannot be
    /// applied to this population (says what is missing), with an unstable queue, or Cancelled.
    [[nodiscard]] Result<WhatIfResult> run(const std::vector<WhatIfSetting>& settings, const Options& options, const JobControl& job) const;

    /// The factor that the time of \a stage must take for the quantile \a p of the end-to-end time to be at most \a target; 1 when it
    /// is already, nothing when even 0 does not reach it.
    [[nodiscard]] Result<std::optional<double>> factorNeeded(
        const std::string& stage, double p, Duration target, const Options& options, const JobControl& job) const;

private:
    /// What a replay of all included traces came to, in their order.
    struct Outcome {
        std::vector<Duration> e2e;
        std::vector<Duration> onPath; // sums by stage
        std::size_t failed = 0;
    };
    WhatIf() = default;
    [[nodiscard]] Result<Outcome> replayAll(const Scenario* scenario, WaitReading reading, const JobControl& job) const;
    [[nodiscard]] Outcome observed() const;
    [[nodiscard]] Result<void> learn(const JobControl& job);
    void setFigures(WhatIfFigures& figures, const std::vector<std::string>& stages, const Outcome& outcome) const;
    [[nodiscard]] Result<void> setReadings(
        WhatIfResult& result, const Scenario& scenario, const Outcome& predicted, WaitReading reading, const JobControl& job) const;
    void setIntervals(WhatIfResult& result, const Outcome& base, const Outcome& predicted, const Options& options) const;
    [[nodiscard]] Result<void> setCeilings(WhatIfResult& result, const Outcome& base, const Options& options, const JobControl& job) const;

    const TraceColumns* m_columns = nullptr;
    const StageMap* m_stages = nullptr;
    const Population* m_population = nullptr;
    const RetryAnalysis* m_retries = nullptr;
    const CheckFacts* m_facts = nullptr;
    PathOptions m_options;
    unsigned m_threads = 0;
    BrokenOrders m_broken;
    DeclaredOrders m_declared;
    double m_fidelity = 1;
};

} // namespace chokepoint
