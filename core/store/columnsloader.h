// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// All traces of a deployment, from summaries and segments to columns in time order.
#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/tracecolumns.h"
#include "core/store/block.h"
#include "core/store/sqlite.h"

#include <memory>
#include <optional>

namespace chokepoint {

inline constexpr std::size_t tracesPerReport = 4096; // between progress reports and looks at the stop token

/// What `trace_summary` tells about a trace before its spans are read.
struct TraceEntry {
    std::int64_t key = 0;
    std::int64_t deployment = 0;
    TraceId id;
    std::string idText;
    Timestamp start = Timestamp::max(); // max: unknown, last in order
    std::uint64_t spans = 0;
};

/// To be followed by a WHERE clause.
inline constexpr const char* entryColumns = "SELECT id, deployment, trace_id, id_text, start_ns, spans FROM trace_summary ";
[[nodiscard]] TraceEntry entryOf(const sqlite::Statement& row);

/// Appends everything but the spans.
void addTrace(TraceColumns& columns, const TraceEntry& entry);

/// Reads one deployment's segments as they are needed by traces in time order, and lets go of each as soon as its last trace is
/// out; files that were written in time order keep one or two in memory.
class ColumnsLoader {
public:
    ColumnsLoader(const sqlite::Connection& db, const DictionarySizes& sizes, std::optional<std::int64_t> deployment, const JobControl& job)
        : m_db(db), m_sizes(sizes), m_deployment(deployment), m_job(job)
    {
    }
    Result<TraceColumns> load(std::shared_ptr<const Dictionary> dictionary);

private:
    /// Where some spans of a trace lie.
    struct Piece {
        std::int64_t traceKey;
        std::uint32_t segment; // index
        std::uint32_t begin;
        std::uint32_t count;
    };
    struct Segment {
        std::int64_t id = 0;
        std::size_t piecesLeft = 0;
        std::unique_ptr<SpanColumns> rows; // while in use
    };

    Result<void> readEntries();
    Result<void> readRuns();
    Result<void> assemble(TraceColumns& out);
    Result<void> gather(const TraceEntry& entry, SpanColumns& rows);
    Result<void> fetch(Segment& segment);
    void sortEntries();
    Result<sqlite::Statement> prepare(const std::string& sql) const;

    const sqlite::Connection& m_db;
    DictionarySizes m_sizes;
    std::optional<std::int64_t> m_deployment;
    const JobControl& m_job;
    std::vector<TraceEntry> m_entries;
    std::vector<Piece> m_pieces; // by trace, then in the order of arrival
    std::vector<Segment> m_segments;
    std::vector<std::unique_ptr<SpanColumns>> m_spare;
    std::vector<SpanRun> m_runs;
    sqlite::Statement m_selectSegment;
};

} // namespace chokepoint
