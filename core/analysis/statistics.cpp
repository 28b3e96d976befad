// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Exact quantiles and means of integer samples, and intervals that need no normal distribution.
#include "core/analysis/statistics.h"

#include "core/analysis/bootstrap.h"
#include "core/base/ids.h"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace chokepoint {

namespace {

__extension__ using Wide = __int128;

/// numerator / denominator, half away from zero; denominator > 0.
std::int64_t roundedQuotient(Wide numerator, Wide denominator)
{
    const Wide half = numerator < 0 ? -(denominator / 2) : denominator / 2;
    const Wide twice = 2 * (numerator % denominator);
    const bool isHalf = twice == denominator || twice == -denominator;
    if (isHalf)
        return std::int64_t(numerator / denominator + (numerator < 0 ? -1 : 1));
    return std::int64_t((numerator + half) / denominator);
}

constexpr std::int64_t levelScale = 1'000'000'000;

std::uint64_t hashOf(std::span<const Duration> values, std::uint64_t seed)
{
    std::uint64_t hash = mix64(seed ^ values.size());
    for (const Duration value : values)
        hash = mix64(hash ^ std::uint64_t(value.count()) * 0x9e3779b97f4a7c15ULL);
    return hash;
}

/// One draw of the type-7 quantile of a resample: where the two order statistics of n uniform draws fall says which
/// values of the sample they are. Spacings of uniform order statistics are gamma variates over their sum.
double resampledQuantile(std::span<const Duration> sorted, const QuantilePosition& position, RandomStream& random)
{
    const std::size_t n = sorted.size();
    const double upTo = random.gamma(double(position.lower + 1));
    const double between = position.lower + 1 < n ? random.gamma(1) : 0;
    const double beyond = random.gamma(double(n - position.lower) - (position.lower + 1 < n ? 1 : 0));
    const double total = upTo + between + beyond;
    const auto valueAt = [&](double spacing) {
        const auto index = std::min(n - 1, std::size_t(spacing / total * double(n)));
        return double(toNs(sorted[index]));
    };
    const double low = valueAt(upTo);
    const double high = valueAt(upTo + between);
    return low + double(position.rest) / double(levelScale) * (high - low);
}

std::vector<double> resampledQuantiles(std::span<const Duration> sorted, double p, std::uint64_t seed, unsigned replicates)
{
    const QuantilePosition position = quantilePosition(p, sorted.size());
    const std::uint64_t ownSeed = hashOf(sorted, seed); // of this side alone: the sides draw independently and may change places
    std::vector<double> quantiles(replicates);
    for (unsigned r = 0; r < replicates; ++r) {
        RandomStream random(ownSeed, r);
        quantiles[r] = resampledQuantile(sorted, position, random);
    }
    return quantiles;
}

constexpr double tail = 0.025; // 95 %, two sides

} // namespace

QuantilePosition quantilePosition(double p, std::size_t n)
{
    const auto level = std::clamp<std::int64_t>(std::llround(p * double(levelScale)), 0, levelScale);
    const Wide scaled = Wide(n - 1) * level;
    return {std::size_t(scaled / levelScale), std::int64_t(scaled % levelScale)};
}

Duration quantile(std::span<const Duration> sorted, double p)
{
    if (sorted.empty())
        return unknownDuration;
    const QuantilePosition position = quantilePosition(p, sorted.size());
    const Wide low = toNs(sorted[position.lower]);
    if (position.rest == 0)
        return sorted[position.lower];
    const Wide high = toNs(sorted[position.lower + 1]);
    return Duration(roundedQuotient(low * levelScale + (high - low) * position.rest, levelScale));
}

Duration mean(std::span<const Duration> values)
{
    if (values.empty())
        return unknownDuration;
    Wide sum = 0;
    for (const Duration value : values)
        sum += toNs(value);
    return Duration(roundedQuotient(sum, Wide(values.size())));
}

std::optional<Interval> quantileInterval(std::span<const Duration> sorted, double p)
{
    const std::size_t n = sorted.size();
    if (n == 0 || p <= 0 || p >= 1)
        return std::nullopt;
    const boost::math::binomial_distribution<double> below(double(n), p); // how many values lie below the true quantile
    // The outermost ranks whose tails hold at most 2.5 % each: P(count < low) and P(count >= high).
    std::size_t low = 0;
    for (std::size_t step = std::bit_floor(n); step > 0; step /= 2) {
        if (low + step <= n && cdf(below, double(low + step - 1)) <= tail)
            low += step;
    }
    std::size_t high = n + 1;
    for (std::size_t step = std::bit_floor(n); step > 0; step /= 2) {
        if (high > step && cdf(complement(below, double(high - step - 1))) <= tail)
            high -= step;
    }
    if (low == 0 || high == n + 1)
        return std::nullopt;
    return Interval{double(toNs(sorted[low - 1])), double(toNs(sorted[high - 1]))};
}

std::vector<double> quantileDifferences(
    std::span<const Duration> before, std::span<const Duration> after, double p, std::uint64_t seed, unsigned replicates)
{
    const std::vector<double> first = resampledQuantiles(before, p, seed, replicates);
    std::vector<double> differences = resampledQuantiles(after, p, seed, replicates);
    for (std::size_t r = 0; r < differences.size(); ++r)
        differences[r] -= first[r];
    return differences;
}

Interval quantileDifferenceInterval(
    std::span<const Duration> before, std::span<const Duration> after, double p, std::uint64_t seed, unsigned replicates)
{
    std::vector<double> differences = quantileDifferences(before, after, p, seed, replicates);
    return percentileInterval(differences);
}

std::size_t minimumForInterval(double p)
{
    return p <= 0.5 ? 30 : std::size_t(std::ceil(5 / (1 - p) - 1e-6)); // five traces in the tail
}

std::size_t minimumForValue(double p)
{
    // The fewest for a finite two-sided order-statistic interval: the more extreme side has to be sampled at all.
    const double extreme = std::max(p, 1 - p);
    return std::size_t(std::ceil(std::log(tail) / std::log(extreme) - 1e-9));
}

} // namespace chokepoint
