// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome events, one after the other, into the records that spans are made of at the end.
#pragma once

#include "core/import/chromeevent.h"
#include "core/import/chromerecords.h"
#include "core/import/chrometracks.h"
#include "core/import/recordplace.h"

#include <array>

namespace chokepoint {

class ChromeCollector {
public:
    ChromeCollector(Dictionary& dictionary, Diagnostics& diagnostics, const RecordPlace& place)
        : m_strings(dictionary.strings), m_diagnostics(diagnostics), m_place(place)
    {
    }

    /// Takes one event; those that cannot be used are counted. Fails as ByteSpool::append() does.
    [[nodiscard]] Result<void> add(const ChromeEvent& event);
    /// Counts what was skipped; after the last event.
    void reportSkipped();

    [[nodiscard]] ChromeRecords& records() { return m_records; }
    [[nodiscard]] const ChromeTracks& tracks() const { return m_tracks; }

private:
    [[nodiscard]] Result<void> addSlice(const ChromeEvent& event);
    [[nodiscard]] Result<void> addEnd(const ChromeEvent& event);
    [[nodiscard]] Result<void> addInstant(const ChromeEvent& event);
    void addFlow(const ChromeEvent& event, FlowStep step);
    void addMetadata(const ChromeEvent& event);
    void addReferences(const ChromeEvent& event, std::uint32_t slice);
    /// Arguments and other members; good until the next call.
    [[nodiscard]] std::string_view attributesOf(const ChromeEvent& event);
    [[nodiscard]] std::uint64_t groupOf(const ChromeEvent& event, TrackId track);
    [[nodiscard]] std::uint64_t idKey(const ChromeEvent& event, char kind, std::string_view id);
    void unmatched(const char* what);

    StringPool& m_strings;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    ChromeRecords m_records;
    ChromeTracks m_tracks;
    std::string m_key;
    std::string m_packed;
    std::array<std::uint64_t, 128> m_skipped{}; // by phase
    std::string m_firstSkipped;
};

} // namespace chokepoint
