// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/appinsightsrow.h"

#include <algorithm>

namespace chokepoint {

namespace {

struct ItemName {
    std::string_view name;
    AppInsightsItem item;
};

/// Classic tables, those of a workspace, item types, and what SDKs call them.
constexpr ItemName itemNames[] = {
    {"requests", AppInsightsItem::Request},
    {"AppRequests", AppInsightsItem::Request},
    {"request", AppInsightsItem::Request},
    {"RequestData", AppInsightsItem::Request},
    {"dependencies", AppInsightsItem::Dependency},
    {"AppDependencies", AppInsightsItem::Dependency},
    {"dependency", AppInsightsItem::Dependency},
    {"RemoteDependencyData", AppInsightsItem::Dependency},
    {"exceptions", AppInsightsItem::Exception},
    {"AppExceptions", AppInsightsItem::Exception},
    {"exception", AppInsightsItem::Exception},
    {"ExceptionData", AppInsightsItem::Exception},
    {"traces", AppInsightsItem::Message},
    {"AppTraces", AppInsightsItem::Message},
    {"trace", AppInsightsItem::Message},
    {"MessageData", AppInsightsItem::Message},
    {"customEvents", AppInsightsItem::CustomEvent},
    {"AppEvents", AppInsightsItem::CustomEvent},
    {"customEvent", AppInsightsItem::CustomEvent},
    {"EventData", AppInsightsItem::CustomEvent},
    {"pageViews", AppInsightsItem::PageView},
    {"AppPageViews", AppInsightsItem::PageView},
    {"pageView", AppInsightsItem::PageView},
    {"PageViewData", AppInsightsItem::PageView},
    {"availabilityResults", AppInsightsItem::Availability},
    {"AppAvailabilityResults", AppInsightsItem::Availability},
    {"availabilityResult", AppInsightsItem::Availability},
    {"AvailabilityData", AppInsightsItem::Availability},
};

const ItemName* itemNamed(std::string_view name)
{
    const auto found =
        std::find_if(std::begin(itemNames), std::end(itemNames), [name](const ItemName& known) { return known.name == name; });
    return found == std::end(itemNames) ? nullptr : found;
}

} // namespace

AppInsightsRow::AppInsightsRow(JsonNode object)
{
    const JsonNode body = object["data"];
    if (!body["baseType"]) {
        addMembers(object);
        return;
    }
    m_kind = body["baseType"].text();
    m_fields.emplace_back("time", object["time"]);
    addMembers(object["tags"]);
    addMembers(body["baseData"]);
}

AppInsightsRow::AppInsightsRow(const std::vector<std::string>& columns, JsonNode cells, std::string_view table) : m_kind(table)
{
    std::size_t at = 0;
    for (const JsonNode cell : cells)
        if (at < columns.size())
            m_fields.emplace_back(columns[at++], cell);
}

void AppInsightsRow::addMembers(JsonNode object)
{
    for (const JsonNode member : object)
        m_fields.emplace_back(member.key(), member);
}

JsonNode AppInsightsRow::first(std::initializer_list<std::string_view> names) const
{
    for (const std::string_view name : names)
        for (const auto& [key, node] : m_fields)
            if (key == name && node && !(node.isText() && node.token().raw.size() <= 2))
                return node;
    return {};
}

AppInsightsItem AppInsightsRow::item() const
{
    for (const std::string& name : {text({"itemType"}), text({"Type"}), m_kind})
        if (const ItemName* known = itemNamed(name))
            return known->item;
    if (first({"DependencyType", "Target", "target"}))
        return AppInsightsItem::Dependency;
    if (first({"DurationMs", "duration"}) && first({"Id", "id"}))
        return AppInsightsItem::Request;
    if (first({"ExceptionType", "ProblemId", "problemId"}))
        return AppInsightsItem::Exception;
    return first({"Message", "message"}) ? AppInsightsItem::Message : AppInsightsItem::Other;
}

} // namespace chokepoint
