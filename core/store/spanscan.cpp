// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/spanscan.h"

#include "core/store/schema.h"

#include <limits>

namespace chokepoint {

Result<void> WorkspaceReader::refresh()
{
    if (auto checked = checkSchema(m_db, false); !checked)
        return checked;
    return loadDictionary(m_db, m_dictionary);
}

Result<void> SpanScan::all()
{
    return start({{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}});
}

Result<void> SpanScan::ofTrace(std::int64_t traceKey)
{
    constexpr std::int64_t largestKey = std::numeric_limits<std::int64_t>::max() >> 20;
    if (traceKey < 0 || traceKey > largestKey)
        return start({});
    return start({{chunkId(traceKey, 0), chunkId(traceKey, mostParts - 1)}});
}

Result<void> SpanScan::ofTraceId(std::string_view traceId)
{
    auto select = m_reader.db().prepare("SELECT id FROM trace_summary WHERE trace_id IN (?1, ?2) ORDER BY id");
    if (!select)
        return fail(select.error());
    const auto opaque = traceIdBytes(opaqueTraceId(traceId));
    const auto plain = traceIdBytes(traceIdFromHex(traceId).value_or(opaqueTraceId(traceId)));
    select->bindBlob(0, {opaque.data(), opaque.size()}).bindBlob(1, {plain.data(), plain.size()});
    std::vector<ChunkRange> ranges;
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return start(std::move(ranges));
        ranges.push_back({chunkId(select->integer(0), 0), chunkId(select->integer(0), mostParts - 1)});
    }
}

Result<void> SpanScan::one(std::int64_t spanKey)
{
    const std::int64_t chunk = spanKey >> 12;
    m_onlyIndex = std::size_t(spanKey & (spansPerChunk - 1));
    auto done = start({{chunk, chunk}});
    if (done && !m_atEnd) {
        m_index = *m_onlyIndex;
        m_atEnd = m_index >= m_rows.size();
    }
    return done;
}

Result<void> SpanScan::start(std::vector<ChunkRange> ranges)
{
    m_ranges = std::move(ranges);
    m_range = 0;
    m_selecting = false;
    m_atEnd = false;
    if (m_select.handle() == nullptr) {
        auto select = m_reader.db().prepare("SELECT id, data FROM chunk WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
        if (!select)
            return fail(select.error());
        m_select = std::move(*select);
    }
    m_select.reset();
    return nextChunk();
}

Result<void> SpanScan::next()
{
    m_payload.reset();
    if (m_onlyIndex) {
        m_atEnd = true;
        return {};
    }
    return ++m_index < m_rows.size() ? Result<void>{} : nextChunk();
}

Result<void> SpanScan::nextChunk()
{
    m_index = 0;
    m_payload.reset();
    while (m_range < m_ranges.size()) {
        if (!m_selecting)
            m_select.bind(0, m_ranges[m_range].first).bind(1, m_ranges[m_range].last);
        const Result<bool> row = m_select.step();
        m_selecting = row && *row;
        if (!row)
            return fail(row.error());
        if (!*row) {
            ++m_range;
            continue;
        }
        if (auto done = decode(); !done)
            return done;
        if (!m_rows.empty())
            return {};
    }
    m_atEnd = true;
    return {};
}

Result<void> SpanScan::decode()
{
    m_chunk = m_select.integer(0);
    m_rows.clear();
    m_payloads.clear();
    if (decodeChunk(m_select.bytes(1), sizesOf(dictionary()), m_rows, &m_payloads))
        return {};
    // Another connection may have added texts since the dictionary was read.
    if (auto refreshed = m_reader.refresh(); !refreshed)
        return refreshed;
    if (decodeChunk(m_select.bytes(1), sizesOf(dictionary()), m_rows, &m_payloads))
        return {};
    m_atEnd = true;
    return damagedTrace(m_reader.db(), traceKey());
}

bool SpanScan::has(PayloadSection section) const
{
    return (PackedCursor(packedPayload()).varint() >> unsigned(section) & 1U) != 0;
}

const SpanPayload& SpanScan::payload()
{
    if (!m_payload)
        m_payload = decodePayload(packedPayload(), m_rows.start[m_index], dictionary().strings);
    return *m_payload;
}

std::string SpanScan::spanIdName()
{
    return has(PayloadSection::SpanIdText) ? payload().spanIdText : toHex(m_rows.spanId[m_index]);
}

std::string SpanScan::parentIdName()
{
    if (m_rows.parentId[m_index].isNull())
        return {};
    return has(PayloadSection::ParentIdText) ? payload().parentIdText : toHex(m_rows.parentId[m_index]);
}

const std::string& SpanScan::traceIdName()
{
    lookUpTrace();
    return m_traceIdName;
}

const std::string& SpanScan::deployment()
{
    lookUpTrace();
    return m_deployment;
}

/// Names stay empty when the summary is missing, which only damage can bring about.
void SpanScan::lookUpTrace()
{
    if (m_namedTrace == traceKey())
        return;
    m_namedTrace = traceKey();
    m_traceIdName.clear();
    m_deployment.clear();
    if (m_selectTrace.handle() == nullptr) {
        auto select = m_reader.db().prepare("SELECT coalesce(t.id_text, lower(hex(t.trace_id))), d.label FROM trace_summary t "
                                            "JOIN deployment d ON d.id = t.deployment WHERE t.id = ?1");
        if (!select)
            return;
        m_selectTrace = std::move(*select);
    }
    const auto row = m_selectTrace.bind(0, m_namedTrace).step();
    if (row && *row) {
        m_traceIdName = m_selectTrace.bytes(0);
        m_deployment = m_selectTrace.bytes(1);
    }
    m_selectTrace.reset();
}

} // namespace chokepoint
