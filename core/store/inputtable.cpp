// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/inputtable.h"

#include <map>

namespace chokepoint {

namespace {

/// Apart from `input`, because workspaces of the first release do not have it.
constexpr const char* createContent = R"sql(
CREATE TABLE IF NOT EXISTS input_content( -- how an imported file is known again
    input INTEGER PRIMARY KEY REFERENCES input,
    hash INTEGER NOT NULL,      -- core/import/contenthash.h, of the file's first input.bytes bytes
    resume_byte INTEGER,        -- behind the last complete record; NULL where reading must begin at the front
    resume_line INTEGER))sql";

Result<bool> hasContent(const sqlite::Connection& db)
{
    const auto count = db.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'input_content'");
    if (!count)
        return fail(count.error());
    return count->value_or(0) != 0;
}

/// Faults of all inputs, by input id.
Result<std::map<std::int64_t, Diagnostics>> readFaults(const sqlite::Connection& db)
{
    auto select = db.prepare("SELECT input, code, count, first FROM input_fault ORDER BY input, code");
    if (!select)
        return fail(select.error());
    std::map<std::int64_t, Diagnostics> faults;
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return faults;
        Diagnostics& diagnostics = faults[select->integer(0)];
        const std::string name(select->bytes(1));
        const auto count = std::uint64_t(select->integer(2));
        const std::string first(select->bytes(3));
        if (name.empty())
            diagnostics.addRejected(count, first);
        else if (const DiagnosticCode code = diagnosticFromName(name); code != DiagnosticCode::Count_)
            diagnostics.add(code, count, first);
    }
}

/// A record that the end of the file had cut is whole now.
Result<void> forgetCut(const sqlite::Connection& db, std::int64_t input)
{
    auto reduce = db.prepare("UPDATE input_fault SET count = count - (SELECT count FROM input_fault WHERE input = ?1 AND "
                             "code = 'TRUNCATED_INPUT') WHERE input = ?1 AND code = '' AND EXISTS(SELECT 1 FROM input_fault "
                             "WHERE input = ?1 AND code = 'TRUNCATED_INPUT')");
    auto remove = db.prepare("DELETE FROM input_fault WHERE input = ?1 AND (code = 'TRUNCATED_INPUT' OR count = 0)");
    for (auto* statement : {&reduce, &remove}) {
        if (!*statement)
            return fail(statement->error());
        if (auto done = (*statement)->bind(0, input).run(); !done)
            return done;
    }
    return {};
}

Result<std::int64_t> insertInput(const sqlite::Connection& db, const StoredInput& input, std::uint64_t newSpans)
{
    auto insert = db.prepare("INSERT INTO input(deployment, path, format, compression, bytes, spans, imported_at) "
                             "VALUES(?1, ?2, ?3, ?4, ?5, ?6, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))");
    if (!insert)
        return fail(insert.error());
    insert->bind(0, input.deployment).bindText(1, input.path).bindText(2, input.format).bindText(3, input.compression);
    if (auto done = insert->bind(4, std::int64_t(input.bytes)).bind(5, std::int64_t(newSpans)).run(); !done)
        return fail(done.error());
    return db.lastInsertRowId();
}

Result<std::int64_t> updateInput(const sqlite::Connection& db, const StoredInput& input, std::uint64_t newSpans)
{
    if (auto done = forgetCut(db, input.id); !done)
        return fail(done.error());
    auto update = db.prepare("UPDATE input SET bytes = ?2, spans = spans + ?3, imported_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') "
                             "WHERE id = ?1");
    if (!update)
        return fail(update.error());
    if (auto done = update->bind(0, input.id).bind(1, std::int64_t(input.bytes)).bind(2, std::int64_t(newSpans)).run(); !done)
        return fail(done.error());
    return input.id;
}

Result<void> recordContent(const sqlite::Connection& db, std::int64_t id, const StoredInput& input)
{
    if (input.contentHash == 0)
        return {};
    if (auto created = db.execute(createContent); !created)
        return created;
    auto replace = db.prepare(input.resume ? "INSERT OR REPLACE INTO input_content VALUES(?1, ?2, ?3, ?4)"
                                           : "INSERT OR REPLACE INTO input_content VALUES(?1, ?2, NULL, NULL)");
    if (!replace)
        return fail(replace.error());
    replace->bind(0, id).bind(1, std::int64_t(input.contentHash));
    if (input.resume)
        replace->bind(2, std::int64_t(input.resume->byte.value_or(0))).bind(3, std::int64_t(input.resume->line.value_or(1)));
    return replace->run();
}

} // namespace

Result<std::vector<StoredInput>> readInputs(const sqlite::Connection& db)
{
    auto faults = readFaults(db);
    if (!faults)
        return fail(std::move(faults).error());
    const auto known = hasContent(db);
    if (!known)
        return fail(known.error());
    auto select = db.prepare(*known ? "SELECT id, deployment, path, format, compression, bytes, spans, imported_at, coalesce(hash, 0), "
                                      "coalesce(resume_byte, -1), coalesce(resume_line, 1) "
                                      "FROM input LEFT JOIN input_content ON input = id ORDER BY id"
                                    : "SELECT id, deployment, path, format, compression, bytes, spans, imported_at, 0, -1, 1 "
                                      "FROM input ORDER BY id");
    if (!select)
        return fail(select.error());
    std::vector<StoredInput> inputs;
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return inputs;
        StoredInput input;
        input.id = select->integer(0);
        input.deployment = select->integer(1);
        input.path = select->bytes(2);
        input.format = select->bytes(3);
        input.compression = select->bytes(4);
        input.bytes = std::uint64_t(select->integer(5));
        input.spans = std::uint64_t(select->integer(6));
        input.importedAt = select->bytes(7);
        input.contentHash = std::uint64_t(select->integer(8));
        if (const std::int64_t byte = select->integer(9); byte >= 0)
            input.resume = Place{.file = {}, .line = std::uint64_t(select->integer(10)), .byte = std::uint64_t(byte)};
        input.diagnostics = std::move((*faults)[input.id]);
        inputs.push_back(std::move(input));
    }
}

Result<void> recordInput(const sqlite::Connection& db, const StoredInput& input, std::uint64_t newSpans)
{
    const auto id = input.id == 0 ? insertInput(db, input, newSpans) : updateInput(db, input, newSpans);
    if (!id)
        return fail(id.error());
    if (auto done = recordContent(db, *id, input); !done)
        return done;
    auto add = db.prepare("INSERT INTO input_fault(input, code, count, first) VALUES(?1, ?2, ?3, ?4) "
                          "ON CONFLICT(input, code) DO UPDATE SET count = count + excluded.count");
    if (!add)
        return fail(add.error());
    const auto record = [&](const char* code, std::uint64_t count, const std::string& first) {
        return add->bind(0, *id).bindText(1, code).bind(2, std::int64_t(count)).bindText(3, first).run();
    };
    for (const DiagnosticEntry& entry : input.diagnostics.entries())
        if (auto done = record(diagnosticName(entry.code), entry.count, entry.first); !done)
            return done;
    const Diagnostics& faults = input.diagnostics;
    return faults.rejected() == 0 ? Result<void>{} : record("", faults.rejected(), faults.firstRejection());
}

} // namespace chokepoint
