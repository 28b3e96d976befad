// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Level of detail: time extents of runs of 64 and 4,096 spans, so that what fits into one pixel is looked at once.
#pragma once

#include "core/model/tracecolumns.h"
#include "views/waterfall/timescale.h"

#include <cstdint>
#include <vector>

namespace chokepoint {

/// End of a span's bar: the trace's end for an unfinished one, never before its start.
[[nodiscard]] Timestamp shownEnd(const TraceView& trace, std::size_t span, TimeRange extent);

/// Time extent of a run of consecutive spans; begin is unknownTime when none has a start.
struct BlockExtent {
    Timestamp begin = unknownTime;
    Timestamp end = unknownTime;
};

/// Extents by block, from 64 spans up; level[k] holds blocks of 64^(k+1) spans. Empty for small traces.
struct SpanBlocks {
    std::vector<std::vector<BlockExtent>> levels;
};

inline constexpr std::uint32_t spansPerBlock = 64;

[[nodiscard]] SpanBlocks makeSpanBlocks(const TraceView& trace, TimeRange extent);

/// Calls visit(first, count, begin, end) for runs of spans in [first, last), last to first, that are in view: single spans, and
/// whole blocks where all of the block lies in one pixel column. Spans without a start are left out.
template <typename Visit>
void forEachRun(const TraceView& trace, const SpanBlocks& blocks, TimeRange extent, const TimeScale& scale, std::uint32_t first,
    std::uint32_t last, Visit&& visit)
{
    std::uint32_t end = last;
    while (end > first) {
        // The largest aligned block that ends here and can be taken as a whole.
        std::uint32_t taken = 0;
        std::uint32_t size = spansPerBlock;
        for (const std::vector<BlockExtent>& level : blocks.levels) {
            if (end % size != 0 || end - first < size)
                break;
            const BlockExtent& block = level[end / size - 1];
            const bool visible = isKnown(block.begin) && scale.intersects(block.begin, block.end);
            if (visible && scale.firstColumn(block.begin) < scale.lastColumn(block.end))
                break;
            taken = size;
            size *= spansPerBlock;
        }
        if (taken > 0) {
            const BlockExtent& block = blocks.levels[taken == spansPerBlock ? 0
                    : taken == spansPerBlock * spansPerBlock                ? 1
                                                                            : 2][end / taken - 1];
            if (isKnown(block.begin) && scale.intersects(block.begin, block.end))
                visit(end - taken, taken, block.begin, block.end);
            end -= taken;
            continue;
        }
        --end;
        const Timestamp begin = trace.start[end];
        if (!isKnown(begin))
            continue;
        const Timestamp stop = shownEnd(trace, end, extent);
        if (scale.intersects(begin, stop))
            visit(end, std::uint32_t(1), begin, stop);
    }
}

} // namespace chokepoint
