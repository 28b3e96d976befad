// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Quantiles, intervals and tests on plain samples. The trace is the unit; every function says its rule.
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace chokepoint {

/// Type 7 (Hyndman-Fan; numpy's and R's default) quantile of \a sorted, rounded half away from zero to whole ns; p in [0, 1].
/// Empty input: unknownDuration. Exact: no double takes part in the interpolation of the integers.
[[nodiscard]] Duration quantile(std::span<const Duration> sorted, double p);
/// Where the type-7 quantile lies between order statistics.
struct QuantilePosition {
    std::size_t lower = 0; // index of the one below, from 0
    std::int64_t rest = 0; // of the way to the next one, in billionths

    [[nodiscard]] double share() const { return double(rest) * 1e-9; }
};
/// Levels count in billionths, so that 0.95 is 95/100 and no neighbour of it. \a n > 0.
[[nodiscard]] QuantilePosition quantilePosition(double p, std::size_t n);
/// Mean rounded half away from zero to whole ns; 128-bit sum. Empty input: unknownDuration.
[[nodiscard]] Duration mean(std::span<const Duration> values);

struct Interval {
    double low = 0;
    double high = 0;
    [[nodiscard]] bool excludesZero() const { return low > 0 || high < 0; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

/// 95 % interval of the p-quantile by order statistics, in ns; nothing when n is too small for a finite one (6 for P50, 72 for
/// P95, 368 for P99; algorithms.md 4.3). \a sorted ascending.
[[nodiscard]] std::optional<Interval> quantileInterval(std::span<const Duration> sorted, double p);

/// Bootstrap replicates of quantile_p(after) - quantile_p(before), in ns, by the exact order-statistic method (gamma spacings): no
/// resample is drawn. Swapping the sides negates them exactly. Both sorted ascending, not empty.
[[nodiscard]] std::vector<double> quantileDifferences(
    std::span<const Duration> before, std::span<const Duration> after, double p, std::uint64_t seed, unsigned replicates = 2000);
/// Their 95 % percentile interval.
[[nodiscard]] Interval quantileDifferenceInterval(
    std::span<const Duration> before, std::span<const Duration> after, double p, std::uint64_t seed, unsigned replicates = 2000);

/// Fewest traces a side for which a quantile is shown with an interval and a verdict, and for which it is shown at all (4.3).
[[nodiscard]] std::size_t minimumForInterval(double p); // 30, 100, 500 for P50, P95, P99
[[nodiscard]] std::size_t minimumForValue(double p); // 6, 72, 368

} // namespace chokepoint
