// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/bracketscanner.h"

#include <algorithm>
#include <bit>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace chokepoint {

namespace {

constexpr unsigned blockSize = 64;

std::uint64_t lowest(unsigned count)
{
    return count >= blockSize ? ~std::uint64_t(0) : (std::uint64_t(1) << count) - 1;
}

/// Each bit becomes the parity of itself and those below: set from an opening quote on, up to its closing one.
std::uint64_t parities(std::uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    return bits ^ bits << 32;
}

/// std::popcount() without the call that it is where processors may lack the instruction.
std::size_t countOf(std::uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return std::size_t(bits * 0x0101010101010101ULL >> 56);
}

/// Line feeds among the bytes.
std::uint64_t newlineMask(const char* block, unsigned size)
{
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < size; ++i)
        mask |= std::uint64_t(block[i] == '\n') << i;
    return mask;
}

#ifdef __SSE2__

inline ByteMasks masksOf(const char* block)
{
    ByteMasks masks;
    const __m128i braceBit = _mm_set1_epi8(0x20); // tells { from [ and } from ]
    for (unsigned at = 0; at < blockSize; at += sizeof(__m128i)) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
        const __m128i braces = _mm_or_si128(bytes, braceBit);
        const auto mask = [at](__m128i in, char c) {
            return std::uint64_t(std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_set1_epi8(c))))) << at;
        };
        masks.quotes |= mask(bytes, '"');
        masks.backslashes |= mask(bytes, '\\');
        masks.opens |= mask(braces, '{');
        masks.closes |= mask(braces, '}');
    }
    return masks;
}

#else

inline ByteMasks masksOf(const char* block)
{
    return portableByteMasks(block);
}

#endif

} // namespace

ByteMasks portableByteMasks(const char* block)
{
    ByteMasks masks;
    for (unsigned i = 0; i < blockSize; ++i) {
        const std::uint64_t bit = std::uint64_t(1) << i;
        switch (block[i]) {
        case '"': masks.quotes |= bit; break;
        case '\\': masks.backslashes |= bit; break;
        case '{':
        case '[': masks.opens |= bit; break;
        case '}':
        case ']': masks.closes |= bit; break;
        default: break;
        }
    }
    return masks;
}

ByteMasks byteMasks(const char* block)
{
    return masksOf(block);
}

BracketScanner::State BracketScanner::scan(std::string_view text)
{
    if (!m_hasBegun && !text.empty()) {
        m_hasBegun = true;
        m_isText = text.front() == '"';
    }
    while (m_at < text.size()) {
        const std::size_t size = std::min<std::size_t>(blockSize, text.size() - m_at);
        if (const State state = scanBlock(text.data() + m_at, unsigned(size)); state != State::More)
            return state;
        m_at += size;
    }
    return State::More;
}

/// Bytes behind a backslash that is not escaped itself; bit 64 is told by the last byte's.
std::uint64_t BracketScanner::escapedBytes(std::uint64_t backslashes) const
{
    std::uint64_t escaped = m_isEscaped ? 1 : 0;
    if (backslashes == 0)
        return escaped;
    backslashes &= ~escaped;
    while (backslashes != 0) {
        const std::uint64_t next = (backslashes & (~backslashes + 1)) << 1;
        escaped |= next;
        backslashes &= backslashes - 1;
        backslashes &= ~next;
    }
    return escaped;
}

BracketScanner::State BracketScanner::scanBlock(const char* block, unsigned size)
{
    const std::uint64_t valid = lowest(size);
    const std::uint64_t last = std::uint64_t(1) << (size - 1);
    const ByteMasks masks = masksOf(block);
    const std::uint64_t escaped = escapedBytes(masks.backslashes & valid);
    const std::uint64_t quotes = masks.quotes & ~escaped & valid;
    if (m_inString && m_at + std::min(unsigned(std::countr_zero(quotes)), size) - m_textStart > m_longestText)
        return State::LongText;
    const std::uint64_t inside = parities(quotes) ^ (m_inString ? ~std::uint64_t(0) : 0);
    const std::uint64_t opens = masks.opens & ~inside & valid;
    std::uint64_t closes = masks.closes & ~inside & valid;
    if (m_isText)
        closes = m_at == 0 && !m_inString ? quotes & (quotes - 1) : quotes;
    const std::uint64_t newlines = m_stopAtRecord ? newlineMask(block, size) : 0;
    const std::uint64_t records = masks.opens & (newlines << 1 | (m_afterNewline ? 1 : 0)) & valid;
    const std::size_t closing = countOf(closes);
    if (closing >= m_depth + m_isText || records != 0) {
        if (const State state = findEnd(opens, closes, records); state != State::More)
            return state;
    } else {
        m_depth += countOf(opens) - closing;
    }
    m_inString = (inside & last) != 0;
    if (m_inString && quotes != 0)
        m_textStart = m_at + blockSize - unsigned(std::countl_zero(quotes));
    m_isEscaped = (masks.backslashes & last & ~escaped) != 0;
    m_afterNewline = (newlines & last) != 0;
    return State::More;
}

/// Bracket by bracket. Changes nothing but the depth unless the value ends here.
BracketScanner::State BracketScanner::findEnd(std::uint64_t opens, std::uint64_t closes, std::uint64_t records)
{
    for (std::uint64_t left = opens | closes | records; left != 0; left &= left - 1) {
        const std::uint64_t bit = left & (~left + 1);
        const std::size_t at = m_at + unsigned(std::countr_zero(left));
        if ((records & bit) != 0) {
            m_at = at - 1;
            return State::NextRecord;
        }
        if ((opens & bit) != 0)
            ++m_depth;
        else if (m_isText || --m_depth == 0) {
            m_at = at + 1;
            return State::Complete;
        }
    }
    return State::More;
}

void BracketScanner::shorten(std::size_t quote)
{
    m_at = quote;
    m_isEscaped = m_afterNewline = false;
}

void BracketScanner::drop(std::size_t count)
{
    m_at -= count;
    m_textStart -= std::min(count, m_textStart);
}

} // namespace chokepoint
