// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows the waterfall has: one a span, less those in collapsed branches, and a marker above the orphans of a missing parent.
#pragma once

#include "core/model/tracecolumns.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace chokepoint {

/// A row is a span, or the marker of a missing parent; then `span` is the first orphan below it.
struct SpanRowRef {
    std::uint32_t span = 0;
    bool isMarker = false;
    friend bool operator==(const SpanRowRef&, const SpanRowRef&) = default;
};

/// Rows in display order. Every change is O(visible rows); looking up is O(1). The trace must outlive the rows.
class SpanRows {
public:
    SpanRows() = default;
    explicit SpanRows(const TraceView& trace);

    [[nodiscard]] std::size_t size() const { return m_rows.size(); }
    [[nodiscard]] SpanRowRef operator[](std::size_t row) const { return {m_rows[row] & ~markerBit, (m_rows[row] & markerBit) != 0}; }
    /// Row of a span; nullopt while it is in a collapsed branch.
    [[nodiscard]] std::optional<std::size_t> rowOf(std::uint32_t span) const;
    /// The span itself, or the collapsed ancestor that stands for it.
    [[nodiscard]] std::uint32_t visibleSpan(std::uint32_t span) const;

    [[nodiscard]] bool hasChildren(std::uint32_t span) const { return m_trace.subtreeSize[span] > 1; }
    [[nodiscard]] bool isCollapsed(std::uint32_t span) const { return m_collapsed[span]; }
    /// Spans without children are never collapsed.
    void setCollapsed(std::uint32_t span, bool collapsed);
    /// Opens every collapsed ancestor of \a span. True when something changed.
    bool expandTo(std::uint32_t span);
    void expandAll();
    /// Collapses every span at \a depth or deeper (roots have depth 0); the levels above are opened.
    void collapseFrom(std::uint32_t depth);
    /// Deepest level that is open somewhere: what collapseFrom() was last given, or the depth of the tree.
    [[nodiscard]] std::uint32_t openDepth() const { return m_openDepth; }

    /// Spans that the row stands for besides itself: its subtree when collapsed, else none. Half-open [span + 1, last).
    [[nodiscard]] std::uint32_t hiddenEnd(std::uint32_t span) const;
    /// Number of orphans below the marker whose first orphan is \a span.
    [[nodiscard]] std::uint32_t orphansBelow(std::uint32_t span) const;

    /// Ancestors of row \a topRow that have scrolled away, outermost first, at most \a most: of more, the nearest. They cover
    /// the rows from \a topRow on, so each is an ancestor of the first row that stays uncovered.
    [[nodiscard]] std::vector<std::uint32_t> stickyAncestors(std::size_t topRow, std::size_t most) const;

private:
    struct OrphanGroup {
        std::uint32_t first = 0; // orphan
        std::vector<std::uint32_t> members;
    };
    static constexpr std::uint32_t markerBit = 1U << 31;

    void findOrphans();
    void rebuild();
    void appendSubtree(std::uint32_t root);

    TraceView m_trace;
    std::uint32_t m_firstOrphan = 0;
    std::uint32_t m_depth = 0;
    std::uint32_t m_openDepth = 0;
    std::vector<bool> m_collapsed; // by span
    std::vector<std::uint32_t> m_rows;
    std::vector<std::uint32_t> m_rowOf; // by span; hidden below a collapsed one
    std::vector<OrphanGroup> m_orphans; // by first child
};

} // namespace chokepoint
