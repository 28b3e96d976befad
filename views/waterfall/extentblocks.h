// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Level of detail: time extents of runs of 64, 4,096, ... elements, so that what fits into one pixel is looked at once.
#pragma once

#include "core/base/time.h"
#include "views/waterfall/timescale.h"

#include <cstdint>
#include <vector>

namespace chokepoint {

/// Time extent of one element or of a run of them; begin is unknownTime when none has a place in time.
struct BlockExtent {
    Timestamp begin = unknownTime;
    Timestamp end = unknownTime;
};

inline constexpr std::uint32_t blockFactor = 64;

/// Extents by block, from 64 elements up; levels[k] holds the whole blocks of 64^(k+1). Empty for few elements.
struct ExtentBlocks {
    std::vector<std::vector<BlockExtent>> levels;
};

/// \a extentOf(i) is the extent of element i.
template <typename ExtentOf> [[nodiscard]] ExtentBlocks makeExtentBlocks(std::size_t count, ExtentOf&& extentOf);

/// Calls visit(first, extent) for elements of [first, last) that are in view, last to first: single ones, and whole blocks,
/// named by their first element, where all of the block lies in one pixel column. Costs what the pixels cost wherever
/// neighbours lie close to each other in time.
template <typename ExtentOf, typename Visit>
void forEachRun(
    const ExtentBlocks& blocks, ExtentOf&& extentOf, const TimeScale& scale, std::uint32_t first, std::uint32_t last, Visit&& visit);

// ---- implementation -----------------------------------------------------------------------------------------------

/// The smallest extent that holds both.
[[nodiscard]] BlockExtent united(const BlockExtent& a, const BlockExtent& b);
[[nodiscard]] inline bool isVisible(const BlockExtent& extent, const TimeScale& scale)
{
    return isKnown(extent.begin) && scale.intersects(extent.begin, extent.end);
}
/// Nothing of it is in view, or all of it falls into one column: no need to look inside.
[[nodiscard]] inline bool isWhole(const BlockExtent& extent, const TimeScale& scale)
{
    return !isVisible(extent, scale) || scale.firstColumn(extent.begin) >= scale.lastColumn(extent.end);
}

template <typename ExtentOf> ExtentBlocks makeExtentBlocks(std::size_t count, ExtentOf&& extentOf)
{
    ExtentBlocks blocks;
    std::vector<BlockExtent> level(count / blockFactor);
    for (std::size_t i = 0; i < level.size() * blockFactor; ++i)
        level[i / blockFactor] = united(level[i / blockFactor], extentOf(i));
    while (!level.empty()) {
        std::vector<BlockExtent> next(level.size() / blockFactor);
        for (std::size_t i = 0; i < next.size() * blockFactor; ++i)
            next[i / blockFactor] = united(next[i / blockFactor], level[i]);
        blocks.levels.push_back(std::move(level));
        level = std::move(next);
    }
    return blocks;
}

template <typename ExtentOf, typename Visit>
void forEachRun(
    const ExtentBlocks& blocks, ExtentOf&& extentOf, const TimeScale& scale, std::uint32_t first, std::uint32_t last, Visit&& visit)
{
    for (std::uint32_t end = last; end > first;) {
        // The largest aligned block that ends here and can be taken as a whole.
        BlockExtent taken = extentOf(end - 1);
        std::uint32_t size = 1;
        std::uint32_t blockSize = blockFactor;
        for (const std::vector<BlockExtent>& level : blocks.levels) {
            if (end % blockSize != 0 || end - first < blockSize || !isWhole(level[end / blockSize - 1], scale))
                break;
            taken = level[end / blockSize - 1];
            size = blockSize;
            blockSize *= blockFactor;
        }
        end -= size;
        if (isVisible(taken, scale))
            visit(end, taken);
    }
}

} // namespace chokepoint
