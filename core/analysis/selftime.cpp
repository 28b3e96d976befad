// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One pass in display order: siblings come by start, so a parent's union of children grows to the right only.
#include "core/analysis/selftime.h"

#include <algorithm>

namespace chokepoint {

const std::vector<Duration>& SelfTimeSweep::run(const TraceView& trace)
{
    m_self.resize(trace.size());
    m_coveredUntil.assign(trace.start.begin(), trace.start.end());
    for (std::size_t i = 0; i < trace.size(); ++i) {
        m_self[i] = trace.duration(i);
        if (trace.parent[i] < 0 || trace.flags[i].has(SpanFlags::Follows))
            continue;
        const auto parent = std::size_t(trace.parent[i]);
        if (!isKnown(m_self[i]) || !isKnown(m_self[parent]))
            continue;
        const Timestamp begin = std::max(trace.start[i], m_coveredUntil[parent]);
        const Timestamp end = std::min(trace.end[i], trace.end[parent]);
        if (begin < end) {
            m_self[parent] -= saturatingDifference(end, begin);
            m_coveredUntil[parent] = end;
        }
    }
    return m_self;
}

std::vector<Duration> selfTimes(const TraceView& trace)
{
    SelfTimeSweep sweep;
    return sweep.run(trace);
}

} // namespace chokepoint
