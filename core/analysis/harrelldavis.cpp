// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/harrelldavis.h"

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chokepoint {

namespace {

constexpr double negligible = 1e-14;
constexpr std::size_t lookedAtWhole = 5000; // larger samples have all of their weight within
constexpr double spread = 12; // standard deviations of the beta distribution

} // namespace

QuantileWeights harrellDavisWeights(std::size_t n, double p)
{
    const auto size = double(n);
    const double a = p * (size + 1);
    const double b = (1 - p) * (size + 1);
    const double deviation = std::sqrt(p * (1 - p) / (size + 2));
    const auto clamped = [size](double position) { return std::size_t(std::clamp(position, 0.0, size)); };
    const std::size_t begin = n <= lookedAtWhole ? 0 : clamped(std::floor((p - spread * deviation) * size));
    const std::size_t end = n <= lookedAtWhole ? n : clamped(std::ceil((p + spread * deviation) * size));
    QuantileWeights weights;
    double below = begin == 0 ? 0 : boost::math::ibeta(a, b, double(begin) / size);
    for (std::size_t i = begin; i < end; ++i) {
        const double upTo = i + 1 == n ? 1 : boost::math::ibeta(a, b, double(i + 1) / size);
        const double weight = upTo - below;
        below = upTo;
        if (weight < negligible && weights.weight.empty())
            continue;
        if (weights.weight.empty())
            weights.first = i;
        weights.weight.push_back(std::max(weight, 0.0));
    }
    while (!weights.weight.empty() && weights.weight.back() < negligible)
        weights.weight.pop_back();
    const double sum = std::accumulate(weights.weight.begin(), weights.weight.end(), 0.0);
    for (double& weight : weights.weight)
        weight /= sum;
    return weights;
}

} // namespace chokepoint
