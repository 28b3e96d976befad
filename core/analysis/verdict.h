// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict of a comparison and the one sentence that says it, from fixed templates.
#pragma once

#include "core/analysis/comparison.h"

namespace chokepoint {

/// Sets verdict and sentence from the figures of \a comparison; \a identical: both sides hold the same traces; \a failsMore:
/// AFTER's requests fail more often. Every number in the sentence is one of the comparison's.
void setVerdict(Comparison& comparison, bool identical, bool failsMore);

/// "28 %", "0.4 %": whole percents from 1 % on; without a sign.
[[nodiscard]] std::string percentText(double share);

} // namespace chokepoint
