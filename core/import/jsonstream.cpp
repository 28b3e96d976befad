// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsonstream.h"

#include <algorithm>
#include <cstring>

namespace chokepoint {

namespace {

constexpr std::size_t firstBlock = std::size_t(64) << 10; // small files, of which there may be thousands, need no more
constexpr std::size_t readBlock = std::size_t(4) << 20;
constexpr std::size_t padding = 64; // simdjson reads up to 64 bytes behind a text

bool isSeparator(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == '\x1e';
}

bool opens(char c)
{
    return c == '{' || c == '[';
}

bool closes(char c)
{
    return c == '}' || c == ']';
}

/// Finds the end of a bracketed value, across as many windows as it takes.
class BracketScanner {
public:
    explicit BracketScanner(bool stopAtRecord) : m_stopAtRecord(stopAtRecord) { }

    enum class State { More, Complete, NextRecord };

    /// Goes on where it left off; \a text always begins at the value's first byte and only grows.
    State scan(std::string_view text)
    {
        while (m_at < text.size()) {
            if (m_inString) {
                if (const State state = skipString(text); state != State::Complete)
                    return state;
                continue;
            }
            const char c = text[m_at];
            if (c == '\n' && m_stopAtRecord) {
                if (m_at + 1 == text.size())
                    return State::More;
                if (opens(text[m_at + 1]))
                    return State::NextRecord;
            }
            ++m_at;
            if (c == '"')
                m_inString = true;
            else if (opens(c))
                ++m_depth;
            else if (closes(c) && --m_depth == 0)
                return State::Complete;
        }
        return State::More;
    }

    [[nodiscard]] std::size_t position() const { return m_at; }

private:
    State skipString(std::string_view text)
    {
        const void* found = std::memchr(text.data() + m_at, '"', text.size() - m_at);
        const std::size_t quote = found == nullptr ? text.size() : std::size_t(static_cast<const char*>(found) - text.data());
        if (m_stopAtRecord && endsInside(text, quote))
            return State::NextRecord;
        std::size_t escapes = 0;
        while (quote - escapes > m_at && text[quote - escapes - 1] == '\\')
            ++escapes;
        if (found == nullptr) {
            // An escape, or a line that is no string's any more, may go on in the next window.
            const bool endsLine = m_stopAtRecord && quote > m_at && text[quote - 1] == '\n';
            m_at = endsLine ? quote - 1 : quote - escapes;
            return State::More;
        }
        m_at = quote + 1;
        m_inString = escapes % 2 != 0;
        return State::Complete;
    }

    /// A string does not span lines; when the next one begins a record, this one was cut.
    bool endsInside(std::string_view text, std::size_t quote)
    {
        const std::string_view inside = text.substr(0, quote);
        for (std::size_t at = inside.find('\n', m_at); at < quote && at + 1 < text.size(); at = inside.find('\n', at + 1)) {
            if (opens(text[at + 1])) {
                m_at = at;
                return true;
            }
        }
        return false;
    }

    std::size_t m_at = 0;
    std::size_t m_depth = 0;
    bool m_inString = false;
    bool m_stopAtRecord;
};

/// Length of the number, word or text at the front; npos when it goes on beyond the window.
std::size_t scalarLength(std::string_view text)
{
    if (text.front() != '"') {
        const auto end =
            std::find_if(text.begin(), text.end(), [](char c) { return isSeparator(c) || opens(c) || closes(c) || c == ':' || c == '"'; });
        return end == text.end() ? std::string_view::npos : std::size_t(end - text.begin());
    }
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return std::string_view::npos;
}

} // namespace

JsonStream::JsonStream(PullBytes pull) : m_pull(std::move(pull)), m_buffer(padding, '\0') { }

/// Reads one more block behind the unread text; false at the end.
bool JsonStream::fill()
{
    if (m_atEnd)
        return false;
    const std::size_t block = m_base + m_end < firstBlock ? firstBlock : readBlock;
    if (m_cursor > 0 && (m_cursor == m_end || m_buffer.size() < m_end + block + padding)) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_cursor, m_end - m_cursor);
        m_base += m_cursor;
        m_end -= m_cursor;
        m_cursor = 0;
    }
    if (m_buffer.size() < m_end + block + padding)
        m_buffer.resize(std::max(m_end + block + padding, m_buffer.size() + m_buffer.size() / 2));
    const auto got = m_pull(m_buffer.data() + m_end, block);
    if (!got)
        m_failure = got.error();
    m_atEnd = got.value_or(0) == 0;
    m_end += got.value_or(0);
    return !m_atEnd;
}

char JsonStream::peek()
{
    while (true) {
        for (; m_cursor < m_end; ++m_cursor) {
            const char c = m_buffer[m_cursor];
            if (!isSeparator(c))
                return c;
            m_line += c == '\n' ? 1 : 0;
        }
        if (!fill())
            return 0;
    }
}

JsonStream::Value JsonStream::line(std::size_t limit)
{
    std::size_t searched = 0;
    std::size_t end = window().find('\n');
    while (end == std::string_view::npos) {
        searched = window().size();
        if (searched > limit)
            return {};
        if (!fill())
            break;
        end = window().find('\n', searched);
    }
    std::string_view text = window().substr(0, end);
    if (text.size() > limit)
        return {};
    while (!text.empty() && isSeparator(text.back()))
        text.remove_suffix(1);
    if (text.size() < 2)
        return {text, Extent::None};
    const char last = text.back();
    const bool isValue = (text.front() == '{' && last == '}') || (text.front() == '[' && last == ']');
    return {text, isValue ? Extent::Complete : Extent::None};
}

JsonStream::Value JsonStream::value(std::size_t limit, bool stopAtRecord)
{
    const char first = peek();
    if (first == 0 || closes(first) || first == ':')
        return {};
    if (!opens(first)) {
        while (true) {
            const std::size_t length = scalarLength(window());
            if (length != std::string_view::npos)
                return {window().substr(0, length), Extent::Complete};
            if (window().size() > limit)
                return {window(), Extent::TooBig};
            if (!fill())
                return {window(), first == '"' ? Extent::Cut : Extent::Complete};
        }
    }
    BracketScanner scanner(stopAtRecord);
    while (true) {
        const BracketScanner::State state = scanner.scan(window());
        const std::string_view text = window().substr(0, scanner.position());
        if (state == BracketScanner::State::Complete)
            return {text, text.size() > limit ? Extent::TooBig : Extent::Complete};
        if (state == BracketScanner::State::NextRecord)
            return {text, Extent::Cut};
        if (window().size() > limit)
            return {window(), Extent::TooBig};
        if (!fill())
            return {window(), Extent::Cut};
    }
}

std::string_view JsonStream::ahead(std::size_t size)
{
    while (window().size() < size && fill()) { }
    return window();
}

void JsonStream::consume(std::size_t count)
{
    const std::string_view passed = window().substr(0, count);
    for (std::size_t at = passed.find('\n'); at != std::string_view::npos; at = passed.find('\n', at + 1))
        ++m_line;
    m_cursor += count;
}

void JsonStream::skipLine()
{
    while (true) {
        const std::size_t end = window().find('\n');
        if (end != std::string_view::npos) {
            consume(end + 1);
            return;
        }
        m_cursor = m_end;
        if (!fill())
            return;
    }
}

bool JsonStream::skipToRecord()
{
    while (true) {
        skipLine();
        if (m_cursor == m_end && !fill())
            return false;
        if (opens(m_buffer[m_cursor]))
            return true;
    }
}

bool JsonStream::reachesEnd()
{
    const Extent extent = value(std::size_t(1) << 20).extent;
    return extent == Extent::Cut || m_cursor == m_end;
}

std::optional<std::string> JsonStream::key()
{
    const Value name = value(std::size_t(1) << 20);
    if (name.extent != Extent::Complete || name.text.front() != '"')
        return std::nullopt;
    std::string text(name.text.substr(1, name.text.size() - 2));
    consume(name.text.size());
    if (peek() != ':')
        return std::nullopt;
    consume(1);
    return text;
}

} // namespace chokepoint
