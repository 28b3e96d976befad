// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Units of time as people write limits and changes: "20ms", "1.5s".
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace chokepoint {

struct TimeUnitName {
    std::string_view text;
    double ns;
};
inline constexpr std::array timeUnitNames = {
    TimeUnitName{"ns", 1}, TimeUnitName{"us", 1e3}, TimeUnitName{"ms", 1e6}, TimeUnitName{"min", 60e9}, TimeUnitName{"s", 1e9}};

/// Nanoseconds of one \a unit; nothing for other texts.
[[nodiscard]] constexpr std::optional<double> nsOfUnit(std::string_view unit)
{
    for (const TimeUnitName& name : timeUnitNames)
        if (unit == name.text)
            return name.ns;
    return std::nullopt;
}

} // namespace chokepoint
