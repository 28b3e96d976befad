// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/sqlite.h"

#include "core/store/sqliteapi.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace chokepoint::sqlite {

namespace {

constexpr int busyTimeoutMs = 1000; // another process may be finishing its commit

ErrorCode codeFor(int resultCode)
{
    switch (resultCode & 0xff) {
    case SQLITE_FULL:
    case SQLITE_READONLY: return ErrorCode::CannotWrite;
    case SQLITE_IOERR:
        switch (resultCode) {
        case SQLITE_IOERR_READ:
        case SQLITE_IOERR_SHORT_READ: return ErrorCode::CannotRead;
        default: return ErrorCode::CannotWrite;
        }
    case SQLITE_CORRUPT: return ErrorCode::WorkspaceDamaged;
    case SQLITE_NOTADB: return ErrorCode::NotAWorkspace;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::WorkspaceBusy;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: return ErrorCode::CannotOpen;
    case SQLITE_INTERRUPT: return ErrorCode::Cancelled;
    case SQLITE_AUTH: return ErrorCode::InvalidQuery;
    case SQLITE_TOOBIG: return ErrorCode::LimitExceeded;
    default: return ErrorCode::Internal;
    }
}

/// What the user can do about it; continues the sentence.
const char* adviceFor(ErrorCode code)
{
    switch (code) {
    case ErrorCode::CannotWrite: return "; check free space and permissions, nothing was changed";
    case ErrorCode::CannotRead: return "; check the disk and the permissions of the file";
    case ErrorCode::WorkspaceDamaged: return "; the file is damaged, import the trace files again or take a backup copy";
    case ErrorCode::NotAWorkspace: return "; the file is not a Chokepoint workspace";
    case ErrorCode::WorkspaceBusy: return "; another program is using the file, close it and try again";
    default: return "";
    }
}

} // namespace

Error errorFor(sqlite3* db, int resultCode, const std::string& doing, const std::string& path)
{
    const int extended = db != nullptr && (sqlite3_errcode(db) & 0xff) == (resultCode & 0xff) ? sqlite3_extended_errcode(db) : resultCode;
    const ErrorCode code = codeFor(extended);
    if (code == ErrorCode::Cancelled)
        return {code, "Cancelled", {}};
    if ((extended & 0xff) == SQLITE_FULL)
        return {code,
            fmt::format("Cannot write: the disk is full; free some space{}, nothing was changed",
                path.empty() ? " where temporary files are kept (TMPDIR)" : " or choose another place"),
            {.file = path, .line = {}, .byte = {}}};
    const char* message = db != nullptr && sqlite3_errcode(db) != SQLITE_OK ? sqlite3_errmsg(db) : sqlite3_errstr(resultCode);
    return {code, fmt::format("Cannot {}: {}{}", doing, message, adviceFor(code)), {.file = path, .line = {}, .byte = {}}};
}

// ---- Statement ----------------------------------------------------------------------------------------------------

void Statement::Finalize::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

Statement::Statement(sqlite3_stmt* statement, std::string path) : m_statement(statement), m_path(std::move(path)) { }

Statement& Statement::bind(int index, std::int64_t value)
{
    m_bindFault |= sqlite3_bind_int64(handle(), index + 1, value);
    return *this;
}

Statement& Statement::bindText(int index, std::string_view text)
{
    // A null pointer would bind NULL; an empty text is a value.
    const char* begin = text.data() != nullptr ? text.data() : "";
    m_bindFault |= sqlite3_bind_text64(handle(), index + 1, begin, text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bindBlob(int index, std::string_view bytes)
{
    const char* begin = bytes.data() != nullptr ? bytes.data() : "";
    m_bindFault |= sqlite3_bind_blob64(handle(), index + 1, begin, bytes.size(), SQLITE_STATIC);
    return *this;
}

Statement& Statement::bindNull(int index)
{
    m_bindFault |= sqlite3_bind_null(handle(), index + 1);
    return *this;
}

Result<bool> Statement::step()
{
    if (m_bindFault != SQLITE_OK) {
        m_bindFault = SQLITE_OK;
        return fail(
            ErrorCode::LimitExceeded, "A text or block is too large for SQLite (limit 1 GB)", {.file = m_path, .line = {}, .byte = {}});
    }
    const int resultCode = sqlite3_step(handle());
    if (resultCode == SQLITE_ROW)
        return true;
    sqlite3* db = sqlite3_db_handle(handle());
    if (resultCode == SQLITE_DONE) {
        reset();
        return false;
    }
    Error error = errorFor(db, resultCode, sqlite3_stmt_readonly(handle()) != 0 ? "read the database" : "write the database", m_path);
    reset();
    return fail(std::move(error));
}

Result<void> Statement::run()
{
    while (true) {
        const Result<bool> row = step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return {};
    }
}

void Statement::reset()
{
    sqlite3_reset(handle());
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(handle(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(handle(), column);
}

double Statement::real(int column) const
{
    return sqlite3_column_double(handle(), column);
}

std::string_view Statement::bytes(int column) const
{
    const auto* begin = static_cast<const char*>(sqlite3_column_blob(handle(), column));
    return begin == nullptr ? std::string_view{} : std::string_view(begin, std::size_t(sqlite3_column_bytes(handle(), column)));
}

// ---- Connection ---------------------------------------------------------------------------------------------------

void Connection::Close::operator()(sqlite3* db) const
{
    if (owned)
        sqlite3_close_v2(db);
}

Result<Connection> Connection::open(const std::string& path, Access access)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    switch (access) {
    case Access::ReadOnly: flags |= SQLITE_OPEN_READONLY; break;
    case Access::ReadWrite: flags |= SQLITE_OPEN_READWRITE; break;
    case Access::Create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE; break;
    }
    sqlite3* db = nullptr;
    const int resultCode = sqlite3_open_v2(path.c_str(), &db, flags, nullptr);
    Connection connection;
    connection.m_db.reset(db);
    connection.m_path = path;
    if (resultCode != SQLITE_OK) {
        Error error = errorFor(db, resultCode, access == Access::Create ? "create the file" : "open the file", path);
        if (access == Access::Create)
            error.code = ErrorCode::CannotWrite;
        return fail(std::move(error));
    }
    sqlite3_busy_timeout(db, busyTimeoutMs);
    return connection;
}

Connection Connection::borrow(sqlite3* db)
{
    Connection connection;
    connection.m_db = std::unique_ptr<sqlite3, Close>(db, Close(false));
    if (const char* path = sqlite3_db_filename(db, "main"))
        connection.m_path = path;
    return connection;
}

Result<Statement> Connection::prepare(std::string_view sql) const
{
    sqlite3_stmt* statement = nullptr;
    const int resultCode = sqlite3_prepare_v3(handle(), sql.data(), int(sql.size()), 0, &statement, nullptr);
    if (resultCode != SQLITE_OK)
        return fail(errorFor(handle(), resultCode, "read the database", m_path));
    return Statement(statement, m_path);
}

Result<void> Connection::execute(const std::string& sql) const
{
    const int resultCode = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
    if (resultCode != SQLITE_OK)
        return fail(errorFor(handle(), resultCode, "use the database", m_path));
    return {};
}

Result<std::optional<std::int64_t>> Connection::integer(const std::string& sql) const
{
    Result<Statement> statement = prepare(sql);
    if (!statement)
        return fail(statement.error());
    const Result<bool> row = statement->step();
    if (!row)
        return fail(row.error());
    if (!*row || statement->isNull(0))
        return std::optional<std::int64_t>{};
    return std::optional<std::int64_t>(statement->integer(0));
}

std::int64_t Connection::lastInsertRowId() const
{
    return sqlite3_last_insert_rowid(handle());
}

Result<void> Connection::sync() const
{
    sqlite3_file* file = nullptr;
    int resultCode = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    if (resultCode == SQLITE_OK && file != nullptr && file->pMethods != nullptr)
        resultCode = file->pMethods->xSync(file, SQLITE_SYNC_FULL);
    if (resultCode != SQLITE_OK)
        return fail(ErrorCode::CannotWrite,
            fmt::format("Cannot write the file to the disk: {}; check free space", sqlite3_errstr(resultCode)),
            {.file = m_path, .line = {}, .byte = {}});
    return {};
}

Result<void> Connection::backupTo(const Connection& target) const
{
    constexpr int pagesPerStep = 1024;
    sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", handle(), "main");
    if (backup == nullptr)
        return fail(errorFor(target.handle(), sqlite3_errcode(target.handle()), "copy the workspace", target.path()));
    int resultCode = SQLITE_OK;
    while (resultCode == SQLITE_OK)
        resultCode = sqlite3_backup_step(backup, pagesPerStep);
    sqlite3_backup_finish(backup);
    if (resultCode != SQLITE_DONE)
        return fail(errorFor(target.handle(), resultCode, "copy the workspace", target.path()));
    return {};
}

void Connection::close()
{
    m_db.reset();
}

bool Connection::isReadOnly() const
{
    return sqlite3_db_readonly(handle(), "main") != 0;
}

bool Connection::inTransaction() const
{
    return sqlite3_get_autocommit(handle()) == 0;
}

// ---- Transaction --------------------------------------------------------------------------------------------------

Result<Transaction> Transaction::begin(const Connection& connection)
{
    if (Result<void> begun = connection.execute("BEGIN IMMEDIATE"); !begun)
        return fail(std::move(begun).error());
    return Transaction(connection);
}

Transaction::Transaction(Transaction&& other) noexcept : m_connection(std::exchange(other.m_connection, nullptr)) { }

Transaction::~Transaction()
{
    // After some errors (disk full) SQLite has already rolled back by itself.
    if (m_connection != nullptr && m_connection->inTransaction())
        sqlite3_exec(m_connection->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::commit()
{
    if (Result<void> committed = m_connection->execute("COMMIT"); !committed)
        return committed;
    m_connection = nullptr;
    return {};
}

InterruptOnStop::InterruptOnStop(const Connection& connection, const JobControl& job)
    : m_callback(job.stopToken(), [db = connection.handle()] { sqlite3_interrupt(db); })
{
}

} // namespace chokepoint::sqlite
