// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What all OTLP messages have in common: texts, attributes, and faults that cost no more than the field they are in.
#pragma once

#include "core/import/spansink.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace protozero {
class pbf_reader;
}

namespace chokepoint {

/// Follows protobuf's rules: unknown fields are skipped, of repeated scalars the last one wins, repeated messages merge. A
/// known field with another wire type is skipped and counted (WIRE_TYPE). Functions that are given bytes of a message throw
/// protozero::exception for damage, unless they say that they do not.
class OtlpProtoValues {
public:
    explicit OtlpProtoValues(SpanSink& sink) : m_sink(sink) { }

    /// Where the record that is being decoded begins in the decompressed stream, for diagnostics.
    void setOffset(std::uint64_t offset) { m_offset = offset; }
    [[nodiscard]] std::uint64_t offset() const { return m_offset; }
    [[nodiscard]] Diagnostics& diagnostics() { return m_sink.diagnostics(); }
    [[nodiscard]] Dictionary& dictionary() { return m_sink.dictionary(); }

    /// Valid UTF-8 of \a text: itself, or repaired into \a repaired (INVALID_UTF8).
    [[nodiscard]] std::string_view validText(std::string_view text, std::string& repaired);
    void setText(std::string& to, std::string_view text);
    /// Appends one KeyValue message, packed, to \a out; a damaged one is left out (BAD_ATTRIBUTES). Does not throw.
    void addAttribute(std::string_view bytes, std::string& out);
    /// The decoded form of what addAttribute() has written.
    [[nodiscard]] AttributeList unpacked(const std::string& packed);

    void reportWireType(const char* message, std::uint32_t number);
    void reportDamage(const char* what);
    /// Passes a field over that no case took: a later version's, or a known one (up to \a lastKnown) of another type.
    void skipOther(protozero::pbf_reader& reader, const char* message, std::uint32_t lastKnown);

private:
    void writeKeyValue(std::string_view bytes, int depth);
    void writeAnyValue(std::string_view bytes, int depth);
    void writeContainer(std::string_view bytes, bool isMap, int depth);
    void writeDouble(double value);

    SpanSink& m_sink;
    std::uint64_t m_offset = 0;
};

} // namespace chokepoint
