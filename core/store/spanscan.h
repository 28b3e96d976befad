// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the spans in the blocks of a workspace in storage order: all, those of a trace, or one.
#pragma once

#include "core/model/packed.h"
#include "core/store/chunks.h"
#include "core/store/dictionarytable.h"

#include <optional>

namespace chokepoint {

/// A workspace behind a connection, with its dictionary: what the virtual tables of that connection share.
class WorkspaceReader {
public:
    /// \a db is borrowed; nothing is read yet.
    explicit WorkspaceReader(sqlite3* db) : m_db(sqlite::Connection::borrow(db)) { }

    /// Refuses databases that are not ours; loads what the dictionary lacks.
    [[nodiscard]] Result<void> refresh();
    [[nodiscard]] const sqlite::Connection& db() const { return m_db; }
    [[nodiscard]] const Dictionary& dictionary() const { return m_dictionary; }

private:
    sqlite::Connection m_db;
    Dictionary m_dictionary;
};

/// Identifies one span of a workspace: 12 bits index in its part, 20 bits part, the trace key above. Ascending in storage order.
[[nodiscard]] constexpr std::int64_t spanKeyOf(std::int64_t chunk, std::size_t index)
{
    return chunk << 12 | std::int64_t(index);
}

class SpanScan {
public:
    explicit SpanScan(WorkspaceReader& reader) : m_reader(reader) { }

    [[nodiscard]] Result<void> all();
    [[nodiscard]] Result<void> ofTrace(std::int64_t traceKey);
    /// Every trace with this id, in its one spelling (as tables show it).
    [[nodiscard]] Result<void> ofTraceId(std::string_view traceId);
    [[nodiscard]] Result<void> one(std::int64_t spanKey);

    [[nodiscard]] bool atEnd() const { return m_atEnd; }
    [[nodiscard]] Result<void> next();

    [[nodiscard]] std::int64_t spanKey() const { return spanKeyOf(m_chunk, m_index); }
    [[nodiscard]] std::int64_t traceKey() const { return m_chunk >> 20; }
    [[nodiscard]] SpanRow row() const { return m_rows.row(m_index); }
    [[nodiscard]] std::string_view packedPayload() const { return m_payloads[m_index]; }
    [[nodiscard]] bool has(PayloadSection section) const;
    /// Decoded on first use.
    [[nodiscard]] const SpanPayload& payload();
    [[nodiscard]] std::string spanIdName();
    [[nodiscard]] std::string parentIdName(); // "" for a root
    [[nodiscard]] const std::string& traceIdName();
    [[nodiscard]] const std::string& deployment();
    [[nodiscard]] const Dictionary& dictionary() const { return m_reader.dictionary(); }

private:
    struct ChunkRange {
        std::int64_t first;
        std::int64_t last;
    };
    [[nodiscard]] Result<void> start(std::vector<ChunkRange> ranges);
    [[nodiscard]] Result<void> nextChunk();
    [[nodiscard]] Result<void> decode();
    void lookUpTrace();

    WorkspaceReader& m_reader;
    std::vector<ChunkRange> m_ranges;
    std::size_t m_range = 0;
    sqlite::Statement m_select;
    bool m_selecting = false;
    sqlite::Statement m_selectTrace;
    std::int64_t m_namedTrace = 0;
    std::string m_traceIdName;
    std::string m_deployment;
    std::int64_t m_chunk = 0;
    std::size_t m_index = 0;
    std::optional<std::size_t> m_onlyIndex;
    SpanColumns m_rows;
    std::vector<std::string_view> m_payloads;
    std::optional<SpanPayload> m_payload;
    bool m_atEnd = true;
};

} // namespace chokepoint
