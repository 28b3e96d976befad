// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/retriesreport.h"

#include "core/base/format.h"
#include "core/report/retriesjson.h"
#include "core/report/texttable.h"
#include "core/report/usagejson.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

namespace {

std::string causeText(RetryCause cause)
{
    const std::string name = retryCauseName(cause);
    return name.empty() ? "unknown" : name;
}

Json causeJson(const CauseFigures& figures)
{
    Json byEvidence = Json::object();
    for (std::size_t e = 0; e < figures.byEvidence.size(); ++e)
        if (figures.byEvidence[e] > 0)
            byEvidence[retryEvidenceName(RetryEvidence(e))] = figures.byEvidence[e];
    return {{"cause", causeText(figures.cause)}, {"count", figures.count}, {"wasted_ns", toNs(figures.wasted)},
        {"wasted_tokens", countJson(figures.wastedTokens)}, {"wasted_cost", moneyJson(figures.wastedCost)},
        {"evidence", retryEvidenceName(figures.evidence())}, {"by_evidence", byEvidence}};
}

/// Where times of a trace count from: the start of its root.
Timestamp originOf(const TraceColumns& columns, std::size_t trace)
{
    const TraceView view = columns.trace(trace);
    const std::int32_t root = primaryRoot(view, true);
    const Timestamp start = root < 0 ? unknownTime : view.start[std::size_t(root)];
    return isKnown(start) ? start : traceExtent(view).begin;
}

Json offsetJson(Timestamp time, Timestamp origin)
{
    return isKnown(time) && isKnown(origin) ? Json(toNs(saturatingDifference(time, origin))) : Json(nullptr);
}

class TraceJson {
public:
    TraceJson(const RetriesSource& source, std::size_t trace)
        : m_source(source), m_trace(trace), m_origin(originOf(source.columns, trace)), m_figures(source.retries.traces[trace])
    {
    }

    [[nodiscard]] Json whole() const
    {
        Json json = {{"trace_id", m_source.columns.traceIdName(m_trace)}, {"retries", m_figures.retries},
            {"wasted_ns", toNs(m_figures.wasted)}, {"wasted_tokens", countJson(m_figures.wastedTokens)},
            {"wasted_cost", moneyJson(m_figures.wastedCost)}, {"walks", m_figures.walks}, {"first_walk_ns", toJson(m_figures.firstWalk)},
            {"depth", m_figures.depth}, {"amplification", m_figures.amplification()}, {"bound", m_figures.bound},
            {"cascade", m_figures.cascade}};
        Json& attempts = json["attempts"] = Json::array();
        std::size_t number = 0;
        for (const AttemptGroup& group : m_source.retries.groupsOf(m_trace)) {
            ++number;
            if (group.counted)
                addAttempts(group, number, attempts);
        }
        return json;
    }

    /// A group that is not counted.
    [[nodiscard]] Json other(const AttemptGroup& group) const
    {
        Json json = {{"trace_id", m_source.columns.traceIdName(m_trace)}, {"kind", attemptKindName(group.kind)},
            {"confidence", group.confidence / 100.0}, {"wasted_ns", toJson(group.wasted)}};
        addAttempts(group, 1, json["attempts"] = Json::array());
        return json;
    }

private:
    void addAttempts(const AttemptGroup& group, std::size_t number, Json& list) const
    {
        const auto attempts = m_source.retries.attemptsOf(group);
        for (std::size_t k = 0; k < attempts.size(); ++k) {
            const Attempt& attempt = attempts[k];
            const bool isLast = k + 1 == attempts.size();
            const bool ok = isLast && group.succeeded;
            const std::string cause = retryCauseName(attempt.cause);
            Json json = {{"index", attempt.number}, {"span_id", m_source.spanIdName(attempt.trace, attempt.span)},
                {"start_ns", offsetJson(attempt.begin, m_origin)}, {"end_ns", offsetJson(attempt.end, m_origin)},
                {"outcome", ok ? "ok" : "failed"}, {"cause", ok || cause.empty() ? Json(nullptr) : Json(cause)},
                {"evidence", retryEvidenceName(group.evidence)}, {"tokens", countJson(attempt.tokens)}, {"group", number},
                {"kind", attemptKindName(attempt.kind)}, {"rule", fmt::format("R{}", unsigned(group.rule))},
                {"confidence", group.confidence / 100.0}, {"level", group.level}, {"of", group.attempts},
                {"name", groupName(group, m_source.retries, m_source.columns)}};
            if (attempt.trace != m_trace)
                json["trace_id"] = m_source.columns.traceIdName(attempt.trace);
            list.push_back(std::move(json));
        }
    }

    const RetriesSource& m_source;
    std::size_t m_trace;
    Timestamp m_origin;
    const TraceRetries& m_figures;
};

} // namespace

void writeRetriesJson(const RetriesSource& source, const ReportOutput& out)
{
    const RetryAnalysis& retries = source.retries;
    Json head = {{"schema", "chokepoint.retries/1"}};
    head.update(retrySummaryJson(retries.summary));
    Json& causes = head["by_cause"] = Json::array();
    for (const CauseFigures& figures : retries.summary.byCause)
        causes.push_back(causeJson(figures));
    Json& hints = head["hints"] = Json::array();
    for (const HiddenRetryHint& hint : retries.hints)
        hints.push_back({{"trace_id", source.columns.traceIdName(hint.trace)}, {"span_id", source.spanIdName(hint.trace, hint.span)},
            {"excess_ns", toNs(hint.excess)}, {"evidence", retryEvidenceName(RetryEvidence::Hidden)}});
    std::string text = toText(head);
    text.pop_back(); // its brace: lists follow
    out(text);
    for (const bool counted : {true, false}) {
        out(counted ? R"(,"traces":[)" : R"(],"not_counted":[)");
        bool first = true;
        for (std::size_t t = 0; t < retries.traces.size(); ++t) {
            const TraceJson trace(source, t);
            const auto write = [&](const Json& json) {
                out(first ? "" : ",");
                out(toText(json));
                first = false;
            };
            if (counted && retries.traces[t].retried())
                write(trace.whole());
            for (const AttemptGroup& group : retries.groupsOf(t))
                if (!counted && !group.counted)
                    write(trace.other(group));
        }
    }
    out("]}\n");
}

std::string retriesText(const RetriesSource& source)
{
    using enum TextTable::Align;
    const RetrySummary& summary = source.retries.summary;
    std::string text = retrySummaryText(summary) + "\n";
    if (summary.unknownTimeAttempts + summary.unknownTokenAttempts > 0)
        text += fmt::format("Lower bounds: {} attempts left no times, {} may have used tokens that nobody reported\n",
            formatCount(summary.unknownTimeAttempts), formatCount(summary.unknownTokenAttempts));
    if (summary.opaqueGenerateSpans > 0)
        text += fmt::format("{} of {} model calls would not show retries of their SDK: record its HTTP client spans\n",
            formatCount(summary.opaqueGenerateSpans), formatCount(summary.generateSpans));
    if (!summary.byCause.empty()) {
        TextTable causes({{"cause", Left}, {"attempts", Right}, {"wasted", Right}, {"tokens", Right}, {"evidence", Left}});
        for (const CauseFigures& figures : summary.byCause)
            causes.addRow({causeText(figures.cause), formatCount(figures.count), formatDuration(figures.wasted),
                figures.wastedTokens.isKnown() ? formatCount(std::uint64_t(figures.wastedTokens.orZero())) : "",
                retryEvidenceName(figures.evidence())});
        text += '\n' + causes.text();
    }
    TextTable traces({{"trace", Left}, {"what", Left}, {"kind", Left}, {"attempts", Right}, {"cause", Left}, {"outcome", Left},
        {"wasted", Right}, {"evidence", Left}, {"confidence", Right}});
    for (const AttemptGroup& group : source.retries.groups) {
        const std::string indent(std::size_t(2 * (group.level - 1)), ' ');
        traces.addRow({source.columns.traceIdName(group.trace), indent + std::string(groupName(group, source.retries, source.columns)),
            attemptKindName(group.kind), formatCount(group.attempts), causeText(group.cause), group.succeeded ? "succeeded" : "exhausted",
            formatDuration(group.wasted), retryEvidenceName(group.evidence),
            fmt::format("{} %{}", group.confidence, group.counted ? "" : " (not counted)")});
    }
    return traces.empty() ? text : text + '\n' + traces.text();
}

} // namespace chokepoint
