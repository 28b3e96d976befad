// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The decision procedure for inclusive and exclusive counts.
#include "core/analysis/usagereading.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace chokepoint {

namespace {

enum class Answer : std::uint8_t { Unknown, Included, Apart };

/// What one call says for itself. A firm answer is arithmetic without an alternative; a soft one may be a total that its emitter added up.
struct Evidence {
    Answer cache = Answer::Unknown;
    Answer reasoning = Answer::Unknown;
    bool cacheIsFirm = false;
    bool reasoningIsFirm = false;
};

std::int64_t cachedTokens(const ReportedTokens& reported)
{
    return reported.cacheRead.orZero() + reported.cacheWrite.orZero() + reported.cacheWrite1h.orZero();
}

/// The first of the four readings that makes input and output add up to the total. The cache is tried before reasoning: a surplus that
/// both explain is far more often the cache.
Evidence evidenceOf(const ReportedTokens& reported)
{
    const std::int64_t cached = cachedTokens(reported);
    const std::int64_t reasoned = reported.reasoning.orZero();
    const std::int64_t input = reported.input.orZero();
    const std::int64_t output = reported.output.orZero();
    const bool cacheCannotBeInside = reported.input.isKnown() && input < cached;
    const bool reasoningCannotBeInside = reported.output.isKnown() && output < reasoned;
    Evidence evidence;
    if (reported.total.isKnown() && reported.input.isKnown() && reported.output.isKnown()) {
        for (const auto& [cacheApart, reasoningApart] :
            {std::pair{false, false}, std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
            const bool isSame = (cacheApart && cached == 0) || (reasoningApart && reasoned == 0);
            const bool isImpossible = (!cacheApart && cacheCannotBeInside) || (!reasoningApart && reasoningCannotBeInside);
            const std::int64_t sum = input + output + (cacheApart ? cached : 0) + (reasoningApart ? reasoned : 0);
            if (isSame || isImpossible || std::abs(sum - reported.total.orZero()) > 1)
                continue;
            evidence = {cacheApart ? Answer::Apart : Answer::Included, reasoningApart ? Answer::Apart : Answer::Included, cacheApart,
                reasoningApart};
            break;
        }
    }
    if (cacheCannotBeInside)
        evidence = {Answer::Apart, evidence.reasoning, true, evidence.reasoningIsFirm};
    if (reasoningCannotBeInside)
        evidence = {evidence.cache, Answer::Apart, evidence.cacheIsFirm, true};
    return evidence;
}

constexpr std::array<std::string_view, 2> exclusiveCache{"anthropic", "aws.bedrock"};
constexpr std::array<std::string_view, 12> inclusiveCache{"openai", "azure.ai.openai", "azure.ai.inference", "groq", "mistral_ai", "vllm",
    "sglang", "gcp.gemini", "gcp.vertex_ai", "gcp.gen_ai", "deepseek", "x_ai"};

bool contains(const auto& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

Answer knownCache(const UsageEmitter& emitter, std::string_view provider)
{
    if (emitter.input == CountingHint::Disjoint)
        return Answer::Apart;
    if (emitter.cache == CountingHint::Included)
        return Answer::Included;
    if (contains(exclusiveCache, provider))
        return Answer::Apart;
    return contains(inclusiveCache, provider) ? Answer::Included : Answer::Unknown;
}

/// xAI reports reasoning beside the completion; the conventions, and every other vendor that splits it, inside.
Answer knownReasoning(const UsageEmitter& emitter, std::string_view provider)
{
    if (emitter.input == CountingHint::Disjoint)
        return Answer::Apart;
    if (emitter.reasoning == CountingHint::Included)
        return Answer::Included;
    if (provider == "x_ai")
        return Answer::Apart;
    return provider.empty() ? Answer::Unknown : Answer::Included;
}

struct Votes {
    std::uint32_t included = 0;
    std::uint32_t apart = 0;

    void add(Answer answer)
    {
        included += answer == Answer::Included ? 1 : 0;
        apart += answer == Answer::Apart ? 1 : 0;
    }
    [[nodiscard]] Answer majority() const
    {
        return included == apart ? Answer::Unknown : included > apart ? Answer::Included : Answer::Apart;
    }
};

struct GroupVotes {
    Votes cache;
    Votes reasoning;
};

/// Own arithmetic unless most of the others contradict a soft answer; then the others; then what is known.
Answer settle(Answer own, bool isFirm, Answer majority, Answer known, TokenReading& reading)
{
    if (own != Answer::Unknown && (isFirm || majority == Answer::Unknown || majority == own))
        return own;
    if (own != Answer::Unknown)
        reading.outvoted = true;
    if (majority != Answer::Unknown)
        return majority;
    reading.assumed |= known == Answer::Unknown;
    return known;
}

} // namespace

void settleReadings(std::vector<CallFacts>& calls, const std::vector<UsageEmitter>& emitters, const StringPool& texts)
{
    std::map<std::tuple<ScopeId, StringId, CountingHint, CountingHint>, GroupVotes> groups; // other keys, other habits
    const auto groupOf = [&](std::size_t c) -> GroupVotes& {
        return groups[{emitters[c].scope, calls[c].provider, emitters[c].input, emitters[c].cache}];
    };
    for (std::size_t c = 0; c < calls.size(); ++c) {
        const ReportedTokens& reported = calls[c].reported;
        const bool hasCache = cachedTokens(reported) > 0;
        const bool hasReasoning = reported.reasoning.orZero() > 0;
        if (!hasCache && !hasReasoning)
            continue;
        const Evidence evidence = evidenceOf(reported);
        if (hasCache)
            groupOf(c).cache.add(evidence.cache);
        if (hasReasoning)
            groupOf(c).reasoning.add(evidence.reasoning);
    }
    for (std::size_t c = 0; c < calls.size(); ++c) {
        const ReportedTokens& reported = calls[c].reported;
        TokenReading& reading = calls[c].reading;
        const Evidence evidence = evidenceOf(reported);
        const std::string_view provider = texts.text(calls[c].provider);
        if (cachedTokens(reported) > 0 && reported.input.isKnown())
            reading.cacheApart =
                settle(evidence.cache, evidence.cacheIsFirm, groupOf(c).cache.majority(), knownCache(emitters[c], provider), reading)
                == Answer::Apart;
        if (reported.reasoning.orZero() > 0 && reported.output.isKnown())
            reading.reasoningApart = settle(evidence.reasoning, evidence.reasoningIsFirm, groupOf(c).reasoning.majority(),
                                         knownReasoning(emitters[c], provider), reading)
                == Answer::Apart;
    }
}

TokenBuckets CallFacts::tokens() const
{
    const auto rest = [](TokenCount whole, std::int64_t parts) {
        return whole.isKnown() ? TokenCount(std::max<std::int64_t>(0, whole.orZero() - parts)) : whole;
    };
    TokenBuckets buckets;
    buckets[TokenKind::CacheRead] = reported.cacheRead;
    buckets[TokenKind::CacheWrite5m] = reported.cacheWrite;
    buckets[TokenKind::CacheWrite1h] = reported.cacheWrite1h;
    buckets[TokenKind::AudioInput] = reported.audioInput;
    buckets[TokenKind::ImageInput] = reported.imageInput;
    buckets[TokenKind::Reasoning] = reported.reasoning;
    buckets[TokenKind::AudioOutput] = reported.audioOutput;
    buckets[TokenKind::Input] = rest(
        reported.input, reported.audioInput.orZero() + reported.imageInput.orZero() + (reading.cacheApart ? 0 : cachedTokens(reported)));
    buckets[TokenKind::Output] =
        rest(reported.output, reported.audioOutput.orZero() + (reading.reasoningApart ? 0 : reported.reasoning.orZero()));
    if (reported.total.isKnown() && (!reported.input.isKnown() || !reported.output.isKnown()))
        buckets.undivided = rest(reported.total, buckets.input().orZero() + buckets.output().orZero());
    return buckets;
}

} // namespace chokepoint
