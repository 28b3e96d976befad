// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/doubts.h"

#include "core/analysis/checkkeys.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>

namespace chokepoint {

namespace {

constexpr Duration clockTolerance = std::chrono::milliseconds(1);

/// Occurrences of one kind and the first of them.
struct Found {
    std::uint64_t count = 0;
    std::uint64_t first = 0;

    void add(std::uint64_t at)
    {
        if (count++ == 0)
            first = at;
    }
};

class DoubtFinder {
public:
    DoubtFinder(const CheckSide& side, const DoubtFacts& facts, Diagnostics& doubts)
        : m_side(side), m_columns(side.columns), m_facts(facts), m_doubts(doubts)
    {
    }

    void run()
    {
        for (const StageDoubt& doubt : m_side.stages.doubts)
            m_doubts.add(doubt.code, doubt.count, doubt.what + "; " + placeOfSpan(m_columns, doubt.span));
        if (const auto& mixed = m_facts.mixedGenerations; !mixed.empty())
            m_doubts.add(DiagnosticCode::SchemaMixed, mixed.size(),
                "names of several generations of the GenAI conventions in one trace, all read; " + placeOfSpan(m_columns, mixed.front()));
        findDoubtsOnPath(m_side, m_doubts);
        findSampling();
        findClockSkew();
        findLateSpans();
        findStreamTails();
        findUnresolvedLinks();
        findRetryDoubts();
        findSmallNumbers();
        findMissingContent();
        findSeveralScoreSpaces();
    }

private:
    void report(DiagnosticCode code, const Found& found, const std::string& what)
    {
        if (found.count > 0)
            m_doubts.add(code, found.count, what + "; " + placeOfSpan(m_columns, found.first));
    }

    void findSampling()
    {
        Found orphans;
        for (std::uint64_t i = 0; i < m_columns.spanCount(); ++i)
            if (m_columns.spans.flags[i].has(SpanFlags::Orphan))
                orphans.add(i);
        const std::uint64_t rootless = m_side.population.excludedNoRoot;
        const bool isMany = orphans.count * 100 > m_columns.spanCount();
        if (isMany)
            report(DiagnosticCode::SampledTrace, orphans,
                fmt::format("the parents of {} of {} spans are not here{}; retries and totals may be undercounted",
                    formatCount(orphans.count), formatCount(m_columns.spanCount()),
                    rootless > 0 ? fmt::format(", nor the roots of {} traces", formatCount(rootless)) : ""));
        else if (rootless > 0)
            m_doubts.add(DiagnosticCode::SampledTrace, rootless,
                fmt::format("the roots of {} traces are not here; retries and totals may be undercounted", formatCount(rootless)));
    }

    /// How far \a child has to move to lie inside its caller, where it could.
    [[nodiscard]] Duration shiftInto(std::uint64_t parent, std::uint64_t child) const
    {
        const SpanColumns& spans = m_columns.spans;
        const Duration early = saturatingDifference(spans.start[parent], spans.start[child]);
        const Duration late = saturatingDifference(spans.end[child], spans.end[parent]);
        const bool fits = spans.end[child] >= spans.start[child]
            && saturatingDifference(spans.end[child], spans.start[child]) <= saturatingDifference(spans.end[parent], spans.start[parent]);
        return fits ? std::max({early, late, Duration(0)}) : Duration(0);
    }

    [[nodiscard]] bool areTimed(std::uint64_t span) const
    {
        return isKnown(m_columns.spans.start[span]) && isKnown(m_columns.spans.end[span]);
    }

    void findClockSkew()
    {
        const SpanColumns& spans = m_columns.spans;
        std::map<std::pair<StringId, StringId>, std::vector<Duration>> shifts; // by services of caller and called
        Found found;
        for (std::size_t t = 0; t < m_columns.traceCount(); ++t) {
            const std::uint64_t first = m_columns.firstSpan[t];
            for (std::uint64_t i = first; i < m_columns.firstSpan[t + 1]; ++i) {
                if (m_columns.parent[i] < 0)
                    continue;
                const std::uint64_t parent = first + std::uint64_t(m_columns.parent[i]);
                const StringId caller = m_columns.dictionary->service(spans.resource[parent]);
                const StringId called = m_columns.dictionary->service(spans.resource[i]);
                const SpanFlags flags = spans.flags[i];
                const bool waits = flags.kind() != SpanKind::Consumer && !flags.has(SpanFlags::Follows) && !flags.has(SpanFlags::Async);
                if (caller == called || !waits || !areTimed(i) || !areTimed(parent))
                    continue;
                if (const Duration shift = shiftInto(parent, i); shift > clockTolerance) {
                    found.add(i);
                    shifts[{caller, called}].push_back(shift);
                }
            }
        }
        if (found.count == 0)
            return;
        auto worst =
            std::max_element(shifts.begin(), shifts.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
        const auto middle = worst->second.begin() + std::ptrdiff_t(worst->second.size() / 2);
        std::nth_element(worst->second.begin(), middle, worst->second.end());
        report(DiagnosticCode::ClockSkew, found,
            fmt::format("calls lie outside their caller, those of {} from {} by {} as a rule; times are shown as recorded, {}",
                m_columns.dictionary->text(worst->first.second), m_columns.dictionary->text(worst->first.first), formatDuration(*middle),
                m_side.path.skew == SkewCorrection::Off ? "and not corrected on the path" : "but corrected on the path"));
    }

    void findLateSpans()
    {
        Found late;
        for (std::size_t t = 0; t < m_columns.traceCount(); ++t) {
            const TraceFigures& figures = m_side.population.traces[t];
            const std::uint64_t first = m_columns.firstSpan[t];
            if (figures.root < 0 || !figures.hasTrueRoot || !areTimed(first + std::uint64_t(figures.root)))
                continue;
            const Timestamp end = m_columns.spans.end[first + std::uint64_t(figures.root)];
            for (std::uint64_t i = first; i < m_columns.firstSpan[t + 1]; ++i)
                if (isKnown(m_columns.spans.start[i]) && m_columns.spans.start[i] > end)
                    late.add(i);
        }
        report(DiagnosticCode::AsyncAfterResponse, late,
            "spans start after the root has ended: not in the end-to-end time, but in tokens and cost");
    }

    /// A span that streams an answer, and whose call ended before it: what follows is writing, no gap.
    [[nodiscard]] bool hasTail(const CallFacts& call) const
    {
        const SpanColumns& spans = m_columns.spans;
        if ((!call.streaming && !isKnown(call.firstToken)) || !areTimed(call.span))
            return false;
        Timestamp last = spans.start[call.span];
        bool hasCall = false;
        for (std::uint64_t kid = call.span + 1; kid < call.span + m_columns.subtreeSize[call.span]; kid += m_columns.subtreeSize[kid]) {
            hasCall |= spans.flags[kid].kind() == SpanKind::Client;
            if (isKnown(spans.end[kid]))
                last = std::max(last, spans.end[kid]);
        }
        return hasCall && saturatingDifference(spans.end[call.span], last) > clockTolerance;
    }

    void findStreamTails()
    {
        Found tails;
        for (const CallFacts& call : m_side.usage.calls)
            if (hasTail(call))
                tails.add(call.span);
        report(DiagnosticCode::StreamTail, tails,
            "the call below a streamed answer ends before it, with its headers; the rest counts as writing");
    }

    void findUnresolvedLinks()
    {
        Found unresolved;
        for (const LinkTarget& link : unresolvedLinks(m_columns, m_facts))
            unresolved.add(link.span);
        report(DiagnosticCode::LinkUnresolved, unresolved, "links lead to spans that are not here; they say nothing of order or retries");
    }

    void findRetryDoubts()
    {
        const auto rowOf = [this](std::uint32_t trace, std::uint32_t span) { return m_columns.firstSpan[trace] + span; };
        Found earlier;
        for (const AttemptGroup& group : m_side.retries.groups)
            if (group.earlierMissing && group.attemptSpans > 0) {
                const Attempt& attempt = m_side.retries.attempts[group.firstAttempt];
                earlier.add(rowOf(attempt.trace, attempt.span));
            }
        report(
            DiagnosticCode::AttemptEarlierMissing, earlier, "earlier attempts are not in the trace; their number is that of the counter");
        Found hints;
        for (const HiddenRetryHint& hint : m_side.retries.hints)
            hints.add(rowOf(hint.trace, hint.span));
        report(DiagnosticCode::HiddenRetryHint, hints,
            "longer than usual by the wait of an SDK's retry: may hold retries that have no spans; record the HTTP client's spans to see "
            "them");
        Found truncated;
        for (std::size_t t = 0; t < m_side.retries.traces.size(); ++t)
            if (m_side.retries.traces[t].walksTruncated)
                truncated.add(m_columns.firstSpan[t]);
        report(
            DiagnosticCode::WalkTruncated, truncated, "too many steps to look for repeated walks in all of them; the first were looked at");
    }

    void findSmallNumbers()
    {
        const std::size_t traces = m_side.population.included.size();
        if (traces > 0 && traces < fewTraces)
            m_doubts.add(DiagnosticCode::LowN, traces,
                fmt::format("{} complete traces; high quantiles and intervals need at least {}", traces, fewTraces));
        const std::uint64_t labels = m_side.spending.correct.labelled;
        if (labels > 0 && labels < fewLabels)
            m_doubts.add(DiagnosticCode::LabelsFew, labels,
                fmt::format("{} judged answers; a cost per correct answer needs at least {}", labels, fewLabels));
    }

    void findMissingContent()
    {
        Found calls;
        const AttemptFacts& facts = m_side.attemptFacts;
        const StageTable& table = *m_side.stages.table;
        const StageId generate = table.find("generate");
        std::size_t row = 0;
        for (std::uint64_t i = 0; i < m_columns.spanCount(); ++i) {
            if (m_side.stages.container[i] || table.topLevel(m_side.stages.stage[i]) != generate || !m_side.usage.find(i))
                continue;
            while (row < facts.span.size() && facts.span[row] < i)
                ++row;
            const bool hasInput = row < facts.span.size() && facts.span[row] == i && facts.fact[row].input != 0;
            if (hasInput)
                return;
            calls.add(i);
        }
        report(DiagnosticCode::ContentAbsent, calls,
            "no call of a model holds its messages; whether a repeated call asks the same is told by structure alone");
    }

    void findSeveralScoreSpaces()
    {
        std::set<std::string> spaces;
        Found scores;
        for (const CheckNumber& number : m_side.facts.numbers) {
            if (number.field != CheckField::Score && number.field != CheckField::Distance)
                continue;
            scores.add(number.span);
            spaces.insert(fmt::format("{}\n{}\n{}", m_side.facts.text(number.span, CheckField::Collection),
                m_side.facts.text(number.span, CheckField::Metric), number.field == CheckField::Score));
        }
        if (spaces.size() > 1)
            report(DiagnosticCode::ScoreIncomparable, scores,
                fmt::format("scores of {} collections or metrics; they cannot be compared with each other", spaces.size()));
    }

    const CheckSide& m_side;
    const TraceColumns& m_columns;
    const DoubtFacts& m_facts;
    Diagnostics& m_doubts;
};

/// Usage that is not added is told with the faults; what billing assumed, and all that comes after in the list of codes, is doubt.
Diagnostics partOf(const Diagnostics& all, bool doubts)
{
    Diagnostics part;
    for (const DiagnosticEntry& entry : all.entries())
        if ((entry.code > DiagnosticCode::UsageRollupIgnored) == doubts)
            part.add(entry.code, entry.count, entry.first);
    return part;
}

} // namespace

std::vector<LinkTarget> unresolvedLinks(const TraceColumns& columns, const DoubtFacts& facts)
{
    using Key = std::array<std::uint64_t, 3>;
    struct HashKey {
        std::size_t operator()(const Key& key) const { return std::size_t(mix64(key[0] ^ mix64(key[1] ^ mix64(key[2])))); }
    };
    if (facts.links.empty())
        return {};
    const auto keyOf = [](TraceId trace, SpanId span) { return Key{trace.hi, trace.lo, span.value}; };
    std::unordered_set<Key, HashKey> missing;
    for (const LinkTarget& link : facts.links)
        missing.insert(keyOf(link.traceId, link.spanId));
    for (std::size_t t = 0; t < columns.traceCount(); ++t)
        for (std::uint64_t i = columns.firstSpan[t]; i < columns.firstSpan[t + 1]; ++i)
            missing.erase(keyOf(columns.traceId[t], columns.spans.spanId[i]));
    std::vector<LinkTarget> unresolved;
    for (const LinkTarget& link : facts.links)
        if (missing.contains(keyOf(link.traceId, link.spanId)))
            unresolved.push_back(link);
    return unresolved;
}

Diagnostics faultsIn(const Diagnostics& all)
{
    return partOf(all, false);
}

Diagnostics doubtsIn(const Diagnostics& all)
{
    return partOf(all, true);
}

std::string placeOfSpan(const TraceColumns& columns, std::uint64_t span)
{
    const auto after = std::upper_bound(columns.firstSpan.begin(), columns.firstSpan.end(), span);
    return fmt::format("span {} of trace {}", columns.dictionary->text(columns.spans.name[span]),
        columns.traceIdName(std::size_t(after - columns.firstSpan.begin()) - 1));
}

Diagnostics findDoubts(const CheckSide& side, const DoubtFacts& facts)
{
    Diagnostics doubts;
    DoubtFinder(side, facts, doubts).run();
    return doubts;
}

} // namespace chokepoint
