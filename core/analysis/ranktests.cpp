// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/ranktests.h"

#include <algorithm>
#include <cmath>
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

} // namespace

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
