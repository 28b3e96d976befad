// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/archivestream.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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

/// Whole blocks: what libarchive finds in a damaged archive depends on where its blocks end.
long ArchiveStream::readBlock(archive* self, void* client, const void** block)
{
    auto& stream = *static_cast<ArchiveStream*>(client);
    stream.m_block.resize(blockSize);
    std::size_t filled = 0;
    while (filled < blockSize) {
        const auto got = stream.m_below.read(stream.m_block.data() + filled, blockSize - filled);
        if (!got && filled == 0) {
            stream.m_belowError = got.error();
            stream.m_belowFailed = true;
            archive_set_error(self, EIO, "%s", got.error().detail.c_str());
            return -1;
        }
        if (got.value_or(0) == 0)
            break; // the end, or a fault that comes again with the next call
        filled += *got;
    }
    *block = stream.m_block.data();
    return long(filled);
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
        const char* name = archive_entry_pathname_utf8(entry);
        m_memberName = name != nullptr ? name : "";
        m_data = {};
        m_offset = m_dataOffset = 0;
        m_fault.reset();
        if (archive_entry_is_encrypted(entry) != 0)
            m_fault = Error{ErrorCode::CannotRead, "it is encrypted; extract it first", {}};
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
    if (m_data.empty()) {
        if (const auto more = nextData(); !more)
            return fail(more.error());
    }
    // Holes of sparse files read as zeros.
    const std::size_t hole = std::size_t(std::min<std::uint64_t>(size, m_dataOffset - m_offset));
    if (hole != 0) {
        std::memset(to, 0, hole);
        m_offset += hole;
        return hole;
    }
    const std::size_t count = m_data.copy(to, size);
    m_data.remove_prefix(count);
    m_offset += count;
    m_dataOffset += count;
    return count;
}

/// Block by block: archive_read_data() would drop what came before a fault.
Result<void> ArchiveStream::nextData()
{
    while (m_data.empty()) {
        if (m_fault)
            return fail(*m_fault);
        const void* block = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int status = archive_read_data_block(m_archive.get(), &block, &size, &offset);
        if (status == ARCHIVE_EOF)
            break;
        if (status < ARCHIVE_OK)
            m_fault = damage(); // such as a checksum that is wrong: it comes with the last data
        if (status < ARCHIVE_WARN)
            continue;
        m_data = {static_cast<const char*>(block), size};
        m_dataOffset = std::max(m_offset, std::uint64_t(offset));
    }
    return {};
}

} // namespace chokepoint
