// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// criticalPath() for many traces: the same steps with memory that is kept from trace to trace.
#pragma once

#include "core/analysis/criticalpath.h"
#include "core/analysis/pathjaeger.h"
#include "core/analysis/pathwalk.h"

namespace chokepoint {

/// One a thread. Results do not depend on what was computed before.
class PathFinder {
public:
    /// Fills \a path but its notes, which only people read; \a path keeps its memory.
    void find(const TraceView& trace, const Dictionary& dictionary, const PathOptions& options, CriticalPath& path);
    /// The notes of the trace given last.
    [[nodiscard]] std::vector<PathNote> notes(const TraceView& trace, const PathOptions& options);

private:
    void findWaits(const TraceView& trace, const Dictionary& dictionary, const PathOptions& options, CriticalPath& path);
    void findAsJaeger(const TraceView& trace, CriticalPath& path);

    path::Tree m_tree;
    path::Walk m_walk;
    path::JaegerWalk m_jaegerWalk;
};

} // namespace chokepoint
