// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/base64.h"

#include <cstdint>

namespace chokepoint {

namespace {

int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

} // namespace

std::optional<std::string> fromBase64(std::string_view text)
{
    std::size_t padding = 0;
    while (padding < 2 && !text.empty() && text.back() == '=') {
        text.remove_suffix(1);
        ++padding;
    }
    if (text.size() % 4 == 1 || (padding != 0 && (text.size() + padding) % 4 != 0))
        return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t pending = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const int six = sextet(c);
        if (six < 0)
            return std::nullopt;
        pending = pending << 6 | std::uint32_t(six);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes.push_back(char(pending >> bits & 0xff));
        }
    }
    const std::uint32_t leftOver = pending & ((1U << bits) - 1);
    return leftOver == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

} // namespace chokepoint
