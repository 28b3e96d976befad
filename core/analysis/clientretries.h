// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that were sent again (R9): attempts that are traces of their own, joined by a request key.
#pragma once

#include "core/analysis/attempts.h"

#include <vector>

namespace chokepoint::attempts {

/// Traces that try one request, in order of time: at least two.
struct RequestChain {
    std::vector<Attempt> attempts; // the traces' roots; without tokens
    std::uint8_t confidence = 0; // percent
    RetryEvidence evidence = RetryEvidence::Inferred;
};

/// In the order of their first traces. Linear in traces, but for sorting those that have a request key.
[[nodiscard]] std::vector<RequestChain> findRequestChains(
    const TraceColumns& columns, const AttemptFacts& facts, const Population& population);

} // namespace chokepoint::attempts
