// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram bins.
#include "views/traces/durationhistogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chokepoint {

namespace {

struct Range {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    std::int64_t lowestPositive = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] bool isEmpty() const { return high < low; }
};

void extend(Range& range, std::span<const Duration> values)
{
    for (const Duration value : values) {
        if (!isKnown(value))
            continue;
        range.low = std::min(range.low, toNs(value));
        range.high = std::max(range.high, toNs(value));
        if (value > Duration{0})
            range.lowestPositive = std::min(range.lowestPositive, toNs(value));
    }
}

std::vector<Duration> edgesOf(const Range& range, std::size_t bins, AxisScale scale)
{
    const std::int64_t end = range.high == std::numeric_limits<std::int64_t>::max() ? range.high : range.high + 1;
    const bool isLog = scale == AxisScale::Logarithmic && range.lowestPositive <= range.high;
    const double low = isLog ? std::log(double(range.lowestPositive)) : double(range.low);
    const double high = isLog ? std::log(double(end)) : double(end);
    std::vector<Duration> edges{Duration{range.low}};
    for (std::size_t i = 1; i < bins; ++i) {
        const double at = low + (high - low) * double(i) / double(bins);
        const auto edge = std::int64_t(std::llround(isLog ? std::exp(at) : at));
        if (edge > toNs(edges.back()) && edge < end)
            edges.push_back(Duration{edge});
    }
    edges.push_back(Duration{end});
    return edges;
}

} // namespace

double DurationHistogram::share(std::size_t side, std::size_t bin) const
{
    return totals[side] == 0 ? 0 : double(counts[side][bin]) / double(totals[side]);
}

double DurationHistogram::largestShare() const
{
    double largest = 0;
    for (std::size_t bin = 0; bin < bins(); ++bin)
        largest = std::max({largest, share(0, bin), share(1, bin)});
    return largest;
}

std::optional<std::size_t> DurationHistogram::binOf(Duration value) const
{
    if (edges.empty() || !isKnown(value) || value < edges.front() || value >= edges.back())
        return std::nullopt;
    return std::size_t(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin()) - 1;
}

DurationHistogram durationHistogram(std::span<const Duration> before, std::span<const Duration> after, std::size_t bins, AxisScale scale)
{
    DurationHistogram histogram;
    Range range;
    extend(range, before);
    extend(range, after);
    if (range.isEmpty() || bins == 0)
        return histogram;
    histogram.edges = edgesOf(range, bins, scale);
    const std::array sides{before, after};
    for (std::size_t side = 0; side < sides.size(); ++side) {
        histogram.counts[side].assign(histogram.bins(), 0);
        for (const Duration value : sides[side]) {
            if (!isKnown(value))
                continue;
            // The very largest int64 equals the last edge.
            ++histogram.counts[side][histogram.binOf(value).value_or(histogram.bins() - 1)];
            ++histogram.totals[side];
        }
    }
    return histogram;
}

} // namespace chokepoint
