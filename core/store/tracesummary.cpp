// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/tracesummary.h"

#include <algorithm>

namespace chokepoint {

TraceSummary TraceSummarizer::summarize(const SpanColumns& rows)
{
    const TraceView trace = m_linked.link(rows);
    TraceSummary summary;
    summary.spans = trace.size();
    summary.errors = std::uint64_t(std::count_if(trace.flags.begin(), trace.flags.end(), [](SpanFlags flags) { return flags.isError(); }));
    if (std::any_of(trace.start.begin(), trace.start.end(), [](Timestamp start) { return isKnown(start); })) {
        const TimeRange extent = traceExtent(trace);
        summary.startNs = toNs(extent.begin);
        summary.durationNs = toNs(extent.length());
    }
    if (const std::int32_t root = primaryRoot(trace); root >= 0 && isKnown(trace.duration(std::size_t(root))))
        summary.e2eNs = toNs(trace.duration(std::size_t(root)));
    if (const std::int32_t root = primaryRoot(trace, true); root >= 0) {
        summary.rootName = trace.name[std::size_t(root)];
        summary.rootResource = trace.resource[std::size_t(root)];
    }
    return summary;
}

} // namespace chokepoint
