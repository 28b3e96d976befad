// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Durations, counts and shares as people read them; the same text in the window, the tables and the reports.
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <string>

namespace chokepoint {

/// Three significant digits with the largest unit whose rounded value stays below the next ("999 ns", "1.20 ms",
/// "59.9 s", "1 m 00 s", "2 h 05 m", "30 d 00 h"); "unknown" for unknownDuration. Never "60 s" or "1000 ms".
[[nodiscard]] std::string formatDuration(Duration duration);
/// As formatDuration with an explicit sign for everything but zero: "+280 ms".
[[nodiscard]] std::string formatDelta(Duration delta);
/// 0.2415 -> "24.2 %"; below 0.05 % "<0.1 %" unless zero.
[[nodiscard]] std::string formatShare(double share);
/// -0.284 -> "-28.4 %", with a sign.
[[nodiscard]] std::string formatChange(double change);
/// 1234567 -> "1,234,567".
[[nodiscard]] std::string formatCount(std::uint64_t count);
/// "2026-11-30 06:58:44.123456789" in UTC; "unknown" for unknownTime.
[[nodiscard]] std::string formatTimestamp(Timestamp time);
/// Bytes with a binary unit: "12.3 MiB".
[[nodiscard]] std::string formatBytes(std::uint64_t bytes);

} // namespace chokepoint
