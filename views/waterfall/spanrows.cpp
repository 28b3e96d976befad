// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the waterfall: a walk over the pre-order that skips collapsed subtrees.
#include "views/waterfall/spanrows.h"

#include <algorithm>
#include <unordered_map>

namespace chokepoint {

namespace {

constexpr std::uint32_t hidden = 0xffffffff;

} // namespace

SpanRows::SpanRows(const TraceView& trace) : m_trace(trace), m_collapsed(trace.size(), false)
{
    findOrphans();
    std::vector<std::uint32_t> depth(trace.size());
    for (std::size_t i = 0; i < trace.size(); ++i) {
        depth[i] = trace.parent[i] < 0 ? 0 : depth[std::size_t(trace.parent[i])] + 1;
        m_depth = std::max(m_depth, depth[i]);
    }
    m_openDepth = m_depth;
    rebuild();
}

void SpanRows::findOrphans()
{
    std::unordered_map<SpanId, std::size_t> groupOf;
    m_firstOrphan = std::uint32_t(m_trace.size());
    for (std::uint32_t i = 0; i < m_trace.size(); i += m_trace.subtreeSize[i]) {
        if (!m_trace.flags[i].has(SpanFlags::Orphan))
            continue;
        m_firstOrphan = std::min(m_firstOrphan, i);
        const auto [it, isNew] = groupOf.try_emplace(m_trace.parentId[i], m_orphans.size());
        if (isNew)
            m_orphans.push_back({i, {}});
        m_orphans[it->second].members.push_back(i);
    }
}

void SpanRows::appendSubtree(std::uint32_t root)
{
    const std::uint32_t end = root + m_trace.subtreeSize[root];
    for (std::uint32_t i = root; i < end;) {
        m_rowOf[i] = std::uint32_t(m_rows.size());
        m_rows.push_back(i);
        i += m_collapsed[i] ? m_trace.subtreeSize[i] : 1;
    }
}

void SpanRows::rebuild()
{
    m_rows.clear();
    m_rowOf.assign(m_trace.size(), hidden);
    for (std::uint32_t i = 0; i < m_firstOrphan; i += m_trace.subtreeSize[i])
        appendSubtree(i);
    for (const OrphanGroup& group : m_orphans) {
        m_rows.push_back(group.first | markerBit);
        for (const std::uint32_t orphan : group.members)
            appendSubtree(orphan);
    }
}

std::optional<std::size_t> SpanRows::rowOf(std::uint32_t span) const
{
    return m_rowOf[span] == hidden ? std::nullopt : std::optional<std::size_t>(m_rowOf[span]);
}

std::uint32_t SpanRows::visibleSpan(std::uint32_t span) const
{
    while (m_rowOf[span] == hidden)
        span = std::uint32_t(m_trace.parent[span]);
    return span;
}

void SpanRows::setCollapsed(std::uint32_t span, bool collapsed)
{
    if (!hasChildren(span) || m_collapsed[span] == collapsed)
        return;
    m_collapsed[span] = collapsed;
    rebuild();
}

bool SpanRows::expandTo(std::uint32_t span)
{
    bool changed = false;
    for (std::int32_t parent = m_trace.parent[span]; parent >= 0; parent = m_trace.parent[std::size_t(parent)]) {
        changed = changed || m_collapsed[std::size_t(parent)];
        m_collapsed[std::size_t(parent)] = false;
    }
    if (changed)
        rebuild();
    return changed;
}

void SpanRows::expandAll()
{
    collapseFrom(m_depth);
}

void SpanRows::collapseFrom(std::uint32_t depth)
{
    m_openDepth = std::min(depth, m_depth);
    std::vector<std::uint32_t> depthOf(m_trace.size());
    for (std::size_t i = 0; i < m_trace.size(); ++i) {
        depthOf[i] = m_trace.parent[i] < 0 ? 0 : depthOf[std::size_t(m_trace.parent[i])] + 1;
        m_collapsed[i] = depthOf[i] >= depth && m_trace.subtreeSize[i] > 1;
    }
    rebuild();
}

std::uint32_t SpanRows::hiddenEnd(std::uint32_t span) const
{
    return m_collapsed[span] ? span + m_trace.subtreeSize[span] : span + 1;
}

std::uint32_t SpanRows::orphansBelow(std::uint32_t span) const
{
    const auto it = std::find_if(m_orphans.begin(), m_orphans.end(), [span](const OrphanGroup& group) { return group.first == span; });
    return it == m_orphans.end() ? 0 : std::uint32_t(it->members.size());
}

std::vector<std::uint32_t> SpanRows::stickyAncestors(std::size_t topRow, std::size_t most) const
{
    // With k rows covered, the first free row is topRow + k; its ancestors that lie above it are what may stick. One row more is
    // covered as long as there is one more ancestor to show than rows are covered already.
    std::vector<std::uint32_t> result;
    for (std::size_t covered = 0; covered <= most && topRow + covered < m_rows.size(); ++covered) {
        const SpanRowRef row = (*this)[topRow + covered];
        std::vector<std::uint32_t> above;
        std::int32_t parent = row.isMarker ? -1 : m_trace.parent[row.span];
        for (; parent >= 0 && above.size() < most; parent = m_trace.parent[std::size_t(parent)]) {
            if (m_rowOf[std::size_t(parent)] < topRow + covered)
                above.push_back(std::uint32_t(parent));
        }
        result.assign(above.rbegin(), above.rend());
        if (result.size() <= covered)
            break;
    }
    return result;
}

} // namespace chokepoint
