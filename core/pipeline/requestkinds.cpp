// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/requestkinds.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

struct InputSize {
    std::int64_t below; // tokens
    const char* name;
};
constexpr std::array inputSizes = {InputSize{256, "below 256"}, InputSize{1'000, "256 to 1k"}, InputSize{4'000, "1k to 4k"},
    InputSize{16'000, "4k to 16k"}, InputSize{64'000, "16k to 64k"}};

const char* sizeName(std::int64_t tokens)
{
    const auto size = std::find_if(inputSizes.begin(), inputSizes.end(), [tokens](const InputSize& each) { return tokens < each.below; });
    return size == inputSizes.end() ? "64k and more" : size->name;
}

/// The input of the generate call that began first; unknown when none tells it.
TokenCount firstInput(const Dataset& dataset, std::size_t trace)
{
    const std::uint64_t first = dataset.columns.firstSpan[trace];
    TokenCount input;
    Timestamp begin = unknownTime;
    for (const BilledCall& call : dataset.billing.callsOf(first, dataset.columns.firstSpan[trace + 1] - first)) {
        const Timestamp start = dataset.columns.spans.start[call.span];
        const TokenCount tokens = call.tokens.input();
        if (call.purpose != CallPurpose::Generate || !tokens.isKnown() || (isKnown(begin) && start >= begin))
            continue;
        input = tokens;
        begin = start;
    }
    return input;
}

} // namespace

std::vector<std::string> requestKinds(const Dataset& dataset)
{
    std::vector<std::string> kinds(dataset.columns.traceCount());
    for (const std::uint32_t trace : dataset.population.included) {
        const std::uint64_t root = dataset.columns.firstSpan[trace] + std::uint64_t(dataset.population.traces[trace].root);
        kinds[trace] = dataset.columns.dictionary->text(dataset.columns.spans.name[root]);
        if (const TokenCount input = firstInput(dataset, trace); input.isKnown())
            kinds[trace].append(", input of ").append(sizeName(input.orZero())).append(" tokens");
    }
    return kinds;
}

} // namespace chokepoint
