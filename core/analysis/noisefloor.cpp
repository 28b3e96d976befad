// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/noisefloor.h"

#include "core/analysis/bootstrap.h"
#include "core/analysis/comparestages.h"

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::array<double, 3> levels = {0.5, 0.95, 0.99};

/// The values of each half, ascending, because they are dealt out in order.
struct Halves {
    std::vector<Duration> first;
    std::vector<Duration> second;

    void deal(std::span<const Duration> sorted, RandomStream& random)
    {
        first.clear();
        second.clear();
        // Of the values that are left, as many go to each half as it still needs: every split into equal halves is as likely.
        std::uint64_t wanted = sorted.size() / 2;
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            bits = i % 2 == 0 ? random.next() : bits >> 32; // 32 for each value
            const std::uint64_t left = sorted.size() - i;
            const bool isFirst = (bits & 0xffffffffU) * left >> 32 < wanted;
            wanted -= isFirst ? 1 : 0;
            (isFirst ? first : second).push_back(sorted[i]);
        }
    }
};

Duration apart(Duration a, Duration b)
{
    return a > b ? a - b : b - a;
}

} // namespace

std::array<Duration, 4> noiseFloor(std::span<const Duration> sorted, std::uint64_t seed)
{
    std::array<Duration, 4> floor;
    floor.fill(unknownDuration);
    const std::size_t half = sorted.size() / 2;
    if (half < minimumForMean)
        return floor;
    std::array<std::vector<Duration>, 4> differences;
    Halves halves;
    for (unsigned split = 0; split < noiseSplits; ++split) {
        RandomStream random(seed, split);
        halves.deal(sorted, random);
        differences[0].push_back(apart(mean(halves.first), mean(halves.second)));
        for (std::size_t k = 0; k < levels.size(); ++k)
            if (half >= minimumForInterval(levels[k]))
                differences[k + 1].push_back(apart(quantile(halves.first, levels[k]), quantile(halves.second, levels[k])));
    }
    for (std::size_t k = 0; k < differences.size(); ++k) {
        std::sort(differences[k].begin(), differences[k].end());
        floor[k] = quantile(differences[k], 0.95);
    }
    return floor;
}

} // namespace chokepoint
