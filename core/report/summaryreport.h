// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint summary`: one set of traces in figures, as JSON (chokepoint.summary/1) and as text.
#pragma once

#include "core/analysis/summary.h"
#include "core/report/report.h"

#include <vector>

namespace chokepoint {

/// \a treeFaults: what assembling the traces found (TraceColumns::diagnostics). With a single input they are listed under it,
/// otherwise under "warnings" of the document.
[[nodiscard]] std::string summaryJson(
    const PopulationSummary& summary, const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults);
[[nodiscard]] std::string summaryText(
    const PopulationSummary& summary, const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults);

/// "file: N x CODE (first)" lines, one a fault; empty without faults.
[[nodiscard]] std::string faultLines(const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults);

} // namespace chokepoint
