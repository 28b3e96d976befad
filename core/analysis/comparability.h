// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two deployments may be compared at all, and what a reader has to keep in mind.
#pragma once

#include "core/analysis/comparesides.h"

namespace chokepoint {

struct Comparability {
    bool comparable = true;
    bool failsMore = false; // AFTER's requests fail more often, p < 0.01
    std::vector<std::string> reasons;
};

[[nodiscard]] Comparability assessComparability(
    const ComparisonSide& before, const ComparisonSide& after, const SideFigures& beforeFigures, const SideFigures& afterFigures);

/// Two-sided p-value of Fisher's exact test that a of n1 and b of n2 come from one rate; 1 when either sample is empty.
[[nodiscard]] double fisherExact(std::uint64_t a, std::uint64_t n1, std::uint64_t b, std::uint64_t n2);

} // namespace chokepoint
