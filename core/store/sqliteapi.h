// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite's C API for this directory's .cpp files: linked, or through the host's table when built as a loadable extension.
#pragma once

#ifdef CHOKEPOINT_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif
