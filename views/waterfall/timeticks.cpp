// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Marks of a time ruler: round steps, one unit, labels that differ.
#include "views/waterfall/timescale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace chokepoint {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t minute = 60 * second;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;

constexpr std::array longSteps{1 * second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, 1 * minute, 2 * minute,
    5 * minute, 10 * minute, 15 * minute, 30 * minute, 1 * hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 1 * day, 2 * day, 5 * day};

// Smallest of 1, 2, 5 times a power of ten that is at least `ns`.
std::int64_t decimalStep(double ns, std::int64_t from)
{
    for (std::int64_t power = from;; power *= 10) {
        for (const int factor : {1, 2, 5}) {
            const bool last = power > std::numeric_limits<std::int64_t>::max() / 50;
            if (double(power) * factor >= ns || last)
                return power * factor;
        }
    }
}

std::int64_t roundStep(double ns)
{
    if (ns <= double(second) / 2)
        return decimalStep(ns, 1);
    const auto it = std::find_if(longSteps.begin(), longSteps.end(), [ns](std::int64_t step) { return double(step) >= ns; });
    return it != longSteps.end() ? *it : decimalStep(ns / double(day), 1) * day;
}

struct Unit {
    std::int64_t ns;
    const char* name;
};
constexpr std::array units{Unit{1, "ns"}, Unit{1'000, "µs"}, Unit{1'000'000, "ms"}, Unit{second, "s"}};

Unit unitFor(std::int64_t largest)
{
    // Up to 10,000 of a unit read well: 2,500 ms beside 500 ms.
    for (const Unit& unit : units) {
        if (largest < unit.ns * 10'000)
            return unit;
    }
    return units.back();
}

int decimalsFor(Unit unit, std::int64_t step)
{
    int decimals = 0;
    for (std::int64_t covered = unit.ns; covered > 1 && step % covered != 0; covered /= 10)
        ++decimals;
    return decimals;
}

std::string decimal(std::int64_t ns, Unit unit, int decimals)
{
    if (decimals == 0)
        return fmt::format("{} {}", ns / unit.ns, unit.name);
    std::int64_t lastDigit = unit.ns; // ns of the last decimal shown
    for (int i = 0; i < decimals; ++i)
        lastDigit /= 10;
    return fmt::format("{}.{:0{}} {}", ns / unit.ns, ns % unit.ns / lastDigit, decimals, unit.name);
}

// 1:02:03 or 2 d 03:04:05, without fractions.
std::string clockText(std::int64_t ns)
{
    const std::int64_t s = ns / second;
    const std::string days = s >= 86'400 ? fmt::format("{} d ", s / 86'400) : std::string();
    return fmt::format("{}{}:{:02}:{:02}", days, s % 86'400 / 3'600, s / 60 % 60, s % 60);
}

std::string offsetText(std::int64_t ns, std::int64_t step, std::int64_t largest)
{
    if (ns < 0)
        return "-" + offsetText(-ns, step, largest);
    if (largest >= 10 * minute && step >= second)
        return clockText(ns);
    const Unit unit = unitFor(largest);
    return decimal(ns, unit, decimalsFor(unit, step));
}

// Exact: the clock, and the fraction of a second without its trailing zeros.
std::string baseText(std::int64_t ns)
{
    if (ns < 0)
        return "-" + baseText(-ns);
    std::string fraction = ns % second == 0 ? std::string() : fmt::format(".{:09}", ns % second);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return clockText(ns) + fraction;
}

std::int64_t floorTo(std::int64_t value, std::int64_t step)
{
    const std::int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

} // namespace

TimeTicks timeTicks(const TimeScale& scale, Timestamp origin, double minSpacingPx)
{
    const TimeRange view = scale.view();
    const double nsPerPixel = double(toNs(view.length())) / scale.width();
    const std::int64_t step = roundStep(std::max(1.0, nsPerPixel * std::max(1.0, minSpacingPx)));
    const std::int64_t from = toNs(saturatingDifference(view.begin, origin));
    const std::int64_t to = toNs(saturatingDifference(view.end, origin));
    const std::int64_t largest = std::max(std::abs(from), std::abs(to));

    TimeTicks result{Duration{step}, {}, {}};
    std::int64_t base = 0;
    // More than five digits before the one that changes: count from a round time at the left border.
    if (largest / step > 100'000) {
        const std::int64_t coarse = step < second / 1'000 ? std::max<std::int64_t>(step * 1'000, 1'000) : step * 1'000;
        base = floorTo(from, coarse);
        result.base = baseText(base);
    }
    std::int64_t tick = floorTo(from, step);
    if (tick < from)
        tick += step;
    for (; tick <= to; tick += step) {
        const Timestamp time = timestampFromNs(toNs(origin) + tick);
        std::string label = base == 0 ? offsetText(tick, step, largest) : "+" + offsetText(tick - base, step, to - base);
        result.ticks.push_back({time, scale.xAt(time), std::move(label)});
        if (tick > std::numeric_limits<std::int64_t>::max() - step)
            break;
    }
    return result;
}

} // namespace chokepoint
