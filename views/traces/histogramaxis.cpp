// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Axis of the histogram.
#include "views/traces/histogramaxis.h"

#include "core/analysis/statistics.h"
#include "views/format/text.h"
#include "views/waterfall/timescale.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

namespace chokepoint {

namespace {

constexpr double labelGap = 2; // px between a mark and its label
constexpr double pairGap = 10; // px between two labels

/// Marks at steps of equal length.
std::vector<AxisTick> evenTicks(const DurationHistogram& histogram, double widthPx, double minSpacingPx)
{
    const TimeRange range{timestampFromNs(toNs(histogram.edges.front())), timestampFromNs(toNs(histogram.edges.back()))};
    const TimeTicks marks = timeTicks(TimeScale(range, widthPx), timestampFromNs(0), minSpacingPx);
    std::vector<AxisTick> ticks;
    for (const TimeTick& mark : marks.ticks)
        ticks.push_back({Duration{toNs(mark.time)}, 0, toText(mark.label)});
    if (!marks.base.empty())
        ticks.resize(std::min<std::size_t>(ticks.size(), 1)); // so narrow that the labels would be offsets: one time says where this is
    return ticks;
}

/// Marks at the given multiples of each power of ten on the axis.
std::vector<AxisTick> decadeTicks(const DurationHistogram& histogram, std::initializer_list<std::int64_t> factors)
{
    std::vector<AxisTick> ticks;
    const std::int64_t last = toNs(histogram.edges.back());
    for (std::int64_t decade = 1; decade <= last; decade *= 10) {
        for (const std::int64_t factor : factors) {
            if (decade <= last / factor && Duration{decade * factor} >= histogram.edges.front())
                ticks.push_back({Duration{decade * factor}, 0, durationText(Duration{decade * factor})});
        }
        if (decade > std::numeric_limits<std::int64_t>::max() / 10)
            break;
    }
    return ticks;
}

void place(std::vector<AxisTick>& ticks, const DurationHistogram& histogram, AxisScale scale)
{
    for (AxisTick& tick : ticks)
        tick.position = axisPosition(histogram, scale, tick.value).value_or(1);
}

bool isCrowded(const std::vector<AxisTick>& ticks, double widthPx, double minSpacingPx)
{
    return std::adjacent_find(ticks.begin(), ticks.end(), [=](const AxisTick& a, const AxisTick& b) {
        return (b.position - a.position) * widthPx < minSpacingPx;
    }) != ticks.end();
}

/// Times read as elsewhere on the page (1.50 s), unless that rounds neighbours to one text.
void shortenLabels(std::vector<AxisTick>& ticks)
{
    const auto sameText = [](const AxisTick& a, const AxisTick& b) { return durationText(a.value) == durationText(b.value); };
    if (std::adjacent_find(ticks.begin(), ticks.end(), sameText) != ticks.end())
        return;
    for (AxisTick& tick : ticks)
        tick.label = durationText(tick.value);
}

} // namespace

std::optional<double> axisPosition(const DurationHistogram& histogram, AxisScale scale, Duration value)
{
    if (histogram.bins() > 0 && value == histogram.edges.back())
        return 1;
    const std::optional<std::size_t> bin = histogram.binOf(value);
    if (!bin)
        return std::nullopt;
    const auto from = double(toNs(histogram.edges[*bin]));
    const auto below = double(toNs(histogram.edges[*bin + 1]));
    const auto at = double(toNs(value));
    const bool isLog = scale == AxisScale::Logarithmic && from > 0;
    const double inside = isLog ? std::log(at / from) / std::log(below / from) : (at - from) / (below - from);
    return (double(*bin) + inside) / double(histogram.bins());
}

std::vector<AxisTick> axisTicks(const DurationHistogram& histogram, AxisScale scale, double widthPx, double minSpacingPx)
{
    if (histogram.bins() == 0)
        return {};
    constexpr std::size_t fewest = 3;
    std::vector<AxisTick> ticks;
    if (scale == AxisScale::Logarithmic) {
        ticks = decadeTicks(histogram, {1, 2, 5});
        place(ticks, histogram, scale);
        if (isCrowded(ticks, widthPx, minSpacingPx)) {
            ticks = decadeTicks(histogram, {1});
            place(ticks, histogram, scale);
        }
        if (ticks.size() >= fewest && !isCrowded(ticks, widthPx, minSpacingPx))
            return ticks;
    }
    // Equal steps lie ever closer on a logarithmic axis: longer ones until they fit.
    for (double spacing = minSpacingPx; spacing <= std::max(widthPx, minSpacingPx); spacing *= 1.5) {
        ticks = evenTicks(histogram, widthPx, spacing);
        place(ticks, histogram, scale);
        if (!isCrowded(ticks, widthPx, minSpacingPx))
            break;
    }
    shortenLabels(ticks);
    return ticks;
}

std::vector<QuantileMark> quantileMarks(std::span<const Duration> sorted)
{
    std::vector<QuantileMark> marks;
    for (const auto& [p, name] : {std::pair(0.5, "P50"), std::pair(0.95, "P95")}) {
        if (sorted.size() >= minimumForValue(p))
            marks.push_back({QString::fromLatin1(name), quantile(sorted, p)});
    }
    return marks;
}

LabelPair placeLabels(double firstX, double firstWidth, double secondX, double secondWidth, double widthPx)
{
    double first = std::max(0.0, firstX - labelGap - firstWidth);
    double second = std::max(secondX + labelGap, first + firstWidth + pairGap);
    if (second + secondWidth > widthPx) {
        second = std::max(0.0, widthPx - secondWidth);
        first = std::min(first, second - pairGap - firstWidth);
    }
    return {first >= 0 ? std::optional(first) : std::nullopt, second};
}

} // namespace chokepoint
