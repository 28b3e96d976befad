// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What Zipkin's encodings have in common: the meaning of kinds, tags, endpoints and annotations, whatever they were written in.
#pragma once

#include "core/import/jsonvalues.h"
#include "core/import/spandraft.h"
#include "core/model/dictionary.h"

#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

/// One side of a call; empty texts and port 0 are absent.
struct ZipkinEndpoint {
    std::string service;
    std::string ipv4;
    std::string ipv6;
    std::int64_t port = 0;

    [[nodiscard]] bool isEmpty() const { return service.empty() && ipv4.empty() && ipv6.empty() && port == 0; }
    friend bool operator==(const ZipkinEndpoint&, const ZipkinEndpoint&) = default;
};

/// The resource of an endpoint: service.name, net.host.ip, net.host.port.
[[nodiscard]] ResourceId internEndpoint(Dictionary& dictionary, const ZipkinEndpoint& endpoint);

/// Builds one span after the other in a draft. Call begin(), the others in any order, and finish().
class ZipkinSpan {
public:
    ZipkinSpan(Dictionary& dictionary, PackedWriter& writer, Diagnostics& diagnostics, const RecordPlace& place)
        : m_dictionary(dictionary), m_writer(writer), m_diagnostics(diagnostics), m_place(place), m_values(writer, diagnostics, place)
    {
    }

    void begin();
    [[nodiscard]] SpanDraft& draft() { return m_draft; }

    void setTraceId(std::string_view text);
    void setSpanId(std::string_view text);
    void setParentId(std::string_view text);
    /// Zipkin's or OpenTelemetry's name of a kind; other texts become the attribute import.raw_kind (UNKNOWN_ENUM).
    void setKind(std::string_view text);
    /// Microseconds as decimal text; empty and 0 are absent.
    void setStart(std::string_view text);
    void setDuration(std::string_view text);
    /// Times that were told in another way, for what the texts have left open; \a isFiner: they count nanoseconds. Call after both
    /// of them.
    void completeTimes(Timestamp start, Timestamp end, bool isFiner);

    /// A tag that stands for a field which OpenTelemetry has. True: it is that field now, and no attribute beside it.
    [[nodiscard]] bool takeTag(std::string_view key, std::string_view value);
    /// A tag's text as an attribute, or as what takeTag() makes of it.
    void addTag(std::string_view key, std::string_view value);
    /// An annotation: an event's name, or the name with attributes in one of the forms in which OpenTelemetry's exporters write them.
    void addEvent(Timestamp time, std::string_view value);
    void setLocal(ResourceId resource) { m_draft.row.resource = resource; }
    void addRemote(const ZipkinEndpoint& endpoint);
    /// The client said that it wants the trace kept.
    void setDebug();

    /// False when a time cannot be read: the span has been counted as rejected.
    [[nodiscard]] bool finish();

private:
    /// What takes effect when all of a span is known.
    struct Facts {
        std::optional<Timestamp> start;
        std::optional<Duration> duration;
        Timestamp end = unknownTime; // where there is no duration
        std::string scopeName;
        std::string scopeVersion;
        std::string rawKind;
        std::string httpMessage; // says why there is an error, when nothing else does
        bool hasKind = false;
        bool hasPeer = false;
        bool badTime = false;
        bool outOfRange = false;
        bool isFiner = false; // the start counts nanoseconds, and so does the duration
    };

    [[nodiscard]] Duration length() const;
    void takeErrorTag(std::string_view value);
    [[nodiscard]] bool addNamedAttributes(EventDraft& event, std::string_view value);
    [[nodiscard]] bool readAttributes(EventDraft& event, json::value value);
    void attribute(std::string_view key, std::string_view text);

    Dictionary& m_dictionary;
    PackedWriter& m_writer;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    JsonValues m_values;
    JsonDocument m_document; // of the attributes of an annotation
    SpanDraft m_draft;
    Facts m_facts;
    std::string m_scratch;
};

} // namespace chokepoint
