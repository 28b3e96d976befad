// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Description of attribute keys; asked once a key.
#include "core/analysis/usagekeys.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace chokepoint {

namespace {

constexpr std::array<std::string_view, usageFieldCount> aliasNames{"in_tok", "out_tok", "total_tok", "cache_read", "cache_write",
    "cache_write_1h", "reason_tok", "audio_in_tok", "audio_out_tok", "image_in_tok", "cost_usd", "req_model", "resp_model", "provider",
    "service_tier", "response_id", "request_id", "finish", "is_stream", "http_status", "error_type", "rollup_tok"};

struct HintOfKey {
    std::string_view prefix;
    CountingHint hint;
};
/// The conventions since 1.40 and OpenInference count the whole; Langfuse writes disjoint counts; older keys hand the vendor's number on.
constexpr std::array hints{HintOfKey{"langfuse.observation.usage_details", CountingHint::Disjoint},
    HintOfKey{"gen_ai.usage.cache_read.", CountingHint::Included}, HintOfKey{"gen_ai.usage.cache_write.", CountingHint::Included},
    HintOfKey{"gen_ai.usage.cache_creation.", CountingHint::Included}, HintOfKey{"gen_ai.usage.reasoning.", CountingHint::Included},
    HintOfKey{"llm.token_count.", CountingHint::Included}, HintOfKey{"ai.usage.inputTokenDetails.", CountingHint::Included},
    HintOfKey{"gen_ai.usage.input_token_details", CountingHint::Included}, HintOfKey{"langsmith.usage_metadata", CountingHint::Included},
    HintOfKey{"gen_ai.usage.", CountingHint::Raw}, HintOfKey{"ai.", CountingHint::Raw}, HintOfKey{"mlflow.", CountingHint::Raw}};

CountingHint hintOf(std::string_view key)
{
    const auto found = std::find_if(hints.begin(), hints.end(), [&](const HintOfKey& entry) { return key.starts_with(entry.prefix); });
    return found == hints.end() ? CountingHint::None : found->hint;
}

/// "a|b.c}" -> {"a", "b.c"}.
std::vector<std::string> membersOf(std::string_view text)
{
    std::vector<std::string> members;
    text = text.substr(0, text.find('}'));
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('|'), text.size());
        members.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return members;
}

void addUses(UsageKey& usage, std::string_view key, UsageField field, const std::vector<std::string>& aliases)
{
    for (std::size_t rank = 0; rank < aliases.size() && rank < 255; ++rank) {
        const std::string_view alias = aliases[rank];
        const std::size_t brace = alias.find('{');
        if (alias.substr(0, brace) != key)
            continue;
        UsageUse use{field, std::uint8_t(rank), hintOf(key), {}};
        if (brace != std::string_view::npos)
            use.members = membersOf(alias.substr(brace + 1));
        usage.uses.push_back(std::move(use));
    }
}

/// "trace.annotations.2.annotation.score" and the like.
void readIndexedScore(UsageKey& usage, std::string_view key)
{
    std::uint8_t about = 0;
    for (const auto& [prefix, value] : {std::pair<std::string_view, std::uint8_t>{"trace.", 1}, {"session.", 2}}) {
        if (key.starts_with(prefix)) {
            key.remove_prefix(prefix.size());
            about = value;
        }
    }
    for (const std::string_view list : {"annotations.", "evaluations."}) {
        if (!key.starts_with(list))
            continue;
        key.remove_prefix(list.size());
        std::uint32_t index = 0;
        const auto [stop, error] = std::from_chars(key.data(), key.data() + key.size(), index);
        const std::size_t dot = key.rfind('.');
        if (error != std::errc() || stop == key.data() + key.size() || *stop != '.' || dot == std::string_view::npos)
            return;
        const std::string_view part = key.substr(dot + 1);
        usage.score = part == "name"   ? ScorePart::Metric
            : part == "score"          ? ScorePart::Value
            : part == "label"          ? ScorePart::Label
            : part == "annotator_kind" ? ScorePart::Judge
                                       : ScorePart::None;
        usage.about = about;
        usage.index = index + 1; // 0 is for the span's own
        return;
    }
}

constexpr std::array scoreKeys{std::pair<std::string_view, ScorePart>{"gen_ai.evaluation.name", ScorePart::Metric},
    std::pair<std::string_view, ScorePart>{"gen_ai.evaluation.score.value", ScorePart::Value},
    std::pair<std::string_view, ScorePart>{"gen_ai.evaluation.score.label", ScorePart::Label},
    std::pair<std::string_view, ScorePart>{"evals.score", ScorePart::Value},
    std::pair<std::string_view, ScorePart>{"evals.verdict", ScorePart::Label}};

bool isOneOf(std::string_view key, std::initializer_list<std::string_view> keys)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

UsageKey describeUsageKey(std::string_view key, const StageRules& rules)
{
    UsageKey usage;
    for (std::size_t f = 0; f < usageFieldCount; ++f) {
        if (const auto aliases = rules.aliases.find(aliasNames[f]); aliases != rules.aliases.end())
            addUses(usage, key, UsageField(f), aliases->second);
    }
    readIndexedScore(usage, key);
    for (const auto& [name, part] : scoreKeys) {
        if (key == name)
            usage.score = part;
    }
    usage.isJudgeKind = isOneOf(key, {"openinference.span.kind", "langfuse.observation.type", "mlflow.spanType"});
    usage.isOutput = isOneOf(key, {"output.value", "langfuse.observation.output", "mlflow.spanOutputs"});
    usage.isEngine = key.starts_with("gen_ai.latency.") || key.starts_with("gen_ai.server.");
    usage.isEmbedding = isOneOf(key, {"embedding.model_name", "gen_ai.usage.embedding_tokens", "ai.usage.tokens"});
    return usage;
}

} // namespace chokepoint
