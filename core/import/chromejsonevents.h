// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The list of events of a Chrome trace: many at once while it is well-formed, one by one around a fault.
#pragma once

#include "core/import/chromecollector.h"
#include "core/import/jsonstream.h"
#include "core/import/spansink.h"

#include <optional>
#include <string>

namespace chokepoint {

class ChromeJsonEvents {
public:
    /// All arguments must outlive the object. \a place is kept at the event being read.
    ChromeJsonEvents(JsonStream& stream, ChromeCollector& collector, SpanSink& sink, RecordPlace& place);

    /// From the opening bracket to behind the closing one, or to the end of the input. A list that is a whole file (\a mayStayOpen)
    /// need not be closed. A malformed event costs that event: reading goes on where the next one begins.
    void readList(bool mayStayOpen);
    /// The event at the cursor.
    void readOne();

    /// Why everything has to stop.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }

private:
    [[nodiscard]] bool readBatch();
    [[nodiscard]] bool readElements(json::document& document, std::size_t& done);
    [[nodiscard]] bool readWhole(std::string_view text);
    [[nodiscard]] bool goesOnBehindBracket();
    void giveUp(JsonStream::Value value);
    void dropUntilEvent();
    void reportOpenList();
    void add();
    void reject(DiagnosticCode code, const char* what);
    void notePlace() { m_place = {m_stream.lineNumber(), m_stream.byte()}; }

    JsonStream& m_stream;
    ChromeCollector& m_collector;
    SpanSink& m_sink;
    RecordPlace& m_place;
    ChromeEventReader m_reader;
    ChromeEvent m_event;
    JsonDocument m_document; // of single events
    json::parser m_parser; // of many events
    std::string m_batch;
    std::optional<Error> m_failure;
    std::size_t m_sinceCheckpoint = 0; // bytes
    unsigned m_singles = 0; // events to be read one by one before many are tried again
    bool m_isDamaged = false; // a fault was found in this list: its brackets cannot be trusted
    bool m_isResyncing = false; // no event was read since the last fault
};

} // namespace chokepoint
