// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpjsonreader.h"

#include "core/import/jsonhead.h"
#include "core/import/jsonrecords.h"
#include "core/import/otlpjsonrecord.h"
#include "core/import/textinput.h"

namespace chokepoint {

namespace {

constexpr unsigned deepest = 8; // wrappers and levels of OTLP together

/// One file being read; the walk into large and broken records.
class OtlpJsonFile {
public:
    OtlpJsonFile(PullBytes text, SpanSink& sink, const RecordPlace& start)
        : m_sink(sink), m_records(std::move(text), sink), m_record(sink, m_records.place())
    {
        m_records.startAt(start);
    }

    Result<void> read();
    [[nodiscard]] const RecordPlace& completeTo() const { return m_records.completeTo(); }

private:
    /// What an opened object has told about its spans so far.
    struct Opened {
        std::uint64_t from = 0;
        OtlpLevel level = OtlpLevel::Top;
        std::string resource;
        std::string scope;
        std::string schemaUrl;
        std::string status; // JSON
        std::string message;
        unsigned holds = 0; // lists of spans that wait for a resource or scope behind them
    };

    [[nodiscard]] bool readText(std::string_view text, OtlpLevel level);
    [[nodiscard]] bool openValue(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool openObject(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool openMember(const std::string& key, Opened& opened, unsigned depth);
    [[nodiscard]] bool openList(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool element(OtlpLevel level, unsigned depth);
    [[nodiscard]] bool close(Opened& opened);
    void hold(Opened& opened);

    SpanSink& m_sink;
    JsonRecords m_records;
    OtlpJsonRecord m_record;
    OtlpContext m_context;
};

Result<void> OtlpJsonFile::read()
{
    const Result<void> read = m_records.read(
        [this](std::string_view text) { return readText(text, OtlpLevel::Top); }, [this] { return openValue(OtlpLevel::Top, 0); });
    if (!read)
        return read;
    const Diagnostics& faults = m_sink.diagnostics();
    if (m_sink.position() == 0 && faults.count(DiagnosticCode::OtherSignal) != 0 && faults.rejected() == 0)
        return fail(ErrorCode::UnsupportedFormat,
            "this file holds OTLP metrics, logs or profiles and no traces; export the traces pipeline instead");
    return {};
}

bool OtlpJsonFile::readText(std::string_view text, OtlpLevel level)
{
    if (m_record.read(text, level, m_context))
        return true;
    if (m_record.failure())
        m_records.setFailure(*m_record.failure());
    return false;
}

bool OtlpJsonFile::element(OtlpLevel level, unsigned depth)
{
    const auto readWhole = [this, level](std::string_view text) { return readText(text, level); };
    if (level == OtlpLevel::Span)
        return m_records.element(readWhole);
    return m_records.element(readWhole, [this, level, depth] { return openValue(level, depth); });
}

bool OtlpJsonFile::openValue(OtlpLevel level, unsigned depth)
{
    if (depth > deepest)
        return false;
    return m_records.peek() == '[' ? openList(level, depth + 1) : openObject(level, depth);
}

bool OtlpJsonFile::openList(OtlpLevel level, unsigned depth)
{
    return m_records.list([this, level, depth] { return element(level, depth); });
}

bool OtlpJsonFile::openObject(OtlpLevel level, unsigned depth)
{
    const OtlpContext outer = m_context;
    Opened opened;
    opened.from = m_sink.position();
    opened.level = level;
    bool isContainer = false; // else a span, which had to be read whole and could not
    const bool isGood = m_records.object([&](const std::string& key) {
        const OtlpMember member = otlpMember(key);
        isContainer |= member != OtlpMember::Other && member != OtlpMember::SpanId;
        return openMember(key, opened, depth);
    });
    m_context = outer;
    return close(opened) && isGood && isContainer;
}

void OtlpJsonFile::hold(Opened& opened)
{
    ++opened.holds;
    m_sink.hold();
}

bool OtlpJsonFile::openMember(const std::string& key, Opened& opened, unsigned depth)
{
    switch (otlpMember(key)) {
    case OtlpMember::Batches: m_sink.setFormat("tempo-json"); [[fallthrough]];
    case OtlpMember::ResourceSpansList: return openList(OtlpLevel::ResourceSpans, depth + 1);
    case OtlpMember::Wrapper:
        if (key == "trace")
            m_sink.setFormat("tempo-json");
        return element(OtlpLevel::Top, depth + 1);
    case OtlpMember::ScopeSpansList:
    case OtlpMember::LegacyScopeSpansList:
        if (opened.resource.empty())
            hold(opened);
        return openList(OtlpLevel::ScopeSpans, depth + 1);
    case OtlpMember::SpanList:
        if (opened.scope.empty())
            hold(opened);
        return openList(OtlpLevel::Span, depth + 1);
    case OtlpMember::Resource:
        if (!m_records.takeText(opened.resource))
            return false;
        m_context.resource = m_record.parts().resource(opened.resource, opened.schemaUrl);
        return true;
    case OtlpMember::Scope:
        if (!m_records.takeText(opened.scope))
            return false;
        m_context.scope = m_record.parts().scope(opened.scope, opened.schemaUrl);
        return true;
    case OtlpMember::SchemaUrl: {
        std::string text;
        std::string scratch;
        const bool isGood = m_records.takeText(text);
        opened.schemaUrl = text.empty() ? std::string_view() : tokenText(jsonToken(text), scratch);
        // Waiting for it would keep all spans of the record in memory.
        if (!opened.schemaUrl.empty() && opened.holds == 0 && m_sink.position() != opened.from)
            m_sink.diagnostics().report(DiagnosticCode::BadAttributes, [&] {
                return fmt::format("{}: a schema URL behind the spans of a record that is too long to be read at once; left out",
                    m_records.place().text());
            });
        return isGood;
    }
    case OtlpMember::OtherSignal:
        m_sink.diagnostics().report(
            DiagnosticCode::OtherSignal, [&] { return fmt::format("{}: {} are no traces; left out", m_records.place().text(), key); });
        break;
    case OtlpMember::SpanId:
    case OtlpMember::Other:
        if (opened.level == OtlpLevel::Top && (key == "status" || key == "message"))
            return m_records.takeText(key == "status" ? opened.status : opened.message);
        break;
    }
    return m_records.skipValue();
}

/// Gives the spans that waited what was found out in the meantime.
bool OtlpJsonFile::close(Opened& opened)
{
    if (opened.status == "\"PARTIAL\"") {
        std::string scratch;
        m_record.reportPartial(tokenText(jsonToken(opened.message), scratch));
    }
    if (opened.holds == 0)
        return true;
    if (!opened.resource.empty())
        m_sink.setResource(opened.from, m_record.parts().resource(opened.resource, opened.schemaUrl));
    if (!opened.scope.empty())
        m_sink.setScope(opened.from, m_record.parts().scope(opened.scope, opened.schemaUrl));
    bool isGood = true;
    for (; opened.holds > 0; --opened.holds) {
        if (const auto released = m_sink.release(); !released) {
            m_records.setFailure(released.error());
            isGood = false;
        }
    }
    return isGood;
}

class OtlpJsonReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        const bool isPlain = isPlainText(bytes);
        OtlpJsonFile file(textInput(bytes), sink, bytes.start());
        const auto read = file.read();
        if (read && isPlain)
            sink.setResume(file.completeTo());
        return read;
    }
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
