// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON text as a tree whose tokens keep their spelling: for formats whose fields have to be looked up in any order.
#pragma once

#include "core/import/jsondocument.h"

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// One value as it lies in a tree: its subtree follows it.
struct JsonEntry {
    std::string_view key; // without escapes; empty in a list
    JsonToken token;
    std::uint32_t size = 1; // entries of the subtree, this one included
};

/// One value of a tree, or none at all. Cheap to copy, good as long as its tree is.
class JsonNode {
public:
    JsonNode() = default;
    explicit JsonNode(const JsonEntry* entry) : m_entry(entry) { }

    /// Present and not null.
    [[nodiscard]] explicit operator bool() const { return m_entry != nullptr && !m_entry->token.isNull(); }
    [[nodiscard]] JsonToken token() const { return m_entry == nullptr ? JsonToken{} : m_entry->token; }
    [[nodiscard]] bool isObject() const { return token().kind == JsonKind::Object; }
    [[nodiscard]] bool isArray() const { return token().kind == JsonKind::Array; }
    [[nodiscard]] bool isText() const { return token().kind == JsonKind::Text; }
    /// A string without its escapes, the digits of a number, true or false; empty for everything else.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string_view key() const { return m_entry == nullptr ? std::string_view() : m_entry->key; }

    /// The member of an object; the last one when the name occurs twice, absent when it does not.
    [[nodiscard]] JsonNode operator[](std::string_view name) const;
    /// The first of \a names that is present and not null.
    [[nodiscard]] JsonNode first(std::initializer_list<std::string_view> names) const;
    /// The member "a.b.c", whether it is written as objects inside each other, as one dotted name, or as a mixture.
    [[nodiscard]] JsonNode at(std::string_view dotted) const;

    /// Members or elements in order: for (JsonNode child : node).
    class Iterator {
    public:
        explicit Iterator(const JsonEntry* entry) : m_entry(entry) { }
        [[nodiscard]] JsonNode operator*() const { return JsonNode(m_entry); }
        Iterator& operator++()
        {
            m_entry += m_entry->size;
            return *this;
        }
        [[nodiscard]] bool operator!=(const Iterator& other) const { return m_entry != other.m_entry; }

    private:
        const JsonEntry* m_entry;
    };
    [[nodiscard]] Iterator begin() const { return Iterator(m_entry == nullptr ? nullptr : m_entry + 1); }
    [[nodiscard]] Iterator end() const { return Iterator(m_entry == nullptr ? nullptr : m_entry + m_entry->size); }
    [[nodiscard]] bool hasChildren() const { return begin() != end(); }

    /// The subtree in the order of the text, this entry first.
    [[nodiscard]] const JsonEntry* entry() const { return m_entry; }

private:
    const JsonEntry* m_entry = nullptr;
};

class JsonTree {
public:
    /// Takes a copy of \a text. False when it is malformed; the tree is then empty. As tolerant as JsonDocument.
    [[nodiscard]] bool read(std::string_view text, Diagnostics& diagnostics);
    [[nodiscard]] JsonNode root() const { return JsonNode(m_entries.empty() ? nullptr : m_entries.data()); }

private:
    struct Frame {
        std::size_t entry = 0;
        bool isObject = false;
        bool started = false;
        json::array_iterator elements;
        json::object_iterator members;
    };
    [[nodiscard]] bool readAll();
    [[nodiscard]] bool add(std::string_view key, json::value value);
    [[nodiscard]] bool step();

    JsonDocument m_document;
    std::vector<JsonEntry> m_entries;
    std::vector<Frame> m_frames;
    std::deque<std::string> m_keys; // those that had escapes
};

} // namespace chokepoint
