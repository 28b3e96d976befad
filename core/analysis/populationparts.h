// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a path's segments split into stages: the loop behind forEachStagePart(), without the cost of std::function.
#pragma once

#include "core/analysis/population.h"
#include "core/analysis/spanentries.h"

#include <algorithm>
#include <span>
#include <utility>

namespace chokepoint {

/// The derived parts of \a count spans from \a firstSpan on.
[[nodiscard]] inline std::span<const DerivedPart> derivedParts(const StageMap& stages, std::uint64_t firstSpan, std::uint64_t count)
{
    return entriesOf(std::span(stages.derived), firstSpan, count);
}

/// Which stage time belongs to that its span owns: the span's, unless it is a gap with a stage of its own.
class GapStageOf {
public:
    GapStageOf(const CriticalPath& path, const TraceView& trace, const StageMap& stages, std::uint64_t firstSpan)
        : m_path(path), m_trace(trace), m_stages(stages), m_firstSpan(firstSpan), m_longest(std::max(longestOwnGap, path.length / 200))
    {
    }

    /// Of segment \a k of the path.
    [[nodiscard]] StageId operator()(std::size_t k) const
    {
        const PathSegment& segment = m_path.segments[k];
        const std::uint64_t span = m_firstSpan + segment.span;
        const StageId own = m_stages.stage[span];
        switch (segment.type) {
        case SegmentType::Backoff: return orOwn(m_stages.gaps.backoff, own);
        case SegmentType::Network: return orOwn(m_stages.gaps.network, own);
        case SegmentType::AsyncWait: return isBeforeConsumer(k) ? orOwn(m_stages.gaps.queue, own) : own;
        case SegmentType::Decode: return streamOf(own);
        case SegmentType::TimeToFirstToken:
        case SegmentType::Self: break;
        }
        if (isStreamTail(k))
            return streamOf(own);
        if (isWaitForNextWalk(k))
            return orOwn(m_stages.gaps.backoff, own);
        const bool isGap = segment.end - segment.begin > m_longest && m_trace.subtreeSize[segment.span] > 1 && !m_stages.container.empty()
            && m_stages.container[span];
        return isGap ? orOwn(m_stages.gaps.uninstrumented, own) : own;
    }

private:
    [[nodiscard]] static StageId orOwn(StageId gap, StageId own) { return gap == StageTable::noStage ? own : gap; }
    [[nodiscard]] StageId streamOf(StageId own) const
    {
        const StageId stream = m_stages.gaps.stream;
        return stream != StageTable::noStage && m_stages.table->topLevel(stream) == own ? stream : own;
    }
    [[nodiscard]] bool isBelow(std::uint32_t span, std::uint32_t above) const
    {
        return span > above && span < above + m_trace.subtreeSize[above];
    }
    [[nodiscard]] StageId topLevelOf(std::size_t k) const
    {
        return m_stages.table->topLevel(m_stages.stage[m_firstSpan + m_path.segments[k].span]);
    }
    /// What is left of a streamed answer when its call has ended, with the headers of the response.
    [[nodiscard]] bool isStreamTail(std::size_t k) const
    {
        const std::uint32_t span = m_path.segments[k].span;
        return k > 0 && m_trace.flags[span].has(SpanFlags::Streaming) && isBelow(m_path.segments[k - 1].span, span)
            && m_trace.flags[m_path.segments[k - 1].span].kind() == SpanKind::Client
            && (k + 1 == m_path.segments.size() || !isBelow(m_path.segments[k + 1].span, span));
    }
    /// Time of a container between a check that failed and the steps that follow it.
    [[nodiscard]] bool isWaitForNextWalk(std::size_t k) const
    {
        const PathSegment& segment = m_path.segments[k];
        const bool isBetween = k > 0 && k + 1 < m_path.segments.size() && segment.end - segment.begin > longestOwnGap
            && !m_stages.container.empty() && m_stages.container[m_firstSpan + segment.span];
        if (!isBetween)
            return false;
        const std::uint32_t before = m_path.segments[k - 1].span;
        const std::uint32_t after = m_path.segments[k + 1].span;
        const bool isCheck = topLevelOf(k - 1) == m_stages.gaps.validate || topLevelOf(k - 1) == m_stages.gaps.guardrail;
        return isCheck && m_trace.flags[before].isError() && isBelow(before, segment.span) && isBelow(after, segment.span)
            && !m_stages.container[m_firstSpan + after] && topLevelOf(k + 1) != topLevelOf(k - 1);
    }
    [[nodiscard]] bool isBeforeConsumer(std::size_t k) const
    {
        return k + 1 < m_path.segments.size() && m_trace.flags[m_path.segments[k + 1].span].kind() == SpanKind::Consumer;
    }

    const CriticalPath& m_path;
    const TraceView& m_trace;
    const StageMap& m_stages;
    std::uint64_t m_firstSpan;
    Duration m_longest;
};

/// Calls visit(StageId, const PathSegment&) in time order; see forEachStagePart(). \a derived: those of the trace.
template <typename Visit>
void visitStageParts(const CriticalPath& path, const TraceView& trace, const StageMap& stages, std::uint64_t firstSpan,
    std::span<const DerivedPart> derived, Visit&& visit)
{
    const GapStageOf stageOf(path, trace, stages, firstSpan);
    for (std::size_t k = 0; k < path.segments.size(); ++k) {
        const PathSegment& segment = path.segments[k];
        const std::uint64_t span = firstSpan + segment.span;
        const StageId stage = stageOf(k);
        PathSegment rest = segment;
        if (!derived.empty() && isKnown(trace.start[segment.span])) {
            Duration origin = saturatingDifference(trace.start[segment.span], path.begin);
            if (!path.shift.empty())
                origin += path.shift[segment.span];
            for (const DerivedPart& part : entriesOf(derived, span, 1)) {
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

template <typename Visit>
void visitStageParts(const CriticalPath& path, const TraceView& trace, const StageMap& stages, std::uint64_t firstSpan, Visit&& visit)
{
    visitStageParts(path, trace, stages, firstSpan, derivedParts(stages, firstSpan, trace.size()), std::forward<Visit>(visit));
}

} // namespace chokepoint
