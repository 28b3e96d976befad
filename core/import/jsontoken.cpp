// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsontoken.h"

#include "core/import/decodenumber.h"

#include <charconv>
#include <limits>

namespace chokepoint {

namespace {

constexpr std::uint32_t replacement = 0xfffd;

void appendUtf8(std::string& out, std::uint32_t codePoint)
{
    if (codePoint < 0x80) {
        out.push_back(char(codePoint));
    } else if (codePoint < 0x800) {
        out.push_back(char(0xc0 | codePoint >> 6));
        out.push_back(char(0x80 | (codePoint & 0x3f)));
    } else if (codePoint < 0x10000) {
        out.push_back(char(0xe0 | codePoint >> 12));
        out.push_back(char(0x80 | (codePoint >> 6 & 0x3f)));
        out.push_back(char(0x80 | (codePoint & 0x3f)));
    } else {
        out.push_back(char(0xf0 | codePoint >> 18));
        out.push_back(char(0x80 | (codePoint >> 12 & 0x3f)));
        out.push_back(char(0x80 | (codePoint >> 6 & 0x3f)));
        out.push_back(char(0x80 | (codePoint & 0x3f)));
    }
}

/// The four digits behind "\u" at the front of \a text.
std::optional<std::uint32_t> utf16Unit(std::string_view text)
{
    std::uint32_t unit = 0;
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u')
        return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
    return error == std::errc() && end == text.data() + 6 ? std::optional(unit) : std::nullopt;
}

/// One \u escape, or a pair of them, from the front of \a text.
void takeUnicode(std::string_view& text, std::string& out)
{
    const std::optional<std::uint32_t> unit = utf16Unit(text);
    if (!unit) {
        text.remove_prefix(2);
        appendUtf8(out, replacement);
        return;
    }
    text.remove_prefix(6);
    if (*unit < 0xd800 || *unit > 0xdfff)
        return appendUtf8(out, *unit);
    const std::optional<std::uint32_t> low = *unit < 0xdc00 ? utf16Unit(text) : std::nullopt;
    if (!low || *low < 0xdc00 || *low > 0xdfff)
        return appendUtf8(out, replacement);
    text.remove_prefix(6);
    appendUtf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
}

constexpr std::size_t longestToken = std::size_t(1) << 31;

void takeEscape(std::string_view& text, std::string& out)
{
    constexpr std::string_view letters = "bfnrt";
    constexpr std::string_view controls = "\b\f\n\r\t";
    if (text.size() >= 2 && text[1] == 'u')
        return takeUnicode(text, out);
    if (text.size() >= 2) {
        const std::size_t letter = letters.find(text[1]);
        out.push_back(letter == std::string_view::npos ? text[1] : controls[letter]);
    }
    text.remove_prefix(text.size() >= 2 ? 2 : 1);
}

} // namespace

JsonToken jsonToken(std::string_view raw)
{
    // simdjson 3 tells a token's length as the distance to the next one; behind the last token of a malformed text that wraps.
    if (raw.size() >= longestToken)
        return {JsonKind::Invalid, {}};
    while (!raw.empty() && (raw.back() == ' ' || raw.back() == '\n' || raw.back() == '\r' || raw.back() == '\t'))
        raw.remove_suffix(1);
    if (raw.empty())
        return {JsonKind::Invalid, raw};
    switch (raw.front()) {
    case '"': return {raw.size() >= 2 && raw.back() == '"' ? JsonKind::Text : JsonKind::Invalid, raw};
    case '{': return {JsonKind::Object, raw};
    case '[': return {JsonKind::Array, raw};
    case 't': return {raw == "true" ? JsonKind::True : JsonKind::Invalid, raw};
    case 'f': return {raw == "false" ? JsonKind::False : JsonKind::Invalid, raw};
    case 'n': return {raw == "null" ? JsonKind::Null : JsonKind::Invalid, raw};
    case 'N':
    case 'I': return {raw == "NaN" || raw == "Infinity" ? JsonKind::NonFinite : JsonKind::Invalid, raw};
    case '-': return {raw == "-Infinity" ? JsonKind::NonFinite : JsonKind::Number, raw};
    default: return {raw.front() >= '0' && raw.front() <= '9' ? JsonKind::Number : JsonKind::Invalid, raw};
    }
}

std::string_view unescaped(std::string_view escaped, std::string& scratch)
{
    std::size_t backslash = escaped.find('\\');
    if (backslash == std::string_view::npos)
        return escaped;
    scratch.clear();
    while (backslash != std::string_view::npos) {
        scratch.append(escaped.substr(0, backslash));
        escaped.remove_prefix(backslash);
        takeEscape(escaped, scratch);
        backslash = escaped.find('\\');
    }
    scratch.append(escaped);
    return scratch;
}

std::string_view tokenText(const JsonToken& token, std::string& scratch)
{
    if (token.kind == JsonKind::Null)
        return {};
    return token.kind == JsonKind::Text ? unescaped(token.raw.substr(1, token.raw.size() - 2), scratch) : token.raw;
}

std::optional<std::uint32_t> tokenUint32(const JsonToken& token)
{
    if (token.isNull())
        return 0;
    std::string_view text = token.raw;
    if (token.kind == JsonKind::Text)
        text = text.substr(1, text.size() - 2);
    else if (token.kind != JsonKind::Number)
        return std::nullopt;
    const auto number = scaledInteger(text, 0);
    if (!number || !number->isExact || number->value < 0 || number->value > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    return std::uint32_t(number->value);
}

} // namespace chokepoint
