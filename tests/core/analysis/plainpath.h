// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path once more, as slow and as plain as its definition: recursion, full scans, no cursors, no heaps.
#pragma once

#include "core/analysis/criticalpath.h"

#include <cstdint>
#include <vector>

namespace chokepoint::testkit {

struct PlainSegment {
    std::uint32_t span = 0;
    std::int64_t begin = 0; // absolute ns
    std::int64_t end = 0;
    friend bool operator==(const PlainSegment&, const PlainSegment&) = default;
};

struct PlainPath {
    std::vector<PlainSegment> segments; // ascending, neighbours of one span merged
    std::vector<std::int32_t> waiter; // by span: who waits for it, -1 for nobody
};

/// Policies default and detach, window root, no skew correction, no start jitter. For small traces without unknown times.
[[nodiscard]] PlainPath plainPath(const TraceView& trace, PathPolicy policy);
/// Jaeger's rule, root after root, neighbours of one root's path merged.
[[nodiscard]] std::vector<PlainSegment> plainJaegerPath(const TraceView& trace);
/// The segments of a path in the same form.
[[nodiscard]] std::vector<PlainSegment> plainSegments(const CriticalPath& path);

} // namespace chokepoint::testkit
