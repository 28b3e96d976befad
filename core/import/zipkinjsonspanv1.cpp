// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Version 1 of Zipkin's spans: times and sides of a call are told by annotations such as "cs" (client send), and one span may be
// what two services have reported.
#include "core/import/zipkinjsonspan.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

enum class Mark { None, ClientSend, ClientReceive, ServerReceive, ServerSend, MessageSend, MessageReceive };

struct MarkName {
    std::string_view name;
    Mark mark;
};

constexpr std::array markNames = {
    MarkName{"cs", Mark::ClientSend},
    MarkName{"cr", Mark::ClientReceive},
    MarkName{"sr", Mark::ServerReceive},
    MarkName{"ss", Mark::ServerSend},
    MarkName{"ms", Mark::MessageSend},
    MarkName{"mr", Mark::MessageReceive},
};

Mark markOf(std::string_view value)
{
    const auto found = std::find_if(markNames.begin(), markNames.end(), [&](const MarkName& entry) { return entry.name == value; });
    return found == markNames.end() ? Mark::None : found->mark;
}

constexpr std::string_view localComponent = "lc";

/// "sa", "ca" and "ma" with the value true name the other side by their endpoint.
bool isAddress(std::string_view key, const JsonToken& value)
{
    return (key == "sa" || key == "ca" || key == "ma") && (value.kind == JsonKind::True || value.raw == "\"true\"");
}

} // namespace

void ZipkinJsonSpan::takeCoreAnnotation(Side side, SpanKind kind, bool isStart, const ZipkinFields::Annotation& annotation)
{
    Half& half = m_halves[std::size_t(side)];
    half.isPresent = true;
    half.kind = kind;
    (isStart ? half.start : half.end) = timeOf(annotation.time, half.isFiner);
    if (!annotation.endpoint.empty())
        half.endpoint = annotation.endpoint;
}

/// A message's sender counts as the client's side, its receiver as the server's.
void ZipkinJsonSpan::findHalves()
{
    for (Half& half : m_halves)
        half = {};
    for (const ZipkinFields::Annotation& annotation : m_fields.annotations) {
        switch (markOf(textOf(annotation.value))) {
        case Mark::None: break;
        case Mark::ClientSend: takeCoreAnnotation(Side::Client, SpanKind::Client, true, annotation); break;
        case Mark::ClientReceive: takeCoreAnnotation(Side::Client, SpanKind::Client, false, annotation); break;
        case Mark::ServerReceive: takeCoreAnnotation(Side::Server, SpanKind::Server, true, annotation); break;
        case Mark::ServerSend: takeCoreAnnotation(Side::Server, SpanKind::Server, false, annotation); break;
        case Mark::MessageSend: takeCoreAnnotation(Side::Client, SpanKind::Producer, true, annotation); break;
        case Mark::MessageReceive: takeCoreAnnotation(Side::Server, SpanKind::Consumer, true, annotation); break;
        }
    }
    takeAddresses();
}

/// Remote endpoints; a span without core annotations has the side that the address of the other one implies.
void ZipkinJsonSpan::takeAddresses()
{
    Half& client = m_halves[std::size_t(Side::Client)];
    Half& server = m_halves[std::size_t(Side::Server)];
    const bool hasSides = client.isPresent || server.isPresent;
    for (const ZipkinFields::BinaryAnnotation& annotation : m_fields.binaryAnnotations) {
        const std::string_view key = textOf(annotation.key);
        if (!isAddress(key, annotation.value))
            continue;
        Half& half = key == "sa" || (key == "ma" && client.isPresent) ? client : server;
        half.remote = annotation.endpoint;
        if (hasSides || key == "ma")
            continue;
        half.isPresent = true;
        half.kind = key == "sa" ? SpanKind::Client : SpanKind::Server;
    }
    if (!client.isPresent && !server.isPresent) {
        client.isPresent = true; // a span inside of one service
        client.remote = client.remote.empty() ? server.remote : client.remote;
    }
    const auto firstEndpoint = [this]() -> std::string_view {
        for (const ZipkinFields::BinaryAnnotation& annotation : m_fields.binaryAnnotations)
            if (!annotation.endpoint.empty() && !isAddress(textOf(annotation.key), annotation.value))
                return annotation.endpoint;
        for (const ZipkinFields::Annotation& annotation : m_fields.annotations)
            if (!annotation.endpoint.empty())
                return annotation.endpoint;
        return {};
    };
    for (Half* half : {&client, &server})
        if (half->isPresent && half->endpoint.empty())
            half->endpoint = firstEndpoint();
}

/// Whose annotation it is: that of the half whose service reported it, the client's when both or none could have.
ZipkinJsonSpan::Side ZipkinJsonSpan::sideOf(std::string_view endpoint)
{
    const Half& client = m_halves[std::size_t(Side::Client)];
    const Half& server = m_halves[std::size_t(Side::Server)];
    if (!client.isPresent || !server.isPresent)
        return client.isPresent ? Side::Client : Side::Server;
    const std::string service = placeOf(endpoint).endpoint.service;
    const std::string clientService = placeOf(client.endpoint).endpoint.service;
    return service != clientService && service == placeOf(server.endpoint).endpoint.service ? Side::Server : Side::Client;
}

void ZipkinJsonSpan::addHalfTags(Side side)
{
    for (const ZipkinFields::BinaryAnnotation& annotation : m_fields.binaryAnnotations) {
        const std::string_view key = tokenText(annotation.key, m_keyScratch);
        if (isAddress(key, annotation.value) || sideOf(annotation.endpoint) != side)
            continue;
        if (annotation.key.isNull() || (key == localComponent && textOf(annotation.value).empty()))
            continue;
        if (m_span.takeTag(key, textOf(annotation.value)))
            continue;
        m_writer.setOutput(&m_span.draft().attributes);
        m_writer.key(key);
        m_values.plainScalar(annotation.value);
    }
    for (const ZipkinFields::Annotation& annotation : m_fields.annotations)
        if (markOf(textOf(annotation.value)) == Mark::None && sideOf(annotation.endpoint) == side)
            addEvent(annotation);
}

bool ZipkinJsonSpan::emitHalf(Side side, const Emit& emit)
{
    const Half& half = m_halves[std::size_t(side)];
    if (!half.isPresent)
        return true;
    m_span.begin();
    applyCommon();
    if (half.kind != SpanKind::Internal)
        m_span.setKind(spanKindName(half.kind));
    if (side == Side::Client || !m_halves[std::size_t(Side::Client)].isPresent) { // the span's own times are those of who began it
        m_span.setStart(textOf(m_fields.timestamp));
        m_span.setDuration(textOf(m_fields.duration));
    }
    m_span.completeTimes(half.start, half.end, half.isFiner);
    m_span.setLocal(placeOf(half.endpoint).resource);
    addHalfTags(side);
    if (!half.remote.empty())
        m_span.addRemote(placeOf(half.remote).endpoint);
    return !m_span.finish() || emit(m_span.draft());
}

bool ZipkinJsonSpan::emitVersion1(const Emit& emit)
{
    findHalves();
    return emitHalf(Side::Client, emit) && emitHalf(Side::Server, emit);
}

} // namespace chokepoint
