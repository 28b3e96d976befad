// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of models whose length suggests that an SDK retried inside them (R10): a hint, never counted.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/attemptscan.h"

namespace chokepoint::attempts {

/// A call without HTTP spans or counters in it.
struct OpaqueCall {
    std::uint32_t trace = 0;
    std::uint32_t span = 0;
    std::uint32_t model = 0; // as AttemptFact::model
    std::int32_t outputTokens = -1;
    Duration length{};
};

/// Those that are longer than 95 % of the calls of their model with about as many output tokens, by as much as the backoffs of one,
/// two or three retries add up to. \a calls: by trace and span. Models with fewer than 20 such calls give no hint.
[[nodiscard]] std::vector<HiddenRetryHint> hiddenRetryHints(const std::vector<OpaqueCall>& calls);

} // namespace chokepoint::attempts
