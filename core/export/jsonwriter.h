// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// JSON text as a stream: no document in memory, no recursion, so that neither size nor nesting of a trace matters.
#pragma once

#include "core/model/attribute.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Appends to its text, which the owner takes away at any time. Sets commas; the caller balances begin and end.
class JsonWriter {
public:
    void beginObject() { open('{'); }
    void endObject() { close('}'); }
    void beginArray() { open('['); }
    void endArray() { close(']'); }
    void key(std::string_view key); // ASCII without escapes: the names of a format
    void string(std::string_view text); // any bytes; invalid UTF-8 is repaired
    void number(std::int64_t value);
    void number(std::uint64_t value);
    void number(double value); // finite, shortest text that reads back equal
    void boolean(bool value);
    void raw(std::string_view json); // a complete value
    /// A new line between values, for people and line tools.
    void lineBreak() { m_lineBreak = true; }

    [[nodiscard]] std::string& text() { return m_text; }

private:
    void open(char bracket);
    void close(char bracket);
    void separate();

    std::string m_text;
    std::vector<bool> m_hasMember; // one an open container
    bool m_afterKey = false;
    bool m_lineBreak = false;
};

/// OTLP's JSON form of AnyValue: {"stringValue":"…"}, {"intValue":"5"}, {"doubleValue":"NaN"}, {"bytesValue":"base64"}, … A
/// number text goes out as intValue or doubleValue with its digits; the empty value is {}.
void writeAnyValue(JsonWriter& out, const AttributeValue& value);
/// [{"key":"…","value":{…}}, …], duplicates and order kept.
void writeKeyValues(JsonWriter& out, const AttributeList& attributes);

} // namespace chokepoint
