// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attemptwords.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace chokepoint {

namespace {

bool sameLetter(char a, char lowerCase)
{
    return (a >= 'A' && a <= 'Z' ? char(a + 32) : a) == lowerCase;
}

bool sameLetters(std::string_view text, std::string_view lowerCase)
{
    return std::equal(text.begin(), text.end(), lowerCase.begin(), lowerCase.end(), sameLetter);
}

} // namespace

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return sameLetters(text, word); });
}

std::uint32_t modelHash(std::string_view model)
{
    return model.empty() ? 0 : std::uint32_t(hash64(model)) | 1U;
}

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view mark)
{
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::size_t begin = at + mark.size();
    while (begin < text.size() && (text[begin] == '"' || text[begin] == '\'' || text[begin] == ':' || text[begin] == ' '))
        ++begin;
    std::size_t end = begin;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9')
        ++end;
    return wholeNumber(text.substr(begin, end - begin));
}

std::string_view targetOfUrl(std::string_view url)
{
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos)
        return url;
    return url.substr(std::min(url.find('/', scheme + 3), url.size()));
}

std::string_view hostOfUrl(std::string_view url)
{
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos)
        return {};
    const std::string_view rest = url.substr(scheme + 3);
    return rest.substr(0, rest.find_first_of("/?#"));
}

CheckVerdict verdictOf(std::string_view text)
{
    if (isOneOf(text,
            {"fail", "failed", "failure", "blocked", "block", "rejected", "reject", "denied", "deny", "guardrail_intervened", "incorrect",
                "not_relevant", "ungrounded", "false", "no"}))
        return CheckVerdict::Failed;
    if (isOneOf(text, {"pass", "passed", "ok", "success", "allow", "allowed", "correct", "relevant", "grounded", "true", "yes"}))
        return CheckVerdict::Passed;
    return CheckVerdict::Unknown;
}

bool speaksOfRetry(std::string_view text)
{
    for (const std::string_view word : {std::string_view("retry"), std::string_view("attempt"), std::string_view("previous")}) {
        if (std::search(text.begin(), text.end(), word.begin(), word.end(), sameLetter) != text.end())
            return true;
    }
    return false;
}

const char* retryCauseName(RetryCause cause)
{
    constexpr std::array<const char*, std::size_t(RetryCause::Count_)> names{
        "", "429", "timeout", "5xx", "connection", "409", "validation", "quality", "cancelled", "4xx", "auth", "redirect", "error"};
    return names[std::size_t(cause)];
}

} // namespace chokepoint
