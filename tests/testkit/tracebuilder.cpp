// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// TraceBuilder: from keys to ids, and through the assembler to columns.
#include "tests/testkit/tracebuilder.h"

#include "core/model/traceassembler.h"

#include <cstdio>
#include <cstdlib>

namespace chokepoint::testkit {

namespace {

Resource makeResource(const std::string& service, const std::string& host)
{
    Resource resource;
    if (!service.empty())
        resource.attributes.push_back({"service.name", {service}});
    if (!host.empty())
        resource.attributes.push_back({"host.name", {host}});
    return resource;
}

[[noreturn]] void die(const char* what, std::string_view name)
{
    std::fprintf(stderr, "testkit: %s \"%.*s\"\n", what, int(name.size()), name.data());
    std::abort();
}

} // namespace

TraceBuilder::TraceBuilder() : m_traces(1) { }

TraceBuilder& TraceBuilder::nextTrace()
{
    m_traces.emplace_back();
    return *this;
}

TraceBuilder& TraceBuilder::span(std::string_view key, std::int64_t startNs, std::int64_t endNs, std::string_view parentKey)
{
    Entry entry;
    entry.key = key;
    entry.name = key;
    entry.parentKey = parentKey;
    entry.row.spanId = SpanId{++m_lastId};
    entry.row.start = timestampFromNs(startNs);
    entry.row.end = timestampFromNs(endNs);
    m_traces.back().push_back(std::move(entry));
    return *this;
}

TraceBuilder& TraceBuilder::named(std::string_view name)
{
    m_traces.back().back().name = name;
    return *this;
}

TraceBuilder& TraceBuilder::kind(SpanKind kind)
{
    m_traces.back().back().row.flags.setKind(kind);
    return *this;
}

TraceBuilder& TraceBuilder::service(std::string_view service)
{
    m_traces.back().back().service = service;
    return *this;
}

TraceBuilder& TraceBuilder::host(std::string_view hostName)
{
    m_traces.back().back().host = hostName;
    return *this;
}

TraceBuilder& TraceBuilder::error()
{
    m_traces.back().back().row.flags.setStatus(SpanStatus::Error);
    return *this;
}

TraceBuilder& TraceBuilder::flag(SpanFlags::Bit bit)
{
    m_traces.back().back().row.flags.set(bit);
    return *this;
}

TraceBuilder& TraceBuilder::streaming(std::int64_t firstTokenNs)
{
    m_traces.back().back().row.firstToken = timestampFromNs(firstTokenNs);
    return flag(SpanFlags::Streaming);
}

TraceBuilder& TraceBuilder::id(std::uint64_t spanId)
{
    m_traces.back().back().row.spanId = SpanId{spanId};
    return *this;
}

TraceBuilder& TraceBuilder::noStart()
{
    m_traces.back().back().row.start = unknownTime;
    return *this;
}

TraceBuilder& TraceBuilder::noEnd()
{
    m_traces.back().back().row.end = unknownTime;
    return *this;
}

TraceBuilder& TraceBuilder::attribute(std::string_view key, AttributeValue value)
{
    m_traces.back().back().payload.attributes.push_back({std::string(key), std::move(value)});
    return *this;
}

TraceBuilder& TraceBuilder::message(std::string_view statusMessage)
{
    m_traces.back().back().payload.statusMessage = statusMessage;
    return *this;
}

TraceBuilder& TraceBuilder::event(std::string_view name, std::int64_t timeNs, AttributeList attributes)
{
    SpanEvent event;
    event.name = name;
    event.time = timestampFromNs(timeNs);
    event.attributes = std::move(attributes);
    m_traces.back().back().payload.events.push_back(std::move(event));
    return *this;
}

TraceBuilder& TraceBuilder::link(std::string_view key, AttributeList attributes)
{
    SpanLink link;
    link.traceId = TraceId{0, m_traces.size()};
    for (const Entry& entry : m_traces.back())
        if (entry.key == key)
            link.spanId = entry.row.spanId;
    if (link.spanId.isNull())
        die("no span with the key", key);
    link.attributes = std::move(attributes);
    m_traces.back().back().payload.links.push_back(std::move(link));
    return *this;
}

SpanColumns TraceBuilder::rowsOf(const std::vector<Entry>& entries, Dictionary& dictionary) const
{
    SpanColumns rows;
    for (const Entry& entry : entries) {
        SpanRow row = entry.row;
        row.name = dictionary.strings.intern(entry.name);
        row.resource = dictionary.internResource(makeResource(entry.service, entry.host));
        if (!entry.parentKey.empty())
            row.parentId = opaqueSpanId(entry.parentKey);
        for (const Entry& other : entries) {
            if (!entry.parentKey.empty() && other.key == entry.parentKey) {
                row.parentId = other.row.spanId;
                break;
            }
        }
        rows.push_back(row);
    }
    return rows;
}

TraceColumns TraceBuilder::build() const
{
    const auto dictionary = std::make_shared<Dictionary>();
    std::vector<SpanColumns> traces;
    for (const std::vector<Entry>& entries : m_traces)
        traces.push_back(rowsOf(entries, *dictionary));
    return assemble(dictionary, traces);
}

std::pair<TraceColumns, std::vector<std::string>> TraceBuilder::buildWithPayloads() const
{
    const auto dictionary = std::make_shared<Dictionary>();
    PackedWriter writer(dictionary->strings);
    TraceColumns columns;
    std::vector<std::string> payloads;
    std::vector<std::uint32_t> order;
    for (std::size_t t = 0; t < m_traces.size(); ++t) {
        const SpanColumns rows = rowsOf(m_traces[t], *dictionary);
        columns.traceId.push_back(TraceId{0, t + 1});
        columns.storeKey.push_back(std::int64_t(t) + 1);
        assembleTrace(rows, order, columns);
        for (const std::uint32_t row : order)
            encodePayload(m_traces[t][row].payload, rows.start[row], writer, payloads.emplace_back());
    }
    columns.dictionary = dictionary;
    return {std::move(columns), std::move(payloads)};
}

Trace TraceBuilder::buildTrace() const
{
    const auto dictionary = std::make_shared<Dictionary>();
    const SpanBatch all = batch(*dictionary);
    const SpanColumns rows = rowsOf(m_traces.front(), *dictionary);
    TraceColumns columns;
    columns.dictionary = dictionary;
    columns.traceId.push_back(TraceId{0, 1});
    columns.storeKey.push_back(1);
    std::vector<std::uint32_t> order;
    assembleTrace(rows, order, columns);

    std::vector<std::uint64_t> begin;
    std::vector<std::uint32_t> size;
    std::string payloads;
    for (const std::uint32_t row : order) {
        const std::string_view payload = all.payloadOf(row);
        begin.push_back(payloads.size());
        size.push_back(std::uint32_t(payload.size()));
        payloads.append(payload);
    }
    return Trace(std::move(columns), std::move(begin), std::move(size), std::move(payloads));
}

SpanBatch TraceBuilder::batch(Dictionary& dictionary) const
{
    SpanBatch result;
    PackedWriter writer(dictionary.strings);
    for (std::size_t trace = 0; trace < m_traces.size(); ++trace) {
        const SpanColumns rows = rowsOf(m_traces[trace], dictionary);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            result.traceId.push_back(TraceId{0, trace + 1});
            result.spans.push_back(rows.row(i));
            writer.setOutput(&result.payload);
            encodePayload(m_traces[trace][i].payload, rows.start[i], writer, result.payload);
            result.payloadEnd.push_back(std::uint32_t(result.payload.size()));
        }
    }
    return result;
}

TraceColumns assemble(std::shared_ptr<const Dictionary> dictionary, const std::vector<SpanColumns>& traces)
{
    TraceColumns columns;
    columns.dictionary = std::move(dictionary);
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < traces.size(); ++i) {
        columns.traceId.push_back(TraceId{0, i + 1});
        columns.storeKey.push_back(std::int64_t(i) + 1);
        assembleTrace(traces[i], order, columns);
    }
    return columns;
}

std::uint32_t spanNamed(const TraceColumns& columns, std::string_view name, std::size_t trace)
{
    const TraceView view = columns.trace(trace);
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (columns.dictionary->text(view.name[i]) == name)
            return std::uint32_t(i);
    }
    die("no span called", name);
}

} // namespace chokepoint::testkit
