// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/zipkinspan.h"

#include "core/base/utf8.h"
#include "core/import/decodeenum.h"
#include "core/import/decodeid.h"
#include "core/import/decodenumber.h"
#include "core/import/decodetime.h"

namespace chokepoint {

namespace {

constexpr std::size_t longestText = 60; // of a source in a diagnostic

template <typename Id> void keepText(const DecodedId<Id>& id, std::string_view source, std::string& text)
{
    text = id.isOpaque ? source : std::string_view();
}

bool isZero(std::string_view number)
{
    return number.find_first_not_of('0') == std::string_view::npos;
}

} // namespace

void ZipkinSpan::begin()
{
    m_draft.clear();
    m_facts = {};
}

void ZipkinSpan::setTraceId(std::string_view text)
{
    const auto id = decodeTraceId(text);
    m_draft.traceId = id.id;
    keepText(id, text, m_draft.traceIdText);
}

void ZipkinSpan::setSpanId(std::string_view text)
{
    const auto id = decodeSpanId(text);
    m_draft.row.spanId = id.id;
    keepText(id, text, m_draft.spanIdText);
}

void ZipkinSpan::setParentId(std::string_view text)
{
    const auto id = decodeSpanId(text);
    m_draft.row.parentId = id.id;
    keepText(id, text, m_draft.parentIdText);
}

void ZipkinSpan::setKind(std::string_view text)
{
    m_facts.hasKind = !text.empty();
    m_facts.rawKind.clear();
    if (text.empty())
        return;
    if (const auto kind = decodeSpanKind(text))
        return m_draft.row.flags.setKind(*kind);
    m_facts.rawKind = text;
    m_diagnostics.report(DiagnosticCode::UnknownEnum, [&] {
        return fmt::format("{}: span kind \"{}\" is unknown; kept as attribute import.raw_kind", m_place.text(), elided(text, longestText));
    });
}

void ZipkinSpan::setStart(std::string_view text)
{
    m_facts.start.reset();
    if (isZero(text))
        return;
    const auto time = decodeTime(text, TimeUnit::Microseconds);
    m_facts.badTime |= !time;
    if (!time)
        return;
    m_facts.start = time->time;
    m_draft.timeUnit = time->isDate ? TimeUnit::Seconds : TimeUnit::Microseconds;
    m_facts.outOfRange |= time->isOutOfRange;
    m_facts.isFiner = time->finer != 0;
    reportOddTime(*time, text, m_diagnostics, m_place);
}

void ZipkinSpan::setDuration(std::string_view text)
{
    m_facts.duration.reset();
    if (isZero(text)) // Zipkin's shortest duration is 1; 0 is how some tracers write none
        return;
    const auto length = scaledInteger(text, int(TimeUnit::Microseconds));
    m_facts.badTime |= !length;
    if (!length)
        return;
    m_facts.duration = Duration{length->value};
    m_facts.outOfRange |= length->isOutOfRange;
    if (length->isOutOfRange)
        reportOddTime({Timestamp::max(), true}, text, m_diagnostics, m_place);
}

/// The duration, which must be there, in the unit of the times.
Duration ZipkinSpan::length() const
{
    return *m_facts.duration / (m_facts.isFiner ? 1000 : 1);
}

void ZipkinSpan::completeTimes(Timestamp start, Timestamp end, bool isFiner)
{
    const bool hasStart = m_facts.start || m_facts.badTime;
    if (!hasStart)
        m_facts.isFiner = isFiner;
    if (hasStart)
        start = unknownTime;
    else if (!isKnown(start) && isKnown(end) && m_facts.duration && length() < end.time_since_epoch())
        start = end - length();
    if (isKnown(start))
        m_facts.start = start;
    m_facts.end = end;
}

/// The one rule that Zipkin has for errors: the tag is there. OpenTelemetry's exporters write the status message into it.
void ZipkinSpan::takeErrorTag(std::string_view value)
{
    const std::string folded = foldedCase(value);
    if (folded == "false")
        return;
    m_draft.row.flags.setStatus(SpanStatus::Error);
    if (folded != "true" && m_draft.statusMessage.empty())
        m_draft.statusMessage = value;
}

bool ZipkinSpan::takeTag(std::string_view key, std::string_view value)
{
    if (key.empty() || std::string_view("eohwp").find(key.front()) == std::string_view::npos)
        return false;
    if (key == "error") {
        takeErrorTag(value);
        return false;
    }
    if (key == "otel.status_code" || key == "ot.status_code") {
        const auto status = decodeSpanStatus(value);
        if (status && m_draft.row.flags.status() != SpanStatus::Error)
            m_draft.row.flags.setStatus(*status);
        return status.has_value();
    }
    if (key == "otel.status_description" || key == "ot.status_description") {
        m_draft.statusMessage = value;
        return true;
    }
    if (key == "http.status_message") {
        m_facts.httpMessage = value;
        return false;
    }
    if (key == "w3c.tracestate") {
        m_draft.traceState = value;
        return true;
    }
    if (key == "otel.scope.name" || key == "otel.library.name") {
        m_facts.scopeName = value;
        return true;
    }
    if (key == "otel.scope.version" || key == "otel.library.version") {
        m_facts.scopeVersion = value;
        return true;
    }
    m_facts.hasPeer |= key == "peer.service";
    return false;
}

void ZipkinSpan::attribute(std::string_view key, std::string_view text)
{
    m_writer.key(key);
    m_writer.text(text);
}

void ZipkinSpan::addTag(std::string_view key, std::string_view value)
{
    if (takeTag(key, value))
        return;
    m_writer.setOutput(&m_draft.attributes);
    attribute(key, value);
}

void ZipkinSpan::addEvent(Timestamp time, std::string_view value)
{
    EventDraft& event = m_draft.addEvent();
    event.time = time;
    event.attributes = {m_draft.nested.size(), m_draft.nested.size()};
    if (addNamedAttributes(event, value))
        return;
    m_draft.nested.resize(event.attributes.begin);
    event.attributes.end = event.attributes.begin;
    event.droppedAttributes = 0;
    event.name = value;
}

/// "name":{attributes} and {"name":{attributes}} of the language SDKs, name|{attributes}|dropped of the collector.
bool ZipkinSpan::addNamedAttributes(EventDraft& event, std::string_view value)
{
    const std::size_t open = value.find("|{");
    const std::size_t close = value.rfind("}|");
    if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
        const auto dropped = integerFromText(value.substr(close + 2));
        json::value root;
        if (!dropped || *dropped < 0 || *dropped > 0xffffffffLL || !m_document.openCopy(value.substr(open + 1, close - open), m_diagnostics)
            || m_document.root().get_value().get(root) != simdjson::SUCCESS || !readAttributes(event, root))
            return false;
        event.name = value.substr(0, open);
        event.droppedAttributes = std::uint32_t(*dropped);
        return true;
    }
    if (value.size() < 5 || value.back() != '}' || (value.front() != '"' && value.front() != '{'))
        return false;
    json::object object;
    std::size_t members = 0;
    const std::string text = value.front() == '{' ? std::string(value) : fmt::format("{{{}}}", value);
    return m_document.openCopy(text, m_diagnostics) && m_document.root().get_object().get(object) == simdjson::SUCCESS
        && forEachMember(object,
            [&](json::field& field) {
                event.name = unescaped(rawKey(field), m_scratch);
                return ++members == 1 && readAttributes(event, field.value());
            })
        && members == 1 && m_document.root().current_location().error() == simdjson::OUT_OF_BOUNDS;
}

bool ZipkinSpan::readAttributes(EventDraft& event, json::value value)
{
    json::object object;
    if (tokenOf(value).kind != JsonKind::Object || value.get_object().get(object) != simdjson::SUCCESS)
        return false;
    m_writer.setOutput(&m_draft.nested);
    const bool isGood = m_values.plainMembers(object);
    event.attributes.end = m_draft.nested.size();
    return isGood;
}

void ZipkinSpan::addRemote(const ZipkinEndpoint& endpoint)
{
    m_writer.setOutput(&m_draft.attributes);
    if (!endpoint.service.empty() && !m_facts.hasPeer)
        attribute("peer.service", endpoint.service);
    for (const std::string* address : {&endpoint.ipv4, &endpoint.ipv6})
        if (!address->empty())
            attribute("network.peer.address", *address);
    if (endpoint.port == 0)
        return;
    m_writer.key("network.peer.port");
    m_writer.integer(endpoint.port);
}

void ZipkinSpan::setDebug()
{
    m_writer.setOutput(&m_draft.attributes);
    m_writer.key("zipkin.debug");
    m_writer.boolean(true);
}

ResourceId internEndpoint(Dictionary& dictionary, const ZipkinEndpoint& endpoint)
{
    Resource resource;
    if (!endpoint.service.empty())
        resource.attributes.push_back({"service.name", {endpoint.service}});
    for (const std::string* address : {&endpoint.ipv4, &endpoint.ipv6})
        if (!address->empty())
            resource.attributes.push_back({"net.host.ip", {*address}});
    if (endpoint.port != 0)
        resource.attributes.push_back({"net.host.port", {endpoint.port}});
    return dictionary.internResource(resource);
}

bool ZipkinSpan::finish()
{
    SpanRow& row = m_draft.row;
    if (m_facts.badTime) {
        m_diagnostics.reject(DiagnosticCode::BadTimestamp, [&] {
            return fmt::format("{}: the time of span \"{}\" cannot be read; the span was left out", m_place.text(),
                elided(m_dictionary.text(row.name), longestText));
        });
        return false;
    }
    if (row.flags.isError() && m_draft.statusMessage.empty())
        m_draft.statusMessage = m_facts.httpMessage;
    if (!m_facts.hasKind) // Zipkin has no name for it
        row.flags.setKind(SpanKind::Internal);
    if (!m_facts.rawKind.empty()) {
        m_writer.setOutput(&m_draft.attributes);
        attribute("import.raw_kind", m_facts.rawKind);
    }
    if (!m_facts.scopeName.empty() || !m_facts.scopeVersion.empty())
        row.scope = m_dictionary.internScope({m_facts.scopeName, m_facts.scopeVersion, {}, 0, {}});
    row.start = m_facts.start.value_or(unknownTime);
    row.end = m_facts.duration ? unknownTime : m_facts.end;
    if (m_facts.isFiner)
        row.flags.set(SpanFlags::TimeRepaired);
    if (m_facts.start && m_facts.duration) {
        std::int64_t end = 0;
        if (__builtin_add_overflow(toNs(row.start), toNs(length()), &end)) {
            m_facts.outOfRange = true;
            end = toNs(Timestamp::max());
        }
        row.end = timestampFromNs(end);
    }
    if (m_facts.outOfRange)
        row.flags.set(SpanFlags::TimeOutOfRange);
    return true;
}

} // namespace chokepoint
