// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an input was read as, in one line a span, for literal expectations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chokepoint::testing {

struct ImportText {
    std::string spans; // lines, in the order of delivery
    std::string faults; // "CODE:count CODE:count", with "rejected:n" at the end when there are any
    std::string format; // or the name of the error code
    std::string message; // of the error, or of the first rejection
    std::string compression;

    friend bool operator==(const ImportText&, const ImportText&) = default;
};

/// Reads \a bytes in pulls of \a blockSize bytes (0: all at once).
///
///   trace/span<parent 'name' service|scope@version KIND STATUS(message) start..end {key=value, ..} event.. link.. flags..
///
/// Ids are hex without leading zeros, or the source's text where that was kept; parts that a span does not have are left out.
[[nodiscard]] ImportText importText(std::string_view bytes, std::size_t blockSize = 0);

/// The attributes of the resource of the first span of \a bytes, as in ImportText::spans; empty when there is no span.
[[nodiscard]] std::string firstResource(std::string_view bytes);

[[nodiscard]] std::string gzipped(std::string_view bytes);
[[nodiscard]] std::string zstdCompressed(std::string_view bytes);

} // namespace chokepoint::testing
