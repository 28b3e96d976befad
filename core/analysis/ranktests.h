// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Two samples by rank: whether one tends to be larger, by how much, and whether they can be called equal.
#pragma once

#include "core/analysis/statistics.h"

#include <cstdint>
#include <optional>
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

/// Brunner and Munzel's test of P(after > before) = P(after < before), which does not ask for equal spreads.
struct BrunnerMunzel {
    double statistic = 0; // above 0: AFTER tends to be larger
    double freedom = 0; // degrees of freedom of the t distribution
    double p = 1; // two-sided
};
/// Both samples ascending; nothing below 2 values a side. Without any overlap p is 0 and the statistic infinite. Swapping the sides
/// negates the statistic exactly.
[[nodiscard]] std::optional<BrunnerMunzel> brunnerMunzel(std::span<const Duration> before, std::span<const Duration> after);

/// What a rank test finds with 80 % probability: P(after > before) differs from one half by this much.
[[nodiscard]] double detectableShift(std::size_t before, std::size_t after);

/// 95 % interval of mean(after) - mean(before), ns, by Welch; nothing below 2 values a side.
[[nodiscard]] std::optional<Interval> welchInterval(std::span<const Duration> before, std::span<const Duration> after);

/// Both samples ascending and not empty. Exact for up to 400 pairs without ties. Swapping the sides negates cliffsDelta
/// exactly and keeps p. (algorithms.md 4.4)
[[nodiscard]] RankTest rankTest(std::span<const Duration> before, std::span<const Duration> after);

/// Hodges-Lehmann estimate of the shift: the median of all differences after - before, half away from zero to whole ns when two
/// are in the middle. Both samples ascending and not empty. Exact; (n + m) log(range) steps.
[[nodiscard]] Duration hodgesLehmannShift(std::span<const Duration> before, std::span<const Duration> after);

/// "negligible", "small", "medium" or "large", by Cliff's delta.
[[nodiscard]] const char* effectSizeName(double cliffsDelta);

} // namespace chokepoint
