// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Finds a repeated walk in a sequence of pipeline steps: period detection on a short string.
#pragma once

#include "core/analysis/attemptscan.h"

#include <functional>
#include <span>
#include <vector>

namespace chokepoint::attempts {

/// A step by what it does; steps of a user's own stages differ by their number.
struct Step {
    StageRole role = StageRole::Other;
    std::uint16_t stage = 0; // of Other: its StageId; else 0

    friend bool operator==(const Step&, const Step&) = default;
};

/// Sequences are looked at up to this length.
inline constexpr std::size_t mostSteps = 400;

/// Walks over the same steps; fewer than two mean none was found.
struct WalkPattern {
    struct Walk {
        std::size_t begin = 0; // steps [begin, end)
        std::size_t end = 0;
    };
    std::vector<Walk> walks;
    bool anchored = false; // the walks differ a little: split at their retrieval
    bool incomplete = false; // the last walk broke off
};

/// \a endsFailed(begin, end) tells whether the steps [begin, end) of \a steps end in a failure.
[[nodiscard]] WalkPattern findWalks(std::span<const Step> steps, const std::function<bool(std::size_t, std::size_t)>& endsFailed);

} // namespace chokepoint::attempts
