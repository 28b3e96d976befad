// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters drawn with replacement; all of their rows come along.
#include "core/analysis/clusters.h"

#include "core/analysis/arena.h"
#include "core/base/format.h"
#include "core/base/int128.h"

#include <boost/math/distributions/fisher_f.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace chokepoint {

namespace {

/// Rows from the largest value on.
struct Descending {
    std::vector<std::int64_t> value;
    std::vector<std::uint32_t> cluster;
};

Descending descending(std::span<const std::int64_t> values, const RowClusters& clusters)
{
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(
        order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return std::pair(values[a], a) > std::pair(values[b], b); });
    Descending rows;
    for (const std::uint32_t row : order) {
        rows.value.push_back(values[row]);
        rows.cluster.push_back(clusters.ofRow[row]);
    }
    return rows;
}

/// Reads values of a resample from its largest one on.
class ResampleWalk {
public:
    ResampleWalk(const Descending& rows, const std::vector<std::uint32_t>& counts) : m_rows(rows), m_counts(counts) { }

    /// The value with \a above values of the resample before it; \a above never gets smaller from call to call.
    double after(std::uint64_t above)
    {
        while (m_seen <= above)
            m_seen += m_counts[m_rows.cluster[m_next++]];
        return double(m_rows.value[m_next - 1]);
    }

private:
    const Descending& m_rows;
    const std::vector<std::uint32_t>& m_counts;
    std::size_t m_next = 0;
    std::uint64_t m_seen = 0;
};

/// Midranks of \a values, from 1.
std::vector<double> ranksOfValues(std::span<const std::int64_t> values)
{
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]])
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            ranks[order[i]] = double(begin + end + 1) / 2;
        begin = end;
    }
    return ranks;
}

double average(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

/// Sums by cluster of what \a values differ from their mean.
std::vector<double> deviations(std::span<const double> values, const RowClusters& clusters, double mean)
{
    std::vector<double> sums(clusters.size());
    for (std::size_t row = 0; row < values.size(); ++row)
        sums[clusters.ofRow[row]] += values[row] - mean;
    return sums;
}

double squaresAbout(std::span<const double> values, double mean)
{
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return squares;
}

/// What \a sums have to be divided by, so that they and their differences fit 64 bits; 1 for all but absurd times.
std::int64_t unitFor(const std::vector<Int128>& sums)
{
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 4;
    Int128 reach = 0;
    for (const Int128 sum : sums)
        reach = std::max(reach, sum < 0 ? -sum : sum);
    return std::int64_t(reach / largest) + 1;
}

/// p of a one-way analysis of variance.
double varianceAnalysis(std::span<const double> values, const RowClusters& clusters)
{
    const double mean = average(values);
    const std::vector<double> sums = deviations(values, clusters, mean);
    double between = 0;
    for (std::size_t c = 0; c < sums.size(); ++c)
        between += sums[c] * sums[c] / double(clusters.rows[c]);
    const double within = std::max(0.0, squaresAbout(values, mean) - between);
    const double freeBetween = double(clusters.size()) - 1;
    const double freeWithin = double(values.size()) - double(clusters.size());
    if (freeBetween < 1 || freeWithin < 1 || between <= 0)
        return 1;
    if (within <= 0)
        return 0;
    const boost::math::fisher_f_distribution<double> f(freeBetween, freeWithin);
    return cdf(complement(f, between / freeBetween / (within / freeWithin)));
}

} // namespace

std::size_t RowClusters::largest() const
{
    return rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
}

std::string clustersText(std::size_t count)
{
    return formatCount(count) + (count == 1 ? " cluster" : " clusters");
}

RowClusters rowClusters(std::span<const std::string> names)
{
    RowClusters clusters;
    std::unordered_map<std::string_view, std::uint32_t> known;
    for (const std::string& name : names) {
        auto cluster = std::uint32_t(clusters.rows.size());
        if (name.empty())
            ++clusters.unnamed;
        else
            cluster = known.emplace(name, cluster).first->second;
        if (cluster == clusters.rows.size())
            clusters.rows.push_back(0);
        ++clusters.rows[cluster];
        clusters.ofRow.push_back(cluster);
    }
    return clusters;
}

RowClusters dealtGroups(std::size_t rows, std::size_t groups, std::uint64_t seed)
{
    RowClusters dealt;
    dealt.rows.assign(groups, 0);
    dealt.ofRow.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        dealt.ofRow[row] = std::uint32_t(row % groups);
        ++dealt.rows[row % groups];
    }
    RandomStream random(seed, rows);
    for (std::size_t left = rows; left > 1; --left)
        std::swap(dealt.ofRow[left - 1], dealt.ofRow[random.next() % left]);
    return dealt;
}

ReplicateMeans resampleClusterMeans(
    const TraceTable& table, const RowClusters& clusters, std::uint64_t seed, unsigned replicates, unsigned threads)
{
    ReplicateMeans out;
    out.columns = table.columns;
    if (table.rows == 0 || table.columns == 0)
        return out;
    // Sums by cluster of what the rows differ from a whole number near their mean, and the number of rows: the ratio of both means.
    const std::size_t width = table.columns + 1;
    TraceTable sums{clusters.size(), width, std::vector<std::int64_t>(clusters.size() * width)};
    std::vector<std::int64_t> centre;
    std::vector<std::int64_t> unit; // of the sums of a column
    for (std::size_t c = 0; c < table.columns; ++c) {
        Int128 sum = 0;
        for (std::size_t row = 0; row < table.rows; ++row)
            sum += table.at(row, c);
        centre.push_back(std::int64_t(sum / Int128(table.rows)));
        std::vector<Int128> wide(clusters.size());
        for (std::size_t row = 0; row < table.rows; ++row)
            wide[clusters.ofRow[row]] += Int128(table.at(row, c)) - centre[c];
        unit.push_back(unitFor(wide));
        for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster)
            sums.values[cluster * width + c] = std::int64_t(wide[cluster] / unit[c]);
    }
    for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster)
        sums.values[cluster * width + table.columns] = clusters.rows[cluster];
    const ReplicateMeans drawn = resampleMeans(sums, seed, replicates, threads);
    out.means.reserve(drawn.replicates() * table.columns);
    for (std::size_t r = 0; r < drawn.replicates(); ++r)
        for (std::size_t c = 0; c < table.columns; ++c)
            out.means.push_back(double(centre[c]) + drawn.at(r, c) * double(unit[c]) / drawn.at(r, table.columns));
    return out;
}

std::vector<std::vector<double>> resampleClusterQuantiles(std::span<const std::int64_t> values, const RowClusters& clusters,
    std::span<const double> levels, std::uint64_t seed, unsigned replicates, unsigned threads)
{
    std::vector<std::vector<double>> out(levels.size(), std::vector<double>(replicates));
    const Descending rows = descending(values, clusters);
    const auto resample = [&](std::size_t replicate, std::vector<std::uint32_t>& counts) {
        drawRows(seed, replicate, clusters.size(), counts);
        std::uint64_t size = 0;
        for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster)
            size += std::uint64_t(counts[cluster]) * clusters.rows[cluster];
        for (std::size_t level = 0; level < levels.size(); ++level) {
            ResampleWalk walk(rows, counts);
            const QuantilePosition position = quantilePosition(levels[level], size);
            const bool hasUpper = position.rest > 0;
            const double upper = hasUpper ? walk.after(size - 2 - position.lower) : 0;
            const double lower = walk.after(size - 1 - position.lower);
            out[level][replicate] = hasUpper ? lower + position.share() * (upper - lower) : lower;
        }
    };
    arenaFor(threads).execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, replicates, 16), [&](const tbb::blocked_range<std::size_t>& range) {
            std::vector<std::uint32_t> counts;
            for (std::size_t replicate = range.begin(); replicate != range.end(); ++replicate)
                resample(replicate, counts);
        });
    });
    return out;
}

Clustering clusteringOf(std::span<const std::int64_t> values, const RowClusters& clusters)
{
    Clustering clustering;
    if (values.empty() || clusters.size() < 2 || clusters.size() == values.size())
        return clustering;
    clustering.p = varianceAnalysis(ranksOfValues(values), clusters);
    const std::vector<double> plain(values.begin(), values.end());
    const double mean = average(plain);
    const double alone = squaresAbout(plain, mean);
    const std::vector<double> together = deviations(plain, clusters, mean);
    if (alone > 0)
        clustering.designEffect = squaresAbout(together, 0) / alone;
    return clustering;
}

} // namespace chokepoint
