// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One Zipkin JSON span, of version 1 or 2, into one span or, where both sides of a call share it, two.
#pragma once

#include "core/import/zipkinplaces.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// The members of a span as they stand in the text; tags go to the draft at once.
struct ZipkinFields {
    struct Annotation { // of version 1 with an endpoint
        JsonToken time;
        JsonToken value;
        std::string_view endpoint; // JSON
    };
    struct BinaryAnnotation {
        JsonToken key;
        JsonToken value;
        std::string_view endpoint; // JSON
    };
    JsonToken traceId;
    JsonToken id;
    JsonToken parentId;
    JsonToken name;
    JsonToken kind;
    JsonToken timestamp;
    JsonToken duration;
    std::string_view localEndpoint; // JSON
    std::string_view remoteEndpoint;
    std::vector<Annotation> annotations;
    std::vector<BinaryAnnotation> binaryAnnotations;
    bool isDebug = false;
    bool isShared = false;
    bool isVersion1 = false;

    void clear();
};

class ZipkinJsonSpan {
public:
    /// Receives each span; false when it cannot take any more.
    using Emit = std::function<bool(SpanDraft&)>;

    ZipkinJsonSpan(Dictionary& dictionary, PackedWriter& writer, Diagnostics& diagnostics, const RecordPlace& place)
        : m_dictionary(dictionary), m_writer(writer), m_diagnostics(diagnostics), m_place(place), m_values(writer, diagnostics, place),
          m_span(dictionary, writer, diagnostics, place), m_places(dictionary)
    {
    }

    /// False when the JSON is malformed or \a emit said so. A span that cannot be read is counted as rejected.
    [[nodiscard]] bool read(json::object object, const Emit& emit);

private:
    enum class Side { Client, Server };
    /// What the annotations of a version 1 span say about one side of the call.
    struct Half {
        SpanKind kind = SpanKind::Internal;
        Timestamp start = unknownTime;
        Timestamp end = unknownTime;
        std::string_view endpoint; // JSON
        std::string_view remote;
        bool isPresent = false;
        bool isFiner = false; // its times count a shorter unit, and so does the duration
    };

    [[nodiscard]] bool readMember(json::field& field);
    [[nodiscard]] bool readTags(json::value value);
    [[nodiscard]] bool readEndpoint(json::value value, std::string_view& text);
    [[nodiscard]] bool readAnnotations(json::value value, bool areBinary);
    [[nodiscard]] bool readAnnotation(json::object object, bool isBinary);
    void applyCommon();
    void addEvent(const ZipkinFields::Annotation& annotation);
    [[nodiscard]] Timestamp timeOf(const JsonToken& token, bool& isFiner);
    [[nodiscard]] std::string_view textOf(const JsonToken& token) { return tokenText(token, m_scratch); }
    [[nodiscard]] const ZipkinPlace& placeOf(std::string_view text);
    [[nodiscard]] bool readEndpointText(std::string_view text, ZipkinEndpoint& endpoint);

    [[nodiscard]] bool emitVersion2(const Emit& emit);
    [[nodiscard]] bool emitVersion1(const Emit& emit);
    void findHalves();
    void takeCoreAnnotation(Side side, SpanKind kind, bool isStart, const ZipkinFields::Annotation& annotation);
    void takeAddresses();
    [[nodiscard]] bool emitHalf(Side side, const Emit& emit);
    void addHalfTags(Side side);
    [[nodiscard]] Side sideOf(std::string_view endpoint);

    Dictionary& m_dictionary;
    PackedWriter& m_writer;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    JsonValues m_values;
    ZipkinSpan m_span;
    ZipkinFields m_fields;
    Half m_halves[2]; // by Side
    JsonDocument m_endpoint; // being parsed
    ZipkinPlaces m_places; // by JSON text
    std::string m_key;
    std::string m_keyScratch;
    std::string m_scratch;
};

} // namespace chokepoint
