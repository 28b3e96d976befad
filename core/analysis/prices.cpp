// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Finding the row for a model, and the sum for a call.
#include "core/analysis/prices.h"

#include "core/analysis/pricerows.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace chokepoint {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool areDigits(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

/// "gpt-4o-2024-08-06" -> "gpt-4o"; also -YYYYMMDD, @date and :N.
std::string_view withoutDate(std::string_view name)
{
    if (const std::size_t at = name.rfind(':'); at != std::string_view::npos && areDigits(name.substr(at + 1)))
        name = name.substr(0, at);
    if (const std::size_t at = name.rfind('@'); at != std::string_view::npos && at + 1 < name.size() && isDigit(name[at + 1]))
        return name.substr(0, at);
    constexpr std::size_t compact = 9; // "-20240806"
    constexpr std::size_t dashed = 11; // "-2024-08-06"
    if (name.size() > compact && name[name.size() - compact] == '-' && areDigits(name.substr(name.size() - compact + 1)))
        return name.substr(0, name.size() - compact);
    if (name.size() > dashed && name[name.size() - dashed] == '-') {
        const std::string_view date = name.substr(name.size() - dashed + 1);
        if (areDigits(date.substr(0, 4)) && date[4] == '-' && areDigits(date.substr(5, 2)) && date[7] == '-' && areDigits(date.substr(8)))
            return name.substr(0, name.size() - dashed);
    }
    return name;
}

std::string_view withoutRegion(std::string_view name)
{
    for (const std::string_view region : {"us.", "eu.", "apac.", "jp.", "global."}) {
        if (name.starts_with(region))
            return name.substr(region.size());
    }
    return name;
}

/// The name itself, then without provider, region and date, one after the other; each once.
std::vector<std::string> spellings(std::string_view model)
{
    std::vector<std::string> names;
    const auto add = [&](std::string_view name) {
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.emplace_back(name);
    };
    const std::string lower = lowerCaseModel(model);
    std::string_view name = lower;
    add(name);
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
        add(name = name.substr(slash + 1));
    add(name = withoutRegion(name));
    add(withoutDate(name));
    return names;
}

/// Collects the rows of one call's models, level after level.
class RowSearch {
public:
    RowSearch(const PriceRows& rows, std::string_view provider) : m_rows(rows), m_provider(provider) { }

    void addByName(const std::string& name)
    {
        Level level;
        const auto [begin, end] = m_rows.byName.equal_range(name);
        for (auto entry = begin; entry != end; ++entry)
            consider(entry->second, level);
        close(level);
    }

    void addByPattern(const std::vector<std::string>& names)
    {
        Level level;
        for (const std::uint32_t index : m_rows.patterns) {
            const re2::RE2& pattern = *m_rows.rows[index].pattern;
            if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return re2::RE2::PartialMatch(name, pattern); }))
                consider(index, level);
        }
        close(level);
    }

    [[nodiscard]] PriceTable::Match take() { return std::move(m_match); }

private:
    using Level = std::vector<std::uint32_t>;

    void consider(std::uint32_t index, Level& level) const
    {
        const PriceRow& row = m_rows.rows[index];
        if (row.provider.empty() || m_provider.empty() || row.provider == m_provider)
            level.push_back(index);
    }

    /// Rows of the call's own provider first, then those without one; then the longer pattern, then the later date, then file order.
    void close(Level& level)
    {
        const auto rank = [this](std::uint32_t index) {
            const PriceRow& row = m_rows.rows[index];
            const int provider = row.provider.empty() ? 1 : m_provider.empty() ? 2 : 0;
            const std::size_t length = row.pattern == nullptr ? 0 : row.pattern->pattern().size();
            return std::tuple(provider, -std::ptrdiff_t(length), -toNs(std::max(row.validFrom, timestampFromNs(0))), index);
        };
        std::sort(level.begin(), level.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
        for (const std::uint32_t index : level) {
            if (std::find(m_match.begin(), m_match.end(), index) == m_match.end())
                m_match.push_back(index);
        }
    }

    const PriceRows& m_rows;
    std::string_view m_provider;
    PriceTable::Match m_match;
};

/// Prices of \a row for a call, those of the tiers that it falls into included.
KindPrices pricesFor(const PriceRow& row, const PricedCall& call)
{
    KindPrices prices = row.perToken;
    const std::int64_t input = call.tokens.input().orZero();
    std::vector<const PriceTier*> fitting;
    for (const PriceTier& tier : row.tiers) {
        const bool isAbove = !tier.inputAbove || input > *tier.inputAbove;
        if (isAbove && (tier.serviceTier.empty() || tier.serviceTier == call.serviceTier))
            fitting.push_back(&tier);
    }
    // A named service tier is more than a size, a larger size more than a smaller one.
    std::stable_sort(fitting.begin(), fitting.end(), [](const PriceTier* a, const PriceTier* b) {
        return std::pair(!a->serviceTier.empty(), a->inputAbove.value_or(-1))
            < std::pair(!b->serviceTier.empty(), b->inputAbove.value_or(-1));
    });
    for (const PriceTier* tier : fitting) {
        for (std::size_t k = 0; k < tokenKindCount; ++k) {
            if (tier->perToken[k])
                prices[k] = tier->perToken[k];
        }
    }
    return prices;
}

/// What stands in for a kind without a price of its own.
TokenKind standIn(TokenKind kind)
{
    return kind < TokenKind::Output ? TokenKind::Input : TokenKind::Output;
}

} // namespace

bool PriceRow::hasPrice() const
{
    return !perRequest.isZero() || std::any_of(perToken.begin(), perToken.end(), [](const auto& price) { return price.has_value(); });
}

PriceTable::PriceTable() : m_rows(std::make_shared<PriceRows>()) { }

bool PriceTable::empty() const
{
    return m_rows->rows.empty();
}

const std::string& PriceTable::currency() const
{
    return m_rows->currency;
}

const std::vector<std::string>& PriceTable::skipped() const
{
    return m_rows->skipped;
}

bool PriceTable::pricesTime() const
{
    return m_rows->pricesTime;
}

PriceTable::Match PriceTable::find(std::string_view provider, std::string_view responseModel, std::string_view requestModel) const
{
    if (empty())
        return {};
    const std::vector<std::string> response = spellings(responseModel);
    const std::vector<std::string> request = spellings(requestModel);
    std::vector<std::string> all = response;
    all.insert(all.end(), request.begin(), request.end());
    RowSearch search(*m_rows, provider);
    for (const std::vector<std::string>* names : {&response, &request}) {
        if (!names->empty())
            search.addByName(names->front());
    }
    for (const std::string& name : all)
        search.addByName(name);
    search.addByPattern(all);
    for (const std::string& name : all) {
        if (const auto alias = m_rows->aliases.find(name); alias != m_rows->aliases.end()) {
            search.addByName(alias->second);
            search.addByPattern({alias->second});
        }
    }
    return search.take();
}

std::optional<Price> PriceTable::price(const Match& match, const PricedCall& call) const
{
    const auto isValid = [&](std::uint32_t index) {
        const Timestamp from = m_rows->rows[index].validFrom;
        return !isKnown(from) || !isKnown(call.start) || from <= call.start;
    };
    const auto found = std::find_if(match.begin(), match.end(), isValid);
    if (found == match.end())
        return std::nullopt;
    const PriceRow& row = m_rows->rows[*found];
    const KindPrices prices = pricesFor(row, call);
    Price price;
    price.cost = call.remainder ? Money() : row.perRequest;
    const bool isByRequest =
        row.tiers.empty() && std::none_of(row.perToken.begin(), row.perToken.end(), [](const auto& kind) { return kind.has_value(); });
    if (row.gpu) {
        if (!isKnown(call.busy))
            return std::nullopt;
        price.cost += row.gpu->of(std::max(call.busy, Duration{0}));
        price.estimated = true;
    }
    if (isByRequest)
        return price;
    bool isAnyKnown = !row.perRequest.isZero() || row.gpu.has_value();
    for (std::size_t k = 0; k < tokenKindCount; ++k) {
        const std::int64_t count = call.tokens.count[k].orZero();
        isAnyKnown |= call.tokens.count[k].isKnown();
        if (count == 0)
            continue;
        const std::optional<Money>& own = prices[k];
        const std::optional<Money>& used = own ? own : prices[std::size_t(standIn(TokenKind(k)))];
        if (!used)
            return std::nullopt;
        price.assumed |= !own;
        price.cost += *used * count;
    }
    if (!isAnyKnown)
        return std::nullopt;
    const bool isSold = prices[std::size_t(TokenKind::Output)].has_value();
    price.lowerBound = !call.tokens.input().isKnown() || (isSold && !call.tokens.output().isKnown()) || call.tokens.undivided.orZero() > 0;
    return price;
}

} // namespace chokepoint
