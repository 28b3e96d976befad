// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Seeded random traces, tame to hostile: the same seed gives the same spans on every machine.
#pragma once

#include "core/model/tracecolumns.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace chokepoint::testkit {

/// Random numbers whose sequence the C++ standard fixes (the standard's distributions are not).
class Random {
public:
    explicit Random(std::uint64_t seed) : m_engine(seed) { }
    /// Uniform in [0, n); n > 0.
    std::uint64_t below(std::uint64_t n) { return m_engine() % n; }
    /// Uniform in [low, high].
    std::int64_t between(std::int64_t low, std::int64_t high) { return low + std::int64_t(below(std::uint64_t(high - low) + 1)); }
    bool chance(unsigned percent) { return below(100) < percent; }

private:
    std::mt19937_64 m_engine;
};

/// What may occur in a random trace. Numbers that end in "Percent" are chances a span.
struct RandomShape {
    unsigned minSpans = 1;
    unsigned maxSpans = 24;
    unsigned chainPercent = 30; // hangs below the span before it (deep)
    unsigned fanPercent = 30; // hangs below the root (wide); else below any earlier span
    std::int64_t duration = 1000; // of the root, in grid steps; few steps make equal times likely
    std::int64_t grid = 1; // ns a step
    std::int64_t origin = 0; // start of the root, ns
    unsigned adjacentPercent = 20; // starts exactly where the sibling before it ended
    unsigned overflowPercent = 0; // ends after its parent, or starts before it, or lies outside
    unsigned zeroPercent = 0; // zero length
    unsigned negativePercent = 0; // end before start
    unsigned noStartPercent = 0;
    unsigned noEndPercent = 0;
    unsigned orphanPercent = 0;
    unsigned rootPercent = 0; // another root
    unsigned cyclePercent = 0; // its parent is a later span
    unsigned duplicatePercent = 0; // id of an earlier span
    unsigned followsPercent = 0;
    unsigned asyncPercent = 0;
    unsigned streamPercent = 0;
    unsigned cancelPercent = 0;
    unsigned errorPercent = 0;
    unsigned kindPercent = 0; // a kind other than INTERNAL
    unsigned hosts = 1; // services, each on a host of its own
    std::int64_t skew = 0; // largest clock offset of a host, ns
};

/// Children inside their parents, one root, one host.
[[nodiscard]] RandomShape tameShape();
/// Everything at once.
[[nodiscard]] RandomShape hostileShape();

/// Spans of one random trace in random order; texts and resources go into \a dictionary.
[[nodiscard]] SpanColumns randomRows(Random& random, const RandomShape& shape, Dictionary& dictionary);

/// A population of random traces.
[[nodiscard]] TraceColumns randomTraces(std::uint64_t seed, std::size_t traces, const RandomShape& shape);

/// The rows in another order.
[[nodiscard]] SpanColumns shuffled(const SpanColumns& rows, Random& random);

/// Spans 0..n-1, each inside the one before it, on the path with its first and last nanosecond.
[[nodiscard]] TraceColumns chainTrace(std::uint32_t spans);
/// One root with \a children children one after the other, a gap between each.
[[nodiscard]] TraceColumns wideTrace(std::uint32_t children);

} // namespace chokepoint::testkit
