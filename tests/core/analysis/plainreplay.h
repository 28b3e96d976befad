// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The replay of a trace written down from its definition, slow and plain, for comparison with the one that is used.
#pragma once

#include "core/analysis/brokenorders.h"
#include "core/analysis/declaredorders.h"
#include "core/analysis/stages.h"
#include "core/model/tracecolumns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

namespace chokepoint::testing {

/// One trace by the definition (algorithms.md 5.1, 5.2): children inside their parents, no streams, every stage its own factor.
class PlainReplay {
public:
    PlainReplay(const TraceColumns& columns, const StageMap& stages, const BrokenOrders& broken, const DeclaredOrders& declared)
        : m_columns(columns), m_stages(stages), m_broken(broken), m_declared(declared)
    {
    }

    std::int64_t e2e(std::size_t trace, const std::vector<double>& factor)
    {
        m_view = m_columns.trace(trace);
        m_first = m_columns.firstSpan[trace];
        m_factor = &factor;
        m_begin.assign(m_view.size(), 0);
        m_length.assign(m_view.size(), 0);
        for (std::size_t i = m_view.size(); i-- > 0;)
            place(i);
        return m_length[0];
    }

private:
    [[nodiscard]] std::int64_t start(std::size_t i) const { return toNs(m_view.start[i]); }
    [[nodiscard]] std::int64_t end(std::size_t i) const { return toNs(m_view.end[i]); }
    [[nodiscard]] StageId stage(std::size_t i) const { return m_stages.stage[m_first + i]; }
    [[nodiscard]] std::int64_t scaled(std::size_t owner, std::int64_t time) const
    {
        const double factor = (*m_factor)[toIndex(stage(owner))];
        return factor == 1 ? time : std::int64_t(std::nearbyint(double(time) * factor));
    }
    /// Times allow that \a kid waited for \a other.
    [[nodiscard]] bool ended(std::size_t parent, std::size_t other, std::size_t kid) const
    {
        const std::int64_t tolerance = std::min<std::int64_t>(1000, (end(parent) - start(parent)) / 100);
        return end(other) <= start(kid) + tolerance && start(other) < start(kid);
    }
    [[nodiscard]] const StageOrder* orderOf(std::size_t kid) const
    {
        for (const StageOrder& order : m_declared.stages)
            if (order.stage == stage(kid))
                return &order;
        return nullptr;
    }
    [[nodiscard]] bool waits(std::size_t parent, std::size_t other, std::size_t kid) const
    {
        if (m_view.name[other] == m_view.name[kid] && stage(other) == stage(kid))
            return true;
        if (const StageOrder* order = orderOf(kid))
            return std::find(order->after.begin(), order->after.end(), stage(other)) != order->after.end();
        return !m_broken.contains({m_view.name[parent], m_view.name[other], m_view.name[kid], stage(other), stage(kid)});
    }
    /// The children of \a parent that links of \a kid name, or whose descendants they name, and that it can have waited for.
    [[nodiscard]] std::set<std::size_t> linked(std::size_t parent, std::size_t kid) const
    {
        std::set<std::size_t> found;
        if (m_declared.links == nullptr)
            return found;
        for (const DeclaredLink& link : m_declared.links->links) {
            if (link.span != m_first + kid)
                continue;
            auto at = std::int32_t(link.predecessor - m_first);
            while (at >= 0 && m_view.parent[std::size_t(at)] != std::int32_t(parent))
                at = m_view.parent[std::size_t(at)];
            if (at >= 0 && end(std::size_t(at)) > start(std::size_t(at)) && ended(parent, std::size_t(at), kid))
                found.insert(std::size_t(at));
        }
        return found;
    }
    void place(std::size_t parent)
    {
        std::vector<std::size_t> kids;
        for (std::size_t i = 0; i < m_view.size(); ++i)
            if (m_view.parent[i] == std::int32_t(parent) && end(i) > start(i))
                kids.push_back(i);
        std::sort(kids.begin(), kids.end(),
            [&](std::size_t a, std::size_t b) { return std::tuple(start(a), end(a), a) < std::tuple(start(b), end(b), b); });
        std::int64_t lastEnd = start(parent);
        std::int64_t newLastEnd = 0;
        for (const std::size_t kid : kids) {
            const std::set<std::size_t> links = linked(parent, kid);
            std::int64_t anchor = std::numeric_limits<std::int64_t>::min();
            std::int64_t newAnchor = anchor;
            for (const std::size_t other : kids) {
                const bool counts = links.empty() ? waits(parent, other, kid)
                                                  : links.contains(other) || (orderOf(kid) != nullptr && waits(parent, other, kid));
                if (other == kid || !ended(parent, other, kid) || !counts)
                    continue;
                anchor = std::max(anchor, end(other));
                newAnchor = std::max(newAnchor, m_begin[other] + m_length[other]);
            }
            if (anchor == std::numeric_limits<std::int64_t>::min()) {
                anchor = start(parent);
                newAnchor = 0;
            }
            const std::int64_t gap = start(kid) - anchor;
            m_begin[kid] = gap > 0 ? newAnchor + scaled(parent, gap) : std::max<std::int64_t>(0, newAnchor + gap);
            lastEnd = std::max(lastEnd, end(kid));
            newLastEnd = std::max(newLastEnd, m_begin[kid] + m_length[kid]);
        }
        m_length[parent] = newLastEnd + scaled(parent, end(parent) - lastEnd);
    }

    const TraceColumns& m_columns;
    const StageMap& m_stages;
    const BrokenOrders& m_broken;
    const DeclaredOrders& m_declared;
    TraceView m_view;
    std::uint64_t m_first = 0;
    const std::vector<double>* m_factor = nullptr;
    std::vector<std::int64_t> m_begin; // from the parent's begin
    std::vector<std::int64_t> m_length;
};

} // namespace chokepoint::testing
