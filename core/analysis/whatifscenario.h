// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a what-if as edits of each trace. Whatever depends on chance is drawn from the trace, the span and the seed, so
// that scenarios differ by their settings alone.
#pragma once

#include "core/analysis/whatif.h"

namespace chokepoint {

/// Calls of a stage: its spans that lie in no other one of it.
template <typename Visit>
void forEachCall(const TraceView& view, const StageMap& stages, std::uint64_t firstSpan, StageId stage, Visit&& visit)
{
    const auto isOf = [&](std::size_t i) {
        const StageId own = stages.stage[firstSpan + i];
        return own == stage || stages.table->topLevel(own) == stage;
    };
    for (std::uint32_t i = 0; i < view.size(); ++i)
        if (isOf(i) && (view.parent[i] < 0 || !isOf(std::size_t(view.parent[i]))))
            visit(i);
}

/// What all traces share.
class Scenario {
public:
    /// \a retries and \a facts may be null. Fails with InvalidArgument as WhatIf::run().
    [[nodiscard]] static Result<Scenario> create(const std::vector<WhatIfSetting>& settings, std::uint64_t seed,
        const TraceColumns& columns, const StageMap& stages, const Population& population, const RetryAnalysis* retries,
        const CheckFacts* facts = nullptr);

    /// The edits of one trace, valid until the next call.
    [[nodiscard]] const ReplayEdits& editsOf(std::size_t trace);
    [[nodiscard]] const std::vector<std::string>& notes() const { return m_notes; }
    [[nodiscard]] const std::vector<WhatIfModel>& models() const { return m_models; }
    [[nodiscard]] bool isNothing() const { return m_isNothing; }

private:
    /// Repeats of one kind, taken out or put in until the wanted share of requests has them.
    struct Repeats {
        bool isSet = false;
        bool areRetries = true; // else fallbacks
        double wanted = 0;
        double observed = 0;
        std::vector<ReplayEdits::Tail> pool; // what the repeats of one request took, to draw from
        std::vector<std::uint8_t> has; // by trace
    };

    /// Calls of a stage and their waits; ns.
    struct ObservedQueue {
        std::vector<double> between; // from one call's begin to the next one's
        std::vector<double> services; // of each call, without its wait
        double waited = 0; // of all calls
        double extent = 0; // from the first begin to the last
    };

    [[nodiscard]] Result<void> apply(const WhatIfSetting& setting);
    [[nodiscard]] Result<StageId> stageOf(const WhatIfSetting& setting) const;
    [[nodiscard]] Result<void> setRepeats(const WhatIfSetting& setting, bool areRetries);
    [[nodiscard]] Result<void> setCache(const std::vector<WhatIfSetting>& settings);
    [[nodiscard]] Result<void> setFailures(const std::vector<WhatIfSetting>& settings);
    [[nodiscard]] Result<void> setPolicies(const std::vector<WhatIfSetting>& settings);
    [[nodiscard]] Result<void> setSpeculation(const std::vector<WhatIfSetting>& settings);
    [[nodiscard]] Result<void> setQueues(const std::vector<WhatIfSetting>& settings);
    [[nodiscard]] ObservedQueue observedQueue(StageId stage, StageId queue) const;
    [[nodiscard]] Result<void> setQueue(StageId stage, unsigned servers, double load);
    [[nodiscard]] bool counts(const AttemptGroup& group, bool areRetries) const;
    [[nodiscard]] double drawn(std::size_t trace, std::uint64_t what) const;
    void scale(StageId stage, double factor);
    void editRepeats(const Repeats& repeats, std::size_t trace);
    void stripGroup(const AttemptGroup& group, const TraceView& view);
    void editCalls(std::size_t trace);
    void editCached(std::size_t trace);
    void editFailing(std::size_t trace);
    template <typename Visit> void forEachCallAfter(std::size_t trace, Visit&& visit) const;
    [[nodiscard]] bool isLeftOut(std::uint32_t span) const;
    void addMissingStages(std::size_t trace);
    void sortSpans();

    const TraceColumns* m_columns = nullptr;
    const StageMap* m_stages = nullptr;
    const Population* m_population = nullptr;
    const RetryAnalysis* m_retries = nullptr;
    std::uint64_t m_seed = 1;
    ReplayEdits m_edits; // of all traces: factor and added
    ReplayEdits m_trace; // of the trace asked for last
    std::vector<StageId> m_addedStages; // to be created where a trace has none
    Repeats m_retry;
    Repeats m_route;
    std::optional<double> m_cacheHit;
    std::int64_t m_cacheLookup = 0;
    StageId m_generate = StageTable::noStage;
    /// The first lookup of a trace in a cache that was there.
    struct Lookup {
        enum Outcome : std::uint8_t { None, Hit, Miss };
        Outcome outcome = None;
        Timestamp end = unknownTime;
    };
    std::vector<Lookup> m_lookups; // by trace; empty: the traces look nothing up
    double m_observedHits = 0; // share of the lookups
    std::vector<std::int64_t> m_missPool; // ns that generate calls after a miss kept the request waiting
    struct FailureEdit {
        StageId stage{};
        double share = 0;
        std::optional<std::int64_t> fallback; // ns; below 0: none, the request fails
        std::optional<std::int64_t> timeout; // ns that a failing call takes; as long as it took when absent
    };
    std::vector<FailureEdit> m_failures;
    /// Attempts of a stage's calls that fail one by one.
    struct RetryPolicy {
        StageId stage{};
        double share = 0; // of the attempts that fail
        unsigned most = 3; // retries after the first attempt; when the last one fails too, the request fails
        double backoff = 0; // ns before the first retry
        double growth = 2; // of the backoff from retry to retry
        std::vector<std::int64_t> pool; // ns of the observed calls
    };
    void describe(const RetryPolicy& policy);
    [[nodiscard]] double repeatedBy(StageId stage, std::size_t calls) const;
    void stripObserved(const RetryPolicy& policy, std::size_t trace);
    void editRetried(const RetryPolicy& policy, std::size_t trace);
    std::vector<RetryPolicy> m_policies;
    std::vector<std::uint32_t> m_leftOut; // spans of the trace whose length an edit says, ascending
    const CheckFacts* m_facts = nullptr;
    std::vector<WhatIfModel> m_models;
    std::vector<std::string> m_notes;
    bool m_isNothing = true;
};

} // namespace chokepoint
