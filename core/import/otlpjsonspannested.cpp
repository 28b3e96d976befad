// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What hangs on an OTLP JSON span: events and links with their attributes.
#include "core/base/utf8.h"
#include "core/import/otlpjsonspan.h"

namespace chokepoint {

bool OtlpJsonSpan::readNested(json::value& value, SpanDraft& draft, NestedAttributes& attributes)
{
    attributes.begin = draft.nested.size();
    m_writer.setOutput(&draft.nested);
    const bool isGood = m_values.attributes(value);
    attributes.end = draft.nested.size();
    return isGood;
}

bool OtlpJsonSpan::readEvents(json::value& value, SpanDraft& draft)
{
    draft.clearEvents();
    return forEachObjectOfList(value, [&](json::object& object) { return readEvent(object, draft); });
}

bool OtlpJsonSpan::readEvent(json::object object, SpanDraft& draft)
{
    EventDraft& event = draft.addEvent();
    const bool hadBadTime = m_badTime;
    const bool wasOutOfRange = m_outOfRange;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        json::value& value = field.value();
        if (key == "timeUnixNano" || key == "time_unix_nano")
            return readTime(value, event.time);
        if (key == "attributes")
            return readNested(value, draft, event.attributes);
        const JsonToken token = tokenOf(value);
        if (key == "name")
            event.name = tokenText(token, m_scratch);
        else if (key == "droppedAttributesCount" || key == "dropped_attributes_count")
            readCount(token, event.droppedAttributes);
        return token.kind != JsonKind::Invalid;
    });
    if (m_badTime && !hadBadTime)
        m_diagnostics.report(DiagnosticCode::BadTimestamp, [&] {
            return fmt::format("{}: the time of event \"{}\" cannot be read; kept without", m_place.text(), elided(event.name, 60));
        });
    m_badTime = hadBadTime;
    m_outOfRange = wasOutOfRange;
    return isGood;
}

bool OtlpJsonSpan::readLinks(json::value& value, SpanDraft& draft)
{
    draft.clearLinks();
    return forEachObjectOfList(value, [&](json::object& object) { return readLink(object, draft); });
}

bool OtlpJsonSpan::readLink(json::object object, SpanDraft& draft)
{
    LinkDraft& link = draft.addLink();
    return forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        json::value& value = field.value();
        if (key == "traceId" || key == "trace_id" || key == "traceID")
            return readTraceId(value, link.traceId, link.traceIdText);
        if (key == "spanId" || key == "span_id" || key == "spanID")
            return readSpanId(value, link.spanId, link.spanIdText);
        if (key == "attributes")
            return readNested(value, draft, link.attributes);
        const JsonToken token = tokenOf(value);
        if (key == "traceState" || key == "trace_state")
            link.traceState = tokenText(token, m_scratch);
        else if (key == "flags")
            readCount(token, link.flags);
        else if (key == "droppedAttributesCount" || key == "dropped_attributes_count")
            readCount(token, link.droppedAttributes);
        return token.kind != JsonKind::Invalid;
    });
}

} // namespace chokepoint
