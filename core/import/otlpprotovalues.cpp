// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpprotovalues.h"

#include "core/base/utf8.h"
#include "core/import/protowirefields.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>

namespace chokepoint {

namespace {

using protozero::pbf_reader;
using namespace wire;

constexpr int maxDepth = 200; // of values inside values

/// Spares most texts the call of simdjson's check, whose start alone costs more than this: a fifth of reading protobuf.
bool isShortAscii(std::string_view text)
{
    constexpr std::size_t longest = 64;
    unsigned char bits = 0;
    for (const char c : text.substr(0, longest))
        bits |= static_cast<unsigned char>(c);
    return text.size() <= longest && bits < 0x80;
}

} // namespace

void OtlpProtoValues::reportWireType(const char* inMessage, std::uint32_t number)
{
    diagnostics().report(DiagnosticCode::WireType, [&] {
        return fmt::format(
            "field {} of the {} at byte {} has another wire type than OTLP gives it; it is skipped", number, inMessage, m_offset);
    });
}

void OtlpProtoValues::reportDamage(const char* what)
{
    diagnostics().report(DiagnosticCode::BadRecord,
        [&] { return fmt::format("{} of the record at byte {} is damaged; what comes before the damage is kept", what, m_offset); });
}

void OtlpProtoValues::skipOther(pbf_reader& reader, const char* inMessage, std::uint32_t lastKnown)
{
    if (reader.tag() <= lastKnown)
        reportWireType(inMessage, reader.tag());
    reader.skip();
}

std::string_view OtlpProtoValues::validText(std::string_view text, std::string& repaired)
{
    if (isShortAscii(text) || simdjson::validate_utf8(text.data(), text.size()))
        return text;
    diagnostics().report(DiagnosticCode::InvalidUtf8,
        [&] { return fmt::format("a text of the record at byte {} is no valid UTF-8; the invalid bytes are replaced", m_offset); });
    repaired = repairedUtf8(text);
    return repaired;
}

void OtlpProtoValues::setText(std::string& to, std::string_view text)
{
    std::string repaired;
    to.assign(validText(text, repaired));
}

void OtlpProtoValues::addAttribute(std::string_view bytes, std::string& out)
{
    const std::size_t before = out.size();
    m_sink.writer().setOutput(&out);
    try {
        writeKeyValue(bytes, 0);
    } catch (const protozero::exception&) {
        out.resize(before);
        diagnostics().report(DiagnosticCode::BadAttributes,
            [&] { return fmt::format("an attribute of the record at byte {} is damaged; it is left out", m_offset); });
    }
}

AttributeList OtlpProtoValues::unpacked(const std::string& packed)
{
    std::string map;
    PackedWriter& writer = m_sink.writer();
    writer.setOutput(&map);
    writer.beginMap();
    map += packed;
    writer.endMap();
    PackedCursor cursor(map);
    AttributeValue value = decodeValue(cursor, dictionary().strings);
    auto* list = std::get_if<AttributeList>(&value.value);
    return list == nullptr ? AttributeList{} : std::move(*list);
}

void OtlpProtoValues::writeKeyValue(std::string_view bytes, int depth)
{
    std::string_view key;
    Merged value;
    pbf_reader pair(bytes.data(), bytes.size());
    while (pair.next()) {
        switch (pair.tag_and_type()) {
        case message(1): key = viewOf(pair); break;
        case message(2): value.add(viewOf(pair)); break;
        default: skipOther(pair, "KeyValue", 2);
        }
    }
    std::string repaired;
    m_sink.writer().key(validText(key, repaired));
    writeAnyValue(value.bytes(), depth);
}

void OtlpProtoValues::writeDouble(double value)
{
    if (std::isfinite(value)) {
        m_sink.writer().real(value);
        return;
    }
    const char* text = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    diagnostics().report(DiagnosticCode::NumberOutOfRange,
        [&] { return fmt::format("{} in an attribute of the record at byte {} is kept as text", text, m_offset); });
    m_sink.writer().numberText(text);
}

/// Recursion goes no deeper than maxDepth; a value below is kept as the empty value.
void OtlpProtoValues::writeAnyValue(std::string_view bytes, int depth)
{
    PackedWriter& writer = m_sink.writer();
    if (depth > maxDepth) {
        diagnostics().report(DiagnosticCode::DepthLimit, [&] {
            return fmt::format(
                "an attribute of the record at byte {} nests deeper than {} levels; deeper values are left empty", m_offset, maxDepth);
        });
        writer.empty();
        return;
    }
    std::uint32_t member = 0; // the number of the oneof's member that came last
    Merged content; // of a text, bytes or container
    std::uint64_t scalar = 0;
    double real = 0;
    pbf_reader value(bytes.data(), bytes.size());
    while (value.next()) {
        const std::uint32_t number = value.tag(); // good until the content is read
        switch (value.tag_and_type()) {
        case message(1):
        case message(7): content.restart(viewOf(value)); break;
        case message(5):
        case message(6):
            if (member != number)
                content.restart({});
            content.add(viewOf(value));
            break;
        case varint(2):
        case varint(3): scalar = value.get_uint64(); break;
        case fixed64(4): real = value.get_double(); break;
        default: skipOther(value, "AnyValue", 7); continue;
        }
        member = number;
    }
    std::string repaired;
    switch (member) {
    case 1: writer.text(validText(content.bytes(), repaired)); break;
    case 2: writer.boolean(scalar != 0); break;
    case 3: writer.integer(std::int64_t(scalar)); break;
    case 4: writeDouble(real); break;
    case 5:
    case 6: writeContainer(content.bytes(), member == 6, depth + 1); break;
    case 7: writer.bytes(content.bytes()); break;
    default: writer.empty();
    }
}

void OtlpProtoValues::writeContainer(std::string_view bytes, bool isMap, int depth)
{
    PackedWriter& writer = m_sink.writer();
    if (isMap)
        writer.beginMap();
    else
        writer.beginArray();
    pbf_reader values(bytes.data(), bytes.size());
    while (values.next()) {
        if (values.tag_and_type() != message(1))
            skipOther(values, isMap ? "KeyValueList" : "ArrayValue", 1);
        else if (isMap)
            writeKeyValue(viewOf(values), depth);
        else
            writeAnyValue(viewOf(values), depth);
    }
    if (isMap)
        writer.endMap();
    else
        writer.endArray();
}

} // namespace chokepoint
