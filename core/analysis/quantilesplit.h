// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the slow requests spend their time: quantiles and bands of the end-to-end time, split into stages that add up.
#pragma once

#include "core/analysis/comparesides.h"

namespace chokepoint {

/// The change of each of P50, P95, P99 by stage (algorithms.md 3 and 4.6). Rows of stages add up to the rounded delta exactly;
/// swapping the sides negates them. A side that is too small leaves the split empty, with its shortfall.
[[nodiscard]] std::vector<QuantileSplit> splitQuantiles(const StageAxis& axis, const SideFigures& before, const SideFigures& after);

/// The bands of ranks [45 %, 55 %), [95 %, 99 %) and [99 %, 100 %] on both sides: mean stage times, and the most typical trace.
[[nodiscard]] std::vector<BandRow> compareBands(const StageAxis& axis, const SideFigures& before, const SideFigures& after);

} // namespace chokepoint
