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
    /// \a retries may be null. Fails with InvalidArgument as WhatIf::run().
    [[nodiscard]] static Result<Scenario> create(const std::vector<WhatIfSetting>& settings, std::uint64_t seed,
        const TraceColumns& columns, const StageMap& stages, const Population& population, const RetryAnalysis* retries);

    /// The edits of one trace, valid until the next call.
    [[nodiscard]] const ReplayEdits& editsOf(std::size_t trace);
    [[nodiscard]] const std::vector<std::string>& notes() const { return m_notes; }
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

    [[nodiscard]] Result<void> apply(const WhatIfSetting& setting);
    [[nodiscard]] Result<StageId> stageOf(const WhatIfSetting& setting) const;
    [[nodiscard]] Result<void> setRepeats(const WhatIfSetting& setting, bool areRetries);
    [[nodiscard]] Result<void> setSpeculation(const std::vector<WhatIfSetting>& settings);
    [[nodiscard]] Result<void> setQueues(const std::vector<WhatIfSetting>& settings);
    [[nodiscard]] Result<void> setQueue(StageId stage, unsigned servers, double load);
    [[nodiscard]] bool counts(const AttemptGroup& group, bool areRetries) const;
    [[nodiscard]] double drawn(std::size_t trace, std::uint64_t what) const;
    void scale(StageId stage, double factor);
    void editRepeats(const Repeats& repeats, std::size_t trace);
    void stripGroup(const AttemptGroup& group, const TraceView& view);
    void editCalls(std::size_t trace);
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
    struct FailureEdit {
        StageId stage{};
        double share = 0;
        std::optional<std::int64_t> fallback;
    };
    std::vector<FailureEdit> m_failures;
    std::vector<std::string> m_notes;
    bool m_isNothing = true;
};

} // namespace chokepoint
