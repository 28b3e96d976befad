// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a stream of JSON text into values without parsing them: lines, values across lines, or the members of a document
// that is too large or too broken to be taken whole.
#pragma once

#include "core/import/bytelayer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

class BracketScanner;

/// A cursor over text in a window that moves. Views stay good until the next call of a function that is not const. Behind
/// every view lie 64 readable bytes, as simdjson wants.
class JsonStream {
public:
    enum class Extent {
        Complete, // all of the value
        TooBig, // longer than the limit; text is its beginning
        Cut, // the input ends (or the next record begins) inside the value
        None // no value here: a closing bracket, a stray character or the end
    };
    struct Value {
        std::string_view text;
        Extent extent = Extent::None;
    };

    /// value() leaves out what of a text goes beyond \a longestText bytes, as it is escaped; at least 64.
    explicit JsonStream(PullBytes pull, std::size_t longestText = std::string_view::npos);

    /// Moves past white space, commas, record separators and zeros; the first byte of what follows, or 0 at the end.
    char peek();
    /// The rest of the line without white space at its end, if it is no longer than \a limit. Complete when it begins and
    /// ends like one value.
    Value line(std::size_t limit);
    /// The value at the cursor by its brackets and quotes. With \a stopAtRecord a line that begins with a bracket ends
    /// it as Cut: inside one value, lines are indented. Longer texts than the longest are shortened, which shortTexts() counts.
    Value value(std::size_t limit, bool stopAtRecord = false);
    /// The text from the cursor on as it is: at least \a size bytes, unless the input ends before.
    std::string_view ahead(std::size_t size);
    /// Moves past \a count bytes of what value(), line() or ahead() returned.
    void consume(std::size_t count);
    /// Moves past the value at the cursor, whatever its size; false when there is none, or at the end when the input ends inside it.
    bool pass();
    /// Moves to the next line.
    void skipLine();
    /// Moves past the current line, and on to one that begins with a bracket; false at the end.
    bool skipToRecord();
    /// The name of a member, without quotes and as it is escaped, and past its colon. Nothing when there is none.
    std::optional<std::string> key();

    /// Whether the text at the cursor is the input's last and holds no complete value.
    [[nodiscard]] bool reachesEnd();

    /// The text is the part of a longer one that begins at \a line and \a byte; before anything is read.
    void startAt(std::uint64_t line, std::uint64_t byte)
    {
        m_line = line;
        m_base = byte;
    }

    /// Bytes before the cursor, counted from the start of the text.
    [[nodiscard]] std::uint64_t byte() const { return m_base + m_cursor; }
    /// Line of the cursor, from 1.
    [[nodiscard]] std::uint64_t lineNumber() const { return m_line; }
    /// Why reading stopped before the end.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }
    /// Texts that were shortened so far.
    [[nodiscard]] std::uint64_t shortTexts() const { return m_shortTexts; }

private:
    [[nodiscard]] std::string_view window() const { return std::string_view(m_buffer).substr(m_cursor, m_end - m_cursor); }
    bool fill();
    Value scalar(std::size_t limit);
    void passScalar();
    bool shorten(BracketScanner& scanner);
    void drop(std::size_t from, std::size_t to);

    PullBytes m_pull;
    std::size_t m_longestText;
    std::string m_buffer; // [m_cursor, m_end) is unread text, then padding
    std::size_t m_cursor = 0;
    std::size_t m_end = 0;
    std::uint64_t m_base = 0; // bytes of the text before m_buffer
    std::uint64_t m_line = 1;
    std::size_t m_lineEnd = 0; // no line feed stands between m_cursor and here
    std::uint64_t m_droppedBytes = 0; // behind m_cursor
    std::uint64_t m_droppedLines = 0;
    std::uint64_t m_shortTexts = 0;
    bool m_atEnd = false;
    std::optional<Error> m_failure;
};

} // namespace chokepoint
