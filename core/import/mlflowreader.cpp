// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/mlflowreader.h"

#include "core/import/decodenumber.h"
#include "core/import/jsonhead.h"
#include "core/import/llmspan.h"
#include "core/import/treerecords.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// Roots wait for the description of their trace, which stands around its spans; of more of them the rest goes without.
constexpr std::size_t waitingAtMost = 4096;

/// Types that OpenInference has a kind for; the others are told by mlflow.spanType alone.
constexpr std::array<std::string_view, 10> kinds = {
    "llm", "chat_model", "chain", "agent", "tool", "retriever", "embedding", "reranker", "guardrail", "evaluator"};

struct TokenCount {
    std::string_view name;
    std::string_view attribute;
};

constexpr std::array<TokenCount, 5> tokenCounts = {{
    {"input_tokens", "gen_ai.usage.input_tokens"},
    {"output_tokens", "gen_ai.usage.output_tokens"},
    {"total_tokens", "gen_ai.usage.total_tokens"},
    {"cache_read_input_tokens", "gen_ai.usage.cache_read.input_tokens"},
    {"cache_creation_input_tokens", "gen_ai.usage.cache_creation.input_tokens"},
}};

/// "tr-0af7..." and "trace:/catalog.schema/0af7..." without what stands before the digits.
std::string bareTraceId(std::string text)
{
    if (text.substr(0, 3) == "tr-")
        return text.substr(3);
    return text.substr(0, 7) == "trace:/" ? text.substr(text.rfind('/') + 1) : text;
}

/// Whether all of \a text is one JSON text, number, true or false.
bool isJsonScalar(std::string_view text)
{
    switch (jsonToken(text).kind) {
    case JsonKind::Text: return text.size() >= 2 && text.back() == '"';
    case JsonKind::Number:
    case JsonKind::NonFinite: return realFromText(text).has_value();
    case JsonKind::True: return text == "true";
    case JsonKind::False: return text == "false";
    default: return false;
    }
}

class MlflowSpans {
public:
    MlflowSpans(SpanSink& sink, const RecordPlace& place) : m_llm(sink, place), m_span(m_llm.span()) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] bool around(JsonNode object);
    [[nodiscard]] Result<void> finish();
    [[nodiscard]] std::optional<Error> failure() const { return m_llm.span().failure(); }

private:
    [[nodiscard]] bool readSpan(JsonNode span);
    void readIds(JsonNode span);
    void readAttributes(JsonNode attributes);
    void readAttribute(std::string_view key, JsonNode value);
    void readEvents(JsonNode events);
    void readLinks(JsonNode links);
    void describe(JsonNode trace);
    [[nodiscard]] bool release();

    LlmSpan m_llm;
    TreeSpan& m_span;
    std::vector<SpanDraft> m_roots;
};

/// A span; or a row of a data frame, whose spans may be JSON text.
bool MlflowSpans::read(JsonNode record)
{
    const JsonNode spans = record["spans"];
    if (!spans)
        return readSpan(record);
    EmbeddedJson text(m_span.sink().diagnostics()); // the other one decodes attributes
    const JsonNode list = text.read(spans);
    if (list.isArray())
        for (const JsonNode span : list)
            if (!readSpan(span))
                return false;
    if (!list.isArray() && !isEmptyValue(spans))
        m_span.leaveOut(record);
    return around(record);
}

bool MlflowSpans::readSpan(JsonNode span)
{
    if (!span["context"].isObject() && !span.first({"span_id", "start_time_unix_nano", "start_time", "start_time_ns"}))
        return m_span.leaveOut(span);
    m_llm.begin();
    readIds(span);
    m_span.setName(span["name"].text());
    m_span.row().start = m_span.time(span.first({"start_time_unix_nano", "start_time", "start_time_ns"}), TimeUnit::Nanoseconds);
    m_span.row().end = m_span.time(span.first({"end_time_unix_nano", "end_time", "end_time_ns"}), TimeUnit::Nanoseconds);
    const JsonNode status = span["status"];
    m_span.setStatus(status.isObject() ? status["code"] : span.first({"status_code", "status"}));
    m_span.draft().statusMessage = status.isObject() ? status["message"].text() : span["status_message"].text();
    readAttributes(span["attributes"]);
    readEvents(span["events"]);
    readLinks(span["links"]);
    if (!m_span.row().parentId.isNull())
        return m_span.add();
    m_roots.push_back(m_span.take());
    m_llm.begin();
    return m_roots.size() < waitingAtMost || release();
}

/// Hexadecimal with 0x, base64 of the bytes, or plain hexadecimal, by the version that wrote the span.
void MlflowSpans::readIds(JsonNode span)
{
    const JsonNode context = span["context"];
    const JsonNode traceId = context.isObject() ? context["trace_id"] : span.first({"otel_trace_id", "trace_id"});
    m_span.setTraceId(bareTraceId(traceId.text()));
    m_span.setSpanId((context.isObject() ? context : span)["span_id"].text());
    m_span.setParentId(span.first({"parent_span_id", "parent_id"}).text());
}

/// Every value is JSON text; what is none stays as it is.
void MlflowSpans::readAttributes(JsonNode attributes)
{
    for (const JsonNode attribute : attributes) {
        const std::string text = attribute.isText() ? attribute.text() : std::string();
        const JsonEntry decoded{attribute.key(), jsonToken(text), 1};
        readAttribute(attribute.key(), isJsonScalar(text) ? JsonNode(&decoded) : attribute);
    }
}

void MlflowSpans::readAttribute(std::string_view key, JsonNode value)
{
    if (key == "mlflow.spanInputs" || key == "mlflow.spanOutputs") {
        m_llm.value(key == "mlflow.spanInputs" ? "input" : "output", key, value);
        return;
    }
    const JsonNode decoded = m_llm.embedded().read(value);
    m_span.attribute(key, decoded.entry() != nullptr ? decoded : value);
    if (key == "mlflow.spanType") {
        const std::string kind = lowerCase(value.text());
        if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end() || kind == "unknown")
            m_llm.setKind(kind);
    } else if (key == "mlflow.chat.tokenUsage") {
        for (const TokenCount& count : tokenCounts)
            m_llm.count(count.attribute, decoded[count.name]);
    } else if (key == "mlflow.llm.model") {
        m_llm.scalar("gen_ai.request.model", value);
    } else if (key == "mlflow.llm.provider") {
        m_llm.scalar("gen_ai.provider.name", value);
    } else if (key == "mlflow.llm.cost") {
        m_llm.scalar("llm.cost.total", decoded["total_cost"]);
    }
}

void MlflowSpans::readEvents(JsonNode events)
{
    if (!events.isArray())
        return;
    for (const JsonNode event : events) {
        m_span.beginEvent(event["name"].text(), m_span.time(event.first({"time_unix_nano", "timestamp"}), TimeUnit::Nanoseconds));
        m_span.attributes(event["attributes"]);
        m_span.endNested();
    }
}

void MlflowSpans::readLinks(JsonNode links)
{
    if (!links.isArray())
        return;
    for (const JsonNode link : links) {
        m_span.beginLink(bareTraceId(link["trace_id"].text()), link["span_id"].text());
        m_span.attributes(link["attributes"]);
        m_span.endNested();
    }
}

/// What the trace says of itself goes to its root: in "info", or beside the spans of a row.
bool MlflowSpans::around(JsonNode object)
{
    if (const JsonNode info = object["info"]; info.isObject())
        describe(info);
    else if (object.first({"trace_id", "request_id"}))
        describe(object);
    return release();
}

void MlflowSpans::describe(JsonNode trace)
{
    if (m_roots.empty())
        return;
    m_span.resume(std::move(m_roots.front()));
    for (const std::string_view name : {"trace_id", "request_id", "client_request_id", "experiment_id", "request_preview",
             "response_preview", "state", "status", "execution_time_ms", "execution_duration_ms", "trace_location", "assessments"})
        m_llm.scalar("mlflow.trace." + std::string(name), trace[name]);
    for (const JsonNode metadata : trace.first({"trace_metadata", "request_metadata"})) {
        m_llm.scalar(metadata.key(), metadata);
        if (metadata.key() == "mlflow.trace.session")
            m_llm.scalar("session.id", metadata);
        else if (metadata.key() == "mlflow.trace.user")
            m_llm.scalar("user.id", metadata);
    }
    m_span.flattened("mlflow.trace.tags.", trace["tags"]);
    m_roots.front() = m_span.take();
    m_llm.begin();
}

bool MlflowSpans::release()
{
    for (SpanDraft& root : m_roots) {
        if (!m_span.add(root))
            return false;
    }
    m_roots.clear();
    return true;
}

Result<void> MlflowSpans::finish()
{
    return release() ? Result<void>() : fail(*m_span.failure());
}

class MlflowReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 3> lists = {"data.spans", "spans", "traces"};
        return readTrees<MlflowSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffMlflow(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    bool isMlflow = json.hasAll({"info", "data.spans"}) || json.hasAll({"attributes.mlflow.traceRequestId"})
        || json.hasAll({"spans[].attributes.mlflow.traceRequestId"}) || json.hasAll({"traces[].info", "traces[].data.spans"});
    for (const std::string_view id : {"trace_id", "request_id"})
        for (const std::string_view state : {"execution_duration", "execution_time_ms", "trace_metadata", "request_metadata"})
            isMlflow |= json.hasAll({id, state, "spans"});
    return isMlflow ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createMlflowReader()
{
    return std::make_unique<MlflowReader>();
}

} // namespace chokepoint
