// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/phoenixreader.h"

#include "core/import/jsonhead.h"
#include "core/import/llmspan.h"
#include "core/import/treerecords.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

constexpr std::string_view attributePrefix = "attributes.";

/// Columns of a span; all others of a data frame are attributes.
constexpr std::array<std::string_view, 14> columns = {"name", "span_kind", "parent_id", "start_time", "end_time", "status_code",
    "status_message", "events", "attributes", "context", "context.span_id", "context.trace_id", "id", "conversation"};

/// A name of a data frame without the "0_" or "1_" of pandas' table schema.
std::string_view plainName(std::string_view name)
{
    return name.size() > 2 && (name[0] == '0' || name[0] == '1') && name[1] == '_' ? name.substr(2) : name;
}

JsonNode column(JsonNode record, std::string_view name)
{
    JsonNode found;
    for (const JsonNode child : record)
        if (child && plainName(child.key()) == name)
            found = child;
    return found;
}

bool hasColumn(JsonNode record, std::string_view name)
{
    for (const JsonNode child : record)
        if (plainName(child.key()) == name)
            return true;
    return false;
}

/// The attributes of old exports are objects inside objects; newer ones have dotted names, and objects are values.
bool isNested(JsonNode attributes)
{
    bool hasObject = false;
    for (const JsonNode attribute : attributes) {
        if (attribute.key().find('.') != std::string_view::npos)
            return false;
        hasObject |= attribute.isObject();
    }
    return hasObject;
}

class PhoenixSpans {
public:
    PhoenixSpans(SpanSink& sink, const RecordPlace& place) : m_llm(sink, place), m_span(m_llm.span()) { }

    /// What stands around lists is not read: traces of the command line repeat one of their spans there.
    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] Result<void> finish() const;
    [[nodiscard]] std::optional<Error> failure() const { return m_llm.span().failure(); }

private:
    [[nodiscard]] bool readSpan(JsonNode record, std::string_view spanId, std::string_view traceId);
    [[nodiscard]] bool readColumns(JsonNode frame, JsonNode keys);
    void readAttributes(JsonNode record);
    void readAttribute(std::string_view key, JsonNode value);
    void readEvents(JsonNode events);
    [[nodiscard]] Timestamp time(JsonNode node);

    LlmSpan m_llm;
    TreeSpan& m_span;
    std::string m_service;
    std::uint64_t m_withoutId = 0;
    std::uint64_t m_spans = 0;
};

bool PhoenixSpans::read(JsonNode record)
{
    const JsonNode context = record["context"];
    if (context.isObject())
        return readSpan(record, context["span_id"].text(), context["trace_id"].text());
    const JsonNode traceId = column(record, "context.trace_id");
    const JsonNode spanId = column(record, "context.span_id");
    if (traceId.isObject())
        return readColumns(record, traceId);
    if (hasColumn(record, "context.span_id"))
        return readSpan(record, spanId.text(), traceId.text());
    if (record["context"].entry() != nullptr && record["name"])
        return readSpan(record, {}, {});
    if (traceId || column(record, "span_kind"))
        ++m_withoutId;
    return m_span.leaveOut(record);
}

/// A data frame as pandas writes it by default: an object per column, whose members are the rows. Without a column of span ids the
/// rows are named by them.
bool PhoenixSpans::readColumns(JsonNode frame, JsonNode keys)
{
    struct Cells {
        std::string_view name;
        JsonNode::Iterator next;
        JsonNode::Iterator end;
    };
    std::vector<Cells> cells;
    for (const JsonNode cell : frame)
        if (cell.isObject())
            cells.push_back({plainName(cell.key()), cell.begin(), cell.end()});
    const bool hasSpanId = hasColumn(frame, "context.span_id");
    JsonTree row;
    for (const JsonNode key : keys) {
        std::string text = "{";
        for (Cells& cell : cells) {
            if (!(cell.next != cell.end) || (*cell.next).key() != key.key())
                continue; // a column that lacks this row
            appendJsonMember(text, cell.name, *cell.next);
            ++cell.next;
        }
        if (!row.read(text + "}", m_span.sink().diagnostics()))
            continue;
        const std::string spanId = hasSpanId ? row.root()["context.span_id"].text() : std::string(key.key());
        if (!readSpan(row.root(), spanId, row.root()["context.trace_id"].text()))
            return false;
    }
    return true;
}

bool PhoenixSpans::readSpan(JsonNode record, std::string_view spanId, std::string_view traceId)
{
    ++m_spans;
    m_llm.begin();
    m_service.clear();
    m_llm.setTraceId(traceId);
    m_llm.setSpanId(spanId);
    m_llm.setParentId(column(record, "parent_id").text());
    m_span.setName(column(record, "name").text());
    m_span.row().start = time(column(record, "start_time"));
    m_span.row().end = time(column(record, "end_time"));
    m_span.setStatus(column(record, "status_code"));
    m_span.draft().statusMessage = column(record, "status_message").text();
    if (const JsonNode kind = column(record, "span_kind"))
        m_span.attribute("openinference.span.kind", kind);
    readAttributes(record);
    if (const JsonNode conversation = column(record, "conversation"); conversation.isObject())
        m_span.flattened("conversation.", conversation);
    readEvents(column(record, "events"));
    m_span.setService(m_service.empty() ? "phoenix" : m_service);
    return m_span.add();
}

/// An ISO date; pandas writes milliseconds, whatever the frame had.
Timestamp PhoenixSpans::time(JsonNode node)
{
    const bool isNumber = node.token().kind == JsonKind::Number;
    if (isNumber)
        m_span.row().flags.set(SpanFlags::FloatRounded);
    return m_span.time(node, isNumber ? TimeUnit::Milliseconds : TimeUnit::Nanoseconds);
}

void PhoenixSpans::readAttributes(JsonNode record)
{
    const JsonNode attributes = column(record, "attributes");
    if (attributes.isObject() && isNested(attributes)) {
        m_service = attributes["service"]["name"].text();
        m_span.flattened({}, attributes);
    } else if (attributes.isObject()) {
        for (const JsonNode attribute : attributes)
            readAttribute(attribute.key(), attribute);
    }
    for (const JsonNode cell : record) {
        const std::string_view name = plainName(cell.key());
        if (name.substr(0, attributePrefix.size()) == attributePrefix) {
            if (cell) // a row without this attribute has null in the column
                readAttribute(name.substr(attributePrefix.size()), cell);
        } else if (cell && std::find(columns.begin(), columns.end(), name) == columns.end()) {
            m_span.attribute("phoenix." + std::string(name), cell);
        }
    }
}

void PhoenixSpans::readAttribute(std::string_view key, JsonNode value)
{
    if (key == "service.name") {
        m_service = value.text(); // goes to the resource
        return;
    }
    if (key.substr(0, 16) == "llm.token_count.") // pandas makes whole numbers 12.0
        m_llm.count(key, value);
    else
        m_span.attribute(key, value);
}

void PhoenixSpans::readEvents(JsonNode events)
{
    const JsonNode list = m_llm.embedded().read(events);
    if (!list.isArray())
        return;
    for (const JsonNode event : list) {
        m_span.beginEvent(event["name"].text(), time(event["timestamp"]));
        m_span.attributes(event["attributes"]);
        m_span.endNested();
    }
}

Result<void> PhoenixSpans::finish() const
{
    if (m_spans == 0 && m_withoutId > 0)
        return fail(ErrorCode::UnsupportedFormat,
            "this Phoenix data frame lacks the column context.span_id, so that its spans cannot be put together; export it with the "
            "columns "
            "context.span_id, context.trace_id and parent_id");
    return {};
}

class PhoenixReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 2> lists = {"data", "spans"};
        return readTrees<PhoenixSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffPhoenix(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const auto hasFrame = [&json](std::string_view span, std::string_view trace, std::string_view kind, std::string_view status) {
        return json.hasAll({trace, kind}) || json.hasAll({trace, status}) || json.hasAll({span, kind});
    };
    const bool isPhoenix = hasFrame("context.span_id", "context.trace_id", "span_kind", "status_code")
        || hasFrame("0_context.span_id", "1_context.trace_id", "1_span_kind", "1_status_code")
        || json.hasAll({"spans[].context.trace_id", "spans[].span_kind"}) || json.hasAll({"span_kind", "status_code", "parent_id"});
    // The first column of a large data frame may be all that there is to see.
    const std::vector<std::string> names = json.topNames(8);
    const bool hasColumn = std::any_of(
        names.begin(), names.end(), [](const std::string& name) { return name == "context.trace_id" || name == "context.span_id"; });
    return isPhoenix || hasColumn ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createPhoenixReader()
{
    return std::make_unique<PhoenixReader>();
}

} // namespace chokepoint
