// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A file that appears whole or not at all: bytes go to a neighbour "<path>.part", which commit() renames.
#pragma once

#include "core/base/result.h"

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace chokepoint {

/// Devices and pipes (/dev/stdout) cannot be renamed into place and are written directly.
class OutputFile {
public:
    /// Fails with CannotWrite.
    [[nodiscard]] static Result<OutputFile> create(const std::string& path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&& other) noexcept;
    ~OutputFile(); // removes the neighbour unless committed

    [[nodiscard]] Result<void> write(std::string_view bytes);
    /// Flushes, closes and renames. Fails with CannotWrite; the target is untouched then.
    [[nodiscard]] Result<void> commit();

    /// Where the bytes lie until commit(), for a library that writes the file itself.
    [[nodiscard]] const std::string& partPath() const { return m_partPath; }
    /// False for devices and pipes.
    [[nodiscard]] bool isRegular() const { return m_partPath != m_path; }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    OutputFile(std::string path, std::string partPath, std::FILE* file);
    void discard();

    std::string m_path;
    std::string m_partPath;
    std::unique_ptr<std::FILE, Close> m_file;
};

/// CannotWrite for \a path with the reason that errno value \a code names.
[[nodiscard]] tl::unexpected<Error> cannotWrite(const std::string& path, int code);

} // namespace chokepoint
