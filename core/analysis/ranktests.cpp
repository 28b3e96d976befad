// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/ranktests.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace chokepoint {

namespace {

__extension__ using Wide = __int128;

constexpr std::size_t exactPairs = 400;

/// Pairs in twice their number, so that a tie is one, and what ties do to the variance.
struct Pairs {
    std::uint64_t larger = 0; // of AFTER, twice
    double tieTerm = 0; // sum of t^3 - t over groups of equal values
    bool hasTies = false;
};

Pairs countPairs(std::span<const Duration> before, std::span<const Duration> after)
{
    Pairs pairs;
    std::size_t b = 0;
    std::size_t a = 0;
    while (b < before.size() || a < after.size()) {
        const Duration value = a == after.size() ? before[b] : b == before.size() ? after[a] : std::min(before[b], after[a]);
        const std::size_t below = b;
        while (b < before.size() && before[b] == value)
            ++b;
        const std::size_t firstAfter = a;
        while (a < after.size() && after[a] == value)
            ++a;
        pairs.larger += std::uint64_t(a - firstAfter) * (2 * below + (b - below));
        const auto equal = double(a - firstAfter + b - below);
        pairs.tieTerm += equal * equal * equal - equal;
        pairs.hasTies = pairs.hasTies || equal > 1;
    }
    return pairs;
}

/// P(U <= u) without ties: the share of arrangements, by the recurrence over the largest value.
double exactCumulative(std::size_t n, std::size_t m, std::size_t u)
{
    // counts[j][v]: arrangements of i values of one sample and j of the other with U = v, for i going up.
    std::vector<std::vector<double>> counts(m + 1, std::vector<double>(n * m + 1, 0.0));
    for (std::size_t j = 0; j <= m; ++j)
        counts[j][0] = 1; // i = 0
    for (std::size_t i = 1; i <= n; ++i) {
        // With the largest value in the first sample, U grows by j; else j shrinks.
        for (std::size_t j = 1; j <= m; ++j) {
            std::vector<double> next(n * m + 1, 0.0);
            for (std::size_t v = 0; v <= i * j; ++v)
                next[v] = (v >= j ? counts[j][v - j] : 0.0) + counts[j - 1][v];
            counts[j] = std::move(next);
        }
    }
    double below = 0;
    double all = 0;
    for (std::size_t v = 0; v <= n * m; ++v) {
        all += counts[m][v];
        below += v <= u ? counts[m][v] : 0;
    }
    return below / all;
}

double normalP(double u, double n, double m, double tieTerm)
{
    const double total = n + m;
    const double variance = n * m / 12 * (total + 1 - tieTerm / (total * (total - 1)));
    const double distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    return variance > 0 ? std::erfc(distance / std::sqrt(variance) / std::numbers::sqrt2) : 1;
}

/// Pairs whose difference after - before is at most \a limit.
std::uint64_t differencesUpTo(std::span<const Duration> before, std::span<const Duration> after, Wide limit)
{
    std::uint64_t count = 0;
    std::size_t b = 0; // values of BEFORE below after - limit
    for (const Duration value : after) {
        while (b < before.size() && Wide(toNs(value)) - toNs(before[b]) > limit)
            ++b;
        count += before.size() - b;
    }
    return count;
}

/// The difference of rank \a rank (from 1), ascending.
Wide differenceOfRank(std::span<const Duration> before, std::span<const Duration> after, std::uint64_t rank)
{
    Wide low = Wide(toNs(after.front())) - toNs(before.back());
    Wide high = Wide(toNs(after.back())) - toNs(before.front());
    while (low < high) {
        const Wide middle = low + (high - low) / 2;
        if (differencesUpTo(before, after, middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// Mean and variance of how many values of the other sample lie below each value (ties count half).
struct Placements {
    double mean = 0;
    double variance = 0;
};

Placements placementsOf(std::span<const Duration> sample, std::span<const Duration> other)
{
    const auto forEachValue = [&](auto&& visit) {
        std::size_t below = 0;
        std::size_t upTo = 0;
        for (const Duration value : sample) {
            while (below < other.size() && other[below] < value)
                ++below;
            upTo = std::max(upTo, below);
            while (upTo < other.size() && other[upTo] == value)
                ++upTo;
            visit(double(below + upTo) / 2);
        }
    };
    Placements placements;
    const auto n = double(sample.size());
    forEachValue([&](double place) { placements.mean += place; }); // exact: halves, and the sum of equal ones divides without rest
    placements.mean /= n;
    forEachValue([&](double place) { placements.variance += (place - placements.mean) * (place - placements.mean); });
    placements.variance /= n - 1;
    return placements;
}

struct Moments {
    double mean = 0;
    double variance = 0;
};

Moments momentsOf(std::span<const Duration> values)
{
    Moments moments;
    const auto n = double(values.size());
    const double centre = double(toNs(values.front())); // keeps the squares small
    for (const Duration value : values)
        moments.mean += (double(toNs(value)) - centre) / n;
    for (const Duration value : values)
        moments.variance += (double(toNs(value)) - centre - moments.mean) * (double(toNs(value)) - centre - moments.mean) / (n - 1);
    moments.mean += centre;
    return moments;
}

} // namespace

std::optional<BrunnerMunzel> brunnerMunzel(std::span<const Duration> before, std::span<const Duration> after)
{
    if (before.size() < 2 || after.size() < 2)
        return std::nullopt;
    const auto n = double(before.size());
    const auto m = double(after.size());
    const Placements first = placementsOf(before, after);
    const Placements second = placementsOf(after, before);
    const double excess = (second.mean / n - first.mean / m) / 2; // P(after > before) + half of the ties, less one half
    const double a = n * first.variance;
    const double b = m * second.variance;
    BrunnerMunzel test;
    if (a + b <= 0) {
        test.p = excess == 0 ? 1 : 0;
        test.statistic = excess == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), excess);
        return test;
    }
    test.statistic = n * m * excess / std::sqrt(a + b);
    test.freedom = (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1));
    const boost::math::students_t_distribution<double> t(test.freedom);
    test.p = std::min(1.0, 2 * cdf(complement(t, std::abs(test.statistic))));
    return test;
}

double detectableShift(std::size_t before, std::size_t after)
{
    return before == 0 || after == 0 ? 1 : 2.8 * std::sqrt((1 / double(before) + 1 / double(after)) / 12);
}

std::optional<Interval> welchInterval(std::span<const Duration> before, std::span<const Duration> after)
{
    if (before.size() < 2 || after.size() < 2)
        return std::nullopt;
    const Moments first = momentsOf(before);
    const Moments second = momentsOf(after);
    const double a = first.variance / double(before.size());
    const double b = second.variance / double(after.size());
    const double delta = second.mean - first.mean;
    if (a + b <= 0)
        return Interval{delta, delta};
    const double freedom = (a + b) * (a + b) / (a * a / double(before.size() - 1) + b * b / double(after.size() - 1));
    const double reach = quantile(complement(boost::math::students_t_distribution<double>(freedom), 0.025)) * std::sqrt(a + b);
    return Interval{delta - reach, delta + reach};
}

RankTest rankTest(std::span<const Duration> before, std::span<const Duration> after)
{
    const Pairs pairs = countPairs(before, after);
    const auto n = double(after.size());
    const auto m = double(before.size());
    RankTest test;
    test.u = double(pairs.larger) / 2;
    test.isExact = !pairs.hasTies && before.size() * after.size() <= exactPairs;
    if (test.isExact) {
        const std::size_t u = pairs.larger / 2;
        const std::size_t smaller = std::min(u, before.size() * after.size() - u);
        test.p = std::min(1.0, 2 * exactCumulative(after.size(), before.size(), smaller));
    } else {
        test.p = normalP(test.u, n, m, pairs.tieTerm);
    }
    const double excess = 2 * test.u - n * m; // exact: both are integers
    test.cliffsDelta = excess / (n * m);
    test.probabilityFaster = 0.5 - test.cliffsDelta / 2;
    return test;
}

Duration hodgesLehmannShift(std::span<const Duration> before, std::span<const Duration> after)
{
    const std::uint64_t pairs = std::uint64_t(before.size()) * after.size();
    const Wide lower = differenceOfRank(before, after, (pairs + 1) / 2);
    const Wide upper = pairs % 2 == 1 ? lower : differenceOfRank(before, after, pairs / 2 + 1);
    const Wide sum = lower + upper;
    return Duration{std::int64_t((sum + (sum % 2 == 0 ? 0 : sum < 0 ? -1 : 1)) / 2)};
}

const char* effectSizeName(double cliffsDelta)
{
    const double size = std::abs(cliffsDelta);
    return size < 0.147 ? "negligible" : size < 0.33 ? "small" : size < 0.474 ? "medium" : "large";
}

} // namespace chokepoint
