// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated walks of the pipeline (R8): the steps below each container, and the groups that their repetition makes.
#pragma once

#include "core/analysis/attemptgroups.h"
#include "core/analysis/walkpattern.h"

namespace chokepoint::attempts {

/// Finds the walks of one trace after another. Reusable.
class WalkFinder {
public:
    explicit WalkFinder(const Context& context) : m_context(context) { }
    /// Appends walks to \a drafts, in which the groups among siblings stand already; those of whole pipelines become walks. False when
    /// a part of the trace had to be left out because it is too large.
    [[nodiscard]] bool find(const TraceScan& scan, std::vector<Draft>& drafts);

private:
    /// A step of the pipeline, or several of one stage that overlap.
    struct Item {
        std::uint32_t span = 0;
        std::uint32_t last = 0; // of a group of attempts: the last of them
        std::uint32_t child = 0; // of the container: the one it lies in
        Timestamp begin = unknownTime;
        Timestamp end = unknownTime;
    };

    void markAttempts(std::vector<Draft>& drafts);
    void countItems();
    [[nodiscard]] bool isItem(std::size_t span) const;
    [[nodiscard]] bool collect(std::size_t container);
    void mergeOverlapping();
    [[nodiscard]] RetryCause failureOf(std::size_t begin, std::size_t end) const;
    [[nodiscard]] RetryCause itemFailure(const Item& item, bool isLast) const;
    [[nodiscard]] bool sameQuery(const WalkPattern::Walk& a, const WalkPattern::Walk& b) const;
    [[nodiscard]] const Item* queryItem(const WalkPattern::Walk& walk) const;
    [[nodiscard]] bool isWalkOf(std::uint32_t child, const WalkPattern& pattern, std::size_t w) const;
    [[nodiscard]] Draft draftOf(std::size_t container, const WalkPattern& pattern) const;

    const Context& m_context;
    const TraceScan* m_scan = nullptr;
    std::vector<std::uint8_t> m_skip; // by span: a later attempt of a group
    std::vector<std::uint32_t> m_lastOf; // by span: the last attempt of the group it begins, else itself
    std::vector<std::uint32_t> m_items; // by span: steps below it
    std::vector<std::uint32_t> m_core; // by span: of these, retrievals and generations
    std::vector<Item> m_found; // of the container at hand
    std::vector<Step> m_steps;
    std::size_t m_budget = 0; // spans that may still be looked at
};

} // namespace chokepoint::attempts
