// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces as plain rows of a SQLite file, for every program that reads one. Nothing of ours is needed to open it.
#pragma once

#include "core/export/exporter.h"
#include "core/export/outputfile.h"

#include <memory>

struct sqlite3;

namespace chokepoint {

/// Tables trace, span, attribute, event, link and resource (their columns stand in sqlitewriter.cpp and in the file's schema).
/// Times are INTEGER Unix nanoseconds, unknown ones NULL; attribute values keep their type: INTEGER, REAL, TEXT, BLOB,
/// containers and what SQLite cannot hold (NaN, larger integers) as text, with the type's name beside each.
class SqliteWriter {
public:
    /// Fails with CannotWrite, also for a device or pipe, which cannot hold a database.
    [[nodiscard]] static Result<SqliteWriter> create(OutputFile file, const ExportOptions& options);
    SqliteWriter(SqliteWriter&&) noexcept;
    SqliteWriter& operator=(SqliteWriter&&) noexcept;
    ~SqliteWriter();

    [[nodiscard]] Result<void> append(const Trace& trace);
    [[nodiscard]] Result<void> finish();

private:
    struct Database;
    SqliteWriter(OutputFile file, ExportOptions options, std::unique_ptr<Database> database);
    [[nodiscard]] tl::unexpected<Error> failure() const;

    OutputFile m_file;
    ExportOptions m_options;
    std::unique_ptr<Database> m_database; // closed before the file is moved
};

} // namespace chokepoint
