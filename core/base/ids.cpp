// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ids.h"

#include <array>
#include <cstring>

namespace chokepoint {

namespace {

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = char(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
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
    TraceId id;
    for (const char c : text) {
        const int digit = hexDigit(c);
        if (digit < 0)
            return std::nullopt;
        id.hi = id.hi << 4 | id.lo >> 60;
        id.lo = id.lo << 4 | std::uint64_t(digit);
    }
    return id;
}

std::optional<SpanId> spanIdFromHex(std::string_view text)
{
    if (text.size() > 16)
        return std::nullopt;
    const std::optional<TraceId> id = traceIdFromHex(text);
    return id ? std::optional<SpanId>(SpanId{id->lo}) : std::nullopt;
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
