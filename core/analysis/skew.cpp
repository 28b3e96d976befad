// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Clock skew between hosts: how far a span has to move so that it fits its caller. For the path only; never stored.
#include "core/analysis/pathtree.h"

namespace chokepoint::path {

namespace {

/// The smallest shift that puts \a child inside \a parent; 0 when it fits. The child is not the longer one.
Ns smallestShift(const Span& parent, const Span& child)
{
    const Ns low = saturatingLength(child.start, parent.start);
    const Ns high = saturatingLength(child.end, parent.end);
    if (low > 0)
        return low;
    return high < 0 ? high : 0;
}

/// Jaeger's rule: a child that sticks out moves to the middle of its parent; a longer one starts with it at the earliest.
Ns midpointShift(const Span& parent, const Span& child)
{
    if (child.length() > parent.length())
        return child.start < parent.start ? saturatingLength(child.start, parent.start) : 0;
    if (child.start >= parent.start && child.end <= parent.end)
        return 0;
    const Ns middle = saturatingAdd(parent.start, (parent.length() - child.length()) / 2);
    return saturatingLength(child.start, middle);
}

bool isSynchronous(SpanFlags child, SpanFlags parent)
{
    return !child.has(SpanFlags::Follows) && !child.has(SpanFlags::Async)
        && !(parent.kind() == SpanKind::Producer && child.kind() == SpanKind::Consumer);
}

class SkewCorrector {
public:
    SkewCorrector(
        const TraceView& trace, const Dictionary& dictionary, const PathOptions& options, Tree& tree, std::vector<Duration>& shift)
        : m_trace(trace), m_dictionary(dictionary), m_options(options), m_tree(tree), m_shift(shift), m_frames(trace.size())
    {
    }

    /// Parents come before children, so every parent is already corrected.
    void run()
    {
        for (std::uint32_t i = 0; i < m_trace.size(); ++i) {
            const StringId host = m_dictionary.host(m_trace.resource[i]);
            m_frames[i] = m_trace.parent[i] < 0 ? Frame{host, 0} : frameBelow(std::size_t(m_trace.parent[i]), i, host);
            apply(i, m_frames[i].shift);
        }
    }

private:
    /// The clock that a span was read in, and what it takes to turn it into its caller's.
    struct Frame {
        StringId host{};
        Ns shift = 0;
    };

    Frame frameBelow(std::size_t parent, std::uint32_t i, StringId host) const
    {
        const Frame& above = m_frames[parent];
        const Span& outer = m_tree.spans[parent];
        const Span& inner = m_tree.spans[i];
        if (m_options.skew == SkewCorrection::Jaeger) {
            const bool sameClock = host == above.host && host != StringId{};
            return sameClock ? above : Frame{host, midpointShift(outer, inner)};
        }
        if (host == above.host)
            return above;
        const bool hostsKnown = host != StringId{} && above.host != StringId{};
        const bool fits = isSynchronous(m_trace.flags[i], m_trace.flags[parent]) && inner.length() <= outer.length();
        return {host, hostsKnown && fits ? smallestShift(outer, inner) : 0};
    }

    void apply(std::uint32_t i, Ns shift)
    {
        if (shift == 0)
            return;
        const Ns limit = toNs(m_options.maxSkew);
        if (shift > limit || shift < -limit) {
            m_tree.notes.add(NoteCode::SkewTooLarge, i);
            if (m_options.skew == SkewCorrection::Fit)
                m_frames[i].shift = 0;
            return;
        }
        Span& span = m_tree.spans[i];
        span.start = saturatingAdd(span.start, shift);
        span.end = saturatingAdd(span.end, shift);
        if (span.firstToken != noTime)
            span.firstToken = saturatingAdd(span.firstToken, shift);
        span.shifted = true;
        m_shift.resize(m_trace.size());
        m_shift[i] = Duration{shift};
        m_tree.notes.add(NoteCode::SkewCorrected, i);
    }

    const TraceView& m_trace;
    const Dictionary& m_dictionary;
    const PathOptions& m_options;
    Tree& m_tree;
    std::vector<Duration>& m_shift;
    std::vector<Frame> m_frames;
};

} // namespace

void correctSkew(const TraceView& trace, const Dictionary& dictionary, const PathOptions& options, Tree& tree, std::vector<Duration>& shift)
{
    if (options.skew != SkewCorrection::Off)
        SkewCorrector(trace, dictionary, options, tree, shift).run();
}

} // namespace chokepoint::path
