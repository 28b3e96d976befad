// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Spans of a trace are in pre-order, so from the last to the first every span meets what is billed below it.
#include "core/analysis/billingtrace.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

namespace {

bool areClose(TokenCount a, TokenCount b)
{
    const std::int64_t difference = std::abs(a.orZero() - b.orZero());
    return difference * 50 <= std::max(a.orZero(), b.orZero()); // 2 %
}

/// \a whole is at least 98 % of \a part in every count that it tells.
bool covers(const TokenBuckets& whole, const TokenBuckets& part)
{
    const auto holds = [](TokenCount w, TokenCount p) { return !w.isKnown() || w.orZero() * 50 >= p.orZero() * 49; };
    return holds(whole.input(), part.input()) && holds(whole.output(), part.output());
}

/// \a whole tells more than \a part by more than 5 %.
bool exceeds(const TokenBuckets& whole, const TokenBuckets& part)
{
    return whole.total().orZero() * 100 > part.total().orZero() * 105;
}

TokenCount beyond(TokenCount whole, TokenCount part)
{
    return whole.isKnown() ? TokenCount(std::max<std::int64_t>(0, whole.orZero() - part.orZero())) : whole;
}

CallPurpose purposeOf(const StageMap& stages, const CallFacts& facts)
{
    const auto top = [&](StageId stage) -> const std::string& { return stages.table->name(stages.table->topLevel(stage)); };
    if (top(stages.stage[facts.span]) == "evaluate")
        return CallPurpose::Evaluate;
    const std::string& own = top(stages.ownStage(facts.span));
    if (own == "rerank")
        return CallPurpose::Rerank;
    return own == "embed" || facts.embedding ? CallPurpose::Embed : CallPurpose::Generate;
}

} // namespace

bool isSameUsage(const TokenBuckets& a, const TokenBuckets& b)
{
    bool isCompared = false;
    for (const auto& [x, y] : {std::pair{a.input(), b.input()}, std::pair{a.output(), b.output()}}) {
        if (!x.isKnown() || !y.isKnown())
            continue;
        isCompared = true;
        if (!areClose(x, y))
            return false;
    }
    if (!isCompared && a.total().isKnown() && b.total().isKnown())
        return areClose(a.total(), b.total());
    return isCompared;
}

int recordRank(const DraftCall& draft)
{
    const int source = draft.source == UsageSource::Client ? 2 : draft.source == UsageSource::Gateway ? 1 : 0;
    return (draft.call.cost ? 8 : 0) + (draft.hasCacheSplit ? 4 : 0) + source;
}

void mergeRecords(DraftCall& kept, const DraftCall& other)
{
    if (!kept.call.cost)
        kept.call.cost = other.call.cost;
    const bool isMoreDetailed = !kept.hasCacheSplit && other.hasCacheSplit && isSameUsage(kept.call.tokens, other.call.tokens);
    if (!kept.call.tokens.total().isKnown() || isMoreDetailed)
        kept.call.tokens = other.call.tokens;
    kept.hasCacheSplit |= other.hasCacheSplit;
}

void TraceBilling::Below::add(const Below& other)
{
    llm += other.llm;
    all += other.all;
    if (other.cost)
        cost = cost.value_or(Money()) + *other.cost;
    for (std::size_t m = 0; m < std::min(other.count, membersAtMost) && count + m < membersAtMost; ++m)
        members[count + m] = other.members[m];
    count += other.count;
}

void TraceBilling::Below::add(const Item& item, std::uint32_t index)
{
    const BilledCall& call = item.draft.call;
    if (call.purpose == CallPurpose::Generate || call.purpose == CallPurpose::Evaluate)
        llm += call.tokens;
    all += call.tokens;
    if (call.cost)
        cost = cost.value_or(Money()) + *call.cost;
    if (call.remainder)
        return;
    if (count < membersAtMost)
        members[count] = index;
    ++count;
}

void TraceBilling::report(DiagnosticCode code, const Item& item, const char* what)
{
    m_diagnostics.report(
        code, [&] { return fmt::format("span {}: {}", m_columns.dictionary->text(m_columns.spans.name[item.draft.call.span]), what); });
}

void TraceBilling::collect(std::uint32_t index)
{
    m_items.clear();
    const std::uint64_t first = m_columns.firstSpan[index];
    for (const CallFacts& facts : m_usage.callsOf(first, m_columns.firstSpan[index + 1] - first)) {
        Item item;
        DraftCall& draft = item.draft;
        draft.facts = &facts;
        draft.trace = index;
        draft.source = facts.source;
        draft.hasCacheSplit = facts.reported.cacheRead.isKnown() || facts.reported.cacheWrite.isKnown();
        draft.call.span = facts.span;
        draft.call.tokens = facts.tokens();
        draft.call.cost = facts.cost;
        draft.call.purpose = purposeOf(m_stages, facts);
        draft.call.assumed = facts.reading.assumed;
        const StageId own = m_stages.ownStage(facts.span);
        item.end = facts.span + m_columns.subtreeSize[facts.span];
        item.isContainer = m_stages.container[facts.span] || facts.aggregated;
        item.isLlm = !item.isContainer && m_stages.table->name(m_stages.table->topLevel(own)) == "generate";
        m_items.push_back(std::move(item));
    }
}

void TraceBilling::merge(std::uint32_t keep, std::uint32_t drop)
{
    report(DiagnosticCode::DuplicateCall, m_items[keep], "its call stands in two records; they are merged, and this one counts");
    mergeRecords(m_items[keep].draft, m_items[drop].draft);
    m_items[drop].isMerged = true;
    m_items[drop].isBilled = false;
}

/// Records of one response: nested or at the same time. Ids that a test server repeats are on calls one after the other.
void TraceBilling::mergeByResponseId()
{
    m_byResponse.clear();
    for (std::uint32_t i = 0; i < m_items.size(); ++i) {
        if (m_items[i].draft.facts->responseId != 0 && !m_items[i].isContainer)
            m_byResponse.push_back(i);
    }
    const auto id = [this](std::uint32_t i) { return m_items[i].draft.facts->responseId; };
    std::stable_sort(m_byResponse.begin(), m_byResponse.end(), [&](std::uint32_t a, std::uint32_t b) { return id(a) < id(b); });
    const SpanColumns& spans = m_columns.spans;
    for (std::size_t k = 1; k < m_byResponse.size(); ++k) {
        const std::uint32_t a = m_byResponse[k - 1];
        const std::uint32_t b = m_byResponse[k];
        if (id(a) != id(b))
            continue;
        const std::uint64_t i = m_items[a].draft.call.span;
        const std::uint64_t j = m_items[b].draft.call.span;
        const bool isNested = j < m_items[a].end;
        const bool isConcurrent = isNested || (spans.start[i] < spans.end[j] && spans.start[j] < spans.end[i]);
        const TokenBuckets& first = m_items[a].draft.call.tokens;
        const TokenBuckets& second = m_items[b].draft.call.tokens;
        const bool isTold = first.total().isKnown() && second.total().isKnown();
        const bool isSame = !isTold || isSameUsage(first, second);
        if (!isConcurrent || (!isSame && isNested))
            continue;
        if (!isSame)
            report(
                DiagnosticCode::TokensConflict, m_items[b], "two records of one response tell different usage; the better record counts");
        const bool keepsFirst = recordRank(m_items[a].draft) > recordRank(m_items[b].draft);
        merge(keepsFirst ? a : b, keepsFirst ? b : a);
        m_byResponse[k] = keepsFirst ? a : b; // what the next record is compared with
    }
}

/// The same call below, seen by another instrumentation: one record stays.
bool TraceBilling::mergeWithMember(std::uint32_t i, Below& below)
{
    Item& item = m_items[i];
    const bool isOnlyCost = !item.draft.call.tokens.total().isKnown();
    if (below.count > membersAtMost || (isOnlyCost && (!item.isLlm || below.count != 1)) || (below.count > 1 && !item.isLlm))
        return false;
    for (std::size_t m = 0; m < below.count; ++m) {
        Item& member = m_items[below.members[m]];
        if (!isOnlyCost && !isSameUsage(item.draft.call.tokens, member.draft.call.tokens))
            continue;
        const bool keepsItem = recordRank(item.draft) > recordRank(member.draft);
        merge(keepsItem ? i : below.members[m], keepsItem ? below.members[m] : i);
        if (keepsItem) {
            item.isBilled = true;
            below.members[m] = i;
        }
        return true;
    }
    return false;
}

/// A caller's record over the only record of an engine is one call, even where they count differently: an engine calls nobody.
bool TraceBilling::mergeWithEngine(std::uint32_t i, Below& below)
{
    Item& item = m_items[i];
    if (!item.isLlm || item.draft.source == UsageSource::Engine || below.count != 1
        || m_items[below.members[0]].draft.source != UsageSource::Engine)
        return false;
    const std::uint32_t member = below.members[0];
    const bool keepsItem = recordRank(item.draft) > recordRank(m_items[member].draft);
    m_diagnostics.report(DiagnosticCode::TokensConflict, [&] {
        const auto text = [](TokenCount count) { return count.isKnown() ? std::to_string(count.orZero()) : "unknown"; };
        const TokenBuckets& told = item.draft.call.tokens;
        const TokenBuckets& answered = m_items[member].draft.call.tokens;
        return fmt::format("span {}: it tells {} tokens in and {} out, the engine that answered {} and {}; the {} counts",
            m_columns.dictionary->text(m_columns.spans.name[item.draft.call.span]), text(told.input()), text(told.output()),
            text(answered.input()), text(answered.output()), keepsItem ? "former" : "latter");
    });
    const std::uint32_t kept = keepsItem ? i : member;
    merge(kept, keepsItem ? member : i);
    m_items[kept].isBilled = true;
    const std::uint64_t span = below.span;
    below = {};
    below.span = span;
    below.add(m_items[kept], kept);
    return true;
}

void TraceBilling::rollUp(const Item& item, const Below& below)
{
    const bool isMore = item.draft.call.tokens.total().isKnown() && exceeds(item.draft.call.tokens, below.comparable());
    if (isMore)
        report(DiagnosticCode::TokensMissingChildren, item, "it tells more tokens than the calls below it; some calls are not traced");
    else
        report(DiagnosticCode::UsageRollupIgnored, item, "its usage sums up the calls below it and is not added");
}

/// What a call tells beyond the calls below it, in the two kinds that are left when nothing more is known.
void TraceBilling::bookRemainder(Item& item, const Below& below)
{
    BilledCall& call = item.draft.call;
    const TokenBuckets& part = below.comparable();
    TokenBuckets rest;
    rest[TokenKind::Input] = beyond(call.tokens.input(), part.input());
    rest[TokenKind::Output] = beyond(call.tokens.output(), part.output());
    call.tokens = rest;
    if (call.cost && below.cost)
        call.cost = std::max(Money(), *call.cost - *below.cost);
    call.remainder = true;
    item.isBilled = true;
}

void TraceBilling::settle(std::uint32_t i, Below& below)
{
    Item& item = m_items[i];
    item.hasBilledBelow = below.count > 0;
    if (!item.draft.facts->hasUsage() && !item.draft.call.tokens.total().isKnown() && !item.draft.call.cost)
        return;
    const TokenBuckets& tokens = item.draft.call.tokens;
    if (below.count > 0 && item.isContainer)
        return rollUp(item, below);
    if (below.count > 0 && (mergeWithMember(i, below) || mergeWithEngine(i, below)))
        return;
    const bool coversAll = below.count > 0 && covers(tokens, below.comparable());
    if (coversAll && item.isLlm && exceeds(tokens, below.comparable())) {
        bookRemainder(item, below);
    } else if (coversAll) {
        return rollUp(item, below);
    } else if (below.count > 0 && !item.isLlm) {
        return report(
            DiagnosticCode::TokensConflict, item, "it tells fewer tokens than the calls below it and is no call of its own; not added");
    } else {
        item.isBilled = true;
    }
    below.add(item, i);
}

void TraceBilling::emit(std::vector<DraftCall>& drafts, std::vector<SilentCall>& silent)
{
    std::uint64_t covered = 0; // spans below this one belong to a call that is listed already
    for (const Item& item : m_items) {
        const CallFacts& facts = *item.draft.facts;
        if (item.isBilled) {
            if (facts.reading.assumed)
                report(DiagnosticCode::TokensInclusiveAssumed, item,
                    "nothing tells whether cached tokens stand inside the input; taken as inside");
            drafts.push_back(item.draft);
            covered = std::max(covered, item.end);
            continue;
        }
        const bool isCall = item.isLlm || (!item.isContainer && item.draft.call.purpose != CallPurpose::Generate);
        const bool isSilent = isCall && !item.isMerged && !item.hasBilledBelow && !facts.hasUsage() && facts.span >= covered;
        if (!isSilent)
            continue;
        silent.push_back({facts.span, item.draft.call.purpose, m_columns.spans.flags[facts.span].isError(), facts.refused});
        covered = item.end;
    }
}

void TraceBilling::run(std::uint32_t index, std::vector<DraftCall>& drafts, std::vector<SilentCall>& silent)
{
    collect(index);
    mergeByResponseId();
    m_open.clear();
    for (std::uint32_t i = std::uint32_t(m_items.size()); i-- > 0;) {
        if (m_items[i].isMerged)
            continue;
        Below below;
        below.span = m_items[i].draft.call.span;
        for (; !m_open.empty() && m_open.back().span < m_items[i].end; m_open.pop_back())
            below.add(m_open.back());
        settle(i, below);
        m_open.push_back(below);
    }
    emit(drafts, silent);
}

} // namespace chokepoint
