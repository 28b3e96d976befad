// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/dumpreport.h"

#include "core/analysis/doubts.h"
#include "core/analysis/operations.h"
#include "core/base/format.h"
#include "core/report/json.h"
#include "core/report/retriesjson.h"
#include "core/report/usagejson.h"

#include <algorithm>

namespace chokepoint {

namespace {

/// Typed JSON of a value. Nesting is bounded by the readers' limit.
Json valueJson(const AttributeValue& value);

Json attributesJson(const AttributeList& attributes)
{
    Json json = Json::object();
    for (const Attribute& attribute : attributes)
        json[attribute.key] = valueJson(attribute.value);
    return json;
}

Json valueJson(const AttributeValue& value)
{
    struct Visitor {
        Json operator()(std::monostate) const { return nullptr; }
        Json operator()(bool v) const { return v; }
        Json operator()(std::int64_t v) const { return v; }
        Json operator()(double v) const { return std::isfinite(v) ? Json(v) : Json(toText(AttributeValue{v})); }
        Json operator()(const std::string& v) const { return v; }
        Json operator()(const Bytes& v) const { return {{"base64", toBase64(v.data)}}; }
        Json operator()(const NumberText& v) const { return v.text; }
        Json operator()(const AttributeValue::Array& array) const
        {
            Json json = Json::array();
            for (const AttributeValue& element : array)
                json.push_back(valueJson(element));
            return json;
        }
        Json operator()(const AttributeList& map) const { return attributesJson(map); }
    };
    return std::visit(Visitor{}, value.value);
}

Json eventsJson(const std::vector<SpanEvent>& events)
{
    Json json = Json::array();
    for (const SpanEvent& event : events)
        json.push_back({{"time_ns", isKnown(event.time) ? Json(toNs(event.time)) : Json(nullptr)}, {"name", event.name},
            {"attributes", attributesJson(event.attributes)}});
    return json;
}

Json linksJson(const std::vector<SpanLink>& links)
{
    Json json = Json::array();
    for (const SpanLink& link : links)
        json.push_back({{"trace_id", link.traceIdText.empty() ? toHex(link.traceId) : link.traceIdText},
            {"span_id", link.spanIdText.empty() ? toHex(link.spanId) : link.spanIdText}, {"attributes", attributesJson(link.attributes)}});
    return json;
}

Json timeJson(Timestamp time)
{
    return isKnown(time) ? Json(toNs(time)) : Json(nullptr);
}

/// One trace with everything that hangs on it.
class TraceDump {
public:
    TraceDump(const DumpSource& source, std::size_t index, const Trace& trace)
        : m_source(source), m_index(index), m_trace(trace), m_view(trace.view())
    {
    }

    [[nodiscard]] Json head() const
    {
        const TimeRange extent = traceExtent(m_view);
        const TraceFigures& figures = m_source.population.traces[m_index];
        const CriticalPath path = m_source.path(m_index);
        Json segments = Json::array();
        Duration total{0};
        for (const PathSegment& segment : path.segments) {
            segments.push_back({{"span_id", idOf(segment.span)}, {"from_ns", toNs(segment.begin)}, {"to_ns", toNs(segment.end)}});
            total += segment.end - segment.begin;
        }
        const std::vector<std::uint32_t> depth = depths();
        const UsageTotals usage = m_source.billing.totals(m_source.columns.firstSpan[m_index], m_view.size());
        return {{"trace_id", m_trace.idName()},
            {"root_name", figures.root < 0 ? Json(nullptr) : Json(m_trace.name(std::size_t(figures.root)))},
            {"start_ns", timeJson(extent.begin)}, {"duration_ns", toNs(extent.length())}, {"e2e_ns", toJson(figures.e2e)},
            {"duration_text", formatDuration(extent.length())}, {"span_count", m_view.size()},
            {"max_depth", depth.empty() ? 0U : *std::max_element(depth.begin(), depth.end())}, {"partial", isPartial(m_view)},
            {"critical_path", segments}, {"critical_path_ns", toNs(total)}, {"retries", m_source.retries.traces[m_index].retries},
            {"amplification", amplificationJson(m_source.retries, m_source.columns, m_index)}, {"retry_groups", retryGroups()},
            {"tokens", tokensJson(usage)}, {"llm_spans_with_usage", usage.withUsage}, {"llm_spans_without_usage", usage.withoutUsage},
            {"cost", traceCostJson(usage, m_source.billing.currency)}};
    }

    void spans(const ReportOutput& out) const
    {
        const std::vector<std::uint32_t> depth = depths();
        const std::vector<Duration> self = selfTimes(m_view);
        for (std::size_t i = 0; i < m_view.size(); ++i) {
            out(i == 0 ? "" : ",");
            out(toText(span(i, depth[i], self[i])));
        }
    }

private:
    [[nodiscard]] Json retryGroups() const
    {
        Json groups = Json::array();
        for (const AttemptGroup& group : m_source.retries.groupsOf(m_index)) {
            if (!group.counted)
                continue;
            const Attempt& first = m_source.retries.attemptsOf(group).front();
            groups.push_back({{"parent_id", group.parent < 0 ? Json(nullptr) : Json(idOf(std::size_t(group.parent)))},
                {"service", m_trace.service(first.span)}, {"name", groupName(group, m_source.retries, m_source.columns)},
                {"attempts", group.attempts}, {"retries", group.retries}, {"outcome", group.succeeded ? "succeeded" : "exhausted"},
                {"kind", attemptKindName(group.kind)}, {"evidence", retryEvidenceName(group.evidence)},
                {"confidence", group.confidence / 100.0}});
        }
        return groups;
    }

    /// As the file has it. Both halves of a call may have one id; the server's is marked, so that parents can be told by their ids.
    [[nodiscard]] std::string idOf(std::size_t i) const
    {
        std::string name = m_trace.spanIdName(i);
        if (m_view.flags[i].has(SpanFlags::SharedServer))
            name += "/server";
        return name;
    }

    [[nodiscard]] std::vector<std::uint32_t> depths() const
    {
        std::vector<std::uint32_t> depth(m_view.size());
        for (std::size_t i = 0; i < depth.size(); ++i)
            if (m_view.parent[i] >= 0)
                depth[i] = depth[std::size_t(m_view.parent[i])] + 1;
        return depth;
    }

    [[nodiscard]] Json span(std::size_t i, std::uint32_t depth, Duration self) const
    {
        const SpanPayload payload = m_trace.payload(i);
        const SpanFlags flags = m_view.flags[i];
        const bool orphan = flags.has(SpanFlags::Orphan);
        Json parent = nullptr;
        if (m_view.parent[i] >= 0)
            parent = idOf(std::size_t(m_view.parent[i]));
        else if (orphan)
            parent = m_trace.parentIdName(i);
        const StageId stage = m_source.stages.stage[m_source.columns.firstSpan[m_index] + i];
        return {{"span_id", idOf(i)}, {"parent_id", parent}, {"orphan", orphan}, {"depth", depth}, {"name", m_trace.name(i)},
            {"service", m_trace.service(i)}, {"kind", spanKindName(flags.kind())}, {"status", spanStatusName(flags.status())},
            {"start_ns", timeJson(m_view.start[i])}, {"duration_ns", toJson(m_view.duration(i))}, {"self_ns", toJson(self)},
            {"unfinished", !isKnown(m_view.end[i])}, {"stage", m_source.stages.table->name(stage)},
            {"attributes", attributesJson(payload.attributes)}, {"events", eventsJson(payload.events)},
            {"links", linksJson(payload.links)}};
    }

    const DumpSource& m_source;
    std::size_t m_index;
    const Trace& m_trace;
    TraceView m_view;
};

struct Counts {
    std::uint64_t roots = 0;
    std::uint64_t orphans = 0;
    std::uint64_t errors = 0;
};

Counts countSpans(const TraceColumns& columns)
{
    Counts counts;
    for (std::size_t i = 0; i < columns.spanCount(); ++i) {
        const SpanFlags flags = columns.spans.flags[i];
        counts.errors += flags.isError() ? 1 : 0;
        if (flags.has(SpanFlags::Orphan))
            ++counts.orphans;
        else if (columns.parent[i] < 0)
            ++counts.roots;
    }
    return counts;
}

Json messagesJson(const Diagnostics& diagnostics)
{
    Json list = Json::array();
    for (const DiagnosticEntry& entry : diagnostics.entries())
        list.push_back({{"code", diagnosticName(entry.code)}, {"count", entry.count}, {"message", entry.first}});
    return list;
}

Json headJson(const DumpSource& source)
{
    Diagnostics faults;
    for (const ReportedInput& input : source.inputs)
        faults.merge(input.diagnostics);
    faults.merge(source.columns.diagnostics);
    faults.merge(faultsIn(source.billing.diagnostics));
    const Counts counts = countSpans(source.columns);
    Json errors = Json::array();
    if (faults.rejected() > 0)
        errors.push_back({{"code", "REJECTED"}, {"count", faults.rejected()}, {"message", faults.firstRejection()}});
    return {{"schema", "chokepoint.dump/1"}, {"outcome", faults.rejected() > 0 ? "partial" : "ok"},
        {"format", source.inputs.empty() ? "" : source.inputs.front().format}, {"traces", source.columns.traceCount()},
        {"spans", source.columns.spanCount()}, {"roots", counts.roots}, {"orphans", counts.orphans}, {"error_spans", counts.errors},
        {"errors", errors}, {"warnings", messagesJson(faults)}, {"diagnostics", messagesJson(source.doubts)}};
}

Json operationsJson(const TraceColumns& columns)
{
    Json list = Json::array();
    for (const OperationFigures& row : operationFigures(columns))
        list.push_back({{"service", row.service}, {"name", row.name}, {"n", row.n}, {"min_ns", toNs(row.min)}, {"p50_ns", toNs(row.p50)},
            {"p90_ns", toNs(row.p90)}, {"p95_ns", toNs(row.p95)}, {"p99_ns", toNs(row.p99)}, {"max_ns", toNs(row.max)},
            {"mean_ns", toNs(row.mean)}});
    return list;
}

/// The text of an object without its closing brace, so that more members can be streamed behind it.
std::string openObject(const Json& object)
{
    std::string text = toText(object);
    text.pop_back();
    return text;
}

} // namespace

Result<void> writeDump(const DumpSource& source, const ReportOutput& out)
{
    out(openObject(headJson(source)));
    out(R"(,"trace_list":[)");
    bool first = true;
    for (const std::uint32_t index : source.traces) {
        const Result<std::shared_ptr<const Trace>> trace = source.loadTrace(index);
        if (!trace)
            return fail(trace.error());
        const TraceDump dump(source, index, **trace);
        out(first ? "" : ",");
        out(openObject(dump.head()));
        out(R"(,"spans":[)");
        dump.spans(out);
        out("]}");
        first = false;
    }
    out(R"(],"groups":)");
    out(toText(operationsJson(source.columns)));
    out("}\n");
    return {};
}

void writeRejectedDump(const std::vector<Error>& errors, const ReportOutput& out)
{
    Json list = Json::array();
    for (const Error& error : errors)
        list.push_back({{"code", errorCodeName(error.code)}, {"count", 1}, {"message", error.message()}});
    const Json json = {{"schema", "chokepoint.dump/1"}, {"outcome", "rejected"}, {"format", nullptr}, {"traces", 0}, {"spans", 0},
        {"roots", 0}, {"orphans", 0}, {"error_spans", 0}, {"errors", list}, {"warnings", Json::array()}, {"trace_list", Json::array()},
        {"groups", Json::array()}};
    out(toText(json) + "\n");
}

} // namespace chokepoint
