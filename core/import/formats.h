// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which format a file has, told from its first bytes, and what to say when it is none that can be read.
#pragma once

#include "core/base/error.h"
#include "core/import/tracereader.h"

#include <string_view>

namespace chokepoint {

/// The first reader whose sniff says yes; nullptr when there is none.
[[nodiscard]] const ReaderEntry* readerFor(std::string_view head, bool isWhole);

/// Why nothing reads \a head: EmptyInput, UnsupportedFormat with the name of the format and the way out, or UnrecognizedFormat
/// with what was found.
[[nodiscard]] Error whyUnreadable(std::string_view head);

/// Bytes that detection wants to see.
inline constexpr std::size_t detectionHead = std::size_t(256) << 10;

} // namespace chokepoint
