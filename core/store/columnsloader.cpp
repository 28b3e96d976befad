// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/columnsloader.h"

#include "core/model/traceassembler.h"
#include "core/store/chunks.h"
#include "core/store/segments.h"

#include <algorithm>
#include <tuple>

namespace chokepoint {

namespace {

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

void appendSlice(SpanColumns& to, const SpanColumns& from, std::size_t begin, std::size_t count)
{
    const auto slice = [&](auto& target, const auto& source) {
        target.insert(target.end(), source.begin() + std::ptrdiff_t(begin), source.begin() + std::ptrdiff_t(begin + count));
    };
    slice(to.spanId, from.spanId);
    slice(to.parentId, from.parentId);
    slice(to.start, from.start);
    slice(to.end, from.end);
    slice(to.name, from.name);
    slice(to.resource, from.resource);
    slice(to.scope, from.scope);
    slice(to.flags, from.flags);
    slice(to.firstToken, from.firstToken);
}

} // namespace

TraceEntry entryOf(const sqlite::Statement& row)
{
    TraceEntry entry;
    entry.key = row.integer(0);
    entry.deployment = row.integer(1);
    const std::string_view id = row.bytes(2);
    if (id.size() == 16)
        entry.id = {bigEndian(id.substr(0, 8)), bigEndian(id.substr(8))};
    entry.idText = row.bytes(3);
    if (!row.isNull(4))
        entry.start = timestampFromNs(row.integer(4));
    entry.spans = std::uint64_t(row.integer(5));
    return entry;
}

void addTrace(TraceColumns& columns, const TraceEntry& entry)
{
    if (!entry.idText.empty())
        columns.traceIdText.emplace(std::uint32_t(columns.traceCount()), entry.idText);
    columns.traceId.push_back(entry.id);
    columns.storeKey.push_back(entry.key);
}

/// \a sql with a filter on the deployment when one is wanted.
Result<sqlite::Statement> ColumnsLoader::prepare(const std::string& sql) const
{
    auto statement = m_db.prepare(sql + (m_deployment ? "WHERE deployment = ?1" : ""));
    if (statement && m_deployment)
        statement->bind(0, *m_deployment);
    return statement;
}

Result<TraceColumns> ColumnsLoader::load(std::shared_ptr<const Dictionary> dictionary)
{
    if (auto done = readEntries(); !done)
        return fail(std::move(done).error());
    if (auto done = readRuns(); !done)
        return fail(std::move(done).error());
    auto select = m_db.prepare("SELECT data FROM seg WHERE id = ?1");
    if (!select)
        return fail(select.error());
    m_selectSegment = std::move(*select);
    sortEntries();
    TraceColumns out;
    out.dictionary = std::move(dictionary);
    if (auto done = assemble(out); !done)
        return fail(std::move(done).error());
    return out;
}

Result<void> ColumnsLoader::readEntries()
{
    auto select = prepare(entryColumns);
    if (!select)
        return fail(select.error());
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return {};
        m_entries.push_back(entryOf(*select));
    }
}

Result<void> ColumnsLoader::readRuns()
{
    auto select = prepare("SELECT id, data FROM seg ");
    if (!select)
        return fail(select.error());
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            break;
        const std::int64_t id = select->integer(0);
        if (!decodeSegmentRuns(select->bytes(1), m_runs))
            return damagedSegment(m_db, id);
        const auto index = std::uint32_t(m_segments.size());
        m_segments.push_back({id, m_runs.size(), nullptr});
        std::uint32_t begin = 0;
        for (const SpanRun& run : m_runs) {
            m_pieces.push_back({run.traceKey, index, begin, run.count});
            begin += run.count;
        }
    }
    std::stable_sort(m_pieces.begin(), m_pieces.end(), [](const Piece& a, const Piece& b) { return a.traceKey < b.traceKey; });
    return {};
}

/// By time, then id: an order that does not depend on the order of the imports.
void ColumnsLoader::sortEntries()
{
    std::sort(m_entries.begin(), m_entries.end(), [](const TraceEntry& a, const TraceEntry& b) {
        return std::tie(a.start, a.id, a.deployment) < std::tie(b.start, b.id, b.deployment);
    });
}

Result<void> ColumnsLoader::assemble(TraceColumns& out)
{
    std::size_t total = 0;
    for (const Piece& piece : m_pieces)
        total += piece.count;
    out.spans.reserve(total);
    out.parent.reserve(total);
    out.subtreeSize.reserve(total);
    out.traceId.reserve(m_entries.size());
    out.storeKey.reserve(m_entries.size());
    out.firstSpan.reserve(m_entries.size() + 1);
    SpanColumns rows;
    std::vector<std::uint32_t> order;
    for (std::size_t t = 0; t < m_entries.size(); ++t) {
        if (t % tracesPerReport == 0) {
            if (m_job.stopRequested())
                return fail(ErrorCode::Cancelled, "Cancelled");
            m_job.report({"Loading traces", t, m_entries.size(), out.spans.size(), 0});
        }
        rows.clear();
        if (auto done = gather(m_entries[t], rows); !done)
            return done;
        assembleTrace(rows, order, out);
        addTrace(out, m_entries[t]);
    }
    return {};
}

Result<void> ColumnsLoader::gather(const TraceEntry& entry, SpanColumns& rows)
{
    const auto before = [](const Piece& piece, std::int64_t key) { return piece.traceKey < key; };
    auto piece = std::lower_bound(m_pieces.begin(), m_pieces.end(), entry.key, before);
    for (; piece != m_pieces.end() && piece->traceKey == entry.key; ++piece) {
        Segment& segment = m_segments[piece->segment];
        if (auto done = fetch(segment); !done)
            return done;
        appendSlice(rows, *segment.rows, piece->begin, piece->count);
        if (--segment.piecesLeft == 0)
            m_spare.push_back(std::move(segment.rows));
    }
    return rows.size() == entry.spans && entry.spans > 0 ? Result<void>{} : Result<void>(damagedTrace(m_db, entry.key));
}

Result<void> ColumnsLoader::fetch(Segment& segment)
{
    if (segment.rows)
        return {};
    if (m_spare.empty()) {
        segment.rows = std::make_unique<SpanColumns>();
    } else {
        segment.rows = std::move(m_spare.back());
        m_spare.pop_back();
    }
    const Result<bool> found = m_selectSegment.bind(0, segment.id).step();
    if (!found)
        return fail(found.error());
    const bool decoded = *found && decodeSegment(m_selectSegment.bytes(0), m_sizes, *segment.rows, m_runs);
    m_selectSegment.reset();
    return decoded ? Result<void>{} : Result<void>(damagedSegment(m_db, segment.id));
}

} // namespace chokepoint
