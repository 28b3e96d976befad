// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of words, folded to lower case before they are compared.
#include "core/analysis/usagewords.h"

#include <algorithm>
#include <array>
#include <utility>

namespace chokepoint {

namespace {

using Word = std::pair<std::string_view, std::string_view>;

constexpr std::array providers{Word{"az.ai.openai", "azure.ai.openai"}, Word{"azure", "azure.ai.openai"},
    Word{"azure_openai", "azure.ai.openai"}, Word{"azure-openai", "azure.ai.openai"}, Word{"az.ai.inference", "azure.ai.inference"},
    Word{"vertex_ai", "gcp.vertex_ai"}, Word{"vertexai", "gcp.vertex_ai"}, Word{"gemini", "gcp.gemini"},
    Word{"google.ai.studio", "gcp.gemini"}, Word{"google", "gcp.gen_ai"}, Word{"mistralai", "mistral_ai"}, Word{"mistral", "mistral_ai"},
    Word{"watsonx", "ibm.watsonx.ai"}, Word{"ibm.watson.ai", "ibm.watsonx.ai"}, Word{"aws", "aws.bedrock"}, Word{"bedrock", "aws.bedrock"},
    Word{"amazon-bedrock", "aws.bedrock"}, Word{"xai", "x_ai"}, Word{"together_ai", "together"}, Word{"togetherai", "together"},
    Word{"huggingface", "hf"}, Word{"hugging_face", "hf"}};

/// Names with a dot that stay whole.
constexpr std::array<std::string_view, 8> dotted{
    "gcp.gen_ai", "gcp.vertex_ai", "gcp.gemini", "azure.ai.inference", "azure.ai.openai", "ibm.watsonx.ai", "aws.bedrock", "az.ai.openai"};

constexpr std::array<std::string_view, 9> frameworks{
    "langchain", "langgraph", "crewai", "llama_index", "llamaindex", "haystack", "litellm", "dspy", "pydantic-ai"};

/// By the beginning of the model's name, or of what follows its last slash.
constexpr std::array makers{Word{"gpt-", "openai"}, Word{"chatgpt-", "openai"}, Word{"o1", "openai"}, Word{"o3", "openai"},
    Word{"o4", "openai"}, Word{"text-embedding-", "openai"}, Word{"claude", "anthropic"}, Word{"gemini", "gcp.gemini"},
    Word{"mistral", "mistral_ai"}, Word{"codestral", "mistral_ai"}, Word{"command", "cohere"}, Word{"rerank-", "cohere"},
    Word{"deepseek", "deepseek"}, Word{"grok", "x_ai"}, Word{"sonar", "perplexity"}};

struct Finish {
    std::string_view word;
    FinishReason reason;
};
constexpr std::array finishes{Finish{"stop", FinishReason::Stop}, Finish{"end_turn", FinishReason::Stop},
    Finish{"stop_sequence", FinishReason::Stop}, Finish{"eos", FinishReason::Stop}, Finish{"complete", FinishReason::Stop},
    Finish{"completed", FinishReason::Stop}, Finish{"length", FinishReason::Length}, Finish{"max_tokens", FinishReason::Length},
    Finish{"max_output_tokens", FinishReason::Length}, Finish{"model_context_window_exceeded", FinishReason::Length},
    Finish{"tool_calls", FinishReason::Tool}, Finish{"tool_call", FinishReason::Tool}, Finish{"tool_use", FinishReason::Tool},
    Finish{"function_call", FinishReason::Tool}, Finish{"tool-calls", FinishReason::Tool}, Finish{"content_filter", FinishReason::Filtered},
    Finish{"content-filter", FinishReason::Filtered}, Finish{"safety", FinishReason::Filtered},
    Finish{"recitation", FinishReason::Filtered}, Finish{"refusal", FinishReason::Filtered},
    Finish{"guardrail_intervened", FinishReason::Filtered}, Finish{"blocklist", FinishReason::Filtered},
    Finish{"prohibited_content", FinishReason::Filtered}, Finish{"error", FinishReason::Error}, Finish{"failed", FinishReason::Error},
    Finish{"cancelled", FinishReason::Error}, Finish{"abort", FinishReason::Error}, Finish{"pause_turn", FinishReason::Malformed},
    Finish{"malformed_function_call", FinishReason::Malformed}};

constexpr std::array<std::string_view, 24> refusals{"ratelimit", "rate_limit", "rate limit", "toomanyrequests", "too_many_requests",
    "throttl", "quota", "authentication", "unauthorized", "permission", "forbidden", "badrequest", "bad_request", "invalidrequest",
    "invalid_request", "notfound", "not_found", "contextwindow", "context_length", "econnrefused", "enotfound", "connecterror",
    "connectionrefused", "certificate"};

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return lower;
}

template <typename Table> std::string_view find(const Table& table, std::string_view word)
{
    const auto found = std::find_if(table.begin(), table.end(), [&](const Word& entry) { return entry.first == word; });
    return found == table.end() ? std::string_view() : found->second;
}

std::string_view makerOf(std::string_view model)
{
    const std::string_view name = model.substr(model.rfind('/') == std::string_view::npos ? 0 : model.rfind('/') + 1);
    const auto found = std::find_if(makers.begin(), makers.end(), [&](const Word& maker) { return name.starts_with(maker.first); });
    return found == makers.end() ? std::string_view() : found->second;
}

bool isAnyOf(const auto& list, std::string_view word)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

} // namespace

std::string providerName(std::string_view text, std::string_view model)
{
    const std::string name = lowerCase(text);
    if (name.empty() || isAnyOf(frameworks, name))
        return std::string(makerOf(lowerCase(model)));
    if (const std::string_view folded = find(providers, name); !folded.empty())
        return std::string(folded);
    if (isAnyOf(dotted, name))
        return name;
    const std::string head = name.substr(0, name.find('.')); // "openai.chat" of the Vercel AI SDK
    const std::string_view folded = find(providers, head);
    return folded.empty() ? head : std::string(folded);
}

FinishReason finishReason(std::string_view word)
{
    const std::string lower = lowerCase(word);
    const auto found = std::find_if(finishes.begin(), finishes.end(), [&](const Finish& entry) { return entry.word == lower; });
    return found == finishes.end() ? FinishReason::Unknown : found->reason;
}

FinishReason finishReasonOfText(std::string_view text)
{
    constexpr std::string_view separators = "[], \t\"'";
    FinishReason reason = FinishReason::Unknown;
    while (!text.empty()) {
        const std::size_t begin = std::min(text.find_first_not_of(separators), text.size());
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        if (const FinishReason found = finishReason(text.substr(begin, end - begin)); found != FinishReason::Unknown)
            reason = found;
        text.remove_prefix(end);
    }
    return reason;
}

bool isRefusal(std::string_view errorType)
{
    const std::string lower = lowerCase(errorType);
    return std::any_of(refusals.begin(), refusals.end(), [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool isRateLimit(std::string_view message)
{
    constexpr std::size_t beginning = 200; // what follows are stacks
    const std::string lower = lowerCase(message.substr(0, beginning));
    constexpr std::array<std::string_view, 5> words{"rate limit", "ratelimit", "rate_limit", "too many requests", "quota exceeded"};
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

} // namespace chokepoint
