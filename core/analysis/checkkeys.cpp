// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/checkkeys.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace chokepoint {

namespace {

struct KeyEnding {
    std::string_view words; // the key ends with these
    CheckField field;
    std::string_view needs = {}; // and has one of these somewhere, separated by bars
    std::string_view forbids = {}; // and none of these
};

/// Longer endings stand before shorter ones that they contain.
constexpr std::array endings{
    KeyEnding{"drafted_tokens", CheckField::DraftedTokens},
    KeyEnding{"draft_tokens", CheckField::DraftedTokens, {}, "accept"},
    KeyEnding{"draft_token_num", CheckField::DraftedTokens},
    KeyEnding{"accepted_draft_tokens", CheckField::AcceptedTokens},
    KeyEnding{"accepted_prediction_tokens", CheckField::AcceptedTokens},
    KeyEnding{"accepted_tokens", CheckField::AcceptedTokens},
    KeyEnding{"accept_token_num", CheckField::AcceptedTokens},
    KeyEnding{"accepted_tokens_per_pos", CheckField::AcceptedPositions},
    KeyEnding{"accepted_tokens_per_position", CheckField::AcceptedPositions},
    KeyEnding{"accepted_per_position", CheckField::AcceptedPositions},
    KeyEnding{"acceptance_rate_per_pos", CheckField::RatePositions},
    KeyEnding{"acceptance_rate_per_position", CheckField::RatePositions},
    KeyEnding{"acceptance_rates_per_position", CheckField::RatePositions},
    KeyEnding{"acceptance_per_position", CheckField::RatePositions},
    KeyEnding{"rejected_prediction_tokens", CheckField::RejectedTokens},
    KeyEnding{"rejected_tokens", CheckField::RejectedTokens},
    KeyEnding{"num_drafts", CheckField::Drafts},
    KeyEnding{"spec_verify_ct", CheckField::Drafts},
    KeyEnding{"num_speculative_tokens", CheckField::DraftLength},
    KeyEnding{"draft_length", CheckField::DraftLength},
    KeyEnding{"acceptance_rate", CheckField::AcceptanceRate, "spec|draft"},
    KeyEnding{"accept_rate", CheckField::AcceptanceRate, "spec|draft"},
    KeyEnding{"non_padded_tokens", CheckField::ActualTokens},
    KeyEnding{"unpadded_tokens", CheckField::ActualTokens},
    KeyEnding{"actual_tokens", CheckField::ActualTokens},
    KeyEnding{"actual_length", CheckField::ActualTokens},
    KeyEnding{"actual_len", CheckField::ActualTokens},
    KeyEnding{"valid_tokens", CheckField::ActualTokens},
    KeyEnding{"prefill_tokens", CheckField::ActualTokens},
    KeyEnding{"tokenizer_tokens", CheckField::ActualTokens},
    KeyEnding{"padding_tokens", CheckField::PaddingTokens},
    KeyEnding{"padded_tokens", CheckField::PaddedTokens},
    KeyEnding{"paddedtokens", CheckField::PaddedTokens},
    KeyEnding{"padded_input_tokens", CheckField::PaddedTokens},
    KeyEnding{"padded_length", CheckField::PaddedLength},
    KeyEnding{"padded_len", CheckField::PaddedLength},
    KeyEnding{"paddedlength", CheckField::PaddedLength},
    KeyEnding{"seq_len_padded", CheckField::PaddedLength},
    KeyEnding{"seq_length_padded", CheckField::PaddedLength},
    KeyEnding{"sequence_len_padded", CheckField::PaddedLength},
    KeyEnding{"sequence_length_padded", CheckField::PaddedLength},
    KeyEnding{"max_seq_len", CheckField::PaddedLimit},
    KeyEnding{"sequence_lengths", CheckField::Lengths},
    KeyEnding{"seq_lens", CheckField::Lengths},
    KeyEnding{"batch_lengths", CheckField::Lengths},
    KeyEnding{"batch_size", CheckField::BatchSize},
    KeyEnding{"batchsize", CheckField::BatchSize},
    KeyEnding{"num_sequences", CheckField::BatchSize},
    KeyEnding{"top_score", CheckField::Score},
    KeyEnding{"top_similarity", CheckField::Score},
    KeyEnding{"max_score", CheckField::Score, "retriev|search|vector|query"},
    KeyEnding{"document_score", CheckField::Score, "retriev"},
    KeyEnding{"retrieval_scores", CheckField::Score},
    KeyEnding{"query_result_score", CheckField::Score},
    KeyEnding{"top_distance", CheckField::Distance},
    KeyEnding{"min_distance", CheckField::Distance, "retriev|search|vector|query"},
    KeyEnding{"retrieval_distances", CheckField::Distance},
    KeyEnding{"query_result_distance", CheckField::Distance},
    KeyEnding{"retrieval_documents", CheckField::Documents},
    KeyEnding{"returned_rows", CheckField::Results},
    KeyEnding{"result_count", CheckField::Results},
    KeyEnding{"results_count", CheckField::Results},
    KeyEnding{"num_results", CheckField::Results},
    KeyEnding{"docs_count", CheckField::Results},
    KeyEnding{"documents_count", CheckField::Results},
    KeyEnding{"collection_name", CheckField::Collection},
    KeyEnding{"distance_metric", CheckField::Metric},
    KeyEnding{"similarity_metric", CheckField::Metric},
    KeyEnding{"metric_type", CheckField::Metric},
    KeyEnding{"kv_cache_hit_rate", CheckField::PrefixHitRate},
    KeyEnding{"prefix_cache_hit_rate", CheckField::PrefixHitRate},
    KeyEnding{"cache_hit", CheckField::CacheHit, {}, "kv_|prefix_|prompt_|auth"},
    KeyEnding{"cache_lookup_hit", CheckField::CacheHit},
    KeyEnding{"cache_outcome", CheckField::CacheOutcome},
    KeyEnding{"cache_result", CheckField::CacheOutcome},
    KeyEnding{"cache_status", CheckField::CacheOutcome},
    KeyEnding{"cache_operation", CheckField::CacheOperation},
    KeyEnding{"cache_distance", CheckField::CacheDistance},
    KeyEnding{"cache_similarity", CheckField::CacheSimilarity},
    KeyEnding{"cache_threshold", CheckField::CacheThreshold},
    KeyEnding{"similarity_threshold", CheckField::CacheThreshold, "cache"},
    KeyEnding{"distance_threshold", CheckField::CacheThreshold, "cache"},
    KeyEnding{"routing_original_model", CheckField::AskedModel},
    KeyEnding{"router_original_model", CheckField::AskedModel},
    KeyEnding{"routing_selected_model", CheckField::ChosenModel},
    KeyEnding{"router_selected_model", CheckField::ChosenModel},
    KeyEnding{"quantization", CheckField::Variant},
    KeyEnding{"quant", CheckField::Variant},
    KeyEnding{"precision", CheckField::Variant, {}, "metric|eval|score"},
    KeyEnding{"dtype", CheckField::Variant},
    KeyEnding{"model_variant", CheckField::Variant},
    KeyEnding{"model_revision", CheckField::Variant},
};

/// "vllm.specDecode.0.num-drafts" -> "vllm_spec_decode_num_drafts".
std::string wordsOf(std::string_view key)
{
    std::string words;
    std::size_t segment = 0; // where the word at hand began
    bool digits = true; // it has nothing else
    const auto endSegment = [&] {
        if (digits)
            words.resize(segment);
        else if (!words.empty() && words.back() != '_')
            words += '_';
        segment = words.size();
        digits = true;
    };
    char before = 0;
    for (const char c : key) {
        const auto letter = static_cast<unsigned char>(c);
        const bool hump = std::isupper(letter) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
        if (std::isalnum(letter) == 0 || hump)
            endSegment();
        if (std::isalnum(letter) != 0) {
            words += char(std::tolower(letter));
            digits = digits && std::isdigit(letter) != 0;
        }
        before = c;
    }
    endSegment();
    if (!words.empty() && words.back() == '_')
        words.pop_back();
    return words;
}

bool hasOneOf(std::string_view words, std::string_view list)
{
    while (!list.empty()) {
        const std::size_t end = std::min(list.find('|'), list.size());
        if (words.find(list.substr(0, end)) != std::string_view::npos)
            return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

bool endsWithWords(std::string_view words, std::string_view ending)
{
    return words.ends_with(ending) && (words.size() == ending.size() || words[words.size() - ending.size() - 1] == '_');
}

} // namespace

CheckField checkFieldOf(std::string_view key)
{
    constexpr std::size_t longest = 128; // no library has longer ones
    if (key.size() > longest)
        return CheckField::None;
    const std::string words = wordsOf(key);
    const auto found = std::find_if(endings.begin(), endings.end(), [&](const KeyEnding& entry) {
        return endsWithWords(words, entry.words) && (entry.needs.empty() || hasOneOf(words, entry.needs))
            && !hasOneOf(words, entry.forbids);
    });
    return found == endings.end() ? CheckField::None : found->field;
}

std::string variantOfModel(std::string_view model)
{
    constexpr std::array variants{"awq", "gptq", "int4", "int8", "w4a16", "w8a8", "fp8", "nvfp4", "mxfp4", "bnb", "4bit", "8bit", "gguf",
        "q2", "q3", "q4", "q5", "q6", "q7", "q8", "exl2", "hqq", "marlin", "bf16", "fp16"};
    const std::string words = wordsOf(model);
    for (const std::string_view variant : variants) {
        const std::size_t at = words.find(variant);
        const bool isWord = at != std::string::npos && at > 0 && words[at - 1] == '_';
        if (isWord && (at + variant.size() == words.size() || words[at + variant.size()] == '_'))
            return words.substr(at);
    }
    return {};
}

} // namespace chokepoint
