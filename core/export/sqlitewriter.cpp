// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/sqlitewriter.h"

#include "core/base/starttext.h"
#include "core/base/utf8.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace chokepoint {

namespace {

// The neighbour is renamed when complete and thrown away otherwise, so nothing has to survive a crash: no journal, no sync.
constexpr const char* schema = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE trace(trace_id TEXT PRIMARY KEY, root_name TEXT, root_service TEXT, span_count INTEGER NOT NULL,
  start_unix_ns INTEGER, duration_ns INTEGER) WITHOUT ROWID;
CREATE TABLE resource(resource_key INTEGER PRIMARY KEY, service TEXT NOT NULL, attributes TEXT NOT NULL,
  dropped_attributes INTEGER NOT NULL, schema_url TEXT NOT NULL);
CREATE TABLE span(span_key INTEGER PRIMARY KEY, trace_id TEXT NOT NULL, span_id TEXT NOT NULL, parent_span_id TEXT,
  service TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, status_message TEXT NOT NULL,
  stage TEXT NOT NULL, start_unix_ns INTEGER, end_unix_ns INTEGER, duration_ns INTEGER, resource_key INTEGER NOT NULL REFERENCES resource,
  scope_name TEXT NOT NULL, scope_version TEXT NOT NULL, trace_state TEXT NOT NULL, flags INTEGER NOT NULL,
  dropped_attributes INTEGER NOT NULL, dropped_events INTEGER NOT NULL, dropped_links INTEGER NOT NULL);
CREATE TABLE attribute(span_key INTEGER NOT NULL REFERENCES span, position INTEGER NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL, value);
CREATE TABLE event(span_key INTEGER NOT NULL REFERENCES span, position INTEGER NOT NULL, time_unix_ns INTEGER, name TEXT NOT NULL,
  attributes TEXT NOT NULL, dropped_attributes INTEGER NOT NULL);
CREATE TABLE link(span_key INTEGER NOT NULL REFERENCES span, position INTEGER NOT NULL, trace_id TEXT NOT NULL, span_id TEXT NOT NULL,
  trace_state TEXT NOT NULL, attributes TEXT NOT NULL, dropped_attributes INTEGER NOT NULL, flags INTEGER NOT NULL);
BEGIN;
)";

constexpr const char* indexes = R"(
COMMIT;
CREATE INDEX span_by_trace ON span(trace_id);
CREATE INDEX span_by_name ON span(service, name);
CREATE INDEX attribute_by_span ON attribute(span_key);
CREATE INDEX attribute_by_key ON attribute(key);
CREATE INDEX event_by_span ON event(span_key);
CREATE INDEX link_by_span ON link(span_key);
)";

std::string attributesText(const AttributeList& attributes)
{
    return attributes.empty() ? "{}" : toText(AttributeValue{attributes});
}

/// One INSERT: values go in from left to right, run() adds the row. Strings must live until then.
class Insert {
public:
    Insert(sqlite3* database, const char* sql) { m_ok = sqlite3_prepare_v2(database, sql, -1, &m_statement, nullptr) == SQLITE_OK; }
    Insert(const Insert&) = delete;
    Insert& operator=(const Insert&) = delete;
    ~Insert() { sqlite3_finalize(m_statement); }

    Insert& integer(std::int64_t value) { return bound(sqlite3_bind_int64(m_statement, ++m_column, value)); }
    Insert& real(double value) { return bound(sqlite3_bind_double(m_statement, ++m_column, value)); }
    Insert& null() { return bound(sqlite3_bind_null(m_statement, ++m_column)); }
    Insert& blob(std::string_view bytes)
    {
        return bound(
            sqlite3_bind_blob64(m_statement, ++m_column, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(), SQLITE_TRANSIENT));
    }
    Insert& text(std::string_view text)
    {
        if (!isValidUtf8(text))
            return this->text(repairedUtf8(text));
        const char* begin = text.data() == nullptr ? "" : text.data(); // a null pointer would bind NULL
        return bound(sqlite3_bind_text64(m_statement, ++m_column, begin, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    }
    Insert& time(Timestamp time) { return isKnown(time) ? integer(toNs(time)) : null(); }
    Insert& duration(Duration duration) { return isKnown(duration) ? integer(toNs(duration)) : null(); }

    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] bool run()
    {
        const bool done = m_ok && sqlite3_step(m_statement) == SQLITE_DONE;
        sqlite3_reset(m_statement);
        m_column = 0;
        return done;
    }

private:
    Insert& bound(int code)
    {
        m_ok = m_ok && code == SQLITE_OK;
        return *this;
    }

    sqlite3_stmt* m_statement = nullptr;
    int m_column = 0;
    bool m_ok = true;
};

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};

void bindValue(Insert& row, const AttributeValue& value)
{
    const auto& v = value.value;
    if (const auto* flag = std::get_if<bool>(&v))
        row.text("bool").integer(*flag ? 1 : 0);
    else if (const auto* integer = std::get_if<std::int64_t>(&v))
        row.text("int").integer(*integer);
    else if (const auto* real = std::get_if<double>(&v); real != nullptr && std::isfinite(*real))
        row.text("double").real(*real);
    else if (const auto* text = std::get_if<std::string>(&v))
        row.text("string").text(*text);
    else if (const auto* bytes = std::get_if<Bytes>(&v))
        row.text("bytes").blob(bytes->data);
    else if (std::holds_alternative<std::monostate>(v))
        row.text("empty").null();
    else
        row.text(std::holds_alternative<AttributeValue::Array>(v) ? "array"
                   : std::holds_alternative<AttributeList>(v)     ? "map"
                                                                  : "number")
            .text(toText(value));
}

} // namespace

/// The open file, its prepared rows and the keys given so far. Functions return false when SQLite refused.
struct SqliteWriter::Database {
    explicit Database(sqlite3* opened) : connection(opened) { }
    [[nodiscard]] bool execute(const char* sql) { return sqlite3_exec(connection.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK; }
    [[nodiscard]] bool prepare();
    [[nodiscard]] bool addTrace(const Trace& trace, const ExportOptions& options);
    [[nodiscard]] bool addSpan(const Trace& trace, std::size_t span, const ExportOptions& options);
    [[nodiscard]] bool addPayload(const SpanPayload& payload);
    [[nodiscard]] std::optional<std::int64_t> resourceKey(const Trace& trace, ResourceId id);

    std::unique_ptr<sqlite3, CloseDatabase> connection;
    std::optional<Insert> trace;
    std::optional<Insert> resource;
    std::optional<Insert> span;
    std::optional<Insert> attribute;
    std::optional<Insert> event;
    std::optional<Insert> link;
    std::int64_t spanKey = 0; // of the span written last
    std::int64_t resources = 0;
    const Dictionary* dictionary = nullptr; // of the trace written last
    std::unordered_map<ResourceId, std::int64_t> resourceKeys; // of that dictionary
};

bool SqliteWriter::Database::prepare()
{
    if (!execute(schema))
        return false;
    sqlite3* db = connection.get();
    trace.emplace(db, "INSERT OR IGNORE INTO trace VALUES(?,?,?,?,?,?)");
    resource.emplace(db, "INSERT INTO resource VALUES(?,?,?,?,?)");
    span.emplace(db, "INSERT INTO span VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    attribute.emplace(db, "INSERT INTO attribute VALUES(?,?,?,?,?)");
    event.emplace(db, "INSERT INTO event VALUES(?,?,?,?,?,?)");
    link.emplace(db, "INSERT INTO link VALUES(?,?,?,?,?,?,?,?)");
    return trace->ok() && resource->ok() && span->ok() && attribute->ok() && event->ok() && link->ok();
}

bool SqliteWriter::Database::addTrace(const Trace& added, const ExportOptions& options)
{
    const TraceView view = added.view();
    const std::int32_t root = primaryRoot(view, true);
    const TimeRange extent = traceExtent(view);
    const Timestamp start = earliestStart(view.start);
    trace->text(added.idName())
        .text(root < 0 ? std::string_view() : added.name(std::size_t(root)))
        .text(root < 0 ? std::string_view() : added.service(std::size_t(root)))
        .integer(std::int64_t(added.size()))
        .time(start)
        .duration(isKnown(start) ? extent.length() : unknownDuration);
    if (!trace->run())
        return false;
    for (std::size_t i = 0; i < added.size(); ++i) {
        if (!addSpan(added, i, options))
            return false;
    }
    return true;
}

std::optional<std::int64_t> SqliteWriter::Database::resourceKey(const Trace& added, ResourceId id)
{
    if (dictionary != &added.dictionary()) {
        dictionary = &added.dictionary();
        resourceKeys.clear();
    }
    const auto [found, isNew] = resourceKeys.try_emplace(id, resources + 1);
    if (!isNew)
        return found->second;
    const Resource& content = dictionary->resource(id);
    resource->integer(++resources)
        .text(dictionary->text(dictionary->service(id)))
        .text(attributesText(content.attributes))
        .integer(content.droppedAttributes)
        .text(content.schemaUrl);
    return resource->run() ? std::optional(resources) : std::nullopt;
}

bool SqliteWriter::Database::addSpan(const Trace& added, std::size_t i, const ExportOptions& options)
{
    const SpanRow row = added.columns().spans.row(i);
    const SpanPayload payload = added.payload(i);
    const Scope& scope = added.dictionary().scope(row.scope);
    const std::optional<std::int64_t> key = resourceKey(added, row.resource);
    if (!key)
        return false;
    span->integer(++spanKey).text(added.idName()).text(added.spanIdName(i));
    if (row.parentId.isNull())
        span->null();
    else
        span->text(added.parentIdName(i));
    span->text(added.service(i)).text(added.name(i)).text(spanKindName(row.flags.kind())).text(spanStatusName(row.flags.status()));
    span->text(payload.statusMessage).text(options.stageOf ? options.stageOf(added, i) : std::string());
    span->time(row.start).time(row.end).duration(spanDuration(row.start, row.end, row.flags));
    span->integer(*key).text(scope.name).text(scope.version).text(payload.traceState).integer(payload.flags);
    span->integer(payload.droppedAttributes).integer(payload.droppedEvents).integer(payload.droppedLinks);
    return span->run() && addPayload(payload);
}

bool SqliteWriter::Database::addPayload(const SpanPayload& payload)
{
    std::int64_t position = 0;
    for (const Attribute& a : payload.attributes) {
        attribute->integer(spanKey).integer(position++).text(a.key);
        bindValue(*attribute, a.value);
        if (!attribute->run())
            return false;
    }
    position = 0;
    for (const SpanEvent& e : payload.events) {
        event->integer(spanKey)
            .integer(position++)
            .time(e.time)
            .text(e.name)
            .text(attributesText(e.attributes))
            .integer(e.droppedAttributes);
        if (!event->run())
            return false;
    }
    position = 0;
    for (const SpanLink& l : payload.links) {
        link->integer(spanKey).integer(position++);
        link->text(l.traceIdText.empty() ? toHex(l.traceId) : l.traceIdText).text(l.spanIdText.empty() ? toHex(l.spanId) : l.spanIdText);
        link->text(l.traceState).text(attributesText(l.attributes)).integer(l.droppedAttributes).integer(l.flags);
        if (!link->run())
            return false;
    }
    return true;
}

SqliteWriter::SqliteWriter(OutputFile file, ExportOptions options, std::unique_ptr<Database> database)
    : m_file(std::move(file)), m_options(std::move(options)), m_database(std::move(database))
{
}
SqliteWriter::SqliteWriter(SqliteWriter&&) noexcept = default;
SqliteWriter& SqliteWriter::operator=(SqliteWriter&&) noexcept = default;
SqliteWriter::~SqliteWriter() = default;

tl::unexpected<Error> SqliteWriter::failure() const
{
    sqlite3* connection = m_database->connection.get();
    if (sqlite3_errcode(connection) == SQLITE_FULL)
        return cannotWrite(m_file.path(), ENOSPC);
    const int code = sqlite3_system_errno(connection);
    return cannotWrite(m_file.path(), code == 0 ? EIO : code);
}

Result<SqliteWriter> SqliteWriter::create(OutputFile file, const ExportOptions& options)
{
    if (!file.isRegular())
        return fail(ErrorCode::CannotWrite, "a SQLite database needs a regular file; choose a file name",
            {.file = file.path(), .line = {}, .byte = {}});
    sqlite3* connection = nullptr;
    sqlite3_open_v2(file.partPath().c_str(), &connection, SQLITE_OPEN_READWRITE, nullptr);
    SqliteWriter writer(std::move(file), options, std::make_unique<Database>(connection));
    if (!writer.m_database->prepare())
        return writer.failure();
    return writer;
}

Result<void> SqliteWriter::append(const Trace& trace)
{
    if (!m_database->addTrace(trace, m_options))
        return failure();
    return {};
}

Result<void> SqliteWriter::finish()
{
    if (!m_database->execute(indexes))
        return failure();
    m_database.reset();
    return m_file.commit();
}

} // namespace chokepoint
