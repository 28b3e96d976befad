// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the spans with token counts or costs are calls of their own: every call counted once, whoever recorded it.
#pragma once

#include "core/analysis/prices.h"
#include "core/analysis/usage.h"
#include "core/base/diagnostics.h"

#include <span>
#include <vector>

namespace chokepoint {

/// What a billed call was for. Evaluation is apart: its cost is not that of an answer.
enum class CallPurpose : std::uint8_t { Generate, Embed, Rerank, Evaluate, Count_ };
inline constexpr std::size_t callPurposeCount = std::size_t(CallPurpose::Count_);

/// One call of the billing set.
struct BilledCall {
    std::uint64_t span = 0; // index in the population: the record that was kept
    TokenBuckets tokens; // merged from all records of the call
    std::optional<Money> cost; // unknown without a report and a price
    CallPurpose purpose = CallPurpose::Generate;
    bool costReported = false; // else computed from the price table
    bool costIsLowerBound = false; // a part of the tokens is unknown or has no price
    bool assumed = false; // a bucket's price or reading is a guess, or a refused call counts as 0 tokens
    bool estimated = false; // computed from the hours of a server
    bool remainder = false; // what a call says beyond the calls below it

    [[nodiscard]] bool isUnpriced() const { return !cost.has_value(); }
};

/// A call to a model that tells no usage, nor does any other record of it.
struct SilentCall {
    std::uint64_t span = 0; // index in the population
    CallPurpose purpose = CallPurpose::Generate;
    bool failed = false;
    bool refused = false; // it failed before a model could work: taken as no tokens and no cost
};

/// Sums over billed calls. Unknown stays unknown: a count is known when one call tells it.
struct UsageTotals {
    TokenBuckets generate; // calls that generate; those of the other purposes are in no sum but cost
    TokenCount embedding;
    TokenCount rerank;
    TokenCount evaluation;
    std::optional<Money> cost; // of answers: all but evaluation; unknown when no call has one
    std::optional<Money> evaluationCost;
    std::uint64_t pricedSpans = 0;
    std::uint64_t unpricedSpans = 0;
    TokenCount unpricedTokens;
    std::uint64_t estimatedSpans = 0; // of the priced ones: their cost comes from the hours of a server
    std::uint64_t withUsage = 0; // generate calls of the billing set
    std::uint64_t withoutUsage = 0; // generate calls that tell no usage
    std::uint64_t failedWithoutUsage = 0; // of these, failed ones that may have been computed: their cost is unknown
    std::uint64_t withoutCost = 0; // calls of any purpose that are unpriced, or silent and not refused
    bool costIsLowerBound = false;

    UsageTotals& operator+=(const UsageTotals& other);
};

/// The billing set of a population. Immutable; shared between threads.
struct Billing {
    std::vector<BilledCall> calls; // by span
    std::vector<SilentCall> silent; // by span
    std::string currency = "USD";
    Diagnostics diagnostics;

    /// The calls of spans [first, first + count): a trace, or a subtree.
    [[nodiscard]] std::span<const BilledCall> callsOf(std::uint64_t first, std::uint64_t count) const;
    [[nodiscard]] UsageTotals totals(std::uint64_t first, std::uint64_t count) const;
};

/// Builds the set from the leaves up, trace by trace, then joins calls that several traces recorded. \a columns, \a stages and \a usage
/// are of one population. Linear in the spans of \a usage.
[[nodiscard]] Billing billingSet(const TraceColumns& columns, const StageMap& stages, const UsageTable& usage, const PriceTable& prices);

} // namespace chokepoint
