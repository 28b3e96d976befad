// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/import/packing.h"

#include <archive.h>
#include <archive_entry.h>

namespace chokepoint::testing {

std::string archived(int filter, int format, const std::vector<std::pair<std::string, std::string>>& members)
{
    std::size_t room = std::size_t(1) << 16;
    for (const auto& [name, bytes] : members)
        room += bytes.size() + bytes.size() / 8 + 4096;
    std::string out(room, '\0');
    std::size_t used = 0;
    archive* writer = archive_write_new();
    archive_write_add_filter(writer, filter);
    archive_write_set_format(writer, format);
    archive_write_open_memory(writer, out.data(), out.size(), &used);
    for (const auto& [name, bytes] : members) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, name.c_str());
        archive_entry_set_size(entry, la_int64_t(bytes.size()));
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_write_header(writer, entry);
        archive_write_data(writer, bytes.data(), bytes.size());
        archive_entry_free(entry);
    }
    archive_write_close(writer);
    archive_write_free(writer);
    out.resize(used);
    return out;
}

} // namespace chokepoint::testing
