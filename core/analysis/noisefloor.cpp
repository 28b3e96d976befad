// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/noisefloor.h"

#include "core/analysis/bootstrap.h"
#include "core/analysis/comparestages.h"

#include <numeric>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::array<double, 3> levels = {0.5, 0.95, 0.99};

/// Every way to give half of \a n things to the first half is as likely: as many of those left go there as it still needs.
class Dealing {
public:
    Dealing(std::size_t n, RandomStream& random) : m_left(n), m_wanted(n / 2), m_random(random) { }

    /// Whether the next thing goes to the first half.
    bool isFirst()
    {
        m_bits = m_left % 2 == m_parity ? m_random.next() : m_bits >> 32; // 32 for each thing
        const bool first = (m_bits & 0xffffffffU) * m_left >> 32 < m_wanted;
        m_wanted -= first ? 1 : 0;
        --m_left;
        return first;
    }

private:
    std::uint64_t m_left;
    std::uint64_t m_wanted;
    std::uint64_t m_parity = m_left % 2;
    std::uint64_t m_bits = 0;
    RandomStream& m_random;
};

/// The values of each half, ascending, because they are dealt out in order.
struct Halves {
    std::vector<Duration> first;
    std::vector<Duration> second;

    void clear()
    {
        first.clear();
        second.clear();
    }
    void deal(std::span<const Duration> sorted, RandomStream& random)
    {
        clear();
        Dealing dealing(sorted.size(), random);
        for (const Duration value : sorted)
            (dealing.isFirst() ? first : second).push_back(value);
    }
};

Duration apart(Duration a, Duration b)
{
    return a > b ? a - b : b - a;
}

/// Differences between the halves of all splits, by statistic.
class HalfDifferences {
public:
    void add(const Halves& halves)
    {
        const std::size_t half = std::min(halves.first.size(), halves.second.size());
        if (half < minimumForMean)
            return;
        m_differences[0].push_back(apart(mean(halves.first), mean(halves.second)));
        for (std::size_t k = 0; k < levels.size(); ++k)
            if (half >= minimumForInterval(levels[k]))
                m_differences[k + 1].push_back(apart(quantile(halves.first, levels[k]), quantile(halves.second, levels[k])));
    }
    /// Unknown where some split was too small.
    std::array<Duration, 4> floor()
    {
        std::array<Duration, 4> result;
        result.fill(unknownDuration);
        for (std::size_t k = 0; k < m_differences.size(); ++k) {
            std::sort(m_differences[k].begin(), m_differences[k].end());
            if (m_differences[k].size() == noiseSplits)
                result[k] = quantile(m_differences[k], 0.95);
        }
        return result;
    }

private:
    std::array<std::vector<Duration>, 4> m_differences;
};

} // namespace

std::array<Duration, 4> noiseFloor(std::span<const Duration> sorted, std::uint64_t seed)
{
    HalfDifferences differences;
    Halves halves;
    for (unsigned split = 0; split < noiseSplits && sorted.size() / 2 >= minimumForMean; ++split) {
        RandomStream random(seed, split);
        halves.deal(sorted, random);
        differences.add(halves);
    }
    return differences.floor();
}

std::array<Duration, 4> clusterNoiseFloor(const SideFigures& side, std::uint64_t seed)
{
    std::vector<std::uint32_t> rows(side.size());
    std::iota(rows.begin(), rows.end(), 0U);
    const auto time = [&side](std::uint32_t row) { return side.table.at(row, side.table.columns - 1); };
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return std::pair(time(a), a) < std::pair(time(b), b); });
    HalfDifferences differences;
    Halves halves;
    std::vector<bool> isFirst(side.clusters->size());
    for (unsigned split = 0; split < noiseSplits && side.clusters->size() >= 2 * clustersNeeded; ++split) {
        RandomStream random(seed, split);
        Dealing dealing(isFirst.size(), random);
        for (std::size_t cluster = 0; cluster < isFirst.size(); ++cluster)
            isFirst[cluster] = dealing.isFirst();
        halves.clear();
        for (const std::uint32_t row : rows)
            (isFirst[side.clusters->ofRow[row]] ? halves.first : halves.second).push_back(Duration{time(row)});
        differences.add(halves);
    }
    return differences.floor();
}

} // namespace chokepoint
