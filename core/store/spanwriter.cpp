// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One import as one transaction: window, chunks, segments, summaries, then settling and the record of the input.
#include "core/model/packed.h"
#include "core/store/duplicatefilter.h"
#include "core/store/inputtable.h"
#include "core/store/shortids.h"
#include "core/store/storeimpl.h"
#include "core/store/tracesettler.h"
#include "core/store/tracewindow.h"

#include <algorithm>

namespace chokepoint {

namespace {

/// What this import knows about a trace that it has written to.
struct KnownTrace {
    std::int64_t key = 0;
    std::int64_t parts = 0; // written by this import, to `chunk` or to `pending`
    std::uint32_t flushes = 0;
    bool existed = false; // before this import; its new parts wait in `pending`
    bool repeatsIds = false; // within one part; settled when texts may be looked at
    bool isOpaque = false; // its id was no hex in the source

    /// The trace's reports have to be compared, and its summary has to cover all of them.
    [[nodiscard]] bool needsSettling() const { return existed || repeatsIds || flushes > 1; }
    [[nodiscard]] bool isInPieces() const { return !existed && !repeatsIds; }
};

bool hasTraceIdText(const ChunkSource& source)
{
    constexpr auto section = std::uint64_t(1) << unsigned(PayloadSection::TraceIdText);
    return (PackedCursor(source.payloads.substr(0, source.payloadSizes.front())).varint() & section) != 0;
}

} // namespace

struct SpanWriter::Impl {
    Impl(Store::Impl& owner, const WriteWindow& limits) : store(owner), window(limits) { }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();
    void end();

    Result<void> open(const std::string& deploymentLabel);
    Result<void> findDeployment(const std::string& label);
    Result<KnownTrace*> known(TraceId id);
    Result<void> flush(OpenTrace& trace);
    Result<void> writePending(KnownTrace& trace, const ChunkSource& source);
    Result<void> writeNew(KnownTrace& trace, TraceId id, const ChunkSource& source);
    Result<void> settleTraces(const std::string& format);
    Result<void> joinShortIds(TraceSettler& settler, const std::string& format);
    Result<Written> commit(StoredInput input);

    Store::Impl& store;
    TraceWindow window;
    std::unordered_map<TraceId, KnownTrace> traces;
    std::int64_t deployment = 0;
    bool newDeployment = false; // no trace of it can exist
    std::int64_t nextKey = 1;
    bool ended = false;
    Written written;
    std::optional<Error> failure; // after it the transaction may be gone: nothing more may be written

    DuplicateFilter duplicates;
    TraceSummarizer summarizer;
    SpanColumns columns;

    std::optional<sqlite::Transaction> transaction; // before the statements, so that it ends after them
    std::optional<ChunkWriter> chunks;
    std::optional<ChunkWriter> pending; // open once the table exists
    std::optional<SummaryTable> summaries;
    std::optional<SegmentWriter> segments;
    sqlite::Statement selectTrace;
};

SpanWriter::SpanWriter(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) { }
SpanWriter::SpanWriter(SpanWriter&&) noexcept = default;
SpanWriter& SpanWriter::operator=(SpanWriter&&) noexcept = default;
SpanWriter::~SpanWriter() = default;

SpanWriter::Impl::~Impl()
{
    const std::scoped_lock lock(store.mutex);
    end();
}

/// Lets go of the store; without a commit before, everything is undone.
void SpanWriter::Impl::end()
{
    if (ended)
        return;
    ended = true;
    selectTrace = {};
    segments.reset();
    summaries.reset();
    pending.reset();
    chunks.reset();
    transaction.reset();
    store.writing = false;
}

Result<SpanWriter> SpanWriter::begin(Store& store, const std::string& deploymentLabel, const WriteWindow& window)
{
    Store::Impl& owner = *store.m_impl;
    {
        const std::scoped_lock lock(owner.mutex);
        const Place place{.file = owner.path, .line = {}, .byte = {}};
        if (owner.writing)
            return fail(ErrorCode::WorkspaceBusy, "Another import into this workspace is still running", place);
        if (owner.db.isReadOnly())
            return fail(ErrorCode::CannotWrite, "The workspace was opened for reading only", place);
        owner.writing = true;
    }
    auto impl = std::make_unique<Impl>(owner, window);
    if (auto opened = impl->open(deploymentLabel); !opened)
        return fail(std::move(opened).error());
    return SpanWriter(std::move(impl));
}

Result<void> SpanWriter::Impl::open(const std::string& deploymentLabel)
{
    const std::scoped_lock lock(store.mutex);
    auto begun = sqlite::Transaction::begin(store.db);
    if (!begun)
        return fail(std::move(begun).error());
    transaction.emplace(std::move(*begun));
    if (auto found = findDeployment(deploymentLabel); !found)
        return found;
    const auto lastKey = store.db.integer("SELECT max(id) FROM trace_summary");
    if (!lastKey)
        return fail(lastKey.error());
    nextKey = lastKey->value_or(0) + 1;

    auto chunkWriter = ChunkWriter::open(store.db, "chunk");
    if (!chunkWriter)
        return fail(std::move(chunkWriter).error());
    chunks = std::move(*chunkWriter);
    auto table = SummaryTable::open(store.db);
    if (!table)
        return fail(std::move(table).error());
    summaries = std::move(*table);
    segments.emplace(store.db, deployment);
    auto select = store.db.prepare("SELECT id FROM trace_summary WHERE trace_id = ?1 AND deployment = ?2");
    if (!select)
        return fail(select.error());
    selectTrace = std::move(*select);
    return {};
}

Result<void> SpanWriter::Impl::findDeployment(const std::string& label)
{
    auto select = store.db.prepare("SELECT id FROM deployment WHERE label = ?1");
    if (!select)
        return fail(select.error());
    const auto row = select->bindText(0, label).step();
    if (!row)
        return fail(row.error());
    if (*row) {
        deployment = select->integer(0);
        return {};
    }
    auto insert = store.db.prepare("INSERT INTO deployment(label) VALUES(?1)");
    if (!insert)
        return fail(insert.error());
    if (auto done = insert->bindText(0, label).run(); !done)
        return done;
    deployment = store.db.lastInsertRowId();
    newDeployment = true;
    return {};
}

Dictionary& SpanWriter::dictionary()
{
    return *m_impl->store.dictionary;
}

Result<void> SpanWriter::append(SpanBatch& batch)
{
    const std::scoped_lock lock(m_impl->store.mutex);
    if (m_impl->failure)
        return fail(*m_impl->failure);
    m_impl->window.add(batch);
    batch.clear();
    while (OpenTrace* trace = m_impl->window.due()) {
        if (auto done = m_impl->flush(*trace); !done) {
            m_impl->failure = done.error();
            return done;
        }
    }
    return {};
}

Result<KnownTrace*> SpanWriter::Impl::known(TraceId id)
{
    KnownTrace& trace = traces[id];
    if (trace.key != 0)
        return &trace;
    if (!newDeployment) {
        const std::array<char, 16> bytes = traceIdBytes(id);
        const auto row = selectTrace.bindBlob(0, std::string_view(bytes.data(), bytes.size())).bind(1, deployment).step();
        if (!row)
            return fail(row.error());
        trace.existed = *row;
        if (*row) {
            trace.key = selectTrace.integer(0);
            selectTrace.reset();
            return &trace;
        }
    }
    trace.key = nextKey++;
    return &trace;
}

Result<void> SpanWriter::Impl::flush(OpenTrace& open)
{
    const auto trace = known(open.id);
    if (!trace)
        return fail(trace.error());
    const ChunkSource source = duplicates.filtered(open, written.diagnostics);
    ++(*trace)->flushes;
    (*trace)->repeatsIds |= duplicates.repeatsIds();
    auto done = (*trace)->existed ? writePending(**trace, source) : writeNew(**trace, open.id, source);
    if (done)
        written.newSpans += source.rows.size();
    window.release(&open);
    return done;
}

/// Reports of a trace that was there before wait outside the file, so that importing a file again does not make it grow.
Result<void> SpanWriter::Impl::writePending(KnownTrace& trace, const ChunkSource& source)
{
    if (!pending) {
        if (auto done = store.db.execute("CREATE TEMP TABLE pending(id INTEGER PRIMARY KEY, data BLOB NOT NULL)"); !done)
            return done;
        auto writer = ChunkWriter::open(store.db, "temp.pending");
        if (!writer)
            return fail(std::move(writer).error());
        pending = std::move(*writer);
    }
    const auto parts = pending->write(trace.key, trace.parts, source);
    if (!parts)
        return fail(parts.error());
    trace.parts = *parts;
    return {};
}

Result<void> SpanWriter::Impl::writeNew(KnownTrace& trace, TraceId id, const ChunkSource& source)
{
    if (trace.parts == 0) {
        columns.clear();
        for (const SpanRow& row : source.rows)
            columns.push_back(row);
        if (auto done = summaries->insert(trace.key, deployment, id, summarizer.summarize(columns)); !done)
            return done;
        trace.isOpaque = hasTraceIdText(source);
        ++written.newTraces;
    }
    const auto parts = chunks->write(trace.key, trace.parts, source);
    if (!parts)
        return fail(parts.error());
    trace.parts = *parts;
    return segments->append(trace.key, source.rows);
}

Result<void> SpanWriter::Impl::settleTraces(const std::string& format)
{
    if (auto done = segments->seal(); !done)
        return done;
    auto settler =
        TraceSettler::open({store.db, deployment, *store.dictionary, *segments, *summaries, written.diagnostics}, pending.has_value());
    if (!settler)
        return fail(std::move(settler).error());
    if (auto done = joinShortIds(*settler, format); !done)
        return done;
    std::vector<std::pair<TraceId, const KnownTrace*>> byKey;
    for (const auto& [id, trace] : traces)
        if (trace.needsSettling() || trace.isOpaque)
            byKey.emplace_back(id, &trace);
    std::sort(byKey.begin(), byKey.end(), [](const auto& a, const auto& b) { return a.second->key < b.second->key; });
    for (const auto& [id, trace] : byKey) {
        if (trace->needsSettling()) {
            auto done = trace->isInPieces() ? settler->settlePieces(trace->key, id) : settler->settle(trace->key, id);
            if (!done)
                return done;
        }
        if (trace->isOpaque)
            if (auto done = settler->nameTrace(trace->key); !done)
                return done;
    }
    // A join may find duplicates that had both been there before.
    written.newSpans -= std::min(written.newSpans, settler->droppedSpans());
    return settler->finish();
}

/// What is joined here is settled, too.
Result<void> SpanWriter::Impl::joinShortIds(TraceSettler& settler, const std::string& format)
{
    const auto pairs = findShortIds(store.db, deployment, format);
    if (!pairs)
        return fail(pairs.error());
    for (const ShortIdPair& pair : *pairs) {
        if (auto done = settler.join(pair.shortKey, pair.longKey, pair.longId); !done)
            return done;
        bool isNew = false;
        for (const TraceId id : {TraceId{0, pair.longId.lo}, pair.longId}) {
            const auto known = traces.find(id);
            if (known == traces.end())
                continue;
            isNew |= !known->second.existed;
            traces.erase(known);
        }
        written.newTraces -= isNew ? 1 : 0;
    }
    return {};
}

Result<SpanWriter::Written> SpanWriter::Impl::commit(StoredInput input)
{
    while (OpenTrace* trace = window.oldest())
        if (auto done = flush(*trace); !done)
            return fail(std::move(done).error());
    if (auto done = settleTraces(input.format); !done)
        return fail(std::move(done).error());
    DictionarySizes saved = store.saved;
    if (auto done = saveDictionary(store.db, *store.dictionary, saved); !done)
        return fail(std::move(done).error());
    input.deployment = deployment;
    input.diagnostics.merge(written.diagnostics);
    if (auto done = recordInput(store.db, input, written.newSpans); !done)
        return fail(std::move(done).error());
    if (pending) {
        pending.reset();
        if (auto done = store.db.execute("DROP TABLE temp.pending"); !done)
            return fail(std::move(done).error());
    }
    if (auto done = transaction->commit(); !done)
        return fail(std::move(done).error());
    store.saved = saved;
    return written;
}

Result<SpanWriter::Written> SpanWriter::commit(StoredInput input)
{
    const std::scoped_lock lock(m_impl->store.mutex);
    if (m_impl->failure)
        return fail(*m_impl->failure);
    auto done = m_impl->commit(std::move(input));
    m_impl->failure = done ? Error{ErrorCode::Internal, "The import was committed already", {}} : done.error();
    m_impl->end();
    return done;
}

} // namespace chokepoint
