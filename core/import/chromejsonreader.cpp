// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromejsonreader.h"

#include "core/import/chromejsonevents.h"
#include "core/import/chromespans.h"
#include "core/import/decodenumber.h"
#include "core/import/jsonhead.h"
#include "core/import/textinput.h"

#include <array>

namespace chokepoint {

namespace {

constexpr std::size_t smallObject = std::size_t(256) << 10;
constexpr std::size_t longestText = std::size_t(64) << 20; // of one argument
constexpr std::size_t largestAttribute = std::size_t(64) << 10; // JSON of a member beside the events

/// One file being read.
class ChromeJsonFile {
public:
    ChromeJsonFile(PullBytes text, SpanSink& sink)
        : m_sink(sink), m_stream(std::move(text), longestText), m_collector(sink.dictionary(), sink.diagnostics(), m_place),
          m_events(m_stream, m_collector, sink, m_place), m_values(sink.writer(), sink.diagnostics(), m_place)
    {
    }

    Result<void> read();

private:
    void readText();
    void readObject();
    [[nodiscard]] bool isEvent();
    [[nodiscard]] bool readMember(const std::string& key);
    void readAttribute(const std::string& key, std::string_view json);
    void skipMember(const std::string& key);

    SpanSink& m_sink;
    JsonStream m_stream;
    RecordPlace m_place;
    ChromeCollector m_collector;
    ChromeJsonEvents m_events;
    JsonValues m_values;
    JsonDocument m_document;
    ChromeFile m_file;
    std::uint64_t m_textLines = 0;
    RecordPlace m_textPlace;
};

Result<void> ChromeJsonFile::read()
{
    while (const char first = m_stream.peek()) {
        if (first == '[')
            m_events.readList(true);
        else if (first == '{')
            readObject();
        else
            readText();
        if (m_events.failure())
            return fail(*m_events.failure());
    }
    m_sink.diagnostics().add(DiagnosticCode::NonJsonText, m_textLines, m_textPlace.text() + ": text that is no JSON was skipped");
    m_sink.diagnostics().add(DiagnosticCode::SizeLimit, m_stream.shortTexts(),
        fmt::format("a text is longer than {} MiB; its beginning was kept", longestText >> 20));
    if (m_stream.failure())
        return fail(*m_stream.failure());
    return addChromeSpans(m_collector, m_file, m_sink);
}

void ChromeJsonFile::readText()
{
    if (m_textLines++ == 0)
        m_textPlace = {m_stream.lineNumber(), m_stream.byte()};
    m_stream.skipLine();
}

/// An event that stands alone, such as in a file of one a line.
bool ChromeJsonFile::isEvent()
{
    const JsonStream::Value value = m_stream.value(smallObject);
    json::object object;
    Diagnostics seenAgain; // whatever is wrong is counted when the event is read
    if (value.extent != JsonStream::Extent::Complete || !m_document.open(value.text, seenAgain)
        || m_document.root().get_object().get(object) != simdjson::SUCCESS)
        return false;
    bool hasPhase = false;
    bool hasEvents = false;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        hasPhase |= rawKey(field) == "ph";
        hasEvents |= rawKey(field) == "traceEvents";
        return !hasEvents;
    });
    return isGood && hasPhase && !hasEvents;
}

void ChromeJsonFile::readObject()
{
    if (isEvent())
        return m_events.readOne();
    m_stream.consume(1);
    bool hasEvents = false;
    bool goesOn = true;
    while (goesOn && !m_events.failure()) {
        const char next = m_stream.peek();
        if (next == '}')
            return m_stream.consume(1);
        const std::optional<std::string> key = m_stream.key();
        hasEvents |= key == "traceEvents" && m_stream.peek() == '[';
        goesOn = key && readMember(*key);
    }
    if (!hasEvents && m_stream.reachesEnd())
        m_sink.diagnostics().reject(DiagnosticCode::TruncatedInput,
            [&] { return fmt::format("line {}: the input ends before the list of events", m_stream.lineNumber()); });
    if (m_stream.peek() != 0 && !m_events.failure())
        m_stream.skipLine();
}

/// False when the text goes on in a way that cannot be understood.
bool ChromeJsonFile::readMember(const std::string& key)
{
    if (key == "traceEvents" && m_stream.peek() == '[') {
        m_events.readList(false);
        return true;
    }
    const JsonStream::Value value = m_stream.value(largestAttribute);
    const std::size_t length = value.text.size();
    if (value.extent == JsonStream::Extent::None)
        return false;
    const bool isSmall = value.extent == JsonStream::Extent::Complete;
    if (isSmall && key == "baseTimeNanoseconds") {
        std::string scratch;
        const auto base = scaledInteger(tokenText(jsonToken(value.text), scratch), 0);
        if (base && !base->isOutOfRange)
            m_file.baseTime = base->value;
    } else if (isSmall && key != "displayTimeUnit" && key != "stackFrames" && key != "samples") {
        readAttribute(key, value.text);
    } else if (key != "displayTimeUnit") {
        skipMember(key);
        return true;
    }
    m_stream.consume(length);
    return true;
}

void ChromeJsonFile::readAttribute(const std::string& key, std::string_view json)
{
    std::string packed;
    json::value value;
    std::string scratch;
    m_sink.writer().setOutput(&packed);
    const std::string wrapped = "[" + std::string(json) + "]";
    json::array array;
    const bool isGood = m_document.openCopy(wrapped, m_sink.diagnostics()) && m_document.root().get_array().get(array) == simdjson::SUCCESS
        && forEachElement(array, [&](json::value& element) { return m_values.plainValue(element); });
    if (!isGood)
        return;
    PackedCursor cursor(packed);
    m_file.attributes.push_back({"chrome." + std::string(unescaped(key, scratch)), decodeValue(cursor, m_sink.dictionary().strings)});
}

/// Stack frames, samples and system traces can be as large as the events: passed over piece by piece.
void ChromeJsonFile::skipMember(const std::string& key)
{
    m_sink.diagnostics().report(DiagnosticCode::OtherSignal,
        [&] { return fmt::format("line {}: the member \"{}\" holds no spans; it was skipped", m_stream.lineNumber(), key); });
    (void)m_stream.pass();
}

class ChromeJsonReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override { return ChromeJsonFile(textInput(bytes), sink).read(); }
};

} // namespace

Sniffed sniffChromeJson(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isFile =
        json.has("traceEvents") || json.has("displayTimeUnit") || (json.has("schemaVersion") && json.has("deviceProperties"));
    const bool isEvent = json.has("ph") && (json.has("ts") || json.scalar("ph") == "M");
    return isFile || isEvent ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createChromeJsonReader()
{
    return std::make_unique<ChromeJsonReader>();
}

} // namespace chokepoint
