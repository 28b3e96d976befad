// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/schema.h"

#include <fmt/format.h>

#include <array>

namespace chokepoint {

namespace {

/// SQL that leads from one version to the next. Comments inside CREATE stay in sqlite_schema, where readers of a file find them.
struct MigrationStep {
    int toVersion;
    const char* sql;
};

constexpr std::array migrations{
    MigrationStep{1, R"sql(
CREATE TABLE dict_text(     -- every interned text; id 0 is the empty text and is not stored
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL);
CREATE TABLE dict_resource( -- id 0 has no attributes and is not stored
    id INTEGER PRIMARY KEY,
    service INTEGER NOT NULL, -- dict_text of service.name
    packed BLOB NOT NULL);    -- core/store/dictionarytable.h
CREATE TABLE dict_scope(
    id INTEGER PRIMARY KEY,
    packed BLOB NOT NULL);
CREATE TABLE deployment(
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE);
CREATE TABLE input(         -- one row an imported file
    id INTEGER PRIMARY KEY,
    deployment INTEGER NOT NULL REFERENCES deployment,
    path TEXT NOT NULL,
    format TEXT NOT NULL,
    compression TEXT NOT NULL,
    bytes INTEGER NOT NULL,   -- on disk
    spans INTEGER NOT NULL,   -- newly stored
    imported_at TEXT NOT NULL); -- ISO 8601, UTC
CREATE TABLE input_fault(   -- what was repaired, skipped or given up
    input INTEGER NOT NULL REFERENCES input,
    code TEXT NOT NULL,       -- DiagnosticCode's name; '' counts the rejected records
    count INTEGER NOT NULL,
    first TEXT NOT NULL,
    PRIMARY KEY(input, code)) WITHOUT ROWID;
CREATE TABLE setting(
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE trace_summary(
    id INTEGER PRIMARY KEY,   -- the trace key
    deployment INTEGER NOT NULL REFERENCES deployment,
    trace_id BLOB NOT NULL,   -- 16 bytes, big endian
    id_text TEXT,             -- the source's own id where that was no hex; else NULL
    start_ns INTEGER,         -- Unix ns of the earliest known start; NULL when no span has one
    duration_ns INTEGER,      -- extent: first start to last start or end
    e2e_ns INTEGER,           -- duration of the primary root; NULL without a true root or end
    spans INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    root_name INTEGER NOT NULL,     -- dict_text; of the primary root, else of the best orphan
    root_resource INTEGER NOT NULL, -- dict_resource; likewise
    UNIQUE(trace_id, deployment));
CREATE INDEX trace_by_start ON trace_summary(start_ns);
CREATE INDEX trace_by_duration ON trace_summary(duration_ns);
CREATE TABLE chunk(         -- packed spans of one trace; core/store/block.h
    id INTEGER PRIMARY KEY,   -- trace key << 20 | part
    data BLOB NOT NULL);
CREATE TABLE seg(           -- columns of up to 65,536 spans of many traces of one deployment; core/store/block.h
    id INTEGER PRIMARY KEY,
    deployment INTEGER NOT NULL REFERENCES deployment,
    n INTEGER NOT NULL,
    data BLOB NOT NULL);
CREATE VIEW trace AS        -- one row a trace, for people
    SELECT t.id AS trace_key, coalesce(t.id_text, lower(hex(t.trace_id))) AS trace_id, d.label AS deployment,
           t.start_ns, t.duration_ns, t.e2e_ns, t.spans, t.errors, coalesce(n.text, '') AS root_name, coalesce(s.text, '') AS service
    FROM trace_summary t JOIN deployment d ON d.id = t.deployment
         LEFT JOIN dict_text n ON n.id = t.root_name
         LEFT JOIN dict_resource r ON r.id = t.root_resource LEFT JOIN dict_text s ON s.id = r.service;
)sql"},
};

Result<void> runSteps(const sqlite::Connection& connection, std::int64_t fromVersion)
{
    Result<sqlite::Transaction> transaction = sqlite::Transaction::begin(connection);
    if (!transaction)
        return fail(transaction.error());
    for (const MigrationStep& step : migrations) {
        if (step.toVersion <= fromVersion)
            continue;
        const std::string sql = fmt::format("{} PRAGMA user_version = {};", step.sql, step.toVersion);
        if (Result<void> done = connection.execute(sql); !done)
            return done;
    }
    return transaction->commit();
}

Place in(const sqlite::Connection& connection)
{
    return {.file = connection.path(), .line = {}, .byte = {}};
}

} // namespace

int currentSchemaVersion()
{
    return migrations.back().toVersion;
}

Result<void> createSchema(const sqlite::Connection& connection)
{
    const std::string identity =
        fmt::format("PRAGMA page_size = {}; PRAGMA application_id = {};", workspacePageSize, workspaceApplicationId);
    if (Result<void> done = connection.execute(identity); !done)
        return done;
    return runSteps(connection, 0);
}

Result<void> checkSchema(const sqlite::Connection& connection, bool mayMigrate)
{
    const auto applicationId = connection.integer("PRAGMA application_id");
    if (!applicationId)
        return fail(applicationId.error());
    if (applicationId->value_or(0) != workspaceApplicationId)
        return fail(ErrorCode::NotAWorkspace,
            "This is an SQLite database of another program, not a Chokepoint workspace; open a *.chokepoint file", in(connection));
    const auto version = connection.integer("PRAGMA user_version");
    if (!version)
        return fail(version.error());
    const std::int64_t found = version->value_or(0);
    if (found > currentSchemaVersion())
        return fail(ErrorCode::WorkspaceTooNew,
            fmt::format("The workspace has format version {}, this program reads up to {}; install a newer Chokepoint", found,
                currentSchemaVersion()),
            in(connection));
    if (found < 1)
        return fail(ErrorCode::WorkspaceDamaged, "The workspace has no format version; import the trace files again", in(connection));
    if (found == currentSchemaVersion())
        return {};
    if (!mayMigrate)
        return fail(ErrorCode::CannotOpen,
            "The workspace is of an older version and read-only; make it writable, so that it can be brought forward", in(connection));
    return runSteps(connection, found);
}

} // namespace chokepoint
