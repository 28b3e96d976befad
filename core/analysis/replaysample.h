// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a large population for analyses that replay every trace several times.
#pragma once

#include "core/analysis/population.h"

namespace chokepoint {

/// \a population with at most \a atMost included traces, chosen by their ids, so that no order of input changes the choice.
[[nodiscard]] Population replaySample(const TraceColumns& columns, const Population& population, std::size_t atMost);

} // namespace chokepoint
