// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/decodetime.h"

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/import/decodenumber.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <limits>

namespace chokepoint {

namespace {

constexpr std::int64_t nsPerSecond = 1'000'000'000;

/// Exactly \a count digits from the front of \a text.
std::optional<int> takeNumber(std::string_view& text, std::size_t count)
{
    if (text.size() < count)
        return std::nullopt;
    int value = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool take(std::string_view& text, std::string_view anyOf)
{
    if (text.empty() || anyOf.find(text.front()) == std::string_view::npos)
        return false;
    text.remove_prefix(1);
    return true;
}

/// "2026-11-30" as days since 1970.
std::optional<std::int64_t> takeDate(std::string_view& text)
{
    const auto year = takeNumber(text, 4);
    if (!year || !take(text, "-"))
        return std::nullopt;
    const auto month = takeNumber(text, 2);
    if (!month || !take(text, "-"))
        return std::nullopt;
    const auto day = takeNumber(text, 2);
    if (!day)
        return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year(*year), std::chrono::month(unsigned(*month)), std::chrono::day(unsigned(*day))};
    if (!date.ok())
        return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count();
}

/// "06:58:44.123" as nanoseconds since midnight; seconds may be left out; a leap second counts as the next second.
std::optional<std::int64_t> takeClock(std::string_view& text)
{
    const auto hour = takeNumber(text, 2);
    if (!hour || *hour > 24 || !take(text, ":"))
        return std::nullopt;
    const auto minute = takeNumber(text, 2);
    if (!minute || *minute > 59)
        return std::nullopt;
    std::optional<int> second = 0;
    if (take(text, ":"))
        second = takeNumber(text, 2);
    if (!second || *second > 60)
        return std::nullopt;
    std::int64_t fraction = 0;
    if (take(text, ".,")) {
        std::int64_t unit = nsPerSecond / 10;
        for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), unit /= 10)
            fraction += unit * (text.front() - '0');
    }
    return (*hour * 3600LL + *minute * 60LL + *second) * nsPerSecond + fraction;
}

struct Zone {
    std::int64_t offsetSeconds = 0;
    bool isGiven = true;
};

std::optional<Zone> takeZone(std::string_view& text)
{
    if (take(text, "Zz"))
        return Zone{};
    const bool isEast = !text.empty() && text.front() == '+';
    if (!take(text, "+-"))
        return Zone{0, false};
    const auto hours = takeNumber(text, 2);
    take(text, ":");
    const auto minutes = text.empty() ? std::optional(0) : takeNumber(text, 2);
    if (!hours || !minutes)
        return std::nullopt;
    const std::int64_t offset = *hours * 3600LL + *minutes * 60LL;
    return Zone{isEast ? offset : -offset, true};
}

std::optional<DecodedTime> decodeDate(std::string_view text)
{
    const auto days = takeDate(text);
    if (!days || !take(text, "Tt "))
        return std::nullopt;
    const auto clock = takeClock(text);
    if (!clock)
        return std::nullopt;
    take(text, " ");
    const auto zone = takeZone(text);
    if (!zone || !text.empty())
        return std::nullopt;
    const std::int64_t seconds = *days * 86400 - zone->offsetSeconds;
    std::int64_t ns = 0;
    DecodedTime decoded;
    decoded.isOutOfRange = __builtin_mul_overflow(seconds, nsPerSecond, &ns) || __builtin_add_overflow(ns, *clock, &ns);
    if (decoded.isOutOfRange)
        ns = seconds < 0 ? std::numeric_limits<std::int64_t>::min() + 1 : std::numeric_limits<std::int64_t>::max();
    decoded.time = timestampFromNs(ns);
    decoded.isDate = true;
    decoded.isNaive = !zone->isGiven;
    return decoded;
}

std::uint64_t powerOfTen(int power)
{
    std::uint64_t value = 1;
    for (int i = 0; i < power; ++i)
        value *= 10;
    return value;
}

std::optional<DecodedTime> decodeInFinerUnit(std::string_view text, TimeUnit unit)
{
    constexpr int step = 3; // powers of ten between units
    for (int finer = step; finer <= int(unit); finer += step) {
        const auto number = scaledInteger(text, int(unit) - finer);
        if (number && !number->isOutOfRange && isPlausibleTime(timestampFromNs(number->value)))
            return DecodedTime{timestampFromNs(number->value), false, false, false, finer};
    }
    return std::nullopt;
}

} // namespace

bool isPlausibleTime(Timestamp time)
{
    constexpr Timestamp earliest = timestampFromNs(631'152'000'000'000'000); // 1990
    constexpr Timestamp latest = timestampFromNs(4'102'444'800'000'000'000); // 2100
    return earliest <= time && time < latest;
}

std::optional<DecodedTime> decodeTime(std::string_view text, TimeUnit unit)
{
    if (const auto number = scaledInteger(text, int(unit))) {
        if (number->isOutOfRange)
            if (const auto decoded = decodeInFinerUnit(text, unit))
                return decoded;
        const bool isFirst = number->value == std::numeric_limits<std::int64_t>::min();
        return DecodedTime{timestampFromNs(number->value + (isFirst ? 1 : 0)), number->isOutOfRange || isFirst};
    }
    return decodeDate(text);
}

void reportOddTime(const DecodedTime& decoded, std::string_view text, Diagnostics& diagnostics, const RecordPlace& place)
{
    constexpr std::size_t longestText = 60;
    if (decoded.isOutOfRange)
        diagnostics.report(DiagnosticCode::TimeOutOfRange, [&] {
            return fmt::format("{}: the time {} is beyond the years 1677 to 2262; clamped", place.text(), elided(text, longestText));
        });
    if (decoded.finer != 0)
        diagnostics.report(DiagnosticCode::TimeUnitRepaired, [&] {
            return fmt::format(
                "{}: the time {} is beyond the year 2262 as its format writes it; it was read in a unit that is {} times as short",
                place.text(), elided(text, longestText), formatCount(powerOfTen(decoded.finer)));
        });
}

} // namespace chokepoint
