// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tracecolumns.h"

#include "core/model/trace.h"

#include <tuple>

namespace chokepoint {

TraceView TraceColumns::trace(std::size_t index) const
{
    const std::size_t first = firstSpan[index];
    const std::size_t count = firstSpan[index + 1] - first;
    const auto slice = [&](const auto& column) { return std::span(column).subspan(first, count); };
    return {traceId[index], slice(spans.spanId), slice(spans.parentId), slice(parent), slice(subtreeSize), slice(spans.start),
        slice(spans.end), slice(spans.name), slice(spans.resource), slice(spans.scope), slice(spans.flags), slice(spans.firstToken)};
}

std::string TraceColumns::traceIdName(std::size_t index) const
{
    const auto text = traceIdText.find(std::uint32_t(index));
    return text != traceIdText.end() ? text->second : toHex(traceId[index]);
}

std::int32_t primaryRoot(const TraceView& trace, bool orOrphan)
{
    std::int32_t best = -1;
    const auto better = [&](std::size_t a, std::size_t b) {
        const bool trueA = trace.isTrueRoot(a);
        if (trueA != trace.isTrueRoot(b))
            return trueA;
        // A fragment whose cycle was cut is a root only for want of a better one.
        const bool cutA = trace.flags[a].has(SpanFlags::CycleCut);
        if (cutA != trace.flags[b].has(SpanFlags::CycleCut))
            return !cutA;
        const Duration durationA = trace.duration(a);
        const Duration durationB = trace.duration(b);
        if (durationA != durationB)
            return durationA > durationB;
        if (trace.start[a] != trace.start[b])
            return trace.start[a] < trace.start[b];
        if (trace.spanId[a] != trace.spanId[b])
            return trace.spanId[a] < trace.spanId[b];
        // One id twice: the first of them in a tree, whatever the order of these spans.
        const auto rest = [&trace](std::size_t i) {
            const Duration recorded = spanDuration(trace.start[i], trace.end[i]);
            return std::tuple(-(isKnown(recorded) ? toNs(recorded) : -1), toIndex(trace.name[i]), trace.flags[i].bits,
                toIndex(trace.resource[i]), trace.end[i]);
        };
        return rest(a) < rest(b);
    };
    for (std::size_t i = 0; i < trace.size(); i += trace.subtreeSize[i])
        if ((orOrphan ? trace.parent[i] < 0 : trace.isTrueRoot(i)) && (best < 0 || better(i, std::size_t(best))))
            best = std::int32_t(i);
    return best;
}

TimeRange traceExtent(const TraceView& trace)
{
    TimeRange extent{Timestamp::max(), Timestamp::min()};
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (isKnown(trace.start[i])) {
            extent.begin = std::min(extent.begin, trace.start[i]);
            extent.end = std::max(extent.end, trace.start[i]);
        }
        if (isKnown(trace.end[i]))
            extent.end = std::max(extent.end, trace.end[i]);
    }
    if (extent.begin == Timestamp::max())
        return {};
    return extent;
}

bool isPartial(const TraceView& trace)
{
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (!isKnown(trace.duration(i)))
            return true;
    return false;
}

std::string Trace::spanIdName(std::size_t span) const
{
    std::string text = payload(span).spanIdText;
    return text.empty() ? toHex(m_columns.spans.spanId[span]) : text;
}

std::string Trace::parentIdName(std::size_t span) const
{
    if (m_columns.spans.parentId[span].isNull())
        return {};
    std::string text = payload(span).parentIdText;
    return text.empty() ? toHex(m_columns.spans.parentId[span]) : text;
}

} // namespace chokepoint
