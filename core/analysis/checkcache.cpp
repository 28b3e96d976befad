// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether looking answers up saves more time than it takes. A cache of answers is neither a provider's prompt cache nor an engine's
// key-value cache: their rates stand beside it.
#include "core/analysis/cachelookups.h"
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"
#include "core/analysis/proportions.h"

#include <algorithm>
#include <cmath>

namespace chokepoint::checks {

namespace {

constexpr std::uint64_t fewestLookups = 20;
constexpr double hitRateDrop = 0.05;
constexpr double lookupShare = 0.10; // of a miss, for the slowest lookups
constexpr double closeToThreshold = 0.05; // of the threshold

struct Caching {
    Proportion hits; // of lookups whose outcome is known
    std::uint64_t lookups = 0;
    std::uint64_t inferred = 0; // hits that no attribute tells: no model was called after the lookup
    std::uint64_t risky = 0; // hits hardly within the threshold
    std::uint64_t measured = 0; // hits that tell their distance and the threshold
    std::vector<double> lookupTimes; // ns
    std::vector<double> missTimes; // end to end without the lookup, ns
    std::vector<std::uint32_t> riskyTraces;
    std::vector<std::uint32_t> missTraces;
};

bool isRisky(const CheckSide& side, std::uint64_t row, Caching& caching)
{
    const auto threshold = side.facts.number(row, CheckField::CacheThreshold);
    const auto distance = side.facts.number(row, CheckField::CacheDistance);
    const auto similarity = side.facts.number(row, CheckField::CacheSimilarity);
    if (!threshold || *threshold <= 0 || (!distance && !similarity))
        return false;
    ++caching.measured;
    return std::abs((distance ? *distance : *similarity) - *threshold) <= closeToThreshold * *threshold;
}

void addLookup(const CheckSide& side, std::uint32_t trace, const CacheLookup& lookup, Caching& caching)
{
    const SpanColumns& spans = side.columns.spans;
    const auto& [row, hit, isInferred] = lookup;
    const Duration length = spanDuration(spans.start[row], spans.end[row], spans.flags[row]);
    ++caching.lookups;
    if (isKnown(length))
        caching.lookupTimes.push_back(double(toNs(length)));
    if (!hit)
        return;
    ++caching.hits.total;
    if (!*hit) {
        const Duration e2e = side.population.traces[trace].e2e;
        if (isKnown(e2e) && isKnown(length))
            caching.missTimes.push_back(double(toNs(e2e - length)));
        caching.missTraces.push_back(trace);
        return;
    }
    ++caching.hits.successes;
    caching.inferred += isInferred ? 1 : 0;
    if (isRisky(side, row, caching)) {
        ++caching.risky;
        caching.riskyTraces.push_back(trace);
    }
}

/// The first lookup of each included trace.
Caching cachingOf(const CheckSide& side)
{
    const CacheLookups lookups(side.columns, side.stages, side.population, side.facts);
    Caching caching;
    for (const std::uint32_t trace : side.population.included)
        if (const std::optional<CacheLookup> lookup = lookups.of(trace))
            addLookup(side, trace, *lookup, caching);
    return caching;
}

/// Cached tokens of prompts over all tokens of prompts.
std::optional<double> promptCacheRatio(const CheckSide& side)
{
    const TokenBuckets& tokens = side.spending.totals.generate;
    const TokenCount cached = tokens[TokenKind::CacheRead];
    return cached.isKnown() && tokens.input().orZero() > 0 ? std::optional(double(cached.orZero()) / double(tokens.input().orZero()))
                                                           : std::nullopt;
}

/// Mean rate of an engine's key-value cache.
std::optional<double> prefixHitRate(const CheckSide& side)
{
    std::vector<double> rates;
    for (const CheckNumber& number : side.facts.numbers)
        if (number.field == CheckField::PrefixHitRate && number.value <= 1)
            rates.push_back(number.value);
    return rates.empty() ? std::nullopt : std::optional(meanOf(rates));
}

void addOtherCaches(const Sides& sides, Draft& draft)
{
    if (const auto ratio = promptCacheRatio(sides.after))
        draft.share("prompt_cache_ratio", ratio);
    if (const auto rate = prefixHitRate(sides.after))
        draft.share("prefix_cache_hit_rate", rate);
    if (sides.before == nullptr)
        return;
    if (const auto ratio = promptCacheRatio(*sides.before))
        draft.share("prompt_cache_ratio_before", ratio);
    if (const auto rate = prefixHitRate(*sides.before))
        draft.share("prefix_cache_hit_rate_before", rate);
}

/// Times of lookups and misses; the hit rate that pays for them, unknown without a miss.
std::optional<double> addTimes(Caching& caching, Draft& draft)
{
    if (caching.lookupTimes.empty() || caching.missTimes.empty())
        return std::nullopt;
    const double lookup = meanOf(caching.lookupTimes);
    const double miss = quantileOf(caching.missTimes, 0.5);
    draft.time("lookup_time", toDuration(lookup));
    draft.time("miss_time", toDuration(miss));
    draft.time("saved_time", toDuration(double(caching.hits.successes) * miss - double(caching.lookups) * lookup));
    return miss > 0 ? std::optional(lookup / miss) : std::nullopt;
}

} // namespace

void semanticCache(const Sides& sides, Draft& draft)
{
    Caching after = cachingOf(sides.after);
    addOtherCaches(sides, draft);
    if (after.lookups == 0) {
        draft.need("cache.hit");
        return draft.conclude(CheckStatus::NotApplicable, "No cache lookups found in the traces.");
    }
    draft.count("lookups", after.lookups);
    if (after.hits.total == 0)
        return draft.missing("None of {lookups} cache lookups tells whether it hit.", {"cache.hit"});
    const std::optional<double> rate = after.hits.rate();
    const std::optional<Interval> interval = wilsonInterval(after.hits);
    draft.measure(rate);
    draft.count("hits", after.hits.successes);
    draft.share("hit_rate", rate, interval);
    if (after.inferred > 0)
        draft.count("inferred_hits", after.inferred);
    if (after.measured > 0) {
        draft.count("risky_hits", after.risky);
        draft.count("measured_hits", after.measured);
    }
    const std::optional<double> breakEven = addTimes(after, draft);
    draft.share("break_even_hit_rate", breakEven);
    draft.threshold(breakEven);
    for (const std::uint32_t trace : after.riskyTraces)
        draft.trace(trace);
    for (const std::uint32_t trace : after.missTraces)
        draft.trace(trace);
    if (after.hits.total < fewestLookups) {
        draft.count("lookups_needed", fewestLookups);
        return draft.missing("Not enough data: {lookups} cache lookups, {lookups_needed} are needed.", {"more requests"});
    }

    if (sides.before != nullptr) {
        const Caching before = cachingOf(*sides.before);
        const std::optional<Interval> change = proportionDifference(before.hits, after.hits);
        draft.share("hit_rate_before", before.hits.rate());
        if (change) {
            draft.points("hit_rate_change", *rate - *before.hits.rate(), change);
            if (*rate - *before.hits.rate() <= -hitRateDrop && change->high < 0)
                return draft.conclude(CheckStatus::Suspect, "The cache hits {hit_rate} of the time, {hit_rate_before} before.");
        }
    }
    if (breakEven && interval->high < *breakEven)
        return draft.conclude(CheckStatus::Suspect,
            "The cache hits {hit_rate} of the time, below the {break_even_hit_rate} that pay for lookups of {lookup_time}.");
    if (after.missTimes.size() >= fewestLookups) {
        const double slowest = quantileOf(after.lookupTimes, 0.95);
        draft.time("lookup_p95", toDuration(slowest));
        draft.share("lookup_share_limit", lookupShare);
        if (slowest > lookupShare * quantileOf(after.missTimes, 0.5))
            return draft.conclude(CheckStatus::Suspect,
                "One of twenty lookups takes {lookup_p95} or more, above {lookup_share_limit} of the {miss_time} that a miss takes.");
    }
    if (after.risky > 0)
        return draft.conclude(CheckStatus::Suspect,
            "{risky_hits} of {measured_hits} hits are hardly within the distance allowed: their answers may belong to other questions.");
    if (breakEven && interval->low < *breakEven)
        return draft.missing(
            "Not enough data: the cache hits {hit_rate} of the time, and the interval does not tell whether that reaches the "
            "{break_even_hit_rate} that pay for the lookups.",
            {"more requests"});
    draft.conclude(CheckStatus::Ok, "The cache hits {hit_rate} of the time; whether the answers fit needs evaluations.");
}

} // namespace chokepoint::checks
