// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/tracesettler.h"

#include "core/model/packed.h"
#include "core/store/dictionarytable.h"

#include <algorithm>
#include <array>

namespace chokepoint {

// ---- SummaryTable -------------------------------------------------------------------------------------------------

Result<SummaryTable> SummaryTable::open(const sqlite::Connection& db)
{
    SummaryTable table;
    const std::array statements{
        std::pair(&table.m_insert,
            "INSERT INTO trace_summary(id, deployment, trace_id, start_ns, duration_ns, e2e_ns, spans, errors, root_name, root_resource) "
            "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
        std::pair(&table.m_update,
            "UPDATE trace_summary SET start_ns = ?2, duration_ns = ?3, e2e_ns = ?4, spans = ?5, errors = ?6, root_name = ?7, "
            "root_resource = ?8 WHERE id = ?1"),
        std::pair(&table.m_setIdText, "UPDATE trace_summary SET id_text = ?2 WHERE id = ?1"),
    };
    for (const auto& [statement, sql] : statements) {
        auto prepared = db.prepare(sql);
        if (!prepared)
            return fail(prepared.error());
        *statement = std::move(*prepared);
    }
    return table;
}

void SummaryTable::bindSummary(sqlite::Statement& statement, int first, const TraceSummary& summary)
{
    for (const auto& value : {summary.startNs, summary.durationNs, summary.e2eNs}) {
        if (value)
            statement.bind(first++, *value);
        else
            statement.bindNull(first++);
    }
    statement.bind(first, std::int64_t(summary.spans)).bind(first + 1, std::int64_t(summary.errors));
    statement.bind(first + 2, std::int64_t(toIndex(summary.rootName))).bind(first + 3, std::int64_t(toIndex(summary.rootResource)));
}

Result<void> SummaryTable::insert(std::int64_t traceKey, std::int64_t deployment, TraceId id, const TraceSummary& summary)
{
    const std::array<char, 16> bytes = traceIdBytes(id);
    m_insert.bind(0, traceKey).bind(1, deployment).bindBlob(2, std::string_view(bytes.data(), bytes.size()));
    bindSummary(m_insert, 3, summary);
    return m_insert.run();
}

Result<void> SummaryTable::update(std::int64_t traceKey, const TraceSummary& summary)
{
    m_update.bind(0, traceKey);
    bindSummary(m_update, 1, summary);
    return m_update.run();
}

Result<void> SummaryTable::setIdText(std::int64_t traceKey, const std::string& text)
{
    return m_setIdText.bind(0, traceKey).bindText(1, text).run();
}

// ---- TraceSettler -------------------------------------------------------------------------------------------------

TraceSettler::TraceSettler(const Context& context, ChunkReader stored, std::optional<ChunkReader> pending, ChunkWriter writer)
    : m_context(context), m_stored(std::move(stored)), m_pending(std::move(pending)), m_writer(std::move(writer))
{
}

Result<TraceSettler> TraceSettler::open(const Context& context, bool hasPending)
{
    auto stored = ChunkReader::open(context.db, "chunk");
    if (!stored)
        return fail(std::move(stored).error());
    std::optional<ChunkReader> pending;
    if (hasPending) {
        auto reader = ChunkReader::open(context.db, "temp.pending");
        if (!reader)
            return fail(std::move(reader).error());
        pending = std::move(*reader);
    }
    auto writer = ChunkWriter::open(context.db, "chunk");
    if (!writer)
        return fail(std::move(writer).error());
    return TraceSettler(context, std::move(*stored), std::move(pending), std::move(*writer));
}

bool TraceSettler::hasRepeatedIds(const SpanColumns& rows)
{
    m_table.reset(rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i)
        if (m_table.insert(rows.spanId[i], i) != i)
            return true;
    return false;
}

Result<void> TraceSettler::settle(std::int64_t traceKey, TraceId id)
{
    m_trace.clear();
    const DictionarySizes sizes = sizesOf(m_context.dictionary);
    if (auto read = m_stored.read(traceKey, sizes, m_trace); !read)
        return read;
    const std::size_t stored = m_trace.rows.size();
    if (m_pending)
        if (auto read = m_pending->read(traceKey, sizes, m_trace); !read)
            return read;

    const SettledReports settled = settledReports(stored, id);
    if (settled.storedChanged) {
        if (auto done = eraseChunks(traceKey); !done)
            return done;
        if (auto done = replace(traceKey, 0, 0, settled); !done)
            return done;
        m_rewritten.insert(traceKey);
    } else if (stored < m_trace.rows.size()) {
        const auto part = nextPart(traceKey);
        if (!part)
            return fail(part.error());
        if (auto done = replace(traceKey, stored, *part, settled); !done)
            return done;
        if (auto done = m_context.segments.append(traceKey, m_rows); !done)
            return done;
    }

    return updateSummary(traceKey, settled);
}

Result<void> TraceSettler::settlePieces(std::int64_t traceKey, TraceId id)
{
    m_trace.clear();
    if (auto read = m_stored.readRows(traceKey, sizesOf(m_context.dictionary), m_trace.rows); !read)
        return read;
    const TraceSummary summary = m_summarizer.summarize(m_trace.rows);
    return m_summarizer.repeatsIds() ? settle(traceKey, id) : m_context.summaries.update(traceKey, summary);
}

Result<void> TraceSettler::join(std::int64_t from, std::int64_t into, TraceId id)
{
    m_trace.clear();
    const DictionarySizes sizes = sizesOf(m_context.dictionary);
    for (const std::int64_t key : {into, from})
        if (auto read = m_stored.read(key, sizes, m_trace); !read)
            return read;
    const std::size_t stored = m_trace.rows.size();
    for (const std::int64_t key : {into, from})
        if (m_pending)
            if (auto read = m_pending->read(key, sizes, m_trace); !read)
                return read;
    const SettledReports settled = settledReports(stored, id);
    for (const std::int64_t key : {into, from}) {
        if (auto done = eraseChunks(key); !done)
            return done;
        m_rewritten.insert(key);
    }
    if (auto done = replace(into, 0, 0, settled); !done)
        return done;
    auto erase = m_context.db.prepare("DELETE FROM trace_summary WHERE id = ?1");
    if (!erase)
        return fail(erase.error());
    if (auto done = erase->bind(0, from).run(); !done)
        return done;
    return updateSummary(into, settled);
}

SettledReports TraceSettler::settledReports(std::size_t stored, TraceId id)
{
    SettledReports settled;
    settled.dropped.assign(m_trace.rows.size(), false);
    if (hasRepeatedIds(m_trace.rows))
        settled = settleReports({m_trace.rows, m_trace.payloads, stored}, m_context.dictionary.strings, toHex(id), m_context.diagnostics);
    m_dropped += settled.droppedCount;
    return settled;
}

Result<void> TraceSettler::eraseChunks(std::int64_t traceKey)
{
    auto erase = m_context.db.prepare("DELETE FROM chunk WHERE id BETWEEN ?1 AND ?2");
    if (!erase)
        return fail(erase.error());
    return erase->bind(0, chunkId(traceKey, 0)).bind(1, chunkId(traceKey, mostParts - 1)).run();
}

Result<void> TraceSettler::updateSummary(std::int64_t traceKey, const SettledReports& settled)
{
    if (settled.droppedCount == 0)
        return m_context.summaries.update(traceKey, m_summarizer.summarize(m_trace.rows));
    m_columns.clear();
    for (std::size_t i = 0; i < m_trace.rows.size(); ++i)
        if (!settled.dropped[i])
            m_columns.push_back(m_trace.rows.row(i));
    return m_context.summaries.update(traceKey, m_summarizer.summarize(m_columns));
}

/// Writes the survivors among the reports from \a from on as parts from \a firstPart on.
Result<void> TraceSettler::replace(std::int64_t traceKey, std::size_t from, std::int64_t firstPart, const SettledReports& settled)
{
    m_rows.clear();
    m_payloadSizes.clear();
    m_payloads.clear();
    for (std::size_t i = from; i < m_trace.rows.size(); ++i) {
        if (settled.dropped[i])
            continue;
        const auto rewritten = settled.rewritten.find(std::uint32_t(i));
        const std::string_view payload = rewritten != settled.rewritten.end() ? rewritten->second : m_trace.payloads[i];
        m_rows.push_back(m_trace.rows.row(i));
        m_payloadSizes.push_back(std::uint32_t(payload.size()));
        m_payloads += payload;
    }
    const auto written = m_writer.write(traceKey, firstPart, {m_rows, m_payloadSizes, m_payloads});
    if (!written)
        return fail(written.error());
    return {};
}

Result<std::int64_t> TraceSettler::nextPart(std::int64_t traceKey) const
{
    auto select = m_context.db.prepare("SELECT max(id) FROM chunk WHERE id BETWEEN ?1 AND ?2");
    if (!select)
        return fail(select.error());
    const auto row = select->bind(0, chunkId(traceKey, 0)).bind(1, chunkId(traceKey, mostParts - 1)).step();
    if (!row)
        return fail(row.error());
    return !*row || select->isNull(0) ? 0 : select->integer(0) - chunkId(traceKey, 0) + 1;
}

Result<void> TraceSettler::nameTrace(std::int64_t traceKey)
{
    m_trace.clear();
    if (auto read = m_stored.read(traceKey, sizesOf(m_context.dictionary), m_trace); !read)
        return read;
    if (m_trace.payloads.empty())
        return {};
    const SpanPayload payload = decodePayload(m_trace.payloads.front(), unknownTime, m_context.dictionary.strings);
    return payload.traceIdText.empty() ? Result<void>{} : m_context.summaries.setIdText(traceKey, payload.traceIdText);
}

Result<void> TraceSettler::finish()
{
    if (m_rewritten.empty())
        return m_context.segments.seal();
    const DictionarySizes sizes = sizesOf(m_context.dictionary);
    if (auto done = removeFromSegments(m_context.db, m_context.deployment, sizes, m_rewritten); !done)
        return done;
    std::vector<std::int64_t> keys(m_rewritten.begin(), m_rewritten.end());
    std::sort(keys.begin(), keys.end());
    for (const std::int64_t key : keys) {
        m_trace.clear();
        if (auto read = m_stored.read(key, sizes, m_trace); !read)
            return read;
        m_rows.clear();
        for (std::size_t i = 0; i < m_trace.rows.size(); ++i)
            m_rows.push_back(m_trace.rows.row(i));
        if (auto done = m_context.segments.append(key, m_rows); !done)
            return done;
    }
    return m_context.segments.seal();
}

} // namespace chokepoint
