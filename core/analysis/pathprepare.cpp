// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before the path: repaired times, the clock's resolution and with it the tolerance of every span.
#include "core/analysis/pathtree.h"

#include <algorithm>

namespace chokepoint::path {

namespace {

Ns lastTime(const TraceView& trace)
{
    Ns last = noTime;
    for (std::size_t i = 0; i < trace.size(); ++i)
        last = std::max({last, toNs(trace.start[i]), toNs(trace.end[i])}); // unknownTime is the smallest
    return last == noTime ? 0 : last;
}

/// Where a span without a start begins: with its parent, else at its own end or the trace's begin.
Ns substituteStart(const TraceView& trace, const Tree& tree, std::size_t i)
{
    if (trace.parent[i] >= 0)
        return tree.spans[std::size_t(trace.parent[i])].start;
    return isKnown(trace.end[i]) ? toNs(trace.end[i]) : toNs(traceExtent(trace).begin);
}

void noteTreeFaults(SpanFlags flags, std::uint32_t i, Notes& notes)
{
    constexpr std::uint32_t faults =
        SpanFlags::Orphan | SpanFlags::SelfParent | SpanFlags::CycleCut | SpanFlags::IdConflict | SpanFlags::SharedServer;
    if ((flags.bits & faults) == 0)
        return;
    constexpr std::pair<SpanFlags::Bit, NoteCode> codes[] = {
        {SpanFlags::Orphan, NoteCode::MissingParent},
        {SpanFlags::SelfParent, NoteCode::SelfParent},
        {SpanFlags::CycleCut, NoteCode::Cycle},
        {SpanFlags::IdConflict, NoteCode::SpanIdConflict},
        {SpanFlags::SharedServer, NoteCode::DupSharedRpc},
    };
    for (const auto& [bit, code] : codes) {
        if (flags.has(bit))
            notes.add(code, i);
    }
}

template <Ns step> bool isWhole(const Span& span)
{
    return span.start % step == 0 && span.length() % step == 0;
}

/// The largest of 1 ms, 1 us, 1 ns that divides every start and duration.
Ns clockResolution(const Tree& tree)
{
    Ns resolution = 1'000'000;
    for (const Span& span : tree.spans) {
        if (resolution == 1'000'000 && !isWhole<1'000'000>(span))
            resolution = 1'000;
        if (resolution == 1'000 && !isWhole<1'000>(span))
            return 1;
    }
    return resolution;
}

void allow(Span& span, Ns jitter)
{
    span.tolerance = std::max(span.tolerance, jitter);
}

} // namespace

void normalise(const TraceView& trace, const PathOptions& options, Tree& tree)
{
    tree.notes.clear();
    tree.partial = false;
    tree.inferred = 0;
    tree.spans.clear();
    tree.spans.reserve(trace.size());
    Ns last = noTime;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        Span& span = tree.spans.emplace_back();
        span.start = toNs(trace.start[i]);
        span.end = toNs(trace.end[i]);
        tree.partial = tree.partial || trace.flags[i].has(SpanFlags::TimeOutOfRange);
        noteTreeFaults(trace.flags[i], i, tree.notes);
        if (span.start == noTime) {
            span.start = substituteStart(trace, tree, i);
            tree.partial = true;
            tree.notes.add(NoteCode::MissingStart, i);
        }
        if (span.end == noTime) {
            last = last == noTime ? lastTime(trace) : last;
            span.end = std::max(last, span.start);
            tree.partial = true;
            tree.notes.add(NoteCode::UnfinishedSpan, i);
        }
        if (span.end < span.start) {
            span.end = span.start;
            tree.notes.add(NoteCode::NegativeDuration, i);
        }
        const Ns token = toNs(trace.firstToken[i]);
        if (token > span.start && token < span.end)
            span.firstToken = token;
    }
    const bool picked = options.root >= 0 && std::size_t(options.root) < trace.size();
    tree.root = picked ? options.root : primaryRoot(trace, true);
}

void setTolerances(const TraceView& trace, const PathOptions& options, Tree& tree)
{
    // A start and a duration are cut off each on its own, so two resolution steps may be lost.
    const Ns base = std::max(Ns{1000}, 2 * clockResolution(tree));
    for (Span& span : tree.spans)
        span.tolerance = std::min(base, span.length() / 100);
    if (options.startJitter.empty())
        return;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const std::size_t resource = toIndex(trace.resource[i]);
        const Ns jitter = resource < options.startJitter.size() ? toNs(options.startJitter[resource]) : 0;
        if (jitter == 0)
            continue;
        allow(tree.spans[i], jitter);
        if (trace.parent[i] >= 0)
            allow(tree.spans[std::size_t(trace.parent[i])], jitter);
    }
}

} // namespace chokepoint::path
