// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/skywalkingreader.h"

#include "core/import/jsonhead.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <fmt/format.h>

#include <array>

namespace chokepoint {

namespace {

/// A span is known by its segment and its number in it.
std::string spanIdText(const std::string& segment, const std::string& number)
{
    return segment.empty() && number.empty() ? std::string() : fmt::format("{}#{}", segment, number);
}

class SkyWalkingSpans {
public:
    SkyWalkingSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode span);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    void readParent(JsonNode span);
    void readKind(JsonNode span);
    void readLogs(JsonNode logs);
    void readFields(JsonNode span);
    void readResource(JsonNode span);

    TreeSpan m_span;
};

bool SkyWalkingSpans::read(JsonNode span)
{
    if (!span["segmentId"] && !span["endpointName"])
        return m_span.leaveOut(span);
    m_span.begin();
    m_span.setTraceId(span["traceId"].text());
    m_span.setSpanId(spanIdText(span["segmentId"].text(), span["spanId"].text()));
    m_span.setName(span["endpointName"].text());
    m_span.row().start = m_span.time(span["startTime"], TimeUnit::Milliseconds);
    m_span.row().end = m_span.time(span["endTime"], TimeUnit::Milliseconds);
    if (span["isError"].text() == "true")
        m_span.row().flags.setStatus(SpanStatus::Error);
    readParent(span);
    readKind(span);
    readFields(span);
    readLogs(span["logs"]);
    readResource(span);
    return m_span.add();
}

/// In the own segment, else the first reference; the other references are links.
void SkyWalkingSpans::readParent(JsonNode span)
{
    const std::string number = span["parentSpanId"].text();
    bool hasParent = !number.empty() && number != "-1";
    if (hasParent)
        m_span.setParentId(spanIdText(span["segmentId"].text(), number));
    const JsonNode refs = span["refs"];
    if (!refs.isArray())
        return;
    for (const JsonNode ref : refs) {
        const std::string id = spanIdText(ref["parentSegmentId"].text(), ref["parentSpanId"].text());
        if (!hasParent && (!ref["traceId"] || ref["traceId"].text() == span["traceId"].text())) {
            m_span.setParentId(id);
            hasParent = true;
            continue;
        }
        m_span.beginLink(ref["traceId"].text(), id);
        if (const JsonNode type = ref["type"])
            m_span.attribute("type", type);
        m_span.endNested();
    }
}

void SkyWalkingSpans::readKind(JsonNode span)
{
    const std::string type = span["type"].text();
    const bool isQueue = span["layer"].text() == "MQ";
    if (type == "Entry")
        m_span.row().flags.setKind(isQueue ? SpanKind::Consumer : SpanKind::Server);
    else if (type == "Exit")
        m_span.row().flags.setKind(isQueue ? SpanKind::Producer : SpanKind::Client);
    else if (type == "Local")
        m_span.row().flags.setKind(SpanKind::Internal);
    else
        m_span.setKind(span["type"]);
}

void SkyWalkingSpans::readFields(JsonNode span)
{
    for (const std::string_view name : {"peer", "component", "layer"})
        if (const JsonNode value = span[name]; !value.text().empty())
            m_span.attribute(name, value);
    const JsonNode tags = span["tags"];
    if (!tags.isArray())
        return;
    for (const JsonNode tag : tags)
        m_span.attribute(tag["key"].text(), tag["value"]);
}

/// The data of a log are texts with names, among them its "event" and those of an error.
void SkyWalkingSpans::readLogs(JsonNode logs)
{
    if (!logs.isArray())
        return;
    for (const JsonNode log : logs) {
        std::string name = "log";
        for (const JsonNode entry : log["data"])
            if (entry["key"].text() == "event")
                name = entry["value"].text();
        m_span.beginEvent(name == "error" ? "exception" : name, m_span.time(log["time"], TimeUnit::Milliseconds));
        for (const JsonNode entry : log["data"]) {
            const std::string key = entry["key"].text();
            m_span.attribute(key == "error.kind" ? "exception.type"
                    : key == "message"           ? "exception.message"
                    : key == "stack"             ? "exception.stacktrace"
                                                 : std::string_view(key),
                entry["value"]);
            if (key == "message" && name == "error" && m_span.draft().statusMessage.empty())
                m_span.draft().statusMessage = entry["value"].text();
        }
        m_span.endNested();
    }
}

void SkyWalkingSpans::readResource(JsonNode span)
{
    Resource resource;
    const std::pair<const char*, const char*> fields[] = {{"service.name", "serviceCode"}, {"service.instance.id", "serviceInstanceName"}};
    for (const auto& [key, field] : fields)
        if (!span[field].text().empty())
            resource.attributes.push_back({key, m_span.value(span[field])});
    m_span.setResource(resource);
}

class SkyWalkingReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 4> lists = {"data.trace.spans", "data.queryTrace.spans", "trace.spans", "spans"};
        return readTrees<SkyWalkingSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffSkyWalking(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    return json.hasAll({"spans[].segmentId"}) || json.has("data.queryTrace.spans[].segmentId")
            || json.hasAll({"segmentId", "spanId", "endpointName"})
        ? Sniffed::Yes
        : Sniffed::No;
}

std::unique_ptr<TraceReader> createSkyWalkingReader()
{
    return std::make_unique<SkyWalkingReader>();
}

} // namespace chokepoint
