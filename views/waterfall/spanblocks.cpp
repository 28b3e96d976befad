// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Extents of blocks of spans, bottom up.
#include "views/waterfall/spanblocks.h"

#include <algorithm>

namespace chokepoint {

namespace {

void extend(BlockExtent& block, const BlockExtent& by)
{
    if (!isKnown(by.begin))
        return;
    block.begin = isKnown(block.begin) ? std::min(block.begin, by.begin) : by.begin;
    block.end = std::max(block.end, by.end); // unknownTime is the lowest value
}

/// Only whole blocks: the rest at the end is looked at span by span.
std::vector<BlockExtent> combined(const std::vector<BlockExtent>& smaller)
{
    std::vector<BlockExtent> result(smaller.size() / spansPerBlock);
    for (std::size_t i = 0; i < result.size() * spansPerBlock; ++i)
        extend(result[i / spansPerBlock], smaller[i]);
    return result;
}

} // namespace

Timestamp shownEnd(const TraceView& trace, std::size_t span, TimeRange extent)
{
    const Timestamp end = isKnown(trace.end[span]) ? trace.end[span] : extent.end;
    return std::max(end, trace.start[span]);
}

SpanBlocks makeSpanBlocks(const TraceView& trace, TimeRange extent)
{
    std::vector<BlockExtent> level(trace.size() / spansPerBlock);
    for (std::size_t i = 0; i < level.size() * spansPerBlock; ++i) {
        if (isKnown(trace.start[i]))
            extend(level[i / spansPerBlock], {trace.start[i], shownEnd(trace, i, extent)});
    }
    SpanBlocks blocks;
    while (!level.empty() && blocks.levels.size() < 3) {
        blocks.levels.push_back(level);
        level = combined(blocks.levels.back());
    }
    return blocks;
}

} // namespace chokepoint
