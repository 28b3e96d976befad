// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/tracewindow.h"

#include "core/store/block.h"

#include <algorithm>

namespace chokepoint {

namespace {

constexpr std::size_t longTrace = 4 * spansPerChunk; // fills chunks of its own: waiting for the rest of it gains nothing
constexpr std::size_t keptCapacity = 1U << 16; // bytes of payload memory that a released trace keeps for the next one

} // namespace

void TraceWindow::add(const SpanBatch& batch)
{
    OpenTrace* trace = nullptr;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (trace == nullptr || trace->id != batch.traceId[i])
            trace = &opened(batch.traceId[i]);
        const std::string_view payload = batch.payloadOf(i);
        trace->rows.push_back(batch.spans.row(i));
        trace->payloadSizes.push_back(std::uint32_t(payload.size()));
        trace->payloads += payload;
        trace->lastSeen = m_arrived++;
        touch(*trace);
        if (trace->rows.size() == longTrace)
            m_long.push_back(trace);
        ++m_spans;
        m_bytes += sizeof(SpanRow) + sizeof(std::uint32_t) + payload.size();
    }
}

OpenTrace* TraceWindow::due()
{
    if (!m_long.empty())
        return m_long.back();
    const bool full = m_spans > m_limits.spans || m_bytes > m_limits.bytes;
    if (full)
        m_drainBefore = m_arrived - std::min<std::uint64_t>(m_arrived, m_limits.spans / 4);
    const bool stale = m_oldest != nullptr && m_oldest->lastSeen < m_drainBefore;
    return full || stale ? m_oldest : nullptr;
}

void TraceWindow::release(OpenTrace* trace)
{
    m_spans -= trace->rows.size();
    m_bytes -= trace->bytes();
    m_byId.erase(trace->id);
    std::erase(m_long, trace);
    unlink(*trace);
    if (trace->payloads.capacity() > keptCapacity || trace->rows.capacity() * sizeof(SpanRow) > keptCapacity) {
        *trace = OpenTrace{};
    } else {
        trace->rows.clear();
        trace->payloadSizes.clear();
        trace->payloads.clear();
    }
    m_free.push_back(trace);
}

OpenTrace& TraceWindow::opened(TraceId id)
{
    OpenTrace*& place = m_byId[id];
    if (place != nullptr)
        return *place;
    if (m_free.empty()) {
        place = &m_pool.emplace_back();
    } else {
        place = m_free.back();
        m_free.pop_back();
    }
    place->id = id;
    return *place;
}

/// Moves \a trace to the newest end of the list, or puts it there.
void TraceWindow::touch(OpenTrace& trace)
{
    if (m_newest == &trace)
        return;
    if (trace.m_newer != nullptr)
        unlink(trace);
    trace.m_older = m_newest;
    (m_newest != nullptr ? m_newest->m_newer : m_oldest) = &trace;
    m_newest = &trace;
}

void TraceWindow::unlink(OpenTrace& trace)
{
    (trace.m_older != nullptr ? trace.m_older->m_newer : m_oldest) = trace.m_newer;
    (trace.m_newer != nullptr ? trace.m_newer->m_older : m_newest) = trace.m_older;
    trace.m_older = nullptr;
    trace.m_newer = nullptr;
}

} // namespace chokepoint
