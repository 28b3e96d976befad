// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What gates came to: as text, as JSON, and as the JUnit XML that continuous integration shows.
#pragma once

#include "core/analysis/gates.h"
#include "core/report/json.h"
#include "core/report/texttable.h"

#include <string>
#include <vector>

namespace chokepoint {

/// A list of {expr, status, why}.
[[nodiscard]] Json gatesJson(const std::vector<GateResult>& gates);
/// A row a gate.
[[nodiscard]] TextTable gatesTable(const std::vector<GateResult>& gates);
/// One test case a gate; an inconclusive one is an error, because gates fail closed. \a suite names what was compared.
[[nodiscard]] std::string gatesJUnit(const std::vector<GateResult>& gates, const std::string& suite);

} // namespace chokepoint
