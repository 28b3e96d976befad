// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Files and standard input, opened for reading, and how much there is to read.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace chokepoint {

struct OpenFile {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream; // never null
    std::uint64_t size = 0; // bytes; 0 for pipes and devices, which do not tell
};

/// Positioned at \a from. Fails with CannotOpen, for directories too, and CannotRead.
[[nodiscard]] Result<OpenFile> openFileForReading(const std::string& path, std::uint64_t from);
/// Stays open behind the last use. The size is what is left of a file that is redirected.
[[nodiscard]] OpenFile openStandardInputForReading();

} // namespace chokepoint
