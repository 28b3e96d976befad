// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/block.h"

#include "core/model/packed.h"
#include "core/store/blockformat.h"

#include <algorithm>
#include <cstring>

namespace chokepoint {

using namespace blockformat;

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
    if (checksum != blockChecksum(cursor.rest()))
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
