// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/otlpbatch.h"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <iterator>

namespace chokepoint::bench {
namespace {

constexpr std::string_view scopeName = "rag.pipeline";
constexpr std::string_view scopeVersion = "0.48b0";

/// The workload's texts hold no character that JSON escapes.
void appendValue(std::string& out, const AttributeValue& value)
{
    auto sink = std::back_inserter(out);
    if (const auto* text = std::get_if<std::string>(&value.value))
        fmt::format_to(sink, R"({{"stringValue":"{}"}})", *text);
    else if (const auto* integer = std::get_if<std::int64_t>(&value.value))
        fmt::format_to(sink, R"({{"intValue":"{}"}})", *integer);
    else if (const auto* real = std::get_if<double>(&value.value))
        fmt::format_to(sink, R"({{"doubleValue":{}}})", *real);
    else
        fmt::format_to(sink, R"({{"boolValue":{}}})", std::get<bool>(value.value));
}

void appendAttributes(std::string& out, const AttributeList& attributes)
{
    out += R"("attributes":[)";
    for (const Attribute& attribute : attributes) {
        if (&attribute != &attributes.front())
            out += ',';
        fmt::format_to(std::back_inserter(out), R"({{"key":"{}","value":)", attribute.key);
        appendValue(out, attribute.value);
        out += '}';
    }
    out += ']';
}

void appendSpan(std::string& out, const RequestSpan& span)
{
    auto sink = std::back_inserter(out);
    fmt::format_to(sink, R"({{"traceId":"{}","spanId":"{}","parentSpanId":"{}","flags":257,"name":"{}","kind":{},)", toHex(span.traceId),
        toHex(span.spanId), span.parentId.isNull() ? std::string() : toHex(span.parentId), span.name, int(span.kind));
    fmt::format_to(sink, R"("startTimeUnixNano":"{}","endTimeUnixNano":"{}",)", span.start, span.end);
    appendAttributes(out, span.attributes);
    if (!span.events.empty()) {
        out += R"(,"events":[)";
        for (const SpanEvent& event : span.events) {
            if (&event != &span.events.front())
                out += ',';
            fmt::format_to(sink, R"({{"timeUnixNano":"{}","name":"{}",)", toNs(event.time), event.name);
            appendAttributes(out, event.attributes);
            out += '}';
        }
        out += ']';
    }
    out += span.status == SpanStatus::Error ? R"(,"status":{"code":2}})" : R"(,"status":{}})";
}

// Field numbers of opentelemetry-proto, trace.proto and common.proto.
using protozero::pbf_writer;

void writeAttributes(pbf_writer& message, protozero::pbf_tag_type field, const AttributeList& attributes)
{
    for (const Attribute& attribute : attributes) {
        pbf_writer keyValue(message, field);
        keyValue.add_string(1, attribute.key);
        pbf_writer any(keyValue, 2);
        if (const auto* text = std::get_if<std::string>(&attribute.value.value))
            any.add_string(1, *text);
        else if (const auto* integer = std::get_if<std::int64_t>(&attribute.value.value))
            any.add_int64(3, *integer);
        else if (const auto* real = std::get_if<double>(&attribute.value.value))
            any.add_double(4, *real);
        else
            any.add_bool(2, std::get<bool>(attribute.value.value));
    }
}

std::string bigEndian(std::uint64_t value)
{
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i)
        bytes[i] = char(value >> (56 - 8 * i));
    return bytes;
}

void writeSpan(pbf_writer& scopeSpans, const RequestSpan& span)
{
    pbf_writer message(scopeSpans, 2);
    message.add_bytes(1, bigEndian(span.traceId.hi) + bigEndian(span.traceId.lo));
    message.add_bytes(2, bigEndian(span.spanId.value));
    if (!span.parentId.isNull())
        message.add_bytes(4, bigEndian(span.parentId.value));
    message.add_string(5, span.name.data(), span.name.size());
    message.add_enum(6, int(span.kind));
    message.add_fixed64(7, std::uint64_t(span.start));
    message.add_fixed64(8, std::uint64_t(span.end));
    writeAttributes(message, 9, span.attributes);
    for (const SpanEvent& event : span.events) {
        pbf_writer child(message, 11);
        child.add_fixed64(1, std::uint64_t(toNs(event.time)));
        child.add_string(2, event.name);
        writeAttributes(child, 3, event.attributes);
    }
    if (span.status == SpanStatus::Error) {
        pbf_writer status(message, 15);
        status.add_enum(3, 2);
    }
    message.add_fixed32(16, 257);
}

} // namespace

std::string otlpJson(std::span<const RequestSpan> spans)
{
    std::string out = R"({"resourceSpans":[)";
    bool firstService = true;
    for (unsigned service = 0; service < serviceNames.size(); ++service) {
        bool firstSpan = true;
        for (const RequestSpan& span : spans) {
            if (span.service != service)
                continue;
            if (firstSpan) {
                out += firstService ? R"({"resource":{)" : R"(,{"resource":{)";
                appendAttributes(out, resourceAttributes(service));
                fmt::format_to(std::back_inserter(out), R"(}},"scopeSpans":[{{"scope":{{"name":"{}","version":"{}"}},"spans":[)", scopeName,
                    scopeVersion);
            } else {
                out += ',';
            }
            firstSpan = firstService = false;
            appendSpan(out, span);
        }
        if (!firstSpan)
            out += "]}]}";
    }
    out += "]}";
    return out;
}

std::string otlpProtobuf(std::span<const RequestSpan> spans)
{
    std::string out;
    pbf_writer tracesData(out);
    for (unsigned service = 0; service < serviceNames.size(); ++service) {
        if (std::ranges::none_of(spans, [service](const RequestSpan& span) { return span.service == service; }))
            continue;
        pbf_writer resourceSpans(tracesData, 1);
        {
            pbf_writer resource(resourceSpans, 1);
            writeAttributes(resource, 1, resourceAttributes(service));
        }
        pbf_writer scopeSpans(resourceSpans, 2);
        {
            pbf_writer scope(scopeSpans, 1);
            scope.add_string(1, scopeName.data(), scopeName.size());
            scope.add_string(2, scopeVersion.data(), scopeVersion.size());
        }
        for (const RequestSpan& span : spans) {
            if (span.service == service)
                writeSpan(scopeSpans, span);
        }
    }
    return out;
}

} // namespace chokepoint::bench
