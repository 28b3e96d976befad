// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces as indented text (tst_stages_text.h), read for stages and usage in one pass.
#pragma once

#include "core/analysis/billing.h"
#include "tests/core/analysis/tst_stages_text.h"

namespace chokepoint {

struct UsageCase {
    TraceColumns columns;
    StageMap stages;
    UsageTable usage;

    /// Of the only span, or of span \a i.
    [[nodiscard]] const CallFacts& call(std::size_t i = 0) const;
    [[nodiscard]] Billing bill(const PriceTable& prices = {}) const { return billingSet(columns, stages, usage, prices); }
    [[nodiscard]] UsageTotals totals(std::size_t trace = 0, const PriceTable& prices = {}) const;
};

[[nodiscard]] UsageCase usageCase(const std::vector<std::string>& traces, std::string_view userRules = {});
[[nodiscard]] UsageCase usageCase(const StageCase& given, std::string_view userRules = {});

/// "in 10 out 2 read 3 write 4 reason 5 total 12", unknown ones as "-"; billed counts, kinds of them behind.
[[nodiscard]] std::string countsText(const TokenBuckets& tokens);

/// Prices of the worked example, USD a million: gpt-x 2.5 in, 10 out; embed-x 0.02.
[[nodiscard]] PriceTable examplePrices();

} // namespace chokepoint
