// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The axis of the histogram: where a time is, its round marks, and where labels of quantiles go. Pure.
#pragma once

#include "views/traces/durationhistogram.h"

#include <QString>

#include <optional>
#include <span>
#include <vector>

namespace chokepoint {

/// Place of a time on the axis: 0 at the first edge, 1 at the last; nullopt outside or without bins.
[[nodiscard]] std::optional<double> axisPosition(const DurationHistogram& histogram, AxisScale scale, Duration value);

struct AxisTick {
    Duration value{};
    double position = 0; // of axisPosition()
    QString label; // differs from its neighbours'
};

/// Marks at round times, ascending, at least \a minSpacingPx apart on an axis of \a widthPx; one alone where all times are nearly equal. A
/// linear axis has equal steps of 1, 2 or 5 times a power of ten (above a second also those of the clock); a logarithmic one has 1, 2, 5 of
/// each decade, or the powers of ten alone when they are crowded, and equal steps when it spans too little for that.
[[nodiscard]] std::vector<AxisTick> axisTicks(const DurationHistogram& histogram, AxisScale scale, double widthPx, double minSpacingPx);

struct QuantileMark {
    QString name; // "P50"
    Duration value{};
};
/// P50 and P95 of \a sorted, as far as it has enough values to tell them (minimumForValue).
[[nodiscard]] std::vector<QuantileMark> quantileMarks(std::span<const Duration> sorted);

/// Left ends of two labels on one line inside [0, widthPx], for marks at \a firstX <= \a secondX: the first ends before its mark, the
/// second begins after its own, and both move inwards at a border. They never overlap: the first has no place when the line is too short.
struct LabelPair {
    std::optional<double> first;
    double second = 0;
};
[[nodiscard]] LabelPair placeLabels(double firstX, double firstWidth, double secondX, double secondWidth, double widthPx);

} // namespace chokepoint
