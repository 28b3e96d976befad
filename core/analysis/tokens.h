// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of tokens: known or unknown (unknown is not zero), and the disjoint kinds that are priced apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace chokepoint {

/// A number of tokens, or unknown. 8 bytes.
class TokenCount {
public:
    constexpr TokenCount() = default;
    /// \a value >= 0.
    constexpr TokenCount(std::int64_t value) : m_value(value) { }

    [[nodiscard]] constexpr bool isKnown() const { return m_value >= 0; }
    [[nodiscard]] constexpr std::int64_t orZero() const { return m_value < 0 ? 0 : m_value; }

    /// Adds what is known; unknown plus unknown stays unknown.
    constexpr TokenCount& operator+=(TokenCount other)
    {
        if (other.isKnown())
            m_value = orZero() + other.m_value;
        return *this;
    }
    friend constexpr TokenCount operator+(TokenCount a, TokenCount b) { return a += b; }
    friend constexpr bool operator==(TokenCount, TokenCount) = default;

private:
    std::int64_t m_value = -1;
};

/// Disjoint kinds: those up to ImageInput add up to the billed input, the others to the billed output.
enum class TokenKind : std::uint8_t {
    Input,
    CacheRead,
    CacheWrite5m,
    CacheWrite1h,
    AudioInput,
    ImageInput,
    Output,
    Reasoning,
    AudioOutput,
    Count_
};
inline constexpr std::size_t tokenKindCount = std::size_t(TokenKind::Count_);

/// Tokens by kind. Input and Output are what is left beside the other kinds of their side.
struct TokenBuckets {
    std::array<TokenCount, tokenKindCount> count;
    TokenCount undivided; // of calls that tell a total alone; in no kind

    [[nodiscard]] constexpr TokenCount& operator[](TokenKind kind) { return count[std::size_t(kind)]; }
    [[nodiscard]] constexpr TokenCount operator[](TokenKind kind) const { return count[std::size_t(kind)]; }
    /// Billed input, cached tokens included; unknown when no kind of it is known.
    [[nodiscard]] constexpr TokenCount input() const { return sum(TokenKind::Input, TokenKind::Output); }
    /// Billed output, reasoning included.
    [[nodiscard]] constexpr TokenCount output() const { return sum(TokenKind::Output, TokenKind::Count_); }
    [[nodiscard]] constexpr TokenCount total() const { return input() + output() + undivided; }
    [[nodiscard]] constexpr TokenCount cacheWrite() const { return (*this)[TokenKind::CacheWrite5m] + (*this)[TokenKind::CacheWrite1h]; }

    constexpr TokenBuckets& operator+=(const TokenBuckets& other)
    {
        for (std::size_t k = 0; k < tokenKindCount; ++k)
            count[k] += other.count[k];
        undivided += other.undivided;
        return *this;
    }
    friend constexpr bool operator==(const TokenBuckets&, const TokenBuckets&) = default;

private:
    [[nodiscard]] constexpr TokenCount sum(TokenKind from, TokenKind to) const
    {
        TokenCount total;
        for (std::size_t k = std::size_t(from); k < std::size_t(to); ++k)
            total += count[k];
        return total;
    }
};

} // namespace chokepoint
