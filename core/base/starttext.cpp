// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/starttext.h"

#include "core/base/format.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr int everyDecimal = 9;

std::string offsetText(Duration offset)
{
    const bool isEarlier = offset < Duration{0};
    const auto ns = isEarlier ? std::uint64_t(0) - std::uint64_t(toNs(offset)) : std::uint64_t(toNs(offset));
    return fmt::format("{}{}.{:09}", isEarlier ? "\xe2\x88\x92" : "+", ns / second, ns % second);
}

} // namespace

Timestamp earliestStart(std::span<const Timestamp> starts)
{
    Timestamp earliest = unknownTime;
    for (const Timestamp start : starts)
        if (isKnown(start) && (!isKnown(earliest) || start < earliest))
            earliest = start;
    return earliest;
}

Timestamp beginWithoutDate(std::span<const Timestamp> starts)
{
    Timestamp begin = unknownTime;
    for (const Timestamp start : starts)
        if (isKnown(start) && !isDate(start) && (!isKnown(begin) || start < begin))
            begin = start;
    return begin;
}

std::string formatStart(Timestamp start, Timestamp begin, int decimals)
{
    if (!isKnown(start))
        return formatTimestamp(start);
    const bool dated = isDate(start);
    std::string text = dated ? formatTimestamp(start) : offsetText(saturatingDifference(start, isKnown(begin) ? begin : Timestamp{}));
    text.resize(text.size() - std::size_t(everyDecimal - decimals));
    return dated ? text : text + " s";
}

} // namespace chokepoint
