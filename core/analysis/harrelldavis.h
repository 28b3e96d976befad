// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Harrell-Davis quantiles: a weighted mean of all order statistics, so that a quantile, and its change, splits into stages
// that add up.
#pragma once

#include <cstddef>
#include <vector>

namespace chokepoint {

/// Weights of the order statistics first ... first + weight.size() - 1 of a sample; all others weigh nothing. They add up to 1.
struct QuantileWeights {
    std::size_t first = 0;
    std::vector<double> weight;
};

/// w_i = I(i/n; a, b) - I((i-1)/n; a, b) with a = p(n+1), b = (1-p)(n+1) and I the regularised incomplete beta function; weights
/// below 1e-14 are left out. n > 0, 0 < p < 1.
[[nodiscard]] QuantileWeights harrellDavisWeights(std::size_t n, double p);

} // namespace chokepoint
