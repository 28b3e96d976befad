// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/appinsightsreader.h"

#include "core/import/appinsightsrow.h"
#include "core/import/decodenumber.h"
#include "core/import/jsonhead.h"
#include "core/import/spanwindow.h"
#include "core/import/treerecords.h"

#include <algorithm>
#include <array>
#include <optional>

namespace chokepoint {

namespace {

/// Fields that are those of a span, of its resource, or named otherwise among its attributes.
constexpr std::string_view ownFields[] = {"TimeGenerated", "timestamp", "time", "Id", "id", "ParentId", "operation_ParentId",
    "ai.operation.parentId", "OperationId", "operation_Id", "ai.operation.id", "Name", "name", "DurationMs", "duration", "Success",
    "success", "ResultCode", "resultCode", "responseCode", "Target", "target", "DependencyType", "type", "Type", "Data", "data", "Url",
    "url", "uri", "AppRoleName", "cloud_RoleName", "ai.cloud.role", "AppRoleInstance", "cloud_RoleInstance", "ai.cloud.roleInstance",
    "AppVersion", "application_Version", "ai.application.ver", "Properties", "customDimensions", "properties", "Measurements",
    "customMeasurements", "measurements", "itemType", "itemId", "ver"};

/// "1.02:03:04.5678901" (days, hours, minutes, seconds) in nanoseconds.
std::optional<std::int64_t> nsOfTimeSpan(std::string_view text)
{
    const bool isNegative = !text.empty() && text.front() == '-';
    text.remove_prefix(isNegative ? 1 : 0);
    std::int64_t total = 0;
    const std::size_t hours = text.find(':');
    if (const std::size_t days = text.find('.'); days < hours) {
        const auto count = integerFromText(text.substr(0, days));
        if (!count || __builtin_mul_overflow(*count, std::int64_t(24), &total))
            return std::nullopt;
        text.remove_prefix(days + 1);
    }
    for (int part = 0; part < 2; ++part) {
        const std::size_t end = text.find(':');
        const auto count = end == std::string_view::npos ? std::nullopt : integerFromText(text.substr(0, end));
        if (!count || __builtin_add_overflow(total, *count, &total) || __builtin_mul_overflow(total, std::int64_t(60), &total))
            return std::nullopt;
        text.remove_prefix(end + 1);
    }
    const auto seconds = scaledInteger(text, 9);
    if (!seconds || __builtin_mul_overflow(total, std::int64_t(1'000'000'000), &total)
        || __builtin_add_overflow(total, seconds->value, &total))
        return std::nullopt;
    return isNegative ? -total : total;
}

class AppInsightsSpans {
public:
    AppInsightsSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place), m_window(m_span) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }
    [[nodiscard]] Result<void> finish() { return m_window.finish() ? Result<void>{} : fail(*m_span.failure()); }

private:
    [[nodiscard]] bool readRow(const AppInsightsRow& row);
    [[nodiscard]] bool readSpan(const AppInsightsRow& row, AppInsightsItem item);
    void readEvent(const AppInsightsRow& row, AppInsightsItem item);
    void readIds(const AppInsightsRow& row);
    void readDuration(JsonNode duration);
    void readKind(const AppInsightsRow& row, AppInsightsItem item);
    void readCall(const AppInsightsRow& row);
    void readFields(const AppInsightsRow& row);
    void readProperties(JsonNode properties);
    void readResource(const AppInsightsRow& row);

    TreeSpan m_span;
    SpanWindow m_window;
    JsonTree m_properties; // that came as a text
};

bool AppInsightsSpans::read(JsonNode record)
{
    const JsonNode columns = record.first({"columns", "Columns"});
    if (!columns.isArray()) {
        const AppInsightsRow row(record);
        const bool isNamed = record["data"] || !row.text({"itemType", "Type"}).empty();
        return isNamed || row.item() != AppInsightsItem::Other ? readRow(row) : m_span.leaveOut(record);
    }
    std::vector<std::string> names;
    for (const JsonNode column : columns)
        names.push_back(column.isObject() ? column.first({"name", "ColumnName"}).text() : column.text());
    const std::string table = record.first({"name", "TableName"}).text();
    for (const JsonNode cells : record.first({"rows", "Rows"}))
        if (!readRow(AppInsightsRow(names, cells, table)))
            return false;
    return true;
}

bool AppInsightsSpans::readRow(const AppInsightsRow& row)
{
    const AppInsightsItem item = row.item();
    switch (item) {
    case AppInsightsItem::Request:
    case AppInsightsItem::Dependency:
    case AppInsightsItem::PageView:
    case AppInsightsItem::Availability: return readSpan(row, item);
    case AppInsightsItem::Exception:
    case AppInsightsItem::Message:
    case AppInsightsItem::CustomEvent: readEvent(row, item); return true;
    case AppInsightsItem::Other: break;
    }
    return true; // metrics and counters
}

bool AppInsightsSpans::readSpan(const AppInsightsRow& row, AppInsightsItem item)
{
    m_span.begin();
    readIds(row);
    m_span.setName(row.text({"Name", "name"}));
    m_span.row().start = m_span.time(row.first({"TimeGenerated", "timestamp", "time"}), TimeUnit::Milliseconds);
    readDuration(row.first({"DurationMs", "duration"}));
    readKind(row, item);
    if (const std::string success = row.text({"Success", "success"}); success == "false" || success == "False")
        m_span.row().flags.setStatus(SpanStatus::Error);
    readCall(row);
    readFields(row);
    readResource(row);
    return m_window.add();
}

/// The first span of an operation names the operation itself as its parent.
void AppInsightsSpans::readIds(const AppInsightsRow& row)
{
    const std::string operation = row.text({"OperationId", "operation_Id", "ai.operation.id"});
    m_span.setTraceId(operation);
    m_span.setSpanId(row.text({"Id", "id"}));
    if (const std::string parent = row.text({"ParentId", "operation_ParentId", "ai.operation.parentId"}); parent != operation)
        m_span.setParentId(parent);
}

/// Milliseconds, or .NET's text of a time span.
void AppInsightsSpans::readDuration(JsonNode duration)
{
    const std::string text = duration.text();
    const auto ns = text.find(':') == std::string::npos ? std::nullopt : nsOfTimeSpan(text);
    std::int64_t end = 0;
    if (ns && isKnown(m_span.row().start) && !__builtin_add_overflow(toNs(m_span.row().start), *ns, &end))
        m_span.row().end = timestampFromNs(end);
    else
        m_span.setDuration(duration, TimeUnit::Milliseconds);
}

void AppInsightsSpans::readKind(const AppInsightsRow& row, AppInsightsItem item)
{
    const std::string type = row.text({"DependencyType", "type"});
    SpanKind kind = SpanKind::Client;
    if (item == AppInsightsItem::Request)
        kind = SpanKind::Server;
    else if (item != AppInsightsItem::Dependency || type.substr(0, 6) == "InProc")
        kind = SpanKind::Internal;
    else if (type.substr(0, 5) == "Queue")
        kind = SpanKind::Producer;
    m_span.row().flags.setKind(kind);
}

/// What was called, and what came back.
void AppInsightsSpans::readCall(const AppInsightsRow& row)
{
    const std::string type = row.text({"DependencyType", "type"});
    const JsonNode code = row.first({"ResultCode", "resultCode", "responseCode"});
    const auto number = integerFromText(code.text());
    if (number && *number >= 100 && *number < 600)
        m_span.attribute("http.response.status_code", *number);
    else if (code)
        m_span.attribute("result_code", code);
    const std::pair<const char*, JsonNode> fields[] = {{"url.full", row.first({"Url", "url", "uri"})},
        {"peer.service", row.first({"Target", "target"})}, {"dependency.type", row.first({"DependencyType", "type"})},
        {type.find("SQL") != std::string::npos ? "db.query.text" : "dependency.data", row.first({"Data", "data"})}};
    for (const auto& [key, node] : fields)
        if (node)
            m_span.attribute(key, node);
}

void AppInsightsSpans::readFields(const AppInsightsRow& row)
{
    for (const auto& [key, node] : row.fields()) {
        const bool isOwn = std::find(std::begin(ownFields), std::end(ownFields), key) != std::end(ownFields);
        if (!isOwn && node && !(node.isText() && node.text().empty()))
            m_span.attribute(key, node);
    }
    readProperties(row.first({"Properties", "customDimensions", "properties"}));
    readProperties(row.first({"Measurements", "customMeasurements", "measurements"}));
}

void AppInsightsSpans::readProperties(JsonNode properties)
{
    if (!properties.isText())
        m_span.attributes(properties);
    else if (m_properties.read(properties.text(), m_span.sink().diagnostics()))
        m_span.attributes(m_properties.root());
    else
        m_span.attribute("properties", properties);
}

void AppInsightsSpans::readEvent(const AppInsightsRow& row, AppInsightsItem item)
{
    m_span.begin();
    m_span.setTraceId(row.text({"OperationId", "operation_Id", "ai.operation.id"}));
    m_span.setSpanId(row.text({"ParentId", "operation_ParentId", "ai.operation.parentId"}));
    const Timestamp time = m_span.time(row.first({"TimeGenerated", "timestamp", "time"}), TimeUnit::Milliseconds);
    const JsonNode exceptions = row.first({"exceptions"});
    const JsonNode inner = exceptions.isArray() && exceptions.hasChildren() ? *exceptions.begin() : JsonNode();
    if (item == AppInsightsItem::Exception) {
        const std::string type = row.text({"ExceptionType", "type"});
        const std::string message = row.text({"OuterMessage", "outerMessage", "Message", "message"});
        m_span.beginException(time, type.empty() ? inner["typeName"].text() : type, message.empty() ? inner["message"].text() : message,
            inner["stack"].text());
    } else {
        m_span.beginEvent(row.text({"Name", "name", "Message", "message"}), time);
    }
    if (const JsonNode severity = row.first({"SeverityLevel", "severityLevel"}))
        m_span.attribute("severity", severity);
    readProperties(row.first({"Properties", "customDimensions", "properties"}));
    m_window.addEvent();
}

void AppInsightsSpans::readResource(const AppInsightsRow& row)
{
    Resource resource;
    const std::pair<const char*, JsonNode> fields[] = {{"service.name", row.first({"AppRoleName", "cloud_RoleName", "ai.cloud.role"})},
        {"service.version", row.first({"AppVersion", "application_Version", "ai.application.ver"})},
        {"service.instance.id", row.first({"AppRoleInstance", "cloud_RoleInstance", "ai.cloud.roleInstance"})}};
    for (const auto& [key, node] : fields)
        if (node)
            resource.attributes.push_back({key, m_span.value(node)});
    m_span.setResource(resource);
}

class AppInsightsReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 4> lists = {"tables", "Tables", "value", "data"};
        return readTrees<AppInsightsSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffAppInsights(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isEnvelope = json.has("data.baseType") && json.has("data.baseData");
    const bool isTable = json.has("tables[].columns") || json.has("Tables[].Columns");
    const bool isRow = json.hasAll({"TimeGenerated", "OperationId"}) || json.hasAll({"timestamp", "operation_Id"})
        || (json.has("value[].TimeGenerated") && json.has("value[].OperationId"));
    return isEnvelope || isTable || isRow ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createAppInsightsReader()
{
    return std::make_unique<AppInsightsReader>();
}

} // namespace chokepoint
