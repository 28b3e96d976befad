// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint traces`: one row a trace, as JSON (chokepoint.traces/1) and as text.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/billing.h"
#include "core/analysis/population.h"
#include "core/report/report.h"

#include <vector>

namespace chokepoint {

/// What `--sort` takes; a leading '-' sorts descending.
struct TraceOrder {
    enum class Key { Start, EndToEnd, Spans, Errors, TraceId } key = Key::Start;
    bool descending = false;
};
/// "start", "-duration", "spans", "errors", "trace_id"; nothing for any other text.
[[nodiscard]] std::optional<TraceOrder> traceOrderFromText(std::string_view text);

/// Sorts \a traces (indices into \a columns), stable: ties keep their order.
void sortTraces(std::vector<std::uint32_t>& traces, const TraceColumns& columns, const Population& population, TraceOrder order);

void writeTracesJson(const std::vector<std::uint32_t>& traces, const TraceColumns& columns, const Population& population,
    const Billing& billing, const RetryAnalysis& retries, const ReportOutput& out);
[[nodiscard]] std::string tracesText(const std::vector<std::uint32_t>& traces, const TraceColumns& columns, const Population& population);

} // namespace chokepoint
