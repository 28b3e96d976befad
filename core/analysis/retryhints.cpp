// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/retryhints.h"

#include "core/analysis/statistics.h"

#include <algorithm>
#include <bit>
#include <map>

namespace chokepoint::attempts {

namespace {

/// The default backoff of the common SDKs: half a second, doubled for each retry, less up to a quarter for jitter.
bool looksLikeBackoff(Duration excess)
{
    using std::chrono::milliseconds;
    const auto within = [&](int low, int high) { return excess >= milliseconds(low) && excess <= milliseconds(high); };
    return within(375, 500) || within(1125, 1500) || within(2625, 3500);
}

} // namespace

std::vector<HiddenRetryHint> hiddenRetryHints(const std::vector<OpaqueCall>& calls)
{
    constexpr std::size_t fewest = 20;
    std::map<std::pair<std::uint32_t, int>, std::vector<const OpaqueCall*>> buckets;
    for (const OpaqueCall& call : calls)
        if (call.model != 0 && call.outputTokens >= 0 && isKnown(call.length))
            buckets[{call.model, std::bit_width(std::uint32_t(call.outputTokens))}].push_back(&call);
    std::vector<HiddenRetryHint> hints;
    for (const auto& [key, bucket] : buckets) {
        if (bucket.size() < fewest)
            continue;
        std::vector<Duration> lengths;
        for (const OpaqueCall* call : bucket)
            lengths.push_back(call->length);
        std::sort(lengths.begin(), lengths.end());
        const Duration usual = quantile(lengths, 0.95);
        for (const OpaqueCall* call : bucket)
            if (looksLikeBackoff(call->length - usual))
                hints.push_back({call->trace, call->span, call->length - usual});
    }
    std::sort(
        hints.begin(), hints.end(), [](const auto& a, const auto& b) { return std::pair(a.trace, a.span) < std::pair(b.trace, b.span); });
    return hints;
}

} // namespace chokepoint::attempts
