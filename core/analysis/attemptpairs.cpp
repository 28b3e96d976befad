// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attemptpairs.h"

#include "core/analysis/attemptcause.h"

#include <algorithm>

namespace chokepoint::attempts {

namespace {

/// Clocks of JavaScript SDKs cut starts to whole milliseconds: a sibling may seem to start before the one before it ended.
constexpr Duration touching = std::chrono::milliseconds(2);
constexpr Duration longestBackoff = std::chrono::seconds(60);

/// The rules for one pair; each returns a relation that follows, or one that does not.
class Pair {
public:
    Pair(const Context& context, const TraceScan& scan, const Siblings& siblings, std::size_t a, std::size_t b)
        : m_context(context), m_scan(scan), m_siblings(siblings), m_positionA(a), m_positionB(b), m_a(siblings.span(a)),
          m_b(siblings.span(b)), m_factA(scan.fact(m_a)), m_factB(scan.fact(m_b))
    {
    }

    [[nodiscard]] Relation relation() const
    {
        if (!isKnown(m_scan.begin[m_a]) || !isKnown(m_scan.begin[m_b]))
            return {};
        if (m_factA.response != 0 && m_factA.response == m_factB.response)
            return {.sameCall = true};
        if (saturatingDifference(m_scan.end[m_a], m_scan.begin[m_b]) > touching)
            return hedge();
        if (startsAnew())
            return {};
        for (const auto rule : {&Pair::ordinal, &Pair::link, &Pair::wrapper, &Pair::activity})
            if (const Relation found = (this->*rule)(); found.follows)
                return found;
        const SpanKind kind = m_scan.view.flags[m_b].kind();
        const bool fromOutside = kind == SpanKind::Server || kind == SpanKind::Consumer;
        constexpr auto noCalls = std::uint8_t(NameTraits::Upkeep | NameTraits::Draft);
        if (fromOutside || (m_scan.name(m_b).flags & noCalls) != 0)
            return {};
        if (const Relation found = errorThenSame(); found.follows)
            return found;
        return reAsk();
    }

private:
    [[nodiscard]] RetryCause causeA() const { return m_scan.cause[m_a]; }

    [[nodiscard]] Relation follows(AttemptKind kind, RetryRule rule, RetryEvidence evidence, int percent) const
    {
        if (m_scan.cause[m_a] == RetryCause::Redirect)
            kind = AttemptKind::Redirect;
        else if (m_scan.failed[m_a] && causeA() == RetryCause::Auth)
            kind = AttemptKind::Auth;
        else if (m_factB.has(AttemptFact::TransparentRetry))
            kind = AttemptKind::Transparent;
        return {true, false, kind, rule, evidence, std::uint8_t(percent), causeA()};
    }

    /// Both overlap: fan-out, unless one was cancelled because the other answered.
    [[nodiscard]] Relation hedge() const
    {
        const bool cancelled = causeA() == RetryCause::Cancelled || m_scan.cause[m_b] == RetryCause::Cancelled
            || m_scan.view.flags[m_a].has(SpanFlags::Cancelled) || m_scan.view.flags[m_b].has(SpanFlags::Cancelled);
        if (!cancelled)
            return {};
        return {true, false, AttemptKind::Hedge, RetryRule::Overlap, RetryEvidence::Inferred, 90, RetryCause::Cancelled};
    }

    /// Both are numbered, and the later is not the higher. What an RPC library repeats by itself is not numbered anew.
    [[nodiscard]] bool startsAnew() const
    {
        if (m_factB.has(AttemptFact::TransparentRetry))
            return false;
        const bool sameWithoutMeaning = m_factA.number == m_factB.number && m_factB.has(AttemptFact::NeedsVariety);
        return m_factA.number != 0 && m_factB.number != 0 && m_factB.number <= m_factA.number && !sameWithoutMeaning;
    }

    [[nodiscard]] Relation ordinal() const
    {
        if (m_factB.number < 2 || m_factB.number <= m_factA.number)
            return {};
        const bool own = m_factB.has(AttemptFact::GenericNumber);
        const bool isTurn = m_factA.finish == FinishReason::Tool // an agent's turn, numbered
            || m_siblings.hasBetween(m_positionA, m_positionB, roleBit(StageRole::Tool), m_scan.role[m_b]);
        if (own && !m_scan.failed[m_a] && (isTurn || m_factA.number == 0))
            return {};
        const AttemptKind kind = m_factB.has(AttemptFact::ReAskNumber) ? AttemptKind::ReAsk : AttemptKind::Retry;
        return follows(kind, RetryRule::Ordinal, RetryEvidence::Recorded, own ? 90 : 99);
    }

    [[nodiscard]] Relation link() const
    {
        if (!m_factB.has(AttemptFact::LinksBack))
            return {};
        const auto& links = m_context.facts.links;
        const auto span = std::uint32_t(m_scan.firstSpan + m_b);
        auto found = std::lower_bound(links.begin(), links.end(), span, [](const auto& link, std::uint32_t s) { return link.first < s; });
        for (; found != links.end() && found->first == span; ++found)
            if (found->second == m_scan.view.spanId[m_a])
                return follows(AttemptKind::Retry, RetryRule::Activity, RetryEvidence::Recorded, 95);
        return {};
    }

    [[nodiscard]] Relation wrapper() const
    {
        if (m_siblings.parent() < 0 || !m_scan.name(std::size_t(m_siblings.parent())).has(NameTraits::RetryWrapper))
            return {};
        return follows(AttemptKind::Retry, RetryRule::Wrapper, RetryEvidence::Recorded, 95);
    }

    [[nodiscard]] Relation activity() const
    {
        if (m_factA.identity == 0 || m_factA.identity != m_factB.identity)
            return {};
        return follows(AttemptKind::Retry, RetryRule::Activity, RetryEvidence::Recorded, 95);
    }

    /// The gap is one that a backoff can explain.
    [[nodiscard]] bool isSoonAfter() const
    {
        const Duration gap = saturatingDifference(m_scan.begin[m_b], m_scan.end[m_a]);
        const Duration length = saturatingDifference(m_scan.end[m_a], m_scan.begin[m_a]);
        const Duration limit = length > Duration::max() / 3 ? Duration::max() : std::max(longestBackoff, 3 * length);
        return gap <= limit;
    }

    [[nodiscard]] bool isElsewhere() const
    {
        const auto differ = [](std::uint32_t a, std::uint32_t b) { return a != 0 && b != 0 && a != b; };
        return differ(m_factA.model, m_factB.model) || differ(m_factA.endpoint, m_factB.endpoint);
    }

    [[nodiscard]] bool isBelowFallback() const
    {
        return m_siblings.parent() >= 0 && m_scan.name(std::size_t(m_siblings.parent())).has(NameTraits::FallbackWrapper);
    }

    [[nodiscard]] Relation errorThenSame() const
    {
        const bool redirected = causeA() == RetryCause::Redirect;
        const bool newCredentials = m_scan.failed[m_a] && causeA() == RetryCause::Auth && !m_scan.failed[m_b];
        const bool repeatable = m_scan.failed[m_a] && isRepeatable(causeA());
        if (!(redirected || newCredentials || repeatable) || !isSoonAfter())
            return {};
        const bool inputKnown = m_factA.input != 0 && m_factB.input != 0;
        const bool sameInput = inputKnown && m_factA.input == m_factB.input;
        const bool isTool = m_scan.role[m_b] == StageRole::Tool;
        const RoleSet work = isTool && sameInput ? workRoles & ~roleBit(StageRole::Generate) : workRoles;
        if (m_siblings.hasBetween(m_positionA, m_positionB, work, m_scan.role[m_b]))
            return {};
        if (isBelowFallback() || isElsewhere()) {
            const bool modelInInput = m_factA.model != m_factB.model; // requests as JSON name the model
            if (inputKnown && !sameInput && !modelInInput && !isBelowFallback())
                return {};
            return follows(AttemptKind::Fallback, RetryRule::Fallback, RetryEvidence::Inferred, 90);
        }
        if (inputKnown && !sameInput)
            return extendsWithCorrection() ? follows(AttemptKind::ReAsk, RetryRule::ReAsk, RetryEvidence::Inferred, 85) : Relation{};
        return follows(AttemptKind::Retry, RetryRule::ErrorThenSame, RetryEvidence::Inferred, isTool ? 80 : sameInput ? 95 : 90);
    }

    /// b's messages are a's, an answer, and a report of what was wrong with it.
    [[nodiscard]] bool extendsWithCorrection() const
    {
        const std::uint64_t* const messages = m_context.facts.messages.data();
        return m_factB.has(AttemptFact::RetryPrompt) && m_factA.messageCount > 0 && m_factB.messageCount > m_factA.messageCount
            && messages[m_factA.firstMessage + m_factA.messageCount - 1] == messages[m_factB.firstMessage + m_factA.messageCount - 1];
    }

    /// The model answered, but the answer was not good enough.
    [[nodiscard]] Relation reAsk() const
    {
        const bool generates = m_scan.role[m_a] == StageRole::Generate && m_scan.role[m_b] == StageRole::Generate;
        if (!generates || m_scan.failed[m_a] || m_factA.finish == FinishReason::Tool)
            return {};
        constexpr RoleSet restart = workRoles & ~roleBit(StageRole::Generate);
        if (m_siblings.hasBetween(m_positionA, m_positionB, restart, StageRole::Other))
            return {};
        const bool rejected = m_scan.checkFailedBelow[m_a] || m_siblings.failsCheckBetween(m_positionA, m_positionB);
        if (!rejected && !extendsWithCorrection())
            return {};
        const bool contentKnown = m_factA.input != 0 && m_factB.input != 0;
        const AttemptKind kind = isElsewhere() ? AttemptKind::Fallback : AttemptKind::ReAsk;
        Relation found = follows(kind, RetryRule::ReAsk, RetryEvidence::Inferred, contentKnown ? 85 : 60);
        found.cause = RetryCause::Validation;
        return found;
    }

    const Context& m_context;
    const TraceScan& m_scan;
    const Siblings& m_siblings;
    std::size_t m_positionA;
    std::size_t m_positionB;
    std::size_t m_a;
    std::size_t m_b;
    const AttemptFact& m_factA;
    const AttemptFact& m_factB;
};

} // namespace

void Siblings::set(const TraceScan& scan, const std::vector<std::uint32_t>& kids, std::int32_t parent)
{
    m_scan = &scan;
    m_kids = &kids;
    m_parent = parent;
    m_last.resize(kids.size());
    m_lastFailedCheck.resize(kids.size());
    m_lastCall.resize(kids.size());
    std::array<std::int32_t, 16> last;
    last.fill(none);
    std::int32_t failedCheck = none;
    std::int32_t call = none;
    for (std::size_t position = 0; position < kids.size(); ++position) {
        const std::uint32_t kid = kids[position];
        m_last[position] = last;
        m_lastFailedCheck[position] = failedCheck;
        m_lastCall[position] = call;
        last[std::size_t(scan.role[kid])] = std::int32_t(position);
        if (scan.checkFailedBelow[kid])
            failedCheck = std::int32_t(position);
        if (scan.fact(kid).has(AttemptFact::Http) && scan.view.flags[kid].kind() == SpanKind::Client)
            call = std::int32_t(position);
    }
}

bool Siblings::hasBetween(std::size_t a, std::size_t b, RoleSet roles, StageRole except) const
{
    roles &= ~roleBit(except);
    const Timestamp after = m_scan->end[span(a)];
    for (std::size_t role = 0; role < m_last[b].size(); ++role) {
        const std::int32_t last = m_last[b][role]; // begins later than all others of its role
        if ((roles >> role & 1U) != 0 && last > std::int32_t(a)
            && saturatingDifference(after, m_scan->begin[span(std::size_t(last))]) <= touching)
            return true;
    }
    return false;
}

Relation relate(const Context& context, const TraceScan& scan, const Siblings& siblings, std::size_t a, std::size_t b)
{
    return Pair(context, scan, siblings, a, b).relation();
}

std::uint64_t callKey(const TraceScan& scan, std::size_t span, std::int32_t parent)
{
    const AttemptFact& fact = scan.fact(span);
    const NameTraits& name = scan.name(span);
    if (parent >= 0 && scan.name(std::size_t(parent)).has(NameTraits::FallbackWrapper))
        return mix64(1 + std::uint64_t(scan.role[span]));
    // Calls of models are named after the model, which a fallback changes.
    const bool namesModel = fact.model != 0 && fact.model == name.rest;
    std::uint64_t key = mix64((namesModel ? name.firstWord : name.key) + mix64(fact.operation));
    key = mix64(key + toIndex(scan.view.resource[span]));
    return mix64(key + std::uint64_t(scan.view.flags[span].kind()));
}

} // namespace chokepoint::attempts
