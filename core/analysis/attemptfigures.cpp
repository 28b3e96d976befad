// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attemptfigures.h"

#include <algorithm>
#include <numeric>

namespace chokepoint::attempts {

namespace {

/// Calls visit(span) for the root of each subtree of a member.
template <typename Visit> void forEachItem(const Draft::Member& member, Visit&& visit)
{
    if (member.items.empty())
        visit(member.span);
    for (const std::uint32_t item : member.items)
        visit(item);
}

/// Until when the attempt kept the work waiting: its end, or the begin of the next.
Timestamp lostUntil(const Draft& draft, std::size_t member)
{
    return std::max(draft.members[member].end, draft.members[member + 1].begin);
}

/// The union of the attempts but the last and the gaps between; unknown when nothing tells.
Duration wastedTime(const Draft& draft)
{
    const Draft::Member& first = draft.members.front();
    if (draft.members.size() < 2)
        return isKnown(draft.lastMark) && isKnown(first.begin) ? saturatingDifference(draft.lastMark, first.begin) : unknownDuration;
    Duration sum{0};
    Timestamp covered = first.begin;
    for (std::size_t k = 0; k + 1 < draft.members.size(); ++k) {
        const Timestamp begin = std::max(covered, draft.members[k].begin);
        const Timestamp end = lostUntil(draft, k);
        if (end > begin)
            sum += saturatingDifference(end, begin);
        covered = std::max(covered, end);
    }
    return sum;
}

void add(std::optional<Money>& sum, const std::optional<Money>& cost)
{
    if (cost)
        sum = sum.value_or(Money()) + *cost;
}

} // namespace

/// Levels of nesting, and the order of groups: outer before inner, then by time.
void FigureWriter::setLevels(std::vector<Draft>& drafts)
{
    const std::size_t n = m_scan->size();
    std::vector<std::uint8_t> walks(n, 0);
    std::vector<std::uint8_t> attempts(n, 0);
    for (const Draft& draft : drafts) {
        if (!draft.counts())
            continue;
        for (const Draft::Member& member : draft.members)
            forEachItem(member, [&](std::uint32_t span) { (draft.kind == AttemptKind::Walk ? walks : attempts)[span] = 1; });
    }
    constexpr std::uint8_t deepest = 250;
    const std::uint8_t outside = m_setting->chain == nullptr ? 0 : 1;
    m_enclosing.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t parent = m_scan->view.parent[i];
        const std::uint8_t above = parent < 0 ? outside : m_enclosing[std::size_t(parent)];
        m_enclosing[i] = std::uint8_t(std::min<int>(deepest, above + walks[i] + attempts[i]));
    }
    const auto levelOf = [&](const Draft& draft) {
        const std::uint32_t span = draft.members.front().span;
        const std::int32_t parent = m_scan->view.parent[span];
        const int above = parent < 0 ? outside : m_enclosing[std::size_t(parent)];
        if (draft.rule == RetryRule::Total)
            return std::uint8_t(m_enclosing[span] + 1);
        return std::uint8_t(above + (draft.kind == AttemptKind::Walk ? 0 : walks[span]) + 1);
    };
    std::vector<std::pair<std::uint8_t, Draft>> ordered;
    for (Draft& draft : drafts)
        ordered.emplace_back(levelOf(draft), std::move(draft));
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        const Draft::Member& first = a.second.members.front();
        const Draft::Member& second = b.second.members.front();
        return std::tuple(a.first, first.begin, first.span) < std::tuple(b.first, second.begin, second.span);
    });
    drafts.clear();
    m_level.clear();
    for (auto& [level, draft] : ordered) {
        m_level.push_back(level);
        drafts.push_back(std::move(draft));
    }
}

/// Calls of spans of the columns.
FigureWriter::Spent FigureWriter::spentIn(std::uint64_t firstSpan, std::uint64_t count) const
{
    Spent spent;
    for (const BilledCall& call : m_billing.callsOf(firstSpan, count)) {
        if (call.purpose == CallPurpose::Generate)
            spent.tokens += call.tokens.total();
        add(spent.cost, call.cost);
    }
    return spent;
}

FigureWriter::Spent FigureWriter::spentIn(const Draft::Member& member) const
{
    Spent spent;
    forEachItem(member, [&](std::uint32_t span) {
        const Spent part = spentIn(m_scan->firstSpan + span, m_scan->view.subtreeSize[span]);
        spent.tokens += part.tokens;
        add(spent.cost, part.cost);
    });
    const bool refused = member.cause == RetryCause::RateLimit || member.cause == RetryCause::Client
        || member.cause == RetryCause::Connection || member.cause == RetryCause::Auth || member.cause == RetryCause::Redirect;
    if (refused && !spent.tokens.isKnown()) // it never reached a model
        spent.tokens = TokenCount(0);
    return spent;
}

void FigureWriter::addGroup(const Draft& draft, std::uint8_t level, Portion& out)
{
    AttemptGroup group;
    group.kind = draft.kind;
    group.rule = draft.rule;
    group.evidence = draft.evidence;
    group.counted = draft.counts();
    group.succeeded = !draft.members.back().failed && !draft.members.back().incomplete && !draft.exhausted;
    group.earlierMissing = draft.earlierMissing;
    group.level = level;
    group.confidence = draft.confidence;
    group.trace = std::uint32_t(m_scan->index);
    group.parent = draft.parent;
    group.stage =
        draft.kind == AttemptKind::Walk ? StageTable::noStage : m_context.stages.stage[m_scan->firstSpan + draft.members.front().span];
    group.attempts = draft.attempts;
    group.retries = draft.retries();
    group.firstAttempt = std::uint32_t(out.attempts.size());
    group.attemptSpans = std::uint32_t(draft.members.size());
    group.wasted = wastedTime(draft);
    for (std::size_t k = 0; k < draft.members.size(); ++k) {
        const Draft::Member& member = draft.members[k];
        const bool isLast = k + 1 == draft.members.size();
        const Spent spent = spentIn(member);
        const auto missing = std::uint32_t(draft.earlierMissing || isLast ? draft.attempts - draft.members.size() : 0);
        const auto number = std::uint32_t(k + 1 + missing);
        out.attempts.push_back({group.trace, member.span, number, member.kind, member.failed, member.incomplete, member.cause, member.begin,
            member.end, spent.tokens});
        if (group.cause == RetryCause::None && (!isLast || draft.members.size() == 1))
            group.cause = member.cause;
        if (!isLast) {
            group.wastedTokens += spent.tokens;
            add(group.wastedCost, spent.cost);
        }
    }
    out.groups.push_back(group);
}

/// The group of the requests that the trace is the first of.
void FigureWriter::addChain(Portion& out)
{
    const RequestChain& chain = *m_setting->chain;
    AttemptGroup group;
    group.kind = AttemptKind::ClientRetry;
    group.rule = RetryRule::CrossTrace;
    group.evidence = chain.evidence;
    group.counted = true;
    group.succeeded = !chain.attempts.back().failed;
    group.confidence = chain.confidence;
    group.trace = std::uint32_t(m_scan->index);
    group.cause = chain.attempts.front().cause;
    group.attempts = group.attemptSpans = std::uint32_t(chain.attempts.size());
    group.retries = group.attempts - 1;
    group.firstAttempt = std::uint32_t(out.attempts.size());
    group.wasted = saturatingDifference(chain.attempts.back().begin, chain.attempts.front().begin);
    for (std::size_t k = 0; k < chain.attempts.size(); ++k) {
        Attempt attempt = chain.attempts[k];
        const std::uint64_t first = m_context.columns.firstSpan[attempt.trace];
        const Spent spent = spentIn(first, m_context.columns.firstSpan[attempt.trace + 1] - first);
        attempt.tokens = spent.tokens;
        out.attempts.push_back(attempt);
        if (k + 1 == chain.attempts.size())
            continue;
        group.wastedTokens += spent.tokens;
        add(group.wastedCost, spent.cost);
        CauseFigures& cause = out.causes[std::size_t(attempt.cause)];
        ++cause.count;
        ++cause.byEvidence[std::size_t(chain.evidence)];
    }
    out.groups.push_back(group);
    m_figures->retries += group.retries;
    m_figures->depth = std::max<std::uint8_t>(m_figures->depth, 1);
}

void FigureWriter::addLosses(const Draft& draft, std::uint8_t level)
{
    for (std::size_t k = 0; k + 1 < draft.members.size(); ++k)
        m_losses.push_back({draft.members[k].begin, lostUntil(draft, k), level, draft.members[k].cause});
    if (draft.members.size() == 1 && isKnown(draft.lastMark) && isKnown(draft.members.front().begin))
        m_losses.push_back({draft.members.front().begin, draft.lastMark, level, draft.members.front().cause});
}

/// Each instant is charged once, to the outermost attempt that it was lost with.
void FigureWriter::chargeTime(Portion& out)
{
    std::stable_sort(m_losses.begin(), m_losses.end(),
        [](const Loss& a, const Loss& b) { return a.begin != b.begin ? a.begin < b.begin : a.level < b.level; });
    Timestamp covered = unknownTime;
    for (const Loss& loss : m_losses) {
        const Timestamp begin = std::max(covered, loss.begin);
        if (loss.end <= begin)
            continue;
        const Duration length = saturatingDifference(loss.end, begin);
        m_figures->wasted += length;
        out.causes[std::size_t(loss.cause)].wasted += length;
        covered = loss.end;
    }
}

/// Marks all spans below attempts that others replaced: with 1 + the cause of the outermost.
void FigureWriter::mark(const std::vector<Draft>& drafts, bool counted, std::vector<std::uint8_t>& marks) const
{
    const RetryCause wholeCause = m_setting->isLost() ? m_setting->chain->attempts[m_setting->position].cause : RetryCause::None;
    marks.assign(m_scan->size(), m_setting->isLost() ? std::uint8_t(1 + unsigned(wholeCause)) : std::uint8_t(0));
    for (const Draft& draft : drafts) { // outer ones come first
        const bool folds = counted ? draft.counts() : draft.counts() || !isRetry(draft.kind);
        for (std::size_t k = 0; folds && k + 1 < draft.members.size(); ++k) {
            forEachItem(draft.members[k], [&](std::uint32_t span) {
                if (marks[span] == 0)
                    marks[span] = std::uint8_t(1 + unsigned(draft.members[k].cause));
            });
        }
    }
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (const std::int32_t parent = m_scan->view.parent[i]; parent >= 0 && marks[std::size_t(parent)] != 0)
            marks[i] = marks[std::size_t(parent)];
}

void FigureWriter::chargeCalls(const std::vector<Draft>& drafts, Portion& out)
{
    mark(drafts, true, m_lost);
    for (const BilledCall& call : m_billing.callsOf(m_scan->firstSpan, m_scan->size())) {
        const std::uint8_t lost = m_lost[call.span - m_scan->firstSpan];
        if (lost == 0)
            continue;
        CauseFigures& cause = out.causes[lost - 1U];
        if (call.purpose == CallPurpose::Generate) {
            m_figures->wastedTokens += call.tokens.total();
            cause.wastedTokens += call.tokens.total();
        }
        add(m_figures->wastedCost, call.cost);
        add(cause.wastedCost, call.cost);
    }
    const std::vector<SilentCall>& silent = m_billing.silent;
    const auto before = [](const SilentCall& call, std::uint64_t span) { return call.span < span; };
    for (auto call = std::lower_bound(silent.begin(), silent.end(), m_scan->firstSpan, before);
         call != silent.end() && call->span < m_scan->firstSpan + m_scan->size(); ++call) {
        const bool mayHaveRun = call->purpose == CallPurpose::Generate && call->failed && !call->refused;
        out.unknownTokenAttempts += mayHaveRun && m_lost[call->span - m_scan->firstSpan] != 0 ? 1 : 0;
    }
}

/// Retries inside the call would not show: it has no HTTP spans, and nothing counts them.
bool FigureWriter::isOpaque(std::size_t span) const
{
    const SpanKind kind = m_scan->view.flags[span].kind();
    if (kind == SpanKind::Server || kind == SpanKind::Consumer || m_scan->fact(span).number != 0 || m_scan->fact(span).totalRetries != 0)
        return false;
    for (std::size_t i = span + 1; i < span + m_scan->view.subtreeSize[span]; ++i)
        if (m_scan->fact(i).has(AttemptFact::Http))
            return false;
    return true;
}

/// Calls of models: the outermost spans of the stage generate, each with the tries inside it.
void FigureWriter::countGenerates(const std::vector<Draft>& drafts, Portion& out)
{
    mark(drafts, false, m_folded);
    std::vector<std::uint32_t> inside(m_scan->size(), 0); // extra tries below a span that holds them all
    std::vector<std::uint32_t> hidden(m_scan->size(), 0); // tries of the span itself that left none of their own
    for (const Draft& draft : drafts) {
        if (!draft.counts() && isRetry(draft.kind))
            continue;
        inside[draft.members.front().span] += draft.attempts - 1;
        hidden[draft.members.front().span] += draft.attempts - std::uint32_t(draft.members.size());
    }
    for (std::size_t i = 0; i < m_scan->size();) {
        if (m_scan->role[i] != StageRole::Generate) {
            ++i;
            continue;
        }
        const std::size_t end = i + m_scan->view.subtreeSize[i];
        const auto first = inside.begin() + std::ptrdiff_t(i);
        const std::uint32_t extra = hidden[i] + std::accumulate(first + 1, inside.begin() + std::ptrdiff_t(end), 0U);
        m_figures->generates += 1 + extra;
        m_figures->logicalGenerates += m_folded[i] == 0 ? 1 : 0;
        ++out.generateSpans;
        if (isOpaque(i)) {
            const AttemptFact& fact = m_scan->fact(i);
            out.opaqueCalls.push_back(
                {std::uint32_t(m_scan->index), std::uint32_t(i), fact.model, fact.outputTokens, m_scan->view.duration(i)});
        }
        i = end;
    }
}

void FigureWriter::setDepth(const std::vector<Draft>& drafts)
{
    std::array<std::uint32_t, 256> most{};
    for (std::size_t d = 0; d < drafts.size(); ++d) {
        if (!drafts[d].counts())
            continue;
        m_figures->depth = std::max(m_figures->depth, m_level[d]);
        most[m_level[d]] = std::max(most[m_level[d]], drafts[d].attempts);
        m_figures->retries += drafts[d].retries();
        if (drafts[d].kind == AttemptKind::Walk && drafts[d].attempts > m_figures->walks) {
            m_figures->walks = drafts[d].attempts;
            const std::int32_t root = primaryRoot(m_scan->view, true);
            const Timestamp begin = root < 0 ? unknownTime : m_scan->begin[std::size_t(root)];
            m_figures->firstWalk = isKnown(begin) ? saturatingDifference(drafts[d].members.front().end, begin) : unknownDuration;
        }
    }
    constexpr std::uint64_t largest = 1'000'000'000;
    std::uint64_t bound = 1;
    for (const std::uint32_t attempts : most)
        bound = std::min(largest, bound * std::max(1U, attempts));
    m_figures->bound = std::uint32_t(bound);
}

void FigureWriter::write(const TraceScan& scan, std::vector<Draft>& drafts, const TraceSetting& setting, Portion& out)
{
    m_scan = &scan;
    m_setting = &setting;
    m_figures = &out.traces.emplace_back();
    m_figures->firstGroup = std::uint32_t(out.groups.size());
    m_figures->walksTruncated = setting.walksTruncated;
    m_figures->repeatsRequest = setting.chain != nullptr && setting.position > 0;
    m_losses.clear();
    setLevels(drafts);
    if (setting.chain != nullptr && setting.position == 0)
        addChain(out);
    if (setting.isLost()) {
        const Attempt& lost = setting.chain->attempts[setting.position];
        const Attempt& next = setting.chain->attempts[setting.position + 1];
        m_losses.push_back({lost.begin, std::max(lost.end, next.begin), 0, lost.cause});
    }
    for (std::size_t d = 0; d < drafts.size(); ++d) {
        addGroup(drafts[d], m_level[d], out);
        if (!drafts[d].counts())
            continue;
        addLosses(drafts[d], m_level[d]);
        countCauses(drafts[d], out);
    }
    m_figures->groupCount = std::uint32_t(out.groups.size()) - m_figures->firstGroup;
    chargeTime(out);
    if (m_figures->groupCount > 0 || setting.isLost())
        chargeCalls(drafts, out);
    countGenerates(drafts, out);
    setDepth(drafts);
    const bool longWaste =
        isKnown(setting.e2e) && toNs(setting.e2e) > 0 && double(toNs(m_figures->wasted)) >= 0.3 * double(toNs(setting.e2e));
    m_figures->cascade = m_figures->retried() && (m_figures->amplification() >= 3 || m_figures->walks >= 3 || longWaste);
}

/// Lost attempts by cause; those without spans have the cause that the group has.
void FigureWriter::countCauses(const Draft& draft, Portion& out)
{
    const auto evidence = std::size_t(draft.evidence);
    for (std::size_t k = 0; k + 1 < draft.members.size(); ++k) {
        CauseFigures& figures = out.causes[std::size_t(draft.members[k].cause)];
        ++figures.count;
        ++figures.byEvidence[evidence];
    }
    const std::uint64_t hidden = draft.attempts - draft.members.size();
    const bool failedToo = draft.members.front().failed && draft.members.size() == 1;
    CauseFigures& figures = out.causes[std::size_t(failedToo ? draft.members.front().cause : RetryCause::None)];
    figures.count += hidden;
    figures.byEvidence[evidence] += hidden;
    const bool timed = draft.members.size() == 1 && isKnown(draft.lastMark);
    out.unknownTimeAttempts += timed ? 0 : hidden;
}

} // namespace chokepoint::attempts
