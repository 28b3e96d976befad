// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/readablespanreader.h"

#include "core/import/decodenumber.h"
#include "core/import/jsonhead.h"
#include "core/import/textinput.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <array>

namespace chokepoint {

namespace {

class ReadableSpans {
public:
    ReadableSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    void readKind(JsonNode kind);
    void readEvents(JsonNode events);
    void readLinks(JsonNode links);
    void readEmitter(JsonNode record);

    TreeSpan m_span;
};

/// The span's own members, or the fields behind them, whose names begin with an underscore.
bool ReadableSpans::read(JsonNode record)
{
    const JsonNode context = record.first({"spanContext", "_spanContext"});
    if (!context.isObject() && !record["traceId"])
        return m_span.leaveOut(record);
    m_span.begin();
    m_span.setTraceId((context.isObject() ? context : record)["traceId"].text());
    m_span.setSpanId(context.isObject() ? context["spanId"].text() : record["id"].text());
    const JsonNode parent = record["parentSpanContext"];
    m_span.setParentId((parent.isObject() ? parent["spanId"] : record.first({"parentSpanId", "parentId"})).text());
    m_span.setName(record["name"].text());
    readKind(record["kind"]);
    if (record["timestamp"]) { // as the console exporter prints it
        m_span.row().start = m_span.time(record["timestamp"], TimeUnit::Microseconds);
        m_span.setDuration(record["duration"], TimeUnit::Microseconds);
    } else {
        m_span.row().start = m_span.time(record["startTime"], TimeUnit::Milliseconds);
        m_span.row().end = m_span.time(record["endTime"], TimeUnit::Milliseconds);
    }
    m_span.setStatus(record["status"]["code"]);
    m_span.draft().statusMessage = record["status"]["message"].text();
    m_span.attributes(record["attributes"]);
    readEvents(record["events"]);
    readLinks(record["links"]);
    readEmitter(record);
    return m_span.add();
}

/// One less than OTLP's numbers; names are the same.
void ReadableSpans::readKind(JsonNode kind)
{
    const auto number = kind.token().kind == JsonKind::Number ? integerFromText(kind.text()) : std::nullopt;
    if (number && *number >= 0 && *number <= 4)
        m_span.row().flags.setKind(SpanKind(*number + 1));
    else
        m_span.setKind(kind);
}

void ReadableSpans::readEvents(JsonNode events)
{
    if (!events.isArray())
        return;
    for (const JsonNode event : events) {
        m_span.beginEvent(event["name"].text(), m_span.time(event["time"], TimeUnit::Milliseconds));
        m_span.attributes(event["attributes"]);
        m_span.endNested();
    }
}

void ReadableSpans::readLinks(JsonNode links)
{
    if (!links.isArray())
        return;
    for (const JsonNode link : links) {
        m_span.beginLink(link["context"]["traceId"].text(), link["context"]["spanId"].text());
        m_span.attributes(link["attributes"]);
        m_span.endNested();
    }
}

void ReadableSpans::readEmitter(JsonNode record)
{
    const JsonNode scope = record.first({"instrumentationScope", "instrumentationLibrary"});
    m_span.setScope(scope["name"].text(), scope["version"].text());
    Resource resource;
    for (const JsonNode attribute : record["resource"].first({"attributes", "_attributes"}))
        resource.attributes.push_back({std::string(attribute.key()), m_span.value(attribute)});
    m_span.setResource(resource);
}

class ReadableSpanReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 2> lists = {"data", "spans"};
        return readTrees<ReadableSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffReadableSpans(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isSpan = json.hasAll({"spanContext.traceId", "startTime"}) || json.hasAll({"_spanContext.traceId", "startTime"})
        || json.hasAll({"traceId", "id", "timestamp", "attributes"});
    return isSpan ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createReadableSpanReader()
{
    return std::make_unique<ReadableSpanReader>();
}

} // namespace chokepoint
