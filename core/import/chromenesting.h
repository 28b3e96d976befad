// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which slice of a thread lies in which: parents by containment, and the slices that points in time belong to.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace chokepoint {

inline constexpr std::uint32_t noSlice = 0xffffffffU;
/// End of a slice that never ended: it lasts as long as what it lies in.
inline constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

/// A slice [start, end) as nesting sees it; nanoseconds.
struct NestKey {
    std::uint64_t group = 0; // slices of different groups (threads, asynchronous ids) do not nest
    std::int64_t start = 0;
    std::int64_t end = 0; // >= start
    std::uint32_t slice = 0; // below the number of slices; breaks ties
    std::uint32_t rank = 1; // among equal times the lower one is the outer one
};

/// A point in time that looks for its slice.
struct NestMark {
    std::uint64_t group = 0;
    std::int64_t time = 0;
    std::uint32_t mark = 0; // below the number of marks
    bool bindsNext = false; // to the first slice that starts at or after it
};

struct NestedMark {
    std::uint32_t slice = noSlice;
    bool isInside = false; // else slice is the neighbour on the same track: the one before, or the first after
};

struct Nesting {
    std::vector<std::uint32_t> parents; // by slice; noSlice for outermost ones and for those that were not among the keys
    std::vector<NestedMark> marks; // by mark
    std::uint64_t overlaps = 0; // slices that begin inside another one and end behind it
    std::uint32_t firstOverlap = noSlice;
};

/// Sorts \a keys (and \a marks) by group and time. The parent of a slice is the latest slice before it in the order (start, end
/// descending, rank, slice) that contains it whole and has not ended where it starts: a slice without length holds nothing.
/// A point in time belongs to the latest slice with start <= time < end, else to one of no length at that time, else to one that
/// ends there. O(n log n).
[[nodiscard]] Nesting nestSlices(std::vector<NestKey>& keys, std::vector<NestMark>& marks, std::uint32_t sliceCount);

} // namespace chokepoint
