// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a path's segments split into stages: the loop behind forEachStagePart(), without the cost of std::function.
#pragma once

#include "core/analysis/population.h"

#include <algorithm>
#include <span>

namespace chokepoint {

/// The derived parts of \a count spans from \a firstSpan on.
[[nodiscard]] inline std::span<const DerivedPart> derivedParts(const StageMap& stages, std::uint64_t firstSpan, std::uint64_t count)
{
    const auto before = [](const DerivedPart& part, std::uint64_t span) { return part.span < span; };
    const auto begin = std::lower_bound(stages.derived.begin(), stages.derived.end(), firstSpan, before);
    const auto end = std::lower_bound(begin, stages.derived.end(), firstSpan + count, before);
    return {begin, end};
}

/// Calls visit(StageId, const PathSegment&) in time order; see forEachStagePart().
template <typename Visit>
void visitStageParts(const CriticalPath& path, const TraceView& trace, const StageMap& stages, std::uint64_t firstSpan, Visit&& visit)
{
    const std::span<const DerivedPart> derived = derivedParts(stages, firstSpan, trace.size());
    for (const PathSegment& segment : path.segments) {
        const std::uint64_t span = firstSpan + segment.span;
        const StageId stage = stages.stage[span];
        PathSegment rest = segment;
        if (!derived.empty() && isKnown(trace.start[segment.span])) {
            Duration origin = saturatingDifference(trace.start[segment.span], path.begin);
            if (!path.shift.empty())
                origin += path.shift[segment.span];
            for (const DerivedPart& part : derivedParts(stages, span, 1)) {
                PathSegment piece = rest;
                piece.begin = std::clamp(origin + part.begin, rest.begin, rest.end);
                piece.end = std::clamp(origin + part.end, piece.begin, rest.end);
                if (piece.begin == piece.end)
                    continue;
                if (rest.begin < piece.begin)
                    visit(stage, PathSegment{rest.span, rest.type, rest.begin, piece.begin});
                visit(part.stage, piece);
                rest.begin = piece.end;
            }
        }
        if (rest.begin < rest.end)
            visit(stage, rest);
    }
}

} // namespace chokepoint
