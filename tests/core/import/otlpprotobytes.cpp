// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/import/otlpprotobytes.h"

#include "core/import/bytesource.h"
#include "core/import/otlpprotoreader.h"
#include "core/import/spansink.h"

namespace chokepoint::testkit {

std::string varintBytes(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
        bytes.push_back(char(value & 0x7f) | char(0x80));
    bytes.push_back(char(value));
    return bytes;
}

namespace {

std::string littleEndian(std::uint64_t value, std::size_t size)
{
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i)
        bytes.push_back(char(value >> (8 * i) & 0xff));
    return bytes;
}

std::string tag(std::uint32_t number, unsigned type)
{
    return varintBytes(std::uint64_t(number) << 3 | type);
}

} // namespace

std::string lengthField(std::uint32_t number, std::string_view content)
{
    return tag(number, 2) + varintBytes(content.size()) + std::string(content);
}

std::string varintField(std::uint32_t number, std::uint64_t value)
{
    return tag(number, 0) + varintBytes(value);
}

std::string fixed64Field(std::uint32_t number, std::uint64_t value)
{
    return tag(number, 1) + littleEndian(value, 8);
}

std::string fixed32Field(std::uint32_t number, std::uint32_t value)
{
    return tag(number, 5) + littleEndian(value, 4);
}

std::string bigEndianBytes(std::uint64_t value, std::size_t size)
{
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size && i < 8; ++i)
        bytes[size - 1 - i] = char(value >> (8 * i) & 0xff);
    return bytes;
}

std::string textAttribute(std::string_view key, std::string_view text)
{
    return lengthField(1, key) + lengthField(2, lengthField(1, text));
}

std::string spanBytes(std::uint64_t id, std::string_view name)
{
    return lengthField(1, bigEndianBytes(1, 16)) + lengthField(2, bigEndianBytes(id, 8)) + lengthField(5, name) + fixed64Field(7, 1000)
        + fixed64Field(8, 2000);
}

std::string requestBytes(const std::vector<std::string>& spans)
{
    std::string scopeSpans = lengthField(1, lengthField(1, "scope"));
    for (const std::string& span : spans)
        scopeSpans += lengthField(2, span);
    return requestOfScope(scopeSpans);
}

std::string requestOfScope(std::string_view scopeSpans)
{
    const std::string resource = lengthField(1, textAttribute("service.name", "svc"));
    return lengthField(1, lengthField(1, resource) + lengthField(2, scopeSpans));
}

ReadOutcome readOtlpProto(std::string_view bytes, std::size_t blockSize)
{
    ReadOutcome outcome;
    Dictionary dictionary;
    InputReport report;
    report.path = "bytes";
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const SpanRow row = batch.spans.row(i);
            DecodedSpan span;
            span.traceId = batch.traceId[i];
            span.spanId = row.spanId;
            span.parentId = row.parentId;
            span.start = row.start;
            span.end = row.end;
            span.kind = row.flags.kind();
            span.status = row.flags.status();
            span.timeOutOfRange = row.flags.has(SpanFlags::TimeOutOfRange);
            span.name = dictionary.text(row.name);
            span.payload = decodePayload(batch.payloadOf(i), row.start, dictionary.strings);
            span.resource = dictionary.resource(row.resource);
            span.scope = dictionary.scope(row.scope);
            outcome.spans.push_back(std::move(span));
        }
        return {};
    };
    const auto source = ByteSource::openMemory(bytes, blockSize);
    if (!source) {
        outcome.result = fail(source.error());
        return outcome;
    }
    const JobControl job;
    SpanSink sink(dictionary, deliver, job, (*source)->count(), report);
    outcome.result = createOtlpProtoReader()->read(**source, sink);
    if (Result<void> finished = sink.finish(); !finished && outcome.result)
        outcome.result = finished;
    outcome.diagnostics = report.diagnostics;
    return outcome;
}

} // namespace chokepoint::testkit
