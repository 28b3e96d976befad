// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the panels of the Before/After page show: a comparison with its labels, or one side alone.
#pragma once

#include "core/analysis/comparison.h"
#include "views/theme/palette.h"

#include <QString>

#include <memory>

namespace chokepoint {

struct CompareFigures {
    std::shared_ptr<const Comparison> comparison; // null: nothing to show
    QString beforeLabel;
    QString afterLabel;
    bool single = false; // one side only; its figures are the "before" ones
    Side singleSide = Side::Before;
};

/// Better, worse or neutral for a change of a time: less is better, and only a significant change has a direction.
[[nodiscard]] inline Direction directionOf(Duration delta, bool significant)
{
    if (!significant || delta == Duration{0} || !isKnown(delta))
        return Direction::Neutral;
    return delta < Duration{0} ? Direction::Better : Direction::Worse;
}

} // namespace chokepoint
