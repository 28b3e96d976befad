// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Jaeger JSON texts into the sink: whole answers, single traces, single spans.
#pragma once

#include "core/import/jaegerjsonspan.h"
#include "core/import/spansink.h"

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace chokepoint {

class JaegerJsonRecord {
public:
    JaegerJsonRecord(SpanSink& sink, const RecordPlace& place);

    /// Adds the spans of a complete text of any shape, which has 64 readable bytes behind it. False when it is malformed or
    /// failure() is set. Call between the sink's hold() and release().
    [[nodiscard]] bool read(std::string_view text);

    // ---- a trace in pieces, for those that are too large ----

    /// Spans are held until endTrace(), because processes and parents may come behind them.
    void beginTrace();
    /// One span of it; \a text is the JSON of a span.
    [[nodiscard]] bool readSpan(std::string_view text);
    /// \a processes is the JSON of the trace's processes, "" for none. False when the sink failed.
    [[nodiscard]] bool endTrace(std::string_view processes);

    /// What the sink failed with.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }

private:
    [[nodiscard]] bool readValue(json::value value, unsigned depth);
    [[nodiscard]] bool readObject(json::object object, unsigned depth);
    [[nodiscard]] bool readWrapper(json::object object, unsigned depth);
    [[nodiscard]] bool readTrace(json::object object);
    [[nodiscard]] bool readLoneSpan(json::object object);
    [[nodiscard]] bool addSpan(json::object object);
    [[nodiscard]] bool addDraft(JaegerSpan& span, const JaegerReference* parent);
    [[nodiscard]] bool addUndecided();
    [[nodiscard]] bool finishTrace();

    SpanSink& m_sink;
    const RecordPlace& m_place;
    JaegerProcesses m_processes;
    JaegerJsonSpan m_reader;
    JsonDocument m_document;
    JaegerSpan m_span;
    std::uint64_t m_from = 0; // of the current trace
    std::unordered_set<SpanId> m_spanIds; // of the current trace
    std::vector<JaegerSpan> m_undecided; // spans with more than one possible parent
    std::optional<Error> m_failure;
};

} // namespace chokepoint
