// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jsonrecords.h"

#include "core/import/jsontoken.h"

#include <utility>

namespace chokepoint {

using namespace std::string_view_literals;

namespace {

constexpr std::size_t recordAtMost = std::size_t(8) << 20; // longer ones are walked into
constexpr std::size_t beginning = 64; // bytes that tell a record from text
constexpr std::size_t elementAtMost = std::size_t(256) << 20; // of what must be taken whole: a span, a resource

bool isContainer(std::string_view text)
{
    return !text.empty() && (text.front() == '{' || text.front() == '[');
}

/// Whether a record or a list of some begins here. "[info] ..." and "[2026-11-30 ..." are text.
bool beginsRecord(std::string_view text)
{
    if (text.empty() || text.front() != '[')
        return isContainer(text);
    const std::size_t first = text.find_first_not_of(" \r\n\t,\0"sv, 1);
    return first == std::string_view::npos || text[first] == ']' || isContainer(text.substr(first)) || text.substr(first, 4) == "null";
}

/// What a logger put before an object, or lists of them, that is the rest of its line; 0 when the line is none of these.
std::size_t prefixLength(std::string_view line)
{
    std::size_t begin = line.find("{\"");
    if (begin == std::string_view::npos)
        return 0;
    while (begin > 0 && line[begin - 1] == '[')
        --begin;
    return line.back() == (line[begin] == '[' ? ']' : '}') ? begin : 0;
}

} // namespace

void JsonRecords::reject(DiagnosticCode code, const RecordPlace& place, const char* what)
{
    m_sink.diagnostics().reject(code, [&] { return fmt::format("{}: {}", place.text(), what); });
}

/// All spans of the text with their faults, or none.
bool JsonRecords::tryText(std::string_view text, const ReadText& readText)
{
    const std::uint64_t from = m_sink.position();
    Diagnostics before = m_sink.diagnostics();
    m_sink.hold();
    const bool isGood = readText(text);
    if (!isGood) {
        m_sink.rollback(from);
        m_sink.diagnostics() = std::move(before);
    }
    if (const auto released = m_sink.release(); !released && !m_failure)
        m_failure = released.error();
    return isGood && !m_failure;
}

Result<void> JsonRecords::read(const ReadText& readRecord, const Visit& openRecord)
{
    while (m_stream.peek() != 0) {
        if (!beginsRecord(m_stream.ahead(beginning).substr(0, beginning))) {
            if (const std::size_t length = prefixLength(m_stream.line(recordAtMost).text); length != 0)
                m_stream.consume(length);
            else
                skipText();
            continue;
        }
        if (m_textLines != 0)
            m_sink.diagnostics().add(DiagnosticCode::NonJsonText, m_textLines, m_textPlace.text() + ": text that is no JSON was skipped");
        m_textLines = 0;
        if (!readNext(readRecord, openRecord))
            return fail(*m_failure);
        if (!m_endsInside)
            m_complete = {m_stream.lineNumber(), m_stream.byte()};
    }
    if (m_textLines != 0)
        m_sink.diagnostics().add(
            DiagnosticCode::TrailingData, m_textLines, m_textPlace.text() + ": text behind the last record was ignored");
    if (m_stream.failure())
        return fail(*m_stream.failure());
    return {};
}

/// Text between records is noise of other writers; behind the last one it is something else.
void JsonRecords::skipText()
{
    if (m_textLines++ == 0)
        m_textPlace = {m_stream.lineNumber(), m_stream.byte()};
    m_stream.skipLine();
}

/// One record: a line if that is one value, else what brackets say. False when everything has to stop.
bool JsonRecords::readNext(const ReadText& readRecord, const Visit& openRecord)
{
    static_assert(recordAtMost < longestText, "a record that is read whole has all of its texts, however it was found");
    notePlace();
    m_sink.beginRecord();
    const bool isFirst = m_records++ == 0;
    const JsonStream::Value line = m_stream.line(recordAtMost);
    const std::size_t lineLength = line.text.size();
    const bool isLine = line.extent == JsonStream::Extent::Complete;
    if (isLine && tryText(line.text, readRecord)) {
        m_stream.consume(lineLength);
        return true;
    }
    if (m_failure)
        return false;
    const JsonStream::Value value = nextValue(recordAtMost, !isFirst);
    const bool isNew = !isLine || value.text.size() != lineLength;
    const std::size_t length = value.text.size();
    if (value.extent == JsonStream::Extent::Complete && isNew && tryText(value.text, readRecord)) {
        m_stream.consume(length);
        return true;
    }
    if (!m_failure)
        value.extent == JsonStream::Extent::TooBig || isFirst ? open(openRecord, value.extent == JsonStream::Extent::Complete)
                                                              : leaveOut(value);
    return !m_failure;
}

/// \a isMalformed: the record could not be read whole, though it is all there. A fault that the walk meets is counted there.
void JsonRecords::open(const Visit& openRecord, bool isMalformed)
{
    m_cut = false;
    const RecordPlace record = m_place;
    const std::uint64_t rejectedBefore = m_sink.diagnostics().rejected();
    const bool isWhole = openRecord();
    if (m_failure)
        return;
    const bool isCounted = m_sink.diagnostics().rejected() != rejectedBefore;
    if (isWhole && isMalformed && !isCounted)
        reject(DiagnosticCode::BadRecord, record, "the JSON of this record is malformed; what could be read of it was kept");
    if (isWhole)
        return;
    if (m_cut) {
        m_endsInside = true;
        reject(DiagnosticCode::TruncatedInput, m_place, "the input ends inside this record; what was complete before was kept");
        while (m_stream.skipToRecord()) { } // what is left is the beginning of what was cut
        return;
    }
    if (!isCounted)
        reject(DiagnosticCode::BadRecord, record, "the JSON of this record is malformed; what was complete before the fault was kept");
    m_stream.skipToRecord();
}

void JsonRecords::leaveOut(JsonStream::Value value)
{
    if (value.extent == JsonStream::Extent::Complete) {
        reject(DiagnosticCode::BadRecord, m_place, "the JSON of this record is malformed; the record was left out");
        m_stream.consume(value.text.size());
    } else if (m_stream.skipToRecord()) {
        reject(DiagnosticCode::BadRecord, m_place, "this record ends in the middle; the record was left out");
    } else {
        m_endsInside = true;
        reject(DiagnosticCode::TruncatedInput, m_place, "the input ends inside this record; the record was left out");
    }
}

bool JsonRecords::list(const Visit& visit)
{
    if (m_stream.peek() != '[')
        return passMisplaced();
    m_stream.consume(1);
    while (true) {
        const char next = m_stream.peek();
        m_cut |= next == 0;
        if (next == ']')
            m_stream.consume(1);
        if (next == 0 || next == ']')
            return next == ']';
        if (next == '{' || next == '[' ? !visit() : !passMisplaced())
            return false;
    }
}

bool JsonRecords::object(const VisitMember& visit)
{
    if (m_stream.peek() != '{')
        return skipValue();
    m_stream.consume(1);
    while (true) {
        const char next = m_stream.peek();
        m_cut |= next == 0;
        if (next == '}')
            m_stream.consume(1);
        if (next == 0 || next == '}')
            return next == '}';
        const std::optional<std::string> key = m_stream.key();
        m_cut |= !key && m_stream.reachesEnd();
        if (!key || !visit(*key))
            return false;
    }
}

bool JsonRecords::element(const ReadText& readText, const Visit& open)
{
    notePlace();
    const JsonStream::Value value = nextValue(open ? recordAtMost : elementAtMost);
    const std::size_t length = value.text.size();
    const bool isComplete = value.extent == JsonStream::Extent::Complete;
    if (isComplete && (!isContainer(value.text) || tryText(value.text, readText))) {
        m_stream.consume(length);
        return true;
    }
    if (m_failure)
        return false;
    if (open && isContainer(value.text))
        return isComplete ? openMalformed(open, length) : open();
    if (value.extent == JsonStream::Extent::TooBig)
        return passLong();
    if (isComplete) {
        reject(DiagnosticCode::BadRecord, m_place, "the JSON of this span is malformed; the span was left out");
        m_stream.consume(length);
        return true;
    }
    m_cut |= value.extent == JsonStream::Extent::Cut;
    return false;
}

/// The element at the cursor, of \a length bytes: what is complete in it counts, and reading goes on behind it.
bool JsonRecords::openMalformed(const Visit& open, std::size_t length)
{
    const RecordPlace place = m_place;
    const std::uint64_t end = m_stream.byte() + length;
    const bool wasCut = m_cut;
    const std::uint64_t rejectedBefore = m_sink.diagnostics().rejected();
    const bool isWhole = open();
    if (m_failure || m_stream.byte() > end)
        return false;
    if (!isWhole || m_sink.diagnostics().rejected() == rejectedBefore)
        reject(DiagnosticCode::BadRecord, place, "the JSON of this record is malformed; what could be read of it was kept");
    if (isWhole)
        return true;
    m_cut = wasCut;
    m_stream.consume(std::size_t(end - m_stream.byte()));
    return true;
}

bool JsonRecords::takeText(std::string& text)
{
    text.clear();
    const JsonStream::Value value = nextValue(elementAtMost);
    if (value.extent == JsonStream::Extent::TooBig)
        return passLong();
    m_cut |= value.extent == JsonStream::Extent::Cut || (value.extent == JsonStream::Extent::None && m_stream.peek() == 0);
    if (value.extent != JsonStream::Extent::Complete)
        return false;
    text = value.text == "null" ? std::string_view() : value.text;
    m_stream.consume(value.text.size());
    return true;
}

bool JsonRecords::skipValue()
{
    const bool isPassed = m_stream.pass();
    m_cut |= !isPassed && m_stream.peek() == 0;
    return isPassed;
}

/// The value at the cursor, with what of its texts there is room for.
JsonStream::Value JsonRecords::nextValue(std::size_t limit, bool stopAtRecord)
{
    const JsonStream::Value value = m_stream.value(limit, stopAtRecord);
    const std::uint64_t fresh = m_stream.shortTexts() - std::exchange(m_shortTexts, m_stream.shortTexts());
    if (fresh != 0)
        m_sink.diagnostics().add(DiagnosticCode::SizeLimit, fresh,
            fmt::format("{}: a text is longer than {} MiB; its beginning was kept", m_place.text(), longestText >> 20));
    return value;
}

/// Leaves out what is no list, or holds no spans, where they are expected; null is nothing.
bool JsonRecords::passMisplaced()
{
    notePlace();
    const bool isNull = m_stream.ahead(4).substr(0, 4) == "null";
    const bool isPassed = skipValue();
    if (isPassed && !isNull && m_stream.peek() != 0) // else it is the beginning of what the end of the input has cut
        reject(DiagnosticCode::BadRecord, m_place, "a value stands where spans are expected; it was left out");
    return isPassed;
}

/// Leaves out a value that is too long to be held.
bool JsonRecords::passLong()
{
    reject(DiagnosticCode::SizeLimit, {m_stream.lineNumber(), m_stream.byte()}, "a value is longer than 256 MiB; it was left out");
    return skipValue();
}

} // namespace chokepoint
