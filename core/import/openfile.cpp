// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/openfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace chokepoint {

namespace {

int keepOpen(std::FILE*)
{
    return 0;
}

} // namespace

Result<OpenFile> openFileForReading(const std::string& path, std::uint64_t from)
{
    const auto refused = [&path](ErrorCode code, const char* what) {
        return fail(code, fmt::format("{}: {}", what, std::strerror(errno)), {path, {}, {}});
    };
    struct stat status { };
    if (::stat(path.c_str(), &status) != 0)
        return refused(ErrorCode::CannotOpen, "the file cannot be opened");
    if (S_ISDIR(status.st_mode))
        return fail(ErrorCode::CannotOpen, "this is a directory, not a file", {path, {}, {}});
    OpenFile file{{std::fopen(path.c_str(), "rb"), std::fclose}};
    if (!file.stream)
        return refused(ErrorCode::CannotOpen, "the file cannot be opened");
    if (from != 0 && ::fseeko(file.stream.get(), off_t(from), SEEK_SET) != 0)
        return refused(ErrorCode::CannotRead, "reading failed");
    file.size = S_ISREG(status.st_mode) ? std::uint64_t(status.st_size) : 0;
    return file;
}

OpenFile openStandardInputForReading()
{
    OpenFile file{{stdin, keepOpen}};
    struct stat status { };
    const off_t at = ::ftello(stdin);
    if (at >= 0 && ::fstat(::fileno(stdin), &status) == 0 && S_ISREG(status.st_mode))
        file.size = std::uint64_t(std::max<off_t>(status.st_size - at, 0));
    return file;
}

} // namespace chokepoint
