// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What of a file is to be read: all of it, what has been added since last time, or a segment with the rest of its last record.
#pragma once

#include "core/import/contenthash.h"
#include "core/import/recordplace.h"

#include <string>

namespace chokepoint {

struct FilePart {
    RecordPlace from; // a record boundary; the front of the file by default
    std::string tail; // bytes that belong behind the file's last one: the end of a record that rotation cut
    bool keepsHash = false; // InputReport::contentHash is wanted
    ContentHash before; // of the bytes before `from`, when keepsHash
};

} // namespace chokepoint
