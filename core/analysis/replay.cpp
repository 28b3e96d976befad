// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Children are replayed before their parents, each from its own begin on; then all are placed, and the path is walked anew.
#include "core/analysis/replay.h"
#include "core/analysis/populationparts.h"

#include <algorithm>
#include <cmath>

namespace chokepoint {

using path::noTime;
using path::saturatingAdd;

const Replayed& Replayer::replay(const ReplayEdits& edits)
{
    m_edits = &edits;
    m_result.failed = false;
    m_result.onPath.assign(m_stages.table->size(), Duration{0});
    m_result.e2e = Duration{path::saturatingLength(m_nodes[m_order.front()].begin, m_nodes[m_order.front()].end)};
    if (!concerns(edits)) {
        observe();
        return m_result;
    }
    m_pieces.clear();
    for (std::size_t i = m_order.size(); i-- > 0;)
        replaySpan(m_order[i]);
    placeSpans();
    endWhereFatal();
    attribute();
    return m_result;
}

bool Replayer::concerns(const ReplayEdits& edits) const
{
    if (!edits.spans.empty() || !edits.tails.empty() || !edits.fatal.empty())
        return true;
    const auto isChanged = [&edits](StageId stage) {
        const std::size_t index = toIndex(stage);
        return (!edits.factor.empty() && edits.factor[index] != 1) || (!edits.added.empty() && edits.added[index] != 0);
    };
    const auto spans = std::span(m_stages.stage).subspan(m_firstSpan, m_trace.size());
    const auto isAdded = [&](StageId stage) { return isChanged(stage) || isChanged(m_stages.table->topLevel(stage)); };
    const GapStages& gaps = m_stages.gaps;
    for (const StageId gap : {gaps.backoff, gaps.network, gaps.queue, gaps.stream, gaps.uninstrumented})
        if (gap != StageTable::noStage && isChanged(gap))
            return true; // which traces have such gaps only their paths tell
    return std::any_of(spans.begin(), spans.end(), isAdded)
        || std::any_of(m_derived.begin(), m_derived.end(), [&](const DerivedPart& part) { return isChanged(part.stage); });
}

/// The path of the trace as it is: the same steps as everywhere.
void Replayer::observe()
{
    m_replayed = m_tree;
    m_path.segments.clear();
    m_walk.run(m_trace, m_dictionary, m_replayed, m_path.segments);
    m_path.begin = timestampFromNs(m_nodes[m_order.front()].begin);
    m_path.length = m_result.e2e;
    visitStageParts(m_path, m_trace, m_stages, m_firstSpan, m_derived,
        [this](StageId stage, const PathSegment& part) { m_result.onPath[toIndex(stage)] += part.end - part.begin; });
}

const ReplayEdits::SpanEdit* Replayer::editOf(std::uint32_t span) const
{
    const auto found = std::lower_bound(m_edits->spans.begin(), m_edits->spans.end(), span,
        [](const ReplayEdits::SpanEdit& edit, std::uint32_t wanted) { return edit.span < wanted; });
    return found != m_edits->spans.end() && found->span == span ? &*found : nullptr;
}

Replayer::Ns Replayer::scaled(StageId stage, Ns length) const
{
    const double factor = m_edits->factor.empty() ? 1 : m_edits->factor[toIndex(stage)];
    constexpr double longest = 4e18; // ns; sums of a few still fit
    return factor == 1 ? length : Ns(std::nearbyint(std::min(double(length) * factor, longest))); // halves to the even one
}

/// The stages of a span's own time, as if its neighbours stood beside it on the path.
template <typename Visit> void Replayer::visitOwnTime(const OwnTime& own, Visit&& visit)
{
    if (own.begin >= own.end)
        return;
    const Node& root = m_nodes[m_order.front()];
    m_path.begin = timestampFromNs(root.begin);
    m_path.length = Duration{root.end - root.begin};
    m_path.segments.clear();
    const auto add = [&](SegmentType each, Ns from, Ns to) {
        if (from < to)
            m_path.segments.push_back({own.span, each, Duration{from - root.begin}, Duration{to - root.begin}});
    };
    const auto addNeighbour = [&](std::uint32_t span, Ns at) { // empty, so that it is asked about and never visited
        m_path.segments.push_back({span, SegmentType::Self, Duration{at - root.begin}, Duration{at - root.begin}});
    };
    if (own.before != none)
        addNeighbour(m_nodes[own.before].atEnd, own.begin);
    const Ns token = m_tree.spans[own.span].firstToken;
    if (own.type != SegmentType::Self || token == noTime) {
        add(own.type, own.begin, own.end);
    } else {
        const Ns cut = std::clamp(token, own.begin, own.end);
        add(SegmentType::TimeToFirstToken, own.begin, cut);
        add(SegmentType::Decode, cut, own.end);
    }
    if (own.behind != none)
        addNeighbour(m_nodes[own.behind].atBegin, own.end);
    visitStageParts(m_path, m_trace, m_stages, m_firstSpan, m_derived, visit);
}

/// Own time of the trace, from \a at of the replay on; returns where it ends.
Replayer::Ns Replayer::addOwnTime(const OwnTime& own, Ns at)
{
    visitOwnTime(own, [&](StageId stage, const PathSegment& part) {
        const Ns length = scaled(stage, toNs(part.end) - toNs(part.begin));
        m_pieces.push_back({stage, at, at + length});
        at += length;
    });
    return at;
}

/// What the edits add to a span: once for each span of the stage that does not lie in another one of it.
Replayer::Ns Replayer::addedTo(std::uint32_t span) const
{
    if (m_edits->added.empty())
        return 0;
    const auto stageOf = [this](std::uint32_t i) { return m_stages.stage[m_firstSpan + i]; };
    const StageTable& table = *m_stages.table;
    const std::int32_t parent = m_tree.spans[span].tree;
    const auto addedBy = [&](StageId stage, StageId ofParent) { return stage == ofParent ? 0 : m_edits->added[toIndex(stage)]; };
    const StageId own = stageOf(span);
    const StageId top = table.topLevel(own);
    const bool hasParent = parent >= 0;
    const StageId parentOwn = hasParent ? stageOf(std::uint32_t(parent)) : StageTable::noStage;
    const StageId parentTop = hasParent ? table.topLevel(parentOwn) : StageTable::noStage;
    return addedBy(top, parentTop) + (own == top ? 0 : addedBy(own, parentOwn));
}

void Replayer::replaySpan(std::uint32_t span)
{
    Node& node = m_nodes[span];
    node.pieceBegin = std::uint32_t(m_pieces.size());
    const ReplayEdits::SpanEdit* edit = editOf(span);
    if (edit != nullptr && edit->length >= 0) {
        m_pieces.push_back({m_stages.stage[m_firstSpan + span], 0, edit->length});
        node.newLength = edit->length;
        node.newToken = noTime;
    } else {
        Gate last{node.begin, 0, none};
        replayKids(span, last);
        const SegmentType type = path::gapType(m_trace, m_dictionary, span, last.last, none);
        node.newLength = addOwnTime({span, type, last.observed, node.end, last.last, none}, last.replayed);
        setFirstToken(span);
        lengthen(span, addedTo(span), last.replayed);
    }
    if (edit != nullptr)
        lengthen(span, edit->added, 0);
    if (span == m_order.front()) {
        for (const ReplayEdits::Tail& tail : m_edits->tails) {
            m_pieces.push_back({tail.stage, node.newLength, node.newLength + tail.length});
            node.newLength += tail.length;
        }
    }
    node.pieceEnd = std::uint32_t(m_pieces.size());
}

/// Adds time to the end of a span, or takes it away, but not below \a least.
void Replayer::lengthen(std::uint32_t span, Ns added, Ns least)
{
    if (added == 0)
        return;
    Node& node = m_nodes[span];
    const Ns length = std::max(saturatingAdd(node.newLength, added), least);
    m_pieces.push_back({m_stages.stage[m_firstSpan + span], std::min(node.newLength, length), length});
    node.newLength = length;
}

/// Places the children of \a span one after another; adds their ends to \a last.
void Replayer::replayKids(std::uint32_t span, Gate& last)
{
    const Node& node = m_nodes[span];
    if (node.kidBegin == node.kidEnd)
        return;
    m_gates.assign(kindsAtMost + 1, {});
    m_pending.clear();
    listStreams(span);
    listBroken(span);
    std::size_t byEnd = node.kidBegin;
    std::size_t byToken = 0;
    for (std::size_t position = node.kidBegin; position < node.kidEnd; ++position) {
        const std::uint32_t kid = m_byBegin[position];
        openGates(span, kid, byEnd);
        openStreams(kid, byToken);
        placeKid(span, kid);
        last.add(m_nodes[kid].shown, m_nodes[kid].newEnd, kid);
    }
}

void Replayer::placeKid(std::uint32_t span, std::uint32_t kid)
{
    Node& node = m_nodes[kid];
    Gate gate;
    Gate stream;
    if (!m_links.empty())
        addLinked(span, kid, gate, stream);
    const bool isLinked = gate.observed != noTime || stream.observed != noTime;
    for (std::size_t kind = 0; kind < m_gates.size() && (!isLinked || isDeclared(kid)); ++kind) {
        if (m_gates[kind].observed != noTime && waits(m_isBroken, kind, kid))
            gate.add(m_gates[kind].observed, m_gates[kind].replayed, m_gates[kind].last);
        if (!m_streams.empty() && m_streamGates[kind].observed != noTime && waits(m_isApart, kind, kid))
            stream.add(m_streamGates[kind].observed, m_streamGates[kind].replayed, m_streamGates[kind].last);
    }
    const bool afterStream = stream.observed != noTime && stream.observed > gate.observed;
    if (stream.observed != noTime)
        gate.add(stream.observed, stream.replayed, stream.last);
    if (gate.observed == noTime)
        gate = {m_nodes[span].begin, 0, none};

    const ReplayEdits::SpanEdit* edit = editOf(kid);
    const Ns gap = node.begin - gate.observed;
    if (edit != nullptr && edit->dropGap)
        node.newBegin = gate.replayed;
    else if (gap > 0)
        node.newBegin = addOwnTime(
            {span, path::gapType(m_trace, m_dictionary, span, gate.last, kid), gate.observed, node.begin, gate.last, kid}, gate.replayed);
    else
        node.newBegin = std::max<Ns>(0, gate.replayed + gap);

    const Ns cut = node.end - node.shown;
    const Ns length = node.isTimedOut ? std::min(node.shown - node.begin, node.newLength) : std::max<Ns>(0, node.newLength - cut);
    node.newEnd = saturatingAdd(node.newBegin, length);
    // What consumes a stream cannot be done before the stream is.
    if (afterStream && node.shown >= m_nodes[stream.last].shown)
        node.newEnd = std::max(node.newEnd, m_nodes[stream.last].newEnd);
}

/// As long behind the last child that had ended by then as it was.
void Replayer::setFirstToken(std::uint32_t span)
{
    Node& node = m_nodes[span];
    const Ns token = m_tree.spans[span].firstToken;
    node.newToken = noTime;
    if (token == noTime || token <= node.begin)
        return;
    Ns lastEnd = node.begin;
    Ns newLastEnd = 0;
    for (std::uint32_t k = node.kidBegin; k < node.kidEnd && m_nodes[m_byEnd[k]].shown <= token; ++k) {
        lastEnd = std::max(lastEnd, m_nodes[m_byEnd[k]].shown);
        newLastEnd = std::max(newLastEnd, m_nodes[m_byEnd[k]].newEnd);
    }
    node.newToken = newLastEnd;
    visitOwnTime({.span = span, .begin = lastEnd, .end = token},
        [&](StageId stage, const PathSegment& part) { node.newToken += scaled(stage, toNs(part.end) - toNs(part.begin)); });
}

/// The times of the replay on the trace's clock, as the walk wants them.
void Replayer::placeSpans()
{
    m_replayed = m_tree;
    m_absolute.assign(m_trace.size(), 0);
    m_takesPlace.assign(m_trace.size(), 0);
    const std::uint32_t root = m_order.front();
    m_absolute[root] = m_nodes[root].begin;
    m_takesPlace[root] = 1;
    for (const std::uint32_t span : m_order) {
        const Node& node = m_nodes[span];
        path::Span& placed = m_replayed.spans[span];
        placed.start = m_absolute[span];
        placed.end = saturatingAdd(placed.start, node.newLength);
        placed.firstToken = node.newToken > 0 && node.newToken < node.newLength ? placed.start + node.newToken : noTime;
        const ReplayEdits::SpanEdit* edit = editOf(span);
        const bool isWhole = edit != nullptr && edit->length >= 0;
        for (std::uint32_t k = placed.kidBegin; k < placed.kidEnd; ++k) {
            path::Kid& kid = m_replayed.kids[k];
            const Node& child = m_nodes[kid.span];
            kid.begin = kid.end = placed.start;
            if (isWhole || child.shown <= child.begin)
                continue; // takes no time of this replay
            m_takesPlace[kid.span] = m_takesPlace[span];
            m_absolute[kid.span] = saturatingAdd(placed.start, child.newBegin);
            kid.begin = m_absolute[kid.span];
            kid.end = std::max(kid.begin, saturatingAdd(placed.start, child.newEnd));
        }
    }
    for (const std::uint32_t span : m_order) { // a consumer may have had to wait for its stream
        const std::int32_t parent = m_tree.spans[span].tree;
        if (parent >= 0 && span != root)
            m_replayed.spans[span].end =
                std::max(m_replayed.spans[span].end, saturatingAdd(m_absolute[std::size_t(parent)], m_nodes[span].newEnd));
    }
    m_replayed.windowEnd = m_replayed.spans[root].end;
}

/// A request that fails is over with the call that fails.
void Replayer::endWhereFatal()
{
    for (const std::uint32_t span : m_edits->fatal) {
        if (m_takesPlace[span] == 0)
            continue;
        m_result.failed = true;
        m_replayed.windowEnd = std::min(m_replayed.windowEnd, m_replayed.spans[span].end);
    }
}

/// Walks the path of the replay and gives its pieces of own time to stages.
void Replayer::attribute()
{
    m_path.segments.clear();
    m_walk.run(m_trace, m_dictionary, m_replayed, m_path.segments);
    const Ns zero = m_nodes[m_order.front()].begin;
    m_result.e2e = Duration{path::saturatingLength(zero, m_replayed.windowEnd)};
    const auto give = [this](StageId stage, Ns length) { m_result.onPath[toIndex(stage)] += Duration{std::max<Ns>(0, length)}; };
    for (const PathSegment& segment : m_path.segments) {
        Node& node = m_nodes[segment.span];
        const Ns origin = m_absolute[segment.span] - zero;
        Ns at = toNs(segment.begin) - origin;
        const Ns end = toNs(segment.end) - origin;
        const StageId own = m_stages.stage[m_firstSpan + segment.span];
        while (node.pieceBegin < node.pieceEnd && m_pieces[node.pieceBegin].end <= at)
            ++node.pieceBegin; // segments come in order of time
        for (std::uint32_t p = node.pieceBegin; p < node.pieceEnd && at < end && m_pieces[p].begin < end; ++p) {
            const Piece& piece = m_pieces[p];
            if (piece.end <= at)
                continue;
            if (piece.begin > at)
                give(own, piece.begin - at);
            at = std::max(at, piece.begin);
            const Ns until = std::min(piece.end, end);
            give(piece.stage, until - at);
            at = until;
        }
        give(own, end - at);
    }
}

} // namespace chokepoint
