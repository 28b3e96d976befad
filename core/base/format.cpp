// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"

#include "core/base/int128.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace chokepoint {

namespace {

struct Unit {
    std::uint64_t ns;
    const char* name;
};

/// value/unit with three significant digits, computed in integers so that rounding cannot reach the next unit unseen.
/// Returns an empty text when the rounded figure would read 1000 or more.
std::string threeDigits(std::uint64_t ns, Unit unit, std::uint64_t limit)
{
    const std::uint64_t whole = ns / unit.ns;
    const int decimals = whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
    const auto rounded = [&](int places) {
        const std::uint64_t scale = places == 2 ? 100 : places == 1 ? 10 : 1;
        return (UInt128(ns) * scale + unit.ns / 2) / unit.ns;
    };
    for (int places = decimals; places >= 0; --places) {
        const std::uint64_t scale = places == 2 ? 100 : places == 1 ? 10 : 1;
        const auto value = std::uint64_t(rounded(places));
        if (value / scale >= (places == 2 ? 10U : places == 1 ? 100U : limit) && places > 0)
            continue; // 9.996 is 10.0, not 10.00
        if (value >= limit * scale)
            return {};
        return places == 0 ? fmt::format("{} {}", value, unit.name)
                           : fmt::format("{}.{:0{}} {}", value / scale, value % scale, places, unit.name);
    }
    return {};
}

std::string magnitude(std::uint64_t ns)
{
    if (ns < 1000)
        return fmt::format("{} ns", ns);
    constexpr Unit units[] = {{1000, "\xc2\xb5s"}, {1000000, "ms"}, {1000000000, "s"}};
    for (const Unit& unit : units)
        if (std::string text = ns / unit.ns < 1000 ? threeDigits(ns, unit, unit.name[0] == 's' ? 60 : 1000) : std::string{}; !text.empty())
            return text;
    const std::uint64_t seconds = ns / 1000000000 + (ns % 1000000000 >= 500000000 ? 1 : 0);
    if (seconds < 3600)
        return fmt::format("{} m {:02} s", seconds / 60, seconds % 60);
    const std::uint64_t minutes = (seconds + 30) / 60;
    if (minutes < 24 * 60)
        return fmt::format("{} h {:02} m", minutes / 60, minutes % 60);
    const std::uint64_t hours = (minutes + 30) / 60;
    return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

} // namespace

std::string formatDuration(Duration duration)
{
    if (!isKnown(duration))
        return "unknown";
    const std::int64_t ns = toNs(duration);
    return ns < 0 ? "\xe2\x88\x92" + magnitude(std::uint64_t(0) - std::uint64_t(ns)) : magnitude(std::uint64_t(ns));
}

std::string formatDelta(Duration delta)
{
    return isKnown(delta) && toNs(delta) > 0 ? "+" + formatDuration(delta) : formatDuration(delta);
}

std::string formatShare(double share)
{
    if (!std::isfinite(share))
        return "unknown";
    if (share > 0 && share < 0.0005)
        return "<0.1 %";
    return fmt::format("{:.1f} %", share * 100);
}

std::string formatChange(double change)
{
    if (!std::isfinite(change))
        return "n/a";
    const double percent = std::round(change * 1000) / 10;
    if (percent == 0)
        return "0.0 %";
    return fmt::format("{}{:.1f} %", percent > 0 ? "+" : "\xe2\x88\x92", std::abs(percent));
}

std::string formatCount(std::uint64_t count)
{
    std::string text = std::to_string(count);
    for (std::ptrdiff_t place = std::ptrdiff_t(text.size()) - 3; place > 0; place -= 3)
        text.insert(std::size_t(place), 1, ',');
    return text;
}

std::string formatTimestamp(Timestamp time)
{
    if (!isKnown(time))
        return "unknown";
    const std::int64_t ns = toNs(time);
    const std::int64_t fraction = ((ns % 1000000000) + 1000000000) % 1000000000;
    const auto seconds = std::time_t((ns - fraction) / 1000000000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:09}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
        utc.tm_min, utc.tm_sec, fraction);
}

std::string formatBytes(std::uint64_t bytes)
{
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = double(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < std::size(units)) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value, value < 9.95 ? 2 : value < 99.5 ? 1 : 0, units[unit]);
}

} // namespace chokepoint
