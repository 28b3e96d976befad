// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How much one deployment differs from itself: halves of its own traces against each other.
#pragma once

#include "core/analysis/comparesides.h"

#include <span>

namespace chokepoint {

/// 95 % of the random splits of BEFORE into two halves differ by less than this, for mean, P50, P95 and P99. Unknown where a half
/// is too small for the figure. \a sorted ascending. Deterministic for a seed; does not depend on AFTER.
[[nodiscard]] std::array<Duration, 4> noiseFloor(std::span<const Duration> sorted, std::uint64_t seed);

/// The same with whole clusters in either half; unknown with too few of them. \a side has clusters.
[[nodiscard]] std::array<Duration, 4> clusterNoiseFloor(const SideFigures& side, std::uint64_t seed);

inline constexpr unsigned noiseSplits = 200;

} // namespace chokepoint
