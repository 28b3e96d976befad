// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/consolereader.h"

#include "core/import/jsonhead.h"
#include "core/import/textinput.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <array>

namespace chokepoint {

namespace {

/// Python shows a trace state as a list of texts like '{key=k, value=v}'; "k=v,..." is what it means.
std::string traceStateOf(std::string_view shown)
{
    constexpr std::string_view keyMark = "{key=";
    constexpr std::string_view valueMark = ", value=";
    std::string state;
    for (std::size_t at = shown.find(keyMark); at != std::string_view::npos; at = shown.find(keyMark, at)) {
        at += keyMark.size();
        const std::size_t middle = shown.find(valueMark, at);
        const std::size_t end = shown.find('}', middle);
        if (end == std::string_view::npos)
            return std::string(shown);
        state.append(state.empty() ? "" : ",").append(shown.substr(at, middle - at)).append("=");
        state.append(shown.substr(middle + valueMark.size(), end - middle - valueMark.size()));
        at = end;
    }
    return !state.empty() || shown == "[]" || shown == "{}" ? state : std::string(shown);
}

/// Spans of one file; to_json() of the SDK's ReadableSpan.
class PythonSpans {
public:
    PythonSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    void readResource(JsonNode resource);
    void readEvents(JsonNode events);
    void readLinks(JsonNode links);

    TreeSpan m_span;
};

bool PythonSpans::read(JsonNode record)
{
    const JsonNode context = record["context"];
    if (!context.isObject())
        return m_span.passOver(record);
    m_span.begin();
    m_span.setTraceId(context["trace_id"].text());
    m_span.setSpanId(context["span_id"].text());
    m_span.setParentId(record["parent_id"].text());
    m_span.draft().traceState = traceStateOf(context["trace_state"].text());
    m_span.setName(record["name"].text());
    m_span.setKind(record["kind"]);
    m_span.row().start = m_span.time(record["start_time"], TimeUnit::Nanoseconds);
    m_span.row().end = m_span.time(record["end_time"], TimeUnit::Nanoseconds);
    m_span.setStatus(record["status"]["status_code"]);
    m_span.draft().statusMessage = record["status"]["description"].text();
    m_span.attributes(record["attributes"]);
    readEvents(record["events"]);
    readLinks(record["links"]);
    readResource(record["resource"]);
    return m_span.add();
}

/// {attributes, schema_url}; the attributes themselves before version 1.12 of the SDK.
void PythonSpans::readResource(JsonNode resource)
{
    const JsonNode inner = resource["attributes"];
    Resource built;
    for (const JsonNode attribute : inner.isObject() ? inner : resource)
        built.attributes.push_back({std::string(attribute.key()), m_span.value(attribute)});
    if (inner.isObject())
        built.schemaUrl = resource["schema_url"].text();
    m_span.setResource(built);
}

void PythonSpans::readEvents(JsonNode events)
{
    if (!events.isArray())
        return;
    for (const JsonNode event : events) {
        m_span.beginEvent(event["name"].text(), m_span.time(event["timestamp"], TimeUnit::Nanoseconds));
        m_span.attributes(event["attributes"]);
        m_span.endNested();
    }
}

void PythonSpans::readLinks(JsonNode links)
{
    if (!links.isArray())
        return;
    for (const JsonNode link : links) {
        m_span.beginLink(link["context"]["trace_id"].text(), link["context"]["span_id"].text());
        m_span.attributes(link["attributes"]);
        m_span.endNested();
    }
}

class PythonConsoleReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 1> lists = {"data"};
        return readTrees<PythonSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffPythonConsole(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    return json.hasAll({"context.trace_id", "kind"}) && !json.hasAll({"context.trace_id", "span_kind"}) ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createPythonConsoleReader()
{
    return std::make_unique<PythonConsoleReader>();
}

} // namespace chokepoint
