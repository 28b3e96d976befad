// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/langfuseobservation.h"

#include "core/import/decodenumber.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// Members that are read by name, or follow from others.
constexpr std::array<std::string_view, 41> knownMembers = {"id", "trace_id", "parent_observation_id", "type", "name", "start_time",
    "end_time", "completion_start_time", "level", "status_message", "model", "provided_model_name", "model_parameters", "input", "output",
    "metadata", "usage_details", "cost_details", "usage", "prompt_name", "prompt_version", "environment", "version", "user_id",
    "session_id", "time_to_first_token", "latency", "created_at", "updated_at", "input_usage", "output_usage", "total_usage", "input_cost",
    "output_cost", "total_cost", "calculated_total_cost", "calculated_input_cost", "calculated_output_cost", "prompt_tokens",
    "completion_tokens", "total_tokens"};

struct NamedMember {
    std::string_view name;
    std::string_view attribute;
};

constexpr std::array<NamedMember, 8> plainMembers = {{
    {"prompt_name", "langfuse.observation.prompt.name"},
    {"prompt_version", "langfuse.observation.prompt.version"},
    {"environment", "langfuse.environment"},
    {"version", "langfuse.version"},
    {"user_id", "user.id"},
    {"session_id", "session.id"},
    {"level", "langfuse.observation.level"},
    {"completion_start_time", "langfuse.observation.completion_start_time"},
}};

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

/// Counts of tokens. Langfuse keeps them apart by kind: what was cached is not in "input", what was reasoned not in "output".
struct Usage {
    std::int64_t input = 0;
    std::int64_t output = 0;
    std::int64_t allInput = 0;
    std::int64_t allOutput = 0;
    std::int64_t total = 0;
    std::int64_t cacheRead = 0;
    std::int64_t cacheWrite = 0;
    std::int64_t reasoning = 0;
    bool hasInput = false;
    bool hasOutput = false;
    bool hasTotal = false;

    void add(std::string_view key, std::int64_t tokens);
    void settle();
};

void Usage::add(std::string_view key, std::int64_t tokens)
{
    const std::string name = snakeCase(key);
    const bool isInput = name == "input" || name == "prompt_tokens" || name == "input_tokens";
    const bool isOutput = name == "output" || name == "completion_tokens" || name == "output_tokens";
    const auto plus = [tokens](std::int64_t& sum) { __builtin_add_overflow(sum, tokens, &sum); };
    if (name == "total" || name == "total_tokens") {
        total = tokens;
        hasTotal = true;
        return;
    }
    if (isInput)
        input = tokens;
    if (isOutput)
        output = tokens;
    if (contains(name, "reasoning"))
        plus(reasoning);
    if (contains(name, "cache_creation") || contains(name, "cache_write"))
        plus(cacheWrite);
    else if (contains(name, "cache"))
        plus(cacheRead);
    if (isInput || contains(name, "input")) {
        hasInput = true;
        plus(allInput);
    } else if (isOutput || contains(name, "output")) {
        hasOutput = true;
        plus(allOutput);
    }
}

/// Input with what was cached and output with what was reasoned, unless the total says that they had it.
void Usage::settle()
{
    std::int64_t plain = 0;
    const bool isInclusive = hasTotal && !__builtin_add_overflow(input, output, &plain) && plain == total;
    if (!isInclusive) {
        input = allInput;
        output = allOutput;
    }
}

class Observation {
public:
    Observation(JsonNode observation, LlmSpan& llm) : m_observation(observation), m_llm(llm), m_span(llm.span()) { }
    void read();

private:
    [[nodiscard]] JsonNode operator[](std::string_view name) const { return member(m_observation, name); }
    void readIds();
    void readTimes();
    void readStatus();
    void readModel();
    void readUsage();
    void readCost();
    void readOthers();
    [[nodiscard]] bool addUsage(Usage& usage, JsonNode details) const;

    JsonNode m_observation;
    LlmSpan& m_llm;
    TreeSpan& m_span;
    std::string m_type; // lower case
    bool m_isGeneration = false;
};

void Observation::read()
{
    m_type = lowerCase((*this)["type"].text());
    readIds();
    m_span.setName((*this)["name"].text());
    readTimes();
    readStatus();
    m_span.attribute("langfuse.observation.type", m_type);
    readModel();
    for (const NamedMember& plain : plainMembers)
        m_llm.scalar(plain.attribute, (*this)[plain.name]);
    m_llm.value("input", "langfuse.observation.input", (*this)["input"]);
    m_llm.value("output", "langfuse.observation.output", (*this)["output"]);
    readUsage();
    readCost();
    readOthers();
    readLangfuseMetadata((*this)["metadata"], m_llm);
    if (!m_llm.hasAttribute("openinference.span.kind"))
        m_llm.setKind({});
}

/// Old SDKs name the trace as the parent of its first observations.
void Observation::readIds()
{
    const std::string traceId = (*this)["trace_id"].text();
    const std::string parentId = (*this)["parent_observation_id"].text();
    m_llm.setTraceId(traceId);
    m_llm.setSpanId((*this)["id"].text());
    m_llm.setParentId(parentId == traceId ? std::string_view() : parentId);
}

void Observation::readTimes()
{
    SpanRow& row = m_span.row();
    row.start = m_span.time((*this)["start_time"], TimeUnit::Milliseconds);
    row.end = m_span.time((*this)["end_time"], TimeUnit::Milliseconds);
    if (m_type == "event" && !isKnown(row.end))
        row.end = row.start; // an event has no length; it is not unfinished
    if (const JsonNode first = (*this)["completion_start_time"]) {
        m_llm.setFirstToken(m_span.time(first, TimeUnit::Milliseconds));
        return;
    }
    const JsonNode wait = (*this)["time_to_first_token"]; // seconds
    const auto ns = scaledInteger(wait.text(), 9);
    std::int64_t first = 0;
    if (ns && ns->value > 0 && isKnown(row.start) && !__builtin_add_overflow(toNs(row.start), ns->value, &first))
        m_llm.setFirstToken(timestampFromNs(first));
    m_llm.scalar("langfuse.observation.time_to_first_token", wait);
}

void Observation::readStatus()
{
    const std::string message = (*this)["status_message"].text();
    if (lowerCase((*this)["level"].text()) == "error")
        m_span.setStatus(SpanStatus::Error, message);
    else if (!message.empty())
        m_span.attribute("langfuse.observation.status_message", message);
}

/// Some SDKs write spans that have a model and tokens; they are generations.
void Observation::readModel()
{
    JsonNode model = (*this)["model"];
    if (isEmptyValue(model))
        model = (*this)["provided_model_name"];
    const JsonNode details = (*this)["usage_details"];
    const bool hasUsage = !isEmptyValue(m_llm.embedded().read(details));
    m_isGeneration = m_type == "generation" || (m_type == "span" && !isEmptyValue(model) && hasUsage);
    if (m_isGeneration || m_type != "span")
        m_llm.setKind(m_isGeneration ? std::string_view("llm") : m_type);
    m_llm.scalar("gen_ai.request.model", model);
    const JsonNode parameters = m_llm.embedded().read((*this)["model_parameters"]);
    if (isEmptyValue(parameters))
        return;
    m_span.attribute("langfuse.observation.model.parameters", parameters);
    m_llm.scalar("gen_ai.request.stream", parameters.first({"stream", "is_stream"}));
}

/// False when there is nothing to count.
bool Observation::addUsage(Usage& usage, JsonNode details) const
{
    if (!details.isObject())
        return false;
    bool isAny = false;
    for (const JsonNode count : details) {
        const auto tokens = scaledInteger(count.text(), 0);
        if (!count || !tokens)
            continue;
        isAny |= tokens->value != 0 || m_isGeneration;
        usage.add(count.key(), tokens->value);
    }
    return isAny;
}

void Observation::readUsage()
{
    Usage usage;
    const JsonNode details = m_llm.embedded().read((*this)["usage_details"]);
    bool isAny = addUsage(usage, details);
    if (isAny)
        m_span.attribute("langfuse.observation.usage_details", details);
    if (!isAny) {
        usage = {};
        isAny = addUsage(usage, m_llm.embedded().read((*this)["usage"]));
    }
    if (!isAny) { // the oldest exports
        usage = {};
        for (const std::string_view name : {"prompt_tokens", "completion_tokens", "total_tokens"}) {
            const auto tokens = scaledInteger((*this)[name].text(), 0);
            isAny |= tokens && tokens->value > 0;
            if (tokens)
                usage.add(name, tokens->value);
        }
    }
    if (!isAny)
        return;
    usage.settle();
    if (usage.hasInput)
        m_span.attribute("gen_ai.usage.input_tokens", usage.input);
    if (usage.hasOutput)
        m_span.attribute("gen_ai.usage.output_tokens", usage.output);
    if (usage.hasTotal)
        m_span.attribute("gen_ai.usage.total_tokens", usage.total);
    if (usage.cacheRead != 0)
        m_span.attribute("gen_ai.usage.cache_read.input_tokens", usage.cacheRead);
    if (usage.cacheWrite != 0)
        m_span.attribute("gen_ai.usage.cache_creation.input_tokens", usage.cacheWrite);
    if (usage.reasoning != 0)
        m_span.attribute("gen_ai.usage.reasoning.output_tokens", usage.reasoning);
}

/// A cost of nothing that no details explain is how Langfuse says that it knows no price.
void Observation::readCost()
{
    const JsonNode details = m_llm.embedded().read((*this)["cost_details"]);
    if (details.isObject() && details.hasChildren()) {
        m_span.attribute("langfuse.observation.cost_details", details);
        if (m_llm.scalar("llm.cost.total", details["total"]))
            return;
    }
    for (const std::string_view name : {"calculated_total_cost", "total_cost"}) {
        const JsonNode cost = (*this)[name];
        const auto value = realFromText(cost.text());
        if (value && *value != 0 && m_llm.scalar("llm.cost.total", cost))
            return;
    }
}

void Observation::readOthers()
{
    for (const JsonNode other : m_observation) {
        const std::string name = snakeCase(other.key());
        if (std::find(knownMembers.begin(), knownMembers.end(), name) == knownMembers.end())
            m_llm.scalar("langfuse.observation." + name, other);
    }
}

} // namespace

bool isLangfuseObservation(JsonNode record)
{
    const int fields =
        int(bool(member(record, "start_time"))) + int(member(record, "type").isText()) + int(bool(member(record, "trace_id")));
    return fields >= 2; // one may be missing
}

void readLangfuseObservation(JsonNode observation, LlmSpan& llm)
{
    Observation(observation, llm).read();
}

void readLangfuseMetadata(JsonNode metadata, LlmSpan& llm)
{
    const JsonNode decoded = llm.embedded().read(metadata);
    TreeSpan& span = llm.span();
    if (!decoded.isObject()) {
        llm.json("metadata", metadata);
        return;
    }
    std::string rest = "{";
    for (const JsonNode child : decoded) {
        if (child.key() == "attributes" && child.isObject()) {
            for (const JsonNode attribute : child)
                if (!llm.hasAttribute(attribute.key()))
                    span.attribute(attribute.key(), attribute);
        } else if (child.key() == "resourceAttributes" && child.isObject()) {
            Resource resource;
            for (const JsonNode attribute : child)
                resource.attributes.push_back({std::string(attribute.key()), span.value(attribute)});
            span.setResource(resource);
        } else if (child.key() == "scope" && child.isObject()) {
            span.setScope(child["name"].text(), child["version"].text());
        } else {
            appendJsonMember(rest, child.key(), child);
        }
    }
    if (rest.size() > 1)
        span.attribute("metadata", rest + "}");
}

} // namespace chokepoint
