// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that are needed again at the end of a file: in memory while they are few, then in a temporary file.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace chokepoint {

/// A stretch of a spool.
struct SpoolRange {
    std::uint64_t at = 0;
    std::uint32_t size = 0;
};

/// The file has no name and goes with the object. Not thread-safe.
class ByteSpool {
public:
    explicit ByteSpool(std::size_t inMemory = std::size_t(32) << 20) : m_inMemory(inMemory) { }

    /// Fails with CannotWrite, or LimitExceeded for 4 GiB and more at once.
    [[nodiscard]] Result<SpoolRange> append(std::string_view bytes);
    /// What append() stored; good until the next call. Fast when ranges are read in the order of their storing. Fails with CannotRead.
    [[nodiscard]] Result<std::string_view> read(SpoolRange range);

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    [[nodiscard]] Result<void> flush();

    std::size_t m_inMemory;
    std::string m_recent; // bytes from m_flushed on
    std::uint64_t m_flushed = 0; // bytes in the file
    std::unique_ptr<std::FILE, Close> m_file;
    std::string m_window; // of the file, from m_windowAt on
    std::uint64_t m_windowAt = 0;
};

} // namespace chokepoint
