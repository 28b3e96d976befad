// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Brings the traces of one import to their final form: duplicates out, summaries right, segments in step with chunks.
#pragma once

#include "core/base/diagnostics.h"
#include "core/model/dictionary.h"
#include "core/store/chunks.h"
#include "core/store/segments.h"
#include "core/store/settle.h"
#include "core/store/tracesummary.h"

#include <optional>
#include <unordered_set>

namespace chokepoint {

/// Writes rows of trace_summary.
class SummaryTable {
public:
    [[nodiscard]] static Result<SummaryTable> open(const sqlite::Connection& db);
    [[nodiscard]] Result<void> insert(std::int64_t traceKey, std::int64_t deployment, TraceId id, const TraceSummary& summary);
    [[nodiscard]] Result<void> update(std::int64_t traceKey, const TraceSummary& summary);
    [[nodiscard]] Result<void> setIdText(std::int64_t traceKey, const std::string& text);

private:
    SummaryTable() = default;
    static void bindSummary(sqlite::Statement& statement, int first, const TraceSummary& summary);

    sqlite::Statement m_insert;
    sqlite::Statement m_update;
    sqlite::Statement m_setIdText;
};

/// Used in the last phase of an import, when nobody interns any more. Traces are settled one by one, then finish() is called.
class TraceSettler {
public:
    struct Context {
        const sqlite::Connection& db;
        std::int64_t deployment;
        Dictionary& dictionary;
        SegmentWriter& segments; // sealed
        SummaryTable& summaries;
        Diagnostics& diagnostics;
    };

    /// \a hasPending: the table temp.pending exists.
    [[nodiscard]] static Result<TraceSettler> open(const Context& context, bool hasPending);

    /// Compares all reports of the trace, those of temp.pending included, and keeps what settleReports says.
    [[nodiscard]] Result<void> settle(std::int64_t traceKey, TraceId id);
    /// The same for a trace that only this import wrote, in several pieces: hardly ever is anything to be compared.
    [[nodiscard]] Result<void> settlePieces(std::int64_t traceKey, TraceId id);
    /// Gives the reports of trace \a from to \a into, whose id is \a id, and settles that one; \a from is gone then.
    [[nodiscard]] Result<void> join(std::int64_t from, std::int64_t into, TraceId id);
    /// Fills in the source's own text of a trace id that was no hex.
    [[nodiscard]] Result<void> nameTrace(std::int64_t traceKey);
    /// Writes the segments of the traces whose chunks were rewritten.
    [[nodiscard]] Result<void> finish();
    /// Reports that were written in this import or before and are gone now.
    [[nodiscard]] std::uint64_t droppedSpans() const { return m_dropped; }

private:
    TraceSettler(const Context& context, ChunkReader stored, std::optional<ChunkReader> pending, ChunkWriter writer);
    [[nodiscard]] bool hasRepeatedIds(const SpanColumns& rows);
    [[nodiscard]] Result<void> replace(std::int64_t traceKey, std::size_t from, std::int64_t firstPart, const SettledReports& settled);
    [[nodiscard]] SettledReports settledReports(std::size_t stored, TraceId id);
    [[nodiscard]] Result<void> eraseChunks(std::int64_t traceKey);
    [[nodiscard]] Result<void> updateSummary(std::int64_t traceKey, const SettledReports& settled);
    [[nodiscard]] Result<std::int64_t> nextPart(std::int64_t traceKey) const;

    Context m_context;
    ChunkReader m_stored;
    std::optional<ChunkReader> m_pending;
    ChunkWriter m_writer;
    StoredTrace m_trace;
    SpanIndexTable m_table;
    TraceSummarizer m_summarizer;
    SpanColumns m_columns; // survivors
    std::vector<SpanRow> m_rows; // to be written
    std::vector<std::uint32_t> m_payloadSizes;
    std::string m_payloads;
    std::unordered_set<std::int64_t> m_rewritten;
    std::uint64_t m_dropped = 0;
};

} // namespace chokepoint
