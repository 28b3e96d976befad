// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Facts that only some spans have, kept in the order of the spans: those of a range of spans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace chokepoint {

/// The entries of \a count spans from \a first on. O(log n) to find the first, O(log k) for the last of k.
template <typename Entry>
[[nodiscard]] std::span<const Entry> entriesOf(std::span<const Entry> entries, std::uint64_t first, std::uint64_t count)
{
    const auto before = [](const Entry& entry, std::uint64_t span) { return entry.span < span; };
    const auto begin = std::lower_bound(entries.begin(), entries.end(), first, before);
    // Most ranges hold few: steps that double leave the rest alone.
    auto known = begin;
    std::ptrdiff_t step = 1;
    while (entries.end() - known > step && before(known[step], first + count)) {
        known += step;
        step *= 2;
    }
    const auto limit = entries.end() - known > step ? known + step : entries.end();
    return {begin, std::lower_bound(known, limit, first + count, before)};
}

} // namespace chokepoint
