// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/goconsolereader.h"

#include "core/import/jsonhead.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <array>
#include <charconv>

namespace chokepoint {

namespace {

/// What Go prints for a time that was not set, and without timestamps for all of them.
bool isZeroTime(JsonNode time)
{
    return time.text().substr(0, 10) == "0001-01-01";
}

/// The flags of OTLP: those of the trace context, that it is known whether the other span is remote, and whether it is.
std::uint32_t flagsOf(JsonNode traceFlags, JsonNode remote)
{
    constexpr std::uint32_t knownRemote = 0x100;
    constexpr std::uint32_t isRemote = 0x200;
    const std::string text = traceFlags.text();
    std::uint32_t flags = 0;
    std::from_chars(text.data(), text.data() + text.size(), flags, 16);
    flags &= 0xff;
    if (remote)
        flags |= remote.token().kind == JsonKind::True ? knownRemote | isRemote : knownRemote;
    return flags;
}

/// Spans of one file; SpanStub of the SDK.
class GoSpans {
public:
    GoSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    [[nodiscard]] Timestamp time(JsonNode node) { return isZeroTime(node) ? unknownTime : m_span.time(node, TimeUnit::Seconds); }
    void readFlags(JsonNode record);
    void readAttributes(JsonNode attributes);
    void readEvents(JsonNode events);
    void readLinks(JsonNode links);
    void readResource(JsonNode attributes);

    TreeSpan m_span;
};

bool GoSpans::read(JsonNode record)
{
    const JsonNode context = record["SpanContext"];
    if (!context.isObject())
        return m_span.passOver(record);
    m_span.begin();
    m_span.setTraceId(context["TraceID"].text());
    m_span.setSpanId(context["SpanID"].text());
    m_span.setParentId(record["Parent"]["SpanID"].text());
    m_span.draft().traceState = context["TraceState"].text();
    m_span.setName(record["Name"].text());
    m_span.setKind(record["SpanKind"]);
    m_span.row().start = time(record["StartTime"]);
    m_span.row().end = time(record["EndTime"]);
    m_span.setStatus(record["Status"]["Code"]);
    m_span.draft().statusMessage = record["Status"]["Description"].text();
    readFlags(record);
    readAttributes(record["Attributes"]);
    readEvents(record["Events"]);
    readLinks(record["Links"]);
    readResource(record["Resource"]);
    const JsonNode scope = record.first({"InstrumentationScope", "InstrumentationLibrary"});
    m_span.setScope(scope["Name"].text(), scope["Version"].text());
    return m_span.add();
}

void GoSpans::readFlags(JsonNode record)
{
    SpanDraft& draft = m_span.draft();
    draft.w3cFlags = flagsOf(record["SpanContext"]["TraceFlags"], record["Parent"]["Remote"]);
    draft.droppedAttributes = tokenUint32(record["DroppedAttributes"].token()).value_or(0);
    draft.droppedEvents = tokenUint32(record["DroppedEvents"].token()).value_or(0);
    draft.droppedLinks = tokenUint32(record["DroppedLinks"].token()).value_or(0);
}

void GoSpans::readAttributes(JsonNode attributes)
{
    for (const JsonNode attribute : attributes)
        m_span.attribute(attribute["Key"].text(), attribute["Value"]["Value"]);
}

void GoSpans::readEvents(JsonNode events)
{
    for (const JsonNode event : events) {
        m_span.beginEvent(event["Name"].text(), time(event["Time"])).droppedAttributes =
            tokenUint32(event["DroppedAttributeCount"].token()).value_or(0);
        readAttributes(event["Attributes"]);
        m_span.endNested();
    }
}

void GoSpans::readLinks(JsonNode links)
{
    for (const JsonNode link : links) {
        const JsonNode context = link["SpanContext"];
        LinkDraft& draft = m_span.beginLink(context["TraceID"].text(), context["SpanID"].text());
        draft.flags = flagsOf(context["TraceFlags"], context["Remote"]);
        draft.traceState = context["TraceState"].text();
        draft.droppedAttributes = tokenUint32(link["DroppedAttributeCount"].token()).value_or(0);
        readAttributes(link["Attributes"]);
        m_span.endNested();
    }
}

void GoSpans::readResource(JsonNode attributes)
{
    Resource resource;
    for (const JsonNode attribute : attributes)
        resource.attributes.push_back({attribute["Key"].text(), m_span.value(attribute["Value"]["Value"])});
    m_span.setResource(resource);
}

class GoConsoleReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 1> lists = {"data"};
        return readTrees<GoSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffGoConsole(std::string_view head, bool)
{
    return JsonHead(textOfHead(head)).hasAll({"SpanContext.TraceID", "StartTime"}) ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createGoConsoleReader()
{
    return std::make_unique<GoConsoleReader>();
}

} // namespace chokepoint
