// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Decimal texts to exact amounts and back.
#include "core/analysis/money.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace chokepoint {

namespace {

constexpr int places = 18;
constexpr Int128 one = Int128(1'000'000'000) * 1'000'000'000; // atto in one unit
constexpr Int128 largest = one * 1'000'000'000 * 1'000'000'000; // 1e36 of the 1.7e38 that fit: room for sums
constexpr int longestExponent = 400; // beyond the range of any double

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Digits of a decimal text without its point, and how many of them stand before it.
struct Digits {
    std::string text;
    int beforePoint = 0;
    bool negative = false;
};

std::optional<Digits> digitsOf(std::string_view decimal)
{
    Digits digits;
    std::size_t at = 0;
    if (at < decimal.size() && (decimal[at] == '-' || decimal[at] == '+'))
        digits.negative = decimal[at++] == '-';
    bool hasPoint = false;
    for (; at < decimal.size() && (isDigit(decimal[at]) || (decimal[at] == '.' && !hasPoint)); ++at) {
        hasPoint |= decimal[at] == '.';
        if (decimal[at] == '.')
            continue;
        digits.text += decimal[at];
        digits.beforePoint += hasPoint ? 0 : 1;
    }
    if (digits.text.empty())
        return std::nullopt;
    if (at < decimal.size() && (decimal[at] == 'e' || decimal[at] == 'E')) {
        int exponent = 0;
        const char* begin = decimal.data() + at + 1;
        const char* const end = decimal.data() + decimal.size();
        begin += begin < end && *begin == '+' ? 1 : 0;
        const auto [stop, error] = std::from_chars(begin, end, exponent);
        if (error != std::errc() || stop != end || std::abs(exponent) > longestExponent)
            return std::nullopt;
        digits.beforePoint += exponent;
        at = decimal.size();
    }
    return at == decimal.size() ? std::optional(digits) : std::nullopt;
}

} // namespace

std::optional<Money> Money::fromText(std::string_view decimal, int shift)
{
    const std::optional<Digits> digits = digitsOf(decimal);
    if (!digits)
        return std::nullopt;
    const int wanted = digits->beforePoint + shift + places; // digits down to the last place that is kept
    Int128 atto = 0;
    for (int i = 0; i < wanted; ++i) {
        const bool given = std::size_t(i) < digits->text.size();
        if (!given && atto == 0)
            break;
        atto = atto * 10 + (given ? digits->text[std::size_t(i)] - '0' : 0);
        if (atto > largest)
            return std::nullopt;
    }
    if (wanted >= 0 && std::size_t(wanted) < digits->text.size() && digits->text[std::size_t(wanted)] >= '5')
        ++atto;
    return fromAtto(digits->negative ? -atto : atto);
}

std::optional<Money> Money::fromNumber(double number, int shift)
{
    if (!std::isfinite(number))
        return std::nullopt;
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? fromText({text.data(), std::size_t(end - text.data())}, shift) : std::nullopt;
}

std::string Money::text() const
{
    UInt128 rest = m_atto < 0 ? UInt128(-m_atto) : UInt128(m_atto);
    std::string reversed;
    for (int place = 0; place < places || rest > 0 || place == places; ++place) {
        if (place == places)
            reversed += '.';
        reversed += char('0' + int(rest % 10));
        rest /= 10;
    }
    const std::size_t zeros = reversed.find_first_not_of('0');
    reversed.erase(0, reversed[zeros] == '.' ? zeros + 1 : zeros);
    if (m_atto < 0)
        reversed += '-';
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

double Money::number() const
{
    const std::string decimal = text();
    double number = 0;
    std::from_chars(decimal.data(), decimal.data() + decimal.size(), number);
    return number;
}

} // namespace chokepoint
