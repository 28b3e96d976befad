// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Compressed streams as byte layers: gzip and zstd with all their members and frames, the others through libarchive.
#pragma once

#include "core/base/diagnostics.h"
#include "core/import/bytelayer.h"

#include <string_view>

namespace chokepoint {

/// What the first bytes of a stream say.
enum class Container { None, Gzip, Zstd, Bzip2, Xz, Lz4, Zip, Tar };

/// \a head needs 262 bytes to know a tar archive.
[[nodiscard]] Container containerOf(std::string_view head);
/// "gzip"; "none" for None.
[[nodiscard]] const char* containerName(Container container);

/// All members of a gzip stream one after another. Bytes behind the last member that are no member are counted in
/// \a diagnostics (TRAILING_DATA) and dropped; zero padding is dropped silently. Fails with CannotRead.
[[nodiscard]] PullBytes gunzip(ByteLayer& below, Diagnostics& diagnostics);
/// All frames of a zstd stream, skippable ones left out; else as gunzip().
[[nodiscard]] PullBytes unzstd(ByteLayer& below, Diagnostics& diagnostics);

} // namespace chokepoint
