// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpprotoreader.h"

#include "core/import/bytesource.h"
#include "core/import/formats.h"
#include "core/import/framing.h"
#include "core/import/otlpjsonreader.h"
#include "core/import/otlpprotomessages.h"
#include "core/import/spansink.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace chokepoint {

namespace {

constexpr std::size_t sniffedBytes = 256 << 10;

class OtlpProtoReader : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override;

private:
    [[nodiscard]] Result<Walked> readFrames(WireStream& stream, SpanSink& sink, Framing framing);
    [[nodiscard]] Result<Walked> readFrame(OtlpProtoMessages& messages, WireStream& stream, SpanSink& sink, std::uint64_t length);
    [[nodiscard]] Result<void> readWhole(std::string_view payload, SpanSink& sink, std::uint64_t offset);
    [[nodiscard]] Result<void> readJson(ByteSource& bytes, SpanSink& sink, std::uint64_t offset);
    void noteSignal(const OtlpProtoMessages& messages);

    ProtoShape m_otherSignal = ProtoShape::Unknown;
};

tl::unexpected<Error> refused(ProtoShape shape)
{
    return fail(ErrorCode::UnsupportedFormat,
        fmt::format("the file holds {}, not OTLP traces; {}", protoShapeName(shape), protoShapeAdvice(shape)));
}

bool isJson(std::string_view payload)
{
    return !payload.empty() && (payload.front() == '{' || payload.front() == '[');
}

Result<void> OtlpProtoReader::read(ByteSource& bytes, SpanSink& sink)
{
    WireStream stream(bytes);
    const Result<std::string_view> head = stream.peek(sniffedBytes);
    if (!head)
        return fail(head.error());
    const FoundFraming found = findFraming(*head, head->size() < sniffedBytes);
    if (found.shape == ProtoShape::ZipkinSpans || found.shape == ProtoShape::Pprof || found.shape == ProtoShape::Perfetto)
        return refused(found.shape);
    Result<Walked> walked = Walked::Whole;
    if (found.framing == Framing::None) {
        OtlpProtoMessages messages(stream, sink);
        walked = messages.readMessage(WireStream::untilEnd);
        noteSignal(messages);
    } else {
        walked = readFrames(stream, sink, found.framing);
    }
    if (!walked)
        return fail(walked.error());
    if (*walked == Walked::Cut)
        sink.diagnostics().reject(DiagnosticCode::TruncatedInput,
            [&] { return fmt::format("the input ends inside a record, at byte {}; all that comes before is kept", stream.position()); });
    if (sink.position() > 0)
        return {};
    if (sink.diagnostics().rejected() > 0)
        return fail(ErrorCode::Malformed, "no span could be read: " + sink.diagnostics().firstRejection());
    if (m_otherSignal != ProtoShape::Unknown)
        return refused(m_otherSignal);
    return {};
}

void OtlpProtoReader::noteSignal(const OtlpProtoMessages& messages)
{
    if (m_otherSignal == ProtoShape::Unknown)
        m_otherSignal = messages.otherSignal();
}

Result<Walked> OtlpProtoReader::readFrames(WireStream& stream, SpanSink& sink, Framing framing)
{
    OtlpProtoMessages messages(stream, sink);
    Result<Walked> walked = Walked::Whole;
    while (walked && *walked == Walked::Whole) {
        const std::uint64_t at = stream.position();
        std::uint64_t length = 0;
        const Result<FrameStep> step = nextFrame(stream, framing, length);
        if (!step)
            return fail(step.error());
        if (*step == FrameStep::End)
            break;
        if (*step == FrameStep::Cut)
            return Walked::Cut;
        if (*step == FrameStep::Malformed) {
            sink.diagnostics().reject(DiagnosticCode::BadRecord,
                [&] { return fmt::format("the frame at byte {} has no sensible length; what follows is left out", at); });
            break;
        }
        walked = readFrame(messages, stream, sink, length);
    }
    noteSignal(messages);
    return walked;
}

/// Plain protobuf is streamed; a compressed payload or a JSON text is taken whole.
Result<Walked> OtlpProtoReader::readFrame(OtlpProtoMessages& messages, WireStream& stream, SpanSink& sink, std::uint64_t length)
{
    const Result<std::string_view> head = stream.peek(std::min<std::uint64_t>(length, 4));
    if (!head)
        return fail(head.error());
    if (head->size() < std::min<std::uint64_t>(length, 4))
        return Walked::Cut;
    if (!isCompressed(*head) && !isJson(*head))
        return messages.readMessage(stream.position() + length);
    const std::uint64_t at = stream.position();
    const Result<std::string_view> payload = stream.take(length);
    if (!payload)
        return fail(payload.error());
    if (payload->size() < length)
        return Walked::Cut;
    if (Result<void> read = readWhole(*payload, sink, at); !read)
        return fail(std::move(read).error());
    return Walked::Whole;
}

/// Faults of what is being read, as opposed to those of the receiver of spans.
bool isAboutContent(ErrorCode code)
{
    return code == ErrorCode::EmptyInput || code == ErrorCode::UnrecognizedFormat || code == ErrorCode::UnsupportedFormat
        || code == ErrorCode::Malformed || code == ErrorCode::CannotRead;
}

/// A fault of one frame's content is that frame's alone.
Result<void> OtlpProtoReader::readWhole(std::string_view payload, SpanSink& sink, std::uint64_t offset)
{
    const auto damaged = [&](const std::string& why) {
        sink.diagnostics().reject(DiagnosticCode::BadRecord,
            [&] { return fmt::format("the compressed frame at byte {} is damaged; what could be read of it is kept ({})", offset, why); });
        return Result<void>{};
    };
    const Result<std::unique_ptr<ByteSource>> opened = ByteSource::openMemory(payload);
    if (!opened)
        return damaged(opened.error().detail);
    ByteSource& bytes = **opened;
    const Result<std::string_view> first = bytes.peek(1);
    if (!first)
        return damaged(first.error().detail);
    if (isJson(*first))
        return readJson(bytes, sink, offset);
    WireStream stream(bytes);
    OtlpProtoMessages messages(stream, sink);
    const Result<Walked> walked = messages.readMessage(WireStream::untilEnd);
    noteSignal(messages);
    if (!walked && !isAboutContent(walked.error().code))
        return fail(walked.error());
    if (bytes.damage())
        return damaged(bytes.damage()->detail);
    if (!walked || *walked == Walked::Cut)
        return damaged(walked ? "it ends inside a record" : walked.error().detail);
    return {};
}

/// The collector frames what any of its encodings writes: mostly OTLP, but also Jaeger's and Zipkin's JSON.
std::unique_ptr<TraceReader> jsonReader(ByteSource& bytes, SpanSink& sink)
{
    const Result<std::string_view> head = bytes.peek(detectionHead);
    if (!head)
        return createOtlpJsonReader();
    const bool isWhole = head->size() < detectionHead;
    const ReaderEntry* other = sniffOtlpJson(*head, isWhole) == Sniffed::Yes ? nullptr : readerFor(*head, isWhole);
    if (other == nullptr)
        return createOtlpJsonReader();
    sink.setFormat(other->format);
    return other->create();
}

Result<void> OtlpProtoReader::readJson(ByteSource& bytes, SpanSink& sink, std::uint64_t offset)
{
    const std::uint64_t rejected = sink.diagnostics().rejected();
    Result<void> read = jsonReader(bytes, sink)->read(bytes, sink);
    if (read || !isAboutContent(read.error().code))
        return read;
    if (sink.diagnostics().rejected() == rejected)
        sink.diagnostics().reject(DiagnosticCode::BadRecord,
            [&] { return fmt::format("the frame of JSON at byte {} could not be read: {}", offset, read.error().detail); });
    return {};
}

Sniffed sniffed(std::string_view head, bool isWhole, PayloadKind kind)
{
    return findFraming(head, isWhole).payload == kind ? Sniffed::Yes : Sniffed::No;
}

} // namespace

Sniffed sniffOtlpProto(std::string_view head, bool isWhole)
{
    return sniffed(head, isWhole, PayloadKind::Protobuf);
}

Sniffed sniffFramedOtlpJson(std::string_view head, bool isWhole)
{
    return sniffed(head, isWhole, PayloadKind::Json);
}

std::unique_ptr<TraceReader> createOtlpProtoReader()
{
    return std::make_unique<OtlpProtoReader>();
}

} // namespace chokepoint
