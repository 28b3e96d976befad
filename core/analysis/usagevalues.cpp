// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/usagevalues.h"

#include <charconv>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::size_t longestJson = std::size_t(1) << 20; // usage is short; an answer that happens to be JSON may not be

std::optional<PackedValue> scalarOf(const nlohmann::json& json)
{
    PackedValue value;
    if (json.is_number_integer()) {
        value.tag = ValueTag::Int;
        value.integer = json.get<std::int64_t>();
    } else if (json.is_number()) {
        value.tag = ValueTag::Double;
        value.real = json.get<double>();
    } else if (json.is_boolean()) {
        value.tag = json.get<bool>() ? ValueTag::True : ValueTag::False;
    } else if (json.is_string()) {
        value.tag = ValueTag::Text;
        value.text = json.get_ref<const std::string&>();
    } else {
        return std::nullopt;
    }
    return value;
}

} // namespace

std::string_view unquoted(std::string_view text)
{
    return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

std::optional<double> numberOf(const PackedValue& value)
{
    if (value.tag == ValueTag::Int)
        return double(value.integer);
    if (value.tag == ValueTag::Double)
        return std::isfinite(value.real) ? std::optional(value.real) : std::nullopt;
    if (value.tag == ValueTag::True || value.tag == ValueTag::False)
        return value.tag == ValueTag::True ? 1 : 0;
    const std::string_view text = value.isText() ? unquoted(value.text) : std::string_view();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isWhole = !text.empty() && error == std::errc() && end == text.data() + text.size();
    return isWhole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

TokenCount tokenCountOf(const PackedValue& value)
{
    constexpr double most = 9007199254740992.0; // 2^53: larger ones are no counts, and doubles lose units
    if (value.tag == ValueTag::Int)
        return value.integer >= 0 && double(value.integer) <= most ? TokenCount(value.integer) : TokenCount();
    const std::optional<double> number = value.tag == ValueTag::True || value.tag == ValueTag::False ? std::nullopt : numberOf(value);
    const bool isCount = number && *number >= 0 && *number <= most && *number == std::floor(*number);
    return isCount ? TokenCount(std::int64_t(*number)) : TokenCount();
}

std::optional<Money> moneyOf(const PackedValue& value)
{
    std::optional<Money> money;
    if (value.tag == ValueTag::Int)
        money = Money::fromText(std::to_string(value.integer));
    else if (value.tag == ValueTag::Double)
        money = Money::fromNumber(value.real);
    else if (value.isText() || value.tag == ValueTag::NumberText)
        money = Money::fromText(unquoted(value.text));
    return money && *money >= Money() ? money : std::nullopt;
}

bool isTrue(const PackedValue& value)
{
    const std::string_view text = value.isText() ? unquoted(value.text) : std::string_view();
    return value.tag == ValueTag::True || text == "true" || text == "True" || (value.tag == ValueTag::Int && value.integer == 1);
}

TokenCount& countOf(ReportedTokens& reported, UsageField field)
{
    constexpr std::array members{&ReportedTokens::input, &ReportedTokens::output, &ReportedTokens::total, &ReportedTokens::cacheRead,
        &ReportedTokens::cacheWrite, &ReportedTokens::cacheWrite1h, &ReportedTokens::reasoning, &ReportedTokens::audioInput,
        &ReportedTokens::audioOutput, &ReportedTokens::imageInput};
    return reported.*members[std::size_t(field)];
}

std::optional<PackedValue> attributeOf(std::string_view attributes, std::string_view key, const StringPool& strings)
{
    std::optional<PackedValue> found;
    PackedCursor cursor(attributes);
    forEachAttribute(cursor, strings, [&](StringId id, const PackedValue& value) {
        if (strings.text(id) == key)
            found = value;
        return !found.has_value();
    });
    return found;
}

StructuredValue::StructuredValue(const PackedValue& value, const StringPool& strings) : m_strings(&strings)
{
    if (value.tag == ValueTag::Map)
        m_map = value.container;
    else if (value.isText() && value.text.size() <= longestJson)
        m_json = nlohmann::json::parse(value.text, nullptr, false);
    if (m_json.is_string()) // MLflow: JSON inside a JSON text
        m_json = nlohmann::json::parse(std::string(m_json.get_ref<const std::string&>()), nullptr, false);
}

std::optional<PackedValue> StructuredValue::at(std::string_view path) const
{
    std::string_view map = m_map;
    const nlohmann::json* json = &m_json;
    while (true) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const std::string_view name = path.substr(0, dot);
        const bool isLast = dot == path.size();
        path.remove_prefix(isLast ? dot : dot + 1);
        if (!map.empty()) {
            const std::optional<PackedValue> value = attributeOf(map, name, *m_strings);
            if (isLast || !value || value->tag != ValueTag::Map)
                return isLast ? value : std::nullopt;
            map = value->container;
            continue;
        }
        const auto member = json->is_object() ? json->find(name) : json->end();
        if (!json->is_object() || member == json->end())
            return std::nullopt;
        if (isLast)
            return scalarOf(*member);
        json = &*member;
    }
}

std::optional<PackedValue> StructuredValue::first(const std::vector<std::string>& paths) const
{
    for (const std::string& path : paths) {
        if (std::optional<PackedValue> value = at(path))
            return value;
    }
    return std::nullopt;
}

} // namespace chokepoint
