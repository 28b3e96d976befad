// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jaegerjsonspan.h"

#include "core/base/utf8.h"
#include "core/import/decodeenum.h"
#include "core/import/decodenumber.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

template <typename Id> void keepText(const DecodedId<Id>& id, std::string_view source, std::string& text)
{
    text = id.isOpaque ? source : std::string_view();
}

} // namespace

JaegerJsonSpan::Outcome JaegerJsonSpan::read(json::object object, JaegerSpan& span)
{
    span.draft.clear();
    span.references.clear();
    m_facts = {};
    if (!forEachMember(object, [&](json::field& field) { return readMember(field, span); }))
        return Outcome::Malformed;
    SpanDraft& draft = span.draft;
    if (m_facts.badTime) {
        m_diagnostics.reject(DiagnosticCode::BadTimestamp, [&] {
            return fmt::format("{}: the time of span \"{}\" cannot be read; the span was left out", m_place.text(),
                elided(m_dictionary.text(draft.row.name), 60));
        });
        return Outcome::Rejected;
    }
    applyTimes(draft.row);
    draft.timeUnit = m_facts.isDate ? TimeUnit::Seconds : TimeUnit::Microseconds;
    if (draft.row.flags.isError() && draft.statusMessage.empty())
        draft.statusMessage = m_facts.httpMessage;
    if (!m_facts.hasProcess)
        draft.row.resource = ResourceId(m_processes.numberOf(m_facts.processId));
    if (!m_facts.scopeName.empty() || !m_facts.scopeVersion.empty())
        draft.row.scope = m_dictionary.internScope({m_facts.scopeName, m_facts.scopeVersion, {}, 0, {}});
    return Outcome::Read;
}

bool JaegerJsonSpan::readMember(json::field& field, JaegerSpan& span)
{
    SpanDraft& draft = span.draft;
    const std::string_view key = rawKey(field);
    json::value& value = field.value();
    const auto take = [&](std::string_view tag, const JsonToken& token) { return takeTag(tag, token, draft); };
    if (key == "tags" || key == "tag") {
        m_writer.setOutput(&draft.attributes);
        return key == "tags" ? m_tags.readList(value, take) : m_tags.readFields(value, take);
    }
    if (key == "references")
        return readReferences(value, span);
    if (key == "logs")
        return readLogs(value, draft);
    if (key == "warnings")
        return readWarnings(value, draft);
    if (key == "process")
        return readProcess(value, draft);
    noteRepeated(key);
    const JsonToken token = tokenOf(value);
    const std::string_view text = token.isScalar() ? tokenText(token, m_scratch) : std::string_view();
    if (key == "traceID" || key == "traceId") {
        const auto id = decodeTraceId(text);
        draft.traceId = id.id;
        keepText(id, text, draft.traceIdText);
    } else if (key == "spanID" || key == "spanId") {
        const auto id = decodeSpanId(text);
        draft.row.spanId = id.id;
        keepText(id, text, draft.spanIdText);
    } else if (key == "parentSpanID" || key == "parentSpanId") {
        JaegerReference reference;
        reference.spanId = decodeSpanId(text);
        keepText(reference.spanId, text, reference.spanIdText);
        if (!reference.spanId.id.isNull())
            span.references.insert(span.references.begin(), std::move(reference));
    } else if (key == "operationName") {
        draft.row.name = m_dictionary.strings.intern(text);
    } else if (key == "startTime") {
        readStart(token);
    } else if (key == "duration") {
        readDuration(token);
    } else if (key == "flags") {
        draft.w3cFlags = tokenUint32(token).value_or(0) & 1U; // "sampled" is the one bit that W3C has, too
    } else if (key == "processID" || key == "processId") {
        m_facts.processId = text;
    }
    return token.kind != JsonKind::Invalid;
}

/// The last one counts.
void JaegerJsonSpan::noteRepeated(std::string_view key)
{
    static constexpr std::array<std::string_view, 8> names = {
        "traceID", "spanID", "parentSpanID", "operationName", "startTime", "duration", "flags", "processID"};
    const auto known = std::find(names.begin(), names.end(), key);
    const auto bit = known == names.end() ? 0U : 1U << unsigned(known - names.begin());
    if ((m_facts.seen & bit) != 0)
        m_diagnostics.report(DiagnosticCode::DuplicateKey,
            [&] { return fmt::format("{}: \"{}\" occurs more than once in a span; the last one counts", m_place.text(), key); });
    m_facts.seen |= bit;
}

/// Tags that Jaeger's own conversion makes of fields that OpenTelemetry has go back to where they were.
bool JaegerJsonSpan::takeTag(std::string_view key, const JsonToken& value, SpanDraft& draft)
{
    std::string scratch;
    if (key == "error") {
        takeErrorTag(value, draft);
        return false;
    }
    if (key == "span.kind") {
        const auto kind = decodeSpanKind(tokenText(value, scratch));
        if (kind)
            draft.row.flags.setKind(*kind);
        return kind.has_value();
    }
    if (key == "otel.status_code") {
        const auto status = decodeSpanStatus(tokenText(value, scratch));
        if (status && draft.row.flags.status() != SpanStatus::Error)
            draft.row.flags.setStatus(*status);
        return status.has_value();
    }
    if (key == "otel.status_description") {
        draft.statusMessage = tokenText(value, scratch);
        return true;
    }
    if (key == "http.status_message") {
        m_facts.httpMessage = tokenText(value, scratch);
        return false;
    }
    if (key == "w3c.tracestate") {
        draft.traceState = tokenText(value, scratch);
        return true;
    }
    if (key == "otel.scope.name" || key == "otel.library.name") {
        m_facts.scopeName = tokenText(value, scratch);
        return true;
    }
    if (key == "otel.scope.version" || key == "otel.library.version") {
        m_facts.scopeVersion = tokenText(value, scratch);
        return true;
    }
    return false;
}

/// true or the text "true", as Jaeger's own screens read it; any other text (an error's name) stays an attribute alone.
void JaegerJsonSpan::takeErrorTag(const JsonToken& value, SpanDraft& draft)
{
    std::string scratch;
    if (value.kind == JsonKind::True || foldedCase(tokenText(value, scratch)) == "true")
        draft.row.flags.setStatus(SpanStatus::Error);
}

bool JaegerJsonSpan::readReferences(json::value value, JaegerSpan& span)
{
    return forEachObjectOfList(value, [&](json::object& object) {
        JaegerReference reference;
        if (!readReference(object, reference))
            return false;
        if (!reference.spanId.id.isNull())
            span.references.push_back(std::move(reference));
        return true;
    });
}

bool JaegerJsonSpan::readReference(json::object object, JaegerReference& reference)
{
    return forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        const JsonToken token = tokenOf(field.value());
        const std::string_view text = token.isScalar() ? tokenText(token, m_scratch) : std::string_view();
        if (key == "refType") {
            reference.isFollowsFrom = text == "FOLLOWS_FROM" || text == "1";
        } else if (key == "traceID" || key == "traceId") {
            reference.traceId = decodeTraceId(text);
            keepText(reference.traceId, text, reference.traceIdText);
        } else if (key == "spanID" || key == "spanId") {
            reference.spanId = decodeSpanId(text);
            keepText(reference.spanId, text, reference.spanIdText);
        }
        return token.kind != JsonKind::Invalid;
    });
}

bool JaegerJsonSpan::readLogs(json::value value, SpanDraft& draft)
{
    draft.clearEvents();
    return forEachObjectOfList(value, [&](json::object& object) { return readLog(object, draft); });
}

/// The name is the field "event", else "message"; all other fields are attributes.
bool JaegerJsonSpan::readLog(json::object object, SpanDraft& draft)
{
    EventDraft& event = draft.addEvent();
    std::string message;
    bool hasName = false;
    bool hasMessage = false;
    const auto take = [&](std::string_view key, const JsonToken& token) {
        if (key == "event" && !hasName && token.kind == JsonKind::Text) {
            event.name = tokenText(token, m_scratch);
            return hasName = true;
        }
        if (key == "message" && !hasMessage && token.kind == JsonKind::Text) {
            message = tokenText(token, m_scratch);
            return hasMessage = true;
        }
        return false;
    };
    const bool isGood = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        json::value& value = field.value();
        if (key == "fields") {
            event.attributes.begin = draft.nested.size();
            m_writer.setOutput(&draft.nested);
            const bool areGood = m_tags.readList(value, take);
            event.attributes.end = draft.nested.size();
            return areGood;
        }
        const JsonToken token = tokenOf(value);
        if (key == "timestamp") {
            const auto time = decodeTime(tokenText(token, m_scratch), TimeUnit::Microseconds);
            event.time = time ? time->time : unknownTime;
            if (!time)
                m_diagnostics.report(DiagnosticCode::BadTimestamp,
                    [&] { return fmt::format("{}: the time of a log cannot be read; kept without", m_place.text()); });
            else
                reportOddTime(*time, token.raw, m_diagnostics, m_place);
        }
        return token.kind != JsonKind::Invalid;
    });
    if (hasMessage && !hasName)
        event.name = message;
    if (hasMessage && hasName) { // behind the other fields, which were the last to be written
        m_writer.setOutput(&draft.nested);
        m_writer.key("message");
        m_writer.text(message);
        event.attributes.end = draft.nested.size();
    }
    return isGood;
}

/// What the query service has to say about a span, such as a clock skew that it has taken out.
bool JaegerJsonSpan::readWarnings(json::value value, SpanDraft& draft)
{
    if (tokenOf(value).kind != JsonKind::Array)
        return tokenOf(value).kind != JsonKind::Invalid;
    json::array array;
    bool isEmpty = true;
    if (value.get_array().get(array) != simdjson::SUCCESS || array.is_empty().get(isEmpty) != simdjson::SUCCESS)
        return false;
    if (isEmpty)
        return true;
    m_writer.setOutput(&draft.attributes);
    m_writer.key("jaeger.warnings");
    m_writer.beginArray();
    const bool isGood = forEachElement(array, [&](json::value& element) { return m_values.plainValue(element); });
    m_writer.endArray();
    return isGood;
}

bool JaegerJsonSpan::readProcess(json::value value, SpanDraft& draft)
{
    json::object object;
    std::string_view text;
    if (tokenOf(value).kind != JsonKind::Object)
        return tokenOf(value).kind != JsonKind::Invalid;
    if (value.get_object().get(object) != simdjson::SUCCESS || object.raw_json().get(text) != simdjson::SUCCESS)
        return false;
    draft.row.resource = ResourceId(m_processes.numberOfText(text));
    m_facts.hasProcess = true;
    return true;
}

/// Microseconds, or a date in protobuf's JSON mapping.
void JaegerJsonSpan::readStart(const JsonToken& token)
{
    if (token.isNull() || token.raw == "\"\"")
        return;
    const auto time = token.isScalar() ? decodeTime(tokenText(token, m_scratch), TimeUnit::Microseconds) : std::nullopt;
    m_facts.badTime |= !time;
    if (!time)
        return;
    m_facts.start = time->time;
    m_facts.isDate = time->isDate;
    m_facts.outOfRange |= time->isOutOfRange;
    m_facts.isFiner = time->finer != 0;
    reportOddTime(*time, token.raw, m_diagnostics, m_place);
}

/// Microseconds, or "0.005s" and other units as Go and protobuf write them.
void JaegerJsonSpan::readDuration(const JsonToken& token)
{
    struct Suffix {
        std::string_view text;
        int power;
    };
    static constexpr std::array suffixes = {Suffix{"ns", 0}, Suffix{"us", 3}, Suffix{"\xc2\xb5s", 3}, Suffix{"ms", 6}, Suffix{"s", 9}};
    if (token.isNull() || token.raw == "\"\"")
        return;
    std::string_view text = token.isScalar() ? tokenText(token, m_scratch) : std::string_view();
    int power = 3;
    m_facts.durationNamesUnit = false;
    for (const Suffix& suffix : suffixes) {
        if (!text.ends_with(suffix.text))
            continue;
        text.remove_suffix(suffix.text.size());
        power = suffix.power;
        m_facts.durationNamesUnit = true;
        break;
    }
    const auto length = scaledInteger(text, power);
    m_facts.badTime |= !length;
    if (length) {
        m_facts.duration = Duration{length->value};
        m_facts.outOfRange |= length->isOutOfRange;
        if (length->isOutOfRange)
            reportOddTime({Timestamp::max(), true}, token.raw, m_diagnostics, m_place);
    }
}

void JaegerJsonSpan::applyTimes(SpanRow& row) const
{
    if (m_facts.start)
        row.start = *m_facts.start;
    if (m_facts.outOfRange)
        row.flags.set(SpanFlags::TimeOutOfRange);
    if (m_facts.isFiner)
        row.flags.set(SpanFlags::TimeRepaired);
    if (!m_facts.start || !m_facts.duration)
        return;
    const std::int64_t length = toNs(*m_facts.duration) / (m_facts.isFiner && !m_facts.durationNamesUnit ? 1000 : 1);
    std::int64_t end = 0;
    if (__builtin_add_overflow(toNs(*m_facts.start), length, &end)) {
        row.flags.set(SpanFlags::TimeOutOfRange);
        end = toNs(Timestamp::max());
    }
    row.end = timestampFromNs(end);
}

} // namespace chokepoint
