// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals of times, as every report writes them.
#pragma once

#include "core/analysis/comparison.h"
#include "core/base/format.h"
#include "core/report/json.h"

#include <fmt/format.h>

namespace chokepoint {

/// An interval in ns as [low, high] of whole ns; null without one.
[[nodiscard]] inline Json intervalJson(const std::optional<Interval>& interval)
{
    return interval ? Json{std::llround(interval->low), std::llround(interval->high)} : Json(nullptr);
}

/// What the intervals of one side draw.
[[nodiscard]] inline Json resampledJson(const ResampledSide& side)
{
    return {{"clusters", side.clusters}, {"largest_cluster", side.largest}, {"traces_without", side.unnamed}};
}

/// "[-12.0 ms, +3.10 ms]"; empty without one.
[[nodiscard]] inline std::string intervalText(const std::optional<Interval>& interval)
{
    const auto delta = [](double ns) { return formatDelta(Duration{std::llround(ns)}); };
    return interval ? fmt::format("[{}, {}]", delta(interval->low), delta(interval->high)) : "";
}

} // namespace chokepoint
