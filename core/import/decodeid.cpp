// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/decodeid.h"

#include "core/import/base64.h"
#include "core/model/attribute.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>

namespace chokepoint {

namespace {

template <typename Id> struct Kind;

template <> struct Kind<TraceId> {
    static constexpr std::size_t bytes = 16;
    static std::optional<TraceId> fromHex(std::string_view text) { return traceIdFromHex(text); }
    static TraceId opaque(std::string_view text) { return opaqueTraceId(text); }
    static TraceId fromHalves(std::uint64_t hi, std::uint64_t lo) { return {hi, lo}; }
};

template <> struct Kind<SpanId> {
    static constexpr std::size_t bytes = 8;
    static std::optional<SpanId> fromHex(std::string_view text) { return spanIdFromHex(text); }
    static SpanId opaque(std::string_view text) { return opaqueSpanId(text); }
    static SpanId fromHalves(std::uint64_t, std::uint64_t lo) { return {lo}; }
};

bool isHexDigit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool isHex(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), isHexDigit);
}

bool isZero(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c == '0' || c == '-'; });
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.remove_suffix(1);
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text.remove_prefix(2);
    return text;
}

std::string bytesOfHex(std::string_view digits)
{
    const auto nibble = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(char(nibble(digits[i]) << 4 | nibble(digits[i + 1])));
    return bytes;
}

template <typename Id> Id fromBytes(std::string_view bytes)
{
    std::uint64_t hi = 0;
    std::uint64_t lo = 0;
    for (const char c : bytes) {
        hi = hi << 8 | lo >> 56;
        lo = lo << 8 | static_cast<unsigned char>(c);
    }
    return Kind<Id>::fromHalves(hi, lo);
}

/// Base64 of the id's bytes, or of its hex text; a trace id's hex text may be that of a 64-bit id.
template <typename Id> std::optional<Id> fromBase64Text(std::string_view text)
{
    const std::optional<std::string> bytes = fromBase64(text);
    if (!bytes)
        return std::nullopt;
    constexpr std::size_t want = Kind<Id>::bytes;
    const bool isShortHexText = want == 16 && bytes->size() == 16 && isHex(*bytes);
    if ((bytes->size() == 2 * want || isShortHexText) && isHex(*bytes))
        return Kind<Id>::fromHex(*bytes);
    return bytes->size() == want ? std::optional(fromBytes<Id>(*bytes)) : std::nullopt;
}

std::optional<TraceId> fromUuid(std::string_view text)
{
    constexpr std::size_t dashes[] = {8, 13, 18, 23};
    if (text.size() != 36 || std::any_of(std::begin(dashes), std::end(dashes), [&](std::size_t at) { return text[at] != '-'; }))
        return std::nullopt;
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '-'; });
    return digits.size() == 32 ? traceIdFromHex(digits) : std::nullopt;
}

template <typename Id> DecodedId<Id> decodeText(std::string_view source)
{
    constexpr std::size_t want = Kind<Id>::bytes;
    const std::string_view text = trimmed(source);
    if (text.empty() || isZero(text))
        return {};
    if (isHex(text) && text.size() <= 2 * want)
        return {*Kind<Id>::fromHex(text)};
    if (text.size() == 3 * want && isHex(text)) {
        const std::string hex = toBase64(bytesOfHex(text));
        if (hex.size() == 2 * want && isHex(hex))
            return {*Kind<Id>::fromHex(hex)};
    }
    if (const auto id = fromBase64Text<Id>(text))
        return {*id};
    return {Kind<Id>::opaque(text), true};
}

template <typename Id> DecodedId<Id> decodeBytes(std::string_view bytes)
{
    constexpr std::size_t want = Kind<Id>::bytes;
    if (bytes.size() <= want)
        return {fromBytes<Id>(bytes)};
    if (bytes.size() == 2 * want && isHex(bytes))
        return {*Kind<Id>::fromHex(bytes)};
    if (bytes.size() == want * 3 / 2) {
        if (const auto id = fromBase64Text<Id>(bytes))
            return {*id};
    }
    return {Kind<Id>::opaque(bytes), true};
}

} // namespace

DecodedId<TraceId> decodeTraceId(std::string_view text)
{
    if (text.size() == 32)
        if (const auto id = traceIdFromHex(text))
            return {*id};
    if (const auto id = fromUuid(trimmed(text)))
        return {*id};
    return decodeText<TraceId>(text);
}

DecodedId<SpanId> decodeSpanId(std::string_view text)
{
    if (text.size() == 16)
        if (const auto id = spanIdFromHex(text))
            return {*id};
    return decodeText<SpanId>(text);
}

DecodedId<TraceId> decodeTraceIdBytes(std::string_view bytes)
{
    return decodeBytes<TraceId>(bytes);
}

DecodedId<SpanId> decodeSpanIdBytes(std::string_view bytes)
{
    return decodeBytes<SpanId>(bytes);
}

std::optional<std::uint64_t> idFromDecimal(std::string_view text)
{
    const char* end = text.data() + text.size();
    std::uint64_t bits = 0;
    if (const auto [at, error] = std::from_chars(text.data(), end, bits); error == std::errc() && at == end)
        return bits;
    std::int64_t number = 0;
    const auto [at, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && at == end ? std::optional(std::uint64_t(number)) : std::nullopt;
}

} // namespace chokepoint
