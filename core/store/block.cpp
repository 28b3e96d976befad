// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/block.h"

#include "core/model/packed.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace chokepoint {

static_assert(std::endian::native == std::endian::little, "columns are copied as little-endian integers");

namespace {

constexpr std::uint8_t chunkVersion = 1;
constexpr std::uint8_t segmentVersion = 2;
constexpr std::size_t checksumSize = 4;

constexpr std::uint32_t startUnknown = 1U << 20;
constexpr std::uint32_t endUnknown = 1U << 21;
constexpr std::uint32_t firstTokenKnown = 1U << 22;
constexpr std::uint32_t storedFlags = 0xfffffU;
constexpr std::uint64_t signBit = std::uint64_t(1) << 63;

std::uint64_t startOrZero(Timestamp start)
{
    return isKnown(start) ? std::uint64_t(toNs(start)) : 0;
}

/// Four lanes, because one is bound by the latency of its multiplications (2 GB/s against 9 here).
std::uint32_t checksumOf(std::string_view body)
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

} // namespace

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
    const std::uint32_t checksum = checksumOf(std::string_view(m_out).substr(1 + checksumSize));
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

// ---- decoding -----------------------------------------------------------------------------------------------------

namespace {

template <std::size_t Width, typename Store> void readValues(const char* from, std::size_t n, std::uint64_t base, Store&& store)
{
    for (std::size_t i = 0; i < n; ++i, from += Width) {
        std::uint64_t value = 0;
        std::memcpy(&value, from, Width);
        store(i, base + value);
    }
}

/// Calls store(i, value) for the n values of one column.
template <typename Store> void readColumn(PackedCursor& cursor, std::size_t n, Store&& store)
{
    const std::uint8_t width = cursor.byte();
    const std::uint64_t base = cursor.varint();
    if (width > 8)
        cursor.fail();
    const std::string_view values = cursor.take(n * width);
    if (!cursor.ok())
        return;
    const char* from = values.data();
    switch (width) {
    case 0:
        for (std::size_t i = 0; i < n; ++i)
            store(i, base);
        break;
    case 1: readValues<1>(from, n, base, store); break;
    case 2: readValues<2>(from, n, base, store); break;
    case 3: readValues<3>(from, n, base, store); break;
    case 4: readValues<4>(from, n, base, store); break;
    case 5: readValues<5>(from, n, base, store); break;
    case 6: readValues<6>(from, n, base, store); break;
    case 7: readValues<7>(from, n, base, store); break;
    default: readValues<8>(from, n, base, store); break;
    }
}

/// The body of a block of the given version, with an intact checksum; else a failed cursor.
PackedCursor openBlock(std::string_view data, std::uint8_t version)
{
    PackedCursor cursor(data);
    if (cursor.byte() != version)
        cursor.fail();
    const std::string_view stored = cursor.take(checksumSize);
    if (!cursor.ok())
        return cursor;
    std::uint32_t checksum = 0;
    std::memcpy(&checksum, stored.data(), checksumSize);
    if (checksum != checksumOf(cursor.rest()))
        cursor.fail();
    return cursor;
}

/// Fills rows [first, first + n), which must exist.
class ColumnReader {
public:
    ColumnReader(PackedCursor& cursor, SpanColumns& rows, std::size_t first, std::size_t n)
        : m_cursor(cursor), m_rows(rows), m_first(first), m_n(n)
    {
    }

    bool read(const DictionarySizes& sizes)
    {
        readColumn(m_cursor, m_n, [&](std::size_t i, std::uint64_t v) { m_rows.spanId[m_first + i] = SpanId{v}; });
        readParents();
        readColumn(
            m_cursor, m_n, [&](std::size_t i, std::uint64_t v) { m_rows.start[m_first + i] = timestampFromNs(std::int64_t(v ^ signBit)); });
        readColumn(m_cursor, m_n, [&](std::size_t i, std::uint64_t v) { m_rows.end[m_first + i] = timestampFromNs(unzigzag(v)); });
        readIds(m_rows.name, sizes.strings);
        readIds(m_rows.resource, sizes.resources);
        readIds(m_rows.scope, sizes.scopes);
        readFlags();
        return m_cursor.ok();
    }

private:
    void readParents()
    {
        bool outside = false;
        std::vector<std::uint32_t> raw;
        readColumn(m_cursor, m_n, [&](std::size_t i, std::uint64_t v) {
            SpanId parent{};
            if (v >= 2) {
                const std::uint64_t j = i + std::uint64_t(unzigzag(v - 2));
                outside |= j >= m_n;
                parent = m_rows.spanId[m_first + (j < m_n ? j : 0)];
            } else if (v == 1) {
                raw.push_back(std::uint32_t(i));
            }
            m_rows.parentId[m_first + i] = parent;
        });
        const std::string_view bytes = m_cursor.take(raw.size() * 8);
        if (outside)
            m_cursor.fail();
        if (!m_cursor.ok())
            return;
        for (std::size_t k = 0; k < raw.size(); ++k)
            std::memcpy(&m_rows.parentId[m_first + raw[k]].value, bytes.data() + k * 8, 8);
    }

    template <typename Id> void readIds(std::vector<Id>& column, std::size_t size)
    {
        std::uint64_t most = 0;
        readColumn(m_cursor, m_n, [&](std::size_t i, std::uint64_t v) {
            most = std::max(most, v);
            column[m_first + i] = Id(v);
        });
        if (most >= size)
            m_cursor.fail();
    }

    /// Flags, and the times that depend on them.
    void readFlags()
    {
        bool unknownEnum = false;
        readColumn(m_cursor, m_n, [&](std::size_t i, std::uint64_t v) {
            const SpanFlags flags{std::uint32_t(v)};
            unknownEnum |= flags.kind() > SpanKind::Consumer || flags.status() > SpanStatus::Error || v >> 23 != 0;
            m_rows.flags[m_first + i] = flags;
        });
        if (unknownEnum)
            m_cursor.fail();
        if (!m_cursor.ok())
            return;
        for (std::size_t k = m_first; k < m_first + m_n; ++k) {
            const std::uint32_t bits = m_rows.flags[k].bits;
            if ((bits & startUnknown) != 0)
                m_rows.start[k] = unknownTime;
            const std::uint64_t base = startOrZero(m_rows.start[k]);
            m_rows.end[k] =
                (bits & endUnknown) != 0 ? unknownTime : timestampFromNs(std::int64_t(base + std::uint64_t(toNs(m_rows.end[k]))));
            m_rows.firstToken[k] = (bits & firstTokenKnown) != 0
                ? timestampFromNs(std::int64_t(base + std::uint64_t(unzigzag(m_cursor.varint()))))
                : unknownTime;
            m_rows.flags[k].bits = bits & storedFlags;
        }
    }

    PackedCursor& m_cursor;
    SpanColumns& m_rows;
    std::size_t m_first;
    std::size_t m_n;
};

/// Number of spans at the cursor; 0 and a failed cursor when it is beyond \a limit.
std::size_t readCount(PackedCursor& cursor, std::size_t limit)
{
    const std::uint64_t n = cursor.varint();
    if (n > limit) {
        cursor.fail();
        return 0;
    }
    return std::size_t(n);
}

bool readRuns(PackedCursor& cursor, std::size_t n, std::vector<SpanRun>& runs)
{
    runs.clear();
    std::uint64_t covered = 0;
    std::uint64_t key = 0;
    for (std::size_t left = readCount(cursor, n); left > 0 && cursor.ok(); --left) {
        key += std::uint64_t(unzigzag(cursor.varint()));
        const std::uint64_t count = cursor.varint();
        if (count == 0 || count > n - covered)
            return false;
        covered += count;
        runs.push_back({std::int64_t(key), std::uint32_t(count)});
    }
    return cursor.ok() && covered == n;
}

} // namespace

bool decodeChunk(std::string_view data, const DictionarySizes& sizes, SpanColumns& rows, std::vector<std::string_view>* payloads)
{
    PackedCursor cursor = openBlock(data, chunkVersion);
    const std::size_t first = rows.size();
    const std::size_t n = readCount(cursor, spansPerChunk);
    if (!cursor.ok())
        return false;
    rows.resize(first + n);
    bool ok = ColumnReader(cursor, rows, first, n).read(sizes);
    const std::size_t firstPayload = payloads != nullptr ? payloads->size() : 0;
    if (ok && payloads != nullptr) {
        std::vector<std::uint64_t> payloadSizes(n);
        readColumn(cursor, n, [&](std::size_t i, std::uint64_t v) { payloadSizes[i] = v; });
        for (const std::uint64_t size : payloadSizes)
            payloads->push_back(cursor.take(size));
        ok = cursor.ok() && cursor.atEnd();
    }
    if (ok)
        return true;
    rows.resize(first);
    if (payloads != nullptr)
        payloads->resize(firstPayload);
    return false;
}

bool decodeSegment(std::string_view data, const DictionarySizes& sizes, SpanColumns& rows, std::vector<SpanRun>& runs)
{
    PackedCursor cursor = openBlock(data, segmentVersion);
    const std::size_t n = readCount(cursor, spansPerSegment);
    if (!cursor.ok() || !readRuns(cursor, n, runs))
        return false;
    rows.resize(n);
    return ColumnReader(cursor, rows, 0, n).read(sizes) && cursor.atEnd();
}

bool decodeSegmentRuns(std::string_view data, std::vector<SpanRun>& runs)
{
    PackedCursor cursor = openBlock(data, segmentVersion);
    const std::size_t n = readCount(cursor, spansPerSegment);
    return cursor.ok() && readRuns(cursor, n, runs);
}

} // namespace chokepoint
