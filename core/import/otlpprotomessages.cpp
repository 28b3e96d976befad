// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpprotomessages.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr std::size_t sniffedBytes = 64 << 10; // of an element, to tell its signal
constexpr std::uint64_t largeElement = 64ULL << 20; // bytes; above, spans are not held if that can be

} // namespace

/// Calls \a onField for every field up to \a end. A message that is no protobuf from some point on is rejected from there
/// (BAD_RECORD) and passed over; without a known end nothing behind it can be found.
template <typename OnField> Result<Walked> OtlpProtoMessages::walk(std::uint64_t end, const char* message, OnField&& onField)
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

Result<Walked> OtlpProtoMessages::skip(std::uint64_t size)
{
    const Result<bool> skipped = m_stream.skip(size);
    if (!skipped)
        return fail(skipped.error());
    return *skipped ? Walked::Whole : Walked::Cut;
}

Result<Walked> OtlpProtoMessages::skipOther(const char* message, bool isKnown)
{
    const WireField& field = m_stream.field();
    if (isKnown) {
        m_values.setOffset(m_stream.position());
        m_values.reportWireType(message, field.number);
    }
    return skip(field.type == WireType::Varint ? 0 : field.value);
}

Result<Walked> OtlpProtoMessages::readText(std::string& to, std::uint64_t size)
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

Result<Walked> OtlpProtoMessages::readMessage(std::uint64_t end)
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

bool OtlpProtoMessages::isOtherSignal(std::string_view head, std::uint64_t size)
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

Result<Walked> OtlpProtoMessages::readElement(std::uint64_t end)
{
    const std::uint64_t offset = m_stream.position();
    const std::uint64_t firstSpan = m_sink.position();
    Element element;
    element.isLarge = end - offset > largeElement;
    m_sink.hold();
    const Result<Walked> walked = walk(end, "ResourceSpans", [&] { return readElementField(element, firstSpan); });
    if (!walked)
        return walked;
    m_values.setOffset(offset);
    const ResourceId resource = m_resources.resource(element.resource, element.schemaUrl);
    if (!element.isHeld) {
        if (resource != m_resource)
            reportLate("resource", offset);
        return walked;
    }
    m_sink.setResource(firstSpan, resource);
    if (Result<void> released = m_sink.release(); !released)
        return fail(std::move(released).error());
    return walked;
}

Result<Walked> OtlpProtoMessages::readElementField(Element& element, std::uint64_t firstSpan)
{
    const WireField field = m_stream.field();
    const bool isKnown = (field.number >= 1 && field.number <= 3) || field.number == 1000;
    if (!isKnown || field.type != WireType::Length)
        return skipOther("ResourceSpans", isKnown);
    const std::uint64_t end = m_stream.position() + field.value;
    switch (field.number) {
    case 1: return readText(element.resource, field.value);
    case 2:
        if (Result<void> begun = beginScopeSpans(element, firstSpan); !begun)
            return fail(std::move(begun).error());
        return readScopeSpans(element, end);
    case 3: element.schemaUrl.clear(); return readText(element.schemaUrl, field.value);
    default: return element.hasScopeSpans ? skip(field.value) : readScopeSpans(element, end);
    }
}

/// Before the first ScopeSpans. Senders may have said the same in the old field, which counts only where the new one is absent.
Result<void> OtlpProtoMessages::beginScopeSpans(Element& element, std::uint64_t firstSpan)
{
    if (element.hasScopeSpans)
        return {};
    element.hasScopeSpans = true;
    m_sink.rollback(firstSpan);
    if (!element.isLarge || element.resource.empty())
        return {};
    element.isHeld = false;
    m_values.setOffset(m_stream.position());
    m_resource = m_resources.resource(element.resource, element.schemaUrl);
    return m_sink.release();
}

Result<Walked> OtlpProtoMessages::readScopeSpans(const Element& element, std::uint64_t end)
{
    const std::uint64_t offset = m_stream.position();
    const std::uint64_t firstSpan = m_sink.position();
    std::string scope;
    std::string schemaUrl;
    bool isNew = true; // something about the scope has come since the last span
    const Result<Walked> walked = walk(end, "ScopeSpans", [&]() -> Result<Walked> {
        const WireField field = m_stream.field();
        const bool isKnown = field.number >= 1 && field.number <= 3;
        if (!isKnown || field.type != WireType::Length)
            return skipOther("ScopeSpans", isKnown);
        if (field.number == 2) {
            if (isNew && !element.isHeld)
                m_scope = m_resources.scope(scope, schemaUrl);
            isNew = false;
            return readSpan(field.value);
        }
        isNew = true;
        if (field.number == 3)
            schemaUrl.clear();
        return readText(field.number == 1 ? scope : schemaUrl, field.value);
    });
    if (!walked)
        return walked;
    m_values.setOffset(offset);
    if (element.isHeld)
        m_sink.setScope(firstSpan, m_resources.scope(scope, schemaUrl));
    else if (isNew && m_sink.position() > firstSpan)
        reportLate("scope", offset);
    return walked;
}

void OtlpProtoMessages::reportLate(const char* what, std::uint64_t offset)
{
    m_sink.diagnostics().report(DiagnosticCode::SizeLimit, [&] {
        return fmt::format(
            "the {} of the spans at byte {} goes on behind them; they are too many to wait for that, and it is left out", what, offset);
    });
}

Result<Walked> OtlpProtoMessages::readSpan(std::uint64_t size)
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
    m_span.draft().row.resource = m_resource;
    m_span.draft().row.scope = m_scope;
    if (Result<void> added = m_sink.add(m_span.draft()); !added)
        return fail(std::move(added).error());
    return Walked::Whole;
}

} // namespace chokepoint
