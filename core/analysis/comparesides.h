// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Both sides of a comparison on one axis of stages, in an order of traces that no input order changes.
#pragma once

#include "core/analysis/bootstrap.h"
#include "core/analysis/clusters.h"
#include "core/analysis/comparison.h"

#include <string>
#include <vector>

namespace chokepoint {

__extension__ using WideSum = __int128;

/// The stages of both sides that are on some path, by name; top-level stages and, below them, columns: the own time of a
/// stage or sub-stage.
struct StageAxis {
    std::vector<std::string> columns; // ascending
    std::vector<std::size_t> topOfColumn; // index into tops
    std::vector<std::string> tops; // ascending
    std::vector<std::string> topLabels;
    std::vector<std::string> columnLabels;
};

/// One side. Rows are the included traces by trace id; the last column of the table is the end-to-end time.
struct SideFigures {
    std::vector<TraceId> ids;
    std::vector<std::uint32_t> trace; // trace index of each row
    std::vector<std::string> kinds; // of requests, each once
    std::vector<std::uint32_t> kind; // index in kinds of each row
    TraceTable table;
    std::vector<Duration> e2e; // ascending
    std::vector<Duration> successes; // of those whose root is no error, ascending
    std::vector<WideSum> columnSums; // by column of the axis
    std::vector<WideSum> topSums;
    WideSum e2eSum = 0;
    std::vector<std::size_t> columnPresence; // traces with the column on path
    std::vector<std::size_t> topPresence;
    std::uint64_t contentHash = 0; // of ids and end-to-end times: what the random numbers of this side depend on
    std::uint64_t errorRoots = 0;
    std::optional<RowClusters> clusters; // what resamples draw; rows when absent

    [[nodiscard]] std::size_t size() const { return ids.size(); }
    [[nodiscard]] double share(WideSum sum) const { return e2eSum == 0 ? 0 : double(sum) / double(e2eSum); }
};

[[nodiscard]] StageAxis stageAxis(const ComparisonSide& before, const ComparisonSide& after);
[[nodiscard]] SideFigures sideFigures(const ComparisonSide& side, const StageAxis& axis);

/// Means of all top-level stages, columns and the end-to-end time in every replicate, ns.
struct SideReplicates {
    std::size_t tops = 0;
    std::size_t columns = 0;
    ReplicateMeans byColumn; // columns of the axis, then the end-to-end time
    std::vector<double> byTop; // replicates x tops

    [[nodiscard]] std::size_t count() const { return byColumn.replicates(); }
    [[nodiscard]] double top(std::size_t replicate, std::size_t stage) const { return byTop[replicate * tops + stage]; }
    [[nodiscard]] double column(std::size_t replicate, std::size_t index) const { return byColumn.at(replicate, index); }
    [[nodiscard]] double e2e(std::size_t replicate) const { return byColumn.at(replicate, columns); }
};

/// Above this many rows, what is drawn is so many groups of rows: the intervals differ by less than replicates do by chance.
inline constexpr std::size_t resampledUnits = 8192;

/// Draws clusters where the side has them, else rows or groups of them.
[[nodiscard]] SideReplicates resampleSide(const SideFigures& side, const StageAxis& axis, const CompareOptions& options);

/// End-to-end quantiles of the same draws, ns, by level and replicate; empty where rows are drawn (quantileDifferences() needs no
/// draws then) or clusters are too few.
[[nodiscard]] std::vector<std::vector<double>> resampleSideQuantiles(
    const SideFigures& side, std::span<const double> levels, const CompareOptions& options);

/// Whether there is enough to resample for intervals of means.
[[nodiscard]] bool isEnoughForMean(const SideFigures& side);

} // namespace chokepoint
