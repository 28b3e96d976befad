// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/clickhousereader.h"

#include "core/import/jsonhead.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <array>

namespace chokepoint {

namespace {

/// The elements of parallel columns, such as Events.Timestamp and Events.Name, one after the other.
class Column {
public:
    explicit Column(JsonNode list)
        : m_next(list.isArray() ? list.begin() : JsonNode().begin()), m_end(list.isArray() ? list.end() : JsonNode().end())
    {
    }
    [[nodiscard]] bool atEnd() const { return !(m_next != m_end); }
    /// The next element; absent behind the last one.
    [[nodiscard]] JsonNode take()
    {
        if (atEnd())
            return {};
        const JsonNode element = *m_next;
        ++m_next;
        return element;
    }

private:
    JsonNode::Iterator m_next;
    JsonNode::Iterator m_end;
};

class ClickHouseSpans {
public:
    ClickHouseSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode row);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    void readScope(JsonNode row);
    void readEvents(JsonNode row);
    void readEvent(JsonNode time, JsonNode name, JsonNode attributes);
    void readLinks(JsonNode row);
    void readLink(JsonNode traceId, JsonNode spanId, JsonNode traceState, JsonNode attributes);
    void readResource(JsonNode row);

    TreeSpan m_span;
};

bool ClickHouseSpans::read(JsonNode row)
{
    if (!row["SpanId"] && !row["TraceId"])
        return m_span.leaveOut(row);
    m_span.begin();
    m_span.setTraceId(row["TraceId"].text());
    m_span.setSpanId(row["SpanId"].text());
    m_span.setParentId(row["ParentSpanId"].text());
    m_span.setName(row["SpanName"].text());
    m_span.setKind(row["SpanKind"]);
    m_span.draft().traceState = row["TraceState"].text();
    m_span.row().start = m_span.time(row["Timestamp"], TimeUnit::Seconds);
    m_span.setDuration(row["Duration"], TimeUnit::Nanoseconds);
    m_span.setStatus(row["StatusCode"]);
    m_span.draft().statusMessage = row["StatusMessage"].text();
    readScope(row);
    readEvents(row);
    readLinks(row);
    readResource(row);
    return m_span.add();
}

/// Old tables have no columns for the scope: it stands among the attributes.
void ClickHouseSpans::readScope(JsonNode row)
{
    static constexpr AttributeName scopeApart[] = {{"otel.scope.name", ""}, {"otel.scope.version", ""}};
    const JsonNode attributes = row["SpanAttributes"];
    if (row["ScopeName"]) {
        m_span.setScope(row["ScopeName"].text(), row["ScopeVersion"].text());
        m_span.flattened("", attributes);
        return;
    }
    m_span.setScope(attributes.at("otel.scope.name").text(), attributes.at("otel.scope.version").text());
    m_span.flattened("", attributes, scopeApart);
}

/// Columns of equal length, or a list of objects.
void ClickHouseSpans::readEvents(JsonNode row)
{
    if (const JsonNode events = row["Events"]; events.isArray()) {
        for (const JsonNode event : events)
            readEvent(event["Timestamp"], event["Name"], event["Attributes"]);
        return;
    }
    Column times(row.at("Events.Timestamp"));
    Column names(row.at("Events.Name"));
    Column attributes(row.at("Events.Attributes"));
    while (!times.atEnd() || !names.atEnd()) {
        const JsonNode time = times.take();
        const JsonNode name = names.take();
        readEvent(time, name, attributes.take());
    }
}

void ClickHouseSpans::readEvent(JsonNode time, JsonNode name, JsonNode attributes)
{
    m_span.beginEvent(name.text(), m_span.time(time, TimeUnit::Seconds));
    m_span.flattened("", attributes);
    m_span.endNested();
}

void ClickHouseSpans::readLinks(JsonNode row)
{
    if (const JsonNode links = row["Links"]; links.isArray()) {
        for (const JsonNode link : links)
            readLink(link["TraceId"], link["SpanId"], link["TraceState"], link["Attributes"]);
        return;
    }
    Column traceIds(row.at("Links.TraceId"));
    Column spanIds(row.at("Links.SpanId"));
    Column traceStates(row.at("Links.TraceState"));
    Column attributes(row.at("Links.Attributes"));
    while (!traceIds.atEnd() || !spanIds.atEnd()) {
        const JsonNode traceId = traceIds.take();
        const JsonNode spanId = spanIds.take();
        const JsonNode traceState = traceStates.take();
        readLink(traceId, spanId, traceState, attributes.take());
    }
}

void ClickHouseSpans::readLink(JsonNode traceId, JsonNode spanId, JsonNode traceState, JsonNode attributes)
{
    m_span.beginLink(traceId.text(), spanId.text()).traceState = traceState.text();
    m_span.flattened("", attributes);
    m_span.endNested();
}

void ClickHouseSpans::readResource(JsonNode row)
{
    const JsonNode attributes = row["ResourceAttributes"];
    Resource resource;
    if (!attributes.at("service.name") && !row["ServiceName"].text().empty())
        resource.attributes.push_back({"service.name", m_span.value(row["ServiceName"])});
    m_span.flattened(resource.attributes, "", attributes);
    m_span.setResource(resource);
}

class ClickHouseReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 1> lists = {"data"};
        return readTrees<ClickHouseSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffClickHouse(std::string_view head, bool)
{
    return JsonHead(textOfHead(head)).hasAll({"Timestamp", "TraceId", "SpanName"}) ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createClickHouseReader()
{
    return std::make_unique<ClickHouseReader>();
}

} // namespace chokepoint
