// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a span may have waited for among its siblings: by the times, by what traces broke, by what is declared.
#include "core/analysis/replay.h"

#include <algorithm>
#include <array>

namespace chokepoint {

using path::noTime;
using path::saturatingAdd;

/// The streaming children of \a span by their first tokens.
void Replayer::listStreams(std::uint32_t span)
{
    m_streams.clear();
    m_streamGates.clear();
    for (std::uint32_t k = m_nodes[span].kidBegin; k < m_nodes[span].kidEnd; ++k) {
        const std::uint32_t kid = m_byBegin[k];
        const Ns token = m_tree.spans[kid].firstToken;
        if (m_trace.flags[kid].has(SpanFlags::Streaming) && token > m_nodes[kid].begin && token < m_nodes[kid].shown)
            m_streams.push_back(kid);
    }
    if (m_streams.empty())
        return;
    m_streamGates.resize(kindsAtMost + 1);
    std::sort(m_streams.begin(), m_streams.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::pair(m_tree.spans[a].firstToken, a) < std::pair(m_tree.spans[b].firstToken, b);
    });
}

/// Which kinds of operations among the children of \a span do not wait for which: shown by some trace, or declared.
void Replayer::listBroken(std::uint32_t span)
{
    m_isBroken.clear();
    m_isApart.clear();
    if (m_broken == nullptr && m_after.empty())
        return;
    std::array<std::uint32_t, kindsAtMost + 1> firstOf{};
    std::size_t kinds = 0;
    for (std::uint32_t k = m_nodes[span].kidBegin; k < m_nodes[span].kidEnd; ++k) {
        const std::uint32_t kid = m_byBegin[k];
        firstOf[m_nodes[kid].kind] = kid;
        kinds = std::max(kinds, std::size_t(m_nodes[kid].kind) + 1);
    }
    if (kinds < 2)
        return;
    m_isBroken.assign(m_gates.size() * m_gates.size(), 0);
    m_isApart.assign(m_after.empty() ? 0 : m_isBroken.size(), 0);
    const auto stageOf = [&](std::size_t kind) { return m_stages.stage[m_firstSpan + firstOf[kind]]; };
    const auto nameOf = [&](std::size_t kind) { return m_trace.name[firstOf[kind]]; };
    const bool isLearned = m_broken != nullptr && !m_nodes[span].isByStage;
    for (std::size_t a = 0; a < kinds; ++a) {
        for (std::size_t b = 0; b < kinds; ++b) {
            std::uint8_t& isBroken = m_isBroken[a * m_gates.size() + b];
            if (a != b && isDeclared(firstOf[b]))
                isBroken = m_isApart[a * m_gates.size() + b] = m_after[toIndex(stageOf(b))][toIndex(stageOf(a))] ? 0 : 1;
            else if (a != b && isLearned)
                isBroken = m_broken->contains({m_trace.name[span], nameOf(a), nameOf(b), stageOf(a), stageOf(b)}) ? 1 : 0;
        }
    }
}

/// Lets \a kid wait for all siblings that had ended, within the tolerance, before it began.
void Replayer::openGates(std::uint32_t span, std::uint32_t kid, std::size_t& byEnd)
{
    const Ns begin = m_nodes[kid].begin;
    const Ns limit = saturatingAdd(begin, m_tree.spans[span].tolerance);
    const auto later = [this](std::uint32_t a, std::uint32_t b) { return m_nodes[a].begin > m_nodes[b].begin; };
    for (; byEnd < m_nodes[span].kidEnd && m_nodes[m_byEnd[byEnd]].shown <= limit; ++byEnd) {
        m_pending.push_back(m_byEnd[byEnd]);
        std::push_heap(m_pending.begin(), m_pending.end(), later);
    }
    while (!m_pending.empty() && m_nodes[m_pending.front()].begin < begin) {
        const Node& ended = m_nodes[m_pending.front()];
        m_gates[ended.kind].add(ended.shown, ended.newEnd, m_pending.front());
        std::pop_heap(m_pending.begin(), m_pending.end(), later);
        m_pending.pop_back();
    }
}

/// The same for streams whose first token had come.
void Replayer::openStreams(std::uint32_t kid, std::size_t& byToken)
{
    for (; byToken < m_streams.size() && m_tree.spans[m_streams[byToken]].firstToken <= m_nodes[kid].begin; ++byToken) {
        const Node& stream = m_nodes[m_streams[byToken]];
        m_streamGates[stream.kind].add(m_tree.spans[m_streams[byToken]].firstToken,
            stream.newToken == noTime ? stream.newEnd : stream.newBegin + stream.newToken, m_streams[byToken]);
    }
}

/// Lets \a kid wait for its siblings that its links name, or whose descendants they name.
void Replayer::addLinked(std::uint32_t span, std::uint32_t kid, Gate& ended, Gate& streaming) const
{
    constexpr int levels = 1024; // that a link may reach down
    const auto before = [](const DeclaredLink& link, std::uint64_t wanted) { return link.span < wanted; };
    const Ns begin = m_nodes[kid].begin;
    for (auto link = std::lower_bound(m_links.begin(), m_links.end(), m_firstSpan + kid, before);
         link != m_links.end() && link->span == m_firstSpan + kid; ++link) {
        auto sibling = std::int32_t(link->predecessor - m_firstSpan);
        for (int level = 0; level < levels && sibling >= 0 && m_tree.spans[std::size_t(sibling)].tree != std::int32_t(span); ++level)
            sibling = m_tree.spans[std::size_t(sibling)].tree;
        if (sibling < 0 || m_tree.spans[std::size_t(sibling)].tree != std::int32_t(span))
            continue;
        const Node& node = m_nodes[std::size_t(sibling)];
        if (node.shown <= node.begin || node.begin >= begin)
            continue; // takes no time, or cannot have been waited for
        const Ns token = m_tree.spans[std::size_t(sibling)].firstToken;
        if (node.shown <= saturatingAdd(begin, m_tree.spans[span].tolerance))
            ended.add(node.shown, node.newEnd, std::uint32_t(sibling));
        else if (m_trace.flags[std::size_t(sibling)].has(SpanFlags::Streaming) && token > node.begin && token <= begin)
            streaming.add(token, node.newToken == noTime ? node.newEnd : node.newBegin + node.newToken, std::uint32_t(sibling));
    }
}

} // namespace chokepoint
