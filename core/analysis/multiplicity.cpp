// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/multiplicity.h"

#include <algorithm>
#include <numeric>

namespace chokepoint {

namespace {

std::vector<std::size_t> ascending(std::span<const double> p)
{
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    return order;
}

} // namespace

std::vector<double> holmAdjusted(std::span<const double> p)
{
    const std::vector<std::size_t> order = ascending(p);
    std::vector<double> adjusted(p.size());
    double running = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
        running = std::max(running, std::min(1.0, double(p.size() - k) * p[order[k]]));
        adjusted[order[k]] = running;
    }
    return adjusted;
}

std::vector<double> benjaminiHochbergAdjusted(std::span<const double> p)
{
    const std::vector<std::size_t> order = ascending(p);
    std::vector<double> adjusted(p.size());
    double running = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
        running = std::min(running, double(p.size()) / double(k + 1) * p[order[k]]);
        adjusted[order[k]] = running;
    }
    return adjusted;
}

} // namespace chokepoint
