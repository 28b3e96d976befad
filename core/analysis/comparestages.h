// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stages before and after: what each contributes to the change of the mean, its rank, and whether that is real.
#pragma once

#include "core/analysis/comparesides.h"

namespace chokepoint {

/// Shares \a total out over the exact rationals \a numerators / \a denominator (> 0) as integers that add up to \a total: each
/// is its quotient rounded down, and the largest remainders are rounded up (ties: the first). Negated numerators and total
/// give exactly the negated shares.
[[nodiscard]] std::vector<std::int64_t> apportion(const std::vector<WideSum>& numerators, WideSum denominator, std::int64_t total);

/// Ranks from 1, largest first, ties by index (that is, by name).
[[nodiscard]] std::vector<unsigned> ranksOf(const std::vector<double>& values);

/// Rows of the top-level stages by before mean + after mean, largest first. Both sides have traces; \a meanDelta is the delta
/// of the rounded means.
[[nodiscard]] std::vector<StageRow> compareStages(const StageAxis& axis, const SideFigures& before, const SideFigures& after,
    const SideReplicates& beforeReplicates, const SideReplicates& afterReplicates, Duration meanDelta, const CompareOptions& options);

/// Which stage is the largest on each side, and whether that moved. Both sides have traces.
[[nodiscard]] BottleneckVerdict compareBottlenecks(const StageAxis& axis, const SideFigures& before, const SideFigures& after,
    const SideReplicates& beforeReplicates, const SideReplicates& afterReplicates, const std::vector<StageRow>& stages);

/// Says so when the new top is one only because other kinds of requests came: with BEFORE's mix the old one would still be it.
void considerMix(BottleneckVerdict& verdict, const std::vector<StageRow>& stages, const MixShift& mix);

/// Fewest traces a side for intervals and verdicts on means.
inline constexpr std::size_t minimumForMean = 30;

} // namespace chokepoint
