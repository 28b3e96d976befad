// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Did the requests get slower, or did slower kinds of requests get more frequent? The exact split of a change of means.
#pragma once

#include "core/analysis/comparesides.h"

namespace chokepoint {

/// Strata are the kinds of requests that the sides' rows carry (SideFigures::kinds). Per stratum s with share w and mean m:
///   mix = sum (w' - w)(m + m')/2, within = sum (w + w')/2 (m' - m), traffic = whole terms of strata on one side only;
/// the three add up to the change of the mean, and so they do for each stage (algorithms.md 4.5). Nothing when there is but one
/// stratum, or a side is empty.
[[nodiscard]] std::optional<MixShift> splitMix(const StageAxis& axis, const SideFigures& before, const SideFigures& after);

} // namespace chokepoint
