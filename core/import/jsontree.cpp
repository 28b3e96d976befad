// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsontree.h"

namespace chokepoint {

std::string JsonNode::text() const
{
    const JsonToken own = token();
    std::string scratch;
    return own.isScalar() ? std::string(tokenText(own, scratch)) : std::string();
}

JsonNode JsonNode::operator[](std::string_view name) const
{
    JsonNode found;
    if (!isObject())
        return found;
    for (const JsonNode member : *this)
        if (member.key() == name)
            found = member;
    return found;
}

JsonNode JsonNode::first(std::initializer_list<std::string_view> names) const
{
    for (const std::string_view name : names)
        if (const JsonNode member = (*this)[name])
            return member;
    return {};
}

JsonNode JsonNode::at(std::string_view dotted) const
{
    JsonNode node = *this;
    while (!dotted.empty()) {
        JsonNode inner = node[dotted];
        std::size_t length = dotted.size();
        while (inner.entry() == nullptr && (length = dotted.rfind('.', length - 1)) != std::string_view::npos && length != 0)
            inner = node[dotted.substr(0, length)];
        if (inner.entry() == nullptr || length >= dotted.size())
            return inner;
        node = inner;
        dotted.remove_prefix(length + 1);
    }
    return node;
}

bool JsonTree::read(std::string_view text, Diagnostics& diagnostics)
{
    m_entries.clear();
    m_frames.clear();
    m_keys.clear();
    const bool isGood = m_document.openCopy(text, diagnostics) && readAll();
    if (!isGood)
        m_entries.clear();
    return isGood;
}

bool JsonTree::readAll()
{
    json::value root;
    // A document that is one scalar has no value in the sense of the parser; no format is one.
    if (m_document.root().get_value().get(root) != simdjson::SUCCESS || !add({}, root))
        return false;
    while (!m_frames.empty())
        if (!step())
            return false;
    // Behind one value on a line there may be another.
    return m_document.root().current_location().error() == simdjson::OUT_OF_BOUNDS;
}

/// An entry for \a value; a container stays open as the innermost frame.
bool JsonTree::add(std::string_view key, json::value value)
{
    const JsonToken token = tokenOf(value);
    if (key.find('\\') != std::string_view::npos) {
        std::string scratch;
        key = m_keys.emplace_back(unescaped(key, scratch));
    }
    m_entries.push_back({key, token, 1});
    if (token.isScalar())
        return true;
    Frame frame;
    frame.entry = m_entries.size() - 1;
    frame.isObject = token.kind == JsonKind::Object;
    json::object object;
    json::array array;
    const bool isOpen = frame.isObject
        ? value.get_object().get(object) == simdjson::SUCCESS && object.begin().get(frame.members) == simdjson::SUCCESS
        : token.kind == JsonKind::Array && value.get_array().get(array) == simdjson::SUCCESS
            && array.begin().get(frame.elements) == simdjson::SUCCESS;
    if (isOpen)
        m_frames.push_back(frame);
    return isOpen;
}

/// The next child of the innermost frame, or its end.
bool JsonTree::step()
{
    Frame& frame = m_frames.back();
    if (frame.started)
        frame.isObject ? void(++frame.members) : void(++frame.elements);
    frame.started = true;
    const bool atEnd = frame.isObject ? frame.members == frame.members : frame.elements == frame.elements; // simdjson's test for the end
    if (atEnd) {
        m_entries[frame.entry].size = std::uint32_t(m_entries.size() - frame.entry);
        m_frames.pop_back();
        return true;
    }
    if (frame.isObject) {
        json::field field;
        return (*frame.members).get(field) == simdjson::SUCCESS && add(rawKey(field), field.value());
    }
    json::value element;
    return (*frame.elements).get(element) == simdjson::SUCCESS && add({}, element);
}

} // namespace chokepoint
