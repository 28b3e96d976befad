// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One frame a span on the path. A frame owns [low, cursor); each step hands the time up to a gate to the frame's own span
// and the time before the gate to the child that held the gate shut.
#include "core/analysis/pathwalk.h"

#include <algorithm>

namespace chokepoint::path {

namespace {

/// As with adoption: a longer chain of spawners is not followed.
constexpr std::uint32_t longestChain = 1024;

bool isAdoptedAfterwards(const Span& span)
{
    return span.adopted && (span.edge == EdgeClass::After || span.edge == EdgeClass::Follows);
}

bool isRemoteServer(const TraceView& trace, const Dictionary& dictionary, std::uint32_t child, std::uint32_t parent)
{
    if (child == noSpan || trace.flags[child].kind() != SpanKind::Server)
        return false;
    const ResourceId there = trace.resource[child];
    const ResourceId here = trace.resource[parent];
    const StringId server = dictionary.host(there);
    const StringId client = dictionary.host(here);
    if (server != StringId{} && client != StringId{})
        return server != client;
    return dictionary.service(there) != dictionary.service(here); // the nearest thing to a host that is known
}

/// Appends segments in time order; what one span owns for one reason without a break is one segment.
class MergedSegments {
public:
    explicit MergedSegments(std::vector<PathSegment>& segments) : m_segments(segments) { }
    ~MergedSegments() { close(); }
    MergedSegments(const MergedSegments&) = delete;
    MergedSegments& operator=(const MergedSegments&) = delete;

    void add(const PathSegment& segment)
    {
        if (segment.begin == segment.end)
            return;
        // In this order: side by side, the two small fields are read as one word, which waits for the two writes before it.
        if (m_open.span == segment.span && m_open.end == segment.begin && m_open.type == segment.type) {
            m_open.end = segment.end;
            return;
        }
        close();
        m_open = segment;
    }

private:
    void close()
    {
        if (m_open.begin != m_open.end)
            m_segments.push_back(m_open);
    }

    std::vector<PathSegment>& m_segments;
    PathSegment m_open; // empty at first
};

} // namespace

SegmentType gapType(const TraceView& trace, const Dictionary& dictionary, std::uint32_t span, std::uint32_t before, std::uint32_t behind)
{
    const bool isRepeated = before != noSpan && behind != noSpan && trace.flags[before].isError()
        && trace.name[before] == trace.name[behind] && trace.parent[before] == trace.parent[behind];
    if (isRepeated)
        return SegmentType::Backoff;
    const bool isClient = trace.flags[span].kind() == SpanKind::Client;
    return isClient && (isRemoteServer(trace, dictionary, before, span) || isRemoteServer(trace, dictionary, behind, span))
        ? SegmentType::Network
        : SegmentType::Self;
}

void Walk::run(const TraceView& trace, const Dictionary& dictionary, Tree& tree, std::vector<PathSegment>& segments)
{
    m_trace = &trace;
    m_dictionary = &dictionary;
    m_tree = &tree;
    m_frames.clear();
    m_streams.clear();
    m_spawners.clear();
    m_pieces.clear();
    const Span& root = tree.spans[std::size_t(tree.root)];
    if (tree.windowEnd <= root.start)
        return;
    push(std::uint32_t(tree.root), root.start, tree.windowEnd, false, 0, 0);
    while (!m_frames.empty())
        step();
    writeSegments(segments);
}

void Walk::push(std::uint32_t index, Ns low, Ns cursor, bool inferred, std::uint32_t spawnBegin, std::uint32_t spawnEnd)
{
    Span& span = m_tree->spans[index];
    span.used = true;
    sortKids(span, low);
    m_frames.push_back({index, span.kidBegin, low, cursor, none, std::uint32_t(m_streams.size()), spawnBegin, spawnEnd, inferred});
}

/// Latest end first; of those the longest, then the one with children, then by id.
void Walk::sortKids(const Span& span, Ns low)
{
    if (!span.hasKids())
        return;
    const auto begin = m_tree->kids.begin() + span.kidBegin;
    const auto end = m_tree->kids.begin() + span.kidEnd;
    for (auto kid = begin; kid != end; ++kid) {
        kid->begin = std::max(kid->begin, low);
        kid->end = std::min(kid->end, span.end);
    }
    const auto isFirst = [this](const Kid& a, const Kid& b) { return a.end != b.end ? a.end > b.end : isBetter(a, b); };
    if (!std::is_sorted(begin, end, isFirst)) // it mostly is: those that started last come first
        std::sort(begin, end, isFirst);
}

bool Walk::isBetter(const Kid& a, const Kid& b) const
{
    if (a.begin != b.begin)
        return a.begin < b.begin;
    const bool kidsA = m_tree->spans[a.span].hasKids();
    if (kidsA != m_tree->spans[b.span].hasKids())
        return kidsA;
    const SpanId idA = m_trace->spanId[a.span];
    const SpanId idB = m_trace->spanId[b.span];
    return idA != idB ? idA < idB : a.span < b.span;
}

void Walk::step()
{
    Frame& frame = m_frames.back();
    Pick pick = pickSpawner(frame);
    if (pick.span == none) {
        frame.spawnBegin = frame.spawnEnd;
        pick = pickChild(frame);
    }
    if (pick.span == none) {
        emit(frame, frame.low, pick);
        m_streams.resize(frame.heapBegin);
        m_frames.pop_back();
        return;
    }
    emit(frame, pick.gate, pick);
    enter(frame, pick);
}

/// A child that was adopted although it outlived its parent: what came before it is its spawner, still running then.
Walk::Pick Walk::pickSpawner(Frame& frame) const
{
    if (frame.spawnBegin == frame.spawnEnd)
        return {};
    const std::uint32_t index = m_spawners[frame.spawnEnd - 1];
    const Span& span = m_tree->spans[index];
    const Ns begin = std::max(span.start, frame.low);
    if (span.used || begin >= frame.cursor || frame.cursor >= span.end)
        return {};
    return {index, frame.cursor, begin, 0};
}

Walk::Pick Walk::pickChild(Frame& frame)
{
    const Kid* best = passRunning(frame);
    const bool truncated = best != nullptr;
    const std::vector<Span>& spans = m_tree->spans;
    if (!best) {
        const std::uint32_t end = spans[frame.span].kidEnd;
        const Kid* kids = m_tree->kids.data();
        while (frame.kid < end && (spans[kids[frame.kid].span].used || kids[frame.kid].begin >= kids[frame.kid].end))
            ++frame.kid;
        if (frame.kid < end)
            best = &kids[frame.kid];
    }
    Pick pick;
    if (best)
        pick = {best->span, truncated ? frame.cursor : best->end, best->begin, truncated ? best->end - frame.cursor : 0};
    const Stream* stream = topStream(frame);
    if (stream && (!best || stream->firstToken > pick.gate || (stream->firstToken == pick.gate && isBetter(stream->kid, *best))))
        pick = {stream->kid.span, stream->firstToken, stream->kid.begin, 0};
    return pick;
}

/// Moves past the children that had not ended before the cursor. One that ended within the tolerance counts as ended at
/// the cursor, the earliest to start wins; streaming ones are kept for their first token.
const Kid* Walk::passRunning(Frame& frame)
{
    const std::vector<Span>& spans = m_tree->spans;
    const Span& span = spans[frame.span];
    const Ns limit = saturatingAdd(frame.cursor, span.tolerance);
    const Kid* best = nullptr;
    for (; frame.kid < span.kidEnd && m_tree->kids[frame.kid].end >= frame.cursor; ++frame.kid) {
        const Kid& kid = m_tree->kids[frame.kid];
        const Span& child = spans[kid.span];
        if (child.used || kid.begin >= frame.cursor)
            continue;
        if (kid.end <= limit) {
            if (!best || isBetter(kid, *best))
                best = &kid;
        } else if (child.firstToken != noTime && m_trace->flags[kid.span].has(SpanFlags::Streaming) && kid.begin < child.firstToken
            && child.firstToken < kid.end) {
            m_streams.push_back({child.firstToken, kid});
            std::push_heap(m_streams.begin() + frame.heapBegin, m_streams.end(), streamOrder());
        }
    }
    return best;
}

const Walk::Stream* Walk::topStream(Frame& frame)
{
    while (m_streams.size() > frame.heapBegin) {
        const Stream& top = m_streams[frame.heapBegin];
        if (top.firstToken <= frame.cursor && !m_tree->spans[top.kid.span].used)
            return &top;
        std::pop_heap(m_streams.begin() + frame.heapBegin, m_streams.end(), streamOrder());
        m_streams.pop_back();
    }
    return nullptr;
}

/// \a frame is invalid afterwards: the stack may have moved.
void Walk::enter(Frame& frame, const Pick& pick)
{
    const Span& child = m_tree->spans[pick.span];
    const bool fromSpawner = frame.spawnBegin != frame.spawnEnd;
    const std::uint32_t restBegin = frame.spawnBegin;
    const std::uint32_t restEnd = fromSpawner ? frame.spawnEnd - 1 : frame.spawnBegin;
    const bool inferred = frame.inferred || child.adopted || child.shifted;
    if (!inferred)
        m_tree->inferred += pick.truncated;
    frame.cursor = pick.begin;
    frame.next = pick.span;
    frame.spawnBegin = frame.spawnEnd = 0;
    if (child.adopted && child.edge == EdgeClass::Outlives)
        listSpawners(frame, pick.span, frame.spawnBegin, frame.spawnEnd);
    if (child.hasKids() || restBegin != restEnd)
        push(pick.span, pick.begin, pick.gate, inferred, restBegin, restEnd);
    else
        own(pick.span, SegmentType::Self, pick.begin, pick.gate, inferred);
}

/// The formal parent of \a adopted and those who wait for it, up to the child of the frame's span.
void Walk::listSpawners(const Frame& frame, std::uint32_t adopted, std::uint32_t& begin, std::uint32_t& end)
{
    begin = end = std::uint32_t(m_spawners.size());
    std::int32_t at = m_trace->parent[adopted];
    while (at >= 0 && std::uint32_t(at) != frame.span && m_spawners.size() - begin < longestChain) {
        m_spawners.push_back(std::uint32_t(at));
        at = m_tree->spans[std::size_t(at)].tree;
    }
    if (at >= 0 && std::uint32_t(at) == frame.span)
        end = std::uint32_t(m_spawners.size());
    else
        m_spawners.resize(begin);
}

void Walk::emit(const Frame& frame, Ns begin, const Pick& pick)
{
    if (begin < frame.cursor)
        own(frame.span, gapType(frame, pick), begin, frame.cursor, frame.inferred);
}

void Walk::own(std::uint32_t span, SegmentType type, Ns begin, Ns end, bool inferred)
{
    m_tree->spans[span].used = true;
    m_pieces.push_back({span, type, begin, end});
    if (inferred)
        m_tree->inferred += end - begin;
}

SegmentType Walk::gapType(const Frame& frame, const Pick& pick) const
{
    if (frame.next != none && isAdoptedAfterwards(m_tree->spans[frame.next]))
        return SegmentType::AsyncWait;
    return path::gapType(*m_trace, *m_dictionary, frame.span, pick.span, frame.next);
}

/// Turns the pieces round and cuts a streaming span's own time at its first token.
void Walk::writeSegments(std::vector<PathSegment>& segments) const
{
    const Ns zero = m_tree->spans[std::size_t(m_tree->root)].start;
    MergedSegments merged(segments);
    const auto append = [&](const Piece& piece, SegmentType type, Ns begin, Ns end) {
        merged.add({piece.span, type, Duration{saturatingLength(zero, begin)}, Duration{saturatingLength(zero, end)}});
    };
    for (auto piece = m_pieces.rbegin(); piece != m_pieces.rend(); ++piece) {
        const Ns token = m_tree->spans[piece->span].firstToken;
        if (token == noTime || piece->type != SegmentType::Self) {
            append(*piece, piece->type, piece->begin, piece->end);
            continue;
        }
        const Ns cut = std::clamp(token, piece->begin, piece->end);
        append(*piece, SegmentType::TimeToFirstToken, piece->begin, cut);
        append(*piece, SegmentType::Decode, cut, piece->end);
    }
}

} // namespace chokepoint::path
