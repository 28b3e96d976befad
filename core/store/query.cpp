// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/query.h"

#include "core/store/schema.h"
#include "core/store/sqliteapi.h"
#include "core/store/store.h"
#include "core/store/virtualtables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// Pragmas that only tell; those of the first list take the name of a table or index.
constexpr std::array<std::string_view, 9> pragmasWithName{"foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
    "quick_check", "table_info", "table_list", "table_xinfo"};
constexpr std::array<std::string_view, 10> pragmasWithoutArgument{"application_id", "collation_list", "compile_options", "database_list",
    "encoding", "freelist_count", "function_list", "page_count", "page_size", "user_version"};

template <std::size_t N> bool contains(const std::array<std::string_view, N>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Called by SQLite while it compiles a statement: reading is allowed, everything else is not.
int authorize(void*, int action, const char* first, const char* second, const char*, const char*)
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return second != nullptr && std::string_view(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: {
        const bool allowed = contains(pragmasWithName, first) || (second == nullptr && contains(pragmasWithoutArgument, first));
        return allowed ? SQLITE_OK : SQLITE_DENY;
    }
    default: return SQLITE_DENY;
    }
}

Result<sqlite::Connection> openForReading(const std::string& path)
{
    if (!Store::isWorkspace(path)) {
        // Store::open says precisely what is wrong with it.
        auto store = Store::open(path, Store::Mode::ReadOnly);
        if (!store)
            return fail(std::move(store).error());
    }
    auto connection = sqlite::Connection::open(path, sqlite::Access::ReadOnly);
    if (!connection)
        return connection;
    if (auto checked = checkSchema(*connection, false); !checked)
        return fail(std::move(checked).error());
    if (auto done = connection->execute("PRAGMA cache_size = -65536; PRAGMA temp_store = FILE;"); !done)
        return fail(std::move(done).error());
    if (auto done = registerVirtualTables(connection->handle()); !done)
        return fail(std::move(done).error());
    // The tables come to life when they are first named, by a CREATE TABLE of their own that the authorizer would refuse.
    if (auto named = connection->prepare("SELECT 1 FROM span, attribute, event, link, resource"); !named)
        return fail(std::move(named).error());
    sqlite3_set_authorizer(connection->handle(), authorize, nullptr);
    return connection;
}

/// The error of a statement that does not compile or run. \a offset: where it begins in the whole text.
tl::unexpected<Error> queryError(sqlite3* db, int resultCode, const std::string& path, std::size_t offset)
{
    const int primary = resultCode & 0xff;
    if (primary == SQLITE_AUTH)
        return fail(
            ErrorCode::InvalidQuery, "The query would change something; only reading is allowed here (SELECT, WITH, VALUES, EXPLAIN)");
    if (primary != SQLITE_ERROR && primary != SQLITE_MISMATCH && primary != SQLITE_RANGE)
        return fail(sqlite::errorFor(db, resultCode, "run the query", path));
    Place place;
    std::string where;
    if (const int at = sqlite3_error_offset(db); at >= 0) {
        place.byte = offset + std::size_t(at);
        where = fmt::format(" (at character {})", *place.byte + 1);
    }
    return fail(ErrorCode::InvalidQuery, fmt::format("SQL: {}{}", sqlite3_errmsg(db), where), place);
}

struct QueryStatement {
    sqlite::Statement statement;
    std::size_t offset = 0; // in the text
};

Result<std::vector<QueryStatement>> compile(const sqlite::Connection& connection, const std::string& sql)
{
    std::vector<QueryStatement> statements;
    const char* const begin = sql.c_str();
    const char* at = begin;
    while (*at != '\0') {
        sqlite3_stmt* statement = nullptr;
        const char* tail = nullptr;
        const int resultCode = sqlite3_prepare_v2(connection.handle(), at, -1, &statement, &tail);
        const auto offset = std::size_t(at - begin);
        if (resultCode != SQLITE_OK)
            return queryError(connection.handle(), resultCode, connection.path(), offset);
        if (statement != nullptr) { // else white space or a comment
            statements.push_back({sqlite::Statement(statement, connection.path()), offset});
            if (sqlite3_stmt_readonly(statement) == 0)
                return fail(ErrorCode::InvalidQuery, "The query would change something; only reading is allowed here");
        }
        at = tail;
    }
    if (statements.empty())
        return fail(ErrorCode::InvalidQuery, "The query is empty; write for example: SELECT name, count(*) FROM span GROUP BY name");
    return statements;
}

SqlValue valueOf(sqlite3_stmt* statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        return std::string(text, std::size_t(sqlite3_column_bytes(statement, column)));
    }
    case SQLITE_BLOB: {
        const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
        return fmt::format("{:02x}", fmt::join(bytes, bytes + sqlite3_column_bytes(statement, column), ""));
    }
    default: return std::monostate{};
    }
}

using OnHeader = std::function<bool(const std::vector<std::string>&)>;
using OnRow = std::function<bool(const std::vector<SqlValue>&)>;

/// Runs one statement; rows go to \a row when it is given.
Result<void> run(const sqlite::Connection& connection, const QueryStatement& query, const OnHeader* header, const OnRow* row)
{
    sqlite3_stmt* statement = query.statement.handle();
    const int count = sqlite3_column_count(statement);
    if (header != nullptr) {
        std::vector<std::string> names;
        for (int i = 0; i < count; ++i)
            names.emplace_back(sqlite3_column_name(statement, i));
        if (!(*header)(names))
            return {};
    }
    std::vector<SqlValue> values{std::size_t(count)};
    while (true) {
        const int resultCode = sqlite3_step(statement);
        if (resultCode == SQLITE_DONE)
            return {};
        if (resultCode != SQLITE_ROW)
            return queryError(connection.handle(), resultCode, connection.path(), query.offset);
        if (row == nullptr)
            continue;
        for (int i = 0; i < count; ++i)
            values[std::size_t(i)] = valueOf(statement, i);
        if (!(*row)(values))
            return {};
    }
}

} // namespace

Result<void> runQuery(
    const std::string& workspacePath, const std::string& sql, const OnHeader& header, const OnRow& row, const JobControl& job)
{
    auto connection = openForReading(workspacePath);
    if (!connection)
        return fail(std::move(connection).error());
    auto statements = compile(*connection, sql);
    if (!statements)
        return fail(std::move(statements).error());
    const auto hasRows = [](const QueryStatement& query) { return sqlite3_column_count(query.statement.handle()) > 0; };
    const auto last = std::find_if(statements->rbegin(), statements->rend(), hasRows);
    const sqlite::InterruptOnStop interrupt(*connection, job);
    for (const QueryStatement& query : *statements) {
        if (job.stopRequested())
            return fail(ErrorCode::Cancelled, "Cancelled");
        const bool shown = last != statements->rend() && &query == &*last;
        if (auto done = run(*connection, query, shown ? &header : nullptr, shown ? &row : nullptr); !done)
            return done;
    }
    return {};
}

} // namespace chokepoint
