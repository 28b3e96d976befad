// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/proportions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chokepoint {

namespace {

constexpr double z95 = 1.959963984540054; // 97.5 % quantile of the standard normal distribution

} // namespace

std::optional<Interval> wilsonInterval(Proportion proportion)
{
    const std::optional<double> rate = proportion.rate();
    if (!rate)
        return std::nullopt;
    const double n = double(proportion.total);
    const double z2 = z95 * z95;
    const double centre = (*rate + z2 / (2 * n)) / (1 + z2 / n);
    const double half = z95 / (1 + z2 / n) * std::sqrt(*rate * (1 - *rate) / n + z2 / (4 * n * n));
    // At the ends the formula gives 0 and 1 exactly but for rounding.
    return Interval{proportion.successes == 0 ? 0 : std::max(0.0, centre - half),
        proportion.successes == proportion.total ? 1 : std::min(1.0, centre + half)};
}

std::optional<Interval> proportionDifference(Proportion before, Proportion after)
{
    const std::optional<Interval> a = wilsonInterval(before);
    const std::optional<Interval> b = wilsonInterval(after);
    if (!a || !b)
        return std::nullopt;
    const double p = *before.rate();
    const double q = *after.rate();
    return Interval{q - p - std::hypot(q - b->low, a->high - p), q - p + std::hypot(b->high - q, p - a->low)};
}

std::optional<double> proportionTest(Proportion before, Proportion after)
{
    if (before.total == 0 || after.total == 0)
        return std::nullopt;
    const double n = double(before.total);
    const double m = double(after.total);
    const double pooled = double(before.successes + after.successes) / (n + m);
    const double variance = pooled * (1 - pooled) * (1 / n + 1 / m);
    if (variance <= 0)
        return 1;
    const double z = std::abs(*after.rate() - *before.rate()) / std::sqrt(variance);
    return std::erfc(z / std::numbers::sqrt2);
}

} // namespace chokepoint
