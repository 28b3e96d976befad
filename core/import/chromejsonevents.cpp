// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromejsonevents.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

constexpr std::size_t batchSize = std::size_t(128) << 10; // stays in the cache
constexpr std::size_t smallestBatch = std::size_t(4) << 10;
constexpr std::size_t padding = 64;
constexpr std::size_t firstLimit = std::size_t(256) << 10; // of one event, before it is looked at whether its quotes are broken
constexpr std::size_t lastLimit = std::size_t(256) << 20;
constexpr std::size_t lookBehind = std::size_t(16) << 10; // how far behind a malformed event the next one is looked for
constexpr unsigned singlesAfterFault = 32;
constexpr std::size_t checkpointEvery = std::size_t(8) << 20; // bytes between looks at whether the user cancelled

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::size_t skipSpace(std::string_view text, std::size_t at)
{
    while (at < text.size() && isSpace(text[at]))
        ++at;
    return at;
}

/// Whether an object that begins at \a at begins like an event: with one of the names that members of events have.
bool looksLikeEvent(std::string_view text, std::size_t at)
{
    constexpr std::array<std::string_view, 14> names = {
        "ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id", "tts", "tdur", "s", "bp", "id2"};
    at = skipSpace(text, at + 1);
    if (at >= text.size() || text[at] != '"')
        return false;
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos || end - at > 8)
        return false;
    const std::size_t colon = skipSpace(text, end + 1);
    return colon < text.size() && text[colon] == ':'
        && std::find(names.begin(), names.end(), text.substr(at + 1, end - at - 1)) != names.end();
}

/// Where behind \a from an event seems to begin: behind "}," or at the start of a line.
std::size_t findEvent(std::string_view text, std::size_t from)
{
    for (std::size_t at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
        std::size_t before = at;
        bool isLineStart = false;
        while (before > 0 && isSpace(text[before - 1]))
            isLineStart |= text[--before] == '\n';
        const bool hasComma = before > 0 && text[before - 1] == ',';
        before -= hasComma ? 1 : 0;
        while (before > 0 && isSpace(text[before - 1]))
            --before;
        const bool isBehindObject = hasComma && before > 0 && text[before - 1] == '}';
        if ((isLineStart || isBehindObject) && looksLikeEvent(text, at))
            return at;
    }
    return std::string_view::npos;
}

/// The same for text that may be another member of the file, with objects of its own: those have no phase.
std::size_t findEventBehind(std::string_view text, std::size_t from)
{
    std::size_t at = findEvent(text, from);
    while (at != std::string_view::npos && text.substr(at, smallestBatch).find("\"ph\"") == std::string_view::npos)
        at = findEvent(text, at + 1);
    return at;
}

/// Length of the text up to and with the last "}" before a comma; 0 when there is none.
std::size_t lengthOfWhole(std::string_view text)
{
    for (std::size_t comma = text.rfind(','); comma != std::string_view::npos && comma > 0; comma = text.rfind(',', comma - 1)) {
        std::size_t end = comma;
        while (end > 0 && isSpace(text[end - 1]))
            --end;
        if (end > 0 && text[end - 1] == '}')
            return end;
    }
    return 0;
}

} // namespace

ChromeJsonEvents::ChromeJsonEvents(JsonStream& stream, ChromeCollector& collector, SpanSink& sink, RecordPlace& place)
    : m_stream(stream), m_collector(collector), m_sink(sink), m_place(place),
      m_reader(sink.dictionary().strings, sink.writer(), sink.diagnostics(), m_place)
{
}

void ChromeJsonEvents::reject(DiagnosticCode code, const char* what)
{
    m_sink.diagnostics().reject(code, [&] { return fmt::format("{}: {}", m_place.text(), what); });
}

void ChromeJsonEvents::add()
{
    // What seems to be an event behind a fault may be an argument of the broken one.
    if (m_isResyncing && m_event.phase == 0)
        return;
    m_isResyncing = false;
    if (auto added = m_collector.add(m_event); !added)
        m_failure = added.error();
}

void ChromeJsonEvents::readList(bool mayStayOpen)
{
    m_stream.consume(1);
    m_isDamaged = m_isResyncing = false;
    m_singles = 0;
    while (!m_failure) {
        const char next = m_stream.peek();
        if (next == 0) {
            if (!mayStayOpen)
                reportOpenList();
            return;
        }
        if (next == ']' || next == '}') {
            const bool isMissing = next == '}' && !m_isDamaged;
            if (goesOnBehindBracket())
                continue;
            if (isMissing)
                reportOpenList();
            else if (next == ']')
                m_stream.consume(1);
            return;
        }
        if (m_singles == 0 && readBatch())
            continue;
        m_singles -= m_singles > 0 ? 1 : 0;
        readOne();
    }
}

void ChromeJsonEvents::reportOpenList()
{
    m_sink.diagnostics().report(DiagnosticCode::UnterminatedArray, "the list of events is not closed; all of it was read");
}

/// In a damaged list a bracket may belong to what was given up: events behind it are read.
bool ChromeJsonEvents::goesOnBehindBracket()
{
    if (!m_isDamaged)
        return false;
    const std::string_view text = m_stream.ahead(smallestBatch).substr(0, smallestBatch);
    const std::size_t at = std::min(text.find_first_not_of(" \r\n\t,]}"), text.size());
    if (at == text.size() || text[at] != '{' || !looksLikeEvent(text, at))
        return false;
    m_stream.consume(at);
    return true;
}

/// As many events as are well-formed in the next stretch of text; false when there is none. Text is cut behind what looks like the
/// end of an event; when that was no end, the last event is malformed and is read again alone.
bool ChromeJsonEvents::readBatch()
{
    const std::string_view text = m_stream.ahead(batchSize).substr(0, batchSize);
    const std::size_t length = text.size() < smallestBatch ? 0 : lengthOfWhole(text);
    if (length == 0)
        return false;
    notePlace();
    m_batch.assign(1, '[').append(text.substr(0, length)).push_back(']');
    const std::size_t size = m_batch.size();
    m_batch.append(padding, ' ');
    json::document document;
    std::size_t done = 0;
    const bool isGood =
        m_parser.iterate(simdjson::padded_string_view(m_batch.data(), size, size + padding)).get(document) == simdjson::SUCCESS
        && readElements(document, done);
    if (!isGood)
        m_singles = done == 0 ? singlesAfterFault : 1;
    m_stream.consume(done);
    m_sinceCheckpoint += done;
    if (m_sinceCheckpoint >= checkpointEvery) {
        m_sinceCheckpoint = 0;
        if (auto checked = m_sink.checkpoint(); !checked)
            m_failure = checked.error();
    }
    return done != 0;
}

/// \a done is the length of the events that were read, without the opening bracket. The list may end before the text does.
bool ChromeJsonEvents::readElements(json::document& document, std::size_t& done)
{
    json::array array;
    return document.get_array().get(array) == simdjson::SUCCESS && forEachElement(array, [&](json::value& element) {
        json::object object;
        if (tokenOf(element).kind != JsonKind::Object || element.get_object().get(object) != simdjson::SUCCESS
            || !m_reader.read(object, m_event))
            return false;
        add();
        const char* behind = nullptr;
        if (document.current_location().get(behind) != simdjson::SUCCESS)
            return false;
        done = std::size_t(behind - m_batch.data() - 1);
        return !m_failure;
    });
}

bool ChromeJsonEvents::readWhole(std::string_view text)
{
    json::object object;
    return m_document.open(text, m_sink.diagnostics()) && m_document.root().get_object().get(object) == simdjson::SUCCESS
        && m_reader.read(object, m_event) && m_document.root().current_location().error() == simdjson::OUT_OF_BOUNDS;
}

void ChromeJsonEvents::readOne()
{
    notePlace();
    JsonStream::Value value = m_stream.value(firstLimit);
    for (std::size_t limit = firstLimit; value.extent == JsonStream::Extent::TooBig && limit < lastLimit;) {
        if (findEvent(value.text, 1) != std::string_view::npos)
            break; // quotes that do not match swallow event after event
        limit = std::min(limit * 8, lastLimit);
        value = m_stream.value(limit);
    }
    if (value.extent != JsonStream::Extent::Complete)
        return giveUp(value);
    if (value.text.front() != '{') {
        if (value.text != "null")
            reject(DiagnosticCode::BadRecord, "an element that is no object is no event; it was left out");
        return m_stream.consume(value.text.size());
    }
    if (!readWhole(value.text))
        return giveUp(value);
    add();
    m_stream.consume(value.text.size());
}

/// Where its quotes do not match, the end of a value by its brackets means little: the next event is looked for inside, and behind.
void ChromeJsonEvents::giveUp(JsonStream::Value value)
{
    m_isDamaged = m_isResyncing = true;
    m_singles = singlesAfterFault;
    const std::size_t length = value.text.size();
    const bool isComplete = value.extent == JsonStream::Extent::Complete;
    std::size_t next = findEvent(value.text, 1);
    if (next == std::string_view::npos && isComplete)
        next = findEventBehind(m_stream.ahead(length + lookBehind).substr(0, length + lookBehind), length);
    if (next == std::string_view::npos && value.extent == JsonStream::Extent::Cut)
        reject(DiagnosticCode::TruncatedInput, "the input ends inside this event; those before it were kept");
    else if (next == std::string_view::npos && value.extent == JsonStream::Extent::TooBig)
        reject(DiagnosticCode::SizeLimit, "the event is longer than 256 MiB; it was left out");
    else
        reject(DiagnosticCode::BadRecord, "the JSON of this event is malformed; the event was left out");
    if (next != std::string_view::npos)
        return m_stream.consume(next);
    if (isComplete)
        return m_stream.consume(length);
    m_stream.consume(1);
    dropUntilEvent();
}

void ChromeJsonEvents::dropUntilEvent()
{
    constexpr std::size_t step = std::size_t(1) << 20;
    constexpr std::size_t overlap = std::size_t(4) << 10; // an event may begin at the end of what is seen
    while (true) {
        const std::string_view text = m_stream.ahead(step);
        const std::size_t next = findEvent(text, 0);
        if (next != std::string_view::npos)
            return m_stream.consume(next);
        if (text.size() < step)
            return m_stream.consume(text.size());
        m_stream.consume(text.size() - overlap);
    }
}

} // namespace chokepoint
