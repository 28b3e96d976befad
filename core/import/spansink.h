// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where every reader puts its spans: composes payloads, derives flags, and hands full batches on. One a file.
#pragma once

#include "core/import/readinput.h"
#include "core/import/spandraft.h"
#include "core/import/spanfacts.h"
#include "core/import/timeunits.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

struct ByteCount;

/// Counts spans from 0 in the order of add(). Not thread-safe.
class SpanSink {
public:
    /// All arguments must outlive the sink. \a bytes is what progress is told in; \a report collects spans and diagnostics.
    SpanSink(Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job, const ByteCount& bytes, InputReport& report);
    SpanSink(const SpanSink&) = delete;
    SpanSink& operator=(const SpanSink&) = delete;

    [[nodiscard]] Dictionary& dictionary() { return m_dictionary; }
    /// For SpanDraft::attributes and ::nested: setOutput() first.
    [[nodiscard]] PackedWriter& writer() { return m_writer; }
    [[nodiscard]] Diagnostics& diagnostics() { return m_report.diagnostics; }
    /// For dialects that have a name of their own, such as "tempo-json".
    void setFormat(const char* format) { m_report.format = format; }

    /// An input that has grown can be read on from \a place.
    void setResume(RecordPlace place) { m_report.resume = place; }

    /// Takes over the span; \a draft keeps its buffers. Made-up ids replace null ones (INVALID_ID). Fails with Cancelled
    /// or what the receiver of batches returned.
    Result<void> add(SpanDraft& draft);
    /// For readers that add spans only at the end: tells the progress. Fails with Cancelled.
    Result<void> checkpoint();
    /// Delivers what is left; the last call.
    Result<void> finish();

    /// Spans added so far, less those taken back.
    [[nodiscard]] std::uint64_t position() const { return m_position; }

    /// Between hold() and release() nothing is delivered, so that the spans since then can be changed or taken back.
    /// Pairs nest. Memory grows with the spans held.
    void hold() { ++m_holds; }
    Result<void> release();
    /// Changes spans \a from ... position() - 1, which must all be held.
    void setResource(std::uint64_t from, ResourceId resource);
    void setScope(std::uint64_t from, ScopeId scope);
    /// resources[old value] becomes the new one; for readers that learn resources after spans.
    void remapResources(std::uint64_t from, const std::vector<ResourceId>& resources);
    /// Takes the spans \a from ... back.
    void rollback(std::uint64_t from);

    /// Spans without a trace id share one made-up trace until the next record begins.
    void beginRecord() { ++m_record; }

private:
    Result<void> deliverFull();
    Result<void> deliver(SpanBatch& batch);
    Result<void> watchTimeUnits(const SpanDraft& draft);
    void repairTimes(SpanBatch& batch);
    void tellProgress();
    void startBatch();
    void fillIds(SpanDraft& draft);
    void composePayload(const SpanDraft& draft);
    void appendText(StringId statisticsKey, std::string_view text);
    void appendInlineText(std::string_view text);
    template <typename Change> void changeHeld(std::uint64_t from, Change&& change);

    Dictionary& m_dictionary;
    const DeliverBatch& m_deliver;
    const JobControl& m_job;
    const ByteCount& m_bytes;
    InputReport& m_report;
    PackedWriter m_writer;
    SpanFacts m_facts;
    TimeUnitWatch m_timeUnits;
    std::vector<SpanBatch> m_held; // full batches that must wait, oldest first
    SpanBatch m_batch; // the one being filled
    std::string m_discarded; // receives the keys that only steer the writer's statistics
    StringId m_eventNameKey;
    StringId m_statusKey;
    std::uint64_t m_delivered = 0;
    std::uint64_t m_position = 0;
    std::uint64_t m_record = 0;
    std::uint64_t m_madeUp = 0;
    unsigned m_holds = 0;
};

} // namespace chokepoint
