// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attempt groups of one trace among siblings, on single spans and by shared ids; walks of the pipeline come after (walks.h).
#pragma once

#include "core/analysis/attemptpairs.h"

#include <vector>

namespace chokepoint::attempts {

/// A group while the trace is analysed. Members are spans of the trace in order of time.
struct Draft {
    struct Member {
        std::uint32_t span = 0;
        AttemptKind kind = AttemptKind::Retry; // how it follows the member before
        RetryCause cause = RetryCause::None; // why it did not do; None for the last unless it failed
        Timestamp begin = unknownTime;
        Timestamp end = unknownTime;
        bool failed = false;
        bool incomplete = false;
        std::vector<std::uint32_t> items; // of a walk without a span of its own: the subtrees in it
    };
    AttemptKind kind = AttemptKind::Retry;
    RetryRule rule = RetryRule::ErrorThenSame;
    RetryEvidence evidence = RetryEvidence::Inferred;
    std::uint8_t confidence = 0;
    std::int32_t parent = -1;
    std::uint32_t attempts = 0; // more than members when some have no span
    bool earlierMissing = false;
    bool exhausted = false; // says of itself that its retries ran out
    Timestamp lastMark = unknownTime; // of a lone span: when it tried for the last time
    std::vector<Member> members;

    [[nodiscard]] bool counts() const;
    [[nodiscard]] std::uint32_t retries() const; // attempts that count as retries
};

/// Finds the groups of one trace after another. Reusable.
class GroupFinder {
public:
    explicit GroupFinder(const Context& context) : m_context(context) { }
    /// Appends to \a drafts. \a continued: the trace's root repeats one of another trace, so that its number needs no group here.
    void find(const TraceScan& scan, bool continued, std::vector<Draft>& drafts);

private:
    /// Positions of the siblings by key, without allocation for few of them.
    class KeyTable {
    public:
        void reset(std::size_t keys);
        std::int32_t& operator[](std::uint64_t key);

    private:
        std::vector<std::pair<std::uint64_t, std::int32_t>> m_slots;
        std::size_t m_mask = 0;
    };

    void collectKids(std::int32_t parent);
    void collectTops();
    void searchKids(std::int32_t parent);
    [[nodiscard]] bool tryJoin(std::size_t a, std::size_t b);
    void join(std::size_t a, std::size_t b, const Relation& relation);
    void addLoneOrdinals(bool continued);
    void addTotals();
    void addSharedIds();
    [[nodiscard]] std::int32_t callAbove(std::uint32_t span) const;
    [[nodiscard]] Draft::Member member(std::uint32_t span, AttemptKind kind) const;

    const Context& m_context;
    const TraceScan* m_scan = nullptr;
    std::vector<Draft>* m_drafts = nullptr;
    Siblings m_siblings;
    std::vector<std::uint32_t> m_kids;
    std::vector<std::vector<std::uint32_t>> m_topGroups;
    std::vector<std::int32_t> m_draftOf; // by span: the group it is in, or -1
    std::vector<std::uint8_t> m_hasNext; // by span: an attempt follows it
    std::vector<std::int32_t> m_groupedKids; // by span: members of counted groups among its children
    std::vector<std::int32_t> m_lastCall; // by span: the sibling call before it, or -1
    KeyTable m_lastOfKey;
    KeyTable m_lastOfInput;
};

} // namespace chokepoint::attempts
