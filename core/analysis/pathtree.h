// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The spans of one trace as the path sees them: repaired times, the tree of who waits for whom, and reusable memory.
#pragma once

#include "core/analysis/pathnotes.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace chokepoint::path {

/// Times of the path are plain int64 ns inside; they turn into Timestamp and Duration at the borders.
using Ns = std::int64_t;
inline constexpr Ns noTime = std::numeric_limits<Ns>::min();

[[nodiscard]] constexpr Ns saturatingAdd(Ns a, Ns b)
{
    Ns sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? std::numeric_limits<Ns>::max() : noTime + 1;
    return sum;
}
[[nodiscard]] constexpr Ns saturatingLength(Ns begin, Ns end)
{
    return toNs(saturatingDifference(timestampFromNs(end), timestampFromNs(begin)));
}

struct Span {
    Ns start = 0; // repaired and, with skew correction, shifted
    Ns end = 0; // not before start
    Ns firstToken = noTime; // inside (start, end), else noTime
    Ns tolerance = 0; // overlap of children that still counts as one after the other
    std::int32_t tree = -1; // who waits for it; -1: nobody
    std::uint32_t kidBegin = 0;
    std::uint32_t kidEnd = 0;
    EdgeClass edge = EdgeClass::Block;
    bool adopted = false;
    bool shifted = false;
    bool used = false; // already on the path

    [[nodiscard]] Ns length() const { return saturatingLength(start, end); }
    /// How far a child may reach beyond this span and still count as inside.
    [[nodiscard]] Ns outerTolerance() const { return std::max(tolerance, length() / 100); }
    [[nodiscard]] bool hasKids() const { return kidEnd != kidBegin; }
};

/// A child in the walk of its parent, clipped to the parent's frame.
struct Kid {
    Ns begin = 0;
    Ns end = 0;
    std::uint32_t span = 0;
};

/// Everything that the steps hand to each other. Kept between traces so that no step allocates for small ones.
struct Tree {
    std::vector<Span> spans; // by index in the trace
    std::vector<Kid> kids; // those who span i waits for: [kidBegin, kidEnd)
    std::vector<std::uint32_t> cancelledParents;
    Notes notes;
    std::int32_t root = -1;
    Ns windowEnd = 0;
    Ns inferred = 0;
    bool partial = false; // some time is unknown
};

/// Repairs times (N2 to N4 of the definition) and finds the root; notes what it repaired.
void normalise(const TraceView& trace, const PathOptions& options, Tree& tree);
/// Tolerance of each span from the trace's clock resolution and the start jitter of its and its children's resources.
void setTolerances(const TraceView& trace, const PathOptions& options, Tree& tree);
/// Shifts spans of other hosts, see SkewCorrection, and lists by how much in \a shift, which stays empty when none moves.
void correctSkew(
    const TraceView& trace, const Dictionary& dictionary, const PathOptions& options, Tree& tree, std::vector<Duration>& shift);
/// Latest end of the root's descendants that are not reached through asynchronous edges; at least the root's end.
[[nodiscard]] Ns makespanEnd(const TraceView& trace, const Tree& tree);
/// Gives each span its edge class and the span that waits for it (adoption included).
void attach(const TraceView& trace, const PathOptions& options, Tree& tree);
/// Lists the children of each span in the tree, the last of the trace first.
void listKids(Tree& tree);
/// Moves windowEnd to the first token of the answer; leaves it, with a note, when no answer has one.
void setFirstTokenWindow(Tree& tree);

} // namespace chokepoint::path
