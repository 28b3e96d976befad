// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reading traces back: all of a deployment as columns, one whole, one found by its id, and all payloads in one pass.
#include "core/model/traceassembler.h"
#include "core/store/columnsloader.h"
#include "core/store/storeimpl.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace chokepoint {

namespace {

/// Holds the file's shared lock, so that each of many small reads does not take it anew (it costs more than the read itself).
class ReadHold {
public:
    ReadHold(const sqlite::Connection& db, std::mutex& mutex) : m_mutex(mutex)
    {
        const std::scoped_lock lock(m_mutex);
        auto statement = db.prepare("SELECT 1 FROM trace_summary LIMIT 1");
        if (statement && statement->step())
            m_statement = std::move(*statement);
    }
    ReadHold(const ReadHold&) = delete;
    ReadHold& operator=(const ReadHold&) = delete;
    ~ReadHold()
    {
        const std::scoped_lock lock(m_mutex);
        m_statement = {};
    }

private:
    std::mutex& m_mutex;
    sqlite::Statement m_statement; // at a row: an open read transaction
};

/// For each span of a trace's columns, its place among the stored reports. Ids tell, unless one occurs twice.
class DisplayOrder {
public:
    const std::vector<std::uint32_t>& of(
        const SpanColumns& stored, std::span<const SpanId> shown, const std::shared_ptr<const Dictionary>& dictionary)
    {
        m_table.reset(stored.size());
        m_order.clear();
        bool repeated = false;
        for (std::uint32_t i = 0; i < stored.size(); ++i)
            repeated |= m_table.insert(stored.spanId[i], i) != i;
        if (repeated) {
            TraceColumns tree;
            tree.dictionary = dictionary;
            assembleTrace(stored, m_order, tree);
            return m_order;
        }
        for (const SpanId id : shown)
            m_order.push_back(m_table.find(id));
        return m_order;
    }

private:
    SpanIndexTable m_table;
    std::vector<std::uint32_t> m_order;
};

} // namespace

Result<void> Store::Impl::prepareReading()
{
    if (chunks)
        return {};
    auto select = db.prepare(std::string(entryColumns) + "WHERE id = ?1");
    if (!select)
        return fail(select.error());
    auto reader = ChunkReader::open(db, "chunk");
    if (!reader)
        return fail(std::move(reader).error());
    selectSummary = std::move(*select);
    chunks = std::move(*reader);
    return {};
}

Result<TraceColumns> Store::loadColumns(std::optional<std::int64_t> deployment, const JobControl& job) const
{
    const std::scoped_lock lock(m_impl->mutex);
    if (m_impl->writing)
        return fail(
            ErrorCode::WorkspaceBusy, "An import into the workspace is still running", {.file = m_impl->path, .line = {}, .byte = {}});
    return ColumnsLoader(m_impl->db, m_impl->readableSizes(), deployment, job).load(m_impl->dictionary);
}

Result<std::shared_ptr<const Trace>> Store::loadTrace(std::int64_t storeKey) const
{
    StoredTrace stored;
    TraceColumns columns;
    {
        const std::scoped_lock lock(m_impl->mutex);
        if (auto ready = m_impl->prepareReading(); !ready)
            return fail(std::move(ready).error());
        sqlite::Statement& select = m_impl->selectSummary;
        const Result<bool> row = select.bind(0, storeKey).step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return fail(ErrorCode::NotFound, fmt::format("The workspace has no trace with key {}", storeKey),
                {.file = m_impl->path, .line = {}, .byte = {}});
        const TraceEntry entry = entryOf(select);
        addTrace(columns, entry);
        // The first statement is reset after the second, so that both see one state of the file and lock it once.
        const auto read = m_impl->chunks->read(storeKey, m_impl->readableSizes(), stored);
        select.reset();
        if (!read)
            return fail(read.error());
        if (stored.rows.size() != entry.spans || entry.spans == 0)
            return damagedTrace(m_impl->db, storeKey);
        columns.dictionary = m_impl->dictionary;
    }
    std::vector<std::uint32_t> order;
    assembleTrace(stored.rows, order, columns);
    std::vector<std::uint64_t> payloadBegin;
    std::vector<std::uint32_t> payloadSize;
    std::string payloads;
    for (const std::uint32_t place : order) {
        const std::string_view payload = stored.payloads[place];
        payloadBegin.push_back(payloads.size());
        payloadSize.push_back(std::uint32_t(payload.size()));
        payloads += payload;
    }
    return std::make_shared<const Trace>(std::move(columns), std::move(payloadBegin), std::move(payloadSize), std::move(payloads));
}

Result<std::vector<std::int64_t>> Store::findTrace(const std::string& traceId) const
{
    std::set<std::array<char, 16>> candidates{traceIdBytes(opaqueTraceId(traceId))};
    std::string digits = traceId;
    std::erase(digits, '-'); // UUID spelling
    if (const auto id = traceIdFromHex(digits))
        candidates.insert(traceIdBytes(*id));

    const std::scoped_lock lock(m_impl->mutex);
    auto select = m_impl->db.prepare("SELECT id FROM trace_summary WHERE trace_id = ?1 ORDER BY deployment");
    if (!select)
        return fail(select.error());
    std::vector<std::int64_t> keys;
    for (const std::array<char, 16>& id : candidates) {
        select->bindBlob(0, std::string_view(id.data(), id.size()));
        while (true) {
            const Result<bool> row = select->step();
            if (!row)
                return fail(row.error());
            if (!*row)
                break;
            keys.push_back(select->integer(0));
        }
    }
    return keys;
}

Result<void> Store::forEachTracePayloads(const TraceColumns& columns, const VisitPayloads& visit, const JobControl& job) const
{
    const ReadHold hold(m_impl->db, m_impl->mutex);
    StoredTrace stored;
    DisplayOrder displayOrder;
    std::vector<std::string_view> payloads;
    for (std::size_t t = 0; t < columns.traceCount(); ++t) {
        if (t % tracesPerReport == 0) {
            if (job.stopRequested())
                return fail(ErrorCode::Cancelled, "Cancelled");
            job.report({"Reading attributes", t, columns.traceCount(), columns.firstSpan[t], 0});
        }
        const std::int64_t key = columns.storeKey[t];
        stored.clear();
        {
            const std::scoped_lock lock(m_impl->mutex);
            if (auto ready = m_impl->prepareReading(); !ready)
                return ready;
            if (auto read = m_impl->chunks->read(key, m_impl->readableSizes(), stored); !read)
                return read;
            if (stored.rows.size() != columns.trace(t).size())
                return damagedTrace(m_impl->db, key);
        }
        payloads.clear();
        for (const std::uint32_t place : displayOrder.of(stored.rows, columns.trace(t).spanId, columns.dictionary)) {
            if (place >= stored.payloads.size())
                return fail(ErrorCode::WorkspaceDamaged, "The columns and the blocks of the workspace differ; import the trace files again",
                    {.file = m_impl->path, .line = {}, .byte = {}});
            payloads.push_back(stored.payloads[place]);
        }
        if (!visit(t, payloads))
            return {};
    }
    return {};
}

} // namespace chokepoint
