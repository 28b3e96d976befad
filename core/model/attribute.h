// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attribute values as people see them: the decoded, owning form of OpenTelemetry's AnyValue.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace chokepoint {

struct Attribute;

struct Bytes {
    std::string data;
    friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// A number that fits neither int64 nor a finite double; the source's decimal text is kept.
struct NumberText {
    std::string text;
    friend bool operator==(const NumberText&, const NumberText&) = default;
};

/// Attributes in the source's order; a key may occur more than once.
using AttributeList = std::vector<Attribute>;

/// std::monostate is the empty AnyValue (JSON null): present, without a value.
struct AttributeValue {
    using Array = std::vector<AttributeValue>;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes, NumberText, Array, AttributeList> value;

    friend bool operator==(const AttributeValue&, const AttributeValue&);
};

struct Attribute {
    std::string key;
    AttributeValue value;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

inline bool operator==(const AttributeValue& a, const AttributeValue& b)
{
    return a.value == b.value;
}

/// First value of \a key, or nullptr.
[[nodiscard]] const AttributeValue* findAttribute(const AttributeList& attributes, std::string_view key);

/// One-line text of a value: text as it is, numbers in full, containers as compact JSON, bytes as base64.
[[nodiscard]] std::string toText(const AttributeValue& value);

[[nodiscard]] std::string toBase64(std::string_view bytes);

} // namespace chokepoint
