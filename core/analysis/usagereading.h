// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether cached tokens stand inside or beside an input count, and reasoning tokens inside or beside an output count.
#pragma once

#include "core/analysis/usage.h"
#include "core/analysis/usagekeys.h"

#include <vector>

namespace chokepoint {

/// Who wrote a call's counts, and in which keys.
struct UsageEmitter {
    ScopeId scope{};
    CountingHint input = CountingHint::None; // of the key that gave the input
    CountingHint cache = CountingHint::None; // of the key that gave the cached tokens
    CountingHint reasoning = CountingHint::None;
};

/// Settles CallFacts::reading of all calls: by each call's own arithmetic, else by the majority of its scope and provider, else by what is
/// known about keys and providers, else as included (assumed). \a emitters: by call. \a provider names ids of CallFacts::provider.
void settleReadings(std::vector<CallFacts>& calls, const std::vector<UsageEmitter>& emitters, const StringPool& texts);

} // namespace chokepoint
