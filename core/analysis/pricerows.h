// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a price table, whatever file they came from, and the readers of the four files.
#pragma once

#include "core/analysis/prices.h"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace re2 {
class RE2;
}

namespace chokepoint {

/// Price of one token by kind; kinds without one are empty.
using KindPrices = std::array<std::optional<Money>, tokenKindCount>;

/// Prices that take the place of the row's own when all conditions hold.
struct PriceTier {
    std::optional<std::int64_t> inputAbove; // whole billed input, cached tokens included
    std::string serviceTier;
    KindPrices perToken;
};

/// What a server of one's own costs, whatever it computes.
struct GpuPrice {
    Money perHour; // of all GPUs that serve the model together
    double concurrency = 1; // calls that share them on average

    /// The share of one call that is computed for \a busy >= 0.
    [[nodiscard]] Money of(Duration busy) const;
};

struct PriceRow {
    std::string name; // exact model name, lower case; or empty
    std::shared_ptr<const re2::RE2> pattern; // without a name
    std::string provider; // folded; empty: any
    Timestamp validFrom = unknownTime; // unknown: always
    KindPrices perToken;
    Money perRequest;
    std::optional<GpuPrice> gpu;
    std::vector<PriceTier> tiers;

    [[nodiscard]] bool hasPrice() const;
};

struct PriceRows {
    std::string currency = "USD";
    std::vector<PriceRow> rows;
    std::map<std::string, std::string> aliases; // lower-case model name -> name in the table
    std::vector<std::string> skipped;
    std::unordered_multimap<std::string, std::uint32_t> byName;
    std::vector<std::uint32_t> patterns;
    bool pricesTime = false; // some row has a GpuPrice
};

/// Rows in the making; indexes are filled in by PriceTable::parse().
using PriceReader = Result<void> (*)(const nlohmann::json& root, PriceRows& rows);
[[nodiscard]] Result<void> readOwnPrices(const nlohmann::json& root, PriceRows& rows);
[[nodiscard]] Result<void> readLiteLlmPrices(const nlohmann::json& root, PriceRows& rows);
[[nodiscard]] Result<void> readLangfusePrices(const nlohmann::json& root, PriceRows& rows);
[[nodiscard]] Result<void> readPhoenixPrices(const nlohmann::json& root, PriceRows& rows);

/// A number from 0 to 1e12 as exact amount, the decimal point moved by \a shift.
[[nodiscard]] std::optional<Money> priceOf(const nlohmann::json& number, int shift = 0);
/// Sets name or pattern; false (and a line in \a rows.skipped) when \a pattern is none that RE2 knows.
[[nodiscard]] bool setPattern(PriceRow& row, const std::string& pattern, PriceRows& rows);
/// "2024-05-13", "2024-05-13T00:00:00Z": UTC. unknownTime for other texts.
[[nodiscard]] Timestamp dateFromText(std::string_view text);
[[nodiscard]] std::string lowerCaseModel(std::string_view text);

} // namespace chokepoint
