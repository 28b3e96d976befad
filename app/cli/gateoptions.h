// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// --fail-if of the commands that judge.
#pragma once

#include "core/analysis/gates.h"

#include <string>
#include <vector>

namespace chokepoint::cli {

/// Fails with InvalidArgument at the first that cannot be read.
[[nodiscard]] Result<std::vector<Gate>> parseGates(const std::vector<std::string>& expressions);
/// Done, GateFailed or Inconclusive: a failed gate counts before an inconclusive one.
[[nodiscard]] int statusOfGates(const std::vector<GateResult>& gates);

} // namespace chokepoint::cli
