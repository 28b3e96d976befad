// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of one trace: a partition of its end-to-end time into segments, each owned by one span.
#pragma once

#include "core/model/tracecolumns.h"

#include <span>
#include <string>
#include <vector>

namespace chokepoint {

enum class PathPolicy : std::uint8_t { Default, Detach, Jaeger }; // algorithms.md 2.9
enum class PathWindow : std::uint8_t { Root, FirstToken, Makespan }; // 2.3 S4
enum class SkewCorrection : std::uint8_t { Off, Fit, Jaeger }; // 2.4

/// Product constants of algorithms.md 8, in one place.
struct PathOptions {
    PathPolicy policy = PathPolicy::Default;
    PathWindow window = PathWindow::Root;
    SkewCorrection skew = SkewCorrection::Off;
    Duration maxSkew = std::chrono::milliseconds(100);
    std::int32_t root = -1; // another root than the primary one; index in the trace
    /// Start jitter J by ResourceId of the whole population (startJitter below); empty: none.
    std::span<const Duration> startJitter;
};

/// Why a piece of a span's own time is its own (2.8).
enum class SegmentType : std::uint8_t { Self, TimeToFirstToken, Decode, AsyncWait, Backoff, Network };
[[nodiscard]] const char* segmentTypeName(SegmentType type);

/// [begin, end) are offsets from the window's start, in ns.
struct PathSegment {
    std::uint32_t span = 0; // index in the trace
    SegmentType type = SegmentType::Self;
    Duration begin{};
    Duration end{};
    friend bool operator==(const PathSegment&, const PathSegment&) = default;
};

/// One of the path's own warnings: "OUTLIVES_CLIPPED", "ABANDONED", "SKEW_CORRECTED", "AFTER_ADOPTED", ... (2.5, 7).
struct PathNote {
    std::string code;
    std::uint32_t count = 0;
    std::uint32_t firstSpan = 0;
    friend bool operator==(const PathNote&, const PathNote&) = default;
};

struct CriticalPath {
    std::int32_t root = -1; // -1: no root, empty path
    Timestamp begin{}; // of the window
    Duration length{}; // of the window: the trace's end-to-end time; Jaeger's policy: sum of the segments
    bool complete = false; // true root, nothing unfinished, no unknown time
    std::vector<PathSegment> segments; // ascending, disjoint, cover [0, length) exactly (default and detach policy)
    std::vector<PathNote> notes; // by code
    /// Time owned through adopted, shifted or orphan edges, and what children were cut off because their ends and starts overlap
    /// within the tolerance.
    Duration inferred{};
    std::vector<Duration> shift; // by span, what skew correction moved it by; empty when it moved none
};

/// Never fails, never recurses; O(n log n) and O(n) memory. A trace without a true root uses its best orphan and is not complete.
[[nodiscard]] CriticalPath criticalPath(const TraceView& trace, const Dictionary& dictionary, const PathOptions& options = {});

/// J of algorithms.md 2.2 by ResourceId: step - 1 ns for the largest step of 1 ms, 1 us that divides every start (at least 8 spans) but
/// not every duration of the resource's spans; else 0.
[[nodiscard]] std::vector<Duration> startJitter(const TraceColumns& columns);

/// Self time of each span: duration less the union of its children's intervals clipped to it; children with a FOLLOWS_FROM
/// parent do not count; unknownDuration where the duration is unknown. result[i] belongs to span i. O(n log n).
[[nodiscard]] std::vector<Duration> selfTimes(const TraceView& trace);

} // namespace chokepoint
