// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/xrayreader.h"

#include "core/import/jsonhead.h"
#include "core/import/treerecords.h"
#include "core/import/treespan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace chokepoint {

namespace {

/// Members of a segment that are fields of a span, and OpenTelemetry's names of what is in the others.
constexpr AttributeName names[] = {
    {"id", ""},
    {"trace_id", ""},
    {"parent_id", ""},
    {"name", ""},
    {"start_time", ""},
    {"end_time", ""},
    {"type", ""},
    {"in_progress", ""},
    {"subsegments", ""},
    {"links", ""},
    {"cause", ""},
    {"service", ""},
    {"annotations", ""}, // by their own names
    {"metadata", ""},
    {"http.request.method", "http.request.method"},
    {"http.request.url", "url.full"},
    {"http.request.user_agent", "user_agent.original"},
    {"http.request.client_ip", "client.address"},
    {"http.response.status", "http.response.status_code"},
    {"http.response.content_length", "http.response.body.size"},
    {"sql.sanitized_query", "db.query.text"},
    {"sql.database_type", "db.system.name"},
    {"sql.user", "db.user"},
    {"user", "user.id"},
};

/// "1-5759e988-bd862e3fe1be46a994272793" is 32 hex digits with a version.
std::string traceIdText(std::string text)
{
    if (text.size() == 35 && text[0] == '1' && text[1] == '-' && text[10] == '-')
        return text.substr(2, 8) + text.substr(11);
    return text;
}

bool isTraceId(std::string_view text)
{
    return text.size() == 35 && text.substr(0, 2) == "1-" && text[10] == '-';
}

bool isTrue(JsonNode node)
{
    return node.text() == "true"; // as a text, too
}

/// One line a frame.
std::string stackText(JsonNode exception)
{
    std::string text;
    for (const JsonNode frame : exception["stack"])
        text += fmt::format("{}{} ({}:{})", text.empty() ? "" : "\n", frame["label"].text(), frame["path"].text(), frame["line"].text());
    return text;
}

class XRaySpans {
public:
    XRaySpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }
    [[nodiscard]] Result<void> finish();

private:
    struct Key {
        TraceId trace;
        SpanId span;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept { return std::hash<TraceId>()(key.trace) ^ mix64(key.span.value); }
    };

    [[nodiscard]] bool readDocument(JsonNode document);
    [[nodiscard]] bool readSegment(JsonNode segment, JsonNode document, JsonNode parent);
    void readCause(JsonNode cause);
    void readStatus(JsonNode segment);
    void readLinks(JsonNode links);
    void readResource(JsonNode document);
    [[nodiscard]] bool hand(bool isInProgress);

    TreeSpan m_span;
    JsonTree m_document; // that came as a text
    std::string m_traceId; // of the document
    std::unordered_set<Key, KeyHash> m_complete;
    std::unordered_map<Key, std::size_t, KeyHash> m_places; // in m_inProgress
    std::deque<SpanDraft> m_inProgress; // whose complete document has not come; a null span id is free
};

bool XRaySpans::read(JsonNode record)
{
    const JsonNode document = record["Document"];
    if (!document)
        return readDocument(record);
    if (m_document.read(document.text(), m_span.sink().diagnostics()))
        return readDocument(m_document.root());
    m_span.sink().diagnostics().reject(DiagnosticCode::BadRecord,
        [&] { return m_span.place().text() + ": the text of this segment's document is no JSON; the segment was left out"; });
    return true;
}

/// A segment with all that is nested in it.
bool XRaySpans::readDocument(JsonNode document)
{
    struct Level {
        const JsonEntry* next;
        const JsonEntry* end;
        JsonNode parent;
    };
    if (document["format"] && document["version"])
        return true; // the daemon's header
    if (!document["id"] && !document["trace_id"])
        return m_span.leaveOut(document);
    m_traceId = traceIdText(document["trace_id"].text());
    if (!readSegment(document, document, {}))
        return false;
    std::vector<Level> levels;
    const auto open = [&levels](JsonNode segment) {
        if (const JsonNode inner = segment["subsegments"]; inner.isArray() && inner.hasChildren())
            levels.push_back({inner.entry() + 1, inner.entry() + inner.entry()->size, segment});
    };
    open(document);
    while (!levels.empty()) {
        Level& level = levels.back();
        if (level.next == level.end) {
            levels.pop_back();
            continue;
        }
        const JsonNode segment(level.next);
        level.next += level.next->size;
        if (segment.isObject() && !readSegment(segment, document, level.parent))
            return false;
        open(segment);
    }
    return true;
}

/// \a parent encloses it; none for the outermost one of \a document.
bool XRaySpans::readSegment(JsonNode segment, JsonNode document, JsonNode parent)
{
    const bool isSubsegment = parent || segment["type"].text() == "subsegment";
    m_span.begin();
    m_span.setTraceId(m_traceId);
    m_span.setSpanId(segment["id"].text());
    m_span.setParentId((parent ? parent["id"] : segment["parent_id"]).text());
    m_span.setName(segment["name"].text());
    m_span.row().flags.setKind(!isSubsegment ? SpanKind::Server : segment["namespace"] ? SpanKind::Client : SpanKind::Internal);
    m_span.row().start = m_span.time(segment["start_time"], TimeUnit::Seconds);
    m_span.row().end = m_span.time(segment["end_time"], TimeUnit::Seconds);
    m_span.flattened("", segment, names);
    m_span.attributes(segment["annotations"]);
    m_span.flattened("", segment["metadata"]);
    readStatus(segment);
    readCause(segment["cause"]);
    readLinks(segment["links"]);
    readResource(document);
    return hand(isTrue(segment["in_progress"]));
}

void XRaySpans::readStatus(JsonNode segment)
{
    if (!isTrue(segment["fault"]) && !isTrue(segment["error"]) && !isTrue(segment["throttle"]))
        return;
    const JsonNode exceptions = segment["cause"]["exceptions"];
    m_span.setStatus(SpanStatus::Error, exceptions.hasChildren() ? (*exceptions.begin())["message"].text() : std::string());
}

/// The id of an exception elsewhere, or exceptions.
void XRaySpans::readCause(JsonNode cause)
{
    if (cause.isText())
        m_span.attribute("cause", cause);
    static constexpr AttributeName exceptionsApart[] = {{"cause.exceptions", ""}};
    m_span.flattened("cause.", cause, exceptionsApart);
    for (const JsonNode exception : cause["exceptions"]) {
        m_span.beginException(m_span.row().end, exception["type"].text(), exception["message"].text(), stackText(exception));
        for (const std::string_view name : {"id", "remote", "cause"})
            if (exception[name])
                m_span.attribute(std::string("exception.").append(name), exception[name]);
        m_span.endNested();
    }
}

void XRaySpans::readLinks(JsonNode links)
{
    if (!links.isArray())
        return;
    for (const JsonNode link : links) {
        m_span.beginLink(traceIdText(link["trace_id"].text()), link.first({"id", "span_id"}).text());
        m_span.attributes(link["attributes"]);
        m_span.endNested();
    }
}

/// A segment is named as its service; a subsegment that came alone does not say whose it is.
void XRaySpans::readResource(JsonNode document)
{
    static constexpr AttributeName nameApart[] = {{"service.name", ""}};
    Resource resource;
    if (document["type"].text() != "subsegment")
        resource.attributes.push_back({"service.name", m_span.value(document["name"])});
    m_span.flattened(resource.attributes, "service.", document["service"], nameApart);
    m_span.setResource(resource);
}

/// A document that is in progress counts until the complete one comes, whichever is first in the file.
bool XRaySpans::hand(bool isInProgress)
{
    SpanDraft& draft = m_span.draft();
    const Key key{draft.traceId, draft.row.spanId};
    if (key.span.isNull())
        return m_span.add();
    const auto place = m_places.find(key);
    if (!isInProgress) {
        if (place != m_places.end()) {
            m_inProgress[place->second].row.spanId = {};
            m_places.erase(place);
        }
        m_complete.insert(key);
        return m_span.add();
    }
    if (m_complete.count(key) != 0)
        return true;
    m_span.endNested();
    if (place != m_places.end()) {
        m_inProgress[place->second] = draft;
        return true;
    }
    m_places.emplace(key, m_inProgress.size());
    m_inProgress.push_back(draft);
    return true;
}

Result<void> XRaySpans::finish()
{
    for (SpanDraft& draft : m_inProgress)
        if (!draft.row.spanId.isNull() && !m_span.add(draft))
            return fail(*m_span.failure());
    return {};
}

class XRayReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 3> lists = {"Traces", "Segments", "data"};
        return readTrees<XRaySpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffXRay(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isSegment =
        json.hasAll({"trace_id", "id", "start_time"}) && (isTraceId(json.scalar("trace_id")) || isTraceId(json.scalar("data[].trace_id")));
    const bool isHeader = json.scalar("format") == "json" && json.has("version");
    const bool isTree = json.hasAll({"start_time", "name", "subsegments"});
    return isSegment || isTree || isHeader || json.has("Traces[].Segments") || json.has("Segments[].Document") ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createXRayReader()
{
    return std::make_unique<XRayReader>();
}

} // namespace chokepoint
