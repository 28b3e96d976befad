// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sub-stages that the attributes of one generate span tell: how long it waited, read the prompt and wrote the answer.
#pragma once

#include "core/analysis/stagefacts.h"

#include <map>

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
    /// Parts by span, then begin; disjoint, within the span, none empty.
    [[nodiscard]] std::vector<DerivedPart> parts() const;

private:
    struct Row {
        std::uint64_t span = 0;
        Duration duration{};
        ResourceId resource{};
        ScopeId scope{};
        LatencyReadings readings;
    };
    using Votes = std::array<std::uint32_t, 4>; // by unit: s, ms, us, ns
    using KeyOfEmitter = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>; // resource, scope, key

    void vote(const Row& row);
    [[nodiscard]] std::optional<std::int64_t> nanoseconds(const Row& row, Latency latency) const;
    void appendParts(const Row& row, std::vector<DerivedPart>& parts) const;

    const StageRules& m_rules;
    StageId m_queue;
    StageId m_prefill;
    StageId m_decode;
    std::vector<Row> m_rows;
    std::map<KeyOfEmitter, Votes> m_votes;
    std::map<std::uint32_t, double> m_stated; // factor to ns by key, where the rule file says the unit
};

} // namespace chokepoint
