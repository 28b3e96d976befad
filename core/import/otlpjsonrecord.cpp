// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpjsonrecord.h"

#include "core/base/utf8.h"

#include <array>

namespace chokepoint {

namespace {

constexpr unsigned wrappersAtMost = 4; // objects and lists around a request

struct MemberName {
    std::string_view name;
    OtlpMember member;
};

constexpr std::array members = {
    MemberName{"resourceSpans", OtlpMember::ResourceSpansList},
    MemberName{"resource", OtlpMember::Resource},
    MemberName{"scopeSpans", OtlpMember::ScopeSpansList},
    MemberName{"scope", OtlpMember::Scope},
    MemberName{"spans", OtlpMember::SpanList},
    MemberName{"schemaUrl", OtlpMember::SchemaUrl},
    MemberName{"resource_spans", OtlpMember::ResourceSpansList},
    MemberName{"batches", OtlpMember::Batches},
    MemberName{"scope_spans", OtlpMember::ScopeSpansList},
    MemberName{"schema_url", OtlpMember::SchemaUrl},
    MemberName{"instrumentationLibrarySpans", OtlpMember::LegacyScopeSpansList},
    MemberName{"instrumentation_library_spans", OtlpMember::LegacyScopeSpansList},
    MemberName{"instrumentationLibrary", OtlpMember::Scope},
    MemberName{"instrumentation_library", OtlpMember::Scope},
    MemberName{"data", OtlpMember::Wrapper},
    MemberName{"result", OtlpMember::Wrapper},
    MemberName{"trace", OtlpMember::Wrapper},
    MemberName{"request", OtlpMember::Wrapper},
    MemberName{"body", OtlpMember::Wrapper},
    MemberName{"resourceMetrics", OtlpMember::OtherSignal},
    MemberName{"resourceLogs", OtlpMember::OtherSignal},
    MemberName{"resourceProfiles", OtlpMember::OtherSignal},
    MemberName{"resource_metrics", OtlpMember::OtherSignal},
    MemberName{"resource_logs", OtlpMember::OtherSignal},
    MemberName{"resource_profiles", OtlpMember::OtherSignal},
    MemberName{"spanId", OtlpMember::SpanId},
    MemberName{"span_id", OtlpMember::SpanId},
};

} // namespace

OtlpMember otlpMember(std::string_view key)
{
    for (const MemberName& entry : members)
        if (entry.name == key)
            return entry.member;
    return OtlpMember::Other;
}

OtlpJsonRecord::OtlpJsonRecord(SpanSink& sink, const RecordPlace& place)
    : m_sink(sink), m_place(place), m_parts(sink.dictionary(), sink.diagnostics(), place), m_span(sink.writer(), sink.diagnostics(), place)
{
}

bool OtlpJsonRecord::read(std::string_view text, OtlpLevel level, OtlpContext context)
{
    m_context = context;
    if (!m_document.open(text, m_sink.diagnostics()))
        return false;
    if (text.front() == '[') {
        json::array array;
        if (m_document.root().get_array().get(array) != simdjson::SUCCESS
            || !forEachElement(array, [&](json::value& element) { return readValue(element, level, 1); }))
            return false;
    } else {
        json::object object;
        if (m_document.root().get_object().get(object) != simdjson::SUCCESS || !readObject(object, level, 0))
            return false;
    }
    // Something behind the value means that the text was not one value.
    return m_document.root().current_location().error() == simdjson::OUT_OF_BOUNDS;
}

bool OtlpJsonRecord::readValue(json::value value, OtlpLevel level, unsigned wrappers)
{
    const JsonToken token = tokenOf(value);
    if (token.kind == JsonKind::Object) {
        json::object object;
        return value.get_object().get(object) == simdjson::SUCCESS && readObject(object, level, wrappers);
    }
    if (token.kind == JsonKind::Array && wrappers < wrappersAtMost)
        return readList(value, level, wrappers + 1);
    return level == OtlpLevel::Top ? token.kind != JsonKind::Invalid
                                   : passMisplaced(token, m_sink.diagnostics(), m_place); // wrappers may hold anything
}

bool OtlpJsonRecord::readObject(json::object object, OtlpLevel level, unsigned wrappers)
{
    switch (level) {
    case OtlpLevel::Top: return readTop(object, wrappers);
    case OtlpLevel::ResourceSpans: return readResourceSpans(object);
    case OtlpLevel::ScopeSpans: return readScopeSpans(object);
    case OtlpLevel::Span: return readSpan(object);
    }
    return false;
}

bool OtlpJsonRecord::readList(json::value value, OtlpLevel level, unsigned wrappers)
{
    const JsonToken token = tokenOf(value);
    if (token.kind != JsonKind::Array)
        return passMisplaced(token, m_sink.diagnostics(), m_place);
    json::array array;
    return value.get_array().get(array) == simdjson::SUCCESS
        && forEachElement(array, [&](json::value& element) { return readValue(element, level, wrappers); });
}

/// The level that an object at the top stands for; nothing when it holds no spans. Looks no further than it has to.
std::optional<OtlpLevel> OtlpJsonRecord::shapeOf(json::object object, bool& isWellFormed)
{
    std::optional<OtlpLevel> shape;
    bool isEmpty = true;
    isWellFormed = forEachMember(object, [&](json::field& field) {
        isEmpty = false;
        switch (otlpMember(rawKey(field))) {
        case OtlpMember::ResourceSpansList:
        case OtlpMember::Batches:
        case OtlpMember::Wrapper:
        case OtlpMember::OtherSignal: shape = OtlpLevel::Top; return false;
        case OtlpMember::ScopeSpansList:
        case OtlpMember::LegacyScopeSpansList: shape = OtlpLevel::ResourceSpans; return false;
        case OtlpMember::SpanList: shape = OtlpLevel::ScopeSpans; return false;
        case OtlpMember::SpanId: shape = OtlpLevel::Span; return false;
        default: return true;
        }
    });
    isWellFormed |= shape.has_value(); // the walk stopped because it knew enough
    return isEmpty ? std::optional(OtlpLevel::Top) : shape;
}

bool OtlpJsonRecord::readTop(json::object object, unsigned wrappers)
{
    bool isWellFormed = false;
    const std::optional<OtlpLevel> shape = shapeOf(object, isWellFormed);
    if (!isWellFormed)
        return false;
    if (!shape) {
        m_sink.diagnostics().reject(
            DiagnosticCode::BadRecord, [&] { return fmt::format("{}: an object that is no OTLP trace; left out", m_place.text()); });
        return true;
    }
    bool hasMembers = false;
    if (object.reset().get(hasMembers) != simdjson::SUCCESS)
        return false;
    return *shape == OtlpLevel::Top ? readRequest(object, wrappers) : readObject(object, *shape, wrappers);
}

void OtlpJsonRecord::reportDuplicate(const char* name)
{
    m_sink.diagnostics().report(DiagnosticCode::DuplicateKey,
        [&] { return fmt::format("{}: \"{}\" occurs more than once in an object; the last one counts", m_place.text(), name); });
}

bool OtlpJsonRecord::readRequest(json::object object, unsigned wrappers)
{
    const std::uint64_t from = m_sink.position();
    bool seen = false;
    bool isPartial = false;
    std::string message;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        json::value& value = field.value();
        switch (otlpMember(key)) {
        case OtlpMember::Batches: m_sink.setFormat("tempo-json"); [[fallthrough]];
        case OtlpMember::ResourceSpansList:
            if (seen) {
                reportDuplicate("resourceSpans");
                m_sink.rollback(from);
            }
            seen = true;
            return readList(value, OtlpLevel::ResourceSpans);
        case OtlpMember::Wrapper:
            if (key == "trace")
                m_sink.setFormat("tempo-json");
            return wrappers >= wrappersAtMost || readValue(value, OtlpLevel::Top, wrappers + 1);
        case OtlpMember::OtherSignal:
            m_sink.diagnostics().report(DiagnosticCode::OtherSignal,
                [&] { return fmt::format("{}: {} are no traces; left out", m_place.text(), std::string(key)); });
            return true;
        default: break;
        }
        const JsonToken token = tokenOf(value);
        isPartial |= key == "status" && token.raw == "\"PARTIAL\"";
        if (key == "message" && token.kind == JsonKind::Text)
            message = tokenText(token, m_scratch);
        return token.kind != JsonKind::Invalid;
    });
    if (isPartial)
        reportPartial(message);
    return isGood;
}

void OtlpJsonRecord::reportPartial(std::string_view message)
{
    m_sink.diagnostics().report(DiagnosticCode::PartialTrace, [&] {
        return fmt::format(
            "{}: the server says that this trace is not complete{}{}", m_place.text(), message.empty() ? "" : ": ", elided(message, 120));
    });
}

/// The text of an object; nothing for null and everything else.
bool OtlpJsonRecord::rawText(json::value value, std::string_view& text)
{
    text = {};
    const JsonToken token = tokenOf(value);
    if (token.kind != JsonKind::Object)
        return token.kind != JsonKind::Invalid;
    json::object object;
    return value.get_object().get(object) == simdjson::SUCCESS && object.raw_json().get(text) == simdjson::SUCCESS;
}

bool OtlpJsonRecord::readResourceSpans(json::object object)
{
    const std::uint64_t from = m_sink.position();
    std::string_view resource;
    std::string schemaUrl;
    bool seenScopes = false;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        json::value& value = field.value();
        switch (otlpMember(rawKey(field))) {
        case OtlpMember::Resource: return rawText(value, resource);
        case OtlpMember::SchemaUrl: schemaUrl = tokenText(tokenOf(value), m_scratch); return true;
        case OtlpMember::LegacyScopeSpansList:
            // Senders of the transition wrote both; the legacy name counts only beside an empty or absent scopeSpans.
            return (seenScopes && m_sink.position() > from) || readList(value, OtlpLevel::ScopeSpans);
        case OtlpMember::ScopeSpansList: {
            json::array array;
            bool isEmpty = true;
            if (tokenOf(value).kind != JsonKind::Array)
                return passMisplaced(tokenOf(value), m_sink.diagnostics(), m_place);
            if (value.get_array().get(array) != simdjson::SUCCESS || array.is_empty().get(isEmpty) != simdjson::SUCCESS)
                return false;
            if (seenScopes)
                reportDuplicate("scopeSpans");
            if (seenScopes || !isEmpty)
                m_sink.rollback(from);
            seenScopes = true;
            return forEachElement(array, [&](json::value& element) { return readValue(element, OtlpLevel::ScopeSpans, 0); });
        }
        default: return tokenOf(value).kind != JsonKind::Invalid;
        }
    });
    m_sink.setResource(from, m_parts.resource(resource, schemaUrl));
    return isGood;
}

bool OtlpJsonRecord::readScopeSpans(json::object object)
{
    const std::uint64_t from = m_sink.position();
    std::string_view scope;
    std::string schemaUrl;
    bool seen = false;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        json::value& value = field.value();
        switch (otlpMember(rawKey(field))) {
        case OtlpMember::Scope: return rawText(value, scope);
        case OtlpMember::SchemaUrl: schemaUrl = tokenText(tokenOf(value), m_scratch); return true;
        case OtlpMember::SpanList:
            if (seen) {
                reportDuplicate("spans");
                m_sink.rollback(from);
            }
            seen = true;
            return readList(value, OtlpLevel::Span);
        default: return tokenOf(value).kind != JsonKind::Invalid;
        }
    });
    m_sink.setScope(from, m_parts.scope(scope, schemaUrl));
    return isGood;
}

bool OtlpJsonRecord::readSpan(json::object object)
{
    m_draft.clear();
    m_draft.row.resource = m_context.resource;
    m_draft.row.scope = m_context.scope;
    switch (m_span.read(object, m_draft)) {
    case SpanOutcome::Malformed: return false;
    case SpanOutcome::Rejected: return true;
    case SpanOutcome::Read: break;
    }
    if (auto added = m_sink.add(m_draft); !added) {
        m_failure = added.error();
        return false;
    }
    return true;
}

} // namespace chokepoint
