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

/// An en space, between a number that is flush right and the text of the next column.
inline constexpr QChar gapAfterNumber(0x2002);

[[nodiscard]] QString toText(std::string_view utf8);
[[nodiscard]] QString durationText(Duration duration);
[[nodiscard]] QString deltaText(Duration delta);
[[nodiscard]] QString shareText(double share);
/// "unknown" when absent.
[[nodiscard]] QString changeText(std::optional<double> change);
[[nodiscard]] QString countText(std::uint64_t count);
/// As formatStart(): a date, or the time since \a begin where the clock has no dates.
[[nodiscard]] QString startText(Timestamp start, Timestamp begin, int decimals = 9);
[[nodiscard]] QString bytesText(std::uint64_t bytes);
/// Text of traces as a tool tip: never markup, lines kept.
[[nodiscard]] QString plainToolTip(const QString& text);
/// One cell of tab-separated values: no tabs or line breaks, and no text that a spreadsheet would run.
[[nodiscard]] QString tsvText(QString text);
/// "-48.0 ms to -12.1 ms" of an interval in ns.
[[nodiscard]] QString deltaIntervalText(const Interval& interval);
[[nodiscard]] QString durationIntervalText(const Interval& interval);

} // namespace chokepoint
