// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chunks: the whole spans of one trace, in parts, by trace key.
#pragma once

#include "core/store/block.h"
#include "core/store/sqlite.h"

#include <array>
#include <deque>

namespace chokepoint {

/// As in trace_summary.trace_id: 16 bytes, big endian.
[[nodiscard]] std::array<char, 16> traceIdBytes(TraceId id);

/// Row id of a part in the tables `chunk` and `pending`.
[[nodiscard]] constexpr std::int64_t chunkId(std::int64_t traceKey, std::int64_t part)
{
    return traceKey << 20 | part;
}
inline constexpr std::int64_t mostParts = std::int64_t(1) << 20; // of one trace

/// All reports of one trace as stored, in the order of their arrival.
struct StoredTrace {
    std::deque<std::string> parts; // the payloads point into these
    SpanColumns rows;
    std::vector<std::string_view> payloads;

    void clear();
};

class ChunkReader {
public:
    [[nodiscard]] static Result<ChunkReader> open(const sqlite::Connection& db, const char* table);
    /// Appends all parts of a trace. Fails with WorkspaceDamaged, naming the trace.
    [[nodiscard]] Result<void> read(std::int64_t traceKey, const DictionarySizes& sizes, StoredTrace& trace);
    /// The same without the payloads.
    [[nodiscard]] Result<void> readRows(std::int64_t traceKey, const DictionarySizes& sizes, SpanColumns& rows);

private:
    ChunkReader(const sqlite::Connection& db, sqlite::Statement select) : m_db(&db), m_select(std::move(select)) { }
    template <typename Decode> [[nodiscard]] Result<void> readParts(std::int64_t traceKey, Decode&& decode);

    const sqlite::Connection* m_db;
    sqlite::Statement m_select;
};

/// One trace's spans on their way into chunks.
struct ChunkSource {
    std::span<const SpanRow> rows;
    std::span<const std::uint32_t> payloadSizes;
    std::string_view payloads; // one after the other
};

class ChunkWriter {
public:
    [[nodiscard]] static Result<ChunkWriter> open(const sqlite::Connection& db, const char* table);
    /// Writes parts from \a firstPart on, as many as are needed, and returns the number after the last. LimitExceeded: too many parts.
    [[nodiscard]] Result<std::int64_t> write(std::int64_t traceKey, std::int64_t firstPart, const ChunkSource& source);

private:
    explicit ChunkWriter(sqlite::Statement insert) : m_insert(std::move(insert)) { }

    sqlite::Statement m_insert;
    BlockEncoder m_encoder;
};

[[nodiscard]] tl::unexpected<Error> damagedTrace(const sqlite::Connection& db, std::int64_t traceKey);

} // namespace chokepoint
