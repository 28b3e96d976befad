// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/openaiagentsreader.h"

#include "core/import/jsonhead.h"
#include "core/import/llmspan.h"
#include "core/import/treerecords.h"

#include <array>
#include <map>

namespace chokepoint {

namespace {

/// A trace while its records arrive. Its own record becomes the root.
struct AgentTrace {
    std::string root; // the record as JSON; empty until it came
    Timestamp start = unknownTime;
    Timestamp end = unknownTime; // the last time that any span of it has
    std::vector<SpanDraft> waiting; // spans without a parent, until it is known whether there is a root
};

class AgentSpans {
public:
    AgentSpans(SpanSink& sink, const RecordPlace& place) : m_llm(sink, place), m_span(m_llm.span()) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] Result<void> finish();
    [[nodiscard]] std::optional<Error> failure() const { return m_llm.span().failure(); }

private:
    [[nodiscard]] bool readTrace(JsonNode record);
    [[nodiscard]] bool readSpan(JsonNode record);
    void setTraceId(std::string_view text);
    void setRootId(std::string_view traceId);
    void readName(JsonNode work);
    void readWork(JsonNode work);
    void readUsage(JsonNode usage);
    void readError(JsonNode error);
    [[nodiscard]] bool addChildren(AgentTrace& trace, const std::string& traceId);
    [[nodiscard]] bool addRoot(const AgentTrace& trace, const std::string& traceId);

    LlmSpan m_llm;
    TreeSpan& m_span;
    std::map<std::string, AgentTrace> m_traces;
};

bool AgentSpans::read(JsonNode record)
{
    const std::string kind = record["object"].text();
    if (kind == "trace")
        return readTrace(record);
    return kind == "trace.span" ? readSpan(record) : m_span.leaveOut(record);
}

/// trace_ and 32 digits: the digits are the id.
void AgentSpans::setTraceId(std::string_view text)
{
    constexpr std::string_view prefix = "trace_";
    m_llm.setTraceId(text.substr(0, prefix.size()) == prefix ? text.substr(prefix.size()) : text);
}

bool AgentSpans::readTrace(JsonNode record)
{
    const std::string id = record["id"].text();
    AgentTrace& trace = m_traces[id];
    if (trace.root.empty())
        trace.root = jsonText(record);
    return addChildren(trace, id);
}

bool AgentSpans::readSpan(JsonNode record)
{
    const JsonNode work = record["span_data"];
    const std::string traceId = record["trace_id"].text();
    AgentTrace& trace = m_traces[traceId];
    m_llm.begin();
    setTraceId(traceId);
    m_llm.setSpanId(record["id"].text());
    m_llm.setParentId(record["parent_id"].text());
    SpanRow& row = m_span.row();
    row.start = m_span.time(record["started_at"], TimeUnit::Seconds);
    row.end = m_span.time(record["ended_at"], TimeUnit::Seconds);
    readName(work);
    readWork(work);
    readError(record["error"]);
    if (isKnown(row.start) && (!isKnown(trace.start) || row.start < trace.start))
        trace.start = row.start;
    for (const Timestamp time : {row.start, row.end})
        if (isKnown(time) && (!isKnown(trace.end) || time > trace.end))
            trace.end = time;
    if (!row.parentId.isNull())
        return m_span.add();
    trace.waiting.push_back(m_span.take());
    m_llm.begin();
    return trace.root.empty() || addChildren(trace, traceId);
}

void AgentSpans::readName(JsonNode work)
{
    const std::string type = work["type"].text();
    std::string name = work["name"].text();
    if (type == "handoff" && work["to_agent"])
        name = "handoff to " + work["to_agent"].text();
    m_span.setName(name.empty() ? type : name);
}

void AgentSpans::readWork(JsonNode work)
{
    const std::string type = work["type"].text();
    m_llm.setKind(type == "task" || type == "turn" || type == "custom" ? "chain" : std::string_view(type));
    for (const JsonNode part : work) {
        const std::string_view key = part.key();
        if (key == "input" || key == "output")
            m_llm.value(key, "openai.agents." + std::string(key), part);
        else if (key == "usage")
            readUsage(part);
        else if (key == "model")
            m_llm.scalar("gen_ai.request.model", part);
        else if (key == "response_id")
            m_llm.scalar("gen_ai.response.id", part);
        else if (key == "name" && type == "agent")
            m_llm.scalar("gen_ai.agent.name", part);
        else if (key == "name" && type == "function")
            m_llm.scalar("tool.name", part);
        else if (part.isObject())
            m_span.flattened("openai.agents." + std::string(key) + ".", part);
        else
            m_llm.scalar("openai.agents." + std::string(key), part);
    }
}

void AgentSpans::readUsage(JsonNode usage)
{
    if (!m_llm.count("gen_ai.usage.input_tokens", usage["input_tokens"]))
        m_llm.count("gen_ai.usage.input_tokens", usage["prompt_tokens"]);
    if (!m_llm.count("gen_ai.usage.output_tokens", usage["output_tokens"]))
        m_llm.count("gen_ai.usage.output_tokens", usage["completion_tokens"]);
    m_llm.count("gen_ai.usage.total_tokens", usage["total_tokens"]);
    m_llm.count("gen_ai.usage.cache_read.input_tokens", usage["input_tokens_details"]["cached_tokens"]);
    m_llm.count("gen_ai.usage.reasoning.output_tokens", usage["output_tokens_details"]["reasoning_tokens"]);
}

void AgentSpans::readError(JsonNode error)
{
    if (!error)
        return;
    m_span.setStatus(SpanStatus::Error, error.isObject() ? error["message"].text() : error.text());
    if (const JsonNode details = error["data"]; details.isObject())
        m_span.flattened("error.data.", details);
    else
        m_llm.scalar("error.data", details);
}

/// The root's own id is the trace's.
void AgentSpans::setRootId(std::string_view traceId)
{
    m_llm.setSpanId(traceId);
}

bool AgentSpans::addChildren(AgentTrace& trace, const std::string& traceId)
{
    for (SpanDraft& waiting : trace.waiting) {
        m_span.resume(std::move(waiting));
        m_llm.setParentId(traceId);
        if (!m_span.add())
            return false;
    }
    trace.waiting.clear();
    return true;
}

bool AgentSpans::addRoot(const AgentTrace& trace, const std::string& traceId)
{
    JsonTree tree;
    if (!tree.read(trace.root, m_span.sink().diagnostics()))
        return true;
    const JsonNode record = tree.root();
    m_llm.begin();
    setTraceId(traceId);
    setRootId(traceId);
    m_span.setName(record["workflow_name"].text());
    m_span.row().start = trace.start;
    m_span.row().end = trace.end;
    m_llm.setKind("chain");
    m_llm.scalar("openai.agents.workflow_name", record["workflow_name"]);
    m_llm.scalar("session.id", record["group_id"]);
    m_llm.json("metadata", record["metadata"]);
    return m_span.add();
}

/// Roots last: their extent is that of their spans. Of a trace without a record of its own, the spans stay without a parent; a
/// record without spans is no trace.
Result<void> AgentSpans::finish()
{
    for (auto& [id, trace] : m_traces) {
        for (SpanDraft& waiting : trace.waiting) {
            if (!m_span.add(waiting))
                return fail(*m_span.failure());
        }
        if (!trace.root.empty() && isKnown(trace.start) && !addRoot(trace, id))
            return fail(*m_span.failure());
    }
    return {};
}

class OpenAiAgentsReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 1> lists = {"data"};
        return readTrees<AgentSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffOpenAiAgents(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const auto isObject = [&json](std::string_view path) {
        const std::string_view kind = json.scalar(path);
        return kind == "trace" || kind == "trace.span";
    };
    const bool isAgents =
        (isObject("object") || isObject("data[].object")) && (json.hasAll({"workflow_name"}) || json.hasAll({"span_data"}));
    return isAgents ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createOpenAiAgentsReader()
{
    return std::make_unique<OpenAiAgentsReader>();
}

} // namespace chokepoint
