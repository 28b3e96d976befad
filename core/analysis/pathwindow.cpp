// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the path's window ends: at the first token of the answer, or when all that the root started is done.
#include "core/analysis/pathtree.h"

#include <algorithm>

namespace chokepoint::path {

namespace {

bool isAsynchronous(const TraceView& trace, std::size_t child)
{
    const SpanFlags flags = trace.flags[child];
    const SpanFlags parent = trace.flags[std::size_t(trace.parent[child])];
    return flags.has(SpanFlags::Follows) || flags.has(SpanFlags::Async)
        || (parent.kind() == SpanKind::Producer && flags.kind() == SpanKind::Consumer);
}

/// The streamed span whose end is last, the outermost of several: the one that carries the answer. -1 without one.
std::int32_t findAnswer(const Tree& tree)
{
    std::int32_t answer = -1;
    std::vector<bool> onTree(tree.spans.size());
    onTree[std::size_t(tree.root)] = true;
    for (std::size_t i = 0; i < tree.spans.size(); ++i) {
        const Span& span = tree.spans[i];
        if (span.tree >= 0) // an adopter stands before the adopted span, or is the root
            onTree[i] = onTree[std::size_t(span.tree)];
        if (onTree[i] && span.firstToken != noTime && (answer < 0 || span.end > tree.spans[std::size_t(answer)].end))
            answer = std::int32_t(i);
    }
    return answer;
}

} // namespace

Ns makespanEnd(const TraceView& trace, const Tree& tree)
{
    const auto root = std::size_t(tree.root);
    Ns end = tree.spans[root].end;
    const std::size_t stop = root + trace.subtreeSize[root];
    for (std::size_t i = root + 1; i < stop;) {
        if (isAsynchronous(trace, i)) {
            i += trace.subtreeSize[i];
            continue;
        }
        end = std::max(end, tree.spans[i].end);
        ++i;
    }
    return end;
}

void setFirstTokenWindow(Tree& tree)
{
    const Span& root = tree.spans[std::size_t(tree.root)];
    const std::int32_t answer = root.firstToken != noTime ? tree.root : findAnswer(tree);
    const Ns token = answer < 0 ? noTime : tree.spans[std::size_t(answer)].firstToken;
    if (token <= root.start) {
        tree.notes.add(NoteCode::NoFirstToken, std::uint32_t(tree.root));
        return;
    }
    tree.windowEnd = std::min(token, root.end);
}

} // namespace chokepoint::path
