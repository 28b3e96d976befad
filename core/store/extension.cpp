// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The virtual tables as a loadable extension: `.load ./chokepoint` in the sqlite3 shell or a database browser, on a workspace.
#include "core/store/virtualtables.h"

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT1

extern "C" __attribute__((visibility("default"))) int sqlite3_chokepoint_init(sqlite3* db, char** message, const sqlite3_api_routines* api)
{
    SQLITE_EXTENSION_INIT2(api)
    const auto done = chokepoint::registerVirtualTables(db);
    if (done)
        return SQLITE_OK;
    *message = sqlite3_mprintf("%s", done.error().detail.c_str());
    return SQLITE_ERROR;
}
