// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One Jaeger JSON span into a draft. Which reference is the parent is the trace's affair: candidates are handed over.
#pragma once

#include "core/import/decodeid.h"
#include "core/import/decodetime.h"
#include "core/import/jaegerprocess.h"
#include "core/import/jaegertags.h"
#include "core/import/spandraft.h"

#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

struct JaegerReference {
    DecodedId<TraceId> traceId; // null: the span's own trace
    DecodedId<SpanId> spanId;
    std::string traceIdText; // the source's text where it was no hex
    std::string spanIdText;
    bool isFollowsFrom = false;
};

/// A span before its parent is chosen.
struct JaegerSpan {
    SpanDraft draft; // without parent and references; resource is a number of JaegerProcesses
    std::vector<JaegerReference> references; // "parentSpanID" first
};

class JaegerJsonSpan {
public:
    JaegerJsonSpan(
        Dictionary& dictionary, PackedWriter& writer, JaegerProcesses& processes, Diagnostics& diagnostics, const RecordPlace& place)
        : m_dictionary(dictionary), m_writer(writer), m_processes(processes), m_diagnostics(diagnostics), m_place(place),
          m_tags(writer, diagnostics, place), m_values(writer, diagnostics, place)
    {
    }

    /// A document of Elasticsearch, whose binary values are hex.
    void setIsDocument(bool isDocument) { m_tags.setBinaryIsHex(isDocument); }

    enum class Outcome { Read, Rejected, Malformed };
    /// Fills \a span, whatever it held before.
    [[nodiscard]] Outcome read(json::object object, JaegerSpan& span);

private:
    /// Fields that take effect when all of a span is known.
    struct Facts {
        std::optional<Timestamp> start;
        std::optional<Duration> duration;
        std::string scopeName;
        std::string scopeVersion;
        std::string httpMessage; // says why there is an error, when nothing else does
        std::string processId;
        std::uint32_t seen = 0; // a bit for each member that has one value
        bool hasProcess = false; // a part of the span itself
        bool badTime = false;
        bool isDate = false; // the start
        bool isFiner = false; // it counts nanoseconds, and so does a duration without a unit
        bool durationNamesUnit = false;
        bool outOfRange = false;
    };

    [[nodiscard]] bool readMember(json::field& field, JaegerSpan& span);
    void noteRepeated(std::string_view key);
    [[nodiscard]] bool takeTag(std::string_view key, const JsonToken& value, SpanDraft& draft);
    void takeErrorTag(const JsonToken& value, SpanDraft& draft);
    [[nodiscard]] bool readReferences(json::value value, JaegerSpan& span);
    [[nodiscard]] bool readReference(json::object object, JaegerReference& reference);
    [[nodiscard]] bool readLogs(json::value value, SpanDraft& draft);
    [[nodiscard]] bool readLog(json::object object, SpanDraft& draft);
    [[nodiscard]] bool readWarnings(json::value value, SpanDraft& draft);
    [[nodiscard]] bool readProcess(json::value value, SpanDraft& draft);
    void readStart(const JsonToken& token);
    void readDuration(const JsonToken& token);
    void applyTimes(SpanRow& row) const;

    Dictionary& m_dictionary;
    PackedWriter& m_writer;
    JaegerProcesses& m_processes;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    JaegerTags m_tags;
    JsonValues m_values;
    Facts m_facts;
    std::string m_scratch;
};

} // namespace chokepoint
