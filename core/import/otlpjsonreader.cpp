// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpjsonreader.h"

#include "core/import/jsonhead.h"
#include "core/import/jsonstream.h"
#include "core/import/otlpjsonrecord.h"
#include "core/import/textinput.h"

namespace chokepoint {

namespace {

constexpr std::size_t recordAtMost = std::size_t(8) << 20; // above that a value is opened and read by its elements
constexpr std::size_t elementAtMost = std::size_t(1) << 30; // of one span, resource or scope

/// One file being read. Functions that can stop early return false; why is in m_failure, m_cut or m_broken.
class OtlpJsonFile {
public:
    OtlpJsonFile(PullBytes text, SpanSink& sink) : m_sink(sink), m_stream(std::move(text)), m_record(sink, m_place) { }

    Result<void> read();

private:
    /// What an opened object has told about its spans so far.
    struct Opened {
        std::uint64_t from = 0;
        std::string resource;
        std::string scope;
        std::string schemaUrl;
        bool isResourceKnown = false;
        bool isScopeKnown = false;
        unsigned holds = 0; // spans wait for what is not known yet
    };

    [[nodiscard]] bool tryRecord(std::string_view text, OtlpLevel level);
    void giveUp(JsonStream::Value value);
    [[nodiscard]] bool openValue(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool openObject(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool openMember(const std::string& key, Opened& opened, unsigned depth);
    [[nodiscard]] bool openList(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool readElement(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool takeText(std::string& text);
    [[nodiscard]] bool skipValue();
    [[nodiscard]] bool close(Opened& opened);
    void rejectElement(DiagnosticCode code, const char* what);
    void notePlace() { m_place = {m_stream.lineNumber(), m_stream.byte()}; }
    void noteText();

    SpanSink& m_sink;
    JsonStream m_stream;
    RecordPlace m_place;
    OtlpJsonRecord m_record;
    OtlpContext m_context;
    std::uint64_t m_records = 0;
    std::uint64_t m_textLines = 0; // lines that are no JSON, since the last record
    std::string m_textPlace;
    std::optional<Error> m_failure;
    bool m_cut = false; // the file ends inside a value
    bool m_broken = false; // brackets, names and colons do not fit together
};

/// Adds the spans of a complete value; none of them when it turns out to be malformed.
bool OtlpJsonFile::tryRecord(std::string_view text, OtlpLevel level)
{
    const std::uint64_t from = m_sink.position();
    m_sink.hold();
    const bool isGood = m_record.read(text, level, m_context);
    if (!isGood)
        m_sink.rollback(from);
    if (m_record.failure())
        m_failure = m_record.failure();
    if (const auto released = m_sink.release(); !released && !m_failure)
        m_failure = released.error();
    return isGood && !m_failure;
}

void OtlpJsonFile::rejectElement(DiagnosticCode code, const char* what)
{
    m_sink.diagnostics().reject(code, [&] { return fmt::format("{}: {}", m_place.text(), what); });
}

/// Text between records is noise of other writers; behind the last one it is something else.
void OtlpJsonFile::noteText()
{
    if (m_textLines++ == 0)
        m_textPlace = RecordPlace{m_stream.lineNumber(), m_stream.byte()}.text();
}

Result<void> OtlpJsonFile::read()
{
    while (const char first = m_stream.peek()) {
        if (first != '{' && first != '[') {
            noteText();
            m_stream.skipLine();
            continue;
        }
        if (m_textLines != 0)
            m_sink.diagnostics().add(DiagnosticCode::NonJsonText, m_textLines, m_textPlace + ": text that is no JSON was skipped");
        m_textLines = 0;
        notePlace();
        m_sink.beginRecord();
        const JsonStream::Value line = m_stream.line(recordAtMost);
        const std::size_t lineLength = line.text.size();
        if (line.extent == JsonStream::Extent::Complete && tryRecord(line.text, OtlpLevel::Top)) {
            m_stream.consume(lineLength);
            ++m_records;
            continue;
        }
        if (m_failure)
            return fail(*m_failure);
        const JsonStream::Value value = m_stream.value(recordAtMost, m_records > 0);
        const bool isNew = line.extent != JsonStream::Extent::Complete || value.text.size() != lineLength;
        if (value.extent == JsonStream::Extent::Complete && isNew && tryRecord(value.text, OtlpLevel::Top)) {
            m_stream.consume(value.text.size());
            ++m_records;
            continue;
        }
        if (!m_failure)
            giveUp(value);
        if (m_failure)
            return fail(*m_failure);
    }
    if (m_textLines != 0)
        m_sink.diagnostics().add(DiagnosticCode::TrailingData, m_textLines, m_textPlace + ": text behind the last record was ignored");
    if (m_stream.failure())
        return fail(*m_stream.failure());
    const Diagnostics& faults = m_sink.diagnostics();
    if (m_sink.position() == 0 && faults.count(DiagnosticCode::OtherSignal) != 0 && faults.rejected() == 0)
        return fail(ErrorCode::UnsupportedFormat,
            "this file holds OTLP metrics, logs or profiles and no traces; export the traces pipeline instead");
    return {};
}

/// A record that cannot be taken whole: opened when it is large or the file's first, left out otherwise.
void OtlpJsonFile::giveUp(JsonStream::Value value)
{
    const bool isFirst = m_records++ == 0;
    if (value.extent == JsonStream::Extent::TooBig || isFirst) {
        m_cut = m_broken = false;
        const std::uint64_t rejectedBefore = m_sink.diagnostics().rejected();
        const bool isGood = openValue(OtlpLevel::Top, 0);
        if (isGood || m_failure)
            return;
        if (m_cut) {
            rejectElement(DiagnosticCode::TruncatedInput, "the file ends inside this record; what was complete before was kept");
            while (m_stream.skipToRecord()) { }
            return;
        }
        if (m_sink.diagnostics().rejected() == rejectedBefore)
            rejectElement(DiagnosticCode::BadRecord, "the JSON is malformed; what was complete before was kept");
        (void)m_stream.skipToRecord();
        return;
    }
    const RecordPlace place = m_place;
    if (value.extent == JsonStream::Extent::Complete) {
        rejectElement(DiagnosticCode::BadRecord, "the JSON of this record is malformed; it was left out");
        m_stream.consume(value.text.size());
        return;
    }
    const bool goesOn = m_stream.skipToRecord();
    m_place = place;
    if (goesOn)
        rejectElement(DiagnosticCode::BadRecord, "this record ends in the middle; it was left out");
    else
        rejectElement(DiagnosticCode::TruncatedInput, "the file ends inside this record; the record was left out");
}

bool OtlpJsonFile::openValue(OtlpLevel level, unsigned depth)
{
    constexpr unsigned deepest = 8; // wrappers and levels of OTLP together
    const char first = m_stream.peek();
    m_cut = first == 0;
    if (m_cut || depth > deepest || (first != '{' && first != '[')) {
        m_broken = !m_cut;
        return false;
    }
    return first == '{' ? openObject(level, depth) : openList(level, depth);
}

bool OtlpJsonFile::openObject(OtlpLevel level, unsigned depth)
{
    m_stream.consume(1);
    const OtlpContext outer = m_context;
    Opened opened;
    opened.from = m_sink.position();
    opened.isResourceKnown = level != OtlpLevel::Top && level != OtlpLevel::ResourceSpans;
    bool isGood = true;
    while (isGood) {
        const char next = m_stream.peek();
        m_cut |= next == 0;
        if (next == 0 || next == '}') {
            isGood = next == '}';
            break;
        }
        const std::optional<std::string> key = m_stream.key();
        m_cut |= !key && m_stream.peek() == 0;
        m_broken |= !key;
        isGood = key && openMember(*key, opened, depth);
    }
    if (isGood)
        m_stream.consume(1);
    m_context = outer;
    return close(opened) && isGood;
}

bool OtlpJsonFile::openMember(const std::string& key, Opened& opened, unsigned depth)
{
    std::string text;
    switch (otlpMember(key)) {
    case OtlpMember::Batches: m_sink.setFormat("tempo-json"); [[fallthrough]];
    case OtlpMember::ResourceSpansList: return openList(OtlpLevel::ResourceSpans, depth + 1);
    case OtlpMember::Wrapper: return readElement(OtlpLevel::Top, depth + 1);
    case OtlpMember::ScopeSpansList:
    case OtlpMember::LegacyScopeSpansList:
        if (!opened.isResourceKnown && opened.resource.empty()) {
            ++opened.holds;
            m_sink.hold();
        }
        return openList(OtlpLevel::ScopeSpans, depth + 1);
    case OtlpMember::SpanList:
        if (!opened.isScopeKnown) {
            ++opened.holds;
            m_sink.hold();
        }
        return openList(OtlpLevel::Span, depth + 1);
    case OtlpMember::Resource:
        if (!takeText(opened.resource))
            return false;
        m_context.resource = m_record.parts().resource(opened.resource, opened.schemaUrl);
        return true;
    case OtlpMember::Scope:
        if (!takeText(opened.scope))
            return false;
        m_context.scope = m_record.parts().scope(opened.scope, opened.schemaUrl);
        opened.isScopeKnown = true;
        return true;
    case OtlpMember::SchemaUrl: {
        if (!takeText(text))
            return false;
        std::string scratch;
        opened.schemaUrl = tokenText(jsonToken(text), scratch);
        return true;
    }
    case OtlpMember::OtherSignal:
        m_sink.diagnostics().report(
            DiagnosticCode::OtherSignal, [&] { return fmt::format("{}: {} are no traces; left out", m_place.text(), key); });
        return skipValue();
    case OtlpMember::SpanId:
    case OtlpMember::Other: return skipValue();
    }
    return skipValue();
}

/// Gives the spans that waited what was found out in the meantime.
bool OtlpJsonFile::close(Opened& opened)
{
    if (opened.holds == 0)
        return true;
    if (!opened.resource.empty())
        m_sink.setResource(opened.from, m_record.parts().resource(opened.resource, opened.schemaUrl));
    if (!opened.scope.empty())
        m_sink.setScope(opened.from, m_record.parts().scope(opened.scope, opened.schemaUrl));
    for (; opened.holds > 0; --opened.holds) {
        if (const auto released = m_sink.release(); !released) {
            m_failure = released.error();
            return false;
        }
    }
    return true;
}

bool OtlpJsonFile::openList(OtlpLevel level, unsigned depth)
{
    if (m_stream.peek() != '[')
        return skipValue();
    m_stream.consume(1);
    while (true) {
        const char next = m_stream.peek();
        if (next == 0) {
            m_cut = true;
            return false;
        }
        if (next == ']') {
            m_stream.consume(1);
            return true;
        }
        if (!readElement(level, depth))
            return false;
    }
}

/// One element of a list, or the value of a wrapper: whole when it is small and well-formed, else opened in its turn.
bool OtlpJsonFile::readElement(OtlpLevel level, unsigned depth)
{
    notePlace();
    const bool isSpan = level == OtlpLevel::Span;
    const JsonStream::Value value = m_stream.value(isSpan ? elementAtMost : recordAtMost);
    const bool isContainer = !value.text.empty() && (value.text.front() == '{' || value.text.front() == '[');
    if (value.extent == JsonStream::Extent::Complete) {
        const std::size_t length = value.text.size();
        if (!isContainer || tryRecord(value.text, level)) {
            m_stream.consume(length);
            return true;
        }
        if (m_failure)
            return false;
        if (isSpan) {
            rejectElement(DiagnosticCode::BadRecord, "the JSON of this span is malformed; it was left out");
            m_stream.consume(length);
            return true;
        }
    }
    if (value.extent == JsonStream::Extent::Cut && (isSpan || !isContainer)) {
        m_cut = true;
        return false;
    }
    if (value.extent == JsonStream::Extent::None || isSpan) {
        m_broken = true;
        return false;
    }
    return openValue(level, depth);
}

bool OtlpJsonFile::takeText(std::string& text)
{
    const JsonStream::Value value = m_stream.value(elementAtMost);
    m_cut |= value.extent == JsonStream::Extent::Cut;
    m_broken |= value.extent == JsonStream::Extent::None || value.extent == JsonStream::Extent::TooBig;
    if (value.extent != JsonStream::Extent::Complete)
        return false;
    text = value.text == "null" ? std::string_view() : value.text;
    m_stream.consume(value.text.size());
    return true;
}

bool OtlpJsonFile::skipValue()
{
    std::string text;
    return takeText(text);
}

class OtlpJsonReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override { return OtlpJsonFile(textInput(bytes), sink).read(); }
};

} // namespace

Sniffed sniffOtlpJson(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool hasList = json.hasAll({"resourceSpans"}) || json.hasAll({"resource_spans"}) || json.hasAll({"batches"});
    const bool hasPart = json.hasAll({"scopeSpans"}) || json.hasAll({"scope_spans"}) || json.hasAll({"instrumentationLibrarySpans"})
        || json.hasAll({"scope", "spans"});
    const bool hasSpan = json.hasAll({"spanId", "startTimeUnixNano"}) || json.hasAll({"span_id", "start_time_unix_nano"});
    const bool hasOther = json.hasAll({"resourceMetrics"}) || json.hasAll({"resourceLogs"}) || json.hasAll({"resourceProfiles"});
    return hasList || hasPart || hasSpan || hasOther ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createOtlpJsonReader()
{
    return std::make_unique<OtlpJsonReader>();
}

} // namespace chokepoint
