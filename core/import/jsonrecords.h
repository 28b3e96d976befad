// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What all JSON formats share: records one after another in any framing, each read whole or given up alone, and the walk into a
// record that is too large or too broken to be read whole.
#pragma once

#include "core/import/jsonstream.h"
#include "core/import/recordplace.h"
#include "core/import/spansink.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

class JsonRecords {
public:
    /// Adds the spans of a complete text to the sink; false when it is malformed or setFailure() was called.
    using ReadText = std::function<bool(std::string_view text)>;
    using Visit = std::function<bool()>;
    using VisitMember = std::function<bool(const std::string& key)>;

    /// Texts of more than 64 MiB are read up to there, and counted.
    JsonRecords(PullBytes text, SpanSink& sink) : m_sink(sink), m_stream(std::move(text), longestText) { }

    /// Reads to the end. \a readRecord takes a whole record; \a openRecord walks, with the functions below, into one that is
    /// longer than 8 MiB or is the first of its input and cannot be read whole. Other records that are malformed or cut are
    /// left out and counted.
    [[nodiscard]] Result<void> read(const ReadText& readRecord, const Visit& openRecord);

    /// The text begins at \a place of its file.
    void startAt(const RecordPlace& place) { m_stream.startAt(place.line, place.byte), m_complete = place; }
    /// Behind the last record that did not end with the input.
    [[nodiscard]] const RecordPlace& completeTo() const { return m_complete; }

    /// The record or element being read.
    [[nodiscard]] const RecordPlace& place() const { return m_place; }
    /// The sink failed: everything stops with that error.
    void setFailure(Error error) { m_failure = std::move(error); }
    [[nodiscard]] bool hasFailed() const { return m_failure.has_value(); }

    // ---- walking into a record; all are false when the walk cannot go on ----

    /// First byte of the next value; 0 at the end.
    [[nodiscard]] char peek() { return m_stream.peek(); }
    /// Calls \a visit at each object and list of the list; it must move past it. Other things, and other things than a list, are passed
    /// over, and counted unless they are null.
    [[nodiscard]] bool list(const Visit& visit);
    /// Calls \a visit at the value of each member of an object; other things are passed over.
    [[nodiscard]] bool object(const VisitMember& visit);
    /// One value: whole through \a readText when it is small and well-formed, else through \a open. Without \a open the value
    /// is read whole, and left out when it is malformed or longer than 256 MiB.
    [[nodiscard]] bool element(const ReadText& readText, const Visit& open = {});
    /// The JSON of one value; nothing for null, and for one that is longer than 256 MiB.
    [[nodiscard]] bool takeText(std::string& text);
    [[nodiscard]] bool skipValue();

private:
    static constexpr std::size_t longestText = std::size_t(64) << 20;

    [[nodiscard]] bool tryText(std::string_view text, const ReadText& readText);
    [[nodiscard]] bool readNext(const ReadText& readRecord, const Visit& openRecord);
    void open(const Visit& openRecord, bool isMalformed);
    void leaveOut(JsonStream::Value value);
    [[nodiscard]] bool openMalformed(const Visit& open, std::size_t length);
    void reject(DiagnosticCode code, const RecordPlace& place, const char* what);
    void skipText();
    [[nodiscard]] JsonStream::Value nextValue(std::size_t limit, bool stopAtRecord = false);
    [[nodiscard]] bool passLong();
    [[nodiscard]] bool passMisplaced();
    void notePlace() { m_place = {m_stream.lineNumber(), m_stream.byte()}; }

    SpanSink& m_sink;
    JsonStream m_stream;
    RecordPlace m_place;
    RecordPlace m_complete;
    std::optional<Error> m_failure;
    std::uint64_t m_records = 0;
    std::uint64_t m_textLines = 0; // lines that are no JSON, since the last record
    RecordPlace m_textPlace;
    std::uint64_t m_shortTexts = 0; // that were counted
    bool m_cut = false; // the input ends inside a value
    bool m_endsInside = false; // and that value is part of the last record
};

} // namespace chokepoint
