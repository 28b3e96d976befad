// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/workload.h"

#include "core/model/traceassembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace chokepoint::bench {
namespace {

enum class Begin { AfterSibling, WithSibling };
enum class Content { Http, Code, Database, GenAi };

/// One span of a request. The medians are those of a leaf; a span with children lasts from its start to their end.
struct Step {
    std::string_view name;
    int parent; // index into steps, -1 for the root
    std::uint8_t service;
    SpanKind kind;
    Content content;
    double medianMs;
    double sigma; // of the log-normal distribution
    Begin begin = Begin::AfterSibling;
    std::string_view stage;
};

constexpr auto with = Begin::WithSibling;
constexpr auto after = Begin::AfterSibling;
constexpr std::array<Step, spansPerRequest> steps{{
    {"POST /v1/chat", -1, 0, SpanKind::Server, Content::Http, 0, 0, after, "other"},
    {"auth.verify", 0, 0, SpanKind::Internal, Content::Code, 3, 0.5, after, "gateway"},
    {"rewrite_query", 0, 0, SpanKind::Internal, Content::Code, 0, 0, after, "rewrite"},
    {"chat small-model", 2, 0, SpanKind::Client, Content::GenAi, 0, 0, after, "rewrite"},
    {"POST /v1/chat/completions", 3, 2, SpanKind::Server, Content::Http, 180, 0.35, after, "rewrite"},
    {"embeddings text-embedding", 0, 0, SpanKind::Client, Content::GenAi, 0, 0, after, "embed"},
    {"POST /v1/embeddings", 5, 2, SpanKind::Server, Content::Http, 28, 0.4, after, "embed"},
    {"retrieve", 0, 0, SpanKind::Client, Content::Http, 0, 0, after, "retrieve"},
    {"POST /search", 7, 1, SpanKind::Server, Content::Http, 0, 0, after, "retrieve"},
    {"vector.search", 8, 1, SpanKind::Client, Content::Database, 22, 0.55, after, "retrieve"},
    {"vector.search", 8, 1, SpanKind::Client, Content::Database, 22, 0.55, with, "retrieve"},
    {"vector.search", 8, 1, SpanKind::Client, Content::Database, 22, 0.55, with, "retrieve"},
    {"bm25.search", 8, 1, SpanKind::Client, Content::Database, 16, 0.45, with, "retrieve"},
    {"fuse", 8, 1, SpanKind::Internal, Content::Code, 1.8, 0.3, after, "retrieve"},
    {"SELECT documents", 8, 1, SpanKind::Client, Content::Database, 7, 0.7, after, "retrieve"},
    {"rerank", 0, 0, SpanKind::Client, Content::Http, 0, 0, after, "rerank"},
    {"POST /v1/rerank", 15, 2, SpanKind::Server, Content::Http, 95, 0.4, after, "rerank"},
    {"build_prompt", 0, 0, SpanKind::Internal, Content::Code, 2.2, 0.3, after, "prompt"},
    {"chat large-model", 0, 0, SpanKind::Client, Content::GenAi, 0, 0, after, "generate"},
    {"POST /v1/chat/completions", 18, 2, SpanKind::Server, Content::Http, 900, 0.5, after, "generate"},
}};
constexpr unsigned answerStep = 18;
constexpr std::int64_t gapNs = 200'000; // between steps
constexpr std::int64_t requestGapNs = 60'000'000; // between the starts of requests
constexpr std::int64_t firstStartNs = 1'730'000'000'000'000'000;
constexpr double errorRate = 0.012;

/// Random numbers of one request.
class Dice {
public:
    Dice(std::uint64_t seed, std::uint64_t number) : m_engine(mix64(seed * 0x9e3779b97f4a7c15ULL + number)) { }
    std::uint64_t next() { return m_engine(); }
    std::int64_t below(std::int64_t n) { return std::int64_t(m_engine() % std::uint64_t(n)); }
    double uniform() { return double(m_engine() >> 11) * 0x1.0p-53; }
    /// Log-normal time in ns, by Box and Muller.
    std::int64_t time(double medianMs, double sigma)
    {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return std::int64_t(medianMs * 1e6 * std::exp(sigma * radius * std::cos(2 * std::numbers::pi * uniform())));
    }

private:
    std::mt19937_64 m_engine;
};

Attribute text(const char* key, std::string value)
{
    return {key, {std::move(value)}};
}
Attribute number(const char* key, std::int64_t value)
{
    return {key, {value}};
}
Attribute real(const char* key, double value)
{
    return {key, {value}};
}
Attribute flag(const char* key, bool value)
{
    return {key, {value}};
}

AttributeList httpAttributes(const RequestSpan& span, Dice& dice)
{
    return {text("http.request.method", "POST"), text("http.route", std::string(span.name.substr(span.name.find('/') + 1))),
        text("url.scheme", "http"), text("server.address", fmt::format("{}.prod.cluster.local", serviceNames[span.service])),
        number("server.port", 8080), text("network.protocol.version", "1.1"),
        text("client.address", fmt::format("10.42.{}.{}", dice.below(4), dice.below(250))),
        text("user_agent.original", "python-httpx/0.27.2"),
        number("http.response.status_code", span.status == SpanStatus::Error ? 500 : 200),
        number("http.response.body.size", 200 + dice.below(20000))};
}

AttributeList codeAttributes(const RequestSpan& span, Dice& dice)
{
    return {text("code.function.name", fmt::format("rag.pipeline.{}", span.name)), text("code.file.path", "/app/rag/pipeline.py"),
        number("code.line.number", 40 + dice.below(400)), number("thread.id", 140000000 + dice.below(32)),
        text("session.id", fmt::format("{:016x}", dice.next())), text("enduser.id", fmt::format("user-{}", dice.below(20000))),
        text("rag.prompt.template", "answer-v7"), number("rag.documents", 8), flag("rag.truncated", dice.below(10) == 0)};
}

AttributeList databaseAttributes(const RequestSpan& span, Dice& dice)
{
    return {text("db.system.name", span.name == "bm25.search" ? "opensearch" : "postgresql"), text("db.namespace", "knowledge"),
        text("db.operation.name", "search"), text("db.collection.name", fmt::format("shard-{}", dice.below(3))),
        text("db.query.text", "SELECT id, title, body FROM documents WHERE tenant = $1 AND id = ANY($2)"),
        number("db.response.returned_rows", 50), text("server.address", "search-0.db.prod"), number("server.port", 5432),
        text("network.peer.address", fmt::format("10.43.0.{}", dice.below(16))), number("thread.id", 140000000 + dice.below(32))};
}

AttributeList genAiAttributes(const RequestSpan& span, Dice& dice)
{
    const std::string operation(span.name.substr(0, span.name.find(' ')));
    const std::string model(span.name.substr(span.name.find(' ') + 1));
    return {text("gen_ai.operation.name", operation), text("gen_ai.provider.name", "openai"), text("gen_ai.request.model", model),
        text("gen_ai.response.model", model + "-2024-08-06"), text("gen_ai.response.id", fmt::format("chatcmpl-{:016x}", dice.next())),
        number("gen_ai.usage.input_tokens", 1500 + dice.below(3000)), number("gen_ai.usage.output_tokens", 80 + dice.below(500)),
        real("gen_ai.request.temperature", double(dice.below(11)) / 10), number("gen_ai.request.max_tokens", 1024),
        text("gen_ai.response.finish_reasons", "stop"), text("server.address", "llm-gateway")};
}

AttributeList stepAttributes(Content content, const RequestSpan& span, Dice& dice)
{
    switch (content) {
    case Content::Http: return httpAttributes(span, dice);
    case Content::Code: return codeAttributes(span, dice);
    case Content::Database: return databaseAttributes(span, dice);
    case Content::GenAi: return genAiAttributes(span, dice);
    }
    return {};
}

double speed(const Step& step, Variant variant)
{
    if (variant == Variant::Before)
        return 1;
    return step.stage == "generate" ? 0.5 : step.stage == "rerank" ? 1.35 : 1;
}

/// Start and end of every step: a leaf lasts as long as it was drawn, its ancestors grow with it.
void placeSteps(std::vector<RequestSpan>& spans, std::int64_t start, Variant variant, Dice& dice)
{
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        RequestSpan& span = spans[i];
        const bool isRoot = step.parent < 0;
        if (step.begin == Begin::WithSibling)
            span.start = spans[i - 1].start;
        else
            span.start = isRoot ? start : spans[std::size_t(step.parent)].end + gapNs;
        span.end = span.start + dice.time(step.medianMs * speed(step, variant), step.sigma);
        std::int64_t end = span.end;
        for (int parent = step.parent; parent >= 0; parent = steps[std::size_t(parent)].parent) {
            end += gapNs;
            spans[std::size_t(parent)].end = std::max(spans[std::size_t(parent)].end, end);
        }
    }
}

std::vector<SpanEvent> answerEvents(const RequestSpan& span)
{
    const std::int64_t firstToken = span.start + (span.end - span.start) * 3 / 10;
    return {{timestampFromNs(firstToken), "gen_ai.first_token", {}, 0},
        {timestampFromNs(span.end - 1000), "gen_ai.choice", {number("index", 0), text("finish_reason", "stop")}, 0}};
}

} // namespace

std::vector<RequestSpan> makeRequest(std::uint64_t seed, std::uint64_t number, Variant variant)
{
    Dice dice(seed, number);
    const bool failed = dice.uniform() < errorRate;
    const TraceId traceId{dice.next() | 1, dice.next()};
    std::vector<RequestSpan> spans(steps.size());
    placeSteps(spans, firstStartNs + std::int64_t(number) * requestGapNs, variant, dice);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        RequestSpan& span = spans[i];
        span.traceId = traceId;
        span.spanId = SpanId{dice.next() | 1};
        span.parentId = step.parent < 0 ? SpanId{} : spans[std::size_t(step.parent)].spanId;
        span.service = step.service;
        span.name = step.name;
        span.kind = step.kind;
        if (failed && (i == 0 || i >= answerStep))
            span.status = SpanStatus::Error;
        span.attributes = stepAttributes(step.content, span, dice);
    }
    spans[answerStep].events = answerEvents(spans[answerStep]);
    return spans;
}

AttributeList resourceAttributes(unsigned service)
{
    return {text("service.name", std::string(serviceNames[service])), text("service.namespace", "rag"), text("service.version", "2.14.1"),
        text("service.instance.id", fmt::format("pod-{}-7c9f8d6b54", serviceNames[service])), text("deployment.environment.name", "prod"),
        text("telemetry.sdk.language", "python"), text("telemetry.sdk.name", "opentelemetry"), text("telemetry.sdk.version", "1.27.0"),
        text("host.name", fmt::format("node-{}", service))};
}

WorkloadColumns workloadColumns(std::uint64_t seed, std::uint64_t requests, Variant variant)
{
    auto dictionary = std::make_shared<Dictionary>();
    auto table = std::make_shared<StageTable>();
    std::array<ResourceId, serviceNames.size()> resources{};
    for (unsigned service = 0; service < resources.size(); ++service)
        resources[service] = dictionary->internResource({resourceAttributes(service), 0, {}, {}});

    WorkloadColumns result;
    SpanColumns rows;
    std::vector<std::uint32_t> order;
    for (std::uint64_t request = 0; request < requests; ++request) {
        const std::vector<RequestSpan> spans = makeRequest(seed, request, variant);
        rows.clear();
        for (const RequestSpan& span : spans) {
            SpanRow row{span.spanId, span.parentId, timestampFromNs(span.start), timestampFromNs(span.end),
                dictionary->strings.intern(span.name), resources[span.service], ScopeId{}, {}, unknownTime};
            row.flags.setKind(span.kind);
            row.flags.setStatus(span.status);
            rows.push_back(row);
        }
        assembleTrace(rows, order, result.columns);
        result.columns.traceId.push_back(spans.front().traceId);
        result.columns.storeKey.push_back(std::int64_t(request) + 1);
        for (const std::uint32_t row : order)
            result.stages.stage.push_back(table->add(steps[row].stage));
    }
    result.columns.dictionary = std::move(dictionary);
    result.stages.table = std::move(table);
    result.stages.rule.assign(result.stages.stage.size(), 0);
    result.stages.ruleNames = {"workload"};
    return result;
}

} // namespace chokepoint::bench
