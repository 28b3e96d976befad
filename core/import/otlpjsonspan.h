// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One OTLP JSON span into a draft: every field in any order, spelling and encoding that producers use.
#pragma once

#include "core/import/decodeid.h"
#include "core/import/decodetime.h"
#include "core/import/jsonvalues.h"
#include "core/import/spandraft.h"

#include <optional>
#include <string>

namespace chokepoint {

enum class SpanOutcome {
    Read,
    Rejected, // well-formed JSON, but no span can be made of it; counted
    Malformed // the text around it cannot be trusted either
};

class OtlpJsonSpan {
public:
    OtlpJsonSpan(PackedWriter& writer, Diagnostics& diagnostics, const RecordPlace& place)
        : m_writer(writer), m_diagnostics(diagnostics), m_place(place), m_values(writer, diagnostics, place)
    {
    }

    /// Fills \a draft, which is clear, but for resource and scope.
    [[nodiscard]] SpanOutcome read(json::object object, SpanDraft& draft);

private:
    enum class Field;
    struct FieldName;
    static const FieldName* findField(std::string_view name);

    [[nodiscard]] bool readField(Field field, json::value& value, SpanDraft& draft);
    [[nodiscard]] bool readTraceId(json::value& value, TraceId& id, std::string& text);
    [[nodiscard]] bool readSpanId(json::value& value, SpanId& id, std::string& text);
    [[nodiscard]] std::optional<std::string> byteArray(json::value& value);
    [[nodiscard]] bool readTime(json::value& value, Timestamp& time);
    [[nodiscard]] bool readTimeObject(json::value& value, std::string& digits);
    [[nodiscard]] bool readStatus(json::value& value, SpanDraft& draft);
    void readStatusCode(const JsonToken& token, SpanDraft& draft);
    void readKind(const JsonToken& token, SpanDraft& draft);
    void readCount(const JsonToken& token, std::uint32_t& count);
    [[nodiscard]] bool readAttributes(json::value& value, std::string& out);
    [[nodiscard]] bool readNested(json::value& value, SpanDraft& draft, NestedAttributes& attributes);
    [[nodiscard]] bool readEvents(json::value& value, SpanDraft& draft);
    [[nodiscard]] bool readEvent(json::object object, SpanDraft& draft);
    [[nodiscard]] bool readLinks(json::value& value, SpanDraft& draft);
    [[nodiscard]] bool readLink(json::object object, SpanDraft& draft);
    void noteRounding(SpanDraft& draft) const;

    PackedWriter& m_writer;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    JsonValues m_values;
    std::string m_scratch;
    std::string m_rawKind; // a kind that is none of ours
    bool m_badTime = false; // a start or end that cannot be read
    bool m_namesUnits = false; // a date, or seconds and nanoseconds
    bool m_outOfRange = false; // a start or end that was clamped
    bool m_bareNumbers = false; // a time was written as a JSON number
};

} // namespace chokepoint
