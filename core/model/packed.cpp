// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/packed.h"

#include <cmath>
#include <cstring>

namespace chokepoint {

std::uint8_t PackedCursor::byte()
{
    if (m_bytes.empty()) {
        fail();
        return 0;
    }
    const auto value = static_cast<std::uint8_t>(m_bytes.front());
    m_bytes.remove_prefix(1);
    return value;
}

std::uint64_t PackedCursor::varint()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint8_t b = byte();
        value |= std::uint64_t(b & 0x7f) << shift;
        if (b < 0x80)
            return value;
    }
    fail();
    return 0;
}

std::string_view PackedCursor::take(std::uint64_t length)
{
    if (length > m_bytes.size()) {
        fail();
        return {};
    }
    const std::string_view taken = m_bytes.substr(0, length);
    m_bytes.remove_prefix(length);
    return taken;
}

namespace {

/// Moves past the bytes of a value that is no container.
void skipScalar(PackedCursor& cursor, ValueTag tag)
{
    switch (tag) {
    case ValueTag::Empty:
    case ValueTag::False:
    case ValueTag::True: return;
    case ValueTag::Int:
    case ValueTag::InternedText: cursor.varint(); return;
    case ValueTag::Double: cursor.take(8); return;
    case ValueTag::Text:
    case ValueTag::Bytes:
    case ValueTag::NumberText: cursor.take(cursor.varint()); return;
    default: cursor.fail();
    }
}

/// Moves past the rest of the containers in \a open, the innermost last; true for a map, false for an array.
void skipContainers(PackedCursor& cursor, std::vector<bool>& open)
{
    while (!open.empty() && cursor.ok()) {
        if (open.back() && cursor.varint() == 0) {
            open.pop_back();
            continue;
        }
        const auto tag = ValueTag(cursor.byte());
        if (tag == ValueTag::End && !open.back())
            open.pop_back();
        else if (tag == ValueTag::Array || tag == ValueTag::Map)
            open.push_back(tag == ValueTag::Map);
        else
            skipScalar(cursor, tag);
    }
}

} // namespace

void PackedCursor::skipValue()
{
    const auto tag = ValueTag(byte());
    if (tag != ValueTag::Array && tag != ValueTag::Map)
        return skipScalar(*this, tag);
    std::vector<bool> open{tag == ValueTag::Map};
    skipContainers(*this, open);
}

void PackedCursor::skipAttributes()
{
    while (varint() != 0 && ok())
        skipValue();
}

PackedValue readValue(PackedCursor& cursor, const StringPool& strings)
{
    PackedValue value;
    const std::string_view before = cursor.rest();
    value.tag = ValueTag(cursor.byte());
    switch (value.tag) {
    case ValueTag::Empty:
    case ValueTag::False:
    case ValueTag::True: break;
    case ValueTag::Int: value.integer = unzigzag(cursor.varint()); break;
    case ValueTag::Double: {
        const std::string_view raw = cursor.take(8);
        if (cursor.ok())
            std::memcpy(&value.real, raw.data(), 8);
        break;
    }
    case ValueTag::InternedText: {
        const std::uint64_t id = cursor.varint();
        if (id < strings.size())
            value.text = strings.text(StringId(id));
        else
            cursor.fail();
        break;
    }
    case ValueTag::Text:
    case ValueTag::Bytes:
    case ValueTag::NumberText: value.text = cursor.take(cursor.varint()); break;
    case ValueTag::Array:
    case ValueTag::Map: {
        cursor = PackedCursor(before);
        cursor.skipValue();
        if (cursor.ok())
            value.container = before.substr(1, before.size() - 1 - cursor.rest().size());
        break;
    }
    default: cursor.fail();
    }
    return value;
}

PackedCursor payloadAttributes(std::string_view payload)
{
    constexpr std::string_view none("\0", 1);
    PackedCursor cursor(payload);
    const std::uint64_t sections = cursor.varint();
    return (sections & 1U << unsigned(PayloadSection::Attributes)) != 0 ? cursor : PackedCursor(none);
}

AttributeValue decodeValue(PackedCursor& cursor, const StringPool& strings)
{
    // One level of open container a nesting depth; the heap, not the call stack, grows with the input.
    struct Open {
        bool isMap;
        AttributeValue::Array array;
        AttributeList map;
        std::string key;
    };
    std::vector<Open> open;
    while (true) {
        AttributeValue value;
        bool finished = true;
        if (!open.empty() && open.back().isMap) {
            const std::uint64_t key = cursor.varint();
            if (key == 0) {
                value.value = std::move(open.back().map);
                open.pop_back();
                finished = false;
            } else if (key - 1 < strings.size()) {
                open.back().key = strings.text(StringId(key - 1));
            } else {
                cursor.fail();
            }
        }
        if (finished) {
            const auto tag = cursor.rest().empty() ? ValueTag::Empty : ValueTag(cursor.rest().front());
            if (tag == ValueTag::Array || tag == ValueTag::Map) {
                cursor.byte();
                open.push_back(Open{tag == ValueTag::Map, {}, {}, {}});
                continue;
            }
            if (tag == ValueTag::End && !open.empty() && !open.back().isMap) {
                cursor.byte();
                value.value = std::move(open.back().array);
                open.pop_back();
            } else {
                const PackedValue packed = readValue(cursor, strings);
                switch (packed.tag) {
                case ValueTag::False: value.value = false; break;
                case ValueTag::True: value.value = true; break;
                case ValueTag::Int: value.value = packed.integer; break;
                case ValueTag::Double: value.value = packed.real; break;
                case ValueTag::InternedText:
                case ValueTag::Text: value.value = std::string(packed.text); break;
                case ValueTag::Bytes: value.value = Bytes{std::string(packed.text)}; break;
                case ValueTag::NumberText: value.value = NumberText{std::string(packed.text)}; break;
                default: break;
                }
            }
        }
        if (!cursor.ok())
            return {};
        if (open.empty())
            return value;
        Open& container = open.back();
        if (container.isMap)
            container.map.push_back({std::move(container.key), std::move(value)});
        else
            container.array.push_back(std::move(value));
    }
}

namespace {

AttributeList decodeAttributes(PackedCursor& cursor, const StringPool& strings)
{
    AttributeList attributes;
    while (const std::uint64_t key = cursor.varint()) {
        if (key - 1 >= strings.size()) {
            cursor.fail();
            break;
        }
        AttributeValue value = decodeValue(cursor, strings);
        if (!cursor.ok())
            break;
        attributes.push_back({std::string(strings.text(StringId(key - 1))), std::move(value)});
    }
    return attributes;
}

std::string decodeText(PackedCursor& cursor, const StringPool& strings)
{
    return std::string(readValue(cursor, strings).text);
}

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

SpanEvent decodeEvent(PackedCursor& cursor, Timestamp spanStart, const StringPool& strings)
{
    SpanEvent event;
    const std::int64_t offset = unzigzag(cursor.varint());
    event.time = timestampFromNs(std::int64_t(std::uint64_t(isKnown(spanStart) ? toNs(spanStart) : 0) + std::uint64_t(offset)));
    event.name = decodeText(cursor, strings);
    event.droppedAttributes = std::uint32_t(cursor.varint());
    event.attributes = decodeAttributes(cursor, strings);
    return event;
}

SpanLink decodeLink(PackedCursor& cursor, const StringPool& strings)
{
    SpanLink link;
    link.traceId.hi = bigEndian(cursor.take(8));
    link.traceId.lo = bigEndian(cursor.take(8));
    link.spanId.value = bigEndian(cursor.take(8));
    link.flags = std::uint32_t(cursor.varint());
    link.traceState = decodeText(cursor, strings);
    link.droppedAttributes = std::uint32_t(cursor.varint());
    link.traceIdText = decodeText(cursor, strings);
    link.spanIdText = decodeText(cursor, strings);
    link.attributes = decodeAttributes(cursor, strings);
    return link;
}

} // namespace

SpanPayload decodePayload(std::string_view payload, Timestamp spanStart, const StringPool& strings, bool* ok)
{
    SpanPayload decoded;
    PackedCursor cursor(payload);
    const std::uint64_t sections = cursor.varint();
    const auto has = [&](PayloadSection section) { return cursor.ok() && (sections & 1U << unsigned(section)) != 0; };
    if (has(PayloadSection::Attributes))
        decoded.attributes = decodeAttributes(cursor, strings);
    if (has(PayloadSection::Events))
        for (std::uint64_t count = cursor.varint(); count > 0 && cursor.ok(); --count)
            decoded.events.push_back(decodeEvent(cursor, spanStart, strings));
    if (has(PayloadSection::Links))
        for (std::uint64_t count = cursor.varint(); count > 0 && cursor.ok(); --count)
            decoded.links.push_back(decodeLink(cursor, strings));
    if (has(PayloadSection::TraceState))
        decoded.traceState = decodeText(cursor, strings);
    if (has(PayloadSection::StatusMessage))
        decoded.statusMessage = decodeText(cursor, strings);
    if (has(PayloadSection::Flags))
        decoded.flags = std::uint32_t(cursor.varint());
    if (has(PayloadSection::DroppedAttributes))
        decoded.droppedAttributes = std::uint32_t(cursor.varint());
    if (has(PayloadSection::DroppedEvents))
        decoded.droppedEvents = std::uint32_t(cursor.varint());
    if (has(PayloadSection::DroppedLinks))
        decoded.droppedLinks = std::uint32_t(cursor.varint());
    if (has(PayloadSection::TraceIdText))
        decoded.traceIdText = decodeText(cursor, strings);
    if (has(PayloadSection::SpanIdText))
        decoded.spanIdText = decodeText(cursor, strings);
    if (has(PayloadSection::ParentIdText))
        decoded.parentIdText = decodeText(cursor, strings);
    if (ok != nullptr)
        *ok = cursor.ok();
    return decoded;
}

} // namespace chokepoint
