// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The path as Jaeger UI computes it, for people who compare the two.
#pragma once

#include "core/analysis/pathtree.h"

#include <vector>

namespace chokepoint::path {

/// Reusable from trace to trace; an explicit stack stands in for recursion.
class JaegerWalk {
public:
    /// Appends the paths of all true roots, one after the other, each ascending; offsets count from the returned time, the
    /// earliest start among those roots. Paths of different roots may overlap. Needs normalise() alone.
    Ns run(const TraceView& trace, Tree& tree, std::vector<PathSegment>& segments);

private:
    struct Frame {
        std::uint32_t span = 0;
        std::uint32_t kid = 0; // cursor into Tree::kids
        Ns cursor = 0; // everything from here on is attributed
        bool fresh = true; // no child was left yet
    };

    void clip(const TraceView& trace, Tree& tree, std::uint32_t root) const;
    void walk(const TraceView& trace, Tree& tree, std::uint32_t root, Ns zero, std::vector<PathSegment>& segments);

    std::vector<Frame> m_frames;
};

} // namespace chokepoint::path
