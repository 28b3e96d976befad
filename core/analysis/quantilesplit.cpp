// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/quantilesplit.h"

#include "core/analysis/comparestages.h"
#include "core/analysis/harrelldavis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chokepoint {

namespace {

constexpr std::size_t fewestInBand = 5; // 4.3

/// Rows of the table by end-to-end time; ties by trace id, which is the order of the rows.
std::vector<std::uint32_t> rowsByLatency(const SideFigures& side)
{
    const std::size_t e2e = side.table.columns - 1;
    std::vector<std::uint32_t> rows(side.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::stable_sort(
        rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return side.table.at(a, e2e) < side.table.at(b, e2e); });
    return rows;
}

/// Times of the top-level stages in one row, ns.
void addTops(const StageAxis& axis, const SideFigures& side, std::uint32_t row, double weight, std::vector<double>& tops)
{
    for (std::size_t c = 0; c < axis.columns.size(); ++c)
        tops[axis.topOfColumn[c]] += weight * double(side.table.at(row, c));
}

/// What each stage adds to the Harrell-Davis quantile, ns.
std::vector<double> quantileByStage(const StageAxis& axis, const SideFigures& side, const std::vector<std::uint32_t>& rows, double p)
{
    const QuantileWeights weights = harrellDavisWeights(rows.size(), p);
    std::vector<double> tops(axis.tops.size());
    for (std::size_t i = 0; i < weights.weight.size(); ++i)
        addTops(axis, side, rows[weights.first + i], weights.weight[i], tops);
    return tops;
}

Duration rounded(double ns)
{
    return Duration{std::llround(ns)};
}

std::string largestOf(const StageAxis& axis, const std::vector<double>& tops)
{
    const auto largest = std::max_element(tops.begin(), tops.end()); // ties: the first by name
    return largest == tops.end() ? std::string() : axis.tops[std::size_t(largest - tops.begin())];
}

/// Picoseconds are fine enough for shares of nanoseconds, and whole.
constexpr std::int64_t partsOfNs = 1000;

QuantileSplit splitQuantile(const StageAxis& axis, Statistic statistic, double p, const SideFigures& before,
    const std::vector<std::uint32_t>& beforeRows, const SideFigures& after, const std::vector<std::uint32_t>& afterRows)
{
    QuantileSplit split;
    split.statistic = statistic;
    const std::size_t fewest = std::min(before.size(), after.size());
    if (fewest < minimumForValue(p)) {
        split.shortfall = fmt::format("needs {} traces a side, have {}", minimumForValue(p), fewest);
        return split;
    }
    const std::vector<double> first = quantileByStage(axis, before, beforeRows, p);
    const std::vector<double> second = quantileByStage(axis, after, afterRows, p);
    split.before = rounded(std::accumulate(first.begin(), first.end(), 0.0));
    split.after = rounded(std::accumulate(second.begin(), second.end(), 0.0));
    split.delta = split.after - split.before;
    split.bottleneckBefore = largestOf(axis, first);
    split.bottleneckAfter = largestOf(axis, second);
    std::vector<WideSum> numerators;
    for (std::size_t t = 0; t < axis.tops.size(); ++t)
        numerators.push_back(WideSum(std::llround(second[t] * partsOfNs)) - std::llround(first[t] * partsOfNs));
    const std::vector<std::int64_t> contributions = apportion(numerators, partsOfNs, toNs(split.delta));
    for (std::size_t t = 0; t < axis.tops.size(); ++t)
        split.stages.push_back({axis.tops[t], rounded(first[t]), rounded(second[t]), Duration{contributions[t]}});
    std::stable_sort(split.stages.begin(), split.stages.end(),
        [](const QuantileStage& a, const QuantileStage& b) { return a.before + a.after > b.before + b.after; });
    return split;
}

struct BandLimits {
    const char* name;
    unsigned from; // in percent of the traces, by rank
    unsigned to;
};
constexpr std::array<BandLimits, 3> bandLimits{{{"median", 45, 55}, {"tail", 95, 99}, {"extreme", 99, 100}}};

/// ceil(from n) ... ceil(to n) - 1, at least one trace.
std::pair<std::size_t, std::size_t> bandRange(const BandLimits& limits, std::size_t n)
{
    const auto position = [n](unsigned percent) { return (n * percent + 99) / 100; };
    const std::size_t begin = std::min(position(limits.from), n - 1);
    return {begin, std::max(position(limits.to), begin + 1)};
}

/// The trace of the band whose stages are nearest to the band's means, by the sum of the distances.
std::uint32_t exemplarOf(
    const StageAxis& axis, const SideFigures& side, std::span<const std::uint32_t> rows, const std::vector<double>& means)
{
    std::uint32_t best = rows.front();
    double nearest = std::numeric_limits<double>::infinity();
    std::vector<double> tops;
    for (const std::uint32_t row : rows) {
        tops.assign(axis.tops.size(), 0.0);
        addTops(axis, side, row, 1, tops);
        double distance = 0;
        for (std::size_t t = 0; t < tops.size(); ++t)
            distance += std::abs(tops[t] - means[t]);
        if (distance < nearest) {
            nearest = distance;
            best = row;
        }
    }
    return best;
}

BandSide bandSide(const StageAxis& axis, const SideFigures& side, const std::vector<std::uint32_t>& rows, const BandLimits& limits)
{
    BandSide band;
    if (rows.empty())
        return band;
    const auto [begin, end] = bandRange(limits, rows.size());
    const std::span<const std::uint32_t> members = std::span(rows).subspan(begin, end - begin);
    band.traces = members.size();
    if (members.size() < fewestInBand)
        return band;
    std::vector<double> means(axis.tops.size());
    std::vector<WideSum> sums(axis.tops.size());
    WideSum all = 0;
    for (const std::uint32_t row : members) {
        for (std::size_t c = 0; c < axis.columns.size(); ++c) {
            sums[axis.topOfColumn[c]] += side.table.at(row, c);
            all += side.table.at(row, c);
        }
    }
    const auto n = WideSum(members.size());
    for (std::size_t t = 0; t < sums.size(); ++t)
        means[t] = double(sums[t]) / double(n);
    band.mean = Duration{std::int64_t((2 * all + n) / (2 * n))};
    for (const std::int64_t share : apportion(sums, n, toNs(band.mean)))
        band.stages.emplace_back(share);
    band.exemplar = side.trace[exemplarOf(axis, side, members, means)];
    return band;
}

} // namespace

std::vector<QuantileSplit> splitQuantiles(const StageAxis& axis, const SideFigures& before, const SideFigures& after)
{
    const std::vector<std::uint32_t> beforeRows = rowsByLatency(before);
    const std::vector<std::uint32_t> afterRows = rowsByLatency(after);
    std::vector<QuantileSplit> splits;
    for (const auto& [statistic, p] : {std::pair{Statistic::P50, 0.5}, std::pair{Statistic::P95, 0.95}, std::pair{Statistic::P99, 0.99}})
        splits.push_back(splitQuantile(axis, statistic, p, before, beforeRows, after, afterRows));
    return splits;
}

std::vector<BandRow> compareBands(const StageAxis& axis, const SideFigures& before, const SideFigures& after)
{
    const std::vector<std::uint32_t> beforeRows = rowsByLatency(before);
    const std::vector<std::uint32_t> afterRows = rowsByLatency(after);
    std::vector<BandRow> rows;
    for (const BandLimits& limits : bandLimits) {
        BandRow row;
        row.name = limits.name;
        row.stages = axis.tops;
        row.before = bandSide(axis, before, beforeRows, limits);
        row.after = bandSide(axis, after, afterRows, limits);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace chokepoint
