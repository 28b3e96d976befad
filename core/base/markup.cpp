// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/markup.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

struct Replacement {
    char character;
    const char* text;
};

template <std::size_t N> std::string replaced(std::string_view text, const std::array<Replacement, N>& table)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const auto found = std::find_if(table.begin(), table.end(), [c](const Replacement& r) { return r.character == c; });
        if (found != table.end())
            out += found->text;
        else
            out.push_back(c);
    }
    return out;
}

} // namespace

std::string htmlEscaped(std::string_view text)
{
    static constexpr std::array<Replacement, 5> table{{{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
    return replaced(escapedControls(text), table);
}

std::string markdownEscaped(std::string_view text)
{
    static constexpr std::array<Replacement, 13> table{{{'\\', "\\\\"}, {'|', "\\|"}, {'*', "\\*"}, {'_', "\\_"}, {'`', "\\`"},
        {'[', "\\["}, {']', "\\]"}, {'~', "\\~"}, {'#', "\\#"}, {'$', "\\$"}, {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}}};
    return replaced(escapedControls(text), table);
}

std::string quotesDoubled(std::string_view text)
{
    return replaced(text, std::array<Replacement, 1>{{{'"', "\"\""}}});
}

} // namespace chokepoint
