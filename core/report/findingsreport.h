// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Findings and Amdahl's law as parts of reports. Text from traces is escaped.
#pragma once

#include "core/analysis/findings.h"
#include "core/report/json.h"

#include <string>
#include <vector>

namespace chokepoint {

/// Evidence is an object of figures by name; "trace_ids" lists traces worth opening.
[[nodiscard]] Json findingsJson(const std::vector<Finding>& findings);
/// A line a finding, "!" before warnings and "!!" before what is critical; "" without findings.
[[nodiscard]] std::string findingsText(const std::vector<Finding>& findings);
/// A list, the severity in words.
[[nodiscard]] std::string findingsMarkdown(const std::vector<Finding>& findings);

[[nodiscard]] Json amdahlJson(const AmdahlAnalysis& analysis);
[[nodiscard]] Json backtestJson(const Backtest& backtest);
/// Tables of the stages that got faster and of the back-test; "" without any.
[[nodiscard]] std::string amdahlText(const AmdahlAnalysis& analysis);

} // namespace chokepoint
