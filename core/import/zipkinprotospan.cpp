// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/zipkinprotospan.h"

#include "core/base/utf8.h"
#include "core/import/decodeid.h"
#include "core/import/protowirefields.h"

#include <arpa/inet.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <limits>

namespace chokepoint {

namespace {

using protozero::pbf_reader;
using namespace wire;

/// Zipkin's numbers, which are not OTLP's; 0 says nothing.
constexpr std::array<std::string_view, 5> kindNames = {"", "CLIENT", "SERVER", "PRODUCER", "CONSUMER"};

bool isZero(std::string_view bytes)
{
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

/// An id that is longer than ids are: the text that it may be, or its bytes as hex digits.
std::string textOfLongId(std::string_view bytes)
{
    if (isZero(bytes))
        return {};
    if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 0x20 && c < 0x7f; }))
        return std::string(bytes);
    std::string text;
    for (const char c : bytes)
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
}

/// Dotted or colon form of 4 or 16 bytes; other lengths are no address.
std::string addressText(int family, std::string_view bytes)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (bytes.size() != (family == AF_INET ? 4U : 16U) || inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr)
        return {};
    return text.data();
}

} // namespace

ZipkinProtoSpan::Outcome ZipkinProtoSpan::decode(std::string_view bytes, std::uint64_t offset)
{
    m_place.byte = offset;
    m_span.begin();
    m_local = m_remote = {};
    try {
        decodeSpan(bytes);
    } catch (const protozero::exception&) {
        return Outcome::Damaged;
    }
    m_span.setLocal(placeOf(m_local).resource);
    if (!m_remote.empty())
        m_span.addRemote(placeOf(m_remote).endpoint);
    return m_span.finish() ? Outcome::Read : Outcome::Rejected;
}

void ZipkinProtoSpan::decodeSpan(std::string_view bytes)
{
    bool isShared = false;
    bool isDebug = false;
    std::uint64_t kind = 0;
    pbf_reader span(bytes.data(), bytes.size());
    while (span.next()) {
        switch (span.tag_and_type()) {
        case varint(4): kind = span.get_uint64(); break;
        case varint(12): isDebug = span.get_bool(); break;
        case varint(13): isShared = span.get_bool(); break;
        default: decodeField(span);
        }
    }
    if (isDebug)
        m_span.setDebug();
    if (kind == 0 && isShared)
        kind = 2;
    m_span.setKind(kind < kindNames.size() ? std::string(kindNames[kind]) : fmt::format("Zipkin {}", kind));
}

void ZipkinProtoSpan::decodeField(pbf_reader& span)
{
    SpanDraft& draft = m_span.draft();
    std::string repaired;
    switch (span.tag_and_type()) {
    case message(1): {
        const std::string_view id = viewOf(span);
        id.size() <= 16 ? void(draft.traceId = decodeTraceIdBytes(id).id) : m_span.setTraceId(textOfLongId(id));
        break;
    }
    case message(2): {
        const std::string_view id = viewOf(span);
        id.size() <= 8 ? void(draft.row.parentId = decodeSpanIdBytes(id).id) : m_span.setParentId(textOfLongId(id));
        break;
    }
    case message(3): {
        const std::string_view id = viewOf(span);
        id.size() <= 8 ? void(draft.row.spanId = decodeSpanIdBytes(id).id) : m_span.setSpanId(textOfLongId(id));
        break;
    }
    case message(5): draft.row.name = m_sink.dictionary().strings.intern(validText(viewOf(span), repaired)); break;
    case fixed64(6): m_span.setStart(fmt::to_string(span.get_fixed64())); break;
    case varint(7): m_span.setDuration(fmt::to_string(span.get_uint64())); break;
    case message(8): m_local = viewOf(span); break;
    case message(9): m_remote = viewOf(span); break;
    case message(10): decodeAnnotation(viewOf(span)); break;
    case message(11): decodeTag(viewOf(span)); break;
    default: skipOther(span, "Span", 13);
    }
}

/// Calls \a decode; what it throws for damaged bytes is counted and ends this part alone.
template <typename Decode> void ZipkinProtoSpan::part(const char* what, Decode&& decode)
{
    try {
        decode();
    } catch (const protozero::exception&) {
        m_sink.diagnostics().report(DiagnosticCode::BadAttributes,
            [&] { return fmt::format("{} of the span at byte {} is damaged; what comes before the damage is kept", what, m_place.byte); });
    }
}

void ZipkinProtoSpan::decodeTag(std::string_view bytes)
{
    std::string_view key;
    std::string_view value;
    part("a tag", [&] {
        pbf_reader tag(bytes.data(), bytes.size());
        while (tag.next()) {
            switch (tag.tag_and_type()) {
            case message(1): key = viewOf(tag); break;
            case message(2): value = viewOf(tag); break;
            default: skipOther(tag, "tag", 2);
            }
        }
    });
    std::string repairedKey;
    std::string repairedValue;
    m_span.addTag(validText(key, repairedKey), validText(value, repairedValue));
}

void ZipkinProtoSpan::decodeAnnotation(std::string_view bytes)
{
    std::uint64_t microseconds = 0;
    std::string_view value;
    part("an annotation", [&] {
        pbf_reader annotation(bytes.data(), bytes.size());
        while (annotation.next()) {
            switch (annotation.tag_and_type()) {
            case fixed64(1): microseconds = annotation.get_fixed64(); break;
            case message(2): value = viewOf(annotation); break;
            default: skipOther(annotation, "Annotation", 2);
            }
        }
    });
    constexpr std::uint64_t latest = std::uint64_t(std::numeric_limits<std::int64_t>::max() / 1000);
    std::string repaired;
    const Timestamp time = timestampFromNs(std::int64_t(std::min(microseconds, latest)) * 1000);
    m_span.addEvent(microseconds == 0 ? unknownTime : time, validText(value, repaired));
}

void ZipkinProtoSpan::decodeEndpoint(std::string_view bytes, ZipkinEndpoint& endpoint)
{
    part("an endpoint", [&] {
        std::string repaired;
        pbf_reader reader(bytes.data(), bytes.size());
        while (reader.next()) {
            switch (reader.tag_and_type()) {
            case message(1): endpoint.service = validText(viewOf(reader), repaired); break;
            case message(2): endpoint.ipv4 = addressText(AF_INET, viewOf(reader)); break;
            case message(3): endpoint.ipv6 = addressText(AF_INET6, viewOf(reader)); break;
            case varint(4): endpoint.port = reader.get_int32(); break;
            default: skipOther(reader, "Endpoint", 4);
            }
        }
    });
}

const ZipkinPlace& ZipkinProtoSpan::placeOf(std::string_view bytes)
{
    return m_places.of(bytes, [&](ZipkinEndpoint& endpoint) { decodeEndpoint(bytes, endpoint); });
}

std::string_view ZipkinProtoSpan::validText(std::string_view text, std::string& repaired)
{
    if (simdjson::validate_utf8(text.data(), text.size()))
        return text;
    m_sink.diagnostics().report(DiagnosticCode::InvalidUtf8,
        [&] { return fmt::format("a text of the span at byte {} is no valid UTF-8; the invalid bytes are replaced", m_place.byte); });
    repaired = repairedUtf8(text);
    return repaired;
}

void ZipkinProtoSpan::skipOther(pbf_reader& reader, const char* inMessage, std::uint32_t lastKnown)
{
    if (reader.tag() <= lastKnown)
        m_sink.diagnostics().report(DiagnosticCode::WireType, [&] {
            return fmt::format("field {} of the {} at byte {} has another wire type than Zipkin gives it; it is skipped", reader.tag(),
                inMessage, m_place.byte);
        });
    reader.skip();
}

} // namespace chokepoint
