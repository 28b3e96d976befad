// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint summary`: one set of traces in figures, as JSON (chokepoint.summary/1) and as text.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/findings.h"
#include "core/analysis/gates.h"
#include "core/analysis/spending.h"
#include "core/analysis/summary.h"
#include "core/analysis/summaryintervals.h"
#include "core/report/report.h"

#include <vector>

namespace chokepoint {

/// \a treeFaults: what assembling the traces found (TraceColumns::diagnostics). With a single input they are listed under it,
/// otherwise under "warnings" of the document. What is not given (tokens and cost, retries, findings, intervals) is left out.
/// \a doubts: what makes the figures less certain, listed as "diagnostics".
[[nodiscard]] std::string summaryJson(const PopulationSummary& summary, const std::vector<ReportedInput>& inputs,
    const Diagnostics& treeFaults, const Spending* spending = nullptr, const RetrySummary* retries = nullptr,
    const std::vector<Finding>* findings = nullptr, const std::vector<GateResult>& gates = {}, const SummaryIntervals* intervals = nullptr,
    const Diagnostics* doubts = nullptr);
[[nodiscard]] std::string summaryText(const PopulationSummary& summary, const std::vector<ReportedInput>& inputs,
    const Diagnostics& treeFaults, const Spending* spending = nullptr, const RetrySummary* retries = nullptr,
    const std::vector<Finding>* findings = nullptr, const std::vector<GateResult>& gates = {}, const SummaryIntervals* intervals = nullptr,
    const Diagnostics* doubts = nullptr);

/// "file: N x CODE (first)" lines, one a fault; empty without faults.
[[nodiscard]] std::string faultLines(const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults);

} // namespace chokepoint
