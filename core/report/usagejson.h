// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens and money as all reports write them: unknown as null, amounts exact.
#pragma once

#include "core/analysis/spending.h"
#include "core/report/json.h"

#include <string>

namespace chokepoint {

[[nodiscard]] Json countJson(TokenCount count);
/// A JSON number: the double nearest to the exact amount.
[[nodiscard]] Json moneyJson(const std::optional<Money>& amount);

/// input, output, cache_read, cache_write, reasoning, total of the generate calls; embedding, rerank and evaluation beside them.
[[nodiscard]] Json tokensJson(const UsageTotals& totals);
/// One trace's cost, its total as exact decimal text.
[[nodiscard]] Json traceCostJson(const UsageTotals& totals, const std::string& currency);
/// A deployment's cost, whole and per answer.
[[nodiscard]] Json costJson(const Spending& spending);
/// "Tokens ..., cost ..." as lines for terminals; "" when no call tells any usage.
[[nodiscard]] std::string spendingText(const Spending& spending);

} // namespace chokepoint
