// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromenesting.h"

#include <algorithm>
#include <tuple>

namespace chokepoint {

namespace {

/// The slices of one group that are open, outermost first. A slice that ends no later than a later one is left out: whatever it
/// holds, the later one holds more closely. So ends never grow from bottom to top.
class OpenSlices {
public:
    void clear()
    {
        m_open.clear();
        m_empty = m_ended = {};
    }

    /// Slices that have ended at \a time are closed.
    void advance(std::int64_t time)
    {
        for (; !m_open.empty() && m_open.back().end <= time; m_open.pop_back())
            if (m_ended.slice == noSlice || m_open.back().end > m_ended.end)
                m_ended = m_open.back();
    }

    /// Opens a slice and returns its parent; \a overlaps when the slice it begins in ends before it does.
    std::uint32_t open(const NestKey& key, bool& overlaps)
    {
        advance(key.start);
        std::int64_t end = key.end;
        if (end == endless && !m_open.empty())
            end = m_open.back().end;
        overlaps = !m_open.empty() && m_open.back().end < end;
        while (!m_open.empty() && m_open.back().end < end)
            m_open.pop_back();
        const std::uint32_t parent = m_open.empty() ? noSlice : m_open.back().slice;
        if (end == key.start)
            m_empty = {key.slice, end};
        m_open.push_back({key.slice, end});
        return parent;
    }

    /// After advance(time): the slice that \a time belongs to.
    [[nodiscard]] NestedMark at(std::int64_t time) const
    {
        if (!m_open.empty())
            return {m_open.back().slice, true};
        if (m_empty.slice != noSlice && m_empty.end == time)
            return {m_empty.slice, true};
        return {m_ended.slice, m_ended.slice != noSlice && m_ended.end == time};
    }

private:
    struct Open {
        std::uint32_t slice = noSlice;
        std::int64_t end = 0;
    };
    std::vector<Open> m_open;
    Open m_empty; // the latest slice of no length
    Open m_ended; // the one that ended last
};

} // namespace

Nesting nestSlices(std::vector<NestKey>& keys, std::vector<NestMark>& marks, std::uint32_t sliceCount)
{
    std::sort(keys.begin(), keys.end(), [](const NestKey& a, const NestKey& b) {
        return std::tie(a.group, a.start, b.end, a.rank, a.slice) < std::tie(b.group, b.start, a.end, b.rank, b.slice);
    });
    std::sort(marks.begin(), marks.end(), [](const NestMark& a, const NestMark& b) {
        return std::tie(a.group, a.time, b.bindsNext, a.mark) < std::tie(b.group, b.time, a.bindsNext, b.mark);
    });
    Nesting nesting;
    nesting.parents.assign(sliceCount, noSlice);
    nesting.marks.resize(marks.size());
    OpenSlices open;
    std::vector<std::uint32_t> homeless; // marks that wait for the next slice of the group
    std::size_t mark = 0;
    const auto bind = [&](std::uint64_t group, std::int64_t before) {
        for (; mark < marks.size() && (marks[mark].group < group || (marks[mark].group == group && marks[mark].time < before)); ++mark) {
            if (marks[mark].group < group)
                continue;
            open.advance(marks[mark].time);
            NestedMark& found = nesting.marks[marks[mark].mark];
            found = open.at(marks[mark].time);
            if (found.slice == noSlice || marks[mark].bindsNext)
                homeless.push_back(std::uint32_t(mark));
        }
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const NestKey& key = keys[i];
        const bool isFirst = i == 0 || keys[i - 1].group != key.group;
        if (isFirst) {
            open.clear();
            homeless.clear();
        }
        bind(key.group, key.start);
        for (; mark < marks.size() && marks[mark].group == key.group && marks[mark].time == key.start && marks[mark].bindsNext; ++mark)
            homeless.push_back(std::uint32_t(mark));
        for (const std::uint32_t waiting : homeless)
            nesting.marks[marks[waiting].mark] = {key.slice, marks[waiting].bindsNext};
        homeless.clear();
        bool overlaps = false;
        nesting.parents[key.slice] = open.open(key, overlaps);
        if (overlaps && nesting.overlaps++ == 0)
            nesting.firstOverlap = key.slice;
        if (i + 1 == keys.size() || keys[i + 1].group != key.group)
            bind(key.group, endless);
    }
    return nesting;
}

} // namespace chokepoint
