// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces as indented text, and the attempt groups that are found in them as text again.
#pragma once

#include "core/analysis/attempts.h"
#include "tests/testkit/tracebuilder.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Spans, one a line, two spaces of indentation a level, a line "---" between traces:
///
///     chat gpt | 0-600 | CLIENT | gen_ai.operation.name=chat
///       POST | 0-100 | CLIENT | ERROR | http.response.status_code:=429
///       POST | 560-600 | CLIENT | http.response.status_code:=200
///
/// After the name come begin and end in ms ("0-?" is unfinished), then in any order a kind (INTERNAL if left out), ERROR, CANCELLED,
/// TIMEDOUT, "%service", "&label" for links, "#status message", "key=text", "key:=number", "key?=true",
/// "!event@ms;key=text" and "~label;key=text" (a link).
[[nodiscard]] testkit::TraceBuilder tracesFromText(std::string_view text);

/// Everything that the analysis of retries needs and gives.
struct RetrySet {
    TraceColumns columns;
    StageMap stages;
    UsageTable usage;
    AttemptFacts facts;
    Population population;
    Billing billing;
    RetryAnalysis retries;
};
[[nodiscard]] std::unique_ptr<RetrySet> retriesOf(const testkit::TraceBuilder& traces, const PriceTable& prices = {}, unsigned threads = 1);
[[nodiscard]] inline std::unique_ptr<RetrySet> retriesOf(std::string_view text)
{
    return retriesOf(tracesFromText(text));
}

/// A line a group, in their order: "retry R5 90 POST x2 429 ok"; kind, rule, confidence, name of the first attempt, attempts, cause
/// ("-" for none) and outcome ("ok", "failed"). Groups that are not counted stand in parentheses.
[[nodiscard]] std::string groupsText(const RetrySet& set);

} // namespace chokepoint
