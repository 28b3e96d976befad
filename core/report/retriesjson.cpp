// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/retriesjson.h"

#include "core/base/format.h"
#include "core/report/usagejson.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace chokepoint {

Json retrySummaryJson(const RetrySummary& summary)
{
    return {{"requests", summary.requests}, {"retried_requests", summary.retriedRequests}, {"retry_rate", summary.retryRate()},
        {"extra_attempts", summary.extraAttempts}, {"wasted_ns", toNs(summary.wasted)},
        {"wasted_tokens", summary.extraAttempts == 0 ? Json(0) : countJson(summary.wastedTokens)},
        {"wasted_cost", moneyJson(summary.wastedCost)}, {"cascades", summary.cascades},
        {"attempts_of_unknown_time", summary.unknownTimeAttempts}, {"attempts_of_unknown_tokens", summary.unknownTokenAttempts},
        {"generate_spans", summary.generateSpans}, {"opaque_generate_spans", summary.opaqueGenerateSpans}};
}

std::string retrySummaryText(const RetrySummary& summary)
{
    return fmt::format("{} of {} requests were retried ({}), {} extra attempts, {} wasted{}", formatCount(summary.retriedRequests),
        formatCount(summary.requests), formatShare(summary.retryRate()), formatCount(summary.extraAttempts), formatDuration(summary.wasted),
        summary.wastedTokens.isKnown() ? ", " + formatCount(std::uint64_t(summary.wastedTokens.orZero())) + " tokens" : "");
}

Json retryComparisonJson(const RetrySummary& before, const RetrySummary& after)
{
    return {{"before", retrySummaryJson(before)}, {"after", retrySummaryJson(after)},
        {"delta_retry_rate", after.retryRate() - before.retryRate()}, {"delta_wasted_ns", toNs(after.wasted) - toNs(before.wasted)}};
}

std::string_view groupName(const AttemptGroup& group, const RetryAnalysis& retries, const TraceColumns& columns)
{
    const Attempt& first = retries.attemptsOf(group).front();
    const bool isFlat = group.rule == RetryRule::Walk && group.parent >= 0;
    const std::uint64_t span =
        isFlat ? columns.firstSpan[group.trace] + std::uint64_t(group.parent) : columns.firstSpan[first.trace] + first.span;
    return columns.dictionary->text(columns.spans.name[span]);
}

Json amplificationJson(const RetryAnalysis& retries, const TraceColumns& columns, std::size_t trace)
{
    const TraceView view = columns.trace(trace);
    // The outermost group around each span: outer groups come before inner ones, parents before children.
    constexpr std::uint32_t none = 0xffffffff;
    std::vector<std::uint32_t> outermost(view.size(), none);
    const auto groups = retries.groupsOf(trace);
    for (std::uint32_t g = 0; g < groups.size(); ++g)
        for (const Attempt& attempt : retries.attemptsOf(groups[g]))
            if (groups[g].counted && attempt.trace == trace && outermost[attempt.span] == none)
                outermost[attempt.span] = g;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (view.parent[i] >= 0 && outermost[std::size_t(view.parent[i])] != none)
            outermost[i] = outermost[std::size_t(view.parent[i])];
    std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> calls; // by outermost group and name
    for (const AttemptGroup& group : groups)
        if (group.counted)
            calls[{outermost[retries.attemptsOf(group).front().span], std::string(groupName(group, retries, columns))}] += group.attempts;
    std::map<std::string, std::uint64_t> most;
    for (const auto& [key, count] : calls)
        most[key.second] = std::max(most[key.second], count);
    Json json = Json::object();
    for (const auto& [name, count] : most)
        json[name] = count;
    return json;
}

} // namespace chokepoint
