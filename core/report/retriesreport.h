// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint retries`: what was tried again, why, and what it cost; as JSON (chokepoint.retries/1) and as text.
#pragma once

#include "core/analysis/attempts.h"
#include "core/report/report.h"

#include <functional>
#include <string>

namespace chokepoint {

struct RetriesSource {
    const TraceColumns& columns;
    const RetryAnalysis& retries;
    std::function<std::string(std::size_t trace, std::size_t span)> spanIdName; // as the file has it
};

/// All traces with counted retries, each with its attempts; groups that are shown but not counted are listed apart.
void writeRetriesJson(const RetriesSource& source, const ReportOutput& out);
[[nodiscard]] std::string retriesText(const RetriesSource& source);

} // namespace chokepoint
