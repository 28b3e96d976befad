// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sub-stages that one span of an engine tells of itself: how long it waited, read the prompt and wrote the answer.
#pragma once

#include "core/analysis/stagefacts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace chokepoint {

/// Collects latencies of spans and turns them into parts once their units are known. The same key has other units in other
/// programs, so each (resource, scope, key) takes the unit that most of its spans agree on; a span whose values fit no
/// unit has no parts.
class DerivedStages {
public:
    explicit DerivedStages(const StageRules& rules);

    /// \a span: index in the population. Spans must come in ascending order. Unknown or zero durations are left out.
    void add(std::uint64_t span, Duration duration, ResourceId resource, ScopeId scope, const LatencyReadings& readings,
        const Dictionary& dictionary);
    /// The same for an engine that records points in time, of a span of \a stage; all offsets are from the span's start.
    void addEvents(std::uint64_t span, Duration duration, StageId stage, const EngineEvents& events);
    /// Parts by span, then begin; disjoint, within the span, none empty.
    [[nodiscard]] std::vector<DerivedPart> parts() const;
    /// Latencies that fit no unit, and keys on whose unit the spans of one program do not agree.
    [[nodiscard]] std::vector<StageDoubt> doubts(const Dictionary& dictionary) const;

private:
    struct Row {
        std::uint64_t span = 0;
        Duration duration{};
        ResourceId resource{};
        ScopeId scope{};
        LatencyReadings readings;
    };
    struct Votes {
        std::array<std::uint32_t, 4> count{}; // by unit: s, ms, us, ns
        std::array<std::uint64_t, 4> firstSpan{}; // that voted so

        [[nodiscard]] std::size_t winner() const { return std::size_t(std::max_element(count.begin(), count.end()) - count.begin()); }
        [[nodiscard]] std::uint32_t total() const { return std::accumulate(count.begin(), count.end(), std::uint32_t(0)); }
    };
    using KeyOfEmitter = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>; // resource, scope, key

    void vote(const Row& row);
    [[nodiscard]] std::optional<std::int64_t> nanoseconds(const Row& row, Latency latency) const;
    void appendParts(const Row& row, std::vector<DerivedPart>& parts) const;

    const StageRules& m_rules;
    StageId m_generate;
    StageId m_preprocess;
    StageId m_wait; // for anything but a model that generates
    StageId m_queue;
    StageId m_prefill;
    StageId m_decode;
    std::vector<Row> m_rows;
    std::vector<DerivedPart> m_fromEvents;
    std::map<KeyOfEmitter, Votes> m_votes;
    std::map<std::uint32_t, double> m_stated; // factor to ns by key, where the rule file says the unit
};

} // namespace chokepoint
