// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/datadogreader.h"

#include "core/import/decodeid.h"
#include "core/import/jsonhead.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace chokepoint {

namespace {

bool isHexLength(std::string_view text)
{
    return text.size() == 16 || text.size() == 32;
}

/// How a document writes ids that are texts: the API in decimals, tracers that log their spans in hex digits.
enum class IdText { Decimal, Hex };

class DatadogSpans {
public:
    DatadogSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode record);
    /// Spans of one chunk share the upper half of the trace id, which one of them has.
    void list(JsonNode list);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }

private:
    [[nodiscard]] static std::uint64_t bitsOf(JsonNode id, IdText form);
    [[nodiscard]] static TraceId traceIdOf(JsonNode id, IdText form);
    void noteUpperHalf(JsonNode span, IdText form);
    void rememberChunk(JsonNode spans, IdText form);
    [[nodiscard]] bool readSpan(JsonNode span, IdText form);
    void readIds(JsonNode span, IdText form);
    void readTimes(JsonNode span);
    void readError(JsonNode span);
    void readMeta(JsonNode meta);
    void readLinks(JsonNode links, IdText form);
    void readEvents(JsonNode events);
    void readResource(JsonNode span);

    TreeSpan m_span;
    std::unordered_map<std::uint64_t, std::uint64_t> m_upperHalves; // of the chunk being read, by the lower half
    JsonTree m_nested; // JSON in a tag
};

/// Members of meta that are fields of the span or of its resource.
constexpr std::array<std::string_view, 6> fieldTags = {"env", "version", "service", "span.kind", "_dd.p.tid", "_dd.span_links"};

std::uint64_t DatadogSpans::bitsOf(JsonNode id, IdText form)
{
    const std::string text = id.text();
    const bool isHex = id.isText() && form == IdText::Hex && isHexLength(text);
    const auto bits = isHex ? std::nullopt : idFromDecimal(text);
    return bits ? *bits : decodeTraceId(text).id.lo;
}

TraceId DatadogSpans::traceIdOf(JsonNode id, IdText form)
{
    const std::string text = id.text();
    if (id.isText() && text.size() == 32)
        return decodeTraceId(text).id; // both halves at once
    return {0, bitsOf(id, form)};
}

void DatadogSpans::noteUpperHalf(JsonNode span, IdText form)
{
    const std::string upper = span["meta"]["_dd.p.tid"].text();
    if (upper.empty())
        return;
    const TraceId id = traceIdOf(span.first({"trace_id", "traceID", "traceId"}), form);
    m_upperHalves[id.lo] = decodeTraceId(upper).id.lo;
}

void DatadogSpans::rememberChunk(JsonNode spans, IdText form)
{
    m_upperHalves.clear();
    for (const JsonNode span : spans)
        noteUpperHalf(span, form);
}

void DatadogSpans::list(JsonNode list)
{
    rememberChunk(list, list.hasChildren() && (*list.begin())["trace_id"] ? IdText::Hex : IdText::Decimal);
}

bool DatadogSpans::read(JsonNode record)
{
    const JsonNode spans = record.at("trace.spans") ? record.at("trace.spans") : record["spans"];
    if (!spans.isObject())
        return readSpan(record, record["trace_id"] ? IdText::Hex : IdText::Decimal);
    rememberChunk(spans, IdText::Decimal);
    for (const JsonNode span : spans)
        if (!readSpan(span, IdText::Decimal))
            return false;
    return true;
}

bool DatadogSpans::readSpan(JsonNode span, IdText form)
{
    if (!span.first({"span_id", "spanID", "spanId", "trace_id", "traceID", "traceId"}))
        return m_span.leaveOut(span);
    m_span.begin();
    readIds(span, form);
    readTimes(span);
    const std::string operation = span["name"].text();
    const std::string resource = span["resource"].text();
    m_span.setName(resource.empty() ? operation : resource);
    if (!resource.empty() && resource != operation)
        m_span.attribute("operation.name", span["name"]);
    if (const JsonNode type = span["type"]; !type.text().empty())
        m_span.attribute("span.type", type);
    m_span.setKind(span["meta"]["span.kind"]);
    readError(span);
    readMeta(span["meta"]);
    m_span.attributes(span["metrics"]);
    m_span.flattened("", span["meta_struct"]);
    readLinks(span["span_links"], form);
    if (const JsonNode links = span["meta"]["_dd.span_links"]; links && m_nested.read(links.text(), m_span.sink().diagnostics()))
        readLinks(m_nested.root(), IdText::Hex);
    readEvents(span["span_events"]);
    readResource(span);
    return m_span.add();
}

void DatadogSpans::readIds(JsonNode span, IdText form)
{
    noteUpperHalf(span, form);
    TraceId id = traceIdOf(span.first({"trace_id", "traceID", "traceId"}), form);
    if (const auto upper = m_upperHalves.find(id.lo); id.hi == 0 && upper != m_upperHalves.end())
        id.hi = upper->second;
    m_span.draft().traceId = id;
    m_span.row().spanId = {bitsOf(span.first({"span_id", "spanID", "spanId"}), form)};
    m_span.row().parentId = {bitsOf(span.first({"parent_id", "parentID", "parentId"}), form)};
}

void DatadogSpans::readTimes(JsonNode span)
{
    m_span.row().start = m_span.time(span.first({"start", "startTime", "start_time"}), TimeUnit::Nanoseconds);
    if (span["duration"])
        m_span.setDuration(span["duration"], TimeUnit::Nanoseconds);
    else
        m_span.row().end = m_span.time(span.first({"endTime", "end", "end_time"}), TimeUnit::Nanoseconds);
}

void DatadogSpans::readError(JsonNode span)
{
    const std::string error = span["error"].text();
    if (error.empty() || error == "0" || error == "false")
        return;
    m_span.setStatus(SpanStatus::Error, span["meta"].first({"error.message", "error.msg"}).text());
}

void DatadogSpans::readMeta(JsonNode meta)
{
    for (const JsonNode tag : meta)
        if (std::find(fieldTags.begin(), fieldTags.end(), tag.key()) == fieldTags.end())
            m_span.attribute(tag.key(), tag);
}

void DatadogSpans::readLinks(JsonNode links, IdText form)
{
    if (!links.isArray())
        return;
    for (const JsonNode link : links) {
        TraceId id = traceIdOf(link["trace_id"], form);
        if (const JsonNode upper = link["trace_id_high"])
            id.hi = bitsOf(upper, form);
        m_span.beginLink(toHex(id), toHex(SpanId{bitsOf(link["span_id"], form)}));
        m_span.attributes(link["attributes"]);
        m_span.endNested();
    }
}

void DatadogSpans::readEvents(JsonNode events)
{
    if (!events.isArray())
        return;
    for (const JsonNode event : events) {
        m_span.beginEvent(event["name"].text(), m_span.time(event["time_unix_nano"], TimeUnit::Nanoseconds));
        m_span.attributes(event["attributes"]);
        m_span.endNested();
    }
}

void DatadogSpans::readResource(JsonNode span)
{
    const JsonNode meta = span["meta"];
    Resource resource;
    const std::pair<const char*, JsonNode> fields[] = {{"service.name", span["service"] ? span["service"] : meta["service"]},
        {"service.version", meta["version"]}, {"deployment.environment.name", meta["env"] ? meta["env"] : span["env"]}};
    for (const auto& [key, node] : fields)
        if (!node.text().empty())
            resource.attributes.push_back({key, m_span.value(node)});
    m_span.setResource(resource);
}

class DatadogReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 5> lists = {"traces", "spans", "data.attributes.spans", "attributes.spans", "data"};
        return readTrees<DatadogSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffDatadog(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isDatadog = json.hasAll({"span_id", "trace_id", "start", "duration"}) || json.hasAll({"attributes.spans"})
        || (json.has("traces[][].span_id") && json.has("traces[][].trace_id")) || (json.has("trace.root_id") && json.has("trace.spans"));
    return isDatadog ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createDatadogReader()
{
    return std::make_unique<DatadogReader>();
}

} // namespace chokepoint
