// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jaegerjsonreader.h"

#include "core/import/jaegerjsonrecord.h"
#include "core/import/jsonhead.h"
#include "core/import/jsonrecords.h"
#include "core/import/textinput.h"

namespace chokepoint {

namespace {

constexpr unsigned deepest = 6; // wrappers around a trace

/// One file being read; the walk into large and broken records.
class JaegerJsonFile {
public:
    JaegerJsonFile(PullBytes text, SpanSink& sink) : m_records(std::move(text), sink), m_record(sink, m_records.place()) { }

    Result<void> read()
    {
        return m_records.read([this](std::string_view text) { return checked(m_record.read(text)); }, [this] { return openValue(0); });
    }

private:
    [[nodiscard]] bool checked(bool isGood);
    [[nodiscard]] bool openValue(unsigned depth);
    [[nodiscard]] bool openObject(unsigned depth);
    [[nodiscard]] bool element(unsigned depth);

    JsonRecords m_records;
    JaegerJsonRecord m_record;
};

bool JaegerJsonFile::checked(bool isGood)
{
    if (m_record.failure())
        m_records.setFailure(*m_record.failure());
    return isGood && !m_record.failure();
}

bool JaegerJsonFile::element(unsigned depth)
{
    return m_records.element(
        [this](std::string_view text) { return checked(m_record.read(text)); }, [this, depth] { return openValue(depth); });
}

bool JaegerJsonFile::openValue(unsigned depth)
{
    if (depth > deepest)
        return false;
    if (m_records.peek() == '[')
        return m_records.list([this, depth] { return element(depth + 1); });
    return openObject(depth);
}

/// A wrapper or a trace; which one shows when its members come. False for anything else: it had to be read whole and could not.
bool JaegerJsonFile::openObject(unsigned depth)
{
    std::string processes;
    bool isTrace = false;
    bool isWrapper = false;
    const bool isWhole = m_records.object([&](const std::string& key) {
        if (key == "data" || key == "hits" || key == "result" || key == "_source") {
            isWrapper = true;
            return element(depth + 1);
        }
        if (key == "processes")
            return m_records.takeText(processes);
        if (key != "spans")
            return m_records.skipValue();
        if (!isTrace)
            m_record.beginTrace();
        isTrace = true;
        return m_records.list(
            [this] { return m_records.element([this](std::string_view text) { return checked(m_record.readSpan(text)); }); });
    });
    return (isTrace ? checked(m_record.endTrace(processes)) : isWrapper) && isWhole;
}

class JaegerJsonReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override { return JaegerJsonFile(textInput(bytes), sink).read(); }
};

} // namespace

Sniffed sniffJaegerJson(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isTrace = json.hasAll({"traceID", "spans"}) || json.hasAll({"spans", "processes"}) || json.hasAll({"spans[].operationName"});
    const bool isSpan = json.hasAll({"traceID", "spanID", "operationName"}) || json.hasAll({"traceId", "spanId", "operationName"});
    const bool isEmptyAnswer = json.hasAll({"data", "total", "limit", "offset"}) && json.scalar("errors") == "null";
    return isTrace || isSpan || isEmptyAnswer ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createJaegerJsonReader()
{
    return std::make_unique<JaegerJsonReader>();
}

} // namespace chokepoint
