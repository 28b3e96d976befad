// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Resampling of whole traces, and the random numbers for it: the same on every machine and with any number of threads.
#pragma once

#include "core/analysis/statistics.h"

#include <cstdint>
#include <span>
#include <vector>

namespace chokepoint {

/// xoshiro256** seeded through splitmix64. Streams with other \a stream numbers are independent in practice, so each
/// replicate has its own and threads cannot matter.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t stream);

    std::uint64_t next();
    /// Uniform in (0, 1).
    double uniform();
    /// Standard normal (polar method).
    double normal();
    /// Gamma with unit scale; \a shape >= 0 (0 gives 0). Marsaglia and Tsang.
    double gamma(double shape);

private:
    std::uint64_t m_state[4];
};

/// One side of a comparison as a table: a row a trace, a column a stage (or the whole trace), int64 nanoseconds, row-major.
struct TraceTable {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<std::int64_t> values;

    [[nodiscard]] std::int64_t at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

/// Means of every column in every replicate: resample the rows with replacement, all columns with the same counts.
struct ReplicateMeans {
    std::size_t columns = 0;
    std::vector<double> means; // replicates x columns, ns

    [[nodiscard]] std::size_t replicates() const { return columns == 0 ? 0 : means.size() / columns; }
    [[nodiscard]] double at(std::size_t replicate, std::size_t column) const { return means[replicate * columns + column]; }
};

/// How often each of \a rows rows is drawn in one replicate; as many draws as rows.
void drawRows(std::uint64_t seed, std::size_t replicate, std::size_t rows, std::vector<std::uint32_t>& counts);

/// Exact multinomial counts: one draw a row and replicate. \a seed must say what the table holds (see comparison), so that
/// two sides draw independently and a side draws the same whichever place it has. \a threads 0: all cores.
[[nodiscard]] ReplicateMeans resampleMeans(const TraceTable& table, std::uint64_t seed, unsigned replicates, unsigned threads);

/// \a values (reordered) without \a tail of them at each end, interpolated so that negated values give exactly the negated interval.
[[nodiscard]] Interval percentileInterval(std::vector<double>& values, double tail = 0.025);

} // namespace chokepoint
