// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Steps from span to span.
#include "views/waterfall/spannavigation.h"

#include <algorithm>

namespace chokepoint {

namespace {

std::size_t wrapped(std::size_t index, Step step, std::size_t size)
{
    return step == Step::Next ? (index + 1) % size : (index + size - 1) % size;
}

/// Where the path is for a span that was not reached along it.
std::size_t partFor(const TraceScene& scene, std::uint32_t span, Step step)
{
    const std::vector<PathPart>& parts = scene.pathByTime;
    const auto own = std::find_if(parts.begin(), parts.end(), [span](const PathPart& part) { return part.span == span; });
    if (own != parts.end())
        return std::size_t(own - parts.begin());
    const Timestamp start = scene.view.start[span];
    const auto later = std::lower_bound(parts.begin(), parts.end(), start, [](const PathPart& part, Timestamp t) { return part.end <= t; });
    const auto index = std::size_t(later - parts.begin());
    // The step itself must land on the part that runs when the span starts, or the one before it.
    return step == Step::Next ? wrapped(index, Step::Previous, parts.size()) : index % parts.size();
}

} // namespace

std::optional<std::uint32_t> steppedIn(std::span<const std::uint32_t> spans, std::optional<std::uint32_t> from, Step step)
{
    if (spans.empty())
        return std::nullopt;
    if (step == Step::Next) {
        const auto it = from ? std::upper_bound(spans.begin(), spans.end(), *from) : spans.begin();
        return it == spans.end() ? spans.front() : *it;
    }
    const auto it = from ? std::lower_bound(spans.begin(), spans.end(), *from) : spans.end();
    return it == spans.begin() ? spans.back() : *std::prev(it);
}

std::optional<std::size_t> steppedOnPath(
    const TraceScene& scene, std::optional<std::uint32_t> from, std::optional<std::size_t> part, Step step)
{
    const std::vector<PathPart>& parts = scene.pathByTime;
    if (parts.empty())
        return std::nullopt;
    if (!from)
        return step == Step::Next ? 0 : parts.size() - 1;
    const bool follows = part && *part < parts.size() && parts[*part].span == *from;
    const std::size_t start = follows ? *part : partFor(scene, *from, step);
    for (std::size_t index = wrapped(start, step, parts.size()); index != start; index = wrapped(index, step, parts.size())) {
        if (parts[index].span != *from)
            return index;
    }
    return start;
}

std::optional<std::uint32_t> sibling(const TraceView& trace, std::uint32_t span, Step step)
{
    const std::int32_t parent = trace.parent[span];
    if (step == Step::Next) {
        const std::uint32_t next = span + trace.subtreeSize[span];
        return next < trace.size() && trace.parent[next] == parent ? std::optional(next) : std::nullopt;
    }
    // The span before is the last of the previous sibling's subtree, or the parent.
    if (span == 0 || std::int32_t(span) - 1 == parent)
        return std::nullopt;
    std::uint32_t previous = span - 1;
    while (trace.parent[previous] != parent)
        previous = std::uint32_t(trace.parent[previous]);
    return previous;
}

std::optional<std::uint32_t> mostSelfTime(const TraceScene& scene, const SpanRows& rows, std::size_t firstRow, std::size_t lastRow)
{
    std::optional<std::uint32_t> best;
    for (std::size_t row = firstRow; row < std::min(lastRow, rows.size()); ++row) {
        const SpanRowRef ref = rows[row];
        if (ref.isMarker || !isKnown(scene.selfTime[ref.span]))
            continue;
        if (!best || scene.selfTime[ref.span] > scene.selfTime[*best])
            best = ref.span;
    }
    return best;
}

} // namespace chokepoint
