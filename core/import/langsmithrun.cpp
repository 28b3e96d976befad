// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/langsmithrun.h"

#include "core/import/decodenumber.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// The members of a run that are read by name, or follow from others.
constexpr std::array<std::string_view, 27> knownMembers = {"id", "trace_id", "parent_run_id", "parent_run_ids", "child_runs",
    "child_run_ids", "direct_child_run_ids", "dotted_order", "name", "run_type", "start_time", "end_time", "error", "inputs", "outputs",
    "events", "tags", "extra", "session_name", "session_id", "first_token_time", "prompt_tokens", "completion_tokens", "total_tokens",
    "prompt_cost", "completion_cost", "total_cost"};

struct NamedMember {
    std::string_view name;
    std::string_view attribute;
};

constexpr std::array<NamedMember, 6> plainMembers = {{
    {"dotted_order", "langsmith.span.dotted_order"},
    {"session_name", "langsmith.trace.session_name"},
    {"session_id", "langsmith.trace.session_id"},
    {"prompt_cost", "llm.cost.prompt"},
    {"completion_cost", "llm.cost.completion"},
    {"total_cost", "llm.cost.total"},
}};

constexpr std::array<NamedMember, 7> metadataMembers = {{
    {"ls_model_name", "gen_ai.request.model"},
    {"ls_provider", "gen_ai.provider.name"},
    {"ls_temperature", "gen_ai.request.temperature"},
    {"ls_max_tokens", "gen_ai.request.max_tokens"},
    {"session_id", "session.id"},
    {"thread_id", "session.id"},
    {"user_id", "user.id"},
}};

constexpr std::size_t uuidLength = 36;

/// The parts of "20241011T205823298773Z<uuid>.20241011T205823398773Z<uuid>": a time and an id for each run on the way from the root.
struct DottedOrder {
    std::string root;
    std::string parent;
    std::string own;
    std::string time; // of the run itself, as ISO 8601
};

std::string uuidOf(std::string_view segment)
{
    return segment.size() >= uuidLength ? lowerCase(segment.substr(segment.size() - uuidLength)) : std::string();
}

bool isCompactTime(std::string_view time)
{
    return time.size() >= 15 && time[8] == 'T' && std::all_of(time.begin(), time.begin() + 8, [](char c) { return c >= '0' && c <= '9'; });
}

DottedOrder splitOrder(std::string_view order)
{
    DottedOrder split;
    split.own = uuidOf(order);
    const std::size_t last = order.rfind('.');
    const std::string_view segment = order.substr(last == std::string_view::npos ? 0 : last + 1);
    const std::string_view time = segment.substr(0, segment.size() - std::min(segment.size(), uuidLength));
    if (!isCompactTime(time)) { // an ISO date, whose dot separates nothing
        if (order.size() > uuidLength)
            split.time = order.substr(0, order.size() - uuidLength);
        return split;
    }
    split.time = fmt::format("{}-{}-{}T{}:{}:{}.{}", time.substr(0, 4), time.substr(4, 2), time.substr(6, 2), time.substr(9, 2),
        time.substr(11, 2), time.substr(13, 2), time.substr(15));
    split.root = uuidOf(order.substr(0, order.find('.')));
    if (last != std::string_view::npos)
        split.parent = uuidOf(order.substr(0, last));
    return split;
}

/// "ValueError" of "ValueError('no')" and "ValueError: no"; empty when there is no such word.
std::string_view errorType(std::string_view message)
{
    const auto isWord = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    };
    const std::size_t end = std::size_t(std::find_if_not(message.begin(), message.end(), isWord) - message.begin());
    return end < message.size() && (message[end] == ':' || message[end] == '(') ? message.substr(0, end) : std::string_view();
}

class Run {
public:
    Run(JsonNode run, LlmSpan& llm) : m_run(run), m_llm(llm), m_span(llm.span()) { }
    void read(const RunIds& ids);

private:
    [[nodiscard]] Timestamp time(JsonNode node);
    void readTimes();
    void readError();
    void readTags();
    void readExtra();
    void readUsage();
    void readEvents();
    void readOthers();

    JsonNode m_run;
    LlmSpan& m_llm;
    TreeSpan& m_span;
    std::string m_type;
};

void Run::read(const RunIds& ids)
{
    m_type = lowerCase(m_run["run_type"].text());
    m_llm.setTraceId(ids.trace);
    m_llm.setSpanId(ids.run);
    m_llm.setParentId(ids.parent);
    m_span.setName(m_run["name"].text());
    readTimes();
    m_llm.setKind(m_type);
    m_span.attribute("langsmith.span.kind", m_type);
    for (const NamedMember& plain : plainMembers)
        m_llm.scalar(plain.attribute, m_run[plain.name]);
    m_llm.value("input", "langsmith.inputs", m_run["inputs"]);
    m_llm.value("output", "langsmith.outputs", m_run["outputs"]);
    readTags();
    readExtra();
    readUsage();
    readOthers();
    readError();
    readEvents();
}

/// The JavaScript SDK writes milliseconds, the others dates, often without a zone: they are UTC.
Timestamp Run::time(JsonNode node)
{
    return m_span.time(node, TimeUnit::Milliseconds);
}

void Run::readTimes()
{
    SpanRow& row = m_span.row();
    row.start = time(m_run["start_time"]);
    row.end = time(m_run["end_time"]);
    if (!isKnown(row.start)) {
        const auto decoded = decodeTime(splitOrder(m_run["dotted_order"].text()).time, TimeUnit::Nanoseconds);
        row.start = decoded && decoded->isDate ? decoded->time : unknownTime;
        m_span.draft().timeUnit = TimeUnit::Seconds;
    }
    const JsonNode first = m_run["first_token_time"];
    m_llm.setFirstToken(time(first));
    m_llm.scalar("first_token_time", first);
}

void Run::readError()
{
    const std::string error = m_run["error"].isText() ? m_run["error"].text() : jsonText(m_run["error"]);
    if (m_run["error"] && !error.empty()) {
        m_span.setStatus(SpanStatus::Error, error);
        m_llm.exception(errorType(error), error, m_span.row().end);
    } else if (lowerCase(m_run["status"].text()) == "error") {
        m_span.setStatus(SpanStatus::Error, {});
    }
}

/// One text, as LangSmith's own exporter writes it; rules look for retry:attempt:2 in it.
void Run::readTags()
{
    std::string tags;
    for (const JsonNode tag : m_run["tags"])
        tags += (tags.empty() ? "" : ", ") + tag.text();
    if (!tags.empty())
        m_span.attribute("langsmith.span.tags", tags);
}

void Run::readExtra()
{
    const JsonNode extra = m_llm.embedded().read(m_run["extra"]);
    const JsonNode metadata = extra["metadata"];
    for (const NamedMember& plain : metadataMembers)
        if (!m_llm.hasAttribute(plain.attribute))
            m_llm.scalar(plain.attribute, metadata[plain.name]);
    m_span.flattened("langsmith.metadata.", metadata);
    m_span.setScope("langsmith", extra["runtime"]["sdk_version"].text());
    for (const JsonNode other : extra) {
        if (other.key() == "invocation_params")
            m_llm.json("llm.invocation_parameters", other);
        else if (other.key() == "runtime" && other.isObject())
            m_span.flattened("langsmith.span.runtime.", other);
        else if (other.key() != "metadata")
            m_llm.scalar("langsmith.extra." + std::string(other.key()), other);
    }
    m_llm.scalar("gen_ai.response.model", m_run["outputs"]["model"]);
}

/// The service counts tokens itself; before that, the SDK left the provider's count in the outputs or the metadata.
void Run::readUsage()
{
    const auto hasTokens = [this](std::string_view name) {
        const auto count = scaledInteger(m_run[name].text(), 0);
        return count && (count->value > 0 || m_type == "llm");
    };
    if (hasTokens("prompt_tokens") || hasTokens("completion_tokens") || hasTokens("total_tokens")) {
        m_llm.count("gen_ai.usage.input_tokens", m_run["prompt_tokens"]);
        m_llm.count("gen_ai.usage.output_tokens", m_run["completion_tokens"]);
        m_llm.count("gen_ai.usage.total_tokens", m_run["total_tokens"]);
    }
    JsonNode usage = m_run["outputs"]["usage_metadata"];
    if (!usage.isObject())
        usage = m_run["extra"]["metadata"]["usage_metadata"];
    const auto add = [&](std::string_view attribute, JsonNode count) {
        if (!m_llm.hasAttribute(attribute))
            m_llm.count(attribute, count);
    };
    add("gen_ai.usage.input_tokens", usage["input_tokens"]);
    add("gen_ai.usage.output_tokens", usage["output_tokens"]);
    add("gen_ai.usage.total_tokens", usage["total_tokens"]);
    add("gen_ai.usage.cache_read.input_tokens", usage["input_token_details"]["cache_read"]);
    add("gen_ai.usage.cache_creation.input_tokens", usage["input_token_details"]["cache_creation"]);
    add("gen_ai.usage.reasoning.output_tokens", usage["output_token_details"]["reasoning"]);
}

void Run::readEvents()
{
    bool hasToken = isKnown(m_span.row().firstToken);
    for (const JsonNode event : m_run["events"]) {
        const std::string name = event["name"].text();
        const Timestamp when = time(event["time"]);
        if (name == "new_token" && !hasToken) {
            m_llm.setFirstToken(when);
            hasToken = true;
        }
        m_span.beginEvent(name, when);
        for (const JsonNode part : event)
            if (part.key() != "name" && part.key() != "time")
                m_llm.scalar(part.key(), part);
        m_span.endNested();
    }
}

void Run::readOthers()
{
    for (const JsonNode other : m_run)
        if (std::find(knownMembers.begin(), knownMembers.end(), other.key()) == knownMembers.end())
            m_llm.scalar("langsmith." + std::string(other.key()), other);
}

} // namespace

RunIds runIds(JsonNode run, const RunIds& enclosing)
{
    const DottedOrder order = splitOrder(run["dotted_order"].text());
    const auto either = [](std::string first, const std::string& second) { return first.empty() ? second : std::move(first); };
    RunIds ids;
    ids.run = either(lowerCase(run["id"].text()), order.own);
    ids.parent = either(either(lowerCase(run["parent_run_id"].text()), enclosing.run), order.parent);
    ids.trace = either(either(lowerCase(run["trace_id"].text()), enclosing.trace), order.root);
    if (ids.trace.empty())
        ids.trace = ids.parent.empty() ? ids.run : ids.parent;
    return ids;
}

void readRun(JsonNode run, const RunIds& ids, LlmSpan& llm)
{
    Run(run, llm).read(ids);
}

} // namespace chokepoint
