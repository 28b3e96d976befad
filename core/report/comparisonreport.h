// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint compare`: before against after, as JSON (chokepoint.compare/1), as text and as Markdown.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/comparison.h"
#include "core/analysis/findings.h"
#include "core/analysis/gates.h"
#include "core/analysis/spending.h"
#include "core/report/report.h"

#include <string>
#include <vector>

namespace chokepoint {

/// A comparison and what is reported with it.
struct ReportedComparison {
    const Comparison& comparison;
    std::string before; // labels of the sides
    std::string after;
    std::vector<GroupRow> groups;
    std::vector<GateResult> gates = {};
    const Spending* spentBefore = nullptr; // tokens and cost are left out without both
    const Spending* spentAfter = nullptr;
    const RetrySummary* retriesBefore = nullptr; // left out without both
    const RetrySummary* retriesAfter = nullptr;
    const AmdahlAnalysis* amdahl = nullptr;
    const std::vector<Finding>* findings = nullptr;
    Diagnostics doubtsBefore = {}; // what makes the figures of a side less certain; told to people, not in the JSON
    Diagnostics doubtsAfter = {};
};

[[nodiscard]] std::string comparisonJson(const ReportedComparison& report);
[[nodiscard]] std::string comparisonText(const ReportedComparison& report);
/// For comments of continuous integration and for notes: headings and tables, text from traces escaped.
[[nodiscard]] std::string comparisonMarkdown(const ReportedComparison& report);

} // namespace chokepoint
