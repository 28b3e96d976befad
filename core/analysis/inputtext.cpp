// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/inputtext.h"

#include "core/base/ids.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace chokepoint {

namespace {

constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? char(c + 32) : c;
}
constexpr bool isHex(char c)
{
    return isDigit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}
constexpr bool isWord(char c)
{
    return isDigit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && isSpace(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isSpace(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Members that differ between two tries of one call.
bool isVolatile(std::string_view key)
{
    constexpr std::array<std::string_view, 14> names{"id", "uuid", "created", "created_at", "timestamp", "time", "date", "model", "seed",
        "temperature", "top_p", "user", "traceparent", "idempotency_key"};
    return key.ends_with("_id") || key.ends_with("Id") || std::find(names.begin(), names.end(), key) != names.end();
}

/// Position after the string that begins at \a i.
std::size_t afterString(std::string_view text, std::size_t i)
{
    for (++i; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return text.size();
}

std::size_t afterSpace(std::string_view text, std::size_t i)
{
    while (i < text.size() && isSpace(text[i]))
        ++i;
    return i;
}

/// Position after the value that begins at \a i.
std::size_t afterValue(std::string_view text, std::size_t i)
{
    std::size_t depth = 0;
    for (i = afterSpace(text, i); i < text.size();) {
        const char c = text[i];
        if (c == '"') {
            i = afterString(text, i);
            if (depth == 0)
                return i;
            continue;
        }
        if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth <= 1)
                return depth == 0 ? i : i + 1;
            --depth;
        } else if (c == ',' && depth == 0) {
            return i;
        }
        ++i;
    }
    return i;
}

/// Adds what JSON \a text says to a hash, token by token.
std::uint64_t jsonHash(std::string_view text)
{
    std::uint64_t hash = 0;
    bool says = false;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        std::size_t end = i + 1;
        if (c == '"') {
            end = afterString(text, i);
            const std::string_view token = text.substr(i, end - i);
            const std::size_t colon = afterSpace(text, end);
            const bool isKey = colon < text.size() && text[colon] == ':';
            if (isKey && isVolatile(token.substr(1, token.size() < 2 ? 0 : token.size() - 2))) {
                i = afterValue(text, colon + 1);
                continue;
            }
            hash = hash64(token, hash + (isKey ? 1 : 0));
            says |= !isKey && token != "\"\"";
        } else if (isWord(c) || c == '-' || c == '.') {
            while (end < text.size() && (isWord(text[end]) || text[end] == '.' || text[end] == '-' || text[end] == '+'))
                ++end;
            hash = hash64(text.substr(i, end - i), hash);
            says = true;
        }
        i = end;
    }
    return says ? hash | 1U : 0; // never the hash of nothing
}

/// The array of messages in \a text, from its bracket on.
std::string_view messageArray(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('[')) {
        const std::size_t first = afterSpace(text, 1);
        return first < text.size() && text[first] == '[' ? text.substr(first) : text;
    }
    if (!text.starts_with('{'))
        return {};
    for (std::size_t i = afterSpace(text, 1); i < text.size() && text[i] == '"';) {
        const std::size_t keyEnd = afterString(text, i);
        const std::string_view key = text.substr(i, keyEnd - i);
        const std::size_t value = afterSpace(text, afterSpace(text, keyEnd) + 1);
        if (value < text.size() && text[value] == '[' && (key == "\"messages\"" || key == "\"input\""))
            return messageArray(text.substr(value));
        i = afterSpace(text, afterValue(text, value));
        i = i < text.size() && text[i] == ',' ? afterSpace(text, i + 1) : text.size();
    }
    return {};
}

bool contains(std::string_view text, std::string_view lowerCase)
{
    return std::search(text.begin(), text.end(), lowerCase.begin(), lowerCase.end(), [](char a, char b) { return lower(a) == b; })
        != text.end();
}

} // namespace

std::uint64_t inputHash(std::string_view text)
{
    text = trimmed(text);
    if (text.empty())
        return 0;
    if (text.front() == '{' || text.front() == '[')
        return jsonHash(text);
    return hash64(text) | 1U;
}

void forEachMessage(std::string_view text, const std::function<void(std::string_view)>& visit)
{
    const std::string_view array = messageArray(text);
    if (array.empty())
        return;
    for (std::size_t i = afterSpace(array, 1); i < array.size() && array[i] == '{';) {
        const std::size_t end = afterValue(array, i);
        visit(array.substr(i, end - i));
        i = afterSpace(array, end);
        i = i < array.size() && array[i] == ',' ? afterSpace(array, i + 1) : array.size();
    }
}

MessageEnd messageEnd(std::string_view message)
{
    constexpr std::size_t longest = 4096; // reports of errors are short, or say so at their beginning
    message = message.substr(0, longest);
    constexpr std::array<std::string_view, 12> corrections{"retry-prompt", "retry_prompt", "validation error", "validationerror",
        "failed validation", "not valid", "invalid json", "could not parse", "failed to parse", "try again", "fix the", "correct the"};
    constexpr std::array<std::string_view, 4> tools{"\"tool\"", "tool_result", "tool_call_response", "\"function\""};
    const auto has = [&](std::string_view words) { return contains(message, words); };
    return {std::any_of(corrections.begin(), corrections.end(), has), std::any_of(tools.begin(), tools.end(), has)};
}

std::vector<std::uint32_t> wordHashes(std::string_view query)
{
    constexpr std::size_t longest = 2048;
    constexpr std::size_t most = 16;
    std::vector<std::uint32_t> words;
    if (query.size() > longest)
        return words;
    std::string word;
    for (std::size_t i = 0; i <= query.size(); ++i) {
        if (i < query.size() && isWord(query[i])) {
            word += lower(query[i]);
        } else if (!word.empty()) {
            words.push_back(std::uint32_t(hash64(word)));
            word.clear();
        }
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    words.resize(std::min(words.size(), most));
    return words;
}

double wordSimilarity(const std::uint32_t* a, std::size_t aCount, const std::uint32_t* b, std::size_t bCount)
{
    if (aCount == 0 || bCount == 0)
        return 0;
    std::vector<std::uint32_t> both;
    std::set_intersection(a, a + aCount, b, b + bCount, std::back_inserter(both));
    return double(both.size()) / double(aCount + bCount - both.size());
}

std::string withoutIds(std::string_view name)
{
    std::string result;
    for (std::size_t i = 0; i < name.size();) {
        std::size_t hex = i;
        std::size_t digits = 0;
        while (hex < name.size() && (isHex(name[hex]) || (name[hex] == '-' && hex > i))) {
            digits += isDigit(name[hex]) ? 1 : 0;
            ++hex;
        }
        std::size_t decimal = i;
        while (decimal < name.size() && isDigit(name[decimal]))
            ++decimal;
        const bool wordBefore = i > 0 && isWord(name[i - 1]) && !isDigit(name[i]);
        const bool wordAfter = hex < name.size() && isWord(name[hex]);
        if (hex - i >= 8 && digits > 0 && !wordBefore && !wordAfter) {
            result += '#';
            i = hex;
        } else if (decimal - i >= 4) {
            result += '#';
            i = decimal;
        } else {
            const std::size_t end = std::max(decimal, i + 1); // a short number stays whole
            for (; i < end; ++i)
                result += lower(name[i]);
        }
    }
    return result;
}

std::uint64_t targetHash(std::string_view pathAndQuery)
{
    pathAndQuery = pathAndQuery.substr(0, pathAndQuery.find('#'));
    const std::size_t mark = std::min(pathAndQuery.find('?'), pathAndQuery.size());
    std::uint64_t hash = hash64(pathAndQuery.substr(0, mark));
    std::string_view query = pathAndQuery.substr(std::min(mark + 1, pathAndQuery.size()));
    constexpr std::array<std::string_view, 9> paging{"page", "offset", "cursor", "next_token", "scroll", "start", "skip", "after", "limit"};
    while (!query.empty()) {
        const std::string_view parameter = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(parameter.size() + 1, query.size()));
        std::string key;
        for (const char c : parameter.substr(0, parameter.find('=')))
            key += lower(c);
        const bool pages = std::any_of(paging.begin(), paging.end(), [&](std::string_view name) { return key.find(name) != key.npos; });
        hash = hash64(pages ? std::string(parameter) : withoutIds(parameter), hash);
    }
    return hash | 1U;
}

} // namespace chokepoint
