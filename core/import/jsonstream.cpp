// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsonstream.h"

#include "core/import/bracketscanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace chokepoint {

namespace {

constexpr std::size_t firstBlock = std::size_t(64) << 10; // small files, of which there may be thousands, need no more
constexpr std::size_t readBlock = std::size_t(4) << 20;
constexpr std::size_t longestEscape = 6; // backslash, u and four digits
constexpr std::size_t padding = 64; // simdjson reads up to 64 bytes behind a text

/// Zeros, too: a log that was cut short while it was written, or a crash, leaves stretches of them.
bool isSeparator(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == '\x1e' || c == '\0';
}

bool opens(char c)
{
    return c == '{' || c == '[';
}

bool closes(char c)
{
    return c == '}' || c == ']';
}

/// Length of the number or word at the front, which does not end before \a from; npos when it goes on beyond the window.
std::size_t scalarLength(std::string_view text, std::size_t from)
{
    const auto end = std::find_if(text.begin() + std::ptrdiff_t(from), text.end(),
        [](char c) { return isSeparator(c) || opens(c) || closes(c) || c == ':' || c == '"'; });
    return end == text.end() ? std::string_view::npos : std::size_t(end - text.begin());
}

/// Where to cut the text at the front of \a text, at \a longest at most: before a character or an escape, not in its middle.
std::size_t cutBefore(std::string_view text, std::size_t longest)
{
    std::size_t at = longest;
    for (int i = 0; i < 3 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; ++i)
        --at;
    std::size_t slash = at - 1;
    while (slash > 0 && at - slash < longestEscape && text[slash] != '\\')
        --slash;
    if (text[slash] != '\\')
        return at;
    std::size_t backslashes = 1;
    while (backslashes <= slash && text[slash - backslashes] == '\\')
        ++backslashes;
    const std::size_t length = text[slash + 1] == 'u' ? longestEscape : 2;
    return backslashes % 2 == 1 && slash + length > at ? slash : at;
}

} // namespace

JsonStream::JsonStream(PullBytes pull, std::size_t longestText)
    : m_pull(std::move(pull)), m_longestText(longestText), m_buffer(padding, '\0')
{
}

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
        m_cursor = m_lineEnd = 0;
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
    m_lineEnd = m_cursor + text.size();
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
    if (!opens(first) && first != '"')
        return scalar(limit);
    BracketScanner scanner(stopAtRecord, m_longestText);
    while (true) {
        const BracketScanner::State state = scanner.scan(window());
        const std::string_view text = window().substr(0, scanner.position());
        if (state == BracketScanner::State::Complete)
            return {text, text.size() > limit ? Extent::TooBig : Extent::Complete};
        if (state == BracketScanner::State::NextRecord)
            return {text, Extent::Cut};
        if (window().size() > limit)
            return {window(), Extent::TooBig};
        if (state == BracketScanner::State::LongText ? !shorten(scanner) : !fill())
            return {window(), Extent::Cut};
    }
}

JsonStream::Value JsonStream::scalar(std::size_t limit)
{
    std::size_t searched = 0;
    while (true) {
        const std::size_t length = scalarLength(window(), searched);
        searched = window().size();
        if (length != std::string_view::npos)
            return {window().substr(0, length), Extent::Complete};
        if (window().size() > limit)
            return {window(), Extent::TooBig};
        if (!fill())
            return {window(), Extent::Complete};
    }
}

/// Leaves out what of the text that \a scanner is in goes beyond the longest; false when the input ends inside it.
bool JsonStream::shorten(BracketScanner& scanner)
{
    const std::size_t start = scanner.textStart();
    const std::size_t keep = start + cutBefore(window().substr(start), m_longestText);
    bool isEscaped = false;
    ++m_shortTexts;
    while (true) {
        const std::string_view text = window();
        std::size_t at = keep;
        for (; at < text.size() && (isEscaped || text[at] != '"'); ++at)
            isEscaped = !isEscaped && text[at] == '\\';
        const bool isFound = at < text.size();
        drop(keep, at);
        if (isFound)
            scanner.shorten(keep);
        if (isFound || !fill())
            return isFound;
    }
}

/// Takes a stretch of the window away.
void JsonStream::drop(std::size_t from, std::size_t to)
{
    char* begin = m_buffer.data() + m_cursor;
    m_droppedBytes += to - from;
    m_droppedLines += std::uint64_t(std::count(begin + from, begin + to, '\n'));
    std::memmove(begin + from, begin + to, m_end - m_cursor - to);
    m_end -= to - from;
    m_lineEnd = std::min(m_lineEnd, m_cursor + from);
}

void JsonStream::passScalar()
{
    while (true) {
        const std::size_t length = scalarLength(window(), 0);
        consume(std::min(length, window().size()));
        if (length != std::string_view::npos || !fill())
            return;
    }
}

bool JsonStream::pass()
{
    const char first = peek();
    if (first == 0 || closes(first) || first == ':')
        return false;
    if (!opens(first) && first != '"') {
        passScalar();
        return true;
    }
    BracketScanner scanner(false, std::string_view::npos);
    while (true) {
        const bool isComplete = scanner.scan(window()) == BracketScanner::State::Complete;
        const std::size_t scanned = scanner.position();
        consume(scanned);
        scanner.drop(scanned);
        if (isComplete || !fill())
            return isComplete;
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
    const std::size_t known = std::max(m_lineEnd, m_cursor) - m_cursor;
    for (std::size_t at = passed.find('\n', known); at != std::string_view::npos; at = passed.find('\n', at + 1))
        ++m_line;
    m_cursor += count;
    m_base += std::exchange(m_droppedBytes, 0);
    m_line += std::exchange(m_droppedLines, 0);
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
