// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/partfile.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace chokepoint {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".part";
constexpr std::size_t tokenSize = 16;

std::string prefixOf(const fs::path& target)
{
    return '.' + target.filename().string() + '.';
}

bool isPartName(const std::string& name, const std::string& prefix)
{
    return name.size() == prefix.size() + tokenSize + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix)
        && name.find_first_not_of("0123456789abcdef", prefix.size()) == prefix.size() + tokenSize;
}

/// The file at \a path is the one that is open, and nobody else holds it.
bool lockFile(int file, const std::string& path)
{
    struct stat opened { };
    struct stat named { };
    return ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0
        && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// What processes that were killed have left; those that live hold a lock.
void removeStale(const fs::path& target)
{
    std::error_code error;
    const std::string prefix = prefixOf(target);
    const fs::path directory = target.has_parent_path() ? target.parent_path() : fs::path(".");
    fs::directory_iterator entries(directory, fs::directory_options::skip_permission_denied, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        const std::string path = entries->path().string();
        if (!isPartName(entries->path().filename().string(), prefix))
            continue;
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (file < 0)
            continue;
        if (lockFile(file, path))
            ::unlink(path.c_str());
        ::close(file);
    }
}

} // namespace

Result<PartFile> PartFile::create(const std::string& target)
{
    removeStale(target);
    std::random_device entropy;
    constexpr int attempts = 16;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const std::uint64_t token = std::uint64_t(entropy()) << 32 | entropy();
        PartFile part;
        part.m_target = target;
        part.m_path = (fs::path(target).parent_path() / fmt::format("{}{:016x}{}", prefixOf(target), token, suffix)).string();
        part.m_lock = ::open(part.m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (part.m_lock >= 0 && lockFile(part.m_lock, part.m_path))
            return part;
        if (part.m_lock < 0) {
            part.m_path.clear();
            if (errno != EEXIST)
                break;
        }
    }
    return fail(ErrorCode::CannotWrite,
        fmt::format("Cannot create the file: {}; check the folder, its permissions and the free space", std::strerror(errno)),
        {.file = target, .line = {}, .byte = {}});
}

PartFile::PartFile(PartFile&& other) noexcept
    : m_target(std::move(other.m_target)), m_path(std::exchange(other.m_path, {})), m_lock(std::exchange(other.m_lock, -1))
{
}

PartFile& PartFile::operator=(PartFile&& other) noexcept
{
    if (this != &other) {
        discard();
        m_target = std::move(other.m_target);
        m_path = std::exchange(other.m_path, {});
        m_lock = std::exchange(other.m_lock, -1);
    }
    return *this;
}

Result<void> PartFile::publish()
{
    std::error_code error;
    fs::rename(m_path, m_target, error);
    if (error)
        return fail(ErrorCode::CannotWrite, fmt::format("Cannot give the file its name: {}", error.message()),
            {.file = m_target, .line = {}, .byte = {}});
    m_path.clear();
    close();
    return {};
}

void PartFile::discard()
{
    if (!m_path.empty())
        ::unlink(m_path.c_str());
    m_path.clear();
    close();
}

void PartFile::close()
{
    if (m_lock >= 0)
        ::close(m_lock);
    m_lock = -1;
}

} // namespace chokepoint
