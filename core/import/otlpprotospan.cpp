// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpprotospan.h"

#include "core/import/decodeid.h"
#include "core/import/protowirefields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace chokepoint {

namespace {

using protozero::pbf_reader;
using namespace wire;

/// An id that is neither bytes nor hex nor base64, as text: itself, or its bytes as hex digits.
std::string opaqueText(std::string_view bytes)
{
    if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 0x20 && c < 0x7f; }))
        return std::string(bytes);
    std::string text;
    for (const char c : bytes)
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
}

DecodedId<TraceId> decoded(std::string_view bytes, TraceId)
{
    return decodeTraceIdBytes(bytes);
}
DecodedId<SpanId> decoded(std::string_view bytes, SpanId)
{
    return decodeSpanIdBytes(bytes);
}
TraceId hashed(std::string_view text, TraceId)
{
    return opaqueTraceId(text);
}
SpanId hashed(std::string_view text, SpanId)
{
    return opaqueSpanId(text);
}

/// \a text is set for opaque ids only. Zeros of any length are no id.
template <typename Id> void setId(Id& id, std::string& text, std::string_view bytes)
{
    text.clear();
    const DecodedId<Id> found = decoded(bytes, Id{});
    id = found.id;
    if (!found.isOpaque)
        return;
    const bool isZero = std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
    text = isZero ? std::string() : opaqueText(bytes);
    id = isZero ? Id{} : hashed(text, Id{});
}

} // namespace

bool OtlpProtoSpan::decode(std::string_view bytes)
{
    m_draft.clear();
    try {
        decodeSpan(bytes);
    } catch (const protozero::exception&) {
        return false;
    }
    return true;
}

void OtlpProtoSpan::decodeSpan(std::string_view bytes)
{
    std::string_view name;
    std::uint64_t start = 0; // protobuf leaves zeros out; whether 0 is a time is told from the whole trace
    std::uint64_t end = 0; // 0 is none: the span had not finished
    pbf_reader span(bytes.data(), bytes.size());
    while (span.next()) {
        switch (span.tag_and_type()) {
        case message(1): setId(m_draft.traceId, m_draft.traceIdText, viewOf(span)); break;
        case message(2): setId(m_draft.row.spanId, m_draft.spanIdText, viewOf(span)); break;
        case message(3): m_values.setText(m_draft.traceState, viewOf(span)); break;
        case message(4): setId(m_draft.row.parentId, m_draft.parentIdText, viewOf(span)); break;
        case message(5): name = viewOf(span); break;
        case varint(6): setKind(span.get_uint64()); break;
        case fixed64(7): start = span.get_fixed64(); break;
        case fixed64(8): end = span.get_fixed64(); break;
        case message(9): m_values.addAttribute(viewOf(span), m_draft.attributes); break;
        case varint(10): m_draft.droppedAttributes = span.get_uint32(); break;
        case message(11): decodeEvent(viewOf(span)); break;
        case varint(12): m_draft.droppedEvents = span.get_uint32(); break;
        case message(13): decodeLink(viewOf(span)); break;
        case varint(14): m_draft.droppedLinks = span.get_uint32(); break;
        case message(15): decodeStatus(viewOf(span)); break;
        case fixed32(16): m_draft.w3cFlags = span.get_fixed32(); break;
        default: m_values.skipOther(span, "Span", 16);
        }
    }
    std::string repaired;
    m_draft.row.name = m_values.dictionary().strings.intern(m_values.validText(name, repaired));
    const bool startFits = setTime(m_draft.row.start, start);
    const bool endFits = end == 0 || setTime(m_draft.row.end, end);
    if (!startFits || !endFits)
        m_draft.row.flags.set(SpanFlags::TimeOutOfRange);
}

/// The latest time that int64 holds stands in for a later one (TIME_OUT_OF_RANGE).
bool OtlpProtoSpan::setTime(Timestamp& time, std::uint64_t nanoseconds)
{
    constexpr auto latest = std::uint64_t(std::numeric_limits<std::int64_t>::max());
    time = timestampFromNs(std::int64_t(std::min(nanoseconds, latest)));
    if (nanoseconds <= latest)
        return true;
    m_values.diagnostics().report(DiagnosticCode::TimeOutOfRange, [&] {
        return fmt::format(
            "{} ns in the span at byte {} lies beyond the year 2262; the latest time stands in and statistics leave the span out",
            nanoseconds, m_values.offset());
    });
    return false;
}

void OtlpProtoSpan::setKind(std::uint64_t kind)
{
    const bool known = kind <= std::uint64_t(SpanKind::Consumer);
    m_draft.row.flags.setKind(known ? SpanKind(kind) : SpanKind::Unspecified);
    if (!known)
        m_values.diagnostics().report(DiagnosticCode::UnknownEnum,
            [&] { return fmt::format("kind {} of the span at byte {} is unknown; it is taken as UNSPECIFIED", kind, m_values.offset()); });
}

void OtlpProtoSpan::setStatus(std::uint64_t code)
{
    const bool known = code <= std::uint64_t(SpanStatus::Error);
    m_draft.row.flags.setStatus(known ? SpanStatus(code) : SpanStatus::Unset);
    if (!known)
        m_values.diagnostics().report(DiagnosticCode::UnknownEnum,
            [&] { return fmt::format("status code {} of the span at byte {} is unknown; it is taken as UNSET", code, m_values.offset()); });
}

void OtlpProtoSpan::decodeStatus(std::string_view bytes)
{
    try {
        pbf_reader status(bytes.data(), bytes.size());
        while (status.next()) {
            switch (status.tag_and_type()) {
            case varint(1): status.skip(); break; // the code of the first versions; what it says is in 3 as well
            case message(2): m_values.setText(m_draft.statusMessage, viewOf(status)); break;
            case varint(3): setStatus(status.get_uint64()); break;
            default: m_values.skipOther(status, "Status", 3);
            }
        }
    } catch (const protozero::exception&) {
        m_values.reportDamage("the status");
    }
}

void OtlpProtoSpan::decodeEvent(std::string_view bytes)
{
    EventDraft& event = m_draft.addEvent();
    event.attributes.begin = m_draft.nested.size();
    try {
        pbf_reader fields(bytes.data(), bytes.size());
        while (fields.next()) {
            switch (fields.tag_and_type()) {
            case fixed64(1): setTime(event.time, fields.get_fixed64()); break;
            case message(2): m_values.setText(event.name, viewOf(fields)); break;
            case message(3): m_values.addAttribute(viewOf(fields), m_draft.nested); break;
            case varint(4): event.droppedAttributes = fields.get_uint32(); break;
            default: m_values.skipOther(fields, "Event", 4);
            }
        }
    } catch (const protozero::exception&) {
        m_values.reportDamage("an event");
    }
    event.attributes.end = m_draft.nested.size();
}

void OtlpProtoSpan::decodeLink(std::string_view bytes)
{
    LinkDraft& link = m_draft.addLink();
    link.attributes.begin = m_draft.nested.size();
    try {
        pbf_reader fields(bytes.data(), bytes.size());
        while (fields.next()) {
            switch (fields.tag_and_type()) {
            case message(1): setId(link.traceId, link.traceIdText, viewOf(fields)); break;
            case message(2): setId(link.spanId, link.spanIdText, viewOf(fields)); break;
            case message(3): m_values.setText(link.traceState, viewOf(fields)); break;
            case message(4): m_values.addAttribute(viewOf(fields), m_draft.nested); break;
            case varint(5): link.droppedAttributes = fields.get_uint32(); break;
            case fixed32(6): link.flags = fields.get_fixed32(); break;
            default: m_values.skipOther(fields, "Link", 6);
            }
        }
    } catch (const protozero::exception&) {
        m_values.reportDamage("a link");
    }
    link.attributes.end = m_draft.nested.size();
}

} // namespace chokepoint
