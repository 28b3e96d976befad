// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint dump`: everything that was understood, normalised (chokepoint.dump/1), streamed trace by trace.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/billing.h"
#include "core/analysis/population.h"
#include "core/base/result.h"
#include "core/model/trace.h"
#include "core/report/report.h"

#include <optional>
#include <vector>

namespace chokepoint {

struct DumpSource {
    const TraceColumns& columns;
    const StageMap& stages;
    const Population& population;
    const Billing& billing;
    const RetryAnalysis& retries;
    std::vector<ReportedInput> inputs;
    std::vector<std::uint32_t> traces; // indices of the traces to list, in order
    std::function<Result<std::shared_ptr<const Trace>>(std::size_t traceIndex)> loadTrace;
    std::function<CriticalPath(std::size_t traceIndex)> path;
    Diagnostics doubts = {}; // what makes the figures less certain
};

/// Fails with what loadTrace returned; the document is then cut short.
[[nodiscard]] Result<void> writeDump(const DumpSource& source, const ReportOutput& out);

/// The document for inputs of which nothing could be read: outcome "rejected", one error an input.
void writeRejectedDump(const std::vector<Error>& errors, const ReportOutput& out);

} // namespace chokepoint
