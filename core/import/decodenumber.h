// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Decimal text to integers, exactly: no number of a trace goes through a double unless it is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace chokepoint {

/// A decimal number times a power of ten as an integer.
struct ScaledInteger {
    std::int64_t value = 0;
    bool isExact = true; // no digit was rounded away
    bool isOutOfRange = false; // value is the nearest end of int64

    friend bool operator==(const ScaledInteger&, const ScaledInteger&) = default;
};

/// \a text times 10^\a power, rounded half away from zero: "50.25" with 3 is 50250, "1.7e18" with 0 is exact. Nothing for
/// text that is no finite decimal number; white space, hex and thousands separators are none.
[[nodiscard]] std::optional<ScaledInteger> scaledInteger(std::string_view text, int power);

/// Plain integer text inside int64.
[[nodiscard]] std::optional<std::int64_t> integerFromText(std::string_view text);

/// The double nearest to \a text; also "NaN", "Infinity", "-Infinity" and "Inf" of any sign.
[[nodiscard]] std::optional<double> realFromText(std::string_view text);

} // namespace chokepoint
