// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chokepoint's own price file, and what the readers of all price files share.
#include "core/analysis/pricerows.h"

#include "core/analysis/usagewords.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace chokepoint {

namespace {

using nlohmann::json;

struct KindName {
    std::string_view name;
    TokenKind kind;
};
constexpr std::array kindNames{KindName{"input", TokenKind::Input}, KindName{"output", TokenKind::Output},
    KindName{"cache_read", TokenKind::CacheRead}, KindName{"cache_write_5m", TokenKind::CacheWrite5m},
    KindName{"cache_write_1h", TokenKind::CacheWrite1h}, KindName{"reasoning", TokenKind::Reasoning},
    KindName{"audio_in", TokenKind::AudioInput}, KindName{"audio_out", TokenKind::AudioOutput},
    KindName{"image_in", TokenKind::ImageInput}};

constexpr int perMillion = -6;
constexpr Money largestPrice = Money::fromAtto(Int128(1'000'000'000'000) * 1'000'000'000'000'000'000); // 1e12: its multiples fit Money

tl::unexpected<Error> invalid(const std::string& what)
{
    return fail(ErrorCode::InvalidArgument, what);
}

Result<void> readPerMillion(const json& prices, KindPrices& out)
{
    if (!prices.is_object())
        return invalid("\"per_million\" must be an object with prices such as \"input\" and \"output\"");
    for (const auto& [name, value] : prices.items()) {
        const auto known = std::find_if(kindNames.begin(), kindNames.end(), [&](const KindName& entry) { return entry.name == name; });
        if (known == kindNames.end())
            return invalid(fmt::format(
                "\"{}\" is no kind of token; use input, output, cache_read, cache_write_5m, cache_write_1h, reasoning, audio_in, audio_out "
                "or image_in",
                name));
        std::optional<Money>& price = out[std::size_t(known->kind)];
        price = priceOf(value, perMillion);
        if (!price)
            return invalid(fmt::format("the price of \"{}\" must be a number of at least 0 and at most 1e12", name));
    }
    return {};
}

Result<void> readTier(const json& entry, PriceRow& row)
{
    const json condition = entry.is_object() ? entry.value("if", json()) : json();
    if (!condition.is_object() || condition.empty() || !entry.contains("per_million"))
        return invalid("each tier must be an object with \"if\" and \"per_million\"");
    std::optional<std::int64_t> inputAbove;
    std::string services;
    for (const auto& [name, value] : condition.items()) {
        if (name == "in_tok_gt" && value.is_number_integer())
            inputAbove = value.get<std::int64_t>();
        else if (name == "service_tier" && value.is_string() && !value.get_ref<const std::string&>().empty())
            services = value.get<std::string>();
        else
            return invalid("\"if\" takes \"in_tok_gt\" (a whole number) and \"service_tier\" (a name, or several with | between)");
    }
    KindPrices prices;
    if (Result<void> read = readPerMillion(entry["per_million"], prices); !read)
        return read;
    do {
        const std::size_t bar = std::min(services.find('|'), services.size());
        row.tiers.push_back({inputAbove, services.substr(0, bar), prices});
        services.erase(0, bar + 1);
    } while (!services.empty());
    return {};
}

Result<void> readGpuPrice(const json& entry, PriceRow& row)
{
    if (!entry.is_object() || !entry.contains("price"))
        return invalid("\"gpu_hour\" must be an object with a \"price\"");
    for (const auto& [name, value] : entry.items())
        if (name != "price" && name != "gpus" && name != "concurrency" && name != "comment")
            return invalid(fmt::format("\"{}\" is not known in \"gpu_hour\"; it has price, gpus, concurrency and comment", name));
    const std::optional<Money> price = priceOf(entry["price"]);
    const json gpus = entry.value("gpus", json(1));
    const json concurrency = entry.value("concurrency", json(1));
    if (!price)
        return invalid("the price of \"gpu_hour\" must be a number of at least 0 and at most 1e12");
    if (!gpus.is_number_integer() || gpus.get<std::int64_t>() < 1 || gpus.get<std::int64_t>() > 100'000)
        return invalid("\"gpus\" must be a whole number of at least 1");
    if (!concurrency.is_number() || concurrency.get<double>() < 1)
        return invalid("\"concurrency\" must be a number of at least 1: how many calls the GPUs compute at a time on average");
    if (*price * gpus.get<std::int64_t>() > largestPrice)
        return invalid("\"price\" times \"gpus\" must be at most 1e12");
    row.gpu = GpuPrice{*price * gpus.get<std::int64_t>(), concurrency.get<double>()};
    return {};
}

Result<void> readModel(const json& entry, PriceRows& rows)
{
    PriceRow row;
    for (const auto& [name, value] : entry.items()) {
        const bool isKnown = name == "match" || name == "model" || name == "provider" || name == "valid_from" || name == "per_million"
            || name == "tiers" || name == "per_request" || name == "gpu_hour" || name == "comment";
        if (!isKnown)
            return invalid(fmt::format("\"{}\" is not known here; a model has match or model, provider, valid_from, per_million, tiers, "
                                       "per_request, gpu_hour and comment",
                name));
    }
    const auto text = [&entry](const char* name) {
        return entry.contains(name) && entry[name].is_string() ? entry[name].get<std::string>() : "";
    };
    if (text("match").empty() == text("model").empty())
        return invalid("it must have either \"model\" (the exact name) or \"match\" (a regular expression)");
    row.name = lowerCaseModel(text("model"));
    const std::size_t skipped = rows.skipped.size();
    if (row.name.empty() && !setPattern(row, text("match"), rows)) {
        const std::string reason = rows.skipped[skipped];
        rows.skipped.resize(skipped);
        return invalid(reason);
    }
    row.provider = providerName(text("provider"), "");
    if (entry.contains("valid_from")) {
        row.validFrom = dateFromText(text("valid_from"));
        if (!isKnown(row.validFrom))
            return invalid("\"valid_from\" must be a date such as \"2026-05-13\"");
    }
    if (entry.contains("per_million")) {
        if (Result<void> read = readPerMillion(entry["per_million"], row.perToken); !read)
            return read;
    }
    for (const json& tier : entry.value("tiers", json::array())) {
        if (Result<void> read = readTier(tier, row); !read)
            return read;
    }
    if (entry.contains("per_request")) {
        const std::optional<Money> price = priceOf(entry["per_request"]);
        if (!price)
            return invalid("\"per_request\" must be a number of at least 0 and at most 1e12");
        row.perRequest = *price;
    }
    if (entry.contains("gpu_hour")) {
        if (Result<void> read = readGpuPrice(entry["gpu_hour"], row); !read)
            return read;
    }
    if (!row.hasPrice() && !entry.contains("per_request") && !row.gpu)
        return invalid("it has no price; add \"per_million\", \"per_request\" or \"gpu_hour\"");
    rows.pricesTime = rows.pricesTime || row.gpu.has_value();
    rows.rows.push_back(std::move(row));
    return {};
}

/// Reads up to \a digits digits at \a at and moves on.
bool readDigits(std::string_view text, std::size_t& at, std::size_t digits, unsigned& out)
{
    if (at + digits > text.size())
        return false;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + digits, out);
    at += digits;
    return error == std::errc() && end == text.data() + at;
}

} // namespace

Money GpuPrice::of(Duration busy) const
{
    constexpr long double hour = 3600e9L; // ns
    const long double share = (long double)toNs(busy) / hour / (long double)concurrency;
    return Money::fromAtto(Int128(std::round((long double)perHour.atto() * share)));
}

std::string lowerCaseModel(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return lower;
}

std::optional<Money> priceOf(const json& number, int shift)
{
    std::optional<Money> price;
    if (number.is_number_integer())
        price = Money::fromText(number.dump(), shift);
    else if (number.is_number())
        price = Money::fromNumber(number.get<double>(), shift);
    else if (number.is_string())
        price = Money::fromText(number.get_ref<const std::string&>(), shift);
    return price && *price >= Money() && *price <= largestPrice ? price : std::nullopt;
}

bool setPattern(PriceRow& row, const std::string& pattern, PriceRows& rows)
{
    re2::RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);
    auto compiled = std::make_shared<const re2::RE2>(pattern, options);
    if (!compiled->ok()) {
        rows.skipped.push_back(fmt::format("not a regular expression in RE2 syntax ({}): {}", compiled->error(), pattern));
        return false;
    }
    row.pattern = std::move(compiled);
    return true;
}

Timestamp dateFromText(std::string_view text)
{
    std::size_t at = 0;
    unsigned year = 0;
    unsigned month = 0;
    unsigned day = 0;
    const auto skip = [&](char c) { return at < text.size() && text[at++] == c; };
    if (!readDigits(text, at, 4, year) || !skip('-') || !readDigits(text, at, 2, month) || !skip('-') || !readDigits(text, at, 2, day))
        return unknownTime;
    const std::chrono::year_month_day date{std::chrono::year(int(year)), std::chrono::month(month), std::chrono::day(day)};
    if (!date.ok() || year < 1678 || year > 2261)
        return unknownTime;
    unsigned hours = 0;
    unsigned minutes = 0;
    unsigned seconds = 0;
    const bool hasTime = at < text.size() && (text[at] == 'T' || text[at] == ' ');
    at += hasTime ? 1 : 0;
    if (hasTime && (!readDigits(text, at, 2, hours) || !skip(':') || !readDigits(text, at, 2, minutes)))
        return unknownTime;
    if (hasTime && at < text.size() && text[at] == ':' && (!skip(':') || !readDigits(text, at, 2, seconds)))
        return unknownTime;
    const std::string_view rest = text.substr(at);
    const bool isUtc = rest.empty() || rest == "Z" || rest == "+00:00" || (rest.front() == '.' && rest.back() == 'Z');
    if (!isUtc)
        return unknownTime;
    const auto sinceEpoch = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hours) + std::chrono::minutes(minutes)
        + std::chrono::seconds(seconds);
    return timestampFromNs(std::chrono::nanoseconds(sinceEpoch).count());
}

Result<void> readOwnPrices(const json& root, PriceRows& rows)
{
    for (const auto& [name, value] : root.items()) {
        const bool isKnown = name == "version" || name == "currency" || name == "models" || name == "aliases" || name == "comment";
        if (!isKnown)
            return invalid(fmt::format("\"{}\" is not known here; the file has version, currency, models, aliases and comment", name));
    }
    if (root.value("version", json()) != json(1))
        return invalid("\"version\" must be 1; a file of a later version needs a later Chokepoint");
    const json currency = root.value("currency", json("USD"));
    if (!currency.is_string() || currency.get_ref<const std::string&>().empty())
        return invalid("\"currency\" must be a text such as \"USD\"");
    rows.currency = currency.get<std::string>();
    std::size_t number = 0;
    for (const json& entry : root["models"]) {
        ++number;
        const Result<void> read = entry.is_object() ? readModel(entry, rows) : invalid("it must be an object");
        if (!read)
            return invalid(fmt::format("model {}: {}", number, read.error().detail));
    }
    const json aliases = root.value("aliases", json::object());
    for (const auto& [name, target] : aliases.items()) {
        if (!target.is_string())
            return invalid(fmt::format("alias \"{}\" must name a model", name));
        rows.aliases[lowerCaseModel(name)] = lowerCaseModel(target.get_ref<const std::string&>());
    }
    return {};
}

Result<PriceTable> PriceTable::parse(std::string_view text, const std::string& file)
{
    const auto refuse = [&](std::string detail, Place place) -> Result<PriceTable> {
        place.file = file;
        return fail(ErrorCode::InvalidArgument, std::move(detail), place);
    };
    json root;
    try {
        root = json::parse(text);
    } catch (const json::parse_error& error) {
        const auto before = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
        const auto line = std::count(text.begin(), text.begin() + std::ptrdiff_t(before), '\n') + 1;
        return refuse("the price table is not valid JSON; correct what stands here or just before",
            {.file = {}, .line = std::uint64_t(line), .byte = {}});
    }
    const json models = root.is_object() ? root.value("models", json()) : json();
    const auto isPhoenix = [&] {
        return models.is_array() && !models.empty() && models[0].is_object() && models[0].contains("token_prices");
    };
    PriceReader reader = nullptr;
    if (root.is_array())
        reader = readLangfusePrices;
    else if (isPhoenix())
        reader = readPhoenixPrices;
    else if (models.is_array())
        reader = readOwnPrices;
    else if (root.is_object() && std::any_of(root.begin(), root.end(), [](const json& entry) {
                 return entry.is_object() && (entry.contains("litellm_provider") || entry.contains("input_cost_per_token"));
             }))
        reader = readLiteLlmPrices;
    if (reader == nullptr)
        return refuse(
            "this is no price table; give one as described in resources/prices/README.md, or that of LiteLLM, Langfuse or Phoenix", {});
    const auto rows = std::make_shared<PriceRows>();
    if (const Result<void> read = reader(root, *rows); !read)
        return refuse("the price table: " + read.error().detail, {});
    for (std::uint32_t i = 0; i < rows->rows.size(); ++i) {
        if (rows->rows[i].pattern == nullptr)
            rows->byName.emplace(rows->rows[i].name, i);
        else
            rows->patterns.push_back(i);
    }
    PriceTable table;
    table.m_rows = rows;
    return table;
}

} // namespace chokepoint
