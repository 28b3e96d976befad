// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One span after another from JSON trees into the sink: ids, times, values, events and links in every spelling, with the faults
// counted. What a field means is the format's affair.
#pragma once

#include "core/import/decodetime.h"
#include "core/import/jsontree.h"
#include "core/import/jsonvalues.h"
#include "core/import/spansink.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chokepoint {

/// What a format calls a thing and what OpenTelemetry calls it; nothing for what is no attribute.
struct AttributeName {
    std::string_view own;
    std::string_view known;
};

class TreeSpan {
public:
    /// Both must outlive it.
    TreeSpan(SpanSink& sink, const RecordPlace& place);

    /// A new span; what was not added is forgotten. Attributes go to the span.
    void begin();
    /// The span that is being made, for later; begin() or resume() comes next.
    [[nodiscard]] SpanDraft take() { return std::move(m_draft); }
    /// Goes on with a span that was taken before.
    void resume(SpanDraft draft);
    /// Whatever has no function below is set here.
    [[nodiscard]] SpanDraft& draft() { return m_draft; }
    [[nodiscard]] SpanRow& row() { return m_draft.row; }

    // ---- ids: absent, empty and zero ones are null; a text that is no id in any spelling is kept beside its hash ----

    void setTraceId(std::string_view text);
    void setSpanId(std::string_view text);
    void setParentId(std::string_view text);

    void setName(std::string_view name) { row().name = m_sink.dictionary().strings.intern(name); }
    /// A name or number of OTLP's kinds; another text is kept as attribute import.raw_kind (UNKNOWN_ENUM).
    void setKind(JsonNode kind);
    /// A name or number of OTLP's status codes; others are counted (UNKNOWN_ENUM).
    void setStatus(JsonNode code);
    void setStatus(SpanStatus status, std::string_view message);

    // ---- times ----

    /// A number or text in \a unit, a date, {low, high}, {seconds, nanos} or [seconds, nanos]. unknownTime when it is absent or
    /// cannot be read (BAD_TIMESTAMP) and when it is beyond int64 (TIME_OUT_OF_RANGE).
    [[nodiscard]] Timestamp time(JsonNode node, TimeUnit unit);
    /// \a length behind the start, which must be set; a length that cannot be read leaves the span unfinished.
    void setDuration(JsonNode length, TimeUnit unit);

    // ---- attributes: of the span, or of the event or link that is open ----

    void attribute(std::string_view key, JsonNode value); // absent writes nothing, null an empty value
    void attribute(std::string_view key, std::string_view text);
    void attribute(std::string_view key, const char* text) { attribute(key, std::string_view(text)); }
    void attribute(std::string_view key, std::int64_t value);
    void attribute(std::string_view key, double value);
    void attribute(std::string_view key, bool value);
    /// Each member of an object, its value as it is; nothing for other things.
    void attributes(JsonNode object);
    /// The same with objects inside objects as "outer.inner"; lists stay values. \a prefix stands before all names, \a names are
    /// names with it; where an object has another name, what is in it has it, too.
    void flattened(std::string_view prefix, JsonNode object, std::span<const AttributeName> names = {});
    /// The same into the attributes of a resource.
    void flattened(AttributeList& list, std::string_view prefix, JsonNode object, std::span<const AttributeName> names = {});

    EventDraft& beginEvent(std::string_view name, Timestamp time);
    /// An event "exception", left open; empty texts are left out.
    void beginException(Timestamp time, std::string_view type, std::string_view message, std::string_view stack);
    LinkDraft& beginLink(std::string_view traceId, std::string_view spanId);
    /// The end of the event or link: attributes go to the span again.
    void endNested();

    // ---- who emitted it ----

    /// A value to keep, for resources.
    [[nodiscard]] AttributeValue value(JsonNode node);
    void setResource(const Resource& resource) { row().resource = m_sink.dictionary().internResource(resource); }
    /// A resource that is known by its service alone.
    void setService(std::string_view name);
    void setScope(std::string_view name, std::string_view version);

    /// Counts a record that is no span as this format writes them (BAD_RECORD). True: the reading goes on behind it.
    bool leaveOut(JsonNode record);
    /// The same for what a program prints between its spans (NON_JSON_TEXT).
    bool passOver(JsonNode record);
    /// Hands the span on. False when the sink failed: failure() says with what, and the reading has to stop.
    [[nodiscard]] bool add() { return add(m_draft); }
    /// The same with one that was put aside.
    [[nodiscard]] bool add(SpanDraft& draft);
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }
    [[nodiscard]] SpanSink& sink() { return m_sink; }
    [[nodiscard]] const RecordPlace& place() const { return m_place; }

private:
    void write(JsonNode node);
    [[nodiscard]] std::string timeText(JsonNode node, TimeUnit unit) const;

    SpanSink& m_sink;
    const RecordPlace& m_place;
    PackedWriter& m_writer;
    JsonValues m_values;
    SpanDraft m_draft;
    std::string* m_output = nullptr; // where attributes go
    NestedAttributes* m_nested = nullptr; // of the event or link that is open
    std::string m_packed;
    TimeUnit m_repairedUnit = TimeUnit::Nanoseconds; // of the start, if it was read in a shorter one
    int m_finer = 0; // DecodedTime::finer of the start
    std::optional<Error> m_failure;
};

} // namespace chokepoint
