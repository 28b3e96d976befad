// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/archivestream.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cerrno>

namespace chokepoint {

namespace {

constexpr std::size_t blockSize = std::size_t(256) << 10;

} // namespace

ArchiveStream::ArchiveStream(ByteLayer& below, Kind kind) : m_below(below), m_archive(archive_read_new(), archive_read_free), m_kind(kind)
{
    archive* reader = m_archive.get();
    if (kind == Kind::Filter) {
        archive_read_support_filter_xz(reader);
        archive_read_support_filter_bzip2(reader);
        archive_read_support_filter_lz4(reader);
        archive_read_support_format_raw(reader);
    } else {
        archive_read_support_format_zip_streamable(reader);
        archive_read_support_format_tar(reader);
    }
}

ArchiveStream::~ArchiveStream() = default;

long ArchiveStream::readBlock(archive* self, void* client, const void** block)
{
    auto& stream = *static_cast<ArchiveStream*>(client);
    stream.m_block.resize(blockSize);
    const auto got = stream.m_below.read(stream.m_block.data(), stream.m_block.size());
    if (!got) {
        stream.m_belowError = got.error();
        stream.m_belowFailed = true;
        archive_set_error(self, EIO, "%s", got.error().detail.c_str());
        return -1;
    }
    *block = stream.m_block.data();
    return long(*got);
}

Error ArchiveStream::damage() const
{
    if (m_belowFailed)
        return m_belowError;
    const char* why = archive_error_string(m_archive.get());
    return Error{ErrorCode::CannotRead,
        fmt::format("the {} is damaged or was cut ({})", m_kind == Kind::Filter ? "compressed data" : "archive",
            why != nullptr ? why : "unknown fault"),
        {}};
}

Result<bool> ArchiveStream::nextMember()
{
    if (!m_isOpen) {
        m_isOpen = true;
        if (archive_read_open(m_archive.get(), this, nullptr, &ArchiveStream::readBlock, nullptr) != ARCHIVE_OK)
            return fail(damage());
    }
    while (true) {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(m_archive.get(), &entry);
        if (status == ARCHIVE_EOF)
            return false;
        if (status < ARCHIVE_WARN)
            return fail(damage());
        if (m_kind == Kind::Members && archive_entry_filetype(entry) != AE_IFREG)
            continue;
        if (archive_entry_is_encrypted(entry) != 0)
            return fail(ErrorCode::CannotRead, "the archive is encrypted; extract it first");
        const char* name = archive_entry_pathname_utf8(entry);
        m_memberName = name != nullptr ? name : "";
        return true;
    }
}

Result<std::size_t> ArchiveStream::pull(char* to, std::size_t size)
{
    if (m_kind == Kind::Filter && !m_isOpen) {
        const auto opened = nextMember();
        if (!opened || !*opened)
            return opened ? Result<std::size_t>(0) : fail(opened.error());
    }
    const la_ssize_t got = archive_read_data(m_archive.get(), to, size);
    if (got < 0)
        return fail(damage());
    return std::size_t(got);
}

} // namespace chokepoint
