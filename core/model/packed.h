// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Packed values: the byte form of what hangs on a span (attributes, events, links, rare fields). One format for batches
// in memory and for the blocks of a workspace, so that a span is encoded once and decoded only when somebody looks.
//
// Encoding, version 1. All integers are LEB128 varints unless said otherwise; "zigzag" folds the sign into bit 0.
//   value    := tag byte, then by tag:
//               0 empty | 1 false | 2 true | 3 int (zigzag) | 4 double (8 bytes, little endian, any bit pattern)
//               5 text, interned (StringId) | 6 text, inline (length, bytes) | 7 bytes (length, bytes)
//               8 array: value* then tag 15 | 9 map: attributes | 10 number text (length, bytes)
//   attributes := (key StringId + 1, value)* then 0
//   payload  := section mask, then the sections present, in the order of PayloadSection:
//               Attributes       attributes
//               Events           count, then per event: time - span start (zigzag, wrapping; start 0 when unknown),
//                                name value, dropped attributes, attributes
//               Links            count, then per link: trace id (16 bytes, big endian), span id (8 bytes, big endian),
//                                flags, trace state value, dropped attributes, trace id text value,
//                                span id text value (empty when the id is plain hex), attributes
//               TraceState, StatusMessage, TraceIdText, SpanIdText, ParentIdText   value
//               Flags, DroppedAttributes, DroppedEvents, DroppedLinks              integer
#pragma once

#include "core/base/time.h"
#include "core/model/attribute.h"
#include "core/model/dictionary.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

enum class ValueTag : std::uint8_t { Empty, False, True, Int, Double, InternedText, Text, Bytes, Array, Map, NumberText, End = 15 };

enum class PayloadSection : std::uint8_t {
    Attributes,
    Events,
    Links,
    TraceState,
    StatusMessage,
    Flags,
    DroppedAttributes,
    DroppedEvents,
    DroppedLinks,
    TraceIdText,
    SpanIdText,
    ParentIdText
};

void appendVarint(std::string& out, std::uint64_t value);
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t v)
{
    return std::uint64_t(v) << 1 ^ std::uint64_t(v >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t v)
{
    return std::int64_t(v >> 1) ^ -std::int64_t(v & 1);
}

/// Bounds-checked cursor over packed bytes. After damage, ok() is false and every read yields zero or empty.
class PackedCursor {
public:
    explicit PackedCursor(std::string_view bytes) : m_bytes(bytes) { }

    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] bool atEnd() const { return m_bytes.empty(); }
    [[nodiscard]] std::string_view rest() const { return m_bytes; }
    std::uint8_t byte();
    std::uint64_t varint();
    std::string_view take(std::uint64_t length);
    /// Moves past one value, containers included, without recursion.
    void skipValue();
    /// Moves past attributes up to and including their terminator.
    void skipAttributes();
    void fail()
    {
        m_ok = false;
        m_bytes = {};
    }

private:
    std::string_view m_bytes;
    bool m_ok = true;
};

/// One value as it stands in packed bytes; cheap, borrows from the bytes and the dictionary.
struct PackedValue {
    ValueTag tag = ValueTag::Empty;
    std::int64_t integer = 0; // Int
    double real = 0; // Double
    std::string_view text; // InternedText, Text, Bytes, NumberText
    std::string_view container; // Array, Map: the bytes after the tag, up to and including the terminator

    [[nodiscard]] bool isText() const { return tag == ValueTag::InternedText || tag == ValueTag::Text; }
};
[[nodiscard]] PackedValue readValue(PackedCursor& cursor, const StringPool& strings);

/// Calls visit(StringId key, const PackedValue&) for each attribute in order; visit returns false to stop early.
template <typename Visit> void forEachAttribute(PackedCursor& cursor, const StringPool& strings, Visit&& visit)
{
    while (const std::uint64_t key = cursor.varint()) {
        const PackedValue value = readValue(cursor, strings);
        if (!cursor.ok() || !visit(StringId(key - 1), value))
            return;
    }
}

/// The attributes section of a payload (empty when it has none), to walk with forEachAttribute.
[[nodiscard]] PackedCursor payloadAttributes(std::string_view payload);

// ---- decoded form -------------------------------------------------------------------------------------------------

struct SpanEvent {
    Timestamp time = unknownTime;
    std::string name;
    AttributeList attributes;
    std::uint32_t droppedAttributes = 0;
    friend bool operator==(const SpanEvent&, const SpanEvent&) = default;
};

struct SpanLink {
    TraceId traceId;
    SpanId spanId;
    std::string traceState;
    AttributeList attributes;
    std::uint32_t droppedAttributes = 0;
    std::uint32_t flags = 0;
    std::string traceIdText; // when the source's id was no hex
    std::string spanIdText;
    friend bool operator==(const SpanLink&, const SpanLink&) = default;
};

/// Everything about a span that is not a column.
struct SpanPayload {
    AttributeList attributes;
    std::vector<SpanEvent> events;
    std::vector<SpanLink> links;
    std::string traceState;
    std::string statusMessage;
    std::uint32_t flags = 0; // W3C trace flags and OTLP's remote bits
    std::uint32_t droppedAttributes = 0;
    std::uint32_t droppedEvents = 0;
    std::uint32_t droppedLinks = 0;
    std::string traceIdText; // the source's text when it was no plain hex id; else empty
    std::string spanIdText;
    std::string parentIdText;
    friend bool operator==(const SpanPayload&, const SpanPayload&) = default;
};

/// Damaged bytes give what could be read and ok = false.
[[nodiscard]] SpanPayload decodePayload(std::string_view payload, Timestamp spanStart, const StringPool& strings, bool* ok = nullptr);
[[nodiscard]] AttributeValue decodeValue(PackedCursor& cursor, const StringPool& strings);

/// Hash of what a payload says, independent of which texts are interned: equal content, equal hash.
[[nodiscard]] std::uint64_t payloadHash(std::string_view payload, const StringPool& strings);

// ---- writing ------------------------------------------------------------------------------------------------------

/// Writes values and attributes to a byte string. Short texts of keys with few distinct values are interned, others stay
/// inline: a key goes inline once it had more than 1,024 distinct values and those are more than a quarter of its uses.
class PackedWriter {
public:
    explicit PackedWriter(StringPool& strings) : m_strings(strings) { }

    void setOutput(std::string* out) { m_out = out; }

    void key(std::string_view key) { this->key(m_strings.intern(key)); }
    void key(StringId key);
    void endAttributes() { m_out->push_back(0); }

    void empty() { tag(ValueTag::Empty); }
    void boolean(bool value) { tag(value ? ValueTag::True : ValueTag::False); }
    void integer(std::int64_t value);
    void real(double value);
    /// \a text must be valid UTF-8.
    void text(std::string_view text);
    void bytes(std::string_view bytes);
    void numberText(std::string_view digits);
    void beginArray() { tag(ValueTag::Array); }
    void endArray() { tag(ValueTag::End); }
    void beginMap() { tag(ValueTag::Map); }
    void endMap() { endAttributes(); }

    void value(const AttributeValue& value);
    void attributes(const AttributeList& attributes); // with the terminator

    [[nodiscard]] StringPool& strings() { return m_strings; }

private:
    struct KeyUse {
        std::uint32_t uses = 0;
        std::uint32_t distinct = 0;
    };
    void tag(ValueTag tag) { m_out->push_back(char(tag)); }

    StringPool& m_strings;
    std::string* m_out = nullptr;
    std::vector<KeyUse> m_keyUse; // by StringId of the key
    StringId m_key{};
};

/// Encodes a decoded payload; the inverse of decodePayload. Appends to \a out.
void encodePayload(const SpanPayload& payload, Timestamp spanStart, PackedWriter& writer, std::string& out);

} // namespace chokepoint
