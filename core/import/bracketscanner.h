// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a JSON value ends, by its brackets and quotes alone, 64 bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chokepoint {

/// Which of 64 bytes are what; the first byte is the lowest bit.
struct ByteMasks {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t opens = 0; // { and [
    std::uint64_t closes = 0; // } and ]

    friend bool operator==(const ByteMasks&, const ByteMasks&) = default;
};

/// Of the 64 bytes from \a block on.
[[nodiscard]] ByteMasks byteMasks(const char* block);
/// The same on every processor, byte by byte.
[[nodiscard]] ByteMasks portableByteMasks(const char* block);

/// Scans an object, an array or a text across as many windows as it takes.
class BracketScanner {
public:
    enum class State {
        More, // the value goes on behind the window
        Complete, // position() is behind its last byte
        NextRecord, // position() is the line feed before a line that begins with a bracket
        LongText // the text from textStart() on is longer than the longest; position() is inside it
    };

    /// With \a stopAtRecord a line that begins with a bracket is the next record. \a longestText counts bytes as they are escaped, at
    /// least 64.
    BracketScanner(bool stopAtRecord, std::size_t longestText) : m_longestText(longestText), m_stopAtRecord(stopAtRecord) { }

    /// Goes on where it left off. \a text always begins at the value's first byte, only grows, and has 63 readable bytes behind it.
    State scan(std::string_view text);
    [[nodiscard]] std::size_t position() const { return m_at; }
    /// Behind the quote of the text that is open.
    [[nodiscard]] std::size_t textStart() const { return m_textStart; }
    /// After LongText: the caller has dropped the rest of the text, and its closing quote stands at \a quote.
    void shorten(std::size_t quote);
    /// The caller has dropped the first \a count bytes of the value, which are scanned.
    void drop(std::size_t count);

private:
    State scanBlock(const char* block, unsigned size);
    State findEnd(std::uint64_t opens, std::uint64_t closes, std::uint64_t records);
    [[nodiscard]] std::uint64_t escapedBytes(std::uint64_t backslashes) const;

    std::size_t m_at = 0;
    std::size_t m_textStart = 0;
    std::size_t m_depth = 0;
    std::size_t m_longestText;
    bool m_stopAtRecord;
    bool m_hasBegun = false;
    bool m_isText = false; // the value is a text
    bool m_inString = false;
    bool m_isEscaped = false; // the next byte, by a backslash before it
    bool m_afterNewline = false;
};

} // namespace chokepoint
