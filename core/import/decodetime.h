// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Points in time in every spelling that producers use, to the nanosecond.
#pragma once

#include "core/base/diagnostics.h"
#include "core/base/time.h"
#include "core/import/recordplace.h"

#include <optional>
#include <string_view>

namespace chokepoint {

/// What a number counts, as the power of ten that makes it nanoseconds.
enum class TimeUnit : int { Nanoseconds = 0, Microseconds = 3, Milliseconds = 6, Seconds = 9 };

struct DecodedTime {
    Timestamp time = unknownTime;
    bool isOutOfRange = false; // time is the nearest that int64 nanoseconds can hold
    bool isDate = false; // was an ISO 8601 date and time
    bool isNaive = false; // was a date and time without a zone; read as UTC
    int finer = 0; // the power of ten by which the number's unit is shorter than the one asked for

    friend bool operator==(const DecodedTime&, const DecodedTime&) = default;
};

/// In the years 1990 to 2099.
[[nodiscard]] bool isPlausibleTime(Timestamp time);

/// Number text (integer, fraction or exponent, exact) in \a unit, or an ISO 8601 / RFC 3339 date and time with T or a
/// space, any number of fraction digits (those beyond nanoseconds are dropped) and Z, +hh:mm, +hhmm or no zone. A number
/// that is beyond int64 in \a unit and plausible in a shorter one is read in that: producers write nanoseconds where microseconds
/// are asked for. Nothing when \a text is neither.
[[nodiscard]] std::optional<DecodedTime> decodeTime(std::string_view text, TimeUnit unit);

/// Counts what was odd about a time that was read from \a text (TIME_OUT_OF_RANGE, TIME_UNIT_REPAIRED).
void reportOddTime(const DecodedTime& decoded, std::string_view text, Diagnostics& diagnostics, const RecordPlace& place);

} // namespace chokepoint
