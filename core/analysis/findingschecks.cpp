// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about known traps that the traces show.
#include "core/analysis/checks.h"
#include "core/analysis/findingparts.h"
#include "core/analysis/findingtext.h"

#include <algorithm>

namespace chokepoint {

namespace {

EvidenceValue valueOf(const CheckFigure& figure)
{
    if (const auto* integer = std::get_if<std::int64_t>(&figure.value))
        return *integer;
    if (const auto* number = std::get_if<double>(&figure.value))
        return *number;
    if (const auto* text = std::get_if<std::string>(&figure.value))
        return *text;
    return "unknown";
}

} // namespace

void addChecks(const std::vector<Check>& checks, const TraceColumns& columns, std::vector<Finding>& findings)
{
    for (const Check& check : checks) {
        const bool isTold =
            std::any_of(findings.begin(), findings.end(), [&check](const Finding& finding) { return finding.id == check.id; });
        if (check.status != CheckStatus::Suspect || isTold)
            continue;
        FindingWriter writer("check-" + std::string(check.id), FindingSeverity::Warning);
        for (const CheckFigure& figure : check.figures)
            writer.add(figure.name, valueOf(figure), figureText(figure));
        writer.verbatim("Suspect: " + std::string(check.title), check.text);
        for (const std::uint32_t trace : check.traces)
            writer.trace(columns.traceIdName(trace));
        findings.push_back(writer.take());
    }
}

} // namespace chokepoint
