// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// When something started, as people read it: a date, or the time since the data began where the clock counts from a zero of its own.
#pragma once

#include "core/base/time.h"

#include <span>
#include <string>

namespace chokepoint {

/// 1990-01-01. Nothing that is traced is older: an earlier time counts from the boot of a machine or the start of a profiler,
/// whether its source said so (SpanFlags::RelativeClock) or not.
inline constexpr Timestamp oldestDate = timestampFromNs(631'152'000'000'000'000);

/// False for unknownTime.
[[nodiscard]] constexpr bool isDate(Timestamp time)
{
    return time >= oldestDate;
}

/// The earliest of \a starts that is known; unknownTime when none is.
[[nodiscard]] Timestamp earliestStart(std::span<const Timestamp> starts);

/// The earliest of \a starts that is known and no date: where data without dates begins. unknownTime when there is none.
[[nodiscard]] Timestamp beginWithoutDate(std::span<const Timestamp> starts);

/// "2026-11-30 06:58:44.123456789" in UTC; without a date the time since \a begin, "+12.345678901 s" (since the clock's own zero
/// when \a begin is unknown); "unknown" for unknownTime. \a decimals of a second, from 1 to 9; what lies beyond is cut off.
[[nodiscard]] std::string formatStart(Timestamp start, Timestamp begin, int decimals = 9);

} // namespace chokepoint
