// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The order of the steps: repair times, correct clocks, set the window, attach, walk.
#include "core/analysis/criticalpath.h"

#include "core/analysis/pathfinder.h"

#include <algorithm>

namespace chokepoint {

const char* segmentTypeName(SegmentType type)
{
    switch (type) {
    case SegmentType::Self: return "self";
    case SegmentType::TimeToFirstToken: return "ttft";
    case SegmentType::Decode: return "decode";
    case SegmentType::AsyncWait: return "async_wait";
    case SegmentType::Backoff: return "backoff";
    case SegmentType::Network: return "net";
    }
    return "self";
}

void PathFinder::find(const TraceView& trace, const Dictionary& dictionary, const PathOptions& options, CriticalPath& path)
{
    path.segments.clear();
    path.notes.clear();
    path.begin = {};
    path.length = {};
    path.inferred = {};
    path.shift.clear();
    path::normalise(trace, options, m_tree);
    path.root = m_tree.root;
    path.complete = m_tree.root >= 0 && trace.isTrueRoot(std::size_t(m_tree.root)) && !m_tree.partial;
    if (m_tree.root < 0)
        return;
    if (options.policy == PathPolicy::Jaeger)
        findAsJaeger(trace, path);
    else
        findWaits(trace, dictionary, options, path);
}

void PathFinder::findWaits(const TraceView& trace, const Dictionary& dictionary, const PathOptions& options, CriticalPath& path)
{
    path::Span& root = m_tree.spans[std::size_t(m_tree.root)];
    path::correctSkew(trace, dictionary, options, m_tree, path.shift);
    if (options.window == PathWindow::Makespan)
        root.end = path::makespanEnd(trace, m_tree);
    path::setTolerances(trace, options, m_tree);
    path::attach(trace, options, m_tree);
    m_tree.windowEnd = root.end;
    if (options.window == PathWindow::FirstToken)
        path::setFirstTokenWindow(m_tree);
    path::listKids(m_tree);
    m_walk.run(trace, dictionary, m_tree, path.segments);
    path.begin = timestampFromNs(root.start);
    path.length = Duration{path::saturatingLength(root.start, m_tree.windowEnd)};
    path.inferred = std::min(Duration{m_tree.inferred}, path.length); // what was cut off may have been inferred, too
}

void PathFinder::findAsJaeger(const TraceView& trace, CriticalPath& path)
{
    path.begin = timestampFromNs(m_jaegerWalk.run(trace, m_tree, path.segments));
    for (const PathSegment& segment : path.segments)
        path.length += segment.end - segment.begin;
    if (!trace.isTrueRoot(std::size_t(path.root)))
        path.root = -1;
}

std::vector<PathNote> PathFinder::notes(const TraceView& trace, const PathOptions& options)
{
    if (m_tree.root >= 0 && options.policy != PathPolicy::Jaeger && options.window == PathWindow::Root) {
        const path::Span& root = m_tree.spans[std::size_t(m_tree.root)];
        const path::Ns longer = path::saturatingLength(root.end, path::makespanEnd(trace, m_tree));
        if (longer > root.length() / 10)
            m_tree.notes.add(path::NoteCode::MakespanLonger, std::uint32_t(m_tree.root));
    }
    return m_tree.notes.list();
}

CriticalPath criticalPath(const TraceView& trace, const Dictionary& dictionary, const PathOptions& options)
{
    PathFinder finder;
    CriticalPath path;
    finder.find(trace, dictionary, options, path);
    path.notes = finder.notes(trace, options);
    return path;
}

} // namespace chokepoint
