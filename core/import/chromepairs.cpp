// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromepairs.h"

#include "core/import/chromenesting.h"

#include <algorithm>
#include <tuple>

namespace chokepoint {

namespace {

/// A beginning or an end.
struct Edge {
    std::uint64_t group = 0;
    Timestamp time;
    std::uint32_t before = 0; // slices that stand before it in the file
    std::uint32_t index = 0; // of the slice, or of the end
    bool isEnd = false;
};

class Pairing {
public:
    Pairing(ChromeRecords& records, std::size_t stringCount) : m_records(records), m_lastOfName(stringCount, none) { }

    PairingResult run()
    {
        collect();
        for (std::size_t begin = 0; begin < m_edges.size();) {
            std::size_t end = begin + 1;
            while (end < m_edges.size() && m_edges[end].group == m_edges[begin].group && m_edges[end].time == m_edges[begin].time)
                ++end;
            runInstant(begin, end);
            if (end == m_edges.size() || m_edges[end].group != m_edges[begin].group)
                forgetGroup();
            begin = end;
        }
        return m_result;
    }

private:
    static constexpr std::uint32_t none = noSlice;
    struct Opened {
        std::uint32_t slice = 0;
        std::uint32_t sameName = none; // the open slice of that name below it
        bool isClosed = false;
    };

    void collect()
    {
        for (std::uint32_t i = 0; i < m_records.slices.size(); ++i) {
            const ChromeSlice& slice = m_records.slices[i];
            if ((slice.bits & ChromeSlice::Open) != 0 && isKnown(slice.start))
                m_edges.push_back({slice.group, slice.start, i, i, false});
        }
        for (std::uint32_t i = 0; i < m_records.ends.size(); ++i)
            m_edges.push_back({m_records.ends[i].group, m_records.ends[i].time, m_records.ends[i].before, i, true});
        // An end with `before` slices before it stands behind the slice `before` - 1.
        std::sort(m_edges.begin(), m_edges.end(), [](const Edge& a, const Edge& b) {
            const auto place = [](const Edge& edge) { return std::uint64_t(edge.before) + (edge.isEnd ? 0 : 1); };
            return std::tuple(a.group, a.time, place(a), a.isEnd, a.index) < std::tuple(b.group, b.time, place(b), b.isEnd, b.index);
        });
    }

    /// All edges of one group at one time.
    void runInstant(std::size_t begin, std::size_t end)
    {
        m_deferred.clear();
        if (end - begin == 1)
            return edge(m_edges[begin]);
        for (std::size_t i = begin; i < end; ++i)
            if (m_edges[i].isEnd && m_records.ends[m_edges[i].index].hasName && !close(m_edges[i].index))
                m_deferred.push_back(m_edges[i].index);
        for (std::size_t i = begin; i < end; ++i)
            if (!m_edges[i].isEnd || !m_records.ends[m_edges[i].index].hasName)
                edge(m_edges[i]);
        for (const std::uint32_t waiting : m_deferred)
            if (!close(waiting))
                miss(waiting);
    }

    void edge(const Edge& edge)
    {
        if (!edge.isEnd)
            open(edge.index);
        else if (!close(edge.index))
            miss(edge.index);
    }

    void open(std::uint32_t slice)
    {
        std::uint32_t& last = m_lastOfName[toIndex(m_records.slices[slice].name)];
        m_open.push_back({slice, last, false});
        last = std::uint32_t(m_open.size() - 1);
    }

    [[nodiscard]] bool close(std::uint32_t index)
    {
        while (!m_open.empty() && m_open.back().isClosed)
            m_open.pop_back();
        if (m_open.empty())
            return false;
        const ChromeEnd& end = m_records.ends[index];
        const std::uint32_t place = end.hasName ? m_lastOfName[toIndex(end.name)] : std::uint32_t(m_open.size() - 1);
        if (place == none)
            return false;
        Opened& opened = m_open[place];
        ChromeSlice& slice = m_records.slices[opened.slice];
        m_lastOfName[toIndex(slice.name)] = opened.sameName;
        opened.isClosed = true;
        slice.end = end.time;
        if (end.arguments.size != 0)
            slice.endArguments = index + 1;
        return true;
    }

    void miss(std::uint32_t end)
    {
        if (m_result.unmatchedEnds++ == 0)
            m_result.firstUnmatched = end;
    }

    void forgetGroup()
    {
        for (const Opened& opened : m_open)
            m_lastOfName[toIndex(m_records.slices[opened.slice].name)] = none;
        m_open.clear();
    }

    ChromeRecords& m_records;
    std::vector<std::uint32_t> m_lastOfName; // by StringId: place in m_open of the innermost open slice of that name
    std::vector<Opened> m_open;
    std::vector<Edge> m_edges;
    std::vector<std::uint32_t> m_deferred;
    PairingResult m_result;
};

} // namespace

PairingResult pairChromeEvents(ChromeRecords& records, std::size_t stringCount)
{
    const bool hasOpen = std::any_of(
        records.slices.begin(), records.slices.end(), [](const ChromeSlice& slice) { return (slice.bits & ChromeSlice::Open) != 0; });
    if (!hasOpen && records.ends.empty())
        return {};
    return Pairing(records, stringCount).run();
}

} // namespace chokepoint
