// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Price files of LiteLLM (model_prices_and_context_window.json), Langfuse (default-model-prices.json) and Phoenix
// (model_cost_manifest.json). All three state the price of one token.
#include "core/analysis/pricerows.h"

#include "core/analysis/usagewords.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace chokepoint {

namespace {

using nlohmann::json;

struct FieldKind {
    std::string_view field;
    TokenKind kind;
};

const FieldKind* kindOf(const auto& table, std::string_view field)
{
    const auto found = std::find_if(table.begin(), table.end(), [&](const FieldKind& entry) { return entry.field == field; });
    return found == table.end() ? nullptr : &*found;
}

PriceTier& tierOf(PriceRow& row, std::optional<std::int64_t> inputAbove, const std::string& serviceTier)
{
    for (PriceTier& tier : row.tiers) {
        if (tier.inputAbove == inputAbove && tier.serviceTier == serviceTier)
            return tier;
    }
    row.tiers.push_back({inputAbove, serviceTier, {}});
    return row.tiers.back();
}

constexpr std::array liteLlmKinds{FieldKind{"input_cost_per_token", TokenKind::Input},
    FieldKind{"output_cost_per_token", TokenKind::Output}, FieldKind{"output_cost_per_reasoning_token", TokenKind::Reasoning},
    FieldKind{"cache_read_input_token_cost", TokenKind::CacheRead}, FieldKind{"cache_creation_input_token_cost", TokenKind::CacheWrite5m},
    FieldKind{"cache_creation_input_token_cost_above_1hr", TokenKind::CacheWrite1h},
    FieldKind{"input_cost_per_audio_token", TokenKind::AudioInput}, FieldKind{"output_cost_per_audio_token", TokenKind::AudioOutput},
    FieldKind{"input_cost_per_image_token", TokenKind::ImageInput}};

/// "input_cost_per_token_above_200k_tokens" and "..._flex" are prices of a tier.
void readLiteLlmField(std::string_view field, const Money& price, PriceRow& row)
{
    std::optional<std::int64_t> inputAbove;
    std::string serviceTier;
    for (const auto& [suffix, tier] : {std::pair{"_batches", "batch"}, std::pair{"_flex", "flex"}, std::pair{"_priority", "priority"}}) {
        if (field.ends_with(suffix)) {
            serviceTier = tier;
            field.remove_suffix(std::string_view(suffix).size());
        }
    }
    constexpr std::string_view unit = "k_tokens";
    const std::size_t above = field.rfind("_above_");
    if (above != std::string_view::npos && field.ends_with(unit)) {
        const std::string_view digits = field.substr(above + 7, field.size() - above - 7 - unit.size());
        std::int64_t thousands = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), thousands).ec != std::errc())
            return;
        inputAbove = thousands * 1000;
        field = field.substr(0, above);
    }
    const FieldKind* const known = kindOf(liteLlmKinds, field);
    if (known == nullptr)
        return;
    KindPrices& prices = inputAbove || !serviceTier.empty() ? tierOf(row, inputAbove, serviceTier).perToken : row.perToken;
    prices[std::size_t(known->kind)] = price;
}

constexpr std::array langfuseKinds{FieldKind{"input", TokenKind::Input}, FieldKind{"output", TokenKind::Output},
    FieldKind{"input_cached_tokens", TokenKind::CacheRead}, FieldKind{"input_cache_read", TokenKind::CacheRead},
    FieldKind{"cache_read_input_tokens", TokenKind::CacheRead}, FieldKind{"input_cache_creation", TokenKind::CacheWrite5m},
    FieldKind{"cache_creation_input_tokens", TokenKind::CacheWrite5m}, FieldKind{"input_cache_creation_5m", TokenKind::CacheWrite5m},
    FieldKind{"input_cache_creation_1h", TokenKind::CacheWrite1h}, FieldKind{"output_reasoning_tokens", TokenKind::Reasoning},
    FieldKind{"output_reasoning", TokenKind::Reasoning}, FieldKind{"input_audio_tokens", TokenKind::AudioInput},
    FieldKind{"output_audio_tokens", TokenKind::AudioOutput}, FieldKind{"input_image_tokens", TokenKind::ImageInput}};

KindPrices langfusePrices(const json& prices)
{
    KindPrices perToken;
    for (const auto& [field, value] : prices.items()) {
        const FieldKind* const known = kindOf(langfuseKinds, field);
        if (const std::optional<Money> price = priceOf(value); known != nullptr && price)
            perToken[std::size_t(known->kind)] = price;
    }
    return perToken;
}

/// "input tokens greater than N", the only condition that these files use.
std::optional<std::int64_t> inputThreshold(const json& conditions)
{
    if (!conditions.is_array() || conditions.size() != 1 || !conditions[0].is_object())
        return std::nullopt;
    const json& condition = conditions[0];
    json value = condition.contains("values") && condition["values"].is_array() && !condition["values"].empty()
        ? condition["values"][0]
        : condition.value("value", json());
    const bool isInput = condition.dump().find("input") != std::string::npos;
    if (condition.value("operator", json()) != json("gt") || !isInput || !value.is_number_integer())
        return std::nullopt;
    return value.get<std::int64_t>();
}

void readLangfuseTier(const json& tier, const std::string& model, PriceRow& row, PriceRows& rows)
{
    if (!tier.is_object() || !tier.contains("prices") || !tier["prices"].is_object())
        return;
    const KindPrices prices = langfusePrices(tier["prices"]);
    if (tier.value("isDefault", json(false)) == json(true)) {
        row.perToken = prices;
    } else if (const std::optional<std::int64_t> above = inputThreshold(tier.value("conditions", json()))) {
        row.tiers.push_back({above, "", prices});
    } else {
        rows.skipped.push_back(fmt::format("a tier of {} whose conditions are not known", model));
    }
}

} // namespace

Result<void> readLiteLlmPrices(const json& root, PriceRows& rows)
{
    for (const auto& [name, entry] : root.items()) {
        if (name == "sample_spec" || !entry.is_object())
            continue;
        PriceRow row;
        row.name = lowerCaseModel(name);
        for (const auto& [field, value] : entry.items()) {
            const std::optional<Money> price = value.is_number() ? priceOf(value) : std::nullopt;
            if (!price)
                continue;
            if (field == "input_cost_per_query")
                row.perRequest = *price;
            else
                readLiteLlmField(field, *price, row);
        }
        if (row.hasPrice())
            rows.rows.push_back(std::move(row));
    }
    return {};
}

Result<void> readLangfusePrices(const json& root, PriceRows& rows)
{
    for (const json& entry : root) {
        if (!entry.is_object())
            continue;
        const auto text = [&](const char* name) {
            return entry.contains(name) && entry[name].is_string() ? entry[name].get<std::string>() : "";
        };
        PriceRow row;
        row.validFrom = dateFromText(text("startDate"));
        for (const json& tier : entry.value("pricingTiers", json::array()))
            readLangfuseTier(tier, text("modelName"), row, rows);
        if (entry.contains("prices") && entry["prices"].is_object())
            row.perToken = langfusePrices(entry["prices"]);
        if (!row.hasPrice())
            continue;
        PriceRow byPattern = row;
        if (!text("matchPattern").empty() && setPattern(byPattern, text("matchPattern"), rows))
            rows.rows.push_back(std::move(byPattern));
        row.name = lowerCaseModel(text("modelName"));
        if (!row.name.empty())
            rows.rows.push_back(std::move(row));
    }
    return rows.rows.empty() ? Result<void>(fail(ErrorCode::InvalidArgument, "no entry has prices that can be used")) : Result<void>();
}

Result<void> readPhoenixPrices(const json& root, PriceRows& rows)
{
    constexpr std::array kinds{FieldKind{"input", TokenKind::Input}, FieldKind{"output", TokenKind::Output},
        FieldKind{"cache_read", TokenKind::CacheRead}, FieldKind{"cache_write", TokenKind::CacheWrite5m}};
    for (const json& entry : root["models"]) {
        if (!entry.is_object())
            continue;
        const auto text = [&](const char* name) {
            return entry.contains(name) && entry[name].is_string() ? entry[name].get<std::string>() : "";
        };
        PriceRow row;
        row.provider = providerName(text("provider"), "");
        row.validFrom = dateFromText(text("start_time"));
        for (const json& token : entry.value("token_prices", json::array())) {
            const json type = token.is_object() ? token.value("token_type", json()) : json();
            const std::optional<Money> price = token.is_object() ? priceOf(token.value("base_rate", json())) : std::nullopt;
            if (!price || !type.is_string())
                continue;
            const auto& name = type.get_ref<const std::string&>();
            const bool isPrompt = token.value("is_prompt", json(true)) == json(true);
            if (const FieldKind* known = kindOf(kinds, name))
                row.perToken[std::size_t(known->kind)] = price;
            else if (name == "audio")
                row.perToken[std::size_t(isPrompt ? TokenKind::AudioInput : TokenKind::AudioOutput)] = price;
            else if (name == "reasoning")
                row.perToken[std::size_t(TokenKind::Reasoning)] = price;
        }
        if (!row.hasPrice())
            continue;
        const bool hasPattern = !text("name_pattern").empty() && setPattern(row, text("name_pattern"), rows);
        if (!hasPattern)
            row.name = lowerCaseModel(text("name"));
        if (hasPattern || !row.name.empty())
            rows.rows.push_back(std::move(row));
    }
    return {};
}

} // namespace chokepoint
