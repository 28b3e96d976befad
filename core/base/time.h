// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Points and lengths of time: int64 nanoseconds that cannot be mixed up, half-open ranges, saturating arithmetic.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace chokepoint {

/// Unix epoch, nanoseconds; the trace's own zero for formats with a relative clock (Chrome). Range: years 1677 to 2262.
struct TraceClock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<TraceClock>;
    static constexpr bool is_steady = false;
};

using Duration = TraceClock::duration;
using Timestamp = TraceClock::time_point;

/// Marks a start or end that the source did not give. Unknown is not zero.
inline constexpr Timestamp unknownTime = Timestamp::min();
/// Marks a duration that cannot be told, because its start or end is unknown.
inline constexpr Duration unknownDuration = Duration::min();

[[nodiscard]] constexpr std::int64_t toNs(Timestamp t)
{
    return t.time_since_epoch().count();
}
[[nodiscard]] constexpr std::int64_t toNs(Duration d)
{
    return d.count();
}
[[nodiscard]] constexpr Timestamp timestampFromNs(std::int64_t ns)
{
    return Timestamp{Duration{ns}};
}
[[nodiscard]] constexpr bool isKnown(Timestamp t)
{
    return t != unknownTime;
}
[[nodiscard]] constexpr bool isKnown(Duration d)
{
    return d != unknownDuration;
}

/// \a to - \a from, clamped to the range of int64 (never wraps, never yields unknownDuration). Both must be known.
[[nodiscard]] constexpr Duration saturatingDifference(Timestamp to, Timestamp from)
{
    std::int64_t result = 0;
    if (__builtin_sub_overflow(toNs(to), toNs(from), &result))
        return to > from ? Duration::max() : Duration{std::numeric_limits<std::int64_t>::min() + 1};
    return Duration{std::max(result, std::numeric_limits<std::int64_t>::min() + 1)};
}

/// Half-open [begin, end). Empty when end <= begin.
struct TimeRange {
    Timestamp begin{};
    Timestamp end{};

    [[nodiscard]] constexpr Duration length() const { return end > begin ? saturatingDifference(end, begin) : Duration{0}; }
    [[nodiscard]] constexpr bool contains(Timestamp t) const { return begin <= t && t < end; }
    friend constexpr bool operator==(const TimeRange&, const TimeRange&) = default;
};

} // namespace chokepoint
