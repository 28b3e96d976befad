// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/decodeenum.h"

#include <array>
#include <initializer_list>

namespace chokepoint {

namespace {

constexpr std::array<std::string_view, 6> kinds = {"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"};
constexpr std::array<std::string_view, 3> statuses = {"UNSET", "OK", "ERROR"};

bool equalsUpper(std::string_view text, std::string_view upper)
{
    if (text.size() != upper.size())
        return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((text[i] >= 'a' && text[i] <= 'z' ? char(text[i] - 32) : text[i]) != upper[i])
            return false;
    return true;
}

template <std::size_t N>
std::optional<unsigned> indexOf(
    std::string_view text, const std::array<std::string_view, N>& names, std::initializer_list<std::string_view> prefixes)
{
    if (text.size() == 1 && text[0] >= '0' && text[0] < char('0' + N))
        return unsigned(text[0] - '0');
    for (const std::string_view prefix : prefixes) {
        if (text.size() > prefix.size() && equalsUpper(text.substr(0, prefix.size()), prefix)) {
            text.remove_prefix(prefix.size());
            break;
        }
    }
    for (unsigned i = 0; i < N; ++i)
        if (equalsUpper(text, names[i]))
            return i;
    return std::nullopt;
}

} // namespace

std::optional<SpanKind> decodeSpanKind(std::string_view text)
{
    const auto index = indexOf(text, kinds, {"SPAN_KIND_", "SPANKIND."});
    return index ? std::optional(SpanKind(*index)) : std::nullopt;
}

std::optional<SpanStatus> decodeSpanStatus(std::string_view text)
{
    const auto index = indexOf(text, statuses, {"STATUS_CODE_", "STATUSCODE."});
    return index ? std::optional(SpanStatus(*index)) : std::nullopt;
}

} // namespace chokepoint
