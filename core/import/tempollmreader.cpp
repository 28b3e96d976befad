// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/tempollmreader.h"

#include "core/import/jsonhead.h"
#include "core/import/textinput.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

namespace chokepoint {

namespace {

/// Spans of one file. A record is one answer.
class TempoLlmSpans {
public:
    TempoLlmSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    [[nodiscard]] bool readService(JsonNode service, std::string_view traceId);
    [[nodiscard]] bool readSpan(JsonNode span, const Resource& resource, JsonNode scope, std::string_view traceId);
    void readEvents(JsonNode events);
    void readLinks(JsonNode links);

    TreeSpan m_span;
};

bool TempoLlmSpans::read(JsonNode record)
{
    const JsonNode trace = record["trace"].isObject() ? record["trace"] : record;
    const JsonNode services = trace["services"];
    if (record["status"].text() == "PARTIAL")
        m_span.sink().diagnostics().report(DiagnosticCode::PartialTrace,
            [&] { return fmt::format("{}: the server says that this trace is not complete", m_span.place().text()); });
    if (services.entry() == nullptr && !record["trace"])
        return m_span.leaveOut(record);
    if (!services.isArray())
        return true;
    for (const JsonNode service : services)
        if (!readService(service, trace["traceId"].text()))
            return false;
    return true;
}

bool TempoLlmSpans::readService(JsonNode service, std::string_view traceId)
{
    Resource resource;
    if (const std::string name = service["serviceName"].text(); !name.empty())
        resource.attributes.push_back({"service.name", {name}});
    if (service["resource"].isObject())
        for (const JsonNode attribute : service["resource"])
            if (attribute.key() != "service.name" || resource.attributes.empty())
                resource.attributes.push_back({std::string(attribute.key()), m_span.value(attribute)});
    if (!service["scopes"].isArray())
        return true;
    for (const JsonNode scope : service["scopes"]) {
        if (!scope["spans"].isArray())
            continue;
        for (const JsonNode span : scope["spans"])
            if (!readSpan(span, resource, scope, traceId))
                return false;
    }
    return true;
}

bool TempoLlmSpans::readSpan(JsonNode span, const Resource& resource, JsonNode scope, std::string_view traceId)
{
    m_span.begin();
    const std::string ownTraceId = span["traceId"].text();
    m_span.setTraceId(ownTraceId.empty() ? traceId : std::string_view(ownTraceId));
    m_span.setSpanId(span["spanId"].text());
    m_span.setParentId(span["parentSpanId"].text());
    m_span.setName(span["name"].text());
    m_span.setKind(span["kind"]);
    m_span.row().start = m_span.time(span["startTimeUnixNano"], TimeUnit::Nanoseconds);
    if (span["endTimeUnixNano"])
        m_span.row().end = m_span.time(span["endTimeUnixNano"], TimeUnit::Nanoseconds);
    else
        m_span.setDuration(span["durationMs"], TimeUnit::Milliseconds);
    m_span.setStatus(span["status"]["code"]);
    m_span.draft().statusMessage = span["status"]["message"].text();
    m_span.attributes(span["attributes"]);
    readEvents(span["events"]);
    readLinks(span["links"]);
    m_span.setResource(resource);
    m_span.setScope(scope["name"].text(), scope["version"].text());
    return m_span.add();
}

void TempoLlmSpans::readEvents(JsonNode events)
{
    if (!events.isArray())
        return;
    for (const JsonNode event : events) {
        const JsonNode time = event.first({"timeUnixNano", "time"});
        m_span.beginEvent(event["name"].text(), m_span.time(time, TimeUnit::Nanoseconds));
        m_span.attributes(event["attributes"]);
        m_span.endNested();
    }
}

void TempoLlmSpans::readLinks(JsonNode links)
{
    if (!links.isArray())
        return;
    for (const JsonNode link : links) {
        m_span.beginLink(link["traceId"].text(), link["spanId"].text());
        m_span.attributes(link["attributes"]);
        m_span.endNested();
    }
}

class TempoLlmReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override { return readTrees<TempoLlmSpans>(bytes, sink, {}); }
};

} // namespace

Sniffed sniffTempoLlm(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isTrace = json.has("trace.services[].scopes[].spans[].spanId") || json.has("services[].scopes[].spans[].spanId");
    return isTrace ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createTempoLlmReader()
{
    return std::make_unique<TempoLlmReader>();
}

} // namespace chokepoint
