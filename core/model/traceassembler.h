// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the rows of one trace in any order to its tree. Input order changes nothing; nothing recurses.
#pragma once

#include "core/base/diagnostics.h"
#include "core/model/tracecolumns.h"

namespace chokepoint {

/// Appends the tree of \a rows (all spans of one trace, exact duplicates already removed) to \a out's span columns,
/// parent, subtreeSize and firstSpan, in display order (see TraceView), and counts what was found wrong in
/// \a out.diagnostics. order[k] is the row that became the k-th span of the trace. The caller appends traceId and
/// storeKey. Rules, in this order (bugs.md 3 to 6, algorithms.md 2.2 and 2.3):
///  - start 0 in a trace whose latest start is after 1971 and without RelativeClock is missing;
///  - one id on a CLIENT and a SERVER span: both stay, the server half hangs under the client half, and children of that
///    id go to the half of their own service (to the server half when neither matches);
///  - other repeated ids: all stay (SPAN_ID_CONFLICT for each but the first by start, longest, content); children go to the first;
///  - own id as parent: a root; parent not in the trace: an orphan; each cycle is cut at its earliest span.
/// Also counts UNFINISHED_SPAN, MISSING_START, NEGATIVE_DURATION and CLOCK_SKEW_SUSPECTED. O(n log n).
void assembleTrace(const SpanColumns& rows, std::vector<std::uint32_t>& order, TraceColumns& out);

/// One trace in the order of its rows, for figures that need no tree. O(n) where no id is repeated.
class LinkedTrace {
public:
    /// Each span with the parent, the start and the flags that assembleTrace() gives it, and a subtreeSize of 1; parents may stand
    /// behind their children. No texts are looked at: the children of an id that a client and its server share are all the server
    /// half's. Good until the next call, while \a rows stays as it is.
    [[nodiscard]] TraceView link(const SpanColumns& rows);
    /// Whether some id occurs more than once among the rows of the last call.
    [[nodiscard]] bool repeatsIds() const { return m_repeatsIds; }

private:
    std::vector<Timestamp> m_start;
    std::vector<SpanFlags> m_flags;
    std::vector<std::int32_t> m_parent;
    std::vector<std::uint32_t> m_subtreeSize;
    bool m_repeatsIds = false;
};

} // namespace chokepoint
