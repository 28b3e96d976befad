// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The billing set of one trace, from the leaves up: roll-ups left out, records of one call merged.
#pragma once

#include "core/analysis/billing.h"

#include <array>
#include <vector>

namespace chokepoint {

/// A billed call in the making. Its cost is the reported one, if any.
struct DraftCall {
    BilledCall call;
    const CallFacts* facts = nullptr; // of the record that was kept
    std::uint32_t trace = 0;
    bool hasCacheSplit = false;
    UsageSource source = UsageSource::Client;
};

/// Input and output each differ by 2 % at most; a count that one side does not tell differs from none, but one must be told by both.
[[nodiscard]] bool isSameUsage(const TokenBuckets& a, const TokenBuckets& b);
/// Higher is better: a cost, then a cache split, then client before gateway before engine.
[[nodiscard]] int recordRank(const DraftCall& draft);
/// Fills in what \a kept does not tell from another record of the same call.
void mergeRecords(DraftCall& kept, const DraftCall& other);

/// Works through traces; keeps its memory between them.
class TraceBilling {
public:
    TraceBilling(const TraceColumns& columns, const StageMap& stages, const UsageTable& usage, Diagnostics& diagnostics)
        : m_columns(columns), m_stages(stages), m_usage(usage), m_diagnostics(diagnostics)
    {
    }

    /// Appends the calls of trace \a index to \a drafts and those without usage to \a silent, by span.
    void run(std::uint32_t index, std::vector<DraftCall>& drafts, std::vector<SilentCall>& silent);

private:
    /// One span with facts.
    struct Item {
        DraftCall draft;
        std::uint64_t end = 0; // past its subtree, in the population
        bool isContainer = false;
        bool isLlm = false;
        bool isMerged = false; // into another record of the same call
        bool isBilled = false;
        bool hasBilledBelow = false;
    };
    static constexpr std::size_t membersAtMost = 8;
    /// What is billed below a span. Members are looked at one by one while they are few.
    struct Below {
        std::uint64_t span = 0; // where it begins
        TokenBuckets llm; // tokens of all but embedding and rerank calls
        TokenBuckets all;
        std::optional<Money> cost;
        std::size_t count = 0;
        std::array<std::uint32_t, membersAtMost> members{}; // indices into m_items

        void add(const Below& other);
        void add(const Item& item, std::uint32_t index);
        /// What a count above these calls can be a sum of.
        [[nodiscard]] const TokenBuckets& comparable() const { return llm.total().isKnown() ? llm : all; }
    };

    void collect(std::uint32_t index);
    void mergeByResponseId();
    void settle(std::uint32_t i, Below& below);
    [[nodiscard]] bool mergeWithMember(std::uint32_t i, Below& below);
    [[nodiscard]] bool mergeWithEngine(std::uint32_t i, Below& below);
    void bookRemainder(Item& item, const Below& below);
    void merge(std::uint32_t keep, std::uint32_t drop);
    void rollUp(const Item& item, const Below& below);
    void report(DiagnosticCode code, const Item& item, const char* what);
    void emit(std::vector<DraftCall>& drafts, std::vector<SilentCall>& silent);

    const TraceColumns& m_columns;
    const StageMap& m_stages;
    const UsageTable& m_usage;
    Diagnostics& m_diagnostics;
    std::vector<Item> m_items; // by span
    std::vector<Below> m_open; // from the last span to the first
    std::vector<std::uint32_t> m_byResponse;
};

} // namespace chokepoint
