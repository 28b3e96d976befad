// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attemptkeys.h"

#include <charconv>
#include <string>

namespace chokepoint {

namespace {

struct NamedKey {
    std::string_view name;
    AttemptKey key;
};

/// Within one meaning in the order of preference.
constexpr NamedKey exactKeys[] = {
    {"http.request.resend_count", AttemptKey::NumberFromZero},
    {"http.resend_count", AttemptKey::NumberFromZero},
    {"http.retry_count", AttemptKey::NumberFromZero},
    {"retry.count", AttemptKey::NumberFromZero},
    {"previous-rpc-attempts", AttemptKey::NumberFromZero},
    {"rpc.request.metadata.grpc-previous-rpc-attempts", AttemptKey::NumberFromZero},
    {"rpc.grpc.request.metadata.grpc-previous-rpc-attempts", AttemptKey::NumberFromZero},
    {"http.request.header.x-stainless-retry-count", AttemptKey::NumberFromZero},
    {"http.request.header.x_stainless_retry_count", AttemptKey::NumberFromZero},
    {"celery.retries", AttemptKey::NumberFromZero},
    {"remoulade.retry_count", AttemptKey::NumberFromZero},
    {"http.request.header.x-envoy-attempt-count", AttemptKey::NumberFromOne},
    {"http.request.header.x_envoy_attempt_count", AttemptKey::NumberFromOne},
    {"temporal.activity.attempt", AttemptKey::NumberFromOne},
    {"messaging.servicebus.message.delivery_count", AttemptKey::NumberFromOne},
    {"messaging.gcp_pubsub.message.delivery_attempt", AttemptKey::NumberFromOne},
    {"haystack.component.visits", AttemptKey::OwnNumberFromOne},
    {"step.index", AttemptKey::ReAskIndex},
    {"type", AttemptKey::ComponentType},
    {"langsmith.span.tags", AttemptKey::Tags},
    {"retry_attempts", AttemptKey::TotalFromZero},
    {"attempt count", AttemptKey::TotalFromOne},
    {"transparent-retry", AttemptKey::Transparent},
    {"celery.state", AttemptKey::TaskState},
    {"response_flags", AttemptKey::ProxyFlags},
    {"http.response.status_code", AttemptKey::HttpStatus},
    {"http.status_code", AttemptKey::HttpStatus},
    {"rpc.grpc.status_code", AttemptKey::GrpcStatus},
    {"rpc.response.status_code", AttemptKey::GrpcStatus},
    {"grpc.status_code", AttemptKey::GrpcStatus},
    {"error.type", AttemptKey::ErrorType},
    {"exception.type", AttemptKey::ErrorType},
    {"error.message", AttemptKey::ErrorText},
    {"exception.message", AttemptKey::ErrorText},
    {"langfuse.observation.status_message", AttemptKey::ErrorText},
    {"gen_ai.response.finish_reasons", AttemptKey::Finish},
    {"gen_ai.response.finish_reason", AttemptKey::Finish},
    {"llm.finish_reason", AttemptKey::Finish},
    {"llm.response.finish_reason", AttemptKey::Finish},
    {"llm.response.stop_reason", AttemptKey::Finish},
    {"ai.response.finishReason", AttemptKey::Finish},
    {"ai.finishReason", AttemptKey::Finish},
    {"gen_ai.completion.0.finish_reason", AttemptKey::Finish},
    {"security.action", AttemptKey::Verdict},
    {"guard.verdict", AttemptKey::Verdict},
    {"gen_ai.evaluation.score.label", AttemptKey::Verdict},
    {"langfuse.observation.level", AttemptKey::Level},
    {"db.response.returned_rows", AttemptKey::ResultCount},
    {"temporalActivityID", AttemptKey::Identity},
    {"az.client_request_id", AttemptKey::Identity},
    {"litellm.call_id", AttemptKey::Identity},
    {"messaging.message.id", AttemptKey::Identity},
    {"messaging.message_id", AttemptKey::Identity},
    {"gen_ai.operation.name", AttemptKey::GenerateOperation},
    {"llm.request.type", AttemptKey::GenerateOperation},
    {"ai.operationId", AttemptKey::GenerateOperation},
    {"gen_ai.tool.name", AttemptKey::Tool},
    {"tool.name", AttemptKey::Tool},
    {"ai.toolCall.name", AttemptKey::Tool},
    {"db.system.name", AttemptKey::DbSystem},
    {"db.system", AttemptKey::DbSystem},
    {"db.collection.name", AttemptKey::DbCollection},
    {"db.sql.table", AttemptKey::DbCollection},
    {"db.operation.name", AttemptKey::DbOperation},
    {"db.operation", AttemptKey::DbOperation},
    {"rpc.service", AttemptKey::RpcService},
    {"rpc.method", AttemptKey::RpcMethod},
    {"http.request.method", AttemptKey::HttpMethod},
    {"http.method", AttemptKey::HttpMethod},
    {"url.full", AttemptKey::UrlFull},
    {"http.url", AttemptKey::UrlFull},
    {"http.target", AttemptKey::UrlPath},
    {"url.path", AttemptKey::UrlPath},
    {"url.query", AttemptKey::UrlQuery},
    {"http.route", AttemptKey::Route},
    {"server.address", AttemptKey::Server},
    {"net.peer.name", AttemptKey::Server},
    {"http.host", AttemptKey::Server},
    {"server.port", AttemptKey::ServerPort},
    {"net.peer.port", AttemptKey::ServerPort},
    {"gen_ai.provider.name", AttemptKey::Provider},
    {"gen_ai.system", AttemptKey::Provider},
    {"llm.provider", AttemptKey::Provider},
    {"ai.model.provider", AttemptKey::Provider},
    {"mlflow.llm.provider", AttemptKey::Provider},
    {"llm.system", AttemptKey::Provider},
    {"gen_ai.request.model", AttemptKey::Model},
    {"llm.request.model_name", AttemptKey::Model},
    {"llm.model_name", AttemptKey::Model},
    {"langfuse.observation.model.name", AttemptKey::Model},
    {"ai.model.id", AttemptKey::Model},
    {"mlflow.llm.model", AttemptKey::Model},
    {"embedding.model_name", AttemptKey::Model},
    {"reranker.model_name", AttemptKey::Model},
    {"gen_ai.request.model_name", AttemptKey::Model},
    {"llm.request.model", AttemptKey::Model},
    {"langsmith.metadata.ls_model_name", AttemptKey::Model},
    {"gen_ai.response.id", AttemptKey::ResponseId},
    {"ai.response.id", AttemptKey::ResponseId},
    {"llm.response.id", AttemptKey::ResponseId},
    {"gen_ai.input.messages", AttemptKey::Input},
    {"gen_ai.retrieval.query.text", AttemptKey::Input},
    {"gen_ai.tool.call.arguments", AttemptKey::Input},
    {"ai.toolCall.args", AttemptKey::Input},
    {"input.value", AttemptKey::Input},
    {"traceloop.entity.input", AttemptKey::Input},
    {"ai.prompt.messages", AttemptKey::Input},
    {"ai.prompt", AttemptKey::Input},
    {"ai.value", AttemptKey::Input},
    {"ai.values", AttemptKey::Input},
    {"langfuse.observation.input", AttemptKey::Input},
    {"mlflow.spanInputs", AttemptKey::Input},
    {"embedding.embeddings.0.embedding.text", AttemptKey::Input},
    {"reranker.query", AttemptKey::Input},
    {"tool.parameters", AttemptKey::Input},
    {"db.query.text", AttemptKey::Input},
    {"db.statement", AttemptKey::Input},
    {"gen_ai.usage.input_tokens", AttemptKey::InputTokens},
    {"gen_ai.usage.prompt_tokens", AttemptKey::InputTokens},
    {"llm.token_count.prompt", AttemptKey::InputTokens},
    {"ai.usage.inputTokens", AttemptKey::InputTokens},
    {"ai.usage.promptTokens", AttemptKey::InputTokens},
    {"llm.usage.prompt_tokens", AttemptKey::InputTokens},
    {"ai.usage.tokens", AttemptKey::InputTokens},
    {"gen_ai.usage.output_tokens", AttemptKey::OutputTokens},
    {"gen_ai.usage.completion_tokens", AttemptKey::OutputTokens},
    {"llm.token_count.completion", AttemptKey::OutputTokens},
    {"ai.usage.outputTokens", AttemptKey::OutputTokens},
    {"ai.usage.completionTokens", AttemptKey::OutputTokens},
    {"x_request_id", AttemptKey::RequestId},
    {"guid:x-request-id", AttemptKey::RequestId},
    {"http.request.header.x-request-id", AttemptKey::RequestId},
    {"http.request.header.x_request_id", AttemptKey::RequestId},
    {"request.id", AttemptKey::RequestId},
    {"request_id", AttemptKey::RequestId},
    {"gen_ai.conversation.id", AttemptKey::Session},
    {"session.id", AttemptKey::Session},
    {"langfuse.session.id", AttemptKey::Session},
    {"traceloop.association.properties.session_id", AttemptKey::Session},
    {"langsmith.trace.session_id", AttemptKey::Session},
    {"gen_ai.session.id", AttemptKey::Session},
    {"ai.telemetry.metadata.sessionId", AttemptKey::Session},
    {"user.id", AttemptKey::User},
    {"enduser.id", AttemptKey::User},
    {"langfuse.user.id", AttemptKey::User},
};

/// Keys that end so, when no exact one is meant.
constexpr NamedKey suffixes[] = {
    {"x-litellm-attempted-retries", AttemptKey::TotalFromZero},
    {"x-envoy-attempt-count", AttemptKey::NumberFromOne},
    {"x-stainless-retry-count", AttemptKey::NumberFromZero},
    {"hidden_params", AttemptKey::HiddenParameters},
    {"x-death", AttemptKey::DeathHeader},
    {"approximatereceivecount", AttemptKey::NumberFromOne},
    {"approximate_receive_count", AttemptKey::NumberFromOne},
    {"delivery_count", AttemptKey::NumberFromOne},
    {"delivery_attempt", AttemptKey::NumberFromOne},
    {".passed", AttemptKey::Passed},
    {".is_valid", AttemptKey::Passed},
    {".triggered", AttemptKey::Triggered},
    {"guardrail.status", AttemptKey::Verdict},
    {"guardrail_status", AttemptKey::Verdict},
    {"validation.status", AttemptKey::Verdict},
    {"validation.result", AttemptKey::Verdict},
    {"validator.outcome", AttemptKey::Verdict},
    {"validator.result", AttemptKey::Verdict},
    {"result_count", AttemptKey::ResultCount},
    {"results.count", AttemptKey::ResultCount},
};

/// "llm.input_messages.3.message.content", "gen_ai.prompt.3.role": messages that are spread over attributes.
AttemptKeyUse indexedMessage(std::string_view key)
{
    for (const std::string_view prefix : {std::string_view("llm.input_messages."), std::string_view("gen_ai.prompt.")}) {
        if (!key.starts_with(prefix))
            continue;
        const std::string_view rest = key.substr(prefix.size());
        std::uint16_t index = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
        if (error != std::errc())
            return {};
        const std::string_view part(end, std::size_t(rest.data() + rest.size() - end));
        if (part.ends_with(".role"))
            return {AttemptKey::MessageRole, 0, index};
        return part.ends_with("content") || part.ends_with("text") ? AttemptKeyUse{AttemptKey::MessageContent, 0, index} : AttemptKeyUse{};
    }
    return {};
}

/// "retry_count", "job.attempt", "tryIndex" (in lower case): a word for trying, and what may follow it.
bool isCounter(std::string_view key)
{
    const auto isSeparator = [](char c) { return c == '.' || c == '_' || c == '-'; };
    for (const std::string_view suffix : {"count", "number", "num", "attempts", "attempt", "idx", "index", "n", ""}) {
        if (!key.ends_with(suffix))
            continue;
        std::string_view rest = key.substr(0, key.size() - suffix.size());
        if (!suffix.empty() && !rest.empty() && isSeparator(rest.back()))
            rest.remove_suffix(1);
        for (const std::string_view word : {"retry", "attempt", "resend", "try", "redeliver"}) {
            if (rest.ends_with(word) && (rest == word || isSeparator(rest[rest.size() - word.size() - 1])))
                return true;
        }
    }
    return false;
}

/// Counters that people name themselves. Limits are no counters.
AttemptKey ownNumber(std::string_view key)
{
    for (const std::string_view limit : {"max", "limit", "policy", "setting", "config", "total"})
        if (key.find(limit) != std::string_view::npos)
            return AttemptKey::None;
    if (!isCounter(key))
        return AttemptKey::None;
    return key.ends_with("attempt") || key.ends_with("attempt_number") ? AttemptKey::OwnNumberFromOne : AttemptKey::OwnNumberFromZero;
}

} // namespace

AttemptKeyUse attemptKeyUse(std::string_view key)
{
    std::uint8_t rank = 0;
    for (const NamedKey& entry : exactKeys) {
        if (entry.name == key)
            return {entry.key, rank, 0};
        ++rank;
    }
    if (const AttemptKeyUse message = indexedMessage(key); message.key != AttemptKey::None)
        return message;
    std::string lowerCase(key);
    for (char& c : lowerCase)
        c = c >= 'A' && c <= 'Z' ? char(c + 32) : c;
    for (const NamedKey& entry : suffixes) {
        if (lowerCase.ends_with(entry.name))
            return {entry.key, rank, 0};
        ++rank;
    }
    return {ownNumber(lowerCase), rank, 0};
}

} // namespace chokepoint
