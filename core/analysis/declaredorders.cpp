// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/declaredorders.h"

#include <algorithm>
#include <numeric>

namespace chokepoint {

std::span<const DeclaredLink> DeclaredLinks::of(std::uint64_t first, std::uint64_t count) const
{
    const auto before = [](const DeclaredLink& link, std::uint64_t span) { return link.span < span; };
    const auto begin = std::lower_bound(links.begin(), links.end(), first, before);
    return {begin, std::lower_bound(begin, links.end(), first + count, before)};
}

void DeclaredLinks::append(const DeclaredLinks& other, std::uint64_t first, std::uint64_t count, std::uint64_t target)
{
    const auto moved = [&](std::uint32_t span) { return std::uint32_t(span - first + target); };
    for (const DeclaredLink& link : other.of(first, count))
        links.push_back({moved(link.span), moved(link.predecessor)});
}

std::vector<StageOrder> ordersIn(const StageTable& to, const StageTable& from, std::span<const StageOrder> orders)
{
    std::vector<StageOrder> renamed;
    for (const StageOrder& order : orders) {
        StageOrder own{to.find(from.name(order.stage)), {}};
        if (own.stage == StageTable::noStage)
            continue;
        for (const StageId before : order.after)
            if (const StageId after = to.find(from.name(before)); after != StageTable::noStage)
                own.after.push_back(after);
        renamed.push_back(std::move(own));
    }
    return renamed;
}

void DeclaredLinkReader::beginSpan(const TraceView& trace, std::size_t i)
{
    m_trace = trace.traceId;
    m_index = std::uint32_t(i);
}

void DeclaredLinkReader::link(const PackedLink& link)
{
    if (link.traceId == m_trace)
        m_named.push_back({m_index, link.spanId});
}

void DeclaredLinkReader::endTrace(const TraceView& trace)
{
    if (m_named.empty())
        return;
    const std::uint64_t first = m_span - trace.size();
    std::vector<std::uint32_t> byId(trace.size());
    std::iota(byId.begin(), byId.end(), 0U);
    std::sort(byId.begin(), byId.end(),
        [&trace](std::uint32_t a, std::uint32_t b) { return std::pair(trace.spanId[a].value, a) < std::pair(trace.spanId[b].value, b); });
    for (const Named& named : m_named) {
        const auto found = std::lower_bound(byId.begin(), byId.end(), named.predecessor.value,
            [&trace](std::uint32_t i, std::uint64_t id) { return trace.spanId[i].value < id; });
        if (found == byId.end() || trace.spanId[*found] != named.predecessor)
            continue;
        const std::uint32_t predecessor = *found;
        if (predecessor != named.span && isKnown(trace.start[predecessor]) && trace.start[predecessor] <= trace.start[named.span])
            m_links.links.push_back({std::uint32_t(first + named.span), std::uint32_t(first + predecessor)});
    }
    m_named.clear();
}

} // namespace chokepoint
