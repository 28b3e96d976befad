// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A thin RAII layer over SQLite's C API: connections, statements, transactions, and its errors as ours.
#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace chokepoint::sqlite {

/// The error that \a resultCode of SQLite stands for. \a doing completes "Cannot ..."; \a db may be null.
[[nodiscard]] Error errorFor(sqlite3* db, int resultCode, const std::string& doing, const std::string& path);

/// One prepared statement. Parameters and columns count from 0. Bound texts and blobs are borrowed until reset().
class Statement {
public:
    Statement() = default;
    Statement(sqlite3_stmt* statement, std::string path);

    Statement& bind(int index, std::int64_t value);
    Statement& bindText(int index, std::string_view text);
    Statement& bindBlob(int index, std::string_view bytes);
    Statement& bindNull(int index);

    /// True: a row is there. False: done, and the statement is reset.
    [[nodiscard]] Result<bool> step();
    /// Steps to the end and resets; for statements whose rows do not matter.
    [[nodiscard]] Result<void> run();
    void reset();

    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    /// Bytes of a text or blob; valid until the next step or reset.
    [[nodiscard]] std::string_view bytes(int column) const;
    [[nodiscard]] sqlite3_stmt* handle() const { return m_statement.get(); }

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    std::string m_path; // for error places
    int m_bindFault = 0;
};

enum class Access { ReadOnly, ReadWrite, Create };

/// One open database, or a borrowed one (of a host that loaded us as an extension). Not for use by two threads at once.
class Connection {
public:
    Connection() = default;
    /// Path "" with Create is a private temporary database on disk.
    [[nodiscard]] static Result<Connection> open(const std::string& path, Access access);
    /// A connection that somebody else closes.
    [[nodiscard]] static Connection borrow(sqlite3* db);

    [[nodiscard]] Result<Statement> prepare(std::string_view sql) const;
    /// Runs all statements of \a sql; rows are ignored.
    [[nodiscard]] Result<void> execute(const std::string& sql) const;
    /// First column of the first row, or nullopt when there is none or it is NULL.
    [[nodiscard]] Result<std::optional<std::int64_t>> integer(const std::string& sql) const;
    [[nodiscard]] std::int64_t lastInsertRowId() const;
    /// Makes what was written durable (fsync of the database file).
    [[nodiscard]] Result<void> sync() const;
    /// Copies every page into \a target, which becomes equal to this database.
    [[nodiscard]] Result<void> backupTo(const Connection& target) const;
    void close();
    [[nodiscard]] bool isReadOnly() const;
    [[nodiscard]] bool inTransaction() const;

    [[nodiscard]] sqlite3* handle() const { return m_db.get(); }
    [[nodiscard]] const std::string& path() const { return m_path; }
    /// What errors call the file from now on, when people know it by another name than the one it was opened by.
    void setPath(const std::string& path) { m_path = path; }

private:
    struct Close {
        Close() : owned(true) { }
        explicit Close(bool ownsIt) : owned(ownsIt) { }
        bool owned;
        void operator()(sqlite3* db) const;
    };
    std::unique_ptr<sqlite3, Close> m_db;
    std::string m_path;
};

/// Rolls back unless committed.
class Transaction {
public:
    [[nodiscard]] static Result<Transaction> begin(const Connection& connection);
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    [[nodiscard]] Result<void> commit();

private:
    explicit Transaction(const Connection& connection) : m_connection(&connection) { }
    const Connection* m_connection = nullptr;
};

/// Interrupts the connection's running statement when the job is asked to stop.
class InterruptOnStop {
public:
    InterruptOnStop(const Connection& connection, const JobControl& job);

private:
    std::stop_callback<std::function<void()>> m_callback;
};

} // namespace chokepoint::sqlite
