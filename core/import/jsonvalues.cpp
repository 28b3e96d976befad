// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsonvalues.h"

#include "core/base/utf8.h"
#include "core/import/base64.h"
#include "core/import/decodenumber.h"
#include "core/import/otlpvaluemembers.h"

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::size_t deepestValue = 256; // lists and maps inside each other

bool beginsObject(json::value& value)
{
    return *value.raw_json_token().data() == '{';
}

/// As Phoenix writes bytes, with all other members as null.
bool isHex(std::string_view text)
{
    return !text.empty() && text.size() % 2 == 0 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string_view textOrRaw(const JsonToken& token)
{
    return token.kind == JsonKind::Text ? token.raw.substr(1, token.raw.size() - 2) : token.raw;
}

} // namespace

void JsonValues::unreadable(const JsonToken& token, const char* type)
{
    m_diagnostics.report(DiagnosticCode::BadAttributes,
        [&] { return fmt::format("{}: {} is no {}; kept as text", m_place.text(), elided(token.raw, 60), type); });
    m_writer.text(token.isScalar() ? tokenText(token, m_scratch) : std::string_view());
}

void JsonValues::textScalar(const JsonToken& token)
{
    if (!token.isScalar())
        return unreadable(token, "text");
    m_writer.text(tokenText(token, m_scratch));
}

void JsonValues::boolScalar(const JsonToken& token)
{
    const std::string_view text = textOrRaw(token);
    if (text == "true" || text == "1" || text == "True")
        return m_writer.boolean(true);
    if (text == "false" || text == "0" || text == "False")
        return m_writer.boolean(false);
    unreadable(token, "boolean");
}

void JsonValues::intScalar(const JsonToken& token)
{
    const std::string_view text = textOrRaw(token);
    if (const auto integer = integerFromText(text))
        return m_writer.integer(*integer);
    const auto number = scaledInteger(text, 0);
    if (!number)
        return unreadable(token, "integer");
    if (!number->isExact)
        return doubleScalar(token);
    if (!number->isOutOfRange)
        return m_writer.integer(number->value);
    m_diagnostics.report(DiagnosticCode::NumberOutOfRange,
        [&] { return fmt::format("{}: {} does not fit 64 bits; its digits were kept as text", m_place.text(), elided(text, 60)); });
    m_writer.numberText(text);
}

void JsonValues::doubleScalar(const JsonToken& token)
{
    const std::string_view text = textOrRaw(token);
    const auto real = realFromText(text);
    if (real && std::isfinite(*real))
        return m_writer.real(*real);
    if (!real && !scaledInteger(text, 0))
        return unreadable(token, "number");
    m_diagnostics.report(DiagnosticCode::NumberOutOfRange,
        [&] { return fmt::format("{}: {} is no finite number; it was kept as text", m_place.text(), elided(text, 60)); });
    m_writer.numberText(text);
}

void JsonValues::bytesScalar(const JsonToken& token)
{
    const auto bytes = token.kind == JsonKind::Text ? fromBase64(tokenText(token, m_scratch)) : std::nullopt;
    if (!bytes)
        return unreadable(token, "base64");
    m_writer.bytes(*bytes);
}

void JsonValues::plainScalar(const JsonToken& token)
{
    switch (token.kind) {
    case JsonKind::Text: return textScalar(token);
    case JsonKind::True: return m_writer.boolean(true);
    case JsonKind::False: return m_writer.boolean(false);
    case JsonKind::NonFinite: return doubleScalar(token);
    case JsonKind::Number: return numberScalar(token);
    default: return m_writer.empty();
    }
}

/// Nearly all numbers are digits alone; others with neither a fraction nor an exponent are integers of any size.
void JsonValues::numberScalar(const JsonToken& token)
{
    if (const auto integer = integerFromText(token.raw))
        return m_writer.integer(*integer);
    const auto isOfReal = [](char c) { return c == '.' || c == 'e' || c == 'E'; };
    std::any_of(token.raw.begin(), token.raw.end(), isOfReal) ? doubleScalar(token) : intScalar(token);
}

bool JsonValues::attributes(json::value value)
{
    const JsonToken token = tokenOf(value);
    if (token.kind == JsonKind::Object) {
        json::object object;
        return value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
            m_writer.key(unescaped(rawKey(field), m_scratch));
            return anyValue(field.value());
        });
    }
    if (token.kind == JsonKind::Array) {
        json::array array;
        return value.get_array().get(array) == simdjson::SUCCESS
            && forEachElement(array, [&](json::value& element) { return finish(keyValue(element)); });
    }
    if (!token.isNull())
        m_diagnostics.report(DiagnosticCode::BadAttributes,
            [&] { return fmt::format("{}: attributes are neither a list nor an object; left out", m_place.text()); });
    return token.kind != JsonKind::Invalid;
}

bool JsonValues::plainMembers(json::object object)
{
    return forEachMember(object, [&](json::field& field) {
        m_writer.key(unescaped(rawKey(field), m_scratch));
        return plainValue(field.value());
    });
}

bool JsonValues::anyValue(json::value value)
{
    return write(value, false);
}

bool JsonValues::plainValue(json::value value)
{
    return write(value, true);
}

bool JsonValues::write(json::value value, bool isPlain)
{
    return finish(begin(value, isPlain));
}

/// Writes what the value begun holds. After a fault nothing of it stays open: the next record starts afresh.
bool JsonValues::finish(bool isGood)
{
    bool isDone = m_frames.empty();
    while (isGood && !isDone)
        isGood = step(isDone);
    m_frames.clear();
    return isGood;
}

/// Writes a scalar, or opens a container that step() goes on with.
bool JsonValues::begin(json::value value, bool isPlain)
{
    if (beginsObject(value)) {
        json::object object;
        if (value.get_object().get(object) != simdjson::SUCCESS)
            return false;
        return isPlain ? beginMembers(object, true) : beginAny(object);
    }
    const JsonToken token = tokenOf(value);
    if (token.kind == JsonKind::Array)
        return beginArray(value, isPlain);
    plainScalar(token);
    return token.kind != JsonKind::Invalid;
}

/// The first member that is not null decides; an object without any known member is a plain map.
bool JsonValues::beginAny(json::object object)
{
    bool isKnown = false;
    bool isEmpty = true;
    bool hasNulls = false;
    for (auto entry : object) {
        json::field field;
        if (std::move(entry).get(field) != simdjson::SUCCESS)
            return false;
        isEmpty = false;
        const ValueMemberName* member = valueMemberOf(field);
        if (member == nullptr)
            continue;
        isKnown = true;
        json::value& value = field.value();
        const JsonToken token = tokenOf(value);
        hasNulls |= token.isNull();
        if (token.isNull())
            continue;
        if (token.kind == JsonKind::Object && !isContainer(member->member))
            return beginMisplaced(value);
        switch (member->member) {
        case ValueMember::Text: textScalar(token); return true;
        case ValueMember::Bool: boolScalar(token); return true;
        case ValueMember::Int: intScalar(token); return true;
        case ValueMember::Double: doubleScalar(token); return true;
        case ValueMember::Bytes:
            if (token.kind == JsonKind::Array)
                return byteArray(value);
            if (hasNulls && isHex(textOrRaw(token)))
                unreadable(token, "base64 but hexadecimal");
            else
                bytesScalar(token);
            return true;
        case ValueMember::List: return beginList(value, "values");
        case ValueMember::Map: return beginList(value, "");
        case ValueMember::TextIndex:
            m_diagnostics.report(DiagnosticCode::BadAttributes, "a text is an index into a table that traces do not have; left empty");
            break;
        }
    }
    if (isKnown || isEmpty) {
        m_writer.empty();
        return true;
    }
    bool hasMembers = false;
    return object.reset().get(hasMembers) == simdjson::SUCCESS && beginMembers(object, false);
}

/// An object where a scalar belongs: an integer as JavaScript splits it, or kept as the map that it is.
bool JsonValues::beginMisplaced(json::value value)
{
    json::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS)
        return false;
    const auto half = [&object](const char* name) {
        json::value number;
        const bool isGiven = object.find_field_unordered(name).get(number) == simdjson::SUCCESS;
        return isGiven ? integerFromText(tokenOf(number).raw) : std::nullopt;
    };
    const auto low = half("low");
    const auto high = low ? half("high") : std::nullopt;
    if (low && high) {
        m_writer.integer(std::int64_t(std::uint64_t(*high) << 32 | std::uint32_t(*low)));
        return true;
    }
    m_diagnostics.report(DiagnosticCode::BadAttributes, "an object stands where a number or a text belongs; kept as a map");
    bool hasMembers = false;
    return object.reset().get(hasMembers) == simdjson::SUCCESS && beginMembers(object, true);
}

/// The list inside an arrayValue (\a name is "values") or a kvlistValue (empty name).
bool JsonValues::beginList(json::value value, std::string_view name)
{
    const bool isMap = name.empty();
    isMap ? m_writer.beginMap() : m_writer.beginArray();
    const auto close = [&] { isMap ? m_writer.endMap() : m_writer.endArray(); };
    json::object object;
    json::value list;
    if (tokenOf(value).kind != JsonKind::Object) {
        close();
        return true;
    }
    if (value.get_object().get(object) != simdjson::SUCCESS)
        return false;
    const simdjson::error_code found = object.find_field_unordered("values").get(list);
    if (found == simdjson::NO_SUCH_FIELD || (found == simdjson::SUCCESS && tokenOf(list).kind != JsonKind::Array)) {
        close();
        return true;
    }
    Frame frame;
    frame.kind = isMap ? Frame::Kind::KeyValues : Frame::Kind::Array;
    json::array array;
    if (found != simdjson::SUCCESS || list.get_array().get(array) != simdjson::SUCCESS
        || array.begin().get(frame.elements) != simdjson::SUCCESS)
        return false;
    m_frames.push_back(frame);
    return true;
}

bool JsonValues::beginArray(json::value value, bool isPlain)
{
    Frame frame;
    frame.isPlain = isPlain;
    json::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS || array.begin().get(frame.elements) != simdjson::SUCCESS)
        return false;
    m_writer.beginArray();
    m_frames.push_back(frame);
    return true;
}

bool JsonValues::beginMembers(json::object object, bool isPlain)
{
    Frame frame;
    frame.kind = Frame::Kind::Members;
    frame.isPlain = isPlain;
    if (object.begin().get(frame.members) != simdjson::SUCCESS)
        return false;
    m_writer.beginMap();
    m_frames.push_back(frame);
    return true;
}

/// Goes on with the innermost open container: its next member, or its end. \a isDone when none is open.
bool JsonValues::step(bool& isDone)
{
    isDone = m_frames.empty();
    if (isDone)
        return true;
    Frame& frame = m_frames.back();
    const bool isPlain = frame.isPlain;
    if (frame.started)
        frame.kind == Frame::Kind::Members ? void(++frame.members) : void(++frame.elements);
    frame.started = true;
    const bool atEnd = frame.kind == Frame::Kind::Members ? frame.members == frame.members : frame.elements == frame.elements;
    if (atEnd) {
        frame.kind == Frame::Kind::Array ? m_writer.endArray() : m_writer.endMap();
        m_frames.pop_back();
        return true;
    }
    const bool isTooDeep = m_frames.size() > deepestValue;
    if (isTooDeep) {
        m_diagnostics.report(DiagnosticCode::DepthLimit,
            [&] { return fmt::format("{}: values nested more than {} deep were left out", m_place.text(), deepestValue); });
    }
    if (frame.kind == Frame::Kind::Members) {
        json::field field;
        if ((*frame.members).get(field) != simdjson::SUCCESS)
            return false;
        m_writer.key(unescaped(rawKey(field), m_scratch));
        return isTooDeep ? (m_writer.empty(), true) : begin(field.value(), isPlain);
    }
    json::value element;
    if ((*frame.elements).get(element) != simdjson::SUCCESS)
        return false;
    if (frame.kind == Frame::Kind::KeyValues)
        return isTooDeep || keyValue(element);
    return isTooDeep ? (m_writer.empty(), true) : begin(element, isPlain);
}

/// One {key, value}; its value may open a container.
bool JsonValues::keyValue(json::value value)
{
    json::object object;
    json::value member;
    if (!beginsObject(value)) {
        if (tokenOf(value).kind == JsonKind::Invalid)
            return false;
        m_diagnostics.report(
            DiagnosticCode::BadAttributes, [&] { return fmt::format("{}: an attribute that is no object was left out", m_place.text()); });
        return true;
    }
    if (value.get_object().get(object) != simdjson::SUCCESS)
        return false;
    const simdjson::error_code hasKey = object.find_field_unordered("key").get(member);
    if (hasKey == simdjson::NO_SUCH_FIELD) {
        m_diagnostics.report(
            DiagnosticCode::BadAttributes, [&] { return fmt::format("{}: an attribute without a key was left out", m_place.text()); });
        return true;
    }
    if (hasKey != simdjson::SUCCESS)
        return false;
    m_writer.key(tokenText(tokenOf(member), m_scratch));
    const simdjson::error_code hasValue = object.find_field_unordered("value").get(member);
    if (hasValue == simdjson::NO_SUCH_FIELD) {
        m_writer.empty();
        return true;
    }
    return hasValue == simdjson::SUCCESS && begin(member, false);
}

bool JsonValues::byteArray(json::value value)
{
    std::string bytes;
    json::array array;
    const bool isGood = value.get_array().get(array) == simdjson::SUCCESS && forEachElement(array, [&](json::value& element) {
        const JsonToken token = tokenOf(element);
        bytes.push_back(char(integerFromText(token.raw).value_or(0)));
        return token.kind != JsonKind::Invalid;
    });
    m_writer.bytes(bytes);
    return isGood;
}

} // namespace chokepoint
