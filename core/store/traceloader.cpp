// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reading traces back: all of a deployment as columns, one whole, one found by its id, and all payloads in one pass.
#include "core/model/traceassembler.h"
#include "core/store/segments.h"
#include "core/store/storeimpl.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace chokepoint {

namespace {

constexpr std::size_t tracesPerReport = 4096; // between progress reports and looks at the stop token

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

struct TraceEntry {
    std::int64_t key = 0;
    std::int64_t deployment = 0;
    TraceId id;
    std::string idText;
    Timestamp start = Timestamp::max(); // max: unknown, last in order
    std::uint64_t spans = 0;
};

/// A row of `SELECT id, deployment, trace_id, id_text, start_ns, spans`.
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

constexpr const char* entryColumns = "SELECT id, deployment, trace_id, id_text, start_ns, spans FROM trace_summary ";

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

void addTrace(TraceColumns& columns, const TraceEntry& entry)
{
    if (!entry.idText.empty())
        columns.traceIdText.emplace(std::uint32_t(columns.traceCount()), entry.idText);
    columns.traceId.push_back(entry.id);
    columns.storeKey.push_back(entry.key);
}

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
