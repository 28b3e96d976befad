// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/chunks.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

constexpr std::size_t payloadsPerChunk = std::size_t(8) << 20; // bytes after which a part ends, far below SQLite's limit of 1 GB

} // namespace

std::array<char, 16> traceIdBytes(TraceId id)
{
    std::array<char, 16> bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[i] = char(id.hi >> (56 - 8 * i) & 0xff);
        bytes[i + 8] = char(id.lo >> (56 - 8 * i) & 0xff);
    }
    return bytes;
}

void StoredTrace::clear()
{
    parts.clear();
    rows.clear();
    payloads.clear();
}

Result<ChunkReader> ChunkReader::open(const sqlite::Connection& db, const char* table)
{
    auto select = db.prepare(fmt::format("SELECT data FROM {} WHERE id BETWEEN ?1 AND ?2 ORDER BY id", table));
    if (!select)
        return fail(select.error());
    return ChunkReader(db, std::move(*select));
}

/// \a decode is false for a part that is damaged.
template <typename Decode> Result<void> ChunkReader::readParts(std::int64_t traceKey, Decode&& decode)
{
    m_select.bind(0, chunkId(traceKey, 0)).bind(1, chunkId(traceKey, mostParts - 1));
    while (true) {
        const Result<bool> row = m_select.step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return {};
        if (!decode(m_select.bytes(0))) {
            m_select.reset();
            return damagedTrace(*m_db, traceKey);
        }
    }
}

Result<void> ChunkReader::read(std::int64_t traceKey, const DictionarySizes& sizes, StoredTrace& trace)
{
    return readParts(
        traceKey, [&](std::string_view part) { return decodeChunk(trace.parts.emplace_back(part), sizes, trace.rows, &trace.payloads); });
}

Result<void> ChunkReader::readRows(std::int64_t traceKey, const DictionarySizes& sizes, SpanColumns& rows)
{
    return readParts(traceKey, [&](std::string_view part) { return decodeChunk(part, sizes, rows); });
}

Result<ChunkWriter> ChunkWriter::open(const sqlite::Connection& db, const char* table)
{
    auto insert = db.prepare(fmt::format("INSERT INTO {}(id, data) VALUES(?1, ?2)", table));
    if (!insert)
        return fail(insert.error());
    return ChunkWriter(std::move(*insert));
}

Result<std::int64_t> ChunkWriter::write(std::int64_t traceKey, std::int64_t firstPart, const ChunkSource& source)
{
    std::int64_t part = firstPart;
    std::size_t begin = 0;
    std::size_t payloadBegin = 0;
    while (begin < source.rows.size()) {
        std::size_t end = begin;
        std::size_t payloadEnd = payloadBegin;
        while (end < source.rows.size() && end - begin < spansPerChunk && (end == begin || payloadEnd - payloadBegin < payloadsPerChunk))
            payloadEnd += source.payloadSizes[end++];
        if (part >= mostParts)
            return fail(ErrorCode::LimitExceeded, "A trace is scattered over too many places of the input; split the file by trace");
        const std::string_view data = m_encoder.chunk(source.rows.subspan(begin, end - begin),
            source.payloadSizes.subspan(begin, end - begin), source.payloads.substr(payloadBegin, payloadEnd - payloadBegin));
        if (auto done = m_insert.bind(0, chunkId(traceKey, part++)).bindBlob(1, data).run(); !done)
            return fail(std::move(done).error());
        begin = end;
        payloadBegin = payloadEnd;
    }
    return part;
}

tl::unexpected<Error> damagedTrace(const sqlite::Connection& db, std::int64_t traceKey)
{
    std::string name = fmt::format("with key {}", traceKey);
    if (auto select = db.prepare("SELECT coalesce(id_text, lower(hex(trace_id))) FROM trace_summary WHERE id = ?1"); select)
        if (const auto row = select->bind(0, traceKey).step(); row && *row)
            name = select->bytes(0);
    return fail(ErrorCode::WorkspaceDamaged,
        fmt::format("The spans of trace {} are damaged; import the trace files again or take a backup copy", name),
        {.file = db.path(), .line = {}, .byte = {}});
}

} // namespace chokepoint
