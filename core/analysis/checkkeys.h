// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attribute keys that the checks read: what each means, whatever the library that wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chokepoint {

/// What an attribute tells the checks. Numbers first, then texts.
enum class CheckField : std::uint8_t {
    // speculative decoding
    DraftedTokens,
    AcceptedTokens,
    RejectedTokens,
    Drafts, // verification steps
    DraftLength, // tokens a draft may have
    AcceptanceRate, // where no counts are given
    // padding
    PaddedTokens, // of the whole batch
    PaddedLength, // of one sequence
    PaddedLimit, // the longest sequence a server takes; says something only next to ActualTokens
    PaddingTokens, // the waste itself
    ActualTokens,
    BatchSize,
    // retrieval
    Score, // the best one; more is better
    Distance, // the best one; less is better
    Results, // documents found
    // caches of answers
    CacheHit, // 1 or 0
    CacheDistance,
    CacheSimilarity,
    CacheThreshold, // of either
    PrefixHitRate, // of the engine's key-value cache
    // texts
    CacheOutcome, // kept as CacheHit where it says hit or miss
    CacheOperation, // kept as CacheWrite where it says so
    CacheWrite, // 1
    Metric, // of distances: "l2"
    Collection,
    AskedModel, // what a router was asked for
    ChosenModel, // what it chose
    Variant, // quantization, precision
    // lists
    Lengths, // of the sequences of one batch: kept as PaddedTokens and ActualTokens
    AcceptedPositions, // drafted tokens that were accepted at each position of a draft; kept as CheckPosition
    RatePositions, // the same as shares
    Documents, // JSON or a list of maps: kept as Score or Distance, and Results
    None
};

/// The meaning of \a key; None for those that no check reads. Keys are compared word by word, without regard to case, dots, hyphens
/// and list indices: "vllm.spec_decode.num_draft_tokens" and "specDecode.draftTokens" say the same.
[[nodiscard]] CheckField checkFieldOf(std::string_view key);

/// "Q4_K_M", "awq", "fp8" and the like at the end of a model's name; "" where it has none.
[[nodiscard]] std::string variantOfModel(std::string_view model);

} // namespace chokepoint
