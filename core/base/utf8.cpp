// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace chokepoint {

namespace {

/// Length of the valid sequence at the start of \a text and its code point; length 0 when invalid.
struct Decoded {
    std::size_t length = 0;
    std::uint32_t codePoint = 0;
};

Decoded decodeFirst(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return std::uint32_t(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80)
        return {1, lead};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
        return {};
    std::uint32_t codePoint = lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        codePoint = codePoint << 6 | (byte(i) & 0x3f);
    }
    constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (codePoint < smallest[length] || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff))
        return {};
    return {length, codePoint};
}

void appendCodePoint(std::string& text, std::uint32_t c)
{
    if (c < 0x80) {
        text.push_back(char(c));
    } else if (c < 0x800) {
        text.push_back(char(0xc0 | c >> 6));
        text.push_back(char(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        text.push_back(char(0xe0 | c >> 12));
        text.push_back(char(0x80 | (c >> 6 & 0x3f)));
        text.push_back(char(0x80 | (c & 0x3f)));
    } else {
        text.push_back(char(0xf0 | c >> 18));
        text.push_back(char(0x80 | (c >> 12 & 0x3f)));
        text.push_back(char(0x80 | (c >> 6 & 0x3f)));
        text.push_back(char(0x80 | (c & 0x3f)));
    }
}

std::uint32_t lowerCase(std::uint32_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c + 32;
    if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) || (c >= 0x410 && c <= 0x42f))
        return c + 32;
    if (c >= 0x400 && c <= 0x40f)
        return c + 80;
    if ((c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) || (c >= 0x14a && c <= 0x177) || (c >= 0x1e00 && c <= 0x1eff))
        return c | 1;
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e))
        return (c & 1) != 0 ? c + 1 : c;
    return c;
}

} // namespace

bool isValidUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = decodeFirst(text).length;
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string repairedUtf8(std::string_view text)
{
    std::string repaired;
    repaired.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = decodeFirst(text).length;
        if (length == 0)
            repaired += "\xef\xbf\xbd";
        else
            repaired.append(text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return repaired;
}

std::string elided(std::string_view text, std::size_t maxCodePoints)
{
    std::size_t used = 0;
    std::size_t count = 0;
    std::size_t cutAt = 0;
    while (used < text.size()) {
        if (count + 1 == maxCodePoints)
            cutAt = used;
        if (count == maxCodePoints)
            return std::string(text.substr(0, cutAt)) + "\xe2\x80\xa6";
        used += std::max<std::size_t>(1, decodeFirst(text.substr(used)).length);
        ++count;
    }
    return std::string(text);
}

std::string escapedControls(std::string_view text)
{
    std::string escaped;
    escaped.reserve(text.size());
    while (!text.empty()) {
        const Decoded first = decodeFirst(text);
        if (first.length == 0) {
            escaped += "\xef\xbf\xbd";
        } else if (first.codePoint < 0x20 || (first.codePoint >= 0x7f && first.codePoint < 0xa0)) {
            escaped += first.codePoint == '\n' ? "\\n" : first.codePoint == '\t' ? "\\t" : fmt::format("\\x{:02x}", first.codePoint);
        } else {
            escaped.append(text.substr(0, first.length));
        }
        text.remove_prefix(first.length == 0 ? 1 : first.length);
    }
    return escaped;
}

std::string foldedCase(std::string_view text)
{
    std::string folded;
    folded.reserve(text.size());
    while (!text.empty()) {
        const Decoded first = decodeFirst(text);
        if (first.length == 0)
            folded.push_back(text.front());
        else
            appendCodePoint(folded, lowerCase(first.codePoint));
        text.remove_prefix(first.length == 0 ? 1 : first.length);
    }
    return folded;
}

} // namespace chokepoint
