// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A stream of OTLP protobuf messages, span by span into the sink; what is not whole is never held.
#pragma once

#include "core/import/otlpprotoresource.h"
#include "core/import/otlpprotosniff.h"
#include "core/import/otlpprotospan.h"
#include "core/import/protowire.h"
#include "core/import/spansink.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace chokepoint {

/// How the walk through a message ended; Cut ends all walks, because the stream is over.
enum class Walked : std::uint8_t { Whole, Cut };

/// One stream of OTLP messages: knows resources and scopes, counts faults, adds spans. A resource and a scope may follow their
/// spans, which are held until then. Elements above 64 MiB are an exception: once their resource has come, spans go on at
/// once, so that memory stays bounded; what is said about the resource or scope afterwards (a schema URL) is lost (SIZE_LIMIT).
class OtlpProtoMessages {
public:
    OtlpProtoMessages(WireStream& stream, SpanSink& sink)
        : m_stream(stream), m_sink(sink), m_values(sink), m_resources(m_values), m_span(m_values)
    {
    }

    /// One TracesData / ExportTraceServiceRequest up to \a end.
    [[nodiscard]] Result<Walked> readMessage(std::uint64_t end);

    /// Elements of other signals that were passed over, and the shape of the first of them.
    [[nodiscard]] ProtoShape otherSignal() const { return m_otherSignal; }

private:
    /// What one element of ResourceSpans has told so far.
    struct Element {
        std::string resource; // repeated messages in a row merge
        std::string schemaUrl;
        bool hasScopeSpans = false;
        bool isLarge = false;
        bool isHeld = true;
    };

    template <typename OnField> [[nodiscard]] Result<Walked> walk(std::uint64_t end, const char* message, OnField&& onField);
    [[nodiscard]] Result<Walked> readElement(std::uint64_t end);
    [[nodiscard]] Result<Walked> readElementField(Element& element, std::uint64_t firstSpan);
    [[nodiscard]] Result<void> beginScopeSpans(Element& element, std::uint64_t firstSpan);
    [[nodiscard]] Result<Walked> readScopeSpans(const Element& element, std::uint64_t end);
    [[nodiscard]] Result<Walked> readSpan(std::uint64_t size);
    [[nodiscard]] Result<Walked> readText(std::string& to, std::uint64_t size);
    [[nodiscard]] Result<Walked> skip(std::uint64_t size);
    [[nodiscard]] Result<Walked> skipOther(const char* message, bool isKnown);
    void reportLate(const char* what, std::uint64_t offset);
    [[nodiscard]] bool isOtherSignal(std::string_view head, std::uint64_t size);

    WireStream& m_stream;
    SpanSink& m_sink;
    OtlpProtoValues m_values;
    OtlpProtoResources m_resources;
    OtlpProtoSpan m_span;
    ResourceId m_resource{}; // of spans that are not held; the others get theirs when all of it is known
    ScopeId m_scope{};
    ProtoShape m_otherSignal = ProtoShape::Unknown;
};

} // namespace chokepoint
