// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attemptgroups.h"

#include <algorithm>
#include <bit>

namespace chokepoint::attempts {

namespace {

constexpr std::uint8_t countedFrom = 50; // percent of confidence

} // namespace

bool Draft::counts() const
{
    return isRetry(kind) && confidence >= countedFrom;
}

std::uint32_t Draft::retries() const
{
    if (!isRetry(kind))
        return 0;
    std::uint32_t others = 0; // a fallback within the group, say
    for (std::size_t i = 1; i < members.size(); ++i)
        others += isRetry(members[i].kind) ? 0 : 1;
    return attempts - 1 - others;
}

void GroupFinder::KeyTable::reset(std::size_t keys)
{
    const std::size_t size = std::bit_ceil(2 * keys + 2);
    m_slots.resize(std::max(m_slots.size(), size));
    std::fill_n(m_slots.begin(), size, std::pair<std::uint64_t, std::int32_t>{0, Siblings::none});
    m_mask = size - 1;
}

std::int32_t& GroupFinder::KeyTable::operator[](std::uint64_t key)
{
    key |= 1U; // 0 marks a free slot
    std::size_t slot = mix64(key) & m_mask;
    while (m_slots[slot].first != 0 && m_slots[slot].first != key)
        slot = (slot + 1) & m_mask;
    m_slots[slot].first = key;
    return m_slots[slot].second;
}

/// The children of \a parent, and the calls that these wrap one by one.
void GroupFinder::collectKids(std::int32_t parent)
{
    const TraceView& view = m_scan->view;
    const auto p = std::size_t(parent);
    bool lifted = false;
    m_kids.clear();
    for (std::size_t kid = p + 1; kid < p + view.subtreeSize[p]; kid += view.subtreeSize[kid]) {
        const std::size_t inner = kid + 1;
        const bool isDetail = m_scan->role[kid] == StageRole::Container || m_scan->role[kid] == m_scan->role[p];
        const bool wrapsOne =
            m_scan->kidCount[kid] == 1 && isDetail && !m_scan->failed[kid] && view.flags[kid].kind() == SpanKind::Internal;
        const bool isCall = wrapsOne && view.flags[inner].kind() == SpanKind::Client && m_scan->fact(inner).has(AttemptFact::Http);
        m_kids.push_back(std::uint32_t(kid));
        if (isCall)
            m_kids.push_back(std::uint32_t(inner));
        lifted |= isCall;
    }
    if (lifted)
        std::stable_sort(
            m_kids.begin(), m_kids.end(), [&](std::uint32_t a, std::uint32_t b) { return m_scan->begin[a] < m_scan->begin[b]; });
}

/// Spans without a parent here: true roots are one family, orphans one for each parent that is missing.
void GroupFinder::collectTops()
{
    const TraceView& view = m_scan->view;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> tops;
    for (std::size_t i = 0; i < view.size(); i += view.subtreeSize[i])
        tops.emplace_back(view.isTrueRoot(i) ? 0 : view.parentId[i].value, std::uint32_t(i));
    std::stable_sort(tops.begin(), tops.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    m_topGroups.clear();
    for (std::size_t i = 0; i < tops.size(); ++i) {
        if (i == 0 || tops[i].first != tops[i - 1].first)
            m_topGroups.emplace_back();
        m_topGroups.back().push_back(tops[i].second);
    }
}

Draft::Member GroupFinder::member(std::uint32_t span, AttemptKind kind) const
{
    Draft::Member result;
    result.span = span;
    result.kind = kind;
    result.begin = m_scan->begin[span];
    result.end = m_scan->end[span];
    result.failed = m_scan->failed[span];
    result.cause = m_scan->cause[span];
    return result;
}

/// Makes \a b, a position among the siblings, the attempt after \a a.
void GroupFinder::join(std::size_t a, std::size_t b, const Relation& relation)
{
    const std::uint32_t earlier = m_siblings.span(a);
    const std::uint32_t later = m_siblings.span(b);
    std::int32_t index = m_draftOf[earlier];
    if (index < 0) {
        index = std::int32_t(m_drafts->size());
        Draft& draft = m_drafts->emplace_back();
        draft.kind = relation.kind;
        draft.rule = relation.rule;
        draft.evidence = relation.evidence;
        draft.confidence = relation.confidence;
        draft.parent = m_siblings.parent();
        draft.members.push_back(member(earlier, relation.kind));
        draft.attempts = std::max<std::uint32_t>(1, m_scan->fact(earlier).number);
        draft.earlierMissing = draft.attempts > 1;
        m_draftOf[earlier] = index;
    }
    Draft& draft = (*m_drafts)[std::size_t(index)];
    Draft::Member& before = draft.members.back();
    if (before.cause == RetryCause::None)
        before.cause = relation.cause;
    before.failed = before.failed || relation.cause != RetryCause::None;
    if (!isRetry(draft.kind) && isRetry(relation.kind)) { // one real retry makes it a group of retries
        draft.kind = relation.kind;
        draft.rule = relation.rule;
        draft.confidence = relation.confidence;
    }
    if (relation.evidence == RetryEvidence::Recorded && draft.evidence != RetryEvidence::Recorded) {
        draft.evidence = relation.evidence;
        draft.rule = relation.rule;
    }
    draft.confidence = std::max(draft.confidence, relation.confidence);
    draft.members.push_back(member(later, relation.kind));
    draft.attempts = std::max<std::uint32_t>(draft.attempts + 1, m_scan->fact(later).number);
    m_draftOf[later] = index;
    m_hasNext[earlier] = 1;
}

bool GroupFinder::tryJoin(std::size_t a, std::size_t b)
{
    if (m_hasNext[m_siblings.span(a)])
        return false;
    const Relation relation = relate(m_context, *m_scan, m_siblings, a, b);
    if (relation.follows)
        join(a, b, relation);
    return relation.follows || relation.sameCall;
}

/// Each child against the last of its kind, and, where that is another call, against the last with the same input.
void GroupFinder::searchKids(std::int32_t parent)
{
    m_siblings.set(*m_scan, m_kids, parent);
    for (std::size_t b = 0; b < m_kids.size(); ++b)
        if (const std::int32_t call = m_siblings.callBefore(b); call >= 0)
            m_lastCall[m_kids[b]] = std::int32_t(m_kids[std::size_t(call)]);
    if (m_kids.size() < 2)
        return;
    m_lastOfKey.reset(m_kids.size());
    m_lastOfInput.reset(m_kids.size());
    for (std::size_t b = 0; b < m_kids.size(); ++b) {
        const std::uint64_t key = callKey(*m_scan, m_kids[b], parent);
        const std::uint64_t input = m_scan->fact(m_kids[b]).input;
        std::int32_t& last = m_lastOfKey[key];
        std::int32_t* const sameInput = input == 0 ? nullptr : &m_lastOfInput[mix64(key + input)];
        const bool joined = last >= 0 && tryJoin(std::size_t(last), b);
        if (!joined && sameInput != nullptr && *sameInput >= 0 && *sameInput != last)
            static_cast<void>(tryJoin(std::size_t(*sameInput), b));
        last = std::int32_t(b);
        if (sameInput != nullptr)
            *sameInput = std::int32_t(b);
    }
}

/// The numbered call that this span is the other end of, or a detail of: the nearest two ancestors are looked at.
std::int32_t GroupFinder::callAbove(std::uint32_t span) const
{
    std::int32_t above = m_scan->view.parent[span];
    for (int step = 0; step < 2 && above >= 0; ++step, above = m_scan->view.parent[std::size_t(above)]) {
        const bool numbered = m_scan->fact(std::size_t(above)).number == m_scan->fact(span).number;
        if (numbered || m_draftOf[std::size_t(above)] >= 0)
            return above;
    }
    return -1;
}

/// A number of 2 and more on a span whose earlier attempts are not there.
void GroupFinder::addLoneOrdinals(bool continued)
{
    for (std::uint32_t i = 0; i < m_scan->size(); ++i) {
        const AttemptFact& fact = m_scan->fact(i);
        if (fact.number < 2 || m_draftOf[i] >= 0 || fact.has(AttemptFact::NeedsVariety) || callAbove(i) >= 0)
            continue;
        if (m_groupedKids[i] > 0 || (continued && m_scan->view.parent[i] < 0))
            continue; // its attempts are its children, or other traces
        Draft draft;
        draft.rule = RetryRule::Ordinal;
        draft.evidence = RetryEvidence::Recorded;
        draft.confidence = fact.has(AttemptFact::GenericNumber) ? 90 : 99;
        draft.kind = fact.has(AttemptFact::TransparentRetry) ? AttemptKind::Transparent
            : fact.has(AttemptFact::ReAskNumber)             ? AttemptKind::ReAsk
                                                             : AttemptKind::Retry;
        draft.parent = m_scan->view.parent[i];
        draft.attempts = fact.number;
        const std::int32_t before = m_lastCall[i];
        const RetryCause answer = before < 0 ? RetryCause::None : m_scan->fact(std::size_t(before)).cause;
        if (answer == RetryCause::Redirect || answer == RetryCause::Auth) {
            draft.kind = answer == RetryCause::Redirect ? AttemptKind::Redirect : AttemptKind::Auth;
            draft.members.push_back(member(std::uint32_t(before), draft.kind));
        }
        draft.members.push_back(member(i, draft.kind));
        draft.earlierMissing = draft.attempts > draft.members.size();
        m_draftOf[i] = std::int32_t(m_drafts->size());
        m_drafts->push_back(std::move(draft));
    }
}

/// Retries that one span covers, unless its children show them.
void GroupFinder::addTotals()
{
    const std::vector<RetryMark>& marks = m_context.facts.marks;
    for (std::uint32_t i = 0; i < m_scan->size(); ++i) {
        const AttemptFact& fact = m_scan->fact(i);
        if (fact.totalRetries == 0 || m_groupedKids[i] > 0)
            continue;
        Draft draft;
        draft.rule = RetryRule::Total;
        draft.evidence = RetryEvidence::Recorded;
        draft.confidence = 95;
        draft.parent = m_scan->view.parent[i];
        draft.attempts = fact.totalRetries + 1U;
        draft.exhausted = fact.has(AttemptFact::RetriesExhausted);
        draft.members.push_back(member(i, AttemptKind::Retry));
        const auto span = std::uint32_t(m_scan->firstSpan + i);
        const auto first =
            std::lower_bound(marks.begin(), marks.end(), span, [](const RetryMark& mark, std::uint32_t s) { return mark.span < s; });
        for (auto mark = first; mark != marks.end() && mark->span == span; ++mark)
            if (isKnown(mark->time) && mark->time > draft.members.front().begin && mark->time <= draft.members.front().end)
                draft.lastMark = std::max(draft.lastMark, mark->time);
        m_drafts->push_back(std::move(draft));
    }
}

/// The same activity, message or call id on spans of different parents.
void GroupFinder::addSharedIds()
{
    struct Row {
        std::uint64_t key;
        Timestamp begin;
        std::uint32_t span;
    };
    std::vector<Row> rows;
    for (std::uint32_t i = 0; i < m_scan->size(); ++i) {
        const AttemptFact& fact = m_scan->fact(i);
        if (fact.identity != 0 && m_draftOf[i] < 0 && isKnown(m_scan->begin[i]))
            rows.push_back({mix64(callKey(*m_scan, i, -1) + fact.identity), m_scan->begin[i], i});
    }
    std::stable_sort(
        rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key != b.key ? a.key < b.key : a.begin < b.begin; });
    for (std::size_t first = 0; first < rows.size();) {
        std::size_t last = first + 1;
        std::vector<std::uint32_t> family{rows[first].span};
        for (; last < rows.size() && rows[last].key == rows[first].key; ++last) {
            const std::uint32_t before = family.back();
            const bool after = saturatingDifference(m_scan->end[before], rows[last].begin) <= std::chrono::milliseconds(2);
            if (after && !m_scan->isWithin(rows[last].span, before))
                family.push_back(rows[last].span);
        }
        first = last;
        if (family.size() < 2)
            continue;
        m_kids = family;
        m_siblings.set(*m_scan, m_kids, Siblings::none);
        for (std::size_t b = 1; b < m_kids.size(); ++b)
            static_cast<void>(tryJoin(b - 1, b));
    }
}

void GroupFinder::find(const TraceScan& scan, bool continued, std::vector<Draft>& drafts)
{
    m_scan = &scan;
    m_drafts = &drafts;
    m_draftOf.assign(scan.size(), -1);
    m_hasNext.assign(scan.size(), 0);
    m_lastCall.assign(scan.size(), -1);
    m_groupedKids.assign(scan.size(), 0);
    collectTops();
    for (const std::vector<std::uint32_t>& tops : m_topGroups) {
        m_kids = tops;
        searchKids(Siblings::none);
    }
    for (std::size_t p = 0; p < scan.size(); ++p) {
        if (scan.kidCount[p] == 0)
            continue;
        collectKids(std::int32_t(p));
        searchKids(std::int32_t(p));
    }
    addSharedIds();
    for (const Draft& draft : drafts)
        if (draft.parent >= 0)
            m_groupedKids[std::size_t(draft.parent)] += draft.counts() ? 1 : 0;
    addLoneOrdinals(continued);
    addTotals();
}

} // namespace chokepoint::attempts
