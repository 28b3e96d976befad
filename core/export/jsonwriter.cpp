// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/jsonwriter.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace chokepoint {

namespace {

void appendEscaped(std::string& out, char c)
{
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", unsigned(static_cast<unsigned char>(c)));
    }
}

bool needsEscape(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || c == '"' || c == '\\' || byte == 0x7f;
}

} // namespace

void JsonWriter::separate()
{
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (!m_hasMember.empty()) {
        if (m_hasMember.back())
            m_text.push_back(',');
        m_hasMember.back() = true;
    }
    if (m_lineBreak)
        m_text.push_back('\n');
    m_lineBreak = false;
}

void JsonWriter::open(char bracket)
{
    separate();
    m_text.push_back(bracket);
    m_hasMember.push_back(false);
}

void JsonWriter::close(char bracket)
{
    if (m_lineBreak)
        m_text.push_back('\n');
    m_lineBreak = false;
    m_text.push_back(bracket);
    m_hasMember.pop_back();
}

void JsonWriter::key(std::string_view key)
{
    separate();
    m_text.push_back('"');
    m_text += key;
    m_text += "\":";
    m_afterKey = true;
}

void JsonWriter::string(std::string_view text)
{
    separate();
    m_text.push_back('"');
    const bool ascii = std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    const std::string repaired = ascii || isValidUtf8(text) ? std::string() : repairedUtf8(text);
    std::string_view rest = repaired.empty() ? text : std::string_view(repaired);
    while (!rest.empty()) {
        const auto plain = std::size_t(std::find_if(rest.begin(), rest.end(), needsEscape) - rest.begin());
        m_text += rest.substr(0, plain);
        if (plain == rest.size())
            break;
        appendEscaped(m_text, rest[plain]);
        rest.remove_prefix(plain + 1);
    }
    m_text.push_back('"');
}

void JsonWriter::number(std::int64_t value)
{
    separate();
    fmt::format_to(std::back_inserter(m_text), "{}", value);
}

void JsonWriter::number(std::uint64_t value)
{
    separate();
    fmt::format_to(std::back_inserter(m_text), "{}", value);
}

void JsonWriter::number(double value)
{
    separate();
    fmt::format_to(std::back_inserter(m_text), "{}", value);
}

void JsonWriter::boolean(bool value)
{
    raw(value ? "true" : "false");
}

void JsonWriter::raw(std::string_view json)
{
    separate();
    m_text += json;
}

// ---- AnyValue -----------------------------------------------------------------------------------------------------

namespace {

/// A container that is being written: an array's values or a list's key-value pairs.
struct OpenContainer {
    const AttributeValue::Array* array = nullptr;
    const AttributeList* list = nullptr;
    std::size_t next = 0;
    bool inKeyValue = false; // its AnyValue is the value of a pair, whose object ends with it
    bool inAnyValue = true; // false for the outermost attribute list

    [[nodiscard]] std::size_t size() const { return array != nullptr ? array->size() : list->size(); }
};

void writeDouble(JsonWriter& out, double value)
{
    if (std::isnan(value))
        out.string("NaN");
    else if (std::isinf(value))
        out.string(value > 0 ? "Infinity" : "-Infinity");
    else
        out.number(value);
}

void writeScalar(JsonWriter& out, const AttributeValue& value)
{
    const auto& v = value.value;
    out.beginObject();
    if (const auto* flag = std::get_if<bool>(&v)) {
        out.key("boolValue");
        out.boolean(*flag);
    } else if (const auto* integer = std::get_if<std::int64_t>(&v)) {
        out.key("intValue");
        out.string(fmt::format_int(*integer).c_str());
    } else if (const auto* real = std::get_if<double>(&v)) {
        out.key("doubleValue");
        writeDouble(out, *real);
    } else if (const auto* text = std::get_if<std::string>(&v)) {
        out.key("stringValue");
        out.string(*text);
    } else if (const auto* bytes = std::get_if<Bytes>(&v)) {
        out.key("bytesValue");
        out.string(toBase64(bytes->data));
    } else if (const auto* digits = std::get_if<NumberText>(&v)) {
        const bool integral = digits->text.find_first_not_of("+-0123456789") == std::string::npos;
        out.key(integral ? "intValue" : "doubleValue");
        out.string(digits->text);
    }
    out.endObject();
}

/// Starts an array or list as {"arrayValue":{"values":[ or {"kvlistValue":{"values":[.
OpenContainer openContainer(JsonWriter& out, const AttributeValue& value, bool inKeyValue)
{
    OpenContainer container;
    container.array = std::get_if<AttributeValue::Array>(&value.value);
    container.list = std::get_if<AttributeList>(&value.value);
    container.inKeyValue = inKeyValue;
    out.beginObject();
    out.key(container.array != nullptr ? "arrayValue" : "kvlistValue");
    out.beginObject();
    out.key("values");
    out.beginArray();
    return container;
}

void closeContainer(JsonWriter& out, const OpenContainer& container)
{
    out.endArray();
    if (container.inAnyValue) {
        out.endObject();
        out.endObject();
    }
    if (container.inKeyValue)
        out.endObject();
}

bool isContainer(const AttributeValue& value)
{
    return std::holds_alternative<AttributeValue::Array>(value.value) || std::holds_alternative<AttributeList>(value.value);
}

void writeContainers(JsonWriter& out, OpenContainer outermost)
{
    std::vector<OpenContainer> open{outermost};
    while (!open.empty()) {
        OpenContainer& top = open.back();
        if (top.next == top.size()) {
            closeContainer(out, top);
            open.pop_back();
            continue;
        }
        const std::size_t i = top.next++;
        const bool isPair = top.list != nullptr;
        const AttributeValue& value = isPair ? (*top.list)[i].value : (*top.array)[i];
        if (isPair) {
            out.beginObject();
            out.key("key");
            out.string((*top.list)[i].key);
            out.key("value");
        }
        if (isContainer(value)) {
            open.push_back(openContainer(out, value, isPair));
            continue;
        }
        writeScalar(out, value);
        if (isPair)
            out.endObject();
    }
}

} // namespace

void writeAnyValue(JsonWriter& out, const AttributeValue& value)
{
    if (isContainer(value))
        writeContainers(out, openContainer(out, value, false));
    else
        writeScalar(out, value);
}

void writeKeyValues(JsonWriter& out, const AttributeList& attributes)
{
    out.beginArray();
    OpenContainer outermost;
    outermost.list = &attributes;
    outermost.inAnyValue = false;
    writeContainers(out, outermost);
}

} // namespace chokepoint
