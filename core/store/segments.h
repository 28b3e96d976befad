// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Segments: the columns of many traces, written in passing and read for analysis.
#pragma once

#include "core/base/jobcontrol.h"
#include "core/store/block.h"
#include "core/store/sqlite.h"

#include <unordered_set>

namespace chokepoint {

/// Collects spans and writes a row of `seg` whenever a segment is full.
class SegmentWriter {
public:
    SegmentWriter(const sqlite::Connection& db, std::int64_t deployment) : m_db(&db), m_deployment(deployment) { }

    [[nodiscard]] Result<void> append(std::int64_t traceKey, std::span<const SpanRow> rows);
    /// Writes what is left.
    [[nodiscard]] Result<void> seal();

private:
    const sqlite::Connection* m_db;
    std::int64_t m_deployment;
    std::vector<SpanRow> m_rows;
    std::vector<SpanRun> m_runs;
    BlockEncoder m_encoder;
    sqlite::Statement m_insert;
};

/// Takes the spans of some traces out of the segments of \a deployment; they are written anew elsewhere.
[[nodiscard]] Result<void> removeFromSegments(
    const sqlite::Connection& db, std::int64_t deployment, const DictionarySizes& sizes, const std::unordered_set<std::int64_t>& traceKeys);

[[nodiscard]] tl::unexpected<Error> damagedSegment(const sqlite::Connection& db, std::int64_t id);

} // namespace chokepoint
