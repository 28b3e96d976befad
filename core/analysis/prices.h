// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Price tables: the user's own, or those of LiteLLM, Langfuse and Phoenix. Chokepoint ships no prices as truth.
#pragma once

#include "core/analysis/money.h"
#include "core/analysis/tokens.h"
#include "core/base/result.h"
#include "core/base/time.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// What is asked of a table.
struct PricedCall {
    std::string_view provider; // folded name, or ""
    std::string_view responseModel;
    std::string_view requestModel;
    std::string_view serviceTier;
    Timestamp start = unknownTime;
    TokenBuckets tokens;
};

/// An answer of a table.
struct Price {
    Money cost;
    bool assumed = false; // a bucket took another one's price
    bool lowerBound = false; // a part of the call's tokens is unknown
};

/// Prices by model, provider and time. Immutable; copies share their rows.
class PriceTable {
public:
    /// A table without prices: everything is unpriced.
    PriceTable();
    /// From JSON text of any of the four formats (resources/prices/README.md), told apart by content. Fails with InvalidArgument: what,
    /// where, what to do. \a file names it in messages.
    [[nodiscard]] static Result<PriceTable> parse(std::string_view json, const std::string& file);

    /// What \a call costs; nothing when no row fits, or when a known number of tokens has no price.
    [[nodiscard]] std::optional<Price> price(const PricedCall& call) const;
    [[nodiscard]] bool empty() const;
    [[nodiscard]] const std::string& currency() const;
    /// Rows that could not be used, each with its reason (patterns that the expression engine does not know).
    [[nodiscard]] const std::vector<std::string>& skipped() const;

private:
    struct Rows;
    std::shared_ptr<const Rows> m_rows;
};

} // namespace chokepoint
