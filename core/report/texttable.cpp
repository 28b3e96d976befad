// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/texttable.h"

#include "core/base/markup.h"
#include "core/base/utf8.h"

#include <algorithm>

namespace chokepoint {

namespace {

bool isWide(std::uint32_t c)
{
    return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff)
        || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) || (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff)
        || (c >= 0x20000 && c <= 0x3fffd);
}

} // namespace

std::size_t displayWidth(std::string_view text)
{
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        std::uint32_t c = lead < 0x80 ? lead : lead & (0x7fU >> length);
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
            c = c << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
        width += isWide(c) ? 2 : 1;
        i += length;
    }
    return width;
}

std::string TextTable::text() const
{
    std::vector<std::vector<std::string>> lines;
    lines.reserve(m_rows.size() + 1);
    lines.emplace_back();
    for (const Column& column : m_columns)
        lines.front().push_back(column.title);
    for (const std::vector<std::string>& row : m_rows) {
        lines.emplace_back();
        for (std::size_t c = 0; c < m_columns.size(); ++c)
            lines.back().push_back(c < row.size() ? elided(escapedControls(row[c]), m_columns[c].maxWidth) : std::string{});
    }
    std::vector<std::size_t> widths(m_columns.size());
    for (const std::vector<std::string>& line : lines)
        for (std::size_t c = 0; c < line.size(); ++c)
            widths[c] = std::max(widths[c], displayWidth(line[c]));

    std::string out;
    for (const std::vector<std::string>& line : lines) {
        std::string text;
        for (std::size_t c = 0; c < line.size(); ++c) {
            const std::string padding(widths[c] - displayWidth(line[c]), ' ');
            text += c == 0 ? "" : "  ";
            text += m_columns[c].align == Align::Right ? padding + line[c] : line[c] + padding;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + '\n';
    }
    return out;
}

std::string TextTable::markdown() const
{
    std::string out = "|";
    for (const Column& column : m_columns)
        out += ' ' + markdownEscaped(column.title) + " |";
    out += "\n|";
    for (const Column& column : m_columns)
        out += column.align == Align::Right ? " ---: |" : " --- |";
    for (const std::vector<std::string>& row : m_rows) {
        out += "\n|";
        for (std::size_t c = 0; c < m_columns.size(); ++c)
            out += ' ' + (c < row.size() ? markdownEscaped(row[c]) : std::string{}) + " |";
    }
    return out + '\n';
}

} // namespace chokepoint
