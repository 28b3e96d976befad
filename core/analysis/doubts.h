// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How far the figures of a deployment can be trusted: units, vocabularies, coverage, sampling, clocks, sizes. Never a fault of an input.
#pragma once

#include "core/analysis/checks.h"
#include "core/analysis/doubtfacts.h"
#include "core/base/diagnostics.h"

namespace chokepoint {

/// Traces below which quantiles and intervals say little, and judged answers below which a cost per correct answer is refused.
inline constexpr std::size_t fewTraces = 30;
inline constexpr std::size_t fewLabels = 20;

/// Everything there is to doubt, each kind with its count and the first span or trace that shows it. Paths are looked at again for at
/// most 1000 traces, evenly spread. Deterministic.
[[nodiscard]] Diagnostics findDoubts(const CheckSide& side, const DoubtFacts& facts);

/// The part of it that goes by the critical path: time without spans, and time whose stage is a guess.
void findDoubtsOnPath(const CheckSide& side, Diagnostics& doubts);

/// Of the links of \a facts those that lead to no span of \a columns.
[[nodiscard]] std::vector<LinkTarget> unresolvedLinks(const TraceColumns& columns, const DoubtFacts& facts);

/// The faults of an input or a tree in \a all, and what only makes figures less certain.
[[nodiscard]] Diagnostics faultsIn(const Diagnostics& all);
[[nodiscard]] Diagnostics doubtsIn(const Diagnostics& all);

/// "span chat of trace 4bf9...", of a span of \a columns.
[[nodiscard]] std::string placeOfSpan(const TraceColumns& columns, std::uint64_t span);

} // namespace chokepoint
