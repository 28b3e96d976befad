// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ids.h"

#include <array>
#include <cstring>

namespace chokepoint {

namespace {

/// Values of the hexadecimal digits; -1 for every other byte.
constexpr std::array<std::int8_t, 256> hexDigits = [] {
    std::array<std::int8_t, 256> digits{};
    digits.fill(-1);
    for (int i = 0; i < 10; ++i)
        digits[std::size_t('0' + i)] = std::int8_t(i);
    for (int i = 0; i < 6; ++i)
        digits[std::size_t('a' + i)] = digits[std::size_t('A' + i)] = std::int8_t(10 + i);
    return digits;
}();

/// At most 16 digits; the check for other bytes waits for the end, so that the loop has no branches.
std::optional<std::uint64_t> wordFromHex(std::string_view text)
{
    std::uint64_t word = 0;
    int faults = 0;
    for (const char c : text) {
        const int digit = hexDigits[static_cast<unsigned char>(c)];
        faults |= digit;
        word = word << 4 | std::uint64_t(digit & 0xf);
    }
    return faults < 0 ? std::nullopt : std::optional(word);
}

void appendHex(std::string& text, std::uint64_t value)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        text.push_back("0123456789abcdef"[(value >> shift) & 0xf]);
}

} // namespace

std::string toHex(TraceId id)
{
    std::string text;
    text.reserve(32);
    appendHex(text, id.hi);
    appendHex(text, id.lo);
    return text;
}

std::string toHex(SpanId id)
{
    std::string text;
    text.reserve(16);
    appendHex(text, id.value);
    return text;
}

std::optional<TraceId> traceIdFromHex(std::string_view text)
{
    if (text.empty() || text.size() > 32)
        return std::nullopt;
    const std::size_t high = text.size() > 16 ? text.size() - 16 : 0;
    const auto hi = wordFromHex(text.substr(0, high));
    const auto lo = wordFromHex(text.substr(high));
    return hi && lo ? std::optional(TraceId{*hi, *lo}) : std::nullopt;
}

std::optional<SpanId> spanIdFromHex(std::string_view text)
{
    if (text.empty() || text.size() > 16)
        return std::nullopt;
    const auto word = wordFromHex(text);
    return word ? std::optional(SpanId{*word}) : std::nullopt;
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed)
{
    // Eight bytes a step through mix64; the length takes part, so that padding cannot collide with data.
    std::uint64_t h = mix64(seed ^ (0x9e3779b97f4a7c15ULL + bytes.size()));
    while (bytes.size() >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        h = mix64(h ^ word) + 0x9e3779b97f4a7c15ULL;
        bytes.remove_prefix(8);
    }
    std::uint64_t tail = 0;
    if (!bytes.empty())
        std::memcpy(&tail, bytes.data(), bytes.size());
    return mix64(h ^ tail);
}

TraceId opaqueTraceId(std::string_view text)
{
    return TraceId{hash64(text, 0x747261636549640aULL) | 1, hash64(text, 0x7472616365496432ULL)};
}

SpanId opaqueSpanId(std::string_view text)
{
    if (text.empty() || text.size() > 8)
        return SpanId{hash64(text, 0x7370616e49640a0aULL) | 1};
    // Short texts are their own id, left-aligned: ids then sort as their texts do, which settles ties.
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
        value = value << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
    return SpanId{value == 0 ? 1 : value};
}

} // namespace chokepoint
