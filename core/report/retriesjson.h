// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Retries as parts of the JSON documents of other commands.
#pragma once

#include "core/analysis/attempts.h"
#include "core/report/json.h"

namespace chokepoint {

/// requests, retried_requests, retry_rate, extra_attempts, wasted_ns, wasted_tokens, wasted_cost and what makes these lower bounds.
[[nodiscard]] Json retrySummaryJson(const RetrySummary& summary);
/// "12 of 100 requests were retried (12 %), 14 extra attempts, 5.6 s wasted, 8,200 tokens".
[[nodiscard]] std::string retrySummaryText(const RetrySummary& summary);
/// The same of both sides of a comparison, with differences.
[[nodiscard]] Json retryComparisonJson(const RetrySummary& before, const RetrySummary& after);
/// Names by how often they were called in the largest tree of nested attempts: {"SELECT stock": 9}.
[[nodiscard]] Json amplificationJson(const RetryAnalysis& retries, const TraceColumns& columns, std::size_t trace);

/// The name that a group goes by: that of its attempts, of flat walks that of their container.
[[nodiscard]] std::string_view groupName(const AttemptGroup& group, const RetryAnalysis& retries, const TraceColumns& columns);

} // namespace chokepoint
