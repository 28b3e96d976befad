// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/virtualtables.h"

#include "core/store/sqliteapi.h"
#include "core/store/virtualrows.h"

#include <memory>
#include <new>

namespace chokepoint {

namespace {

/// What a connection's tables share; each module holds a reference.
using SharedReader = std::shared_ptr<WorkspaceReader>;

char* sqliteText(const std::string& text)
{
    return sqlite3_mprintf("%s", text.c_str());
}

int resultCodeFor(const Error& error)
{
    switch (error.code) {
    case ErrorCode::WorkspaceDamaged: return SQLITE_CORRUPT_VTAB;
    case ErrorCode::Cancelled: return SQLITE_INTERRUPT;
    case ErrorCode::WorkspaceBusy: return SQLITE_BUSY;
    default: return SQLITE_ERROR;
    }
}

/// SQLite's callbacks for one kind of rows.
template <typename Rows> struct Module {
    struct Table : sqlite3_vtab {
        SharedReader reader;
    };
    struct Cursor : sqlite3_vtab_cursor {
        explicit Cursor(WorkspaceReader& reader) : sqlite3_vtab_cursor{}, rows(reader) { }
        Rows rows;
    };

    static int connect(sqlite3* db, void* shared, int, const char* const*, sqlite3_vtab** table, char** message)
    {
        const SharedReader& reader = *static_cast<SharedReader*>(shared);
        if (auto ready = reader->refresh(); !ready) {
            *message = sqliteText(ready.error().detail);
            return resultCodeFor(ready.error());
        }
        if (const int declared = sqlite3_declare_vtab(db, Rows::declaration().c_str()); declared != SQLITE_OK)
            return declared;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
        *table = new Table{{}, reader};
        return SQLITE_OK;
    }
    static int disconnect(sqlite3_vtab* table)
    {
        delete static_cast<Table*>(table);
        return SQLITE_OK;
    }
    static int bestIndex(sqlite3_vtab*, sqlite3_index_info* query)
    {
        Rows::plan(*query);
        return SQLITE_OK;
    }
    static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor)
    {
        *cursor = new Cursor(*static_cast<Table*>(table)->reader);
        return SQLITE_OK;
    }
    static int close(sqlite3_vtab_cursor* cursor)
    {
        delete static_cast<Cursor*>(cursor);
        return SQLITE_OK;
    }
    static int report(sqlite3_vtab_cursor* cursor, const Result<void>& done)
    {
        if (done)
            return SQLITE_OK;
        sqlite3_free(cursor->pVtab->zErrMsg);
        cursor->pVtab->zErrMsg = sqliteText(done.error().detail);
        return resultCodeFor(done.error());
    }
    static int filter(sqlite3_vtab_cursor* cursor, int plan, const char*, int count, sqlite3_value** arguments)
    {
        return report(cursor, static_cast<Cursor*>(cursor)->rows.begin(plan, {arguments, std::size_t(count)}));
    }
    static int next(sqlite3_vtab_cursor* cursor) { return report(cursor, static_cast<Cursor*>(cursor)->rows.next()); }
    static int eof(sqlite3_vtab_cursor* cursor) { return static_cast<Cursor*>(cursor)->rows.atEnd() ? 1 : 0; }
    static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* out, int index)
    {
        static_cast<Cursor*>(cursor)->rows.emit(out, index);
        return SQLITE_OK;
    }
    static int rowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* id)
    {
        *id = static_cast<Cursor*>(cursor)->rows.rowId();
        return SQLITE_OK;
    }

    /// Without xCreate a table is there under its module's name. It cannot be written: there is no xUpdate.
    static constexpr sqlite3_module callbacks = [] {
        sqlite3_module module{};
        module.xConnect = connect;
        module.xDisconnect = disconnect;
        module.xBestIndex = bestIndex;
        module.xOpen = open;
        module.xClose = close;
        module.xFilter = filter;
        module.xNext = next;
        module.xEof = eof;
        module.xColumn = column;
        module.xRowid = rowId;
        return module;
    }();

    static int enroll(sqlite3* db, const SharedReader& reader)
    {
        const auto forget = [](void* shared) { delete static_cast<SharedReader*>(shared); };
        return sqlite3_create_module_v2(db, Rows::name, &callbacks, new SharedReader(reader), forget);
    }
};

} // namespace

Result<void> registerVirtualTables(sqlite3* db)
{
    const auto reader = std::make_shared<WorkspaceReader>(db);
    for (const auto enroll : {&Module<SpanTableRows<SpanDetail>>::enroll, &Module<SpanTableRows<AttributeDetail>>::enroll,
             &Module<SpanTableRows<EventDetail>>::enroll, &Module<SpanTableRows<LinkDetail>>::enroll, &Module<ResourceRows>::enroll})
        if (const int resultCode = enroll(db, reader); resultCode != SQLITE_OK)
            return fail(sqlite::errorFor(db, resultCode, "register the tables", ""));
    return {};
}

} // namespace chokepoint
