// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/packed.h"

#include <cstring>
#include <string>

namespace chokepoint {

namespace {

constexpr std::size_t longestInterned = 256; // bytes
constexpr std::uint32_t manyDistinct = 1024; // values of one key

void appendBigEndian(std::string& out, std::uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        out.push_back(char(value >> shift & 0xff));
}

} // namespace

void appendVarint(std::string& out, std::uint64_t value)
{
    while (value >= 0x80) {
        out.push_back(char(value | 0x80));
        value >>= 7;
    }
    out.push_back(char(value));
}

void PackedWriter::key(StringId key)
{
    m_key = key;
    appendVarint(*m_out, toIndex(key) + 1);
}

void PackedWriter::integer(std::int64_t value)
{
    tag(ValueTag::Int);
    appendVarint(*m_out, zigzag(value));
}

void PackedWriter::real(double value)
{
    tag(ValueTag::Double);
    char raw[8];
    std::memcpy(raw, &value, 8);
    m_out->append(raw, 8);
}

void PackedWriter::text(std::string_view text)
{
    if (toIndex(m_key) >= m_keyUse.size())
        m_keyUse.resize(toIndex(m_key) + 64);
    KeyUse& use = m_keyUse[toIndex(m_key)];
    const bool varied = use.distinct > manyDistinct && use.distinct > use.uses / 4;
    if (text.size() > longestInterned || varied) {
        tag(ValueTag::Text);
        appendVarint(*m_out, text.size());
        m_out->append(text);
        return;
    }
    const std::size_t known = m_strings.size();
    const StringId id = m_strings.intern(text);
    ++use.uses;
    use.distinct += m_strings.size() > known ? 1 : 0;
    tag(ValueTag::InternedText);
    appendVarint(*m_out, toIndex(id));
}

void PackedWriter::bytes(std::string_view bytes)
{
    tag(ValueTag::Bytes);
    appendVarint(*m_out, bytes.size());
    m_out->append(bytes);
}

void PackedWriter::numberText(std::string_view digits)
{
    tag(ValueTag::NumberText);
    appendVarint(*m_out, digits.size());
    m_out->append(digits);
}

void PackedWriter::value(const AttributeValue& root)
{
    // An explicit stack of containers under way; index counts the members already written.
    struct Open {
        const AttributeValue* container;
        std::size_t index;
    };
    std::vector<Open> open;
    const auto write = [&](const AttributeValue& v) {
        struct Visitor {
            PackedWriter& out;
            std::vector<Open>& open;
            const AttributeValue& self;
            void operator()(std::monostate) const { out.empty(); }
            void operator()(bool b) const { out.boolean(b); }
            void operator()(std::int64_t i) const { out.integer(i); }
            void operator()(double d) const { out.real(d); }
            void operator()(const std::string& s) const { out.text(s); }
            void operator()(const Bytes& b) const { out.bytes(b.data); }
            void operator()(const NumberText& n) const { out.numberText(n.text); }
            void operator()(const AttributeValue::Array&) const
            {
                out.beginArray();
                open.push_back({&self, 0});
            }
            void operator()(const AttributeList&) const
            {
                out.beginMap();
                open.push_back({&self, 0});
            }
        };
        std::visit(Visitor{*this, open, v}, v.value);
    };
    write(root);
    while (!open.empty()) {
        Open& top = open.back();
        if (const auto* array = std::get_if<AttributeValue::Array>(&top.container->value)) {
            if (top.index == array->size()) {
                endArray();
                open.pop_back();
            } else {
                write((*array)[top.index++]);
            }
            continue;
        }
        const auto& map = std::get<AttributeList>(top.container->value);
        if (top.index == map.size()) {
            endMap();
            open.pop_back();
        } else {
            const Attribute& member = map[top.index++];
            key(member.key);
            write(member.value);
        }
    }
}

void PackedWriter::attributes(const AttributeList& attributes)
{
    for (const Attribute& attribute : attributes) {
        key(attribute.key);
        value(attribute.value);
    }
    endAttributes();
}

void encodePayload(const SpanPayload& payload, Timestamp spanStart, PackedWriter& writer, std::string& out)
{
    writer.setOutput(&out);
    std::uint64_t sections = 0;
    const auto mark = [&](PayloadSection section, bool present) { sections |= std::uint64_t(present) << unsigned(section); };
    mark(PayloadSection::Attributes, !payload.attributes.empty());
    mark(PayloadSection::Events, !payload.events.empty());
    mark(PayloadSection::Links, !payload.links.empty());
    mark(PayloadSection::TraceState, !payload.traceState.empty());
    mark(PayloadSection::StatusMessage, !payload.statusMessage.empty());
    mark(PayloadSection::Flags, payload.flags != 0);
    mark(PayloadSection::DroppedAttributes, payload.droppedAttributes != 0);
    mark(PayloadSection::DroppedEvents, payload.droppedEvents != 0);
    mark(PayloadSection::DroppedLinks, payload.droppedLinks != 0);
    mark(PayloadSection::TraceIdText, !payload.traceIdText.empty());
    mark(PayloadSection::SpanIdText, !payload.spanIdText.empty());
    mark(PayloadSection::ParentIdText, !payload.parentIdText.empty());
    appendVarint(out, sections);
    if (!payload.attributes.empty())
        writer.attributes(payload.attributes);
    if (!payload.events.empty()) {
        appendVarint(out, payload.events.size());
        const std::uint64_t base = std::uint64_t(isKnown(spanStart) ? toNs(spanStart) : 0);
        for (const SpanEvent& event : payload.events) {
            appendVarint(out, zigzag(std::int64_t(std::uint64_t(toNs(event.time)) - base)));
            writer.text(event.name);
            appendVarint(out, event.droppedAttributes);
            writer.attributes(event.attributes);
        }
    }
    if (!payload.links.empty()) {
        appendVarint(out, payload.links.size());
        for (const SpanLink& link : payload.links) {
            appendBigEndian(out, link.traceId.hi);
            appendBigEndian(out, link.traceId.lo);
            appendBigEndian(out, link.spanId.value);
            appendVarint(out, link.flags);
            writer.text(link.traceState);
            appendVarint(out, link.droppedAttributes);
            writer.text(link.traceIdText);
            writer.text(link.spanIdText);
            writer.attributes(link.attributes);
        }
    }
    for (const std::string* text : {&payload.traceState, &payload.statusMessage})
        if (!text->empty())
            writer.text(*text);
    for (const std::uint32_t number : {payload.flags, payload.droppedAttributes, payload.droppedEvents, payload.droppedLinks})
        if (number != 0)
            appendVarint(out, number);
    for (const std::string* text : {&payload.traceIdText, &payload.spanIdText, &payload.parentIdText})
        if (!text->empty())
            writer.text(*text);
}

std::uint64_t payloadHash(std::string_view payload, const StringPool& strings)
{
    // Encoded again with a pool of its own, equal content becomes equal bytes, whatever was interned when it was written.
    const SpanPayload decoded = decodePayload(payload, unknownTime, strings);
    StringPool pool;
    PackedWriter writer(pool);
    std::string canonical;
    encodePayload(decoded, unknownTime, writer, canonical);
    std::uint64_t hash = hash64(canonical);
    for (std::size_t id = 0; id < pool.size(); ++id)
        hash = hash64(pool.text(StringId(id)), hash);
    return hash;
}

} // namespace chokepoint
