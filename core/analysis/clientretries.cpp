// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/clientretries.h"

#include "core/analysis/attemptcause.h"

#include <algorithm>
#include <tuple>

namespace chokepoint::attempts {

namespace {

constexpr Duration soonest = std::chrono::milliseconds(-2); // starts may be cut to whole milliseconds
constexpr Duration latest = std::chrono::seconds(30);

/// A root with one of its keys.
struct Row {
    std::uint64_t key = 0;
    Timestamp begin = unknownTime;
    Timestamp end = unknownTime;
    std::uint32_t trace = 0;
    std::uint8_t number = 0;
    std::uint8_t confidence = 0;
    RetryEvidence evidence = RetryEvidence::Inferred;
    bool failed = false;
    RetryCause cause = RetryCause::None;
    std::uint32_t root = 0; // index in the trace
};

/// A trace that repeats the request of an earlier one.
struct Repeat {
    const Row* earlier = nullptr;
    const Row* later = nullptr;
};

class RowList {
public:
    RowList(const TraceColumns& columns, const AttemptFacts& facts, const Population& population) : m_columns(columns), m_facts(facts)
    {
        std::size_t request = 0;
        for (std::uint32_t t = 0; t < population.traces.size(); ++t) {
            const std::int32_t root = population.traces[t].root;
            if (root < 0)
                continue;
            const auto span = std::uint32_t(columns.firstSpan[t] + std::uint64_t(root));
            while (request < facts.requests.size() && facts.requests[request].span < span)
                ++request;
            const bool hasKeys = request < facts.requests.size() && facts.requests[request].span == span;
            addTrace(t, span, hasKeys ? facts.requests[request] : RequestKeys{});
        }
        std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
            return std::tuple(a.key, a.begin, m_columns.traceId[a.trace]) < std::tuple(b.key, b.begin, m_columns.traceId[b.trace]);
        });
    }

    std::vector<Row> rows; // by key, then by time

private:
    void addTrace(std::uint32_t trace, std::uint32_t span, const RequestKeys& keys)
    {
        const SpanColumns& spans = m_columns.spans;
        const auto [first, last] = m_facts.rows(span, 1);
        const AttemptFact fact = first == last ? AttemptFact{} : m_facts.fact[first];
        Row row;
        row.begin = spans.start[span];
        row.end = isKnown(spans.end[span]) ? std::max(spans.end[span], row.begin) : unknownTime;
        row.trace = trace;
        row.number = fact.number;
        const SpanFlags flags = spans.flags[span];
        row.failed = flags.isError() || flags.has(SpanFlags::Cancelled) || flags.has(SpanFlags::TimedOut)
            || fact.has(AttemptFact::RetriedState) || isRepeatable(fact.cause);
        row.cause = !row.failed               ? RetryCause::None
            : fact.cause != RetryCause::None  ? fact.cause
            : flags.has(SpanFlags::TimedOut)  ? RetryCause::Timeout
            : flags.has(SpanFlags::Cancelled) ? RetryCause::Cancelled
                                              : RetryCause::Error;
        row.root = std::uint32_t(span - m_columns.firstSpan[trace]);
        if (!isKnown(row.begin) || !isKnown(row.end))
            return;
        const std::uint64_t name = mix64(toIndex(spans.name[span]) + 1) + std::uint64_t(flags.kind());
        if (keys.request != 0)
            add(row, mix64(keys.request + name + 1), RetryEvidence::Recorded, 60);
        if (keys.session != 0 && fact.input != 0)
            add(row, mix64(keys.session + mix64(fact.input) + name + 2), RetryEvidence::Inferred, 60);
        if (fact.identity != 0)
            add(row, mix64(fact.identity + name + 3), RetryEvidence::Recorded, 95);
    }

    void add(Row row, std::uint64_t key, RetryEvidence evidence, std::uint8_t confidence)
    {
        row.key = key;
        row.evidence = evidence;
        row.confidence = confidence;
        rows.push_back(row);
    }

    const TraceColumns& m_columns;
    const AttemptFacts& m_facts;
};

/// \a later is sent because \a earlier failed, or is numbered as its successor.
bool follows(const Row& earlier, const Row& later)
{
    const Duration gap = saturatingDifference(later.begin, earlier.end);
    const bool numbered = later.number >= 2 && later.number > earlier.number;
    return gap >= soonest && ((earlier.failed && gap <= latest) || numbered);
}

/// One pair a trace in either place: of several the surest, then the first.
std::vector<Repeat> bestRepeats(const TraceColumns& columns, const std::vector<Row>& rows)
{
    std::vector<Repeat> found;
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i - 1].key == rows[i].key && follows(rows[i - 1], rows[i]))
            found.push_back({&rows[i - 1], &rows[i]});
    const auto rank = [&](const Repeat& each) {
        return std::tuple(-int(each.later->confidence), each.later->evidence, each.later->begin, columns.traceId[each.later->trace]);
    };
    std::sort(found.begin(), found.end(), [&](const Repeat& a, const Repeat& b) { return rank(a) < rank(b); });
    std::vector<bool> isEarlier(columns.traceCount(), false);
    std::vector<bool> isLater(columns.traceCount(), false);
    std::erase_if(found, [&](const Repeat& each) {
        if (isEarlier[each.earlier->trace] || isLater[each.later->trace])
            return true;
        isEarlier[each.earlier->trace] = isLater[each.later->trace] = true;
        return false;
    });
    return found;
}

Attempt attemptOf(const Row& row, std::uint32_t number)
{
    Attempt attempt;
    attempt.trace = row.trace;
    attempt.span = row.root;
    attempt.number = number;
    attempt.kind = AttemptKind::ClientRetry;
    attempt.failed = row.failed;
    attempt.cause = row.cause;
    attempt.begin = row.begin;
    attempt.end = row.end;
    return attempt;
}

} // namespace

std::vector<RequestChain> findRequestChains(const TraceColumns& columns, const AttemptFacts& facts, const Population& population)
{
    const RowList list(columns, facts, population);
    const std::vector<Repeat> repeats = bestRepeats(columns, list.rows);
    std::vector<const Repeat*> next(columns.traceCount(), nullptr); // by the earlier trace
    std::vector<bool> repeated(columns.traceCount(), false);
    for (const Repeat& repeat : repeats) {
        next[repeat.earlier->trace] = &repeat;
        repeated[repeat.later->trace] = true;
    }
    std::vector<RequestChain> chains;
    for (std::uint32_t t = 0; t < columns.traceCount(); ++t) {
        if (next[t] == nullptr || repeated[t])
            continue;
        RequestChain& chain = chains.emplace_back();
        chain.attempts.push_back(attemptOf(*next[t]->earlier, 1));
        chain.confidence = 100;
        chain.evidence = RetryEvidence::Recorded;
        for (const Repeat* step = next[t]; step != nullptr; step = next[step->later->trace]) {
            chain.attempts.push_back(attemptOf(*step->later, std::uint32_t(chain.attempts.size() + 1)));
            chain.confidence = std::min(chain.confidence, step->later->confidence);
            chain.evidence = std::max(chain.evidence, step->later->evidence);
        }
    }
    return chains;
}

} // namespace chokepoint::attempts
