// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/spansink.h"

#include "core/base/format.h"
#include "core/import/bytesource.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr std::size_t spansPerBatch = 4096;
constexpr std::size_t longestDoubt = 4; // batches; times that are odd for so long are so to the end
constexpr std::size_t payloadPerBatch = std::size_t(64) << 20; // bytes; prompts can be huge

void appendBigEndian(std::string& out, std::uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        out.push_back(char(value >> shift & 0xff));
}

/// Counting begins anew in each part of a file.
std::string partName(const RecordPlace& from)
{
    return from.byte == 0 ? std::string() : fmt::format("#byte{}", from.byte);
}

void truncate(SpanBatch& batch, std::size_t size)
{
    batch.traceId.resize(size);
    batch.spans.resize(size);
    batch.payloadEnd.resize(size);
    batch.payload.resize(size == 0 ? 0 : batch.payloadEnd.back());
}

bool isFull(const SpanBatch& batch)
{
    return batch.size() >= spansPerBatch || batch.payload.size() >= payloadPerBatch;
}

} // namespace

SpanSink::SpanSink(Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job, const ByteCount& bytes, InputReport& report)
    : m_dictionary(dictionary), m_deliver(deliver), m_job(job), m_bytes(bytes), m_report(report), m_writer(dictionary.strings),
      m_facts(dictionary.strings), m_eventNameKey(dictionary.strings.intern("event.name")),
      m_statusKey(dictionary.strings.intern("otel.status_description"))
{
    startBatch();
}

void SpanSink::startBatch()
{
    m_batch.clear();
    m_batch.spans.reserve(spansPerBatch);
    m_batch.traceId.reserve(spansPerBatch);
    m_batch.payloadEnd.reserve(spansPerBatch);
}

Result<void> SpanSink::add(SpanDraft& draft)
{
    fillIds(draft);
    m_facts.derive(draft);
    composePayload(draft);
    m_batch.traceId.push_back(draft.traceId);
    m_batch.spans.push_back(draft.row);
    m_batch.payloadEnd.push_back(std::uint32_t(m_batch.payload.size()));
    ++m_position;
    if (m_timeUnits.isOpen()) {
        if (auto watched = watchTimeUnits(draft); !watched)
            return watched;
    }
    return isFull(m_batch) ? deliverFull() : Result<void>{};
}

/// Spans wait while all times that were seen look as if they were in another unit than the format's.
Result<void> SpanSink::watchTimeUnits(const SpanDraft& draft)
{
    const bool wasWaiting = m_timeUnits.factor() != 1;
    m_timeUnits.look(draft);
    if (!wasWaiting && m_timeUnits.factor() != 1)
        hold();
    if (wasWaiting && m_held.size() >= longestDoubt)
        m_timeUnits.close();
    return wasWaiting && !m_timeUnits.isOpen() ? release() : Result<void>{};
}

/// Made-up ids depend on the input's name and the span's place alone, so that reading a file again finds the same spans.
void SpanSink::fillIds(SpanDraft& draft)
{
    if (!draft.traceId.isNull() && !draft.row.spanId.isNull())
        return;
    ++m_madeUp;
    m_report.diagnostics.report(DiagnosticCode::InvalidId, [&] {
        return fmt::format("{} of span {} of this input is empty or zero; it is kept under a made-up id",
            draft.traceId.isNull() ? "the trace id" : "the span id", m_position + 1);
    });
    if (draft.traceId.isNull())
        draft.traceId = opaqueTraceId(fmt::format("{}{}#record{}", m_report.path, partName(m_report.from), m_record));
    if (draft.row.spanId.isNull())
        draft.row.spanId = opaqueSpanId(fmt::format("{}{}#span{}", m_report.path, partName(m_report.from), m_madeUp));
}

/// As encodePayload() writes it, from packed parts instead of decoded ones.
void SpanSink::composePayload(const SpanDraft& draft)
{
    std::string& out = m_batch.payload;
    m_writer.setOutput(&out);
    std::uint64_t sections = 0;
    const auto mark = [&](PayloadSection section, bool present) { sections |= std::uint64_t(present) << unsigned(section); };
    mark(PayloadSection::Attributes, !draft.attributes.empty());
    mark(PayloadSection::Events, !draft.events().empty());
    mark(PayloadSection::Links, !draft.links().empty());
    mark(PayloadSection::TraceState, !draft.traceState.empty());
    mark(PayloadSection::StatusMessage, !draft.statusMessage.empty());
    mark(PayloadSection::Flags, draft.w3cFlags != 0);
    mark(PayloadSection::DroppedAttributes, draft.droppedAttributes != 0);
    mark(PayloadSection::DroppedEvents, draft.droppedEvents != 0);
    mark(PayloadSection::DroppedLinks, draft.droppedLinks != 0);
    mark(PayloadSection::TraceIdText, !draft.traceIdText.empty());
    mark(PayloadSection::SpanIdText, !draft.spanIdText.empty());
    mark(PayloadSection::ParentIdText, !draft.parentIdText.empty());
    appendVarint(out, sections);
    const auto appendNested = [&](NestedAttributes attributes) {
        out.append(draft.nested, attributes.begin, attributes.end - attributes.begin);
        m_writer.endAttributes();
    };
    if (!draft.attributes.empty()) {
        out.append(draft.attributes);
        m_writer.endAttributes();
    }
    if (!draft.events().empty()) {
        appendVarint(out, draft.events().size());
        const std::uint64_t base = std::uint64_t(isKnown(draft.row.start) ? toNs(draft.row.start) : 0);
        for (const EventDraft& event : draft.events()) {
            appendVarint(out, zigzag(std::int64_t(std::uint64_t(toNs(event.time)) - base)));
            appendText(m_eventNameKey, event.name);
            appendVarint(out, event.droppedAttributes);
            appendNested(event.attributes);
        }
    }
    if (!draft.links().empty()) {
        appendVarint(out, draft.links().size());
        for (const LinkDraft& link : draft.links()) {
            appendBigEndian(out, link.traceId.hi);
            appendBigEndian(out, link.traceId.lo);
            appendBigEndian(out, link.spanId.value);
            appendVarint(out, link.flags);
            appendInlineText(link.traceState);
            appendVarint(out, link.droppedAttributes);
            appendInlineText(link.traceIdText);
            appendInlineText(link.spanIdText);
            appendNested(link.attributes);
        }
    }
    if (!draft.traceState.empty())
        appendInlineText(draft.traceState);
    if (!draft.statusMessage.empty())
        appendText(m_statusKey, draft.statusMessage);
    for (const std::uint32_t number : {draft.w3cFlags, draft.droppedAttributes, draft.droppedEvents, draft.droppedLinks})
        if (number != 0)
            appendVarint(out, number);
    for (const std::string* text : {&draft.traceIdText, &draft.spanIdText, &draft.parentIdText})
        if (!text->empty())
            appendInlineText(*text);
}

/// A text that repeats: interned, until the writer's statistics of \a statisticsKey say that it does not.
void SpanSink::appendText(StringId statisticsKey, std::string_view text)
{
    m_discarded.clear();
    m_writer.setOutput(&m_discarded);
    m_writer.key(statisticsKey);
    m_writer.setOutput(&m_batch.payload);
    m_writer.text(text);
}

/// A text that hardly ever repeats.
void SpanSink::appendInlineText(std::string_view text)
{
    m_batch.payload.push_back(char(ValueTag::Text));
    appendVarint(m_batch.payload, text.size());
    m_batch.payload.append(text);
}

Result<void> SpanSink::deliverFull()
{
    if (m_job.stopRequested())
        return fail(ErrorCode::Cancelled, "reading was cancelled");
    if (m_holds == 0)
        return deliver(m_batch);
    m_held.push_back(std::move(m_batch));
    m_batch = {};
    startBatch();
    return {};
}

Result<void> SpanSink::deliver(SpanBatch& batch)
{
    const std::size_t count = batch.size();
    if (m_timeUnits.factor() != 1)
        repairTimes(batch);
    if (count != 0) {
        if (auto delivered = m_deliver(batch); !delivered)
            return delivered;
    }
    m_delivered += count;
    m_report.spans = m_delivered;
    batch.clear();
    tellProgress();
    return {};
}

void SpanSink::repairTimes(SpanBatch& batch)
{
    const std::int64_t factor = m_timeUnits.factor();
    m_report.diagnostics.add(DiagnosticCode::TimeUnitRepaired, repairTimeUnits(batch, factor, m_writer),
        fmt::format("all times of this input lie before 1990 as its format writes them; they were read in a unit that is {} times as long",
            formatCount(std::uint64_t(factor))));
}

Result<void> SpanSink::checkpoint()
{
    if (m_job.stopRequested())
        return fail(ErrorCode::Cancelled, "reading was cancelled");
    tellProgress();
    return {};
}

void SpanSink::tellProgress()
{
    Progress progress;
    progress.step = fmt::format("Reading {}", m_report.path == "-" ? "standard input" : m_report.path);
    progress.done = m_bytes.onDisk;
    progress.total = m_bytes.total;
    progress.spans = m_delivered;
    for (const DiagnosticEntry& entry : m_report.diagnostics.entries())
        progress.faults += entry.count;
    m_job.report(progress);
}

Result<void> SpanSink::release()
{
    if (m_holds > 1 || (m_held.empty() && !isFull(m_batch))) {
        --m_holds;
        return {};
    }
    m_holds = 0;
    for (SpanBatch& batch : m_held) {
        if (m_job.stopRequested())
            return fail(ErrorCode::Cancelled, "reading was cancelled");
        if (auto delivered = deliver(batch); !delivered)
            return delivered;
    }
    m_held.clear();
    return isFull(m_batch) ? deliverFull() : Result<void>{};
}

Result<void> SpanSink::finish()
{
    m_timeUnits.close();
    m_holds = 1;
    if (auto released = release(); !released)
        return released;
    return deliver(m_batch);
}

template <typename Change> void SpanSink::changeHeld(std::uint64_t from, Change&& change)
{
    std::uint64_t first = m_position - m_batch.size();
    for (std::size_t i = from > first ? from - first : 0; i < m_batch.size(); ++i)
        change(m_batch.spans, i);
    for (auto batch = m_held.rbegin(); batch != m_held.rend() && from < first; ++batch) {
        first -= batch->size();
        for (std::size_t i = from > first ? from - first : 0; i < batch->size(); ++i)
            change(batch->spans, i);
    }
}

void SpanSink::setResource(std::uint64_t from, ResourceId resource)
{
    changeHeld(from, [resource](SpanColumns& spans, std::size_t i) { spans.resource[i] = resource; });
}

void SpanSink::setScope(std::uint64_t from, ScopeId scope)
{
    changeHeld(from, [scope](SpanColumns& spans, std::size_t i) { spans.scope[i] = scope; });
}

void SpanSink::remapResources(std::uint64_t from, const std::vector<ResourceId>& resources)
{
    changeHeld(from, [&resources](SpanColumns& spans, std::size_t i) { spans.resource[i] = resources[toIndex(spans.resource[i])]; });
}

void SpanSink::rollback(std::uint64_t from)
{
    while (from < m_position - m_batch.size() && !m_held.empty()) {
        m_position -= m_batch.size();
        m_batch = std::move(m_held.back());
        m_held.pop_back();
    }
    const std::uint64_t first = m_position - m_batch.size();
    truncate(m_batch, std::size_t(std::max(from, first) - first));
    m_position = first + m_batch.size();
}

} // namespace chokepoint
