// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One record of Application Insights whatever it came as: an object, a row of a table, or an SDK's envelope.
#pragma once

#include "core/import/jsontree.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chokepoint {

enum class AppInsightsItem { Request, Dependency, Exception, Message, CustomEvent, PageView, Availability, Other };

class AppInsightsRow {
public:
    /// An object with a member for each field, or an envelope {time, tags, data: {baseType, baseData}}.
    explicit AppInsightsRow(JsonNode object);
    /// A row below \a columns, which have names; \a table is the table's name.
    AppInsightsRow(const std::vector<std::string>& columns, JsonNode cells, std::string_view table);

    /// The first of \a names that is there and neither null nor an empty text.
    [[nodiscard]] JsonNode first(std::initializer_list<std::string_view> names) const;
    [[nodiscard]] std::string text(std::initializer_list<std::string_view> names) const { return first(names).text(); }
    /// By what the record calls itself, else by the fields that it has.
    [[nodiscard]] AppInsightsItem item() const;
    [[nodiscard]] const std::vector<std::pair<std::string_view, JsonNode>>& fields() const { return m_fields; }

private:
    void addMembers(JsonNode object);

    std::vector<std::pair<std::string_view, JsonNode>> m_fields;
    std::string m_kind;
};

} // namespace chokepoint
