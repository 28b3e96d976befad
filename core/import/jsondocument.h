// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// simdjson's on-demand parser behind a little tolerance: text that it refuses whole because of one byte is repaired first.
#pragma once

#include "core/base/diagnostics.h"
#include "core/import/jsontoken.h"
#include "core/import/recordplace.h"

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace chokepoint {

namespace json = simdjson::ondemand;

/// One parser for many documents, one at a time.
class JsonDocument {
public:
    /// \a text needs 64 readable bytes behind it and must stay as long as the document is used. Invalid UTF-8 becomes
    /// U+FFFD (INVALID_UTF8) and raw control characters in texts are taken as they are. False when the text is no JSON;
    /// faults in its middle show up while it is walked.
    [[nodiscard]] bool open(std::string_view text, Diagnostics& diagnostics);
    /// The same for text without padding, which is copied.
    [[nodiscard]] bool openCopy(std::string_view text, Diagnostics& diagnostics);

    [[nodiscard]] json::document& root() { return m_document; }
    /// The text that tokens point into: the one that was opened, or its repaired copy.
    [[nodiscard]] std::string_view text() const { return m_text; }

private:
    [[nodiscard]] simdjson::error_code start(std::string_view text);

    json::parser m_parser;
    json::document m_document;
    std::string m_copy;
    std::string_view m_text;
};

/// Walks the members of an object (elements of an array); visit returns false to stop. False when the text is malformed or
/// visit said so.
template <typename Visit> [[nodiscard]] bool forEachMember(json::object object, Visit&& visit)
{
    for (auto member : object) {
        json::field field;
        if (std::move(member).get(field) != simdjson::SUCCESS || !visit(field))
            return false;
    }
    return true;
}
template <typename Visit> [[nodiscard]] bool forEachElement(json::array array, Visit&& visit)
{
    for (auto element : array) {
        json::value value;
        if (element.get(value) != simdjson::SUCCESS || !visit(value))
            return false;
    }
    return true;
}

/// The token at which a value begins; the value itself is not moved.
[[nodiscard]] inline JsonToken tokenOf(json::value& value)
{
    return jsonToken(value.raw_json_token());
}

/// Visits the object that \a value is, or those in the lists inside lists that it is, down to \a deepest; \a other sees the token
/// of everything else. False when the text is malformed or one of them said so.
template <typename Visit, typename Other>
[[nodiscard]] bool forEachObject(json::value value, unsigned depth, unsigned deepest, const Visit& visit, const Other& other)
{
    const JsonToken token = tokenOf(value);
    if (token.kind == JsonKind::Array && depth <= deepest) {
        json::array array;
        return value.get_array().get(array) == simdjson::SUCCESS
            && forEachElement(array, [&](json::value& element) { return forEachObject(element, depth + 1, deepest, visit, other); });
    }
    json::object object;
    if (token.kind == JsonKind::Object && depth <= deepest)
        return value.get_object().get(object) == simdjson::SUCCESS && visit(object, depth);
    return other(token);
}

/// Visits the objects of the list that \a value is; \a other is called for what else stands in it. What is no list is passed over.
/// False when the text is malformed or a visit said so.
template <typename Visit, typename Other> [[nodiscard]] bool forEachObjectOfList(json::value value, const Visit& visit, const Other& other)
{
    const JsonToken token = tokenOf(value);
    json::array array;
    if (token.kind != JsonKind::Array)
        return token.kind != JsonKind::Invalid;
    return value.get_array().get(array) == simdjson::SUCCESS && forEachElement(array, [&](json::value& element) {
        json::object object;
        if (tokenOf(element).kind == JsonKind::Object)
            return element.get_object().get(object) == simdjson::SUCCESS && visit(object);
        other();
        return true;
    });
}

/// The same where what else stands in the list tells nothing.
template <typename Visit> [[nodiscard]] bool forEachObjectOfList(json::value value, const Visit& visit)
{
    return forEachObjectOfList(value, visit, [] {});
}

/// Counts what stands where spans are expected and holds none (BAD_RECORD); null is nothing. False when it is no JSON.
bool passMisplaced(const JsonToken& token, Diagnostics& diagnostics, const RecordPlace& place);

/// The name of a member as it is escaped. Its end is looked for from the value on backwards: only a colon and white space stand between.
[[nodiscard]] inline std::string_view rawKey(const json::field& field)
{
    json::value value = field.second;
    const char* begin = field.key().raw();
    const char* end = value.raw_json_token().data() - 1;
    while (*end != '"')
        --end;
    return {begin, std::size_t(end - begin)};
}

} // namespace chokepoint
