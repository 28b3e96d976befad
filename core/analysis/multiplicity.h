// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Many tests at once: p-values that hold for a whole family.
#pragma once

#include <span>
#include <vector>

namespace chokepoint {

/// Holm's step-down: the chance of any false "changed" in the family stays below the level. In the order of \a p.
[[nodiscard]] std::vector<double> holmAdjusted(std::span<const double> p);
/// Benjamini-Hochberg: the expected share of false ones among those called "changed" stays below the level (q-values).
[[nodiscard]] std::vector<double> benjaminiHochbergAdjusted(std::span<const double> p);

} // namespace chokepoint
