// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/zipkinjsonspan.h"

#include "core/base/utf8.h"
#include "core/import/decodenumber.h"
#include "core/import/decodetime.h"

#include <array>

namespace chokepoint {

namespace {

/// Members that hold one scalar.
struct ScalarField {
    std::string_view name;
    JsonToken ZipkinFields::*token;
};

constexpr std::array scalarFields = {
    ScalarField{"traceId", &ZipkinFields::traceId},
    ScalarField{"id", &ZipkinFields::id},
    ScalarField{"parentId", &ZipkinFields::parentId},
    ScalarField{"name", &ZipkinFields::name},
    ScalarField{"kind", &ZipkinFields::kind},
    ScalarField{"timestamp", &ZipkinFields::timestamp},
    ScalarField{"duration", &ZipkinFields::duration},
};

} // namespace

void ZipkinFields::clear()
{
    for (const ScalarField& field : scalarFields)
        this->*field.token = {};
    localEndpoint = remoteEndpoint = {};
    annotations.clear();
    binaryAnnotations.clear();
    isDebug = isShared = isVersion1 = false;
}

bool ZipkinJsonSpan::read(json::object object, const Emit& emit)
{
    m_fields.clear();
    m_span.begin();
    if (!forEachMember(object, [this](json::field& field) { return readMember(field); }))
        return false;
    const bool isVersion1 = m_fields.isVersion1 && m_fields.localEndpoint.empty() && m_span.draft().attributes.empty();
    return isVersion1 ? emitVersion1(emit) : emitVersion2(emit);
}

bool ZipkinJsonSpan::readMember(json::field& field)
{
    const std::string_view key = rawKey(field);
    json::value& value = field.value();
    for (const ScalarField& known : scalarFields) {
        if (known.name != key)
            continue;
        const JsonToken token = tokenOf(value);
        if (!(m_fields.*known.token).raw.empty())
            m_diagnostics.report(DiagnosticCode::DuplicateKey,
                [&] { return fmt::format("{}: \"{}\" occurs more than once in a span; the last one counts", m_place.text(), key); });
        m_fields.*known.token = token.isScalar() ? token : JsonToken{};
        return token.kind != JsonKind::Invalid;
    }
    if (key == "tags")
        return readTags(value);
    if (key == "localEndpoint")
        return readEndpoint(value, m_fields.localEndpoint);
    if (key == "remoteEndpoint")
        return readEndpoint(value, m_fields.remoteEndpoint);
    if (key == "annotations")
        return readAnnotations(value, false);
    if (key == "binaryAnnotations") {
        m_fields.isVersion1 = true;
        return readAnnotations(value, true);
    }
    const JsonToken token = tokenOf(value);
    if (key == "debug")
        m_fields.isDebug = token.kind == JsonKind::True;
    else if (key == "shared")
        m_fields.isShared = token.kind == JsonKind::True;
    return token.kind != JsonKind::Invalid;
}

bool ZipkinJsonSpan::readTags(json::value value)
{
    json::object object;
    if (tokenOf(value).kind != JsonKind::Object)
        return tokenOf(value).kind != JsonKind::Invalid;
    m_writer.setOutput(&m_span.draft().attributes);
    return value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
        const std::string_view key = unescaped(rawKey(field), m_keyScratch);
        const JsonToken token = tokenOf(field.value());
        if (token.isScalar() && !token.isNull() && m_span.takeTag(key, textOf(token)))
            return true;
        m_writer.key(key);
        if (!token.isScalar())
            return m_values.plainValue(field.value());
        m_values.plainScalar(token);
        return true;
    });
}

bool ZipkinJsonSpan::readEndpoint(json::value value, std::string_view& text)
{
    json::object object;
    text = {};
    if (tokenOf(value).kind != JsonKind::Object)
        return tokenOf(value).kind != JsonKind::Invalid;
    return value.get_object().get(object) == simdjson::SUCCESS && object.raw_json().get(text) == simdjson::SUCCESS;
}

bool ZipkinJsonSpan::readAnnotations(json::value value, bool areBinary)
{
    json::array array;
    if (tokenOf(value).kind != JsonKind::Array)
        return tokenOf(value).kind != JsonKind::Invalid;
    return value.get_array().get(array) == simdjson::SUCCESS && forEachElement(array, [&](json::value& element) {
        json::object object;
        if (tokenOf(element).kind == JsonKind::Object)
            return element.get_object().get(object) == simdjson::SUCCESS && readAnnotation(object, areBinary);
        m_diagnostics.report(
            DiagnosticCode::BadAttributes, [&] { return fmt::format("{}: an annotation that is no object was left out", m_place.text()); });
        return tokenOf(element).kind != JsonKind::Invalid;
    });
}

bool ZipkinJsonSpan::readAnnotation(json::object object, bool isBinary)
{
    JsonToken time;
    JsonToken keyToken;
    JsonToken content;
    std::string_view endpoint;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        if (key == "endpoint" || key == "host") // Thrift's name for it
            return readEndpoint(field.value(), endpoint);
        const JsonToken token = tokenOf(field.value());
        if (token.isScalar() && key == "timestamp")
            time = token;
        else if (token.isScalar() && key == "key")
            keyToken = token;
        else if (token.isScalar() && key == "value")
            content = token;
        return token.kind != JsonKind::Invalid;
    });
    m_fields.isVersion1 |= !endpoint.empty();
    if (isBinary)
        m_fields.binaryAnnotations.push_back({keyToken, content, endpoint});
    else
        m_fields.annotations.push_back({time, content, endpoint});
    return isGood;
}

bool ZipkinJsonSpan::readEndpointText(std::string_view text, ZipkinEndpoint& endpoint)
{
    json::object object;
    std::string scratch; // the shared one may hold what the caller is looking at
    return m_endpoint.openCopy(text, m_diagnostics) && m_endpoint.root().get_object().get(object) == simdjson::SUCCESS
        && forEachMember(object, [&](json::field& field) {
               const std::string_view key = rawKey(field);
               const JsonToken token = tokenOf(field.value());
               if (!token.isScalar())
                   return token.kind != JsonKind::Invalid;
               const std::string_view member = tokenText(token, scratch);
               if (key == "serviceName")
                   endpoint.service = member;
               else if (key == "ipv4")
                   endpoint.ipv4 = member;
               else if (key == "ipv6")
                   endpoint.ipv6 = member;
               else if (key == "port")
                   endpoint.port = integerFromText(member).value_or(0);
               return true;
           });
}

const ZipkinPlace& ZipkinJsonSpan::placeOf(std::string_view text)
{
    return m_places.of(text, [&](ZipkinEndpoint& endpoint) {
        if (!text.empty() && !readEndpointText(text, endpoint))
            m_diagnostics.report(DiagnosticCode::BadAttributes,
                [&] { return fmt::format("{}: an endpoint cannot be read; its span was kept without", m_place.text()); });
    });
}

/// What both sides of a call share.
void ZipkinJsonSpan::applyCommon()
{
    m_span.setTraceId(textOf(m_fields.traceId));
    m_span.setSpanId(textOf(m_fields.id));
    m_span.setParentId(textOf(m_fields.parentId));
    m_span.draft().row.name = m_dictionary.strings.intern(textOf(m_fields.name));
    if (m_fields.isDebug)
        m_span.setDebug();
}

/// \a isFiner is set when the time counts a shorter unit.
Timestamp ZipkinJsonSpan::timeOf(const JsonToken& token, bool& isFiner)
{
    const auto time = token.isNull() ? std::nullopt : decodeTime(textOf(token), TimeUnit::Microseconds);
    if (!time) {
        m_diagnostics.report(DiagnosticCode::BadTimestamp,
            [&] { return fmt::format("{}: the time of an annotation cannot be read; kept without", m_place.text()); });
        return unknownTime;
    }
    reportOddTime(*time, token.raw, m_diagnostics, m_place);
    isFiner |= time->finer != 0;
    return time->time;
}

void ZipkinJsonSpan::addEvent(const ZipkinFields::Annotation& annotation)
{
    bool isFiner = false; // of the event alone
    const Timestamp time = timeOf(annotation.time, isFiner);
    m_span.addEvent(time, textOf(annotation.value));
}

bool ZipkinJsonSpan::emitVersion2(const Emit& emit)
{
    applyCommon();
    const std::string_view kind = textOf(m_fields.kind);
    m_span.setKind(kind.empty() && m_fields.isShared ? "SERVER" : kind);
    m_span.setStart(textOf(m_fields.timestamp));
    m_span.setDuration(textOf(m_fields.duration));
    m_span.setLocal(placeOf(m_fields.localEndpoint).resource);
    if (!m_fields.remoteEndpoint.empty())
        m_span.addRemote(placeOf(m_fields.remoteEndpoint).endpoint);
    for (const ZipkinFields::Annotation& annotation : m_fields.annotations)
        addEvent(annotation);
    return !m_span.finish() || emit(m_span.draft());
}

} // namespace chokepoint
