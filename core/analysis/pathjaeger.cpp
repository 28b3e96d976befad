// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Jaeger's rule: clip every child to its parent, then go back through the children that end strictly before the cursor.
#include "core/analysis/pathjaeger.h"

#include <algorithm>

namespace chokepoint::path {

namespace {

/// Jaeger drops orphans as it clips them to nothing, and never reaches a cycle.
bool isJaegerRoot(const TraceView& trace, std::size_t i)
{
    const SpanFlags flags = trace.flags[i];
    return trace.parent[i] < 0 && !flags.has(SpanFlags::Orphan) && !flags.has(SpanFlags::SelfParent) && !flags.has(SpanFlags::CycleCut);
}

/// Latest end first, of those the earliest start. Where Jaeger goes on by the order of the file, which must not matter here,
/// the child with children comes first.
void sortKids(const TraceView& trace, Tree& tree, const Span& span)
{
    std::sort(tree.kids.begin() + span.kidBegin, tree.kids.begin() + span.kidEnd, [&](const Kid& a, const Kid& b) {
        if (a.end != b.end)
            return a.end > b.end;
        const bool kidsA = tree.spans[a.span].hasKids();
        if (trace.start[a.span] == trace.start[b.span] && kidsA != tree.spans[b.span].hasKids())
            return kidsA;
        return a.span < b.span;
    });
}

} // namespace

Ns JaegerWalk::run(const TraceView& trace, Tree& tree, std::vector<PathSegment>& segments)
{
    Ns zero = noTime;
    for (std::uint32_t i = 0; i < trace.size(); i += trace.subtreeSize[i]) {
        if (!isJaegerRoot(trace, i))
            continue;
        clip(trace, tree, i);
        zero = zero == noTime ? tree.spans[i].start : std::min(zero, tree.spans[i].start);
    }
    listKids(tree);
    for (std::uint32_t i = 0; i < trace.size(); i += trace.subtreeSize[i]) {
        if (isJaegerRoot(trace, i))
            walk(trace, tree, i, zero, segments);
    }
    return zero == noTime ? 0 : zero;
}

/// Parents come before children, so each child meets its parent already clipped. Dropped spans stay out of the tree.
void JaegerWalk::clip(const TraceView& trace, Tree& tree, std::uint32_t root) const
{
    const std::uint32_t end = root + trace.subtreeSize[root];
    for (std::uint32_t i = root + 1; i < end;) {
        const auto up = std::size_t(trace.parent[i]);
        const Span& parent = tree.spans[up];
        Span& span = tree.spans[i];
        const bool message = trace.flags[up].kind() == SpanKind::Producer && trace.flags[i].kind() == SpanKind::Consumer;
        const bool outside = span.start >= parent.end || (span.start < parent.start && span.end <= parent.start);
        if (message || outside) {
            i += trace.subtreeSize[i];
            continue;
        }
        span.start = std::max(span.start, parent.start);
        span.end = std::min(span.end, parent.end);
        span.tree = trace.parent[i];
        ++i;
    }
}

void JaegerWalk::walk(const TraceView& trace, Tree& tree, std::uint32_t root, Ns zero, std::vector<PathSegment>& segments)
{
    const std::size_t first = segments.size();
    const auto push = [&](std::uint32_t index) {
        const Span& span = tree.spans[index];
        sortKids(trace, tree, span);
        m_frames.push_back({index, span.kidBegin, span.end, true});
    };
    m_frames.clear();
    push(root);
    while (!m_frames.empty()) {
        Frame& frame = m_frames.back();
        const Span& span = tree.spans[frame.span];
        while (!frame.fresh && frame.kid < span.kidEnd && tree.kids[frame.kid].end >= frame.cursor)
            ++frame.kid;
        const bool found = frame.kid < span.kidEnd;
        const Ns gate = found ? tree.kids[frame.kid].end : span.start;
        if (gate < frame.cursor)
            segments.push_back(
                {frame.span, SegmentType::Self, Duration{saturatingLength(zero, gate)}, Duration{saturatingLength(zero, frame.cursor)}});
        if (!found) {
            m_frames.pop_back();
            continue;
        }
        const Kid& kid = tree.kids[frame.kid++];
        frame.cursor = kid.begin;
        frame.fresh = false;
        push(kid.span);
    }
    std::reverse(segments.begin() + std::ptrdiff_t(first), segments.end());
}

} // namespace chokepoint::path
