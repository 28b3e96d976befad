// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rates of requests: intervals that stay inside [0, 1] and hold for few requests and for rates near 0 and 1.
#pragma once

#include "core/analysis/statistics.h"

#include <cstdint>
#include <optional>

namespace chokepoint {

/// \a successes of \a total; total 0 has no rate.
struct Proportion {
    std::uint64_t successes = 0;
    std::uint64_t total = 0;

    [[nodiscard]] std::optional<double> rate() const
    {
        return total == 0 ? std::nullopt : std::optional(double(successes) / double(total));
    }
    friend bool operator==(const Proportion&, const Proportion&) = default;
};

/// Wilson's score interval, 95 %; nothing for an empty total.
[[nodiscard]] std::optional<Interval> wilsonInterval(Proportion proportion);
/// 95 % interval of after - before (Newcombe's method 10: from the two Wilson intervals); swapping the sides negates it exactly.
[[nodiscard]] std::optional<Interval> proportionDifference(Proportion before, Proportion after);
/// Two-sided p of the pooled two-proportion z-test; nothing when a side is empty. 1 when neither or both have only successes.
[[nodiscard]] std::optional<double> proportionTest(Proportion before, Proportion after);

} // namespace chokepoint
