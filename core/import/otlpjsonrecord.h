// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One complete JSON text that holds OTLP: an export request with any of its wrappers, or a piece of one, into the sink.
#pragma once

#include "core/import/otlpjsonparts.h"
#include "core/import/otlpjsonspan.h"
#include "core/import/spansink.h"

#include <optional>
#include <string_view>

namespace chokepoint {

/// How far down in OTLP's nesting a value stands.
enum class OtlpLevel { Top, ResourceSpans, ScopeSpans, Span };

/// What a member means, wherever in OTLP JSON it stands; names are unique across levels.
enum class OtlpMember {
    Other,
    ResourceSpansList,
    Batches,
    ScopeSpansList,
    LegacyScopeSpansList,
    SpanList,
    Resource,
    Scope,
    SchemaUrl,
    Wrapper,
    OtherSignal,
    SpanId
};

[[nodiscard]] OtlpMember otlpMember(std::string_view key);

/// Resource and scope of spans whose surroundings are not part of the text.
struct OtlpContext {
    ResourceId resource{};
    ScopeId scope{};
};

class OtlpJsonRecord {
public:
    OtlpJsonRecord(SpanSink& sink, const RecordPlace& place);

    /// Adds the spans of \a text, a value of \a level that has 64 readable bytes behind it. False when it is malformed (some
    /// spans may have been added) or failure() is set. Call between the sink's hold() and release().
    [[nodiscard]] bool read(std::string_view text, OtlpLevel level, OtlpContext context);
    /// The server said that it left something out (PARTIAL_TRACE); \a message is its own reason.
    void reportPartial(std::string_view message);
    /// What the sink failed with.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }
    [[nodiscard]] OtlpJsonParts& parts() { return m_parts; }

private:
    [[nodiscard]] bool readValue(json::value value, OtlpLevel level, unsigned wrappers);
    [[nodiscard]] bool readObject(json::object object, OtlpLevel level, unsigned wrappers);
    [[nodiscard]] bool readTop(json::object object, unsigned wrappers);
    [[nodiscard]] bool readRequest(json::object object, unsigned wrappers);
    [[nodiscard]] bool readResourceSpans(json::object object);
    [[nodiscard]] bool readScopeSpans(json::object object);
    [[nodiscard]] bool readSpan(json::object object);
    [[nodiscard]] bool readList(json::value value, OtlpLevel level, unsigned wrappers = 0);
    [[nodiscard]] std::optional<OtlpLevel> shapeOf(json::object object, bool& isWellFormed);
    [[nodiscard]] bool rawText(json::value value, std::string_view& text);
    void reportDuplicate(const char* name);

    SpanSink& m_sink;
    const RecordPlace& m_place;
    OtlpJsonParts m_parts;
    OtlpJsonSpan m_span;
    JsonDocument m_document;
    SpanDraft m_draft;
    OtlpContext m_context;
    std::string m_scratch;
    std::optional<Error> m_failure;
};

} // namespace chokepoint
