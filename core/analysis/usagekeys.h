// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which attribute keys tell facts of calls, from the aliases of the stage rules: each key once, by interned id.
#pragma once

#include "core/analysis/rulebook.h"
#include "core/model/dictionary.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Facts that aliases name, in the order of their alias names. The first ten are the counts of ReportedTokens, in its order.
enum class UsageField : std::uint8_t {
    Input,
    Output,
    Total,
    CacheRead,
    CacheWrite,
    CacheWrite1h,
    Reasoning,
    AudioInput,
    AudioOutput,
    ImageInput,
    Cost,
    RequestModel,
    ResponseModel,
    Provider,
    ServiceTier,
    ResponseId,
    RequestId,
    Finish,
    Streaming,
    HttpStatus,
    ErrorType,
    RollUp,
    Count_
};
inline constexpr std::size_t usageFieldCount = std::size_t(UsageField::Count_);

/// What the choice of a key says about how its emitter counts.
enum class CountingHint : std::uint8_t {
    None, // the provider decides
    Included, // the emitter counts cached and reasoning tokens in the whole
    Disjoint, // the emitter writes disjoint counts
    Raw, // the provider's own number, handed through
};

/// One fact that a key tells.
struct UsageUse {
    UsageField field{};
    std::uint8_t rank = 0; // place in the alias list: lower wins
    CountingHint hint = CountingHint::None;
    std::vector<std::string> members; // of a structured value, the first that is there; dots descend. Empty: the value itself
};

/// Parts of judgements that a key tells.
enum class ScorePart : std::uint8_t { None, Metric, Value, Label, Judge };

/// What the reader wants of one key.
struct UsageKey {
    std::vector<UsageUse> uses;
    ScorePart score = ScorePart::None;
    std::uint8_t about = 0; // Score::About
    std::uint32_t index = 0; // judgements of one span are told apart by it
    bool isJudgeKind = false; // openinference.span.kind and the like: EVALUATOR makes the output a judgement
    bool isOutput = false;
    bool isEngine = false; // only inference servers write it
    bool isEmbedding = false; // only embedding calls have it

    [[nodiscard]] bool isUseful() const
    {
        return !uses.empty() || score != ScorePart::None || isJudgeKind || isOutput || isEngine || isEmbedding;
    }
};

/// What \a key means under \a rules.
[[nodiscard]] UsageKey describeUsageKey(std::string_view key, const StageRules& rules);

} // namespace chokepoint
