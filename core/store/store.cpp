// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/store.h"

#include "core/store/dictionarytable.h"
#include "core/store/schema.h"
#include "core/store/storeimpl.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace chokepoint {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view sqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t applicationIdOffset = 68; // of the database header, big endian

/// Pages kept in memory, at most; negative counts KiB.
constexpr const char* boundedCache = "PRAGMA cache_size = -65536;";
/// For files that nobody else can see yet. The journal in memory lets one failed import be undone; a crash loses the file.
constexpr const char* privateFile =
    "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;";

Place in(const std::string& path)
{
    return {.file = path, .line = {}, .byte = {}};
}

/// Refuses what is no readable file before SQLite sees it, whose messages say less.
Result<void> checkReadable(const std::string& path)
{
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status))
        return fail(ErrorCode::CannotOpen, "There is no such file", in(path));
    if (fs::is_directory(status))
        return fail(ErrorCode::CannotOpen, "This is a directory, not a workspace file", in(path));
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return fail(ErrorCode::CannotOpen, "The file cannot be opened; check its permissions", in(path));
    std::array<char, sqliteMagic.size()> head{};
    file.read(head.data(), head.size());
    if (std::string_view(head.data(), std::size_t(file.gcount())) != sqliteMagic)
        return fail(ErrorCode::NotAWorkspace, "This is not a Chokepoint workspace (no SQLite file); open a *.chokepoint file", in(path));
    return {};
}

} // namespace

Store::Impl::~Impl()
{
    selectSummary = {};
    chunks.reset();
    db.close();
    part.discard();
}

Store::Store(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) { }
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::create(const std::string& path)
{
    std::error_code code;
    if (fs::exists(path, code))
        return fail(ErrorCode::CannotWrite, "The file exists already; choose another name or add to it with import --into", in(path));
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    auto part = PartFile::create(path);
    if (!part)
        return fail(std::move(part).error());
    impl->part = std::move(*part);
    auto connection = sqlite::Connection::open(impl->part.path(), sqlite::Access::Create);
    if (!connection) {
        Error error = std::move(connection).error();
        error.place.file = path;
        return fail(std::move(error));
    }
    connection->setPath(path);
    impl->kind = Impl::Kind::Unpublished;
    impl->db = std::move(*connection);
    // The schema comes first: page_size has to be set before anything touches the file.
    if (auto done = createSchema(impl->db); !done)
        return fail(std::move(done).error());
    if (auto done = impl->db.execute(privateFile); !done)
        return fail(std::move(done).error());
    return Store(std::move(impl));
}

Result<Store> Store::temporary()
{
    auto connection = sqlite::Connection::open("", sqlite::Access::Create);
    if (!connection)
        return fail(std::move(connection).error());
    auto impl = std::make_unique<Impl>();
    impl->kind = Impl::Kind::Temporary;
    impl->db = std::move(*connection);
    if (auto done = createSchema(impl->db); !done)
        return fail(std::move(done).error());
    if (auto done = impl->db.execute(privateFile); !done)
        return fail(std::move(done).error());
    return Store(std::move(impl));
}

Result<Store> Store::open(const std::string& path, Mode mode)
{
    if (auto readable = checkReadable(path); !readable)
        return fail(std::move(readable).error());
    const bool writable = mode == Mode::ReadWrite;
    auto connection = sqlite::Connection::open(path, writable ? sqlite::Access::ReadWrite : sqlite::Access::ReadOnly);
    if (!connection)
        return fail(std::move(connection).error());
    if (writable && connection->isReadOnly())
        return fail(ErrorCode::CannotWrite, "The workspace is read-only; check the permissions of the file and its directory", in(path));
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->db = std::move(*connection);
    if (auto done = checkSchema(impl->db, writable); !done)
        return fail(std::move(done).error());
    if (auto done = impl->db.execute(boundedCache); !done)
        return fail(std::move(done).error());
    if (auto done = loadDictionary(impl->db, *impl->dictionary); !done)
        return fail(std::move(done).error());
    impl->saved = sizesOf(*impl->dictionary);
    return Store(std::move(impl));
}

bool Store::isWorkspace(const std::string& path)
{
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored))
        return false; // of a pipe, the look alone would take the first bytes away
    std::ifstream file(path, std::ios::binary);
    std::array<char, applicationIdOffset + 4> head{};
    file.read(head.data(), head.size());
    const std::string_view text(head.data(), std::size_t(file.gcount()));
    if (text.size() != head.size() || !text.starts_with(sqliteMagic))
        return false;
    std::int64_t applicationId = 0;
    for (const char c : text.substr(applicationIdOffset))
        applicationId = applicationId << 8 | static_cast<unsigned char>(c);
    return applicationId == workspaceApplicationId;
}

Result<void> Store::publish()
{
    const std::scoped_lock lock(m_impl->mutex);
    if (m_impl->kind != Impl::Kind::Unpublished)
        return {};
    if (m_impl->writing)
        return fail(ErrorCode::WorkspaceBusy, "An import into the workspace is still running", in(m_impl->path));
    std::error_code code;
    if (fs::exists(m_impl->path, code))
        return fail(ErrorCode::CannotWrite, "A file of this name has appeared meanwhile; choose another name", in(m_impl->path));
    if (auto synced = m_impl->db.sync(); !synced)
        return synced;
    // Journals are named after the file, so the connection has to see the final name.
    m_impl->selectSummary = {};
    m_impl->chunks.reset();
    m_impl->db.close();
    if (auto renamed = m_impl->part.publish(); !renamed)
        return renamed;
    m_impl->kind = Impl::Kind::Opened;
    auto connection = sqlite::Connection::open(m_impl->path, sqlite::Access::ReadWrite);
    if (!connection)
        return fail(std::move(connection).error());
    m_impl->db = std::move(*connection);
    return m_impl->db.execute(boundedCache);
}

Result<void> Store::copyTo(const std::string& path) const
{
    const std::scoped_lock lock(m_impl->mutex);
    if (m_impl->writing)
        return fail(ErrorCode::WorkspaceBusy, "An import into the workspace is still running; save when it is done", in(path));
    std::error_code code;
    if (!m_impl->path.empty() && fs::equivalent(path, m_impl->path, code))
        return fail(ErrorCode::CannotWrite, "The workspace cannot be copied onto itself; choose another name", in(path));
    auto part = PartFile::create(path);
    if (!part)
        return fail(std::move(part).error());
    const auto copy = [&]() -> Result<void> {
        auto target = sqlite::Connection::open(part->path(), sqlite::Access::Create);
        if (!target)
            return fail(std::move(target).error());
        if (auto done = target->execute("PRAGMA synchronous = OFF;"); !done)
            return done;
        if (auto done = m_impl->db.backupTo(*target); !done)
            return done;
        return target->sync();
    };
    Result<void> done = copy();
    if (done)
        done = part->publish();
    if (done)
        return done;
    Error error = std::move(done).error();
    error.place.file = path;
    return fail(std::move(error));
}

const std::string& Store::path() const
{
    return m_impl->path;
}

std::shared_ptr<const Dictionary> Store::dictionary() const
{
    return m_impl->dictionary;
}

} // namespace chokepoint
