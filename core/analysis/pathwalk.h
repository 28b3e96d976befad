// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The walk of policies default and detach: backward from the window's end, always to what was waited for last.
#pragma once

#include "core/analysis/pathtree.h"

#include <vector>

namespace chokepoint::path {

inline constexpr std::uint32_t noSpan = 0xffffffffU;

/// What own time of \a span is, behind its child \a before and in front of its child \a behind; either may be noSpan.
[[nodiscard]] SegmentType gapType(
    const TraceView& trace, const Dictionary& dictionary, std::uint32_t span, std::uint32_t before, std::uint32_t behind);

/// Reusable from trace to trace; an explicit stack stands in for recursion.
class Walk {
public:
    /// Appends ascending segments that cover [root.start, windowEnd) of \a tree exactly, as offsets from root.start.
    /// Needs listKids(). Sorts kids, sets Span::used and adds to Tree::inferred.
    void run(const TraceView& trace, const Dictionary& dictionary, Tree& tree, std::vector<PathSegment>& segments);

private:
    static constexpr std::uint32_t none = noSpan;

    struct Frame {
        std::uint32_t span = 0;
        std::uint32_t kid = 0; // cursor into Tree::kids
        Ns low = 0; // the frame's begin
        Ns cursor = 0; // everything from here on is attributed
        std::uint32_t next = none; // the child that starts at the cursor
        std::uint32_t heapBegin = 0; // streaming children that still ran at the cursor: m_streams from here on
        std::uint32_t spawnBegin = 0; // spawners of the adopted child at the cursor, outermost last
        std::uint32_t spawnEnd = 0;
        bool inferred = false; // reached through an edge that was inferred
    };
    struct Stream {
        Ns firstToken = 0;
        Kid kid;
    };
    /// The child that \a gate says was waited for.
    struct Pick {
        std::uint32_t span = none;
        Ns gate = 0;
        Ns begin = 0;
        Ns truncated = 0; // how far it ran beyond the gate within the tolerance
    };
    /// Own time of a span, while walking in descending time.
    struct Piece {
        std::uint32_t span = 0;
        SegmentType type = SegmentType::Self;
        Ns begin = 0;
        Ns end = 0;
    };

    void push(std::uint32_t span, Ns low, Ns cursor, bool inferred, std::uint32_t spawnBegin, std::uint32_t spawnEnd);
    void step();
    void sortKids(const Span& span, Ns low);
    [[nodiscard]] bool isBetter(const Kid& a, const Kid& b) const;
    /// Heap order: the latest first token on top, of those the better child.
    [[nodiscard]] auto streamOrder() const
    {
        return [this](const Stream& a, const Stream& b) {
            return a.firstToken != b.firstToken ? a.firstToken < b.firstToken : isBetter(b.kid, a.kid);
        };
    }
    [[nodiscard]] Pick pickSpawner(Frame& frame) const;
    [[nodiscard]] Pick pickChild(Frame& frame);
    [[nodiscard]] const Kid* passRunning(Frame& frame);
    [[nodiscard]] const Stream* topStream(Frame& frame);
    void enter(Frame& frame, const Pick& pick);
    void listSpawners(const Frame& frame, std::uint32_t adopted, std::uint32_t& begin, std::uint32_t& end);
    void emit(const Frame& frame, Ns begin, const Pick& pick);
    void own(std::uint32_t span, SegmentType type, Ns begin, Ns end, bool inferred);
    [[nodiscard]] SegmentType gapType(const Frame& frame, const Pick& pick) const;
    void writeSegments(std::vector<PathSegment>& segments) const;

    const TraceView* m_trace = nullptr;
    const Dictionary* m_dictionary = nullptr;
    Tree* m_tree = nullptr;
    std::vector<Frame> m_frames;
    std::vector<Stream> m_streams;
    std::vector<std::uint32_t> m_spawners;
    std::vector<Piece> m_pieces;
};

} // namespace chokepoint::path
