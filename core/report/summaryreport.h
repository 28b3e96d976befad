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

/// What there is to report of one set of traces. What is not given (tokens and cost, retries, findings, gates, intervals) is left out.
struct ReportedSummary {
    PopulationSummary summary;
    std::vector<ReportedInput> inputs;
    Diagnostics treeFaults; // what assembling the traces found; listed under the only input, else under "warnings" of the document
    const Spending* spending = nullptr;
    const RetrySummary* retries = nullptr;
    const std::vector<Finding>* findings = nullptr;
    std::vector<GateResult> gates;
    const SummaryIntervals* intervals = nullptr;
    const Diagnostics* doubts = nullptr; // what makes the figures less certain: "diagnostics"
};

[[nodiscard]] std::string summaryJson(const ReportedSummary& reported);
[[nodiscard]] std::string summaryText(const ReportedSummary& reported);

/// "file: N x CODE (first)" lines, one a fault; empty without faults.
[[nodiscard]] std::string faultLines(const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults);

} // namespace chokepoint
