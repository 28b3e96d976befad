// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The taxonomy's own order.
#include "views/charts/stageorder.h"

#include <algorithm>
#include <array>

namespace chokepoint {

int pipelinePlace(std::string_view stage)
{
    static constexpr std::array<std::string_view, 21> order{"ingress", "queue", "preprocess", "route", "guardrail", "cache", "embed",
        "retrieve", "rerank", "assemble", "generate", "tool", "validate", "evaluate", "backoff", "network", "storage", "orchestrate",
        "ingest", "other", "uninstrumented"};
    return int(std::ranges::find(order, stage) - order.begin());
}

bool pipelineLess(std::string_view a, std::string_view b)
{
    const int placeA = pipelinePlace(a);
    const int placeB = pipelinePlace(b);
    return placeA != placeB ? placeA < placeB : a < b;
}

} // namespace chokepoint
