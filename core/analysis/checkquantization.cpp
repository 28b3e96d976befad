// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a quantized model takes more time a token: like for like, by length of the input and size of the batch.
#include "core/analysis/bootstrap.h"
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace chokepoint::checks {

namespace {

constexpr std::size_t fewestCalls = 20; // in a bucket, a side
constexpr std::int64_t fewestOutput = 8; // tokens: shorter answers say little about decoding
constexpr double fallbackRatio = 2.0; // in all buckets: the fast kernel is not in use
constexpr unsigned replicates = 2000;

/// Sizes of batches up to 1, 4, 8, 16, 32 and above.
int batchClass(double batch)
{
    constexpr std::array<double, 5> upTo{1, 4, 8, 16, 32};
    return int(std::lower_bound(upTo.begin(), upTo.end(), batch) - upTo.begin());
}

using Bucket = std::pair<int, int>; // log2 of the input tokens, class of the batch
using Buckets = std::map<Bucket, std::vector<double>>; // ns a token

enum class Phase : std::uint8_t { Prefill, Decode };

/// Time a token of all calls that tell it; \a clientTimed: whether decoding was timed by a client's first token.
Buckets timesOf(const std::vector<ModelCall>& calls, Phase phase, bool clientTimed)
{
    Buckets buckets;
    for (const ModelCall& call : calls) {
        const std::int64_t input = call.tokens.input().orZero();
        const std::int64_t output = call.tokens.output().orZero();
        const std::int64_t computed = input - call.tokens[TokenKind::CacheRead].orZero();
        const Duration time = phase == Phase::Prefill ? call.prefill : call.decode;
        const bool fits = phase == Phase::Prefill ? computed > 0 : output >= fewestOutput && call.isClientTimed == clientTimed;
        if (!isKnown(time) || time <= Duration{0} || input <= 0 || !fits || call.failed)
            continue;
        const double tokens = phase == Phase::Prefill ? double(computed) : double(output - 1);
        buckets[{int(std::log2(double(input))), batchClass(call.batch.value_or(1))}].push_back(double(toNs(time)) / tokens);
    }
    return buckets;
}

/// How much longer a token takes, over all buckets that both sides fill.
struct Slowdown {
    double ratio = 0; // weighted geometric mean
    Interval interval; // 95 %
    std::size_t buckets = 0;
    std::size_t calls = 0; // of AFTER, in these buckets
    double least = 0; // ratio of the bucket that changed least
    std::optional<double> smallBatch; // weighted geometric mean over batches up to 4
    std::optional<double> largeBatch; // from 17 on
};

class WeightedMean {
public:
    void add(double value, double weight)
    {
        m_sum += value * weight;
        m_weight += weight;
    }
    [[nodiscard]] std::optional<double> value() const { return m_weight > 0 ? std::optional(m_sum / m_weight) : std::nullopt; }

private:
    double m_sum = 0;
    double m_weight = 0;
};

/// Logarithms as durations, so that quantileDifferences() resamples them; 1e9 a unit.
std::vector<Duration> sortedLogs(const std::vector<double>& values)
{
    std::vector<Duration> logs;
    for (const double value : values)
        logs.push_back(toDuration(std::log(value) * 1e9));
    std::sort(logs.begin(), logs.end());
    return logs;
}

std::optional<Slowdown> slowdownOf(Buckets before, Buckets after, std::uint64_t seed)
{
    Slowdown result;
    WeightedMean all;
    WeightedMean small;
    WeightedMean large;
    std::vector<double> sums(replicates, 0);
    for (auto& [bucket, values] : after) {
        const auto other = before.find(bucket);
        if (other == before.end() || other->second.size() < fewestCalls || values.size() < fewestCalls)
            continue;
        const auto weight = double(values.size());
        const std::vector<double> differences =
            quantileDifferences(sortedLogs(other->second), sortedLogs(values), 0.5, seed + result.buckets, replicates);
        for (unsigned r = 0; r < replicates; ++r)
            sums[r] += weight * differences[r] / 1e9;
        const double log = std::log(quantileOf(values, 0.5) / quantileOf(other->second, 0.5));
        all.add(log, weight);
        if (bucket.second <= 1)
            small.add(log, weight);
        if (bucket.second >= 4)
            large.add(log, weight);
        result.least = result.buckets == 0 ? std::exp(log) : std::min(result.least, std::exp(log));
        ++result.buckets;
        result.calls += values.size();
    }
    if (result.buckets == 0)
        return std::nullopt;
    result.ratio = std::exp(*all.value());
    const Interval logs = percentileInterval(sums);
    result.interval = {std::exp(logs.low / double(result.calls)), std::exp(logs.high / double(result.calls))};
    if (small.value())
        result.smallBatch = std::exp(*small.value());
    if (large.value())
        result.largeBatch = std::exp(*large.value());
    return result;
}

/// variantOfModel() of names that come again and again.
class VariantsByName {
public:
    const std::string& operator()(std::string_view name)
    {
        const auto [known, isNew] = m_variants.try_emplace(name);
        if (isNew)
            known->second = variantOfModel(name);
        return known->second;
    }

private:
    std::unordered_map<std::string_view, std::string> m_variants;
};

/// How the models of a deployment are quantized: by attributes of calls, else by their names; "" is untold.
std::string variantOf(const CheckSide& side, const std::vector<ModelCall>& calls)
{
    VariantsByName variantOfName;
    std::set<std::string> variants;
    for (const ModelCall& call : calls) {
        const std::uint64_t outer = side.columns.firstSpan[call.trace] + call.span;
        std::string variant;
        for (const CheckText& text : side.facts.wordsOf(outer, side.columns.subtreeSize[outer]))
            if (text.field == CheckField::Variant && variant.empty())
                variant = side.facts.texts->text(text.text);
        if (variant.empty())
            variant = variantOfName(call.model);
        if (variant.empty())
            variant = variantOfName(side.columns.dictionary->text(side.columns.dictionary->service(side.columns.spans.resource[outer])));
        if (!variant.empty())
            variants.insert(std::move(variant));
    }
    std::string all;
    for (const std::string& variant : variants)
        all += (all.empty() ? "" : ", ") + variant;
    return all;
}

/// What AFTER alone has and what makes tokens slower too: drafts that are not accepted, padding.
bool hasOtherCause(const Sides& sides)
{
    using enum CheckField;
    const auto computesMore = [](const CheckSide& side) {
        return std::any_of(side.facts.numbers.begin(), side.facts.numbers.end(), [](const CheckNumber& number) {
            return number.field == DraftedTokens || number.field == AcceptanceRate || number.field == PaddedTokens
                || number.field == PaddedLength;
        });
    };
    return computesMore(sides.after) && !computesMore(*sides.before);
}

bool isSlower(const std::optional<Slowdown>& slowdown)
{
    return slowdown && slowdown->ratio > slowdownLimit && slowdown->interval.low > 1;
}

void addSlowdown(
    const std::optional<Slowdown>& slowdown, std::string_view name, std::string_view buckets, std::string_view calls, Draft& draft)
{
    if (!slowdown)
        return;
    draft.ratio(name, slowdown->ratio, slowdown->interval);
    draft.count(buckets, slowdown->buckets);
    draft.count(calls, slowdown->calls);
}

/// The median over all buckets, where any call tells it.
void addMedian(const Buckets& buckets, std::string_view name, Draft& draft)
{
    std::vector<double> all;
    for (const auto& [bucket, values] : buckets)
        all.insert(all.end(), values.begin(), values.end());
    if (!all.empty())
        draft.time(name, toDuration(quantileOf(all, 0.5)));
}

/// Calls with the most time a token first.
void addSlowest(const std::vector<ModelCall>& calls, Draft& draft)
{
    std::vector<Part> parts;
    for (const ModelCall& call : calls)
        if (isKnown(call.decode) && call.tokens.output().orZero() >= fewestOutput)
            parts.push_back({double(toNs(call.decode)), double(call.tokens.output().orZero() - 1), call.trace});
    for (const std::uint32_t trace : extremeTraces(std::move(parts), false))
        draft.trace(trace);
}

/// \a isExplained: something else than the precision may be why.
void concludeSlowdown(const std::optional<Slowdown>& prefill, const std::optional<Slowdown>& decode, bool isExplained, Draft& draft)
{
    const bool slowPrefill = isSlower(prefill);
    const bool slowDecode = isSlower(decode);
    if ((slowPrefill || slowDecode) && isExplained)
        return draft.missing(
            "A token takes {worst_ratio} times as long as before, but the drafts or the padding that AFTER alone has may be "
            "why, and nothing tells the precision of the models.",
            {"model.quantization"});
    const bool fallback = (!prefill || prefill->least > fallbackRatio) && (!decode || decode->least > fallbackRatio);
    // Faster for small batches, where memory limits, and slower for large ones, where the conversion of weights costs.
    const bool fasterSmall = decode && decode->smallBatch.value_or(1) < 1;
    if (fallback)
        return draft.conclude(CheckStatus::Suspect,
            "A token takes {worst_ratio} times as long as before in the median, and more than {fallback_ratio} times in every bucket: "
            "the fast kernel of this precision is probably not in use.");
    if (fasterSmall && decode->largeBatch.value_or(0) > slowdownLimit) {
        draft.measure(decode->largeBatch);
        return draft.conclude(CheckStatus::Suspect,
            "A token of small batches takes {decode_ratio_small_batch} times as long as before, of large ones {decode_ratio_large_batch} "
            "times: converting the weights back costs more than it saves.");
    }
    if (fasterSmall && slowPrefill)
        return draft.conclude(CheckStatus::Suspect,
            "A token of small batches takes {decode_ratio_small_batch} times as long as before to decode, but {prefill_ratio} times to "
            "read: converting the weights back costs more than it saves.");
    if (slowPrefill || slowDecode)
        return draft.conclude(CheckStatus::Suspect, "A token takes {worst_ratio} times as long as before, above {ratio_limit}.");
    const bool isUnsure =
        (prefill && prefill->ratio > slowdownLimit && !slowPrefill) || (decode && decode->ratio > slowdownLimit && !slowDecode);
    if (isUnsure)
        return draft.missing("Not enough data: a token takes {worst_ratio} times as long as before, but the interval does not exclude 1.",
            {"more requests"});
    draft.conclude(CheckStatus::Ok, "A token takes {worst_ratio} times as long as before, not above {ratio_limit}.");
}

} // namespace

void quantizationOverhead(const Sides& sides, Draft& draft)
{
    if (!generates(sides.after))
        return draft.conclude(CheckStatus::NotApplicable, "No span calls a model that generates.");
    const std::vector<ModelCall>& after = sides.calls;
    const std::string variant = variantOf(sides.after, after);
    if (!variant.empty())
        draft.text("variant", variant);
    if (sides.before == nullptr) {
        addMedian(timesOf(after, Phase::Prefill, false), "prefill_time_a_token", draft);
        addMedian(timesOf(after, Phase::Decode, false), "decode_time_a_token", draft);
        return draft.missing("One deployment alone does not tell what a token took before.", {"BEFORE (--against)"});
    }
    const std::vector<ModelCall>& before = sides.callsBefore;
    const std::string variantBefore = variantOf(*sides.before, before);
    if (!variantBefore.empty())
        draft.text("variant_before", variantBefore);
    if (!variant.empty() && variant == variantBefore)
        return draft.conclude(CheckStatus::NotApplicable, "Both deployments run the same precision, {variant}.");

    const bool engine =
        std::any_of(after.begin(), after.end(), [](const ModelCall& call) { return isKnown(call.decode) && !call.isClientTimed; });
    const bool timed =
        std::any_of(after.begin(), after.end(), [](const ModelCall& call) { return isKnown(call.decode) || isKnown(call.prefill); });
    if (!timed)
        return draft.missing("Times of prefill and decoding are not in these traces: spans of clients alone do not tell them.",
            {"gen_ai.latency.time_in_model_prefill", "gen_ai.latency.time_in_model_decode",
                "spans of the inference server (vLLM --otlp-traces-endpoint, SGLang --enable-trace)"});
    const auto prefill = slowdownOf(timesOf(before, Phase::Prefill, false), timesOf(after, Phase::Prefill, false), sides.seed);
    const auto decode = slowdownOf(timesOf(before, Phase::Decode, !engine), timesOf(after, Phase::Decode, !engine), sides.seed + 1000);
    addSlowdown(prefill, "prefill_ratio", "prefill_buckets", "prefill_calls", draft);
    addSlowdown(decode, "decode_ratio", "decode_buckets", "decode_calls", draft);
    draft.ratio("ratio_limit", slowdownLimit);
    if (!prefill && !decode) {
        draft.count("calls_needed", fewestCalls);
        return draft.missing(
            "Not enough data: no bucket of input length and batch size has {calls_needed} calls on both sides.", {"more requests"});
    }
    if (decode) {
        draft.text("decode_timed_by", engine ? "the engine" : "the client, network and queue included");
        draft.ratio("decode_ratio_small_batch", decode->smallBatch);
        draft.ratio("decode_ratio_large_batch", decode->largeBatch);
    }
    const bool estimated = std::any_of(after.begin(), after.end(), [](const ModelCall& call) { return call.batchIsEstimate; });
    draft.text("batch_size", estimated ? "estimated: calls of the model under way at the same time" : "recorded");
    const double worst = std::max(prefill ? prefill->ratio : 0, decode ? decode->ratio : 0);
    draft.ratio("worst_ratio", worst);
    draft.ratio("fallback_ratio", fallbackRatio);
    draft.measure(worst);
    addSlowest(after, draft);
    concludeSlowdown(prefill, decode, variant.empty() && hasOtherCause(sides), draft);
}

} // namespace chokepoint::checks
