// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpprotosniff.h"

#include "core/import/protowire.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace chokepoint {

namespace {

/// Which (number, type) pairs a message holds, by wire type a bit set of the numbers below 64, and a few contents.
struct FieldSet {
    std::array<std::uint64_t, 8> byType{};
    std::array<std::string_view, 16> content{};
    bool wellFormed = true;

    [[nodiscard]] bool has(unsigned number, WireType type) const { return (byType[std::size_t(type)] >> number & 1U) != 0; }
    /// A length-delimited field of exactly \a size bytes.
    [[nodiscard]] bool hasLength(unsigned number, std::size_t size) const
    {
        return has(number, WireType::Length) && content[number].size() == size;
    }
};

FieldSet fieldsOf(std::string_view bytes, bool isCut)
{
    FieldSet fields;
    WireWalk walk(bytes, isCut);
    WireStep step = walk.next();
    for (; step == WireStep::Field; step = walk.next()) {
        const WireField& field = walk.field();
        if (field.number >= 64)
            continue;
        fields.byType[std::size_t(field.type)] |= std::uint64_t(1) << field.number;
        if (field.type == WireType::Length && field.number < fields.content.size())
            fields.content[field.number] = walk.content();
    }
    fields.wellFormed = step != WireStep::Malformed;
    return fields;
}

bool isPrintable(std::string_view text)
{
    return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool hasIdLength(const FieldSet& fields, unsigned number, std::initializer_list<std::size_t> sizes)
{
    return std::any_of(sizes.begin(), sizes.end(), [&](std::size_t size) { return fields.hasLength(number, size); });
}

/// Ids as bytes, as base64 text in a bytes field (24, 12), as hex text (32, 16) or empty. A metric with a name and a
/// description of just those lengths has no fixed64 in 7 or 8, and its name is text.
bool isSpan(const FieldSet& f)
{
    const bool times = f.has(7, WireType::Fixed64) || f.has(8, WireType::Fixed64);
    const bool named = f.has(5, WireType::Length);
    const bool ids = hasIdLength(f, 1, {16, 24, 32, 0}) && hasIdLength(f, 2, {8, 12, 16, 0});
    return (times && (ids || named)) || (ids && named && !isPrintable(f.content[1]));
}

bool isMetric(const FieldSet& f)
{
    const bool points = f.has(5, WireType::Length) || f.has(7, WireType::Length) || f.has(9, WireType::Length)
        || f.has(10, WireType::Length) || f.has(11, WireType::Length);
    return f.has(1, WireType::Length) && isPrintable(f.content[1]) && points;
}

bool isLogRecord(const FieldSet& f)
{
    return f.has(1, WireType::Fixed64) || f.has(11, WireType::Fixed64);
}

bool isProfile(const FieldSet& f)
{
    return f.has(2, WireType::Length) && f.hasLength(7, 16);
}

/// Only fields that ResourceSpans and ScopeSpans know: 1, 2, 3, all length-delimited (1000 lies beyond the set).
bool isOtlpContainer(const FieldSet& f)
{
    constexpr std::uint64_t known = 0b1110;
    return f.wellFormed && (f.byType[std::size_t(WireType::Length)] & ~known) == 0 && f.byType[std::size_t(WireType::Varint)] == 0
        && f.byType[std::size_t(WireType::Fixed64)] == 0 && f.byType[std::size_t(WireType::Fixed32)] == 0;
}

ProtoShape itemShape(std::string_view item, bool isCut)
{
    const FieldSet fields = fieldsOf(item, isCut);
    if (!fields.wellFormed)
        return ProtoShape::Unknown;
    if (isSpan(fields))
        return ProtoShape::OtlpTraces;
    if (isProfile(fields))
        return ProtoShape::OtlpProfiles;
    if (isLogRecord(fields))
        return ProtoShape::OtlpLogs;
    return isMetric(fields) ? ProtoShape::OtlpMetrics : ProtoShape::Unknown;
}

/// The shape of the first item that tells one.
ProtoShape scopeShape(std::string_view scope, bool isCut)
{
    WireWalk walk(scope, isCut);
    while (walk.next() == WireStep::Field) {
        if (!walk.is(2, WireType::Length))
            continue;
        const ProtoShape shape = itemShape(walk.content(), walk.contentIsCut());
        if (shape != ProtoShape::Unknown)
            return shape;
    }
    return isOtlpContainer(fieldsOf(scope, isCut)) ? ProtoShape::OtlpEmpty : ProtoShape::Unknown;
}

bool isZipkinSpan(const FieldSet& f)
{
    return f.wellFormed && hasIdLength(f, 1, {8, 16}) && f.hasLength(3, 8)
        && (f.has(6, WireType::Fixed64) || f.has(8, WireType::Length) || f.has(5, WireType::Length));
}

bool isPerfettoPacket(const FieldSet& f)
{
    return f.wellFormed
        && (f.has(8, WireType::Varint) || f.has(10, WireType::Varint) || f.has(36, WireType::Length) || f.has(33, WireType::Length)
            || f.has(60, WireType::Length) || f.has(11, WireType::Length));
}

bool isPprofType(const FieldSet& f)
{
    return f.wellFormed && f.has(1, WireType::Varint) && f.has(2, WireType::Varint) && f.byType[std::size_t(WireType::Length)] == 0;
}

constexpr int enoughElements = 3;

} // namespace

ProtoShape otlpElementShape(std::string_view head, bool isCut)
{
    if (!fieldsOf(head, isCut).wellFormed)
        return ProtoShape::Unknown;
    ProtoShape found = ProtoShape::Unknown;
    WireWalk walk(head, isCut);
    while (walk.next() == WireStep::Field) {
        if (!walk.is(2, WireType::Length) && !walk.is(1000, WireType::Length))
            continue;
        const ProtoShape shape = scopeShape(walk.content(), walk.contentIsCut());
        if (shape != ProtoShape::Unknown && shape != ProtoShape::OtlpEmpty)
            return shape;
        found = shape;
    }
    if (found == ProtoShape::OtlpEmpty || !isOtlpContainer(fieldsOf(head, isCut)))
        return found;
    // No scope: a resource alone, told by its attributes.
    WireWalk element(head, isCut);
    while (element.next() == WireStep::Field) {
        const FieldSet resource = element.is(1, WireType::Length) ? fieldsOf(element.content(), element.contentIsCut()) : FieldSet{};
        if (resource.wellFormed && resource.has(1, WireType::Length) && fieldsOf(resource.content[1], true).has(1, WireType::Length))
            return ProtoShape::OtlpEmpty;
    }
    return found;
}

ProtoShape protoShape(std::string_view head, bool isCut)
{
    ProtoShape otlp = ProtoShape::Unknown;
    int elements = 0;
    int zipkin = 0;
    int perfetto = 0;
    bool pprofType = false;
    bool pprofStrings = false;
    WireWalk walk(head, isCut);
    WireStep step = walk.next();
    for (; step == WireStep::Field; step = walk.next()) {
        pprofStrings = pprofStrings || walk.is(6, WireType::Length);
        if (!walk.is(1, WireType::Length))
            continue;
        const ProtoShape shape = otlpElementShape(walk.content(), walk.contentIsCut());
        if (shape != ProtoShape::Unknown && shape != ProtoShape::OtlpEmpty)
            return shape;
        if (shape == ProtoShape::OtlpEmpty)
            otlp = shape;
        const FieldSet element = fieldsOf(walk.content(), walk.contentIsCut());
        ++elements;
        zipkin += isZipkinSpan(element) ? 1 : 0;
        perfetto += isPerfettoPacket(element) ? 1 : 0;
        pprofType = pprofType || isPprofType(element);
    }
    if (zipkin > 0 && zipkin * 2 >= elements)
        return ProtoShape::ZipkinSpans;
    if (perfetto >= enoughElements || (perfetto > 0 && perfetto == elements && step == WireStep::End))
        return ProtoShape::Perfetto;
    if (pprofType && pprofStrings)
        return ProtoShape::Pprof;
    return otlp;
}

const char* protoShapeName(ProtoShape shape)
{
    switch (shape) {
    case ProtoShape::OtlpTraces: return "OTLP traces";
    case ProtoShape::OtlpEmpty: return "OTLP without items";
    case ProtoShape::OtlpMetrics: return "OTLP metrics";
    case ProtoShape::OtlpLogs: return "OTLP logs";
    case ProtoShape::OtlpProfiles: return "OTLP profiles";
    case ProtoShape::ZipkinSpans: return "Zipkin spans as protobuf";
    case ProtoShape::Pprof: return "a pprof profile";
    case ProtoShape::Perfetto: return "a Perfetto binary trace";
    case ProtoShape::Unknown: break;
    }
    return "unknown binary data";
}

const char* protoShapeAdvice(ProtoShape shape)
{
    switch (shape) {
    case ProtoShape::OtlpMetrics:
    case ProtoShape::OtlpLogs:
    case ProtoShape::OtlpProfiles: return "export the traces pipeline instead";
    case ProtoShape::ZipkinSpans: return "export the spans as Zipkin JSON v2 or OTLP instead";
    case ProtoShape::Pprof: return "a profile has no spans; open it with pprof, and import traces here";
    case ProtoShape::Perfetto: return "convert it with Perfetto's traceconv to json and import that, or open it in ui.perfetto.dev";
    default: return "import OTLP traces instead";
    }
}

} // namespace chokepoint
