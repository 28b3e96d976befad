// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Amounts of money without rounding errors: whole numbers of 1e-18 of the currency unit.
#pragma once

#include "core/base/int128.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

/// An amount in 1e-18 of the currency unit, up to 1e20 units. Sums and products with whole numbers are exact. A decimal text with more
/// than 18 places is rounded half away from zero once, when it is read; a binary number stands for the shortest decimal text that
/// gives it back (0.1 is one tenth).
class Money {
public:
    constexpr Money() = default;

    /// "0.15", "2.1e-06", "-3"; \a shift moves the decimal point to the right (-6: a price per million becomes one per piece). Nothing
    /// for other texts and for amounts out of range.
    [[nodiscard]] static std::optional<Money> fromText(std::string_view decimal, int shift = 0);
    /// Nothing for numbers that are not finite or out of range.
    [[nodiscard]] static std::optional<Money> fromNumber(double number, int shift = 0);
    [[nodiscard]] static constexpr Money fromAtto(Int128 atto)
    {
        Money money;
        money.m_atto = atto;
        return money;
    }

    [[nodiscard]] constexpr Int128 atto() const { return m_atto; }
    /// Exact decimal text without trailing zeros: "0.3000021", "12", "0".
    [[nodiscard]] std::string text() const;
    /// The nearest double, for statistics and JSON numbers.
    [[nodiscard]] double number() const;
    [[nodiscard]] constexpr bool isZero() const { return m_atto == 0; }

    constexpr Money& operator+=(Money other)
    {
        m_atto += other.m_atto;
        return *this;
    }
    constexpr Money& operator-=(Money other)
    {
        m_atto -= other.m_atto;
        return *this;
    }
    friend constexpr Money operator+(Money a, Money b) { return a += b; }
    friend constexpr Money operator-(Money a, Money b) { return a -= b; }
    friend constexpr Money operator*(Money price, std::int64_t pieces) { return fromAtto(price.m_atto * pieces); }
    friend constexpr bool operator==(Money a, Money b) { return a.m_atto == b.m_atto; }
    friend constexpr bool operator<(Money a, Money b) { return a.m_atto < b.m_atto; }
    friend constexpr bool operator>(Money a, Money b) { return b < a; }
    friend constexpr bool operator<=(Money a, Money b) { return !(b < a); }
    friend constexpr bool operator>=(Money a, Money b) { return !(a < b); }

private:
    Int128 m_atto = 0;
};

} // namespace chokepoint
