// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/gcloudreader.h"

#include "core/import/decodeid.h"
#include "core/import/decodenumber.h"
#include "core/import/jsonhead.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// Labels that OpenTelemetry has names for.
constexpr AttributeName labelNames[] = {
    {"/http/method", "http.request.method"},
    {"/http/url", "url.full"},
    {"/http/path", "url.path"},
    {"/http/status_code", "http.response.status_code"},
    {"/http/user_agent", "user_agent.original"},
    {"/http/route", "http.route"},
    {"/component", "component"},
    {"service.name", ""}, // of the resource
    {"service.version", ""},
};

/// What version 2 wraps in {stringValue: {value}} and the like; a plain value is taken too.
JsonNode valueOf(JsonNode node)
{
    for (int wrappings = 0; wrappings < 2 && node.isObject(); ++wrappings)
        node = node.first({"value", "stringValue", "intValue", "boolValue", "doubleValue"});
    return node;
}

/// The part behind "name/" in "projects/p/traces/t/spans/s".
std::string pathPart(std::string_view path, std::string_view name)
{
    const std::string marker = fmt::format("{}/", name);
    const std::size_t at = path.find(marker);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = path.substr(at + marker.size());
    return std::string(rest.substr(0, rest.find('/')));
}

class GcloudSpans {
public:
    GcloudSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode span);
    /// A trace of version 1, behind its spans: what they have in common stands in it.
    [[nodiscard]] bool around(JsonNode trace);
    [[nodiscard]] Result<void> finish();
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    struct Waiting {
        SpanDraft draft;
        Resource resource;
    };
    void readSpan1(JsonNode span);
    [[nodiscard]] bool readSpan2(JsonNode span);
    [[nodiscard]] static SpanId decimalId(JsonNode node);
    void readKind1(JsonNode kind);
    void readStatus2(JsonNode status);
    void readAttributes2(JsonNode attributes);
    void readTimeEvents(JsonNode events);
    void readLinks2(JsonNode links);
    [[nodiscard]] static Resource resourceOf(JsonNode labels);

    TreeSpan m_span;
    std::vector<Waiting> m_waiting; // spans of version 1 whose trace is not known yet
};

bool GcloudSpans::read(JsonNode span)
{
    const bool isVersion2 = span["displayName"] || !pathPart(span["name"].text(), "spans").empty();
    if (!span["spanId"] && !span["startTime"])
        return m_span.leaveOut(span);
    if (isVersion2)
        return readSpan2(span);
    readSpan1(span);
    return true;
}

bool GcloudSpans::around(JsonNode trace)
{
    const std::string project = trace["projectId"].text();
    for (Waiting& waiting : m_waiting) {
        m_span.resume(std::move(waiting.draft));
        m_span.setTraceId(trace["traceId"].text());
        if (!project.empty())
            waiting.resource.attributes.push_back({"cloud.account.id", {project}});
        m_span.setResource(waiting.resource);
        if (!m_span.add())
            return false;
    }
    m_waiting.clear();
    return true;
}

/// Spans without a trace around them.
Result<void> GcloudSpans::finish()
{
    return around({}) ? Result<void>{} : fail(*m_span.failure());
}

/// Span ids of version 1 are unsigned decimals.
SpanId GcloudSpans::decimalId(JsonNode node)
{
    const std::string text = node.text();
    const auto bits = idFromDecimal(text);
    return bits ? SpanId{*bits} : decodeSpanId(text).id;
}

void GcloudSpans::readSpan1(JsonNode span)
{
    const JsonNode labels = span["labels"];
    m_span.begin();
    m_span.row().spanId = decimalId(span["spanId"]);
    m_span.row().parentId = decimalId(span["parentSpanId"]);
    m_span.setName(span["name"].text());
    readKind1(span["kind"]);
    m_span.row().start = m_span.time(span["startTime"], TimeUnit::Seconds);
    m_span.row().end = m_span.time(span["endTime"], TimeUnit::Seconds);
    m_span.flattened("", labels, labelNames);
    if (labels["/error/message"] || labels["/error/name"])
        m_span.setStatus(SpanStatus::Error, labels["/error/message"].text());
    m_waiting.push_back({m_span.take(), resourceOf(labels)});
    m_span.begin();
}

void GcloudSpans::readKind1(JsonNode kind)
{
    const std::string text = kind.text();
    if (text == "RPC_SERVER" || text == "1")
        m_span.row().flags.setKind(SpanKind::Server);
    else if (text == "RPC_CLIENT" || text == "2")
        m_span.row().flags.setKind(SpanKind::Client);
    else
        m_span.setKind(kind);
}

bool GcloudSpans::readSpan2(JsonNode span)
{
    const std::string path = span["name"].text();
    const std::string spanId = span["spanId"].text();
    m_span.begin();
    m_span.setTraceId(pathPart(path, "traces"));
    m_span.setSpanId(spanId.empty() ? pathPart(path, "spans") : spanId);
    m_span.setParentId(span["parentSpanId"].text());
    m_span.setName(valueOf(span["displayName"]).text());
    m_span.setKind(span["spanKind"]);
    m_span.row().start = m_span.time(span["startTime"], TimeUnit::Seconds);
    m_span.row().end = m_span.time(span["endTime"], TimeUnit::Seconds);
    readStatus2(span["status"]);
    readAttributes2(span["attributes"]);
    m_span.draft().droppedAttributes = tokenUint32(span["attributes"]["droppedAttributesCount"].token()).value_or(0);
    m_span.attribute("stack_trace", span["stackTrace"]);
    readTimeEvents(span["timeEvents"]);
    readLinks2(span["links"]);
    Resource resource = resourceOf(span["attributes"]["attributeMap"]);
    if (std::string project = pathPart(path, "projects"); !project.empty())
        resource.attributes.push_back({"cloud.account.id", {std::move(project)}});
    m_span.setResource(resource);
    return m_span.add();
}

/// A google.rpc.Status: every code but 0 is an error; a code that is left out is 0.
void GcloudSpans::readStatus2(JsonNode status)
{
    if (!status.isObject())
        return;
    const std::string code = status["code"].text();
    const bool isOk = code.empty() || code == "0" || code == "OK";
    m_span.setStatus(isOk ? SpanStatus::Ok : SpanStatus::Error, status["message"].text());
    if (!isOk)
        m_span.attribute("rpc.grpc.status_code", status["code"]);
}

void GcloudSpans::readAttributes2(JsonNode attributes)
{
    for (const JsonNode attribute : attributes["attributeMap"]) {
        const JsonNode value = valueOf(attribute);
        const auto name = std::find_if(
            std::begin(labelNames), std::end(labelNames), [&](const AttributeName& label) { return label.own == attribute.key(); });
        const std::string_view key = name == std::end(labelNames) ? attribute.key() : name->known;
        const auto integer = attribute["intValue"] ? integerFromText(value.text()) : std::nullopt; // a text in protobuf's JSON
        if (integer && !key.empty())
            m_span.attribute(key, *integer);
        else if (!key.empty())
            m_span.attribute(key, value);
    }
}

void GcloudSpans::readTimeEvents(JsonNode events)
{
    for (const JsonNode event : events["timeEvent"]) {
        const JsonNode annotation = event["annotation"];
        const Timestamp time = m_span.time(event["time"], TimeUnit::Seconds);
        m_span.beginEvent(annotation ? valueOf(annotation["description"]).text() : "message", time);
        if (annotation)
            readAttributes2(annotation["attributes"]);
        m_span.flattened("message.", event["messageEvent"]);
        m_span.endNested();
    }
    m_span.draft().droppedEvents = tokenUint32(events["droppedAnnotationsCount"].token()).value_or(0);
}

void GcloudSpans::readLinks2(JsonNode links)
{
    for (const JsonNode link : links["link"]) {
        m_span.beginLink(link["traceId"].text(), link["spanId"].text());
        if (const JsonNode type = link["type"])
            m_span.attribute("type", type);
        readAttributes2(link["attributes"]);
        m_span.endNested();
    }
    m_span.draft().droppedLinks = tokenUint32(links["droppedLinksCount"].token()).value_or(0);
}

Resource GcloudSpans::resourceOf(JsonNode labels)
{
    Resource resource;
    const std::pair<const char*, std::string> fields[] = {
        {"service.name", valueOf(labels.first({"service.name", "g.co/r/generic_task/job", "g.co/gae/app/module"})).text()},
        {"service.version", valueOf(labels.first({"service.version", "g.co/gae/app/version"})).text()}};
    for (const auto& [key, text] : fields)
        if (!text.empty())
            resource.attributes.push_back({key, {text}});
    return resource;
}

class GcloudTraceReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 3> lists = {"traces", "data", "spans"};
        return readTrees<GcloudSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffGcloudTrace(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const auto isPath = [&json](std::string_view path) {
        const std::string_view name = json.scalar(path);
        return name.substr(0, 9) == "projects/" && name.find("/spans/") != std::string_view::npos;
    };
    const bool hasSpans = json.has("spans[].spanId") && json.has("spans[].startTime") && (json.has("projectId") || json.has("traceId"));
    const bool isTrace =
        hasSpans || json.hasAll({"projectId", "traceId", "spans"}) || (json.has("traces[].projectId") && json.has("traces[].traceId"));
    return isTrace || isPath("name") || isPath("spans[].name") || isPath("data[].name") ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createGcloudTraceReader()
{
    return std::make_unique<GcloudTraceReader>();
}

} // namespace chokepoint
