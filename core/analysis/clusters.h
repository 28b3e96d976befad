// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that belong together (of one session, user, replica, minute): resampled together, and the test whether they should be.
// Requests of one cluster resemble each other, so that intervals which take each as independent come out too narrow (algorithms.md 4.1).
#pragma once

#include "core/analysis/bootstrap.h"

#include <span>
#include <string>
#include <vector>

namespace chokepoint {

/// Which rows of a table belong together. Clusters count from 0 in the order of their first rows.
struct RowClusters {
    std::vector<std::uint32_t> ofRow;
    std::vector<std::uint32_t> rows; // by cluster: how many
    std::size_t unnamed = 0; // rows without a name

    [[nodiscard]] std::size_t size() const { return rows.size(); }
    [[nodiscard]] std::size_t largest() const;
};

/// From a name a row; a row without one ("") is a cluster of its own.
[[nodiscard]] RowClusters rowClusters(std::span<const std::string> names);

/// \a rows rows dealt out at random to \a groups groups of equal size (or one more). Groups of rows that are independent are
/// independent too: resampling g of them gives the spread of a mean with a standard error of 1 / sqrt(2 g), however many rows there are.
[[nodiscard]] RowClusters dealtGroups(std::size_t rows, std::size_t groups, std::uint64_t seed);

/// Fewest clusters for intervals that can be trusted (with a warning below), and for any at all.
inline constexpr std::size_t clustersWanted = 20;
inline constexpr std::size_t clustersNeeded = 6;

/// "1 cluster", "30 clusters".
[[nodiscard]] std::string clustersText(std::size_t count);

/// As resampleMeans(), but clusters are drawn, as many as there are: a mean is the sum over all rows of the clusters drawn over the number
/// of these rows. With a cluster for each row the result is that of resampleMeans().
[[nodiscard]] ReplicateMeans resampleClusterMeans(
    const TraceTable& table, const RowClusters& clusters, std::uint64_t seed, unsigned replicates, unsigned threads);

/// Quantiles (type 7, ns) of all rows of the clusters drawn, by level and replicate; the draws are those of resampleClusterMeans().
/// \a values by row, not empty; \a levels in [0, 1].
[[nodiscard]] std::vector<std::vector<double>> resampleClusterQuantiles(std::span<const std::int64_t> values, const RowClusters& clusters,
    std::span<const double> levels, std::uint64_t seed, unsigned replicates, unsigned threads);

/// How much rows of one cluster resemble each other.
struct Clustering {
    double designEffect = 1; // variance of the mean with clusters as the unit over that with rows; 1: clusters do not matter
    double p = 1; // that the ranks of the values do not depend on the cluster (analysis of variance of the ranks)

    /// Certain, and intervals of rows are narrower than they should be by more than a tenth.
    [[nodiscard]] bool matters() const { return p < 0.01 && designEffect > 1.25; }
};
[[nodiscard]] Clustering clusteringOf(std::span<const std::int64_t> values, const RowClusters& clusters);

} // namespace chokepoint
