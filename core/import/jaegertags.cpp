// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jaegertags.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// Values of protobuf's JSON mapping, and the type that each stands for.
struct TypedName {
    std::string_view name;
    std::string_view type;
};

constexpr std::string_view protobufBinary = "protobuf binary"; // always base64

constexpr std::array typedNames = {TypedName{"vStr", "string"}, TypedName{"vBool", "bool"}, TypedName{"vInt64", "int64"},
    TypedName{"vFloat64", "float64"}, TypedName{"vBinary", protobufBinary}, TypedName{"v_str", "string"}, TypedName{"v_bool", "bool"},
    TypedName{"v_int64", "int64"}, TypedName{"v_float64", "float64"}, TypedName{"v_binary", protobufBinary}};

std::string_view typeOfName(std::string_view name)
{
    const auto found = std::find_if(typedNames.begin(), typedNames.end(), [name](const TypedName& entry) { return entry.name == name; });
    return found == typedNames.end() ? std::string_view() : found->type;
}

} // namespace

bool JaegerTags::readList(json::value value, const Take& take)
{
    const auto leaveOut = [&] {
        m_diagnostics.report(
            DiagnosticCode::BadAttributes, [&] { return fmt::format("{}: a tag that is no object was left out", m_place.text()); });
    };
    return forEachObjectOfList(
        value, [&](json::object& object) { return readTag(object, take); }, leaveOut);
}

bool JaegerTags::readFields(json::value value, const Take& take)
{
    const JsonToken token = tokenOf(value);
    json::object object;
    if (token.kind != JsonKind::Object)
        return token.kind != JsonKind::Invalid;
    return value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
        m_key = unescaped(rawKey(field), m_scratch);
        if (m_key.find('.') == std::string::npos)
            std::replace(m_key.begin(), m_key.end(), '@', '.');
        const JsonToken member = tokenOf(field.value());
        if (member.isScalar() && take(m_key, member))
            return true;
        m_writer.key(m_key);
        return m_values.plainValue(field.value());
    });
}

bool JaegerTags::readTag(json::object object, const Take& take)
{
    std::string_view type;
    JsonToken scalar;
    bool hasKey = false;
    bool hasContainer = false;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        const std::string_view name = rawKey(field);
        const JsonToken token = tokenOf(field.value());
        const std::string_view typeByName = typeOfName(name);
        if (name == "key") {
            m_key = tokenText(token, m_scratch);
            hasKey = true;
        } else if (name == "type" && token.kind == JsonKind::Text) {
            type = token.raw.substr(1, token.raw.size() - 2);
        } else if (name == "value" || !typeByName.empty()) {
            scalar = token;
            hasContainer = !token.isScalar();
            if (!typeByName.empty())
                type = typeByName;
        }
        return token.kind != JsonKind::Invalid;
    });
    if (!isGood)
        return false;
    if (!hasKey) {
        m_diagnostics.report(
            DiagnosticCode::BadAttributes, [&] { return fmt::format("{}: a tag without a key was left out", m_place.text()); });
        return true;
    }
    if (!hasContainer) {
        if (!take(m_key, scalar)) {
            m_writer.key(m_key);
            write(type, scalar);
        }
        return true;
    }
    // A nested value is no Jaeger tag, but some tools write one.
    bool hasMembers = false;
    json::value nested;
    m_writer.key(m_key);
    return object.reset().get(hasMembers) == simdjson::SUCCESS && object.find_field_unordered("value").get(nested) == simdjson::SUCCESS
        && m_values.plainValue(nested);
}

void JaegerTags::write(std::string_view type, const JsonToken& token)
{
    if (token.isNull())
        return m_writer.empty();
    if (type == "string")
        return m_values.textScalar(token);
    if (type == "bool")
        return m_values.boolScalar(token);
    if (type == "int64")
        return m_values.intScalar(token);
    if (type == "float64")
        return m_values.doubleScalar(token);
    if (type == "binary" && m_binaryIsHex && writeHex(token))
        return;
    if (type == "binary" || type == protobufBinary)
        return m_values.bytesScalar(token);
    m_values.plainScalar(token);
}

/// False when the text is no hex; it may be base64 then.
bool JaegerTags::writeHex(const JsonToken& token)
{
    const std::string_view text = tokenText(token, m_scratch);
    const auto isHexDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
    if (text.size() % 2 != 0 || !std::all_of(text.begin(), text.end(), isHexDigit))
        return false;
    const auto nibble = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
        bytes.push_back(char(nibble(text[i]) << 4 | nibble(text[i + 1])));
    m_writer.bytes(bytes);
    return true;
}

} // namespace chokepoint
