// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsondocument.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <bit>

namespace chokepoint {

namespace {

constexpr std::size_t deepest = 4096; // brackets inside brackets
constexpr std::size_t padding = 64;

/// Control characters inside strings as \u00XX; outside they are white space or faults and stay.
std::string escapedControlCharacters(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + 64);
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString && c == '\\' && i + 1 < text.size()) {
            out.push_back(c);
            out.push_back(text[++i]);
            continue;
        }
        inString ^= c == '"';
        if (!inString || static_cast<unsigned char>(c) >= 0x20) {
            out.push_back(c);
            continue;
        }
        out.append("\\u00");
        out.push_back(c < 0x10 ? '0' : '1');
        out.push_back("0123456789abcdef"[c & 0xf]);
    }
    return out;
}

} // namespace

simdjson::error_code JsonDocument::start(std::string_view text)
{
    if (m_parser.capacity() < text.size() || m_parser.max_depth() != deepest) {
        if (const auto error = m_parser.allocate(std::bit_ceil(text.size() + 1), deepest); error != simdjson::SUCCESS)
            return error;
    }
    m_text = text;
    return m_parser.iterate(simdjson::padded_string_view(text.data(), text.size(), text.size() + padding)).get(m_document);
}

bool JsonDocument::open(std::string_view text, Diagnostics& diagnostics)
{
    simdjson::error_code error = start(text);
    if (error == simdjson::UTF8_ERROR) {
        m_copy = repairedUtf8(text);
        diagnostics.report(DiagnosticCode::InvalidUtf8, "text that is no UTF-8 was read with replacement characters");
        m_copy.append(padding, ' ');
        error = start(std::string_view(m_copy).substr(0, m_copy.size() - padding));
    }
    if (error == simdjson::UNESCAPED_CHARS) {
        std::string repaired = escapedControlCharacters(m_text);
        m_copy = std::move(repaired);
        m_copy.append(padding, ' ');
        error = start(std::string_view(m_copy).substr(0, m_copy.size() - padding));
    }
    return error == simdjson::SUCCESS;
}

bool JsonDocument::openCopy(std::string_view text, Diagnostics& diagnostics)
{
    std::string copy(text);
    copy.append(padding, ' ');
    m_copy = std::move(copy);
    return open(std::string_view(m_copy).substr(0, m_copy.size() - padding), diagnostics);
}

bool passMisplaced(const JsonToken& token, Diagnostics& diagnostics, const RecordPlace& place)
{
    if (!token.isNull() && token.kind != JsonKind::Invalid)
        diagnostics.reject(DiagnosticCode::BadRecord, [&] {
            constexpr std::size_t longestText = 40;
            const std::string_view line = token.raw.substr(0, token.raw.find('\n'));
            return fmt::format("{}: {} stands where spans are expected; it was left out", place.text(), elided(line, longestText));
        });
    return token.kind != JsonKind::Invalid;
}

} // namespace chokepoint
