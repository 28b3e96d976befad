// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jaegerjsonrecord.h"

#include <algorithm>

namespace chokepoint {

namespace {

constexpr unsigned deepestWrapper = 6;

/// Services, and in its bulk files the actions ({"index":...}), stand among the documents of Elasticsearch.
enum class Shape { None, Beside, Wrapper, Trace, Span };

bool isWrapper(std::string_view key)
{
    return key == "data" || key == "_source" || key == "hits" || key == "result";
}

/// Told from the first member that only one shape has.
Shape shapeOf(json::object object, bool& isWellFormed)
{
    Shape shape = Shape::None;
    bool hasTraceId = false;
    bool isBeside = false;
    isWellFormed = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        hasTraceId |= key == "traceID" || key == "traceId";
        isBeside |= key == "serviceName" || key == "operationName" || key == "index" || key == "create";
        if (key == "spanID" || key == "spanId")
            shape = Shape::Span;
        else if (key == "spans" || key == "processes")
            shape = Shape::Trace;
        else if (isWrapper(key))
            shape = Shape::Wrapper;
        return shape == Shape::None;
    });
    isWellFormed |= shape != Shape::None;
    if (shape == Shape::None && (hasTraceId || isBeside))
        return hasTraceId ? Shape::Span : Shape::Beside;
    return shape;
}

bool isInTrace(const JaegerReference& reference, const SpanDraft& span)
{
    return reference.traceId.id.isNull() || reference.traceId.id == span.traceId;
}

bool isCandidate(const JaegerReference& reference, const SpanDraft& span)
{
    return isInTrace(reference, span) && reference.spanId.id != span.row.spanId;
}

/// CHILD_OF before FOLLOWS_FROM, each in the order of the file.
template <typename Accept> const JaegerReference* firstCandidate(const JaegerSpan& span, Accept&& accept)
{
    for (const bool followsFrom : {false, true})
        for (const JaegerReference& reference : span.references)
            if (reference.isFollowsFrom == followsFrom && isCandidate(reference, span.draft) && accept(reference))
                return &reference;
    return nullptr;
}

bool hasOneParentAtMost(const JaegerSpan& span)
{
    const JaegerReference* first = firstCandidate(span, [](const JaegerReference&) { return true; });
    return first == nullptr
        || firstCandidate(span, [first](const JaegerReference& other) { return other.spanId.id != first->spanId.id; }) == nullptr;
}

} // namespace

JaegerJsonRecord::JaegerJsonRecord(SpanSink& sink, const RecordPlace& place)
    : m_sink(sink), m_place(place), m_processes(sink.dictionary(), sink.diagnostics(), place),
      m_reader(sink.dictionary(), sink.writer(), m_processes, sink.diagnostics(), place)
{
}

bool JaegerJsonRecord::read(std::string_view text)
{
    if (!m_document.open(text, m_sink.diagnostics()))
        return false;
    json::value root;
    if (m_document.root().get_value().get(root) != simdjson::SUCCESS || !readValue(root, 0))
        return false;
    return m_document.root().current_location().error() == simdjson::OUT_OF_BOUNDS;
}

bool JaegerJsonRecord::readValue(json::value value, unsigned depth)
{
    return forEachObject(
        value, depth, deepestWrapper, [this](json::object object, unsigned level) { return readObject(object, level); },
        [this](const JsonToken& token) { return passMisplaced(token, m_sink.diagnostics(), m_place); });
}

bool JaegerJsonRecord::readObject(json::object object, unsigned depth)
{
    bool isWellFormed = false;
    bool hasMembers = false;
    const Shape shape = shapeOf(object, isWellFormed);
    if (!isWellFormed || shape == Shape::Beside)
        return isWellFormed;
    if (shape == Shape::None)
        return passMisplaced({JsonKind::Object, "an object"}, m_sink.diagnostics(), m_place);
    if (object.reset().get(hasMembers) != simdjson::SUCCESS)
        return false;
    switch (shape) {
    case Shape::None:
    case Shape::Beside: break;
    case Shape::Wrapper: return readWrapper(object, depth);
    case Shape::Trace: return readTrace(object);
    case Shape::Span: return readLoneSpan(object);
    }
    return true;
}

bool JaegerJsonRecord::readWrapper(json::object object, unsigned depth)
{
    return forEachMember(object, [&](json::field& field) {
        if (isWrapper(rawKey(field)))
            return readValue(field.value(), depth + 1);
        return tokenOf(field.value()).kind != JsonKind::Invalid;
    });
}

bool JaegerJsonRecord::readTrace(json::object object)
{
    beginTrace();
    const bool isGood = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        json::value& value = field.value();
        const JsonToken token = tokenOf(value);
        if (key == "processes")
            return m_processes.readAll(value);
        if (key != "spans")
            return token.kind != JsonKind::Invalid;
        if (token.kind != JsonKind::Array)
            return passMisplaced(token, m_sink.diagnostics(), m_place);
        json::array array;
        return value.get_array().get(array) == simdjson::SUCCESS && forEachElement(array, [&](json::value& element) {
            json::object span;
            const JsonToken spanToken = tokenOf(element);
            if (spanToken.kind == JsonKind::Object)
                return element.get_object().get(span) == simdjson::SUCCESS && addSpan(span);
            return passMisplaced(spanToken, m_sink.diagnostics(), m_place);
        });
    });
    return finishTrace() && isGood;
}

bool JaegerJsonRecord::readLoneSpan(json::object object)
{
    beginTrace();
    m_reader.setIsDocument(true);
    const bool isGood = addSpan(object);
    m_reader.setIsDocument(false);
    return finishTrace() && isGood;
}

void JaegerJsonRecord::beginTrace()
{
    m_from = m_sink.position();
    m_processes.clear();
    m_spanIds.clear();
    m_undecided.clear();
    m_sink.hold();
}

bool JaegerJsonRecord::readSpan(std::string_view text)
{
    json::object object;
    return m_document.open(text, m_sink.diagnostics()) && m_document.root().get_object().get(object) == simdjson::SUCCESS
        && addSpan(object);
}

bool JaegerJsonRecord::endTrace(std::string_view processes)
{
    if (!processes.empty() && !m_processes.readAllText(processes))
        m_sink.diagnostics().report(
            DiagnosticCode::BadAttributes, [&] { return fmt::format("{}: the processes of a trace cannot be read", m_place.text()); });
    return finishTrace();
}

bool JaegerJsonRecord::addSpan(json::object object)
{
    switch (m_reader.read(object, m_span)) {
    case JaegerJsonSpan::Outcome::Malformed: return false;
    case JaegerJsonSpan::Outcome::Rejected: return true;
    case JaegerJsonSpan::Outcome::Read: break;
    }
    m_spanIds.insert(m_span.draft.row.spanId);
    if (!hasOneParentAtMost(m_span)) {
        m_undecided.push_back(m_span);
        return true;
    }
    return addDraft(m_span, firstCandidate(m_span, [](const JaegerReference&) { return true; }));
}

/// All references but the parent, and those of the span to itself, become links.
bool JaegerJsonRecord::addDraft(JaegerSpan& span, const JaegerReference* parent)
{
    SpanDraft& draft = span.draft;
    const bool namesItself = std::any_of(span.references.begin(), span.references.end(),
        [&](const JaegerReference& reference) { return isInTrace(reference, draft) && reference.spanId.id == draft.row.spanId; });
    if (parent != nullptr) {
        draft.row.parentId = parent->spanId.id;
        draft.parentIdText = parent->spanIdText;
        if (parent->isFollowsFrom)
            draft.row.flags.set(SpanFlags::Follows);
    } else if (namesItself) {
        draft.row.parentId = draft.row.spanId;
        draft.parentIdText = draft.spanIdText;
    }
    for (const JaegerReference& reference : span.references) {
        const bool isParent = parent != nullptr && isInTrace(reference, draft) && reference.spanId.id == parent->spanId.id;
        if (isParent || (isInTrace(reference, draft) && reference.spanId.id == draft.row.spanId))
            continue;
        LinkDraft& link = draft.addLink();
        link.traceId = reference.traceId.id.isNull() ? draft.traceId : reference.traceId.id;
        link.traceIdText = reference.traceId.id.isNull() ? draft.traceIdText : reference.traceIdText;
        link.spanId = reference.spanId.id;
        link.spanIdText = reference.spanIdText;
        link.attributes.begin = draft.nested.size();
        m_sink.writer().setOutput(&draft.nested);
        m_sink.writer().key("opentracing.ref_type");
        m_sink.writer().text(reference.isFollowsFrom ? "follows_from" : "child_of");
        link.attributes.end = draft.nested.size();
    }
    if (auto added = m_sink.add(draft); !added) {
        m_failure = added.error();
        return false;
    }
    return true;
}

/// Of several possible parents the first that exists; when none does, the first of all, and the span is an orphan.
bool JaegerJsonRecord::addUndecided()
{
    for (JaegerSpan& span : m_undecided) {
        const JaegerReference* parent =
            firstCandidate(span, [this](const JaegerReference& reference) { return m_spanIds.contains(reference.spanId.id); });
        if (parent == nullptr)
            parent = firstCandidate(span, [](const JaegerReference&) { return true; });
        if (!addDraft(span, parent))
            return false;
    }
    m_undecided.clear();
    return true;
}

bool JaegerJsonRecord::finishTrace()
{
    bool isGood = addUndecided();
    m_sink.remapResources(m_from, m_processes.resources());
    if (auto released = m_sink.release(); !released && !m_failure) {
        m_failure = released.error();
        isGood = false;
    }
    return isGood;
}

} // namespace chokepoint
