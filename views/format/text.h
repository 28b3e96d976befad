// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as QString: the same text that the command line prints.
#pragma once

#include "core/base/time.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string_view>

namespace chokepoint {

struct Interval;

[[nodiscard]] QString toText(std::string_view utf8);
[[nodiscard]] QString durationText(Duration duration);
[[nodiscard]] QString deltaText(Duration delta);
[[nodiscard]] QString shareText(double share);
/// "unknown" when absent.
[[nodiscard]] QString changeText(std::optional<double> change);
[[nodiscard]] QString countText(std::uint64_t count);
[[nodiscard]] QString timestampText(Timestamp time);
[[nodiscard]] QString bytesText(std::uint64_t bytes);
/// Text of traces as a tool tip: never markup, lines kept.
[[nodiscard]] QString plainToolTip(const QString& text);
/// "-48.0 ms to -12.1 ms" of an interval in ns.
[[nodiscard]] QString deltaIntervalText(const Interval& interval);
[[nodiscard]] QString durationIntervalText(const Interval& interval);

} // namespace chokepoint
