// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpjsonspan.h"

#include "core/base/utf8.h"
#include "core/import/decodeenum.h"
#include "core/import/decodenumber.h"

#include <array>

namespace chokepoint {

enum class OtlpJsonSpan::Field {
    TraceId,
    SpanId,
    ParentSpanId,
    TraceState,
    Flags,
    Name,
    Kind,
    Start,
    End,
    Attributes,
    DroppedAttributes,
    Events,
    DroppedEvents,
    Links,
    DroppedLinks,
    Status
};

struct OtlpJsonSpan::FieldName {
    std::string_view name;
    Field field;
    bool isCanonical;
};

const OtlpJsonSpan::FieldName* OtlpJsonSpan::findField(std::string_view name)
{
    static constexpr std::array names = {
        FieldName{"traceId", Field::TraceId, true},
        FieldName{"spanId", Field::SpanId, true},
        FieldName{"parentSpanId", Field::ParentSpanId, true},
        FieldName{"name", Field::Name, true},
        FieldName{"kind", Field::Kind, true},
        FieldName{"startTimeUnixNano", Field::Start, true},
        FieldName{"endTimeUnixNano", Field::End, true},
        FieldName{"attributes", Field::Attributes, true},
        FieldName{"droppedAttributesCount", Field::DroppedAttributes, true},
        FieldName{"events", Field::Events, true},
        FieldName{"droppedEventsCount", Field::DroppedEvents, true},
        FieldName{"links", Field::Links, true},
        FieldName{"droppedLinksCount", Field::DroppedLinks, true},
        FieldName{"status", Field::Status, true},
        FieldName{"traceState", Field::TraceState, true},
        FieldName{"flags", Field::Flags, true},
        FieldName{"trace_id", Field::TraceId, false},
        FieldName{"span_id", Field::SpanId, false},
        FieldName{"parent_span_id", Field::ParentSpanId, false},
        FieldName{"start_time_unix_nano", Field::Start, false},
        FieldName{"end_time_unix_nano", Field::End, false},
        FieldName{"dropped_attributes_count", Field::DroppedAttributes, false},
        FieldName{"dropped_events_count", Field::DroppedEvents, false},
        FieldName{"dropped_links_count", Field::DroppedLinks, false},
        FieldName{"trace_state", Field::TraceState, false},
        FieldName{"traceID", Field::TraceId, false},
        FieldName{"spanID", Field::SpanId, false},
        FieldName{"parentSpanID", Field::ParentSpanId, false},
    };
    for (const FieldName& entry : names)
        if (entry.name == name)
            return &entry;
    return nullptr;
}

SpanOutcome OtlpJsonSpan::read(json::object object, SpanDraft& draft)
{
    m_rawKind.clear();
    m_badTime = m_outOfRange = m_bareNumbers = m_namesUnits = false;
    std::uint32_t seen = 0;
    std::uint32_t seenCanonical = 0;
    const bool isWellFormed = forEachMember(object, [&](json::field& member) {
        const FieldName* known = findField(rawKey(member));
        if (known == nullptr)
            return true;
        const std::uint32_t bit = 1U << unsigned(known->field);
        if (!known->isCanonical && (seenCanonical & bit) != 0)
            return true;
        if ((seen & bit) != 0 && known->isCanonical == ((seenCanonical & bit) != 0))
            m_diagnostics.report(DiagnosticCode::DuplicateKey, [&] {
                return fmt::format("{}: \"{}\" occurs more than once in a span; the last one counts", m_place.text(), known->name);
            });
        seen |= bit;
        seenCanonical |= known->isCanonical ? bit : 0;
        return readField(known->field, member.value(), draft);
    });
    if (!isWellFormed)
        return SpanOutcome::Malformed;
    if (m_badTime) {
        m_diagnostics.reject(DiagnosticCode::BadTimestamp, [&] {
            return fmt::format("{}: the time of span \"{}\" cannot be read; the span was left out", m_place.text(),
                elided(m_writer.strings().text(draft.row.name), 60));
        });
        return SpanOutcome::Rejected;
    }
    if (m_outOfRange)
        draft.row.flags.set(SpanFlags::TimeOutOfRange);
    draft.timeUnit = m_namesUnits ? TimeUnit::Seconds : TimeUnit::Nanoseconds;
    noteRounding(draft);
    if (!m_rawKind.empty()) {
        m_writer.setOutput(&draft.attributes);
        m_writer.key("import.raw_kind");
        m_writer.text(m_rawKind);
    }
    return SpanOutcome::Read;
}

bool OtlpJsonSpan::readField(Field field, json::value& value, SpanDraft& draft)
{
    const JsonToken token = tokenOf(value);
    switch (field) {
    case Field::TraceId: return readTraceId(value, draft.traceId, draft.traceIdText);
    case Field::SpanId: return readSpanId(value, draft.row.spanId, draft.spanIdText);
    case Field::ParentSpanId: return readSpanId(value, draft.row.parentId, draft.parentIdText);
    case Field::TraceState: draft.traceState = tokenText(token, m_scratch); break;
    case Field::Flags: readCount(token, draft.w3cFlags); break;
    case Field::Name: draft.row.name = m_writer.strings().intern(tokenText(token, m_scratch)); break;
    case Field::Kind: readKind(token, draft); break;
    case Field::Start: return readTime(value, draft.row.start);
    case Field::End: {
        const bool isGood = readTime(value, draft.row.end);
        if (draft.row.end == Timestamp{}) // 0 is how producers write "not yet"
            draft.row.end = unknownTime;
        return isGood;
    }
    case Field::Attributes: return readAttributes(value, draft.attributes);
    case Field::DroppedAttributes: readCount(token, draft.droppedAttributes); break;
    case Field::Events: return readEvents(value, draft);
    case Field::DroppedEvents: readCount(token, draft.droppedEvents); break;
    case Field::Links: return readLinks(value, draft);
    case Field::DroppedLinks: readCount(token, draft.droppedLinks); break;
    case Field::Status: return readStatus(value, draft);
    }
    return token.kind != JsonKind::Invalid;
}

std::optional<std::string> OtlpJsonSpan::byteArray(json::value& value)
{
    std::string bytes;
    json::array array;
    const bool isGood = value.get_array().get(array) == simdjson::SUCCESS && forEachElement(array, [&](json::value& element) {
        bytes.push_back(char(integerFromText(tokenOf(element).raw).value_or(0)));
        return true;
    });
    return isGood ? std::optional(std::move(bytes)) : std::nullopt;
}

bool OtlpJsonSpan::readTraceId(json::value& value, TraceId& id, std::string& text)
{
    const JsonToken token = tokenOf(value);
    text.clear();
    if (token.kind == JsonKind::Array) {
        const auto bytes = byteArray(value);
        id = bytes ? decodeTraceIdBytes(*bytes).id : TraceId{};
        return bytes.has_value();
    }
    if (!token.isScalar())
        return token.kind != JsonKind::Invalid;
    const std::string_view source = tokenText(token, m_scratch);
    const DecodedId<TraceId> decoded = decodeTraceId(source);
    id = decoded.id;
    if (decoded.isOpaque)
        text = source;
    return true;
}

bool OtlpJsonSpan::readSpanId(json::value& value, SpanId& id, std::string& text)
{
    const JsonToken token = tokenOf(value);
    text.clear();
    if (token.kind == JsonKind::Array) {
        const auto bytes = byteArray(value);
        id = bytes ? decodeSpanIdBytes(*bytes).id : SpanId{};
        return bytes.has_value();
    }
    if (!token.isScalar())
        return token.kind != JsonKind::Invalid;
    const std::string_view source = tokenText(token, m_scratch);
    const DecodedId<SpanId> decoded = decodeSpanId(source);
    id = decoded.id;
    if (decoded.isOpaque)
        text = source;
    return true;
}

/// {"low":..,"high":..} of JavaScript's 64-bit numbers, or protobuf's {"seconds":..,"nanos":..}, as nanoseconds.
bool OtlpJsonSpan::readTimeObject(json::value& value, std::string& digits)
{
    std::optional<std::int64_t> low;
    std::optional<std::int64_t> high;
    std::optional<std::int64_t> seconds;
    std::int64_t nanos = 0;
    json::object object;
    const bool isGood = value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        const auto number = integerFromText(tokenText(tokenOf(field.value()), m_scratch));
        if (key == "low")
            low = number;
        else if (key == "high")
            high = number;
        else if (key == "seconds")
            seconds = number;
        else if (key == "nanos")
            nanos = number.value_or(0);
        return true;
    });
    if (low && high)
        digits = fmt::to_string(std::uint64_t(std::uint32_t(*high)) << 32 | std::uint32_t(*low));
    else if (seconds)
        digits = fmt::format("{}{:09}", *seconds, nanos);
    else
        digits = "?"; // no time: rejected like any other text
    m_namesUnits |= seconds.has_value();
    return isGood;
}

bool OtlpJsonSpan::readTime(json::value& value, Timestamp& time)
{
    const JsonToken token = tokenOf(value);
    std::string digits;
    if (token.kind == JsonKind::Object && !readTimeObject(value, digits))
        return false;
    const std::string_view text = digits.empty() ? tokenText(token, m_scratch) : std::string_view(digits);
    time = unknownTime;
    if (text.empty())
        return true;
    const std::optional<DecodedTime> decoded = decodeTime(text, TimeUnit::Nanoseconds);
    if (!decoded) {
        m_badTime = true;
        return token.kind != JsonKind::Invalid;
    }
    time = decoded->time;
    m_bareNumbers |= token.kind == JsonKind::Number;
    m_namesUnits |= decoded->isDate;
    m_outOfRange |= decoded->isOutOfRange;
    if (decoded->isOutOfRange)
        m_diagnostics.report(DiagnosticCode::TimeOutOfRange,
            [&] { return fmt::format("{}: the time {} is beyond the year 2262; clamped", m_place.text(), elided(text, 60)); });
    if (decoded->isDate)
        m_diagnostics.report(DiagnosticCode::TimeFormat,
            [&] { return fmt::format("{}: a date where OTLP wants nanoseconds ({}); it was read", m_place.text(), elided(text, 60)); });
    if (decoded->isNaive)
        m_diagnostics.report(DiagnosticCode::NaiveTimestamp,
            [&] { return fmt::format("{}: a date without a zone ({}); taken as UTC", m_place.text(), elided(text, 60)); });
    return true;
}

/// A double near 1.7e18 is a multiple of 256; nanoseconds that came by another way are so by chance only.
void OtlpJsonSpan::noteRounding(SpanDraft& draft) const
{
    const auto isRounded = [](Timestamp t) { return isKnown(t) && (toNs(t) & 255) == 0; };
    const auto isWhole = [](Timestamp t) { return toNs(t) % 1000 == 0; };
    const SpanRow& row = draft.row;
    if (m_bareNumbers && isRounded(row.start) && isRounded(row.end) && !(isWhole(row.start) && isWhole(row.end)))
        draft.row.flags.set(SpanFlags::FloatRounded);
}

void OtlpJsonSpan::readKind(const JsonToken& token, SpanDraft& draft)
{
    m_rawKind.clear();
    draft.row.flags.setKind(SpanKind::Unspecified);
    if (token.isNull())
        return;
    const std::string_view text = tokenText(token, m_scratch);
    if (const auto kind = decodeSpanKind(text)) {
        draft.row.flags.setKind(*kind);
        return;
    }
    m_rawKind = text;
    m_diagnostics.report(DiagnosticCode::UnknownEnum, [&] {
        return fmt::format("{}: span kind \"{}\" is unknown; kept as attribute import.raw_kind", m_place.text(), elided(text, 60));
    });
}

void OtlpJsonSpan::readStatusCode(const JsonToken& token, SpanDraft& draft)
{
    draft.row.flags.setStatus(SpanStatus::Unset);
    if (token.isNull())
        return;
    const std::string_view text = tokenText(token, m_scratch);
    if (const auto status = decodeSpanStatus(text))
        return draft.row.flags.setStatus(*status);
    m_diagnostics.report(DiagnosticCode::UnknownEnum,
        [&] { return fmt::format("{}: status code \"{}\" is unknown; taken as unset", m_place.text(), elided(text, 60)); });
}

bool OtlpJsonSpan::readStatus(json::value& value, SpanDraft& draft)
{
    const JsonToken token = tokenOf(value);
    draft.statusMessage.clear();
    if (token.kind != JsonKind::Object) {
        readStatusCode(token.isScalar() ? token : JsonToken{}, draft);
        return token.kind != JsonKind::Invalid;
    }
    draft.row.flags.setStatus(SpanStatus::Unset);
    json::object object;
    return value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        const JsonToken member = tokenOf(field.value());
        if (key == "code" || key == "status_code" || key == "Code")
            readStatusCode(member, draft);
        else if (key == "message" || key == "description" || key == "Description")
            draft.statusMessage = tokenText(member, m_scratch);
        return member.kind != JsonKind::Invalid;
    });
}

void OtlpJsonSpan::readCount(const JsonToken& token, std::uint32_t& count)
{
    const auto number = tokenUint32(token);
    count = number.value_or(0);
    if (!number)
        m_diagnostics.report(DiagnosticCode::NumberOutOfRange,
            [&] { return fmt::format("{}: {} is no count of 32 bits; left out", m_place.text(), elided(token.raw, 60)); });
}

bool OtlpJsonSpan::readAttributes(json::value& value, std::string& out)
{
    out.clear();
    m_writer.setOutput(&out);
    return m_values.attributes(value);
}

} // namespace chokepoint
