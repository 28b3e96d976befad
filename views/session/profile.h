// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One deployment described by itself, in the shape of a comparison whose after side is empty.
#pragma once

#include "core/pipeline/dataset.h"

namespace chokepoint {

/// End-to-end figures with their intervals, and the stages with means, shares and ranks, in the "before" members; everything
/// about "after" and about change stays unknown. Figures that the sample is too small for stay unknown, with the shortfall.
[[nodiscard]] Comparison profileOf(const Dataset& dataset);

} // namespace chokepoint
