// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/answerlabels.h"

#include "core/base/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace chokepoint {

namespace {

/// One row of a table of texts.
struct Row {
    std::uint64_t line = 0;
    std::vector<std::string> fields;
};

/// Reads rows of text separated as in RFC 4180: quotes protect separators and line ends, two quotes in quotes are one.
class RowReader {
public:
    RowReader(std::string_view text, char separator) : m_text(text), m_separator(separator) { }

    /// The next row that is not empty, or that ends within quotes; nothing at the end.
    std::optional<Row> next()
    {
        while (m_at < m_text.size()) {
            Row row = readRow();
            if (m_isQuoted || row.fields.size() > 1 || !row.fields.front().empty())
                return row;
        }
        return std::nullopt;
    }
    /// The text ended within quotes.
    [[nodiscard]] bool isUnterminated() const { return m_isQuoted; }

private:
    Row readRow()
    {
        Row row{m_line, {""}};
        for (; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            m_line += c == '\n' ? 1 : 0;
            std::string& field = row.fields.back();
            if (m_isQuoted) {
                const bool isPair = c == '"' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '"';
                m_isQuoted = c != '"' || isPair;
                m_at += isPair ? 1 : 0;
                if (m_isQuoted)
                    field += c;
            } else if (c == '"' && field.empty()) {
                m_isQuoted = true;
            } else if (c == m_separator) {
                row.fields.emplace_back();
            } else if (c == '\n') {
                ++m_at;
                break;
            } else if (c != '\r') {
                field += c;
            }
        }
        return row;
    }

    std::string_view m_text;
    char m_separator;
    std::size_t m_at = 0;
    std::uint64_t m_line = 1;
    bool m_isQuoted = false;
};

std::string trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? "" : std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return lower;
}

/// A trace id as it is compared: lower case, without dashes.
std::string traceKey(std::string_view id)
{
    std::string key = lowerCase(id);
    std::erase(key, '-');
    return key;
}

std::uint64_t callKey(std::string_view id)
{
    return std::max<std::uint64_t>(1, hash64(id)); // as CallFacts::responseId
}

/// The most frequent of the three in the first line.
char separatorOf(std::string_view text)
{
    const std::string_view head = text.substr(0, text.find('\n'));
    const auto count = [head](char c) { return std::count(head.begin(), head.end(), c); };
    return std::max({',', ';', '\t'}, [&count](char a, char b) { return count(a) < count(b); });
}

/// Which column holds what.
struct Columns {
    std::optional<std::size_t> trace;
    std::vector<std::size_t> calls;
    std::optional<std::size_t> verdict;
};

Columns columnsOf(const Row& head)
{
    Columns columns;
    for (std::size_t c = 0; c < head.fields.size(); ++c) {
        const std::string name = lowerCase(trimmed(head.fields[c]));
        if (name == "trace_id" || name == "traceid")
            columns.trace = c;
        else if (name == "response_id" || name == "request_id")
            columns.calls.push_back(c);
        else if (name == "correct" || (name == "label" && !columns.verdict))
            columns.verdict = c;
    }
    return columns;
}

/// What the text of a cell says; spreadsheets write 1 as 1.0.
AnswerVerdict verdictOf(const std::string& cell)
{
    return verdictFromWord(cell == "1.0" ? "1" : cell == "0.0" ? "0" : cell);
}

template <typename Map, typename Key> const AnswerLabels::Label* contradicted(Map& labels, const Key& key, const AnswerLabels::Label& label)
{
    const auto [entry, isNew] = labels.emplace(key, label);
    return isNew || entry->second.verdict == label.verdict ? nullptr : &entry->second;
}

} // namespace

Result<AnswerLabels> AnswerLabels::parse(std::string_view text, const std::string& file)
{
    const auto wrong = [&file](std::uint64_t line, std::string detail) -> Result<AnswerLabels> {
        return fail(ErrorCode::InvalidArgument, std::move(detail), {.file = file, .line = line, .byte = {}});
    };
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    RowReader reader(text, separatorOf(text));
    const std::optional<Row> head = reader.next();
    if (reader.isUnterminated())
        return wrong(1, "a quotation mark is opened and never closed");
    const Columns columns = head ? columnsOf(*head) : Columns();
    if (!columns.verdict || (!columns.trace && columns.calls.empty()))
        return wrong(1, "the first line must name the columns: \"correct\", and \"trace_id\", \"response_id\" or \"request_id\"");
    AnswerLabels labels;
    while (const std::optional<Row> row = reader.next()) {
        if (reader.isUnterminated())
            return wrong(row->line, "a quotation mark is opened and never closed");
        const auto field = [&row](std::size_t column) { return column < row->fields.size() ? trimmed(row->fields[column]) : ""; };
        if (row->fields.size() != head->fields.size())
            return wrong(row->line, fmt::format("{} fields where the first line names {}", row->fields.size(), head->fields.size()));
        const Label label{verdictOf(field(*columns.verdict)), row->line};
        if (label.verdict == AnswerVerdict::Unlabelled)
            return wrong(row->line,
                fmt::format("\"{}\" does not say whether the answer is correct; write true or false, 1 or 0, correct or incorrect",
                    field(*columns.verdict)));
        const Label* other = nullptr;
        bool isNamed = false;
        if (const std::string id = columns.trace ? field(*columns.trace) : ""; !id.empty()) {
            isNamed = true;
            other = contradicted(labels.byTrace, traceKey(id), label);
        }
        for (const std::size_t column : columns.calls) {
            const std::string id = isNamed ? "" : field(column);
            if (id.empty())
                continue;
            isNamed = true;
            other = contradicted(labels.byCall, callKey(id), label);
        }
        if (!isNamed)
            return wrong(row->line, "it names no request: the id is empty");
        if (other != nullptr)
            return wrong(row->line, fmt::format("it says the opposite of line {} of the same request", other->line));
    }
    return labels;
}

LabelMatches applyLabels(const AnswerLabels& labels, const TraceColumns& columns, const UsageTable& usage, const AttemptFacts& facts,
    std::vector<AnswerVerdict>& verdicts)
{
    std::set<std::uint64_t> found; // lines
    const auto traceOf = [&columns](std::uint64_t span) {
        return std::size_t(std::upper_bound(columns.firstSpan.begin(), columns.firstSpan.end(), span) - columns.firstSpan.begin()) - 1;
    };
    const auto apply = [&](std::uint64_t key, std::uint64_t span) {
        const auto label = key == 0 ? labels.byCall.end() : labels.byCall.find(key);
        if (label == labels.byCall.end())
            return;
        found.insert(label->second.line);
        verdicts[traceOf(span)] = label->second.verdict;
    };
    if (!labels.byCall.empty()) {
        for (const CallFacts& call : usage.calls) {
            apply(call.requestId, call.span);
            apply(call.responseId, call.span);
        }
        std::map<std::uint64_t, std::uint64_t> byRequest; // RequestKeys keep the lowest bit set
        for (const auto& [key, label] : labels.byCall)
            byRequest.emplace(key | 1U, key);
        for (const RequestKeys& keys : facts.requests)
            if (const auto key = byRequest.find(keys.request); key != byRequest.end())
                apply(key->second, keys.span);
    }
    for (std::size_t trace = 0; trace < columns.traceCount() && !labels.byTrace.empty(); ++trace) {
        const auto label = labels.byTrace.find(traceKey(columns.traceIdName(trace)));
        if (label == labels.byTrace.end())
            continue;
        found.insert(label->second.line);
        verdicts[trace] = label->second.verdict;
    }
    LabelMatches matches{labels.size(), found.size(), {}};
    const auto note = [&](const AnswerLabels::Label& label) {
        if (!found.contains(label.line))
            matches.unmatched.push_back(label.line);
    };
    for (const auto& [id, label] : labels.byTrace)
        note(label);
    for (const auto& [id, label] : labels.byCall)
        note(label);
    std::sort(matches.unmatched.begin(), matches.unmatched.end());
    return matches;
}

} // namespace chokepoint
