// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/segments.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

Result<void> SegmentWriter::append(std::int64_t traceKey, std::span<const SpanRow> rows)
{
    m_rows.reserve(spansPerSegment);
    while (!rows.empty()) {
        const std::size_t taken = std::min(rows.size(), spansPerSegment - m_rows.size());
        m_rows.insert(m_rows.end(), rows.begin(), rows.begin() + std::ptrdiff_t(taken));
        m_runs.push_back({traceKey, std::uint32_t(taken)});
        rows = rows.subspan(taken);
        if (m_rows.size() == spansPerSegment)
            if (auto sealed = seal(); !sealed)
                return sealed;
    }
    return {};
}

Result<void> SegmentWriter::seal()
{
    if (m_rows.empty())
        return {};
    if (m_insert.handle() == nullptr) {
        auto prepared = m_db->prepare("INSERT INTO seg(deployment, n, data) VALUES(?1, ?2, ?3)");
        if (!prepared)
            return fail(prepared.error());
        m_insert = std::move(*prepared);
    }
    const std::string_view data = m_encoder.segment(m_rows, m_runs);
    auto done = m_insert.bind(0, m_deployment).bind(1, std::int64_t(m_rows.size())).bindBlob(2, data).run();
    m_rows.clear();
    m_runs.clear();
    return done;
}

namespace {

/// Row ids of the deployment's segments; collected first, because the table changes while it is walked.
Result<std::vector<std::int64_t>> segmentIds(const sqlite::Connection& db, std::int64_t deployment)
{
    auto select = db.prepare("SELECT id FROM seg WHERE deployment = ?1 ORDER BY id");
    if (!select)
        return fail(select.error());
    select->bind(0, deployment);
    std::vector<std::int64_t> ids;
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return ids;
        ids.push_back(select->integer(0));
    }
}

struct Segment {
    SpanColumns rows;
    std::vector<SpanRun> runs;
};

/// The rows of \a segment without the runs of \a traceKeys.
void keepOthers(
    const Segment& segment, const std::unordered_set<std::int64_t>& traceKeys, std::vector<SpanRow>& rows, std::vector<SpanRun>& runs)
{
    rows.clear();
    runs.clear();
    std::size_t at = 0;
    for (const SpanRun& run : segment.runs) {
        if (!traceKeys.contains(run.traceKey)) {
            for (std::size_t i = at; i < at + run.count; ++i)
                rows.push_back(segment.rows.row(i));
            runs.push_back(run);
        }
        at += run.count;
    }
}

} // namespace

tl::unexpected<Error> damagedSegment(const sqlite::Connection& db, std::int64_t id)
{
    return fail(ErrorCode::WorkspaceDamaged,
        fmt::format("Segment {} of the workspace is damaged; import the trace files again or take a backup copy", id),
        {.file = db.path(), .line = {}, .byte = {}});
}

Result<void> removeFromSegments(
    const sqlite::Connection& db, std::int64_t deployment, const DictionarySizes& sizes, const std::unordered_set<std::int64_t>& traceKeys)
{
    const auto ids = segmentIds(db, deployment);
    if (!ids)
        return fail(ids.error());
    auto select = db.prepare("SELECT data FROM seg WHERE id = ?1");
    auto update = db.prepare("UPDATE seg SET n = ?2, data = ?3 WHERE id = ?1");
    auto erase = db.prepare("DELETE FROM seg WHERE id = ?1");
    for (const auto* statement : {&select, &update, &erase})
        if (!*statement)
            return fail(statement->error());

    BlockEncoder encoder;
    Segment segment;
    std::vector<SpanRow> rows;
    std::vector<SpanRun> runs;
    for (const std::int64_t id : *ids) {
        const Result<bool> found = select->bind(0, id).step();
        if (!found)
            return fail(found.error());
        const bool decoded = *found && decodeSegment(select->bytes(0), sizes, segment.rows, segment.runs);
        select->reset();
        if (!decoded)
            return damagedSegment(db, id);
        keepOthers(segment, traceKeys, rows, runs);
        if (runs.size() == segment.runs.size())
            continue;
        auto done = runs.empty() ? erase->bind(0, id).run()
                                 : update->bind(0, id).bind(1, std::int64_t(rows.size())).bindBlob(2, encoder.segment(rows, runs)).run();
        if (!done)
            return done;
    }
    return {};
}

} // namespace chokepoint
