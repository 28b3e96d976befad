// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/zipkinjsonreader.h"

#include "core/import/jsonhead.h"
#include "core/import/jsonrecords.h"
#include "core/import/textinput.h"
#include "core/import/zipkinjsonrecord.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

constexpr unsigned deepest = 6; // lists and wrappers around a span

/// One file being read; the walk into large and broken records.
class ZipkinJsonFile {
public:
    ZipkinJsonFile(PullBytes text, SpanSink& sink) : m_records(std::move(text), sink), m_record(sink, m_records.place()) { }

    Result<void> read()
    {
        return m_records.read([this](std::string_view text) { return readText(text); }, [this] { return openValue(0); });
    }

private:
    [[nodiscard]] bool readText(std::string_view text);
    [[nodiscard]] bool openValue(unsigned depth);
    [[nodiscard]] bool element(unsigned depth, bool isInList);

    JsonRecords m_records;
    ZipkinJsonRecord m_record;
};

bool ZipkinJsonFile::readText(std::string_view text)
{
    const bool isGood = m_record.read(text);
    if (m_record.failure())
        m_records.setFailure(*m_record.failure());
    return isGood && !m_record.failure();
}

/// Lists are walked into; in a list an object is a span or a document around one, and taken whole.
bool ZipkinJsonFile::element(unsigned depth, bool isInList)
{
    const auto whole = [this](std::string_view text) { return readText(text); };
    if (isInList && m_records.peek() == '{')
        return m_records.element(whole);
    return m_records.element(whole, [this, depth] { return openValue(depth); });
}

bool ZipkinJsonFile::openValue(unsigned depth)
{
    if (depth > deepest)
        return false;
    if (m_records.peek() == '[')
        return m_records.list([this, depth] { return element(depth + 1, true); });
    bool isWrapper = false; // else a span, which had to be read whole and could not
    const bool isWhole = m_records.object([&](const std::string& key) {
        isWrapper |= isZipkinWrapper(key);
        return isZipkinWrapper(key) ? element(depth + 1, false) : m_records.skipValue();
    });
    return isWhole && isWrapper;
}

class ZipkinJsonReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override { return ZipkinJsonFile(textInput(bytes), sink).read(); }
};

constexpr std::array<std::string_view, 10> zipkinMembers = {
    "localEndpoint", "remoteEndpoint", "timestamp", "duration", "kind", "annotations", "binaryAnnotations", "tags", "parentId", "name"};
/// Members beside "traceId" and "id" that other formats have and Zipkin does not.
constexpr std::array<std::string_view, 7> otherMembers = {
    "attributes", "spanId", "startTime", "start_time", "trace_id", "spans", "observations"};

} // namespace

Sniffed sniffZipkinJson(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const auto hasBeside = [&](std::string_view name) { return json.hasAll({"traceId", "id", name}); };
    const bool isZipkin = std::any_of(zipkinMembers.begin(), zipkinMembers.end(), hasBeside)
        && std::none_of(otherMembers.begin(), otherMembers.end(), hasBeside);
    return isZipkin ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createZipkinJsonReader()
{
    return std::make_unique<ZipkinJsonReader>();
}

} // namespace chokepoint
