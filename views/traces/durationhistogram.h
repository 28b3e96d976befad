// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bins of end-to-end times of two sides over one axis. Pure.
#pragma once

#include "core/base/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace chokepoint {

enum class AxisScale : std::uint8_t { Linear, Logarithmic };

struct DurationHistogram {
    std::vector<Duration> edges; // ascending, one more than bins; empty without values
    std::array<std::vector<std::uint32_t>, 2> counts; // by side, then bin [edges[i], edges[i + 1])
    std::array<std::size_t, 2> totals{};

    [[nodiscard]] std::size_t bins() const { return edges.empty() ? 0 : edges.size() - 1; }
    /// Share of the side's values in a bin; 0 for a side without values.
    [[nodiscard]] double share(std::size_t side, std::size_t bin) const;
    [[nodiscard]] double largestShare() const;
    /// Bin of a value; nullopt outside.
    [[nodiscard]] std::optional<std::size_t> binOf(Duration value) const;
};

/// At most \a bins bins over all known values; fewer where an edge would repeat. Every known value is in exactly one bin. Values
/// of 0 or less share the first bin of a logarithmic axis.
[[nodiscard]] DurationHistogram durationHistogram(
    std::span<const Duration> before, std::span<const Duration> after, std::size_t bins, AxisScale scale);

} // namespace chokepoint
