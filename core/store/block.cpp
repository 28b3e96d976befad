// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/block.h"

#include "core/model/packed.h"
#include "core/store/blockformat.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace chokepoint {

using namespace blockformat;

/// Four lanes, because one is bound by the latency of its multiplications (2 GB/s against 9 here).
std::uint32_t blockChecksum(std::string_view body)
{
    constexpr std::size_t lanes = 4;
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;
    std::uint64_t state[lanes] = {body.size(), 1, 2, 3};
    while (body.size() >= lanes * 8) {
        std::uint64_t words[lanes];
        std::memcpy(words, body.data(), sizeof words);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            state[lane] = std::rotl((state[lane] ^ words[lane]) * odd, 29);
        body.remove_prefix(lanes * 8);
    }
    std::uint64_t sum = hash64(body);
    for (const std::uint64_t lane : state)
        sum = mix64(sum ^ lane);
    return std::uint32_t(sum);
}

// ---- SpanIndexTable -----------------------------------------------------------------------------------------------

void SpanIndexTable::reset(std::size_t expected)
{
    const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(expected * 2, 16));
    m_slots.assign(capacity, Slot{});
}

std::size_t SpanIndexTable::slotOf(SpanId id) const
{
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = mix64(id.value) & mask;
    while (m_slots[slot].index != absent && m_slots[slot].id != id.value)
        slot = (slot + 1) & mask;
    return slot;
}

std::uint32_t SpanIndexTable::insert(SpanId id, std::uint32_t index)
{
    Slot& slot = m_slots[slotOf(id)];
    if (slot.index == absent)
        slot = {id.value, index};
    return slot.index;
}

std::uint32_t SpanIndexTable::find(SpanId id) const
{
    return m_slots[slotOf(id)].index;
}

// ---- encoding -----------------------------------------------------------------------------------------------------

template <typename ValueOf> void BlockEncoder::column(std::size_t n, ValueOf&& valueOf)
{
    m_values.resize(n);
    std::uint64_t least = ~std::uint64_t(0);
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t value = valueOf(i);
        m_values[i] = value;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    if (n == 0)
        least = 0;
    const std::size_t width = n == 0 ? 0 : std::size_t(std::bit_width(most - least) + 7) / 8;
    m_out.push_back(char(width));
    appendVarint(m_out, least);
    const std::size_t begin = m_out.size();
    m_out.resize(begin + n * width + 8); // whole words are written; the tail is cut off again
    char* target = m_out.data() + begin;
    for (std::size_t i = 0; i < n; ++i, target += width) {
        const std::uint64_t value = m_values[i] - least;
        std::memcpy(target, &value, 8);
    }
    m_out.resize(begin + n * width);
}

void BlockEncoder::begin(std::uint8_t version)
{
    m_out.clear();
    m_out.push_back(char(version));
    m_out.append(checksumSize, '\0');
}

std::string_view BlockEncoder::finish()
{
    const std::uint32_t checksum = blockChecksum(std::string_view(m_out).substr(1 + checksumSize));
    std::memcpy(m_out.data() + 1, &checksum, checksumSize);
    return m_out;
}

void BlockEncoder::parents(std::span<const SpanRow> rows, std::span<const SpanRun> runs)
{
    m_rawParents.clear();
    std::size_t runBegin = 0;
    std::size_t runEnd = 0;
    std::size_t nextRun = 0;
    column(rows.size(), [&](std::size_t i) -> std::uint64_t {
        while (i == runEnd) {
            runBegin = i;
            runEnd += runs[nextRun].count;
            m_table.reset(runs[nextRun++].count);
            for (std::size_t k = runBegin; k < runEnd; ++k)
                m_table.insert(rows[k].spanId, std::uint32_t(k));
        }
        const SpanId parent = rows[i].parentId;
        if (parent.isNull())
            return 0;
        if (const std::uint32_t j = m_table.find(parent); j != SpanIndexTable::absent)
            return 2 + zigzag(std::int64_t(j) - std::int64_t(i));
        char raw[8];
        std::memcpy(raw, &parent.value, 8);
        m_rawParents.append(raw, 8);
        return 1;
    });
    m_out += m_rawParents;
}

void BlockEncoder::columns(std::span<const SpanRow> rows, std::span<const SpanRun> runs)
{
    const std::size_t n = rows.size();
    column(n, [&](std::size_t i) { return rows[i].spanId.value; });
    parents(rows, runs);
    std::uint64_t earliest = ~std::uint64_t(0);
    for (const SpanRow& row : rows)
        if (isKnown(row.start))
            earliest = std::min(earliest, std::uint64_t(toNs(row.start)) ^ signBit);
    if (earliest == ~std::uint64_t(0))
        earliest = signBit;
    column(n, [&](std::size_t i) { return isKnown(rows[i].start) ? std::uint64_t(toNs(rows[i].start)) ^ signBit : earliest; });
    column(n, [&](std::size_t i) -> std::uint64_t {
        const SpanRow& row = rows[i];
        return isKnown(row.end) ? zigzag(std::int64_t(std::uint64_t(toNs(row.end)) - startOrZero(row.start))) : 0;
    });
    column(n, [&](std::size_t i) -> std::uint64_t { return toIndex(rows[i].name); });
    column(n, [&](std::size_t i) -> std::uint64_t { return toIndex(rows[i].resource); });
    column(n, [&](std::size_t i) -> std::uint64_t { return toIndex(rows[i].scope); });
    column(n, [&](std::size_t i) -> std::uint64_t {
        const SpanRow& row = rows[i];
        return row.flags.stored() | (isKnown(row.start) ? 0 : startUnknown) | (isKnown(row.end) ? 0 : endUnknown)
            | (isKnown(row.firstToken) ? firstTokenKnown : 0);
    });
    for (const SpanRow& row : rows)
        if (isKnown(row.firstToken))
            appendVarint(m_out, zigzag(std::int64_t(std::uint64_t(toNs(row.firstToken)) - startOrZero(row.start))));
}

std::string_view BlockEncoder::chunk(std::span<const SpanRow> rows, std::span<const std::uint32_t> payloadSizes, std::string_view payloads)
{
    begin(chunkVersion);
    appendVarint(m_out, rows.size());
    const SpanRun run{0, std::uint32_t(rows.size())};
    columns(rows, {&run, 1});
    column(rows.size(), [&](std::size_t i) -> std::uint64_t { return payloadSizes[i]; });
    m_out += payloads;
    return finish();
}

std::string_view BlockEncoder::segment(std::span<const SpanRow> rows, std::span<const SpanRun> runs)
{
    begin(segmentVersion);
    appendVarint(m_out, rows.size());
    appendVarint(m_out, runs.size());
    std::int64_t before = 0;
    for (const SpanRun& run : runs) {
        appendVarint(m_out, zigzag(run.traceKey - before));
        appendVarint(m_out, run.count);
        before = run.traceKey;
    }
    columns(rows, runs);
    return finish();
}

} // namespace chokepoint
