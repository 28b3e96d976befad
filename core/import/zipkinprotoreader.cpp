// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/zipkinprotoreader.h"

#include "core/import/bytesource.h"
#include "core/import/framing.h"
#include "core/import/protowire.h"
#include "core/import/zipkinprotospan.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

/// One file being read.
class ZipkinProtoFile {
public:
    ZipkinProtoFile(ByteSource& bytes, SpanSink& sink) : m_stream(bytes), m_sink(sink), m_span(sink) { }

    [[nodiscard]] Result<void> read();

private:
    [[nodiscard]] Result<bool> readField();
    [[nodiscard]] Result<bool> readSpan(std::uint64_t size);
    void rejectCut();

    WireStream m_stream;
    SpanSink& m_sink;
    ZipkinProtoSpan m_span;
};

Result<void> ZipkinProtoFile::read()
{
    m_sink.beginRecord();
    for (bool goesOn = true; goesOn;) {
        const std::uint64_t at = m_stream.position();
        const Result<WireStep> step = m_stream.next(WireStream::untilEnd);
        if (!step)
            return fail(step.error());
        if (*step == WireStep::End)
            break;
        if (*step == WireStep::Malformed) {
            m_sink.diagnostics().reject(DiagnosticCode::BadRecord,
                [&] { return fmt::format("the list of spans is no valid protobuf from byte {} on; its rest is left out", at); });
            break;
        }
        if (*step == WireStep::Cut) {
            rejectCut();
            break;
        }
        const Result<bool> read = readField();
        if (!read)
            return fail(read.error());
        goesOn = *read;
    }
    if (m_sink.position() == 0 && m_sink.diagnostics().rejected() > 0)
        return fail(ErrorCode::Malformed, "no span could be read: " + m_sink.diagnostics().firstRejection());
    return {};
}

void ZipkinProtoFile::rejectCut()
{
    m_sink.diagnostics().reject(DiagnosticCode::TruncatedInput,
        [&] { return fmt::format("the input ends inside a record, at byte {}; all that comes before is kept", m_stream.position()); });
}

/// False when the stream ends inside the field.
Result<bool> ZipkinProtoFile::readField()
{
    const WireField field = m_stream.field();
    const std::uint64_t at = m_stream.position();
    if (field.number == 1 && field.type == WireType::Length && field.value <= WireStream::maxField)
        return readSpan(field.value);
    if (field.number == 1 && field.type == WireType::Length)
        m_sink.diagnostics().reject(
            DiagnosticCode::SizeLimit, [&] { return fmt::format("a span of {} bytes at byte {} is left out", field.value, at); });
    else if (field.number == 1)
        m_sink.diagnostics().report(DiagnosticCode::WireType,
            [&] { return fmt::format("a span at byte {} has another wire type than Zipkin gives it; it is skipped", at); });
    const Result<bool> skipped = m_stream.skip(field.type == WireType::Varint ? 0 : field.value);
    if (skipped && !*skipped)
        rejectCut();
    return skipped;
}

Result<bool> ZipkinProtoFile::readSpan(std::uint64_t size)
{
    const std::uint64_t at = m_stream.position();
    const Result<std::string_view> bytes = m_stream.take(size);
    if (!bytes)
        return fail(bytes.error());
    if (bytes->size() < size) {
        rejectCut();
        return false;
    }
    const ZipkinProtoSpan::Outcome outcome = m_span.decode(*bytes, at);
    if (outcome == ZipkinProtoSpan::Outcome::Damaged)
        m_sink.diagnostics().reject(
            DiagnosticCode::BadRecord, [&] { return fmt::format("the span at byte {} is damaged; it is left out", at); });
    if (outcome != ZipkinProtoSpan::Outcome::Read)
        return true;
    if (Result<void> added = m_sink.add(m_span.draft()); !added)
        return fail(std::move(added).error());
    return true;
}

class ZipkinProtoReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override { return ZipkinProtoFile(bytes, sink).read(); }
};

} // namespace

Sniffed sniffZipkinProto(std::string_view head, bool isWhole)
{
    return findFraming(head, isWhole).shape == ProtoShape::ZipkinSpans ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createZipkinProtoReader()
{
    return std::make_unique<ZipkinProtoReader>();
}

} // namespace chokepoint
