// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsonhead.h"

#include <algorithm>
#include <array>

namespace chokepoint {

using namespace std::string_view_literals;

namespace {

constexpr std::size_t membersAtMost = 4000;
constexpr std::size_t deepestPath = 12; // an answer of Tempo inside a list needs nine

constexpr std::array<std::string_view, 12> wrappers = {"", "data.", "data[].", "result.", "trace.", "trace[].", "request.", "body.",
    "data.trace.", "_source.", "hits.hits[]._source.", "runs[]."};

/// Where in the nesting the walk is: the path of the container, and whether its members have names.
struct Container {
    std::string path;
    bool isObject = false;
};

/// A string from its opening quote on; ends at the closing quote or with the text.
std::string_view takeString(std::string_view& text)
{
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    const std::string_view content = text.substr(1, end - 1);
    text.remove_prefix(std::min(end + 1, text.size()));
    return content;
}

std::string_view takeWord(std::string_view& text)
{
    const std::size_t end = std::min(text.find_first_of(" \r\n\t,:{}[]\"\0"sv), text.size());
    const std::string_view word = text.substr(0, std::max<std::size_t>(end, 1));
    text.remove_prefix(word.size());
    return word;
}

} // namespace

JsonHead::JsonHead(std::string_view text)
{
    const std::size_t start = text.find_first_not_of(" \r\n\t,\x1e\0"sv);
    m_isJson = start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
    std::vector<Container> open;
    std::string name; // of the member whose value comes next
    bool hasName = false;
    while (!text.empty() && m_members.size() < membersAtMost) {
        const char c = text.front();
        if (c == '{' || c == '[') {
            const bool isMember = !open.empty() && open.back().isObject;
            std::string path;
            if (open.size() < deepestPath) { // no member below is noted, and paths of a million brackets fill the memory
                path = open.empty() ? std::string() : open.back().path;
                if (isMember && hasName)
                    path = name;
                if (c == '[' && !path.empty())
                    path += "[]";
            }
            open.push_back({std::move(path), c == '{'});
            hasName = false;
            text.remove_prefix(1);
        } else if (c == '}' || c == ']') {
            if (!open.empty())
                open.pop_back();
            hasName = false;
            text.remove_prefix(1);
        } else if (c == '"' && !open.empty() && open.back().isObject && !hasName) {
            const std::string_view key = takeString(text);
            name = open.back().path.empty() ? std::string(key) : open.back().path + '.' + std::string(key);
            hasName = true;
            if (open.size() <= deepestPath && !has(name))
                m_members.push_back({name, {}, open.back().path.empty()});
        } else if (c == '"' || (c > ' ' && c != ',' && c != ':' && c != '\x1e')) {
            const std::string_view value = c == '"' ? takeString(text) : takeWord(text);
            if (hasName && open.size() <= deepestPath && !m_members.empty() && m_members.back().path == name)
                m_members.back().scalar = value.substr(0, 200);
            hasName = false;
        } else {
            text.remove_prefix(1);
        }
    }
}

bool JsonHead::has(std::string_view path) const
{
    return std::any_of(m_members.begin(), m_members.end(), [&](const Member& member) { return member.path == path; });
}

bool JsonHead::hasAll(std::initializer_list<std::string_view> names) const
{
    return std::any_of(wrappers.begin(), wrappers.end(), [&](std::string_view wrapper) {
        return std::all_of(
            names.begin(), names.end(), [&](std::string_view name) { return name.empty() || has(std::string(wrapper).append(name)); });
    });
}

std::string_view JsonHead::scalar(std::string_view path) const
{
    for (const Member& member : m_members)
        if (member.path == path)
            return member.scalar;
    return {};
}

std::vector<std::string> JsonHead::topNames(std::size_t count) const
{
    std::vector<std::string> names;
    for (const Member& member : m_members)
        if (names.size() < count && member.isTop)
            names.push_back(member.path);
    return names;
}

} // namespace chokepoint
