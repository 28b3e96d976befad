// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the exports of LLM observability tools have in common, under the names of OpenInference and OpenTelemetry GenAI.
#pragma once

#include "core/import/jsontext.h"
#include "core/import/treespan.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace chokepoint {

class LlmSpan {
public:
    /// Both must outlive it.
    LlmSpan(SpanSink& sink, const RecordPlace& place) : m_span(sink, place), m_embedded(sink.diagnostics()) { }

    /// A new span inside its process: no export says more of its kind.
    void begin();
    [[nodiscard]] TreeSpan& span() { return m_span; }
    [[nodiscard]] const TreeSpan& span() const { return m_span; }
    [[nodiscard]] EmbeddedJson& embedded() { return m_embedded; }

    /// Whether the span has an attribute of that name by now.
    [[nodiscard]] bool hasAttribute(std::string_view key);

    // ---- ids: 32 (16) hex digits are ids, a UUID is one of a trace; every other text is opaque, however much it looks like base64.
    //      The text of all that is no plain hex is kept ----

    void setTraceId(std::string_view text);
    void setSpanId(std::string_view text);
    void setParentId(std::string_view text);

    /// openinference.span.kind for any tool's name of a kind; UNKNOWN for a name that means none.
    void setKind(std::string_view name);
    /// \a name.value and \a name.mime_type: text as it is, other values as JSON. Text that is JSON encoded twice counts as the inner
    /// one, and the outer one is kept as \a original. Nothing for null and empty text.
    void value(std::string_view name, std::string_view original, JsonNode node);
    /// A value as JSON text; text stays as it is. Nothing for null and for empty texts, lists and objects.
    void json(std::string_view key, JsonNode node);
    /// A number of things: whole numbers are integers whether they are spelled 12, 12.0 or "12". False and nothing for null.
    bool count(std::string_view key, JsonNode number);
    /// Text or number that is present and not empty.
    bool scalar(std::string_view key, JsonNode node);
    /// The named event in the span, with a number of attributes: the usual members of an exception.
    void exception(std::string_view type, std::string_view message, Timestamp time);
    /// The first token of an answer in a stream came then.
    void setFirstToken(Timestamp time);

private:
    TreeSpan m_span;
    EmbeddedJson m_embedded;
};

/// Whether \a key is \a snake or the same in camelCase: "startTime" and "start_time" are "start_time".
[[nodiscard]] bool isNamed(std::string_view key, std::string_view snake);
/// The member of that name in either spelling, present and not null; the last one of several.
[[nodiscard]] JsonNode member(JsonNode object, std::string_view snake);
/// "startTime" as "start_time".
[[nodiscard]] std::string snakeCase(std::string_view key);
[[nodiscard]] std::string lowerCase(std::string_view text);
/// Null, "", [] or {}.
[[nodiscard]] bool isEmptyValue(JsonNode node);

} // namespace chokepoint
