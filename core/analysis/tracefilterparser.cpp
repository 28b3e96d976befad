// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/tracefilterparser.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace chokepoint {

namespace {

using Step = TraceFilter::Step;
using Field = TraceFilter::Field;
using Compare = TraceFilter::Compare;
using Operation = TraceFilter::Operation;

struct Token {
    enum class Kind { Word, Quoted, Operator, Open, Close, End } kind = Kind::End;
    std::string text;
    std::size_t begin = 0;
    std::size_t end = 0;
};

Result<std::vector<Token>> tokenize(std::string_view text)
{
    std::vector<Token> tokens;
    std::size_t i = 0;
    while (i < text.size()) {
        const std::size_t begin = i;
        const char c = text[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++i;
        } else if (c == '(' || c == ')') {
            tokens.push_back({c == '(' ? Token::Kind::Open : Token::Kind::Close, std::string(1, c), begin, ++i});
        } else if (c == '"') {
            std::string value;
            for (++i; i < text.size() && text[i] != '"'; ++i) {
                if (text[i] == '\\' && i + 1 < text.size())
                    ++i;
                value.push_back(text[i]);
            }
            if (i == text.size())
                return fail(ErrorCode::InvalidQuery, "the quoted text has no closing quote", {.byte = begin});
            tokens.push_back({Token::Kind::Quoted, value, begin, ++i});
        } else if (std::string_view("<>=!~").find(c) != std::string_view::npos) {
            ++i;
            if (i < text.size() && text[i] == '=' && c != '~')
                ++i;
            tokens.push_back({Token::Kind::Operator, std::string(text.substr(begin, i - begin)), begin, i});
        } else {
            while (i < text.size() && std::string_view(" \t\n\r()\"<>=!~").find(text[i]) == std::string_view::npos)
                ++i;
            tokens.push_back({Token::Kind::Word, std::string(text.substr(begin, i - begin)), begin, i});
        }
    }
    tokens.push_back({Token::Kind::End, {}, text.size(), text.size()});
    return tokens;
}

std::optional<Compare> compareFromText(std::string_view text)
{
    constexpr std::pair<std::string_view, Compare> table[] = {{"=", Compare::Equal}, {"==", Compare::Equal}, {"!=", Compare::NotEqual},
        {"<", Compare::Less}, {"<=", Compare::LessEqual}, {">", Compare::Greater}, {">=", Compare::GreaterEqual}, {"~", Compare::Contains}};
    for (const auto& [name, compare] : table)
        if (name == text)
            return compare;
    return std::nullopt;
}

struct Number {
    double value = 0;
    std::string unit;
};

std::optional<Number> splitNumber(std::string_view text)
{
    Number number;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
    if (error != std::errc{} || !std::isfinite(number.value))
        return std::nullopt;
    number.unit = std::string(rest, text.data() + text.size());
    return number;
}

std::optional<double> nsOfUnit(std::string_view unit)
{
    constexpr std::pair<std::string_view, double> table[] = {
        {"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 6e10}, {"min", 6e10}, {"h", 3.6e12}};
    for (const auto& [name, ns] : table)
        if (name == unit)
            return ns;
    return std::nullopt;
}

class Parser {
public:
    Parser(std::string_view text, std::vector<Token> tokens) : m_text(text), m_tokens(std::move(tokens)) { }

    Result<ParsedFilter> run()
    {
        bool expectOperand = true;
        while (token().kind != Token::Kind::End) {
            if (isWord("and") || isWord("or")) {
                if (expectOperand)
                    return fault("a condition is missing before '" + token().text + "'");
                pushBinary(isWord("and") ? Operation::And : Operation::Or);
                ++m_at;
                expectOperand = true;
                continue;
            }
            if (token().kind == Token::Kind::Close) {
                if (expectOperand || !closeGroup())
                    return fault(expectOperand ? "a condition is missing before ')'" : "this ')' has no '('");
                ++m_at;
                continue;
            }
            if (!expectOperand)
                pushBinary(Operation::And); // side by side
            if (isWord("not") || token().kind == Token::Kind::Open) {
                m_stack.push_back({isWord("not") ? Operation::Not : Operation::Test, token().begin});
                ++m_at;
                expectOperand = true;
                continue;
            }
            if (Result<void> read = condition(); !read)
                return fail(std::move(read).error());
            applyNots();
            expectOperand = false;
        }
        if (expectOperand && !(m_tokens.size() == 1))
            return fault("a condition is missing at the end");
        return finish();
    }

private:
    /// An operator that waits for its right side; Test marks an open parenthesis.
    struct Pending {
        Operation operation;
        std::size_t begin;
    };

    [[nodiscard]] const Token& token() const { return m_tokens[m_at]; }
    [[nodiscard]] bool isWord(std::string_view word) const { return token().kind == Token::Kind::Word && token().text == word; }
    [[nodiscard]] tl::unexpected<Error> fault(std::string detail) const
    {
        return fail(ErrorCode::InvalidQuery, std::move(detail), {.byte = token().begin});
    }

    void emit(Operation operation) { m_program.push_back({.operation = operation}); }

    void applyNots()
    {
        while (!m_stack.empty() && m_stack.back().operation == Operation::Not) {
            emit(Operation::Not);
            m_stack.pop_back();
        }
    }

    void pushBinary(Operation operation)
    {
        while (!m_stack.empty() && m_stack.back().operation != Operation::Test
            && (operation == Operation::Or || m_stack.back().operation == Operation::And)) {
            emit(m_stack.back().operation);
            m_stack.pop_back();
        }
        noteClause(operation);
        m_stack.push_back({operation, token().begin});
    }

    /// Top-level clauses end where an `and` (or nothing else) stands outside parentheses; an `or` there makes it one clause.
    void noteClause(Operation operation)
    {
        for (const Pending& pending : m_stack)
            if (pending.operation == Operation::Test)
                return;
        if (operation == Operation::Or)
            m_hasTopLevelOr = true;
        m_cuts.push_back(token().begin);
        m_cutLengths.push_back(isWord("and") ? token().text.size() : 0);
    }

    bool closeGroup()
    {
        while (!m_stack.empty() && m_stack.back().operation != Operation::Test) {
            emit(m_stack.back().operation);
            m_stack.pop_back();
        }
        if (m_stack.empty())
            return false;
        m_stack.pop_back();
        applyNots();
        return true;
    }

    Result<ParsedFilter> finish()
    {
        while (!m_stack.empty()) {
            if (m_stack.back().operation == Operation::Test)
                return fail(ErrorCode::InvalidQuery, "this '(' is not closed", {.byte = m_stack.back().begin});
            emit(m_stack.back().operation);
            m_stack.pop_back();
        }
        return ParsedFilter{std::move(m_program), clauseTexts()};
    }

    [[nodiscard]] std::vector<std::string> clauseTexts() const
    {
        const auto trimmed = [](std::string_view part) {
            const std::size_t first = part.find_first_not_of(" \t\r\n");
            return first == std::string_view::npos ? std::string{}
                                                   : std::string(part.substr(first, part.find_last_not_of(" \t\r\n") - first + 1));
        };
        std::vector<std::string> clauses;
        std::size_t begin = 0;
        for (std::size_t k = 0; k < m_cuts.size() && !m_hasTopLevelOr; ++k) {
            clauses.push_back(trimmed(m_text.substr(begin, m_cuts[k] - begin)));
            begin = m_cuts[k] + m_cutLengths[k];
        }
        if (std::string last = trimmed(m_text.substr(begin)); !last.empty())
            clauses.push_back(std::move(last));
        return clauses;
    }

    Result<void> condition()
    {
        const Token first = token();
        ++m_at;
        if (token().kind != Token::Kind::Operator) {
            if (first.kind == Token::Kind::Word && first.text == "complete")
                m_program.push_back({.field = Field::Complete});
            else if (first.kind == Token::Kind::Operator)
                return fail(ErrorCode::InvalidQuery, "a field is missing before '" + first.text + "'", {.byte = first.begin});
            else
                m_program.push_back({.field = Field::AnyText, .text = foldedCase(first.text)});
            return {};
        }
        const std::optional<Compare> compare = compareFromText(token().text);
        if (!compare)
            return fault("'" + token().text + "' is no comparison; use = != < <= > >= or ~");
        ++m_at;
        if (token().kind != Token::Kind::Word && token().kind != Token::Kind::Quoted)
            return fault("a value is missing");
        const Token value = token();
        ++m_at;
        return comparison(first, *compare, value);
    }

    Result<void> comparison(const Token& field, Compare compare, const Token& value)
    {
        constexpr std::pair<std::string_view, Field> texts[] = {
            {"root", Field::Root}, {"service", Field::Service}, {"trace_id", Field::TraceIdText}};
        for (const auto& [name, id] : texts)
            if (field.text == name) {
                if (compare != Compare::Equal && compare != Compare::NotEqual && compare != Compare::Contains)
                    return fail(ErrorCode::InvalidQuery, fmt::format("{} is a text; compare it with = != or ~", name), {.byte = field.end});
                m_program.push_back(
                    {.field = id, .compare = compare, .text = compare == Compare::Contains ? foldedCase(value.text) : value.text});
                return {};
            }
        if (compare == Compare::Contains)
            return fail(ErrorCode::InvalidQuery, "~ goes with root, service and trace_id only", {.byte = field.end});
        const std::optional<Number> number = splitNumber(value.text);
        if (!number)
            return fail(ErrorCode::InvalidQuery, "'" + value.text + "' is no number", {.byte = value.begin});
        if (field.text == "spans" || field.text == "errors")
            return countTest(field, compare, value, *number);
        if (field.text == "duration" || field.text.starts_with("stage."))
            return timeTest(field, compare, value, *number);
        return fail(ErrorCode::InvalidQuery,
            "'" + field.text + "' is no field; use duration, stage.NAME, spans, errors, root, service, trace_id or complete",
            {.byte = field.begin});
    }

    Result<void> countTest(const Token& field, Compare compare, const Token& value, const Number& number)
    {
        if (!number.unit.empty() || number.value != std::floor(number.value) || std::abs(number.value) > 1e15)
            return fail(ErrorCode::InvalidQuery, field.text + " is a whole number without a unit", {.byte = value.begin});
        m_program.push_back(
            {.field = field.text == "spans" ? Field::Spans : Field::Errors, .compare = compare, .number = std::int64_t(number.value)});
        return {};
    }

    Result<void> timeTest(const Token& field, Compare compare, const Token& value, const Number& number)
    {
        const bool isStage = field.text != "duration";
        const std::string stage = isStage ? field.text.substr(6) : std::string{};
        if (isStage && number.unit == "%") {
            m_program.push_back({.field = Field::StageShare, .compare = compare, .text = stage, .share = number.value / 100});
            return {};
        }
        const std::optional<double> ns = nsOfUnit(number.unit);
        if (!ns || std::abs(number.value * *ns) > 9e18)
            return fail(ErrorCode::InvalidQuery,
                fmt::format("give {} a unit, such as {}ms or {}s{}", field.text, number.value, number.value,
                    isStage ? ", or a share such as 40%" : ""),
                {.byte = value.begin});
        m_program.push_back({.field = isStage ? Field::StageTime : Field::E2e,
            .compare = compare,
            .text = stage,
            .number = std::llround(number.value * *ns)});
        return {};
    }

    std::string_view m_text;
    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
    std::vector<Step> m_program;
    std::vector<Pending> m_stack;
    std::vector<std::size_t> m_cuts;
    std::vector<std::size_t> m_cutLengths;
    bool m_hasTopLevelOr = false;
};

} // namespace

Result<ParsedFilter> parseFilter(std::string_view text)
{
    Result<std::vector<Token>> tokens = tokenize(text);
    if (!tokens)
        return fail(std::move(tokens).error());
    return Parser(text, std::move(*tokens)).run();
}

} // namespace chokepoint
