// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What libarchive opens for us: xz, bzip2 and lz4 streams, and the members of zip and tar archives one after another.
#pragma once

#include "core/import/bytelayer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct archive;

namespace chokepoint {

class ArchiveStream {
public:
    enum class Kind { Filter, Members };

    /// \a below must outlive the stream. Filter: one decompressed stream. Members: nextMember() first.
    ArchiveStream(ByteLayer& below, Kind kind);
    ArchiveStream(const ArchiveStream&) = delete;
    ArchiveStream& operator=(const ArchiveStream&) = delete;
    ~ArchiveStream();

    /// Moves to the next regular file, also behind one that could not be read to its end; false after the last. Fails with
    /// CannotRead when the archive goes no further.
    Result<bool> nextMember();
    [[nodiscard]] const std::string& memberName() const { return m_memberName; }
    /// Bytes of the current member (of the stream); 0 at its end. Fails with CannotRead.
    Result<std::size_t> pull(char* to, std::size_t size);

private:
    static long readBlock(archive* self, void* client, const void** block);
    Result<void> nextData();
    Error damage() const;

    ByteLayer& m_below;
    std::unique_ptr<archive, int (*)(archive*)> m_archive;
    std::string m_block;
    std::string m_memberName;
    std::string_view m_data; // of the current member, in libarchive's own memory
    std::uint64_t m_offset = 0; // of the member, where pull() stands
    std::uint64_t m_dataOffset = 0; // where m_data belongs
    std::optional<Error> m_fault; // of the current member, behind m_data
    Error m_belowError; // what the layer below failed with while libarchive was reading
    bool m_belowFailed = false;
    bool m_isOpen = false;
    Kind m_kind;
};

} // namespace chokepoint
