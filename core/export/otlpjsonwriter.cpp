// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/otlpjsonwriter.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace chokepoint {

namespace {

constexpr std::size_t flushBytes = 1 << 20;

void writeText(JsonWriter& out, const char* key, std::string_view text)
{
    if (text.empty())
        return;
    out.key(key);
    out.string(text);
}

void writeCount(JsonWriter& out, const char* key, std::uint32_t count)
{
    if (count == 0)
        return;
    out.key(key);
    out.number(std::uint64_t(count));
}

void writeAttributes(JsonWriter& out, const AttributeList& attributes)
{
    if (attributes.empty())
        return;
    out.key("attributes");
    writeKeyValues(out, attributes);
}

void writeTime(JsonWriter& out, const char* key, Timestamp time, bool clamped = false)
{
    if (!isKnown(time))
        return;
    out.key(key);
    if (clamped && time == Timestamp::max())
        out.string("9223372036854775808"); // 2^63: the nearest text that int64 cannot hold
    else
        out.string(fmt::format_int(toNs(time)).c_str());
}

std::string idText(const std::string& sourceText, TraceId id)
{
    return sourceText.empty() ? toHex(id) : sourceText;
}

std::string idText(const std::string& sourceText, SpanId id)
{
    return sourceText.empty() ? toHex(id) : sourceText;
}

void writeResource(JsonWriter& out, const Resource& resource)
{
    out.key("resource");
    out.beginObject();
    writeAttributes(out, resource.attributes);
    writeCount(out, "droppedAttributesCount", resource.droppedAttributes);
    if (!std::holds_alternative<std::monostate>(resource.entityRefs.value)) {
        out.key("entityRefs");
        out.raw(repairedUtf8(toText(resource.entityRefs)));
    }
    out.endObject();
}

void writeScope(JsonWriter& out, const Scope& scope)
{
    out.key("scope");
    out.beginObject();
    writeText(out, "name", scope.name);
    writeText(out, "version", scope.version);
    writeAttributes(out, scope.attributes);
    writeCount(out, "droppedAttributesCount", scope.droppedAttributes);
    out.endObject();
}

void writeEvents(JsonWriter& out, const std::vector<SpanEvent>& events)
{
    if (events.empty())
        return;
    out.key("events");
    out.beginArray();
    for (const SpanEvent& event : events) {
        out.beginObject();
        writeTime(out, "timeUnixNano", event.time);
        writeText(out, "name", event.name);
        writeAttributes(out, event.attributes);
        writeCount(out, "droppedAttributesCount", event.droppedAttributes);
        out.endObject();
    }
    out.endArray();
}

void writeLinks(JsonWriter& out, const std::vector<SpanLink>& links)
{
    if (links.empty())
        return;
    out.key("links");
    out.beginArray();
    for (const SpanLink& link : links) {
        out.beginObject();
        out.key("traceId");
        out.string(idText(link.traceIdText, link.traceId));
        out.key("spanId");
        out.string(idText(link.spanIdText, link.spanId));
        writeText(out, "traceState", link.traceState);
        writeAttributes(out, link.attributes);
        writeCount(out, "droppedAttributesCount", link.droppedAttributes);
        writeCount(out, "flags", link.flags);
        out.endObject();
    }
    out.endArray();
}

void writeStatus(JsonWriter& out, SpanStatus status, const std::string& message)
{
    out.key("status");
    out.beginObject();
    writeText(out, "message", message);
    writeCount(out, "code", std::uint32_t(status));
    out.endObject();
}

void writeSpan(JsonWriter& out, const Trace& trace, std::size_t i)
{
    const SpanRow row = trace.columns().spans.row(i);
    const SpanPayload payload = trace.payload(i);
    const bool clamped = row.flags.has(SpanFlags::TimeOutOfRange);
    out.lineBreak();
    out.beginObject();
    out.key("traceId");
    out.string(idText(payload.traceIdText, trace.columns().traceId[0]));
    out.key("spanId");
    out.string(idText(payload.spanIdText, row.spanId));
    if (!row.parentId.isNull()) {
        out.key("parentSpanId");
        out.string(idText(payload.parentIdText, row.parentId));
    }
    writeText(out, "traceState", payload.traceState);
    writeCount(out, "flags", payload.flags);
    writeText(out, "name", trace.name(i));
    writeCount(out, "kind", std::uint32_t(row.flags.kind()));
    writeTime(out, "startTimeUnixNano", row.start, clamped);
    writeTime(out, "endTimeUnixNano", row.end, clamped);
    writeAttributes(out, payload.attributes);
    writeCount(out, "droppedAttributesCount", payload.droppedAttributes);
    writeEvents(out, payload.events);
    writeCount(out, "droppedEventsCount", payload.droppedEvents);
    writeLinks(out, payload.links);
    writeCount(out, "droppedLinksCount", payload.droppedLinks);
    writeStatus(out, row.flags.status(), payload.statusMessage);
    out.endObject();
}

/// The spans of a trace so that those of one resource, and in it those of one scope, stand together.
std::vector<std::uint32_t> groupedOrder(const SpanColumns& spans)
{
    std::vector<std::uint32_t> order(spans.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(spans.resource[a], spans.scope[a], a) < std::tuple(spans.resource[b], spans.scope[b], b);
    });
    return order;
}

} // namespace

OtlpJsonWriter::OtlpJsonWriter(OutputFile file) : m_file(std::move(file))
{
    m_json.beginObject();
    m_json.key("resourceSpans");
    m_json.beginArray();
}

Result<void> OtlpJsonWriter::append(const Trace& trace)
{
    const SpanColumns& spans = trace.columns().spans;
    const std::vector<std::uint32_t> order = groupedOrder(spans);
    for (std::size_t k = 0; k < order.size();) {
        const ResourceId resourceId = spans.resource[order[k]];
        const Resource& resource = trace.dictionary().resource(resourceId);
        m_json.lineBreak();
        m_json.beginObject();
        writeResource(m_json, resource);
        m_json.key("scopeSpans");
        m_json.beginArray();
        while (k < order.size() && spans.resource[order[k]] == resourceId) {
            const ScopeId scopeId = spans.scope[order[k]];
            const Scope& scope = trace.dictionary().scope(scopeId);
            m_json.beginObject();
            writeScope(m_json, scope);
            m_json.key("spans");
            m_json.beginArray();
            for (; k < order.size() && spans.resource[order[k]] == resourceId && spans.scope[order[k]] == scopeId; ++k) {
                writeSpan(m_json, trace, order[k]);
                if (Result<void> flushed = flush(flushBytes); !flushed)
                    return flushed;
            }
            m_json.endArray();
            writeText(m_json, "schemaUrl", scope.schemaUrl);
            m_json.endObject();
        }
        m_json.endArray();
        writeText(m_json, "schemaUrl", resource.schemaUrl);
        m_json.endObject();
    }
    return flush(flushBytes);
}

Result<void> OtlpJsonWriter::finish()
{
    m_json.lineBreak();
    m_json.endArray();
    m_json.endObject();
    m_json.text().push_back('\n');
    if (Result<void> flushed = flush(0); !flushed)
        return flushed;
    return m_file.commit();
}

Result<void> OtlpJsonWriter::flush(std::size_t atLeast)
{
    if (m_json.text().size() < atLeast)
        return {};
    Result<void> written = m_file.write(m_json.text());
    m_json.text().clear();
    return written;
}

} // namespace chokepoint
