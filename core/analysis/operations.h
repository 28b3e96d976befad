// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Latency of operations, that is of (service, span name) groups, over finished spans.
#pragma once

#include "core/model/tracecolumns.h"

#include <string>
#include <vector>

namespace chokepoint {

/// Type-7 quantiles over the spans of one operation whose duration is known; operations without such spans have no row.
struct OperationFigures {
    std::string service;
    std::string name;
    std::uint64_t n = 0;
    std::uint64_t errors = 0;
    Duration min{};
    Duration p50{};
    Duration p90{};
    Duration p95{};
    Duration p99{};
    Duration max{};
    Duration mean{};
};

/// Ordered by service, then name. O(n log n).
[[nodiscard]] std::vector<OperationFigures> operationFigures(const TraceColumns& columns);

} // namespace chokepoint
