// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Beginnings and ends of slices, written as two events, brought together.
#pragma once

#include "core/import/chromerecords.h"

namespace chokepoint {

struct PairingResult {
    std::uint64_t unmatchedEnds = 0; // they close nothing
    std::uint32_t firstUnmatched = 0; // index into ends
};

/// Gives every open slice its end and the arguments that came with it. Within a group, in the order of time: an end with a name
/// closes the innermost open slice of that name, one without closes the innermost. At equal times named ends of earlier slices
/// come first, then everything in the order of the file. Slices without an end stay as they are. O(n log n).
[[nodiscard]] PairingResult pairChromeEvents(ChromeRecords& records, std::size_t stringCount);

} // namespace chokepoint
