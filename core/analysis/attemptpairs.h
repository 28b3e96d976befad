// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one span is the next attempt of another: the rules R1 to R7 and hedges, for two siblings.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/attemptscan.h"

#include <array>

namespace chokepoint::attempts {

/// Children of one parent in order of time, with what stands between any two of them. Reusable.
class Siblings {
public:
    static constexpr std::int32_t none = -1;

    /// \a kids: by begin. \a parent: their parent, or none.
    void set(const TraceScan& scan, const std::vector<std::uint32_t>& kids, std::int32_t parent);

    [[nodiscard]] std::size_t size() const { return m_kids->size(); }
    [[nodiscard]] std::uint32_t span(std::size_t position) const { return (*m_kids)[position]; }
    [[nodiscard]] std::int32_t parent() const { return m_parent; }
    /// A sibling of one of \a roles other than \a except begins after the end of \a a and before \a b.
    [[nodiscard]] bool hasBetween(std::size_t a, std::size_t b, RoleSet roles, StageRole except) const;
    /// A check failed between the two.
    [[nodiscard]] bool failsCheckBetween(std::size_t a, std::size_t b) const { return m_lastFailedCheck[b] > std::int32_t(a); }
    /// The HTTP or RPC client call before \a position, or none.
    [[nodiscard]] std::int32_t callBefore(std::size_t position) const { return m_lastCall[position]; }

private:
    const TraceScan* m_scan = nullptr;
    const std::vector<std::uint32_t>* m_kids = nullptr;
    std::int32_t m_parent = none;
    std::vector<std::array<std::int32_t, 16>> m_last; // by position and role: the latest sibling before it
    std::vector<std::int32_t> m_lastFailedCheck;
    std::vector<std::int32_t> m_lastCall;
};

/// How an attempt follows the one before it.
struct Relation {
    bool follows = false;
    bool sameCall = false; // one call seen twice: neither an attempt nor the end of a group
    AttemptKind kind = AttemptKind::Retry;
    RetryRule rule = RetryRule::ErrorThenSame;
    RetryEvidence evidence = RetryEvidence::Inferred;
    std::uint8_t confidence = 0; // percent
    RetryCause cause = RetryCause::None; // why the earlier one did not do
};

/// Siblings \a a and \a b, positions in \a siblings, that call the same (or, below a fallback wrapper, are of one stage).
[[nodiscard]] Relation relate(const Context& context, const TraceScan& scan, const Siblings& siblings, std::size_t a, std::size_t b);

/// Children that may be tries of one call have the same key.
[[nodiscard]] std::uint64_t callKey(const TraceScan& scan, std::size_t span, std::int32_t parent);

} // namespace chokepoint::attempts
