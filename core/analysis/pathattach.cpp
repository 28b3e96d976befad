// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who waits for whom: the class of every edge, lost hedges, and the adoption of spans that left their parent.
#include "core/analysis/pathtree.h"

#include <algorithm>
#include <utility>

namespace chokepoint::path {

namespace {

/// A climb that is longer goes straight to the root, so that a chain of adopted spans stays linear.
constexpr int longestClimb = 1024;

bool contains(const Span& outer, const Span& inner)
{
    const Ns tolerance = outer.outerTolerance();
    return outer.start <= saturatingAdd(inner.start, tolerance) && inner.end <= saturatingAdd(outer.end, tolerance)
        && inner.start < outer.end;
}

EdgeClass classOf(const Span& child, SpanFlags childFlags, const Span& parent, SpanFlags parentFlags)
{
    if (parentFlags.kind() == SpanKind::Producer && childFlags.kind() == SpanKind::Consumer)
        return EdgeClass::ProdCons;
    if (childFlags.has(SpanFlags::Follows))
        return EdgeClass::Follows;
    if (childFlags.has(SpanFlags::Async))
        return EdgeClass::DeclaredAsync;
    if (child.start >= parent.end)
        return EdgeClass::After;
    if (child.end <= parent.start)
        return EdgeClass::Before;
    if (child.end <= parent.end || child.end <= saturatingAdd(parent.end, parent.outerTolerance()))
        return EdgeClass::Block;
    const bool call = parentFlags.kind() == SpanKind::Client && childFlags.kind() == SpanKind::Server;
    const bool gaveUp = parentFlags.has(SpanFlags::Cancelled) || parentFlags.has(SpanFlags::TimedOut);
    return call || gaveUp ? EdgeClass::Abandoned : EdgeClass::Outlives;
}

EdgeClass fragmentClass(SpanFlags flags)
{
    if (flags.has(SpanFlags::Orphan))
        return EdgeClass::Orphan;
    return flags.has(SpanFlags::CycleCut) ? EdgeClass::CycleCut : EdgeClass::SecondaryRoot;
}

class Attacher {
public:
    Attacher(const TraceView& trace, const PathOptions& options, Tree& tree)
        : m_trace(trace), m_options(options), m_tree(tree), m_root(std::size_t(tree.root))
    {
    }

    void run()
    {
        classify();
        for (const std::uint32_t parent : m_tree.cancelledParents)
            findHedgeLosers(parent);
        bool detached = false;
        for (std::uint32_t i = 0; i < m_trace.size(); ++i)
            detached = attachOrSkip(i) || detached;
        if (!detached)
            return;
        for (std::uint32_t i = 0; i < m_trace.size(); ++i)
            adopt(i);
    }

private:
    [[nodiscard]] Span& span(std::size_t i) { return m_tree.spans[i]; }

    [[nodiscard]] bool enclosesRoot(std::size_t i) const { return i < m_root && m_root < i + m_trace.subtreeSize[i]; }

    void classify()
    {
        m_tree.cancelledParents.clear();
        for (std::uint32_t i = 0; i < m_trace.size(); ++i) {
            Span& child = span(i);
            const std::int32_t parent = m_trace.parent[i];
            if (i == m_root) {
                child.edge = EdgeClass::Root;
            } else if (enclosesRoot(i)) {
                child.edge = EdgeClass::Outside;
            } else if (parent < 0) {
                child.edge = fragmentClass(m_trace.flags[i]);
                if (child.edge == EdgeClass::SecondaryRoot)
                    m_tree.notes.add(NoteCode::SecondaryRoot, i);
            } else {
                child.edge = classOf(child, m_trace.flags[i], span(std::size_t(parent)), m_trace.flags[std::size_t(parent)]);
                if (m_trace.flags[i].has(SpanFlags::Cancelled) && isWaitedFor(child.edge))
                    m_tree.cancelledParents.push_back(std::uint32_t(parent));
            }
        }
        std::sort(m_tree.cancelledParents.begin(), m_tree.cancelledParents.end());
        m_tree.cancelledParents.erase(
            std::unique(m_tree.cancelledParents.begin(), m_tree.cancelledParents.end()), m_tree.cancelledParents.end());
    }

    [[nodiscard]] static bool isWaitedFor(EdgeClass edge) { return edge == EdgeClass::Block || edge == EdgeClass::Abandoned; }

    /// A cancelled child lost when a sibling of its name, not cancelled, ran at the same time and ended earlier.
    void findHedgeLosers(std::uint32_t parent)
    {
        const std::uint32_t end = parent + m_trace.subtreeSize[parent];
        m_winners.clear();
        for (std::uint32_t c = parent + 1; c < end; c += m_trace.subtreeSize[c]) {
            if (!m_trace.flags[c].has(SpanFlags::Cancelled) && span(c).start < span(c).end)
                m_winners.emplace_back(m_trace.name[c], span(c).end);
        }
        std::sort(m_winners.begin(), m_winners.end());
        for (std::uint32_t c = parent + 1; c < end; c += m_trace.subtreeSize[c]) {
            if (!m_trace.flags[c].has(SpanFlags::Cancelled) || !isWaitedFor(span(c).edge))
                continue;
            const auto winner = std::upper_bound(m_winners.begin(), m_winners.end(), std::pair(m_trace.name[c], span(c).start));
            if (winner != m_winners.end() && winner->first == m_trace.name[c] && winner->second < span(c).end)
                span(c).edge = EdgeClass::HedgeLoser;
        }
    }

    /// Blocking children go to their parent at once. True when \a i is left to adopt().
    bool attachOrSkip(std::uint32_t i)
    {
        const EdgeClass edge = span(i).edge;
        if (edge == EdgeClass::Block) {
            span(i).tree = m_trace.parent[i];
            return false;
        }
        const EdgeRule rule = edgeRule(edge, m_options.policy);
        if (rule.effect == EdgeEffect::Blocking)
            span(i).tree = m_trace.parent[i];
        if ((rule.effect == EdgeEffect::Blocking || rule.effect == EdgeEffect::Background) && rule.background != NoteCode::Count_)
            m_tree.notes.add(rule.background, i);
        return rule.effect == EdgeEffect::Detached || rule.effect == EdgeEffect::Fragment;
    }

    void adopt(std::uint32_t i)
    {
        const EdgeRule rule = edgeRule(span(i).edge, m_options.policy);
        if (rule.effect != EdgeEffect::Detached && rule.effect != EdgeEffect::Fragment)
            return;
        const std::int32_t adopter = rule.effect == EdgeEffect::Detached ? findAdopter(i) : rootIfContaining(i);
        m_tree.notes.add(adopter < 0 ? rule.background : rule.adopted, i);
        span(i).tree = adopter;
        span(i).adopted = adopter >= 0;
    }

    [[nodiscard]] std::int32_t rootIfContaining(std::uint32_t i) { return contains(span(m_root), span(i)) ? std::int32_t(m_root) : -1; }

    /// The nearest proper ancestor of the parent that contains the span. Work below a declared background span stays there.
    [[nodiscard]] std::int32_t findAdopter(std::uint32_t i)
    {
        auto at = std::size_t(m_trace.parent[i]);
        for (int level = 0; level < longestClimb; ++level) {
            const EdgeClass edge = span(at).edge;
            if (edge == EdgeClass::Root || edge == EdgeClass::Outside || edgeRule(edge, m_options.policy).effect == EdgeEffect::Background)
                return -1;
            if (m_trace.parent[at] < 0)
                return rootIfContaining(i);
            at = std::size_t(m_trace.parent[at]);
            if (span(at).edge != EdgeClass::Outside && contains(span(at), span(i)))
                return std::int32_t(at);
        }
        return rootIfContaining(i);
    }

    const TraceView& m_trace;
    const PathOptions& m_options;
    Tree& m_tree;
    std::size_t m_root;
    std::vector<std::pair<StringId, Ns>> m_winners; // name and end of the children that were not cancelled
};

} // namespace

void attach(const TraceView& trace, const PathOptions& options, Tree& tree)
{
    Attacher(trace, options, tree).run();
}

void listKids(Tree& tree)
{
    for (const Span& span : tree.spans) {
        if (span.tree >= 0)
            ++tree.spans[std::size_t(span.tree)].kidEnd;
    }
    std::uint32_t kids = 0;
    for (Span& span : tree.spans) {
        kids += span.kidEnd;
        span.kidBegin = span.kidEnd = kids;
    }
    tree.kids.resize(kids);
    for (std::uint32_t i = 0; i < tree.spans.size(); ++i) {
        const Span& span = tree.spans[i];
        if (span.tree >= 0)
            tree.kids[--tree.spans[std::size_t(span.tree)].kidBegin] = {span.start, span.end, i};
    }
}

} // namespace chokepoint::path
