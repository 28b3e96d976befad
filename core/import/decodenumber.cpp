// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/decodenumber.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace chokepoint {

namespace {

/// The parts of sign digits [. digits] [e sign digits].
struct Decimal {
    bool isNegative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;

    [[nodiscard]] std::int64_t digitCount() const { return std::int64_t(whole.size() + fraction.size()); }
    [[nodiscard]] unsigned digit(std::int64_t i) const
    {
        const auto at = std::size_t(i);
        return unsigned(at < whole.size() ? whole[at] - '0' : fraction[at - whole.size()] - '0');
    }
};

std::string_view takeDigits(std::string_view& text)
{
    const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
    const std::string_view digits = text.substr(0, std::size_t(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
}

std::optional<Decimal> splitDecimal(std::string_view text)
{
    Decimal decimal;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        decimal.isNegative = text.front() == '-';
        text.remove_prefix(1);
    }
    decimal.whole = takeDigits(text);
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        decimal.fraction = takeDigits(text);
    }
    if (decimal.digitCount() == 0)
        return std::nullopt;
    if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
        text.remove_prefix(1);
        const bool hasPlus = !text.empty() && text.front() == '+';
        const auto [end, error] = std::from_chars(text.data() + (hasPlus ? 1 : 0), text.data() + text.size(), decimal.exponent);
        if (error == std::errc::result_out_of_range)
            decimal.exponent = text.front() == '-' ? -100000 : 100000;
        else if (error != std::errc())
            return std::nullopt;
        text.remove_prefix(std::size_t(end - text.data()));
    }
    decimal.exponent = std::clamp<std::int64_t>(decimal.exponent, -100000, 100000);
    return text.empty() ? std::optional(decimal) : std::nullopt;
}

} // namespace

std::optional<ScaledInteger> scaledInteger(std::string_view text, int power)
{
    // Nearly all numbers are digits alone.
    if (const auto plain = power == 0 ? integerFromText(text) : std::nullopt)
        return ScaledInteger{.value = *plain};
    const std::optional<Decimal> decimal = splitDecimal(text);
    if (!decimal)
        return std::nullopt;
    // Digits before `kept` make up the integer, the next one decides the rounding; beyond the last digit come zeros.
    const std::int64_t kept = std::int64_t(decimal->whole.size()) + decimal->exponent + power;
    const std::uint64_t limit = std::uint64_t(std::numeric_limits<std::int64_t>::max()) + (decimal->isNegative ? 1 : 0);
    ScaledInteger result;
    std::uint64_t magnitude = 0;
    bool overflows = false;
    for (std::int64_t i = 0; i < kept && !overflows; ++i) {
        if (magnitude == 0 && i >= decimal->digitCount())
            break;
        overflows = __builtin_mul_overflow(magnitude, 10U, &magnitude)
            || __builtin_add_overflow(magnitude, i < decimal->digitCount() ? decimal->digit(i) : 0U, &magnitude);
    }
    for (std::int64_t i = std::max<std::int64_t>(kept, 0); i < decimal->digitCount(); ++i)
        result.isExact &= decimal->digit(i) == 0;
    if (!overflows && kept >= 0 && kept < decimal->digitCount() && decimal->digit(kept) >= 5)
        overflows = __builtin_add_overflow(magnitude, 1U, &magnitude);
    result.isOutOfRange = overflows || magnitude > limit;
    if (result.isOutOfRange)
        magnitude = limit;
    result.value = std::int64_t(decimal->isNegative ? 0 - magnitude : magnitude);
    return result;
}

std::optional<std::int64_t> integerFromText(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> realFromText(std::string_view text)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::array<std::pair<std::string_view, double>, 7> names = {
        {{"NaN", std::numeric_limits<double>::quiet_NaN()}, {"nan", std::numeric_limits<double>::quiet_NaN()}, {"Infinity", infinity},
            {"-Infinity", -infinity}, {"Inf", infinity}, {"+Inf", infinity}, {"-Inf", -infinity}}};
    for (const auto& [name, value] : names)
        if (text == name)
            return value;
    // from_chars would also take "inf" spellings that are no JSON and refuses a leading plus.
    if (!splitDecimal(text))
        return std::nullopt;
    const std::string_view digits = text.front() == '+' ? text.substr(1) : text;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

} // namespace chokepoint
