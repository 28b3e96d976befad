// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attribute values as counts, amounts and members: numbers may be written as texts, structures as JSON texts.
#pragma once

#include "core/analysis/usage.h"
#include "core/analysis/usagekeys.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace chokepoint {

/// A whole number >= 0, or unknown for all else.
[[nodiscard]] TokenCount tokenCountOf(const PackedValue& value);
[[nodiscard]] std::optional<double> numberOf(const PackedValue& value);
/// An amount >= 0; nothing for all else.
[[nodiscard]] std::optional<Money> moneyOf(const PackedValue& value);
[[nodiscard]] bool isTrue(const PackedValue& value); // true, "True", 1
/// MLflow writes texts as JSON, quotes included.
[[nodiscard]] std::string_view unquoted(std::string_view text);
/// The count that \a field (Input to ImageInput) names.
[[nodiscard]] TokenCount& countOf(ReportedTokens& reported, UsageField field);

/// The value of \a key among packed attributes.
[[nodiscard]] std::optional<PackedValue> attributeOf(std::string_view attributes, std::string_view key, const StringPool& strings);

/// A map, or a JSON text of one, read once for several members. Borrows from the value.
class StructuredValue {
public:
    StructuredValue() = default;
    StructuredValue(const PackedValue& value, const StringPool& strings);

    /// The scalar at the first of \a paths that is there; dots descend. A text in it borrows from this object.
    [[nodiscard]] std::optional<PackedValue> first(const std::vector<std::string>& paths) const;

private:
    [[nodiscard]] std::optional<PackedValue> at(std::string_view path) const;

    std::string_view m_map; // packed attributes
    const StringPool* m_strings = nullptr;
    nlohmann::json m_json;
};

} // namespace chokepoint
