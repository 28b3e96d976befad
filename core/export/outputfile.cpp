// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/outputfile.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace chokepoint {

namespace {

namespace fs = std::filesystem;

constexpr int maxNeighbours = 100; // left-overs of crashed runs that are stepped over

const char* adviceFor(int code)
{
    switch (code) {
    case ENOSPC: return "free some space or choose another place";
    case EACCES:
    case EROFS:
    case EPERM: return "choose a place where you may write";
    case ENOENT: return "create the folder first";
    default: return "choose another place";
    }
}

} // namespace

tl::unexpected<Error> cannotWrite(const std::string& path, int code)
{
    return fail(ErrorCode::CannotWrite,
        fmt::format("the file cannot be written ({}); {}", std::generic_category().message(code), adviceFor(code)),
        {.file = path, .line = {}, .byte = {}});
}

OutputFile::OutputFile(std::string path, std::string partPath, std::FILE* file)
    : m_path(std::move(path)), m_partPath(std::move(partPath)), m_file(file)
{
}

OutputFile::OutputFile(OutputFile&& other) noexcept = default;

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept
{
    if (this != &other) {
        discard();
        m_path = std::move(other.m_path);
        m_partPath = std::move(other.m_partPath);
        m_file = std::move(other.m_file);
    }
    return *this;
}

OutputFile::~OutputFile()
{
    discard();
}

void OutputFile::discard()
{
    if (!m_file)
        return;
    m_file.reset();
    std::error_code ignored; // nothing more can be done about a neighbour that does not go away
    if (isRegular())
        fs::remove(m_partPath, ignored);
}

Result<OutputFile> OutputFile::create(const std::string& path)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status))
        return cannotWrite(path, EISDIR);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        std::FILE* file = std::fopen(path.c_str(), "wb");
        if (file == nullptr)
            return cannotWrite(path, errno);
        return OutputFile(path, path, file);
    }
    // A symbolic link keeps pointing: the file behind it is replaced.
    const fs::path target = fs::is_symlink(fs::symlink_status(path, error)) ? fs::weakly_canonical(path, error) : fs::path(path);
    for (int i = 0; i < maxNeighbours; ++i) {
        const std::string part = target.string() + (i == 0 ? std::string(".part") : fmt::format(".part{}", i));
        if (std::FILE* file = std::fopen(part.c_str(), "wbx"))
            return OutputFile(target.string(), part, file);
        if (errno != EEXIST)
            return cannotWrite(path, errno);
    }
    return cannotWrite(path, EEXIST);
}

Result<void> OutputFile::write(std::string_view bytes)
{
    if (std::fwrite(bytes.data(), 1, bytes.size(), m_file.get()) != bytes.size())
        return cannotWrite(m_path, errno);
    return {};
}

Result<void> OutputFile::commit()
{
    if (std::fflush(m_file.get()) != 0)
        return cannotWrite(m_path, errno);
    if (std::fclose(m_file.release()) != 0) {
        const int code = errno;
        std::error_code ignored;
        if (isRegular())
            fs::remove(m_partPath, ignored);
        return cannotWrite(m_path, code);
    }
    if (!isRegular())
        return {};
    std::error_code error;
    fs::rename(m_partPath, m_path, error);
    if (error) {
        std::error_code ignored;
        fs::remove(m_partPath, ignored);
        return cannotWrite(m_path, error.value());
    }
    return {};
}

} // namespace chokepoint
