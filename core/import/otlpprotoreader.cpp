// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpprotoreader.h"

#include "core/import/bytesource.h"
#include "core/import/framing.h"
#include "core/import/otlpprotoresource.h"
#include "core/import/otlpprotospan.h"
#include "core/import/spansink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace chokepoint {

namespace {

constexpr std::size_t sniffedBytes = 64 << 10;

/// How the walk through a message ended; Cut ends all walks, because the stream is over.
enum class Walked : std::uint8_t { Whole, Cut };

/// One stream of OTLP messages: knows resources and scopes, counts faults, adds spans.
class MessageReader {
public:
    MessageReader(WireStream& stream, SpanSink& sink)
        : m_stream(stream), m_sink(sink), m_values(sink), m_resources(m_values), m_span(m_values)
    {
    }

    /// One TracesData / ExportTraceServiceRequest up to \a end.
    [[nodiscard]] Result<Walked> readMessage(std::uint64_t end);

    /// Elements of other signals that were passed over, and the shape of the first of them.
    [[nodiscard]] ProtoShape otherSignal() const { return m_otherSignal; }

private:
    /// What one element of ResourceSpans has told so far.
    struct Element {
        std::string resource; // repeated messages in a row merge
        std::string schemaUrl;
        bool hasScopeSpans = false;
    };

    template <typename OnField> [[nodiscard]] Result<Walked> walk(std::uint64_t end, const char* message, OnField&& onField);
    [[nodiscard]] Result<Walked> readElement(std::uint64_t end);
    [[nodiscard]] Result<Walked> readElementField(Element& element, std::uint64_t firstSpan);
    [[nodiscard]] Result<Walked> readScopeSpans(std::uint64_t end);
    [[nodiscard]] Result<Walked> readSpan(std::uint64_t size);
    [[nodiscard]] Result<Walked> readText(std::string& to, std::uint64_t size);
    [[nodiscard]] Result<Walked> skip(std::uint64_t size);
    [[nodiscard]] Result<Walked> skipOther(const char* message, bool isKnown);
    [[nodiscard]] bool isOtherSignal(std::string_view head, std::uint64_t size);

    WireStream& m_stream;
    SpanSink& m_sink;
    OtlpProtoValues m_values;
    OtlpProtoResources m_resources;
    OtlpProtoSpan m_span;
    ProtoShape m_otherSignal = ProtoShape::Unknown;
};

/// Calls \a onField for every field up to \a end. A message that is no protobuf from some point on is rejected from there
/// (BAD_RECORD) and passed over; without a known end nothing behind it can be found.
template <typename OnField> Result<Walked> MessageReader::walk(std::uint64_t end, const char* message, OnField&& onField)
{
    while (true) {
        const std::uint64_t at = m_stream.position();
        const Result<WireStep> step = m_stream.next(end);
        if (!step)
            return fail(step.error());
        switch (*step) {
        case WireStep::End: return Walked::Whole;
        case WireStep::Cut: return Walked::Cut;
        case WireStep::Malformed:
            m_sink.diagnostics().reject(DiagnosticCode::BadRecord,
                [&] { return fmt::format("the {} is no valid protobuf from byte {} on; its rest is left out", message, at); });
            return end == WireStream::untilEnd ? Walked::Whole : skip(end - at);
        case WireStep::Field: break;
        }
        const Result<Walked> walked = onField();
        if (!walked || *walked == Walked::Cut)
            return walked;
    }
}

Result<Walked> MessageReader::skip(std::uint64_t size)
{
    const Result<bool> skipped = m_stream.skip(size);
    if (!skipped)
        return fail(skipped.error());
    return *skipped ? Walked::Whole : Walked::Cut;
}

Result<Walked> MessageReader::skipOther(const char* message, bool isKnown)
{
    const WireField& field = m_stream.field();
    if (isKnown) {
        m_values.setOffset(m_stream.position());
        m_values.reportWireType(message, field.number);
    }
    return skip(field.type == WireType::Varint ? 0 : field.value);
}

Result<Walked> MessageReader::readText(std::string& to, std::uint64_t size)
{
    if (size > WireStream::maxField) {
        m_sink.diagnostics().reject(DiagnosticCode::SizeLimit,
            [&] { return fmt::format("a field of {} bytes at byte {} is left out", size, m_stream.position()); });
        return skip(size);
    }
    const Result<std::string_view> bytes = m_stream.take(size);
    if (!bytes)
        return fail(bytes.error());
    to += *bytes;
    return bytes->size() == size ? Walked::Whole : Walked::Cut;
}

Result<Walked> MessageReader::readMessage(std::uint64_t end)
{
    m_sink.beginRecord();
    return walk(end, "message", [&]() -> Result<Walked> {
        const WireField field = m_stream.field();
        if (field.number != 1 || field.type != WireType::Length)
            return skipOther("ExportTraceServiceRequest", field.number == 1);
        const Result<std::string_view> head = m_stream.peek(std::min<std::uint64_t>(field.value, sniffedBytes));
        if (!head)
            return fail(head.error());
        return isOtherSignal(*head, field.value) ? skip(field.value) : readElement(m_stream.position() + field.value);
    });
}

bool MessageReader::isOtherSignal(std::string_view head, std::uint64_t size)
{
    const ProtoShape shape = otlpElementShape(head, head.size() < size);
    if (shape != ProtoShape::OtlpMetrics && shape != ProtoShape::OtlpLogs && shape != ProtoShape::OtlpProfiles)
        return false;
    if (m_otherSignal == ProtoShape::Unknown)
        m_otherSignal = shape;
    m_sink.diagnostics().report(DiagnosticCode::OtherSignal,
        [&] { return fmt::format("{} at byte {}: no traces, passed over", protoShapeName(shape), m_stream.position()); });
    return true;
}

/// The resource may follow its spans, so they are held until the element ends.
Result<Walked> MessageReader::readElement(std::uint64_t end)
{
    const std::uint64_t offset = m_stream.position();
    const std::uint64_t firstSpan = m_sink.position();
    Element element;
    m_sink.hold();
    const Result<Walked> walked = walk(end, "ResourceSpans", [&] { return readElementField(element, firstSpan); });
    if (!walked)
        return walked;
    m_values.setOffset(offset);
    m_sink.setResource(firstSpan, m_resources.resource(element.resource, element.schemaUrl));
    if (Result<void> released = m_sink.release(); !released)
        return fail(std::move(released).error());
    return walked;
}

Result<Walked> MessageReader::readElementField(Element& element, std::uint64_t firstSpan)
{
    const WireField field = m_stream.field();
    const bool isKnown = (field.number >= 1 && field.number <= 3) || field.number == 1000;
    if (!isKnown || field.type != WireType::Length)
        return skipOther("ResourceSpans", isKnown);
    const std::uint64_t end = m_stream.position() + field.value;
    switch (field.number) {
    case 1: return readText(element.resource, field.value);
    case 2:
        if (!element.hasScopeSpans)
            m_sink.rollback(firstSpan); // senders may say the same twice; the old field counts only where the new one is absent
        element.hasScopeSpans = true;
        return readScopeSpans(end);
    case 3: element.schemaUrl.clear(); return readText(element.schemaUrl, field.value);
    default: return element.hasScopeSpans ? skip(field.value) : readScopeSpans(end);
    }
}

Result<Walked> MessageReader::readScopeSpans(std::uint64_t end)
{
    const std::uint64_t offset = m_stream.position();
    const std::uint64_t firstSpan = m_sink.position();
    std::string scope;
    std::string schemaUrl;
    const Result<Walked> walked = walk(end, "ScopeSpans", [&]() -> Result<Walked> {
        const WireField field = m_stream.field();
        const bool isKnown = field.number >= 1 && field.number <= 3;
        if (!isKnown || field.type != WireType::Length)
            return skipOther("ScopeSpans", isKnown);
        if (field.number == 2)
            return readSpan(field.value);
        if (field.number == 3)
            schemaUrl.clear();
        return readText(field.number == 1 ? scope : schemaUrl, field.value);
    });
    if (!walked)
        return walked;
    m_values.setOffset(offset);
    m_sink.setScope(firstSpan, m_resources.scope(scope, schemaUrl));
    return walked;
}

Result<Walked> MessageReader::readSpan(std::uint64_t size)
{
    const std::uint64_t at = m_stream.position();
    if (size > WireStream::maxField) {
        m_sink.diagnostics().reject(
            DiagnosticCode::SizeLimit, [&] { return fmt::format("a span of {} bytes at byte {} is left out", size, at); });
        return skip(size);
    }
    const Result<std::string_view> bytes = m_stream.take(size);
    if (!bytes)
        return fail(bytes.error());
    if (bytes->size() < size)
        return Walked::Cut;
    m_values.setOffset(at);
    if (!m_span.decode(*bytes)) {
        m_sink.diagnostics().reject(
            DiagnosticCode::BadRecord, [&] { return fmt::format("the span at byte {} is damaged; it is left out", at); });
        return Walked::Whole;
    }
    if (Result<void> added = m_sink.add(m_span.draft()); !added)
        return fail(std::move(added).error());
    return Walked::Whole;
}

// ---- the reader ---------------------------------------------------------------------------------------------------

class OtlpProtoReader : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override;

private:
    [[nodiscard]] Result<Walked> readFrames(WireStream& stream, SpanSink& sink, Framing framing);
    [[nodiscard]] Result<Walked> readFrame(MessageReader& messages, WireStream& stream, SpanSink& sink, std::uint64_t length);
    [[nodiscard]] Result<void> readWhole(std::string_view payload, SpanSink& sink, std::uint64_t offset);
    [[nodiscard]] Result<void> readJson(ByteSource& bytes, SpanSink& sink, std::uint64_t offset);
    void noteSignal(const MessageReader& messages);

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
    const Result<std::string_view> head = stream.peek(sniffedBytes * 4);
    if (!head)
        return fail(head.error());
    const FoundFraming found = findFraming(*head, head->size() < sniffedBytes * 4);
    if (found.shape == ProtoShape::ZipkinSpans || found.shape == ProtoShape::Pprof || found.shape == ProtoShape::Perfetto)
        return refused(found.shape);
    Result<Walked> walked = Walked::Whole;
    if (found.framing == Framing::None) {
        MessageReader messages(stream, sink);
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

void OtlpProtoReader::noteSignal(const MessageReader& messages)
{
    if (m_otherSignal == ProtoShape::Unknown)
        m_otherSignal = messages.otherSignal();
}

Result<Walked> OtlpProtoReader::readFrames(WireStream& stream, SpanSink& sink, Framing framing)
{
    MessageReader messages(stream, sink);
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
Result<Walked> OtlpProtoReader::readFrame(MessageReader& messages, WireStream& stream, SpanSink& sink, std::uint64_t length)
{
    const Result<std::string_view> head = stream.peek(std::min<std::uint64_t>(length, 4));
    if (!head)
        return fail(head.error());
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

/// A fault of one frame's content is that frame's alone.
Result<void> OtlpProtoReader::readWhole(std::string_view payload, SpanSink& sink, std::uint64_t offset)
{
    const Result<std::unique_ptr<ByteSource>> opened = ByteSource::openMemory(payload);
    if (!opened)
        return fail(opened.error());
    ByteSource& bytes = **opened;
    const Result<std::string_view> first = bytes.peek(1);
    if (first && isJson(*first))
        return readJson(bytes, sink, offset);
    Result<Walked> walked = Walked::Cut;
    if (first) {
        WireStream stream(bytes);
        MessageReader messages(stream, sink);
        walked = messages.readMessage(WireStream::untilEnd);
        noteSignal(messages);
    }
    if (!walked && walked.error().code != ErrorCode::CannotRead)
        return fail(walked.error());
    if (!walked || *walked == Walked::Cut || bytes.damage())
        sink.diagnostics().reject(DiagnosticCode::BadRecord,
            [&] { return fmt::format("the compressed frame at byte {} is damaged; what could be read of it is kept", offset); });
    return {};
}

Result<void> OtlpProtoReader::readJson(ByteSource& bytes, SpanSink& sink, std::uint64_t offset)
{
    const auto table = readerTable();
    const auto entry = std::find_if(table.begin(), table.end(),
        [](const ReaderEntry& e) { return std::strcmp(e.format, "otlp-json") == 0 && e.sniff != sniffFramedOtlpJson; });
    if (entry == table.end())
        return fail(ErrorCode::Internal, "there is no reader of OTLP JSON");
    Result<void> read = entry->create()->read(bytes, sink);
    if (read || read.error().code == ErrorCode::Cancelled || read.error().code == ErrorCode::CannotWrite
        || read.error().code == ErrorCode::Internal)
        return read;
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
