// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/otherformats.h"

#include <fmt/format.h>

#include <iterator>

namespace chokepoint::bench {
namespace {

constexpr std::int64_t nsPerUs = 1000;

/// The workload's texts hold no character that JSON escapes.
struct AppendPlain {
    std::string& out;
    void operator()(const std::string& text) const { fmt::format_to(std::back_inserter(out), R"("{}")", text); }
    void operator()(std::int64_t integer) const { fmt::format_to(std::back_inserter(out), "{}", integer); }
    void operator()(double real) const { fmt::format_to(std::back_inserter(out), "{}", real); }
    void operator()(bool flag) const { out += flag ? "true" : "false"; }
    void operator()(const auto&) const { out += "null"; }
};

struct JaegerType {
    const char* operator()(std::int64_t) const { return "int64"; }
    const char* operator()(double) const { return "float64"; }
    const char* operator()(bool) const { return "bool"; }
    const char* operator()(const auto&) const { return "string"; }
};

void appendComma(std::string& out, bool isFirst)
{
    if (!isFirst)
        out += ',';
}

void appendTags(std::string& out, const AttributeList& attributes)
{
    out += '[';
    for (const Attribute& attribute : attributes) {
        appendComma(out, &attribute == &attributes.front());
        fmt::format_to(std::back_inserter(out), R"({{"key":"{}","type":"{}","value":)", attribute.key,
            std::visit(JaegerType{}, attribute.value.value));
        std::visit(AppendPlain{out}, attribute.value.value);
        out += '}';
    }
    out += ']';
}

/// \a quoteAll: Zipkin's tags are texts.
void appendMembers(std::string& out, const AttributeList& attributes, bool quoteAll)
{
    out += '{';
    for (const Attribute& attribute : attributes) {
        appendComma(out, &attribute == &attributes.front());
        fmt::format_to(std::back_inserter(out), R"("{}":)", attribute.key);
        const bool quotes = quoteAll && !std::holds_alternative<std::string>(attribute.value.value);
        out += quotes ? "\"" : "";
        std::visit(AppendPlain{out}, attribute.value.value);
        out += quotes ? "\"" : "";
    }
    out += '}';
}

void appendJaegerSpan(std::string& out, const RequestSpan& span)
{
    auto sink = std::back_inserter(out);
    const std::string trace = toHex(span.traceId);
    fmt::format_to(
        sink, R"({{"traceID":"{}","spanID":"{}","flags":1,"operationName":"{}","references":[)", trace, toHex(span.spanId), span.name);
    if (!span.parentId.isNull())
        fmt::format_to(sink, R"({{"refType":"CHILD_OF","traceID":"{}","spanID":"{}"}})", trace, toHex(span.parentId));
    fmt::format_to(sink, R"(],"startTime":{},"duration":{},"tags":)", span.start / nsPerUs, (span.end - span.start) / nsPerUs);
    appendTags(out, span.attributes);
    out += R"(,"logs":[)";
    for (const SpanEvent& event : span.events) {
        appendComma(out, &event == &span.events.front());
        fmt::format_to(sink, R"({{"timestamp":{},"fields":[{{"key":"event","type":"string","value":"{}"}}]}})", toNs(event.time) / nsPerUs,
            event.name);
    }
    fmt::format_to(sink, R"(],"processID":"p{}","warnings":null}})", span.service + 1);
}

void appendZipkinSpan(std::string& out, const RequestSpan& span)
{
    auto sink = std::back_inserter(out);
    fmt::format_to(sink, R"({{"traceId":"{}","id":"{}",)", toHex(span.traceId), toHex(span.spanId));
    if (!span.parentId.isNull())
        fmt::format_to(sink, R"("parentId":"{}",)", toHex(span.parentId));
    if (span.kind == SpanKind::Client || span.kind == SpanKind::Server)
        fmt::format_to(sink, R"("kind":"{}",)", spanKindName(span.kind));
    fmt::format_to(sink, R"("name":"{}","timestamp":{},"duration":{},"localEndpoint":{{"serviceName":"{}","ipv4":"10.42.0.{}"}},)",
        span.name, span.start / nsPerUs, (span.end - span.start) / nsPerUs, serviceNames[span.service], span.service + 1);
    out += R"("annotations":[)";
    for (const SpanEvent& event : span.events) {
        appendComma(out, &event == &span.events.front());
        fmt::format_to(sink, R"({{"timestamp":{},"value":"{}"}})", toNs(event.time) / nsPerUs, event.name);
    }
    out += R"(],"tags":)";
    appendMembers(out, span.attributes, true);
    out += '}';
}

} // namespace

std::string jaegerTrace(std::span<const RequestSpan> spans)
{
    std::string out = fmt::format(R"({{"traceID":"{}","spans":[)", toHex(spans.front().traceId));
    for (const RequestSpan& span : spans) {
        appendComma(out, &span == &spans.front());
        appendJaegerSpan(out, span);
    }
    out += R"(],"processes":{)";
    for (unsigned service = 0; service < serviceNames.size(); ++service) {
        appendComma(out, service == 0);
        fmt::format_to(std::back_inserter(out), R"("p{}":{{"serviceName":"{}","tags":)", service + 1, serviceNames[service]);
        appendTags(out, resourceAttributes(service));
        out += '}';
    }
    out += R"(},"warnings":null})";
    return out;
}

std::string zipkinSpans(std::span<const RequestSpan> spans)
{
    std::string out;
    for (const RequestSpan& span : spans) {
        appendComma(out, &span == &spans.front());
        appendZipkinSpan(out, span);
    }
    return out;
}

std::string chromeEvents(std::span<const RequestSpan> spans, std::uint64_t lane)
{
    std::string out;
    for (const RequestSpan& span : spans) {
        appendComma(out, &span == &spans.front());
        fmt::format_to(std::back_inserter(out),
            R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03},"args":)", serviceNames[span.service],
            span.name, span.service + 1, lane * spansPerRequest + std::uint64_t(&span - spans.data()) + 1, span.start / nsPerUs,
            span.start % nsPerUs, (span.end - span.start) / nsPerUs, (span.end - span.start) % nsPerUs);
        appendMembers(out, span.attributes, false);
        out += '}';
    }
    return out;
}

} // namespace chokepoint::bench
