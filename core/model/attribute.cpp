// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/attribute.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

namespace chokepoint {

namespace {

void appendQuoted(std::string& out, std::string_view text)
{
    out.push_back('"');
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out.push_back('\\');
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            out.push_back(c);
    }
    out.push_back('"');
}

std::string numberText(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    return fmt::format("{}", value);
}

/// Writes \a value as compact JSON. Depth is bounded by the readers' nesting limit.
void appendJson(std::string& out, const AttributeValue& value)
{
    struct Visitor {
        std::string& out;
        void operator()(std::monostate) const { out += "null"; }
        void operator()(bool v) const { out += v ? "true" : "false"; }
        void operator()(std::int64_t v) const { out += std::to_string(v); }
        void operator()(double v) const { out += numberText(v); }
        void operator()(const std::string& v) const { appendQuoted(out, v); }
        void operator()(const Bytes& v) const { appendQuoted(out, toBase64(v.data)); }
        void operator()(const NumberText& v) const { out += v.text; }
        void operator()(const AttributeValue::Array& array) const
        {
            out.push_back('[');
            for (std::size_t i = 0; i < array.size(); ++i) {
                if (i > 0)
                    out.push_back(',');
                appendJson(out, array[i]);
            }
            out.push_back(']');
        }
        void operator()(const AttributeList& map) const
        {
            out.push_back('{');
            for (std::size_t i = 0; i < map.size(); ++i) {
                if (i > 0)
                    out.push_back(',');
                appendQuoted(out, map[i].key);
                out.push_back(':');
                appendJson(out, map[i].value);
            }
            out.push_back('}');
        }
    };
    std::visit(Visitor{out}, value.value);
}

} // namespace

const AttributeValue* findAttribute(const AttributeList& attributes, std::string_view key)
{
    for (const Attribute& attribute : attributes)
        if (attribute.key == key)
            return &attribute.value;
    return nullptr;
}

std::string toText(const AttributeValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value.value))
        return *text;
    if (const auto* bytes = std::get_if<Bytes>(&value.value))
        return toBase64(bytes->data);
    if (std::holds_alternative<std::monostate>(value.value))
        return {};
    std::string out;
    appendJson(out, value);
    return out;
}

std::string toBase64(std::string_view bytes)
{
    constexpr const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            text.push_back(i + k > bytes.size() ? '=' : alphabet[group >> (18 - 6 * k) & 63]);
    }
    return text;
}

} // namespace chokepoint
