// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Two samples by rank: whether one tends to be larger, by how much, and whether they can be called equal.
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <span>

namespace chokepoint {

/// What comparing every value of AFTER with every value of BEFORE came to (ties count half).
struct RankTest {
    double u = 0; // Mann-Whitney's U of AFTER: pairs in which it is larger
    double p = 1; // two-sided
    bool isExact = false; // from the exact distribution; else normal, corrected for ties and continuity
    double cliffsDelta = 0; // P(after > before) - P(after < before), in [-1, 1]
    double probabilityFaster = 0.5; // P(after < before) + P(equal) / 2
};

/// Both samples ascending and not empty. Exact for up to 400 pairs without ties. Swapping the sides negates cliffsDelta
/// exactly and keeps p. (algorithms.md 4.4)
[[nodiscard]] RankTest rankTest(std::span<const Duration> before, std::span<const Duration> after);

/// Hodges-Lehmann estimate of the shift: the median of all differences after - before, half away from zero to whole ns when two
/// are in the middle. Both samples ascending and not empty. Exact; (n + m) log(range) steps.
[[nodiscard]] Duration hodgesLehmannShift(std::span<const Duration> before, std::span<const Duration> after);

/// "negligible", "small", "medium" or "large", by Cliff's delta.
[[nodiscard]] const char* effectSizeName(double cliffsDelta);

} // namespace chokepoint
