// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The trace bootstrap: counts are drawn per replicate, then a block of replicates is multiplied with the table at once.
#include "core/analysis/bootstrap.h"

#include "core/analysis/arena.h"
#include "core/base/ids.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace chokepoint {

namespace {

__extension__ using Wide = __int128;

constexpr std::size_t lanes = 4; // floats of one vector register of the baseline machine
constexpr std::size_t replicatesAtOnce = 4;
constexpr std::size_t rowsAtOnce = 256; // as many single-precision terms are added before they join the double sum

/// The table less its column means, in single precision, columns padded to whole registers. Centred values keep the
/// rounding far below the spread that is estimated, and constant columns are exactly zero.
struct CentredTable {
    std::size_t rows = 0;
    std::size_t width = 0;
    std::vector<float> values;
    std::vector<double> centre; // by column
};

CentredTable centred(const TraceTable& table)
{
    CentredTable out;
    out.rows = table.rows;
    out.width = (table.columns + lanes - 1) / lanes * lanes;
    out.values.assign(out.rows * out.width, 0.0F);
    for (std::size_t c = 0; c < table.columns; ++c) {
        Wide sum = 0;
        for (std::size_t r = 0; r < table.rows; ++r)
            sum += table.at(r, c);
        const auto middle = std::int64_t(sum / Wide(table.rows));
        out.centre.push_back(double(middle));
        for (std::size_t r = 0; r < table.rows; ++r)
            out.values[r * out.width + c] = float(table.at(r, c) - middle);
    }
    return out;
}

/// The counts of one replicate, one every replicatesAtOnce floats.
void drawCounts(std::uint64_t seed, std::size_t replicate, std::size_t rows, float* counts, std::vector<std::uint32_t>& scratch)
{
    drawRows(seed, replicate, rows, scratch);
    for (std::size_t r = 0; r < rows; ++r)
        counts[r * replicatesAtOnce] = float(scratch[r]);
}

using Register = float __attribute__((vector_size(lanes * sizeof(float))));

/// sums[replicate][lane] += counts x values over rows [first, last) for one register of columns.
void accumulate(const CentredTable& table, std::size_t column, std::size_t first, std::size_t last, const float* counts,
    std::array<Register, replicatesAtOnce>& sums)
{
    for (std::size_t r = first; r < last; ++r) {
        const float* row = table.values.data() + r * table.width + column;
        const Register values{row[0], row[1], row[2], row[3]};
        const float* count = counts + r * replicatesAtOnce;
        for (std::size_t k = 0; k < replicatesAtOnce; ++k)
            sums[k] += values * count[k];
    }
}

/// Memory of one worker, reused from block to block.
struct Buffers {
    std::vector<float> counts; // rows x replicatesAtOnce
    std::vector<std::uint32_t> scratch;
    std::vector<double> totals; // replicatesAtOnce x width
};

/// The means of replicates [first, first + replicatesAtOnce), as many as \a out has.
void resampleBlock(const CentredTable& table, std::uint64_t seed, std::size_t first, Buffers& buffers, ReplicateMeans& out)
{
    const std::size_t count = std::min(replicatesAtOnce, out.replicates() - first);
    buffers.counts.resize(table.rows * replicatesAtOnce);
    for (std::size_t k = 0; k < count; ++k)
        drawCounts(seed, first + k, table.rows, buffers.counts.data() + k, buffers.scratch);
    buffers.totals.assign(replicatesAtOnce * table.width, 0.0);
    for (std::size_t begin = 0; begin < table.rows; begin += rowsAtOnce) {
        const std::size_t end = std::min(table.rows, begin + rowsAtOnce);
        for (std::size_t column = 0; column < table.width; column += lanes) {
            std::array<Register, replicatesAtOnce> sums{};
            accumulate(table, column, begin, end, buffers.counts.data(), sums);
            for (std::size_t k = 0; k < replicatesAtOnce * lanes; ++k)
                buffers.totals[k / lanes * table.width + column + k % lanes] += double(sums[k / lanes][k % lanes]);
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t c = 0; c < out.columns; ++c)
            out.means[(first + k) * out.columns + c] = table.centre[c] + buffers.totals[k * table.width + c] / double(table.rows);
    }
}

} // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream)
{
    std::uint64_t state = mix64(seed + 0x9e3779b97f4a7c15ULL) ^ mix64(stream * 0xd1342543de82ef95ULL + 1);
    for (std::uint64_t& word : m_state)
        word = mix64(state += 0x9e3779b97f4a7c15ULL);
}

std::uint64_t RandomStream::next()
{
    const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    const std::uint64_t shifted = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= shifted;
    m_state[3] = std::rotl(m_state[3], 45);
    return result;
}

double RandomStream::uniform()
{
    return (double(next() >> 11) + 0.5) * 0x1.0p-53;
}

double RandomStream::normal()
{
    while (true) {
        const double u = 2 * uniform() - 1;
        const double v = 2 * uniform() - 1;
        const double square = u * u + v * v;
        if (square < 1 && square > 0)
            return u * std::sqrt(-2 * std::log(square) / square);
    }
}

double RandomStream::gamma(double shape)
{
    if (shape <= 0)
        return 0;
    if (shape < 1)
        return gamma(shape + 1) * std::pow(uniform(), 1 / shape);
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
        const double x = normal();
        const double root = 1 + c * x;
        if (root <= 0)
            continue;
        const double v = root * root * root;
        if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
            return d * v;
    }
}

void drawRows(std::uint64_t seed, std::size_t replicate, std::size_t rows, std::vector<std::uint32_t>& counts)
{
    counts.assign(rows, 0);
    RandomStream random(seed, replicate);
    for (std::size_t drawn = 0; drawn < rows; drawn += 2) {
        const std::uint64_t bits = random.next(); // two draws of 32 bits; the bias is below rows / 2^32
        counts[(bits >> 32) * rows >> 32]++;
        if (drawn + 1 < rows)
            counts[(bits & 0xffffffffU) * rows >> 32]++;
    }
}

ReplicateMeans resampleMeans(const TraceTable& table, std::uint64_t seed, unsigned replicates, unsigned threads)
{
    ReplicateMeans out;
    out.columns = table.columns;
    if (table.rows == 0 || table.columns == 0)
        return out;
    out.means.assign(std::size_t(replicates) * table.columns, 0.0);
    const CentredTable centredTable = centred(table);
    const std::size_t blocks = (replicates + replicatesAtOnce - 1) / replicatesAtOnce;
    constexpr std::size_t grain = 16;
    arenaFor(threads).execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks, grain), [&](const tbb::blocked_range<std::size_t>& range) {
            Buffers buffers;
            for (std::size_t block = range.begin(); block != range.end(); ++block)
                resampleBlock(centredTable, seed, block * replicatesAtOnce, buffers, out);
        });
    });
    return out;
}

Interval percentileInterval(std::vector<double>& values, double tail)
{
    if (values.empty())
        return {};
    std::sort(values.begin(), values.end());
    const std::size_t last = values.size() - 1;
    const double position = tail * double(last);
    const auto below = std::size_t(position);
    const double share = position - double(below);
    const std::size_t next = std::min(below + 1, last);
    const auto between = [share](double outer, double inner) { return outer + share * (inner - outer); };
    return {between(values[below], values[next]), between(values[last - below], values[last - next])};
}

} // namespace chokepoint
