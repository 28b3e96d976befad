// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Price tables: the user's own, or those of LiteLLM, Langfuse and Phoenix. Chokepoint ships no prices as truth.
#pragma once

#include "core/analysis/money.h"
#include "core/analysis/tokens.h"
#include "core/base/result.h"
#include "core/base/time.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// What a price depends on beside the model.
struct PricedCall {
    std::string_view serviceTier; // "flex", "priority", "batch"; "" is the ordinary one
    Timestamp start = unknownTime;
    TokenBuckets tokens;
    Duration busy = unknownDuration; // computed by a server: prefill and decode
    bool remainder = false; // tokens beyond those of calls that are priced by themselves: no request of its own
};

/// An answer of a table.
struct Price {
    Money cost;
    bool assumed = false; // a kind of tokens took another one's price
    bool lowerBound = false; // a part of the call's tokens is unknown
    bool estimated = false; // from the hours of a server, not from a bill
};

struct PriceRows;

/// Prices by model, provider and time. Immutable; copies share their rows.
class PriceTable {
public:
    /// Rows that fit a model, best first. Worth keeping: finding them tries patterns.
    using Match = std::vector<std::uint32_t>;

    /// A table without prices: everything is unpriced.
    PriceTable();
    /// From JSON text of any of the four formats (resources/prices/README.md), told apart by content. Fails with InvalidArgument: what,
    /// where, what to do. \a file names it in messages.
    [[nodiscard]] static Result<PriceTable> parse(std::string_view json, const std::string& file);

    /// \a provider: folded name, or ""; models may be "". The response's model goes before the request's; exact names before names
    /// without provider, region and date, these before patterns, aliases last.
    [[nodiscard]] Match find(std::string_view provider, std::string_view responseModel, std::string_view requestModel) const;
    /// What a call costs by the first row of \a match that is valid at its start; nothing without such a row, or when a known number of
    /// tokens has no price.
    [[nodiscard]] std::optional<Price> price(const Match& match, const PricedCall& call) const;
    [[nodiscard]] bool empty() const;
    /// Some price depends on how long a server computed.
    [[nodiscard]] bool pricesTime() const;
    [[nodiscard]] const std::string& currency() const;
    /// Rows that could not be used, each with its reason (patterns that the expression engine does not know).
    [[nodiscard]] const std::vector<std::string>& skipped() const;

private:
    std::shared_ptr<const PriceRows> m_rows;
};

} // namespace chokepoint
