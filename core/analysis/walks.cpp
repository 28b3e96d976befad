// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/walks.h"

#include "core/analysis/inputtext.h"

#include <algorithm>
#include <bit>

namespace chokepoint::attempts {

namespace {

constexpr RoleSet coreRoles = roleBit(StageRole::Retrieve) | roleBit(StageRole::Generate);
constexpr std::size_t mostContainers = 1024; // that are looked at in one trace

} // namespace

/// Later attempts of a group are no steps of their own; a group of attempts at a whole pipeline is one of walks.
void WalkFinder::markAttempts(std::vector<Draft>& drafts)
{
    m_skip.assign(m_scan->size(), 0);
    m_lastOf.resize(m_scan->size());
    for (std::uint32_t i = 0; i < m_lastOf.size(); ++i)
        m_lastOf[i] = i;
    for (Draft& draft : drafts) {
        RoleSet below = 0;
        for (std::size_t k = 0; k < draft.members.size(); ++k) {
            m_skip[draft.members[k].span] = k > 0 ? 1 : 0;
            below |= m_scan->below[draft.members[k].span];
        }
        m_lastOf[draft.members.front().span] = draft.members.back().span;
        const bool wholePipeline = m_scan->role[draft.members.front().span] == StageRole::Container && (below & coreRoles) != 0
            && std::popcount(below & ~(roleBit(StageRole::Container) | roleBit(StageRole::Dropped))) >= 2;
        if (draft.kind != AttemptKind::Retry || draft.members.size() < 2 || !wholePipeline)
            continue;
        draft.kind = AttemptKind::Walk;
        for (Draft::Member& member : draft.members)
            member.kind = member.kind == AttemptKind::Retry ? AttemptKind::Walk : member.kind;
    }
}

bool WalkFinder::isItem(std::size_t span) const
{
    return m_scan->role[span] != StageRole::Container && m_scan->role[span] != StageRole::Dropped && !m_skip[span];
}

void WalkFinder::countItems()
{
    m_items.assign(m_scan->size(), 0);
    m_core.assign(m_scan->size(), 0);
    for (std::size_t i = m_scan->size(); i-- > 0;) {
        const std::int32_t parent = m_scan->view.parent[i];
        if (parent < 0 || m_skip[i])
            continue;
        const bool item = isItem(i);
        const bool core = item && (roleBit(m_scan->role[i]) & coreRoles) != 0;
        const bool container = m_scan->role[i] == StageRole::Container;
        m_items[std::size_t(parent)] += item ? 1 : container ? m_items[i] : 0;
        m_core[std::size_t(parent)] += core ? 1 : container ? m_core[i] : 0;
    }
}

/// The nearest steps below \a container, in order of time. False when the budget ran out.
bool WalkFinder::collect(std::size_t container)
{
    const TraceView& view = m_scan->view;
    m_found.clear();
    const std::size_t containerEnd = container + view.subtreeSize[container];
    std::size_t child = container;
    std::size_t childEnd = container + 1;
    for (std::size_t i = container + 1; i < containerEnd && m_found.size() < mostSteps;) {
        if (m_budget == 0)
            return false;
        --m_budget;
        if (i >= childEnd) {
            child = i;
            childEnd = i + view.subtreeSize[i];
        }
        if (isItem(i) && isKnown(m_scan->begin[i])) {
            const std::uint32_t last = m_lastOf[i];
            m_found.push_back({std::uint32_t(i), last, std::uint32_t(child), m_scan->begin[i], m_scan->end[last]});
        }
        i += m_scan->role[i] == StageRole::Container && !m_skip[i] ? 1 : view.subtreeSize[i];
    }
    std::stable_sort(m_found.begin(), m_found.end(), [](const Item& a, const Item& b) { return a.begin < b.begin; });
    mergeOverlapping();
    return true;
}

/// Steps of one stage that run at the same time are one step.
void WalkFinder::mergeOverlapping()
{
    std::vector<Item> merged;
    m_steps.clear();
    for (const Item& item : m_found) {
        const StageRole role = m_scan->role[item.span];
        const StageId stage = m_context.stages.stage[m_scan->firstSpan + item.span];
        const Step step{role, role == StageRole::Other ? std::uint16_t(m_context.stages.table->topLevel(stage)) : std::uint16_t(0)};
        if (!merged.empty() && m_steps.back() == step && item.begin < merged.back().end) {
            merged.back().end = std::max(merged.back().end, item.end);
            continue;
        }
        merged.push_back(item);
        m_steps.push_back(step);
    }
    m_found = std::move(merged);
}

RetryCause WalkFinder::itemFailure(const Item& item, bool isLast) const
{
    const AttemptFact& fact = m_scan->fact(item.last);
    if (m_scan->failsCheck(item.last))
        return m_scan->role[item.last] == StageRole::Evaluate ? RetryCause::Quality : RetryCause::Validation;
    const bool cutOff =
        fact.finish == FinishReason::Length || fact.finish == FinishReason::Filtered || fact.finish == FinishReason::Malformed;
    if (m_scan->role[item.last] == StageRole::Generate && cutOff)
        return RetryCause::Validation;
    if (fact.has(AttemptFact::NoResults) || m_scan->name(item.last).has(NameTraits::Regrade))
        return RetryCause::Quality;
    return isLast && m_scan->failed[item.last] ? m_scan->cause[item.last] : RetryCause::None;
}

/// Why the steps [begin, end) were not enough; None when they do not tell.
RetryCause WalkFinder::failureOf(std::size_t begin, std::size_t end) const
{
    RetryCause quality = RetryCause::None;
    for (std::size_t i = end; i-- > begin;) {
        const RetryCause cause = itemFailure(m_found[i], i + 1 == end);
        if (cause != RetryCause::None && cause != RetryCause::Quality)
            return cause;
        quality = cause == RetryCause::None ? quality : cause;
    }
    const bool regraded = end < m_found.size() && m_scan->name(m_found[end].span).has(NameTraits::Regrade);
    return regraded ? RetryCause::Quality : quality;
}

const WalkFinder::Item* WalkFinder::queryItem(const WalkPattern::Walk& walk) const
{
    constexpr RoleSet queries = roleBit(StageRole::Embed) | roleBit(StageRole::Retrieve);
    for (std::size_t i = walk.begin; i < walk.end; ++i)
        if ((roleBit(m_steps[i].role) & queries) != 0 && m_scan->fact(m_found[i].span).input != 0)
            return &m_found[i];
    return nullptr;
}

bool WalkFinder::sameQuery(const WalkPattern::Walk& a, const WalkPattern::Walk& b) const
{
    const Item* const first = queryItem(a);
    const Item* const second = queryItem(b);
    if (first == nullptr || second == nullptr)
        return false;
    const AttemptFact& factA = m_scan->fact(first->span);
    const AttemptFact& factB = m_scan->fact(second->span);
    const std::uint32_t* const words = m_context.facts.words.data();
    constexpr double nearlyTheSame = 0.8;
    return factA.input == factB.input
        || wordSimilarity(words + factA.firstWord, factA.wordCount, words + factB.firstWord, factB.wordCount) >= nearlyTheSame;
}

/// \a child, a container, holds the steps of walk \a w and of no other.
bool WalkFinder::isWalkOf(std::uint32_t child, const WalkPattern& pattern, std::size_t w) const
{
    if (m_scan->role[child] != StageRole::Container)
        return false;
    for (std::size_t other = 0; other < pattern.walks.size(); ++other)
        for (std::size_t i = pattern.walks[other].begin; i < pattern.walks[other].end; ++i)
            if ((m_found[i].child == child) != (other == w))
                return false;
    return true;
}

Draft WalkFinder::draftOf(std::size_t container, const WalkPattern& pattern) const
{
    Draft draft;
    draft.kind = AttemptKind::Walk;
    draft.rule = RetryRule::Walk;
    draft.parent = std::int32_t(container);
    draft.attempts = std::uint32_t(pattern.walks.size());
    draft.confidence = 85;
    for (std::size_t w = 0; w < pattern.walks.size(); ++w) {
        const auto [begin, end] = pattern.walks[w];
        const bool isLast = w + 1 == pattern.walks.size();
        Draft::Member member;
        member.span = m_found[begin].span;
        member.kind = AttemptKind::Walk;
        member.cause = failureOf(begin, end);
        member.failed = member.cause != RetryCause::None;
        member.incomplete = isLast && pattern.incomplete;
        member.begin = m_found[begin].begin;
        member.end = m_found[begin].end;
        for (std::size_t i = begin; i < end; ++i) {
            member.end = std::max(member.end, m_found[i].end);
            for (std::uint32_t span : {m_found[i].span, m_found[i].last})
                if (member.items.empty() || member.items.back() != span)
                    member.items.push_back(span);
        }
        if (const std::uint32_t child = m_found[begin].child; isWalkOf(child, pattern, w)) {
            member.span = child;
            member.begin = m_scan->begin[child];
            member.end = m_scan->end[child];
            member.items = {child};
        }
        const int confidence = member.failed ? 85 : isLast || sameQuery(pattern.walks[w], pattern.walks[w + 1]) ? 70 : 40;
        draft.confidence = isLast ? draft.confidence : std::uint8_t(std::min<int>(draft.confidence, confidence));
        draft.members.push_back(std::move(member));
    }
    if (pattern.anchored)
        draft.confidence = std::uint8_t(draft.confidence - 10);
    if (pattern.incomplete)
        draft.confidence = std::min<std::uint8_t>(draft.confidence, 70);
    return draft;
}

bool WalkFinder::find(const TraceScan& scan, std::vector<Draft>& drafts)
{
    m_scan = &scan;
    markAttempts(drafts);
    countItems();
    m_budget = 4 * scan.size() + 4096;
    std::size_t looked = 0;
    bool whole = true;
    for (std::size_t c = 0; c < scan.size();) {
        const std::int32_t parent = scan.view.parent[c];
        const bool sameAsParent =
            parent >= 0 && scan.role[std::size_t(parent)] == StageRole::Container && m_items[c] == m_items[std::size_t(parent)];
        std::size_t next = c + 1;
        if (scan.role[c] == StageRole::Container && m_items[c] >= 4 && m_core[c] >= 2 && !sameAsParent) {
            if (++looked > mostContainers || !collect(c))
                return false;
            whole = whole && m_items[c] <= mostSteps;
            const WalkPattern pattern =
                findWalks(m_steps, [this](std::size_t begin, std::size_t end) { return failureOf(begin, end) != RetryCause::None; });
            if (pattern.walks.size() >= 2) {
                drafts.push_back(draftOf(c, pattern));
                next = c + scan.view.subtreeSize[c];
            }
        }
        c = next;
    }
    return whole;
}

} // namespace chokepoint::attempts
