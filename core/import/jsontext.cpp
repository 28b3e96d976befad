// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsontext.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

void appendQuoted(std::string& out, std::string_view text)
{
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", int(c));
        else
            out += c;
    }
    out += '"';
}

void appendJson(std::string& out, const JsonEntry* entry)
{
    struct Open {
        const JsonEntry* end;
        bool isObject;
    };
    std::vector<Open> open;
    bool isFirst = true;
    do {
        if (!open.empty() && !isFirst)
            out += ',';
        if (!open.empty() && open.back().isObject) {
            appendQuoted(out, entry->key);
            out += ':';
        }
        const bool isObject = entry->token.kind == JsonKind::Object;
        isFirst = !entry->token.isScalar();
        if (isFirst) {
            out += isObject ? '{' : '[';
            open.push_back({entry + entry->size, isObject});
        } else {
            out += entry->token.raw;
        }
        ++entry;
        while (!open.empty() && entry == open.back().end) {
            out += open.back().isObject ? '}' : ']';
            open.pop_back();
            isFirst = false;
        }
    } while (!open.empty());
}

bool isContainerText(std::string_view text)
{
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    return start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
}

} // namespace

std::string jsonText(JsonNode node)
{
    std::string text;
    if (node.entry() != nullptr)
        appendJson(text, node.entry());
    return text;
}

void appendJsonMember(std::string& object, std::string_view key, JsonNode value)
{
    if (object.size() > 1)
        object += ',';
    appendQuoted(object, key);
    object += ':';
    object += value.entry() == nullptr ? "null" : jsonText(value);
}

JsonNode EmbeddedJson::read(JsonNode node)
{
    if (node.isObject() || node.isArray())
        return node;
    return node.isText() ? read(node.text()) : JsonNode();
}

JsonNode EmbeddedJson::read(std::string_view text)
{
    m_source = text;
    const std::size_t start = m_source.find_first_not_of(" \t\r\n");
    if (start != std::string::npos && m_source[start] == '"') { // a text that is the JSON of a text
        const std::size_t end = m_source.find_last_not_of(" \t\r\n");
        if (end == start || m_source[end] != '"')
            return {};
        std::string scratch;
        m_source = std::string(unescaped(std::string_view(m_source).substr(start + 1, end - start - 1), scratch));
    }
    return isContainerText(m_source) && m_tree.read(m_source, m_diagnostics) ? m_tree.root() : JsonNode();
}

} // namespace chokepoint
