// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/elasticspans.h"

#include "core/import/decodeid.h"
#include "core/import/decodenumber.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

/// What an intake record has beside the fields of a span.
constexpr AttributeName intakeNames[] = {
    {"id", ""},
    {"trace_id", ""},
    {"parent_id", ""},
    {"transaction_id", ""},
    {"name", ""},
    {"timestamp", ""},
    {"start", ""},
    {"duration", ""},
    {"links", ""},
    {"otel", ""},
    {"context.service", ""}, // of the resource
    {"context.tags", ""}, // by their own names
    {"context.custom", "custom"},
    {"context.request.method", "http.request.method"},
    {"context.request.url.full", "url.full"},
    {"context.response.status_code", "http.response.status_code"},
    {"context.http.method", "http.request.method"},
    {"context.http.url", "url.full"},
    {"context.http.status_code", "http.response.status_code"},
    {"context.http.response.status_code", "http.response.status_code"},
    {"context.db.type", "db.system.name"},
    {"context.db.statement", "db.query.text"},
    {"context.db.instance", "db.namespace"},
    {"context.destination", "destination"},
    {"context.message", "message"},
    {"context.user", "user"},
    {"context", "context"},
};

constexpr AttributeName documentNames[] = {
    {"@timestamp", ""},
    {"timestamp", ""},
    {"timestamp.us", ""},
    {"trace", ""},
    {"trace.id", ""},
    {"parent", ""},
    {"parent.id", ""},
    {"processor", ""},
    {"processor.event", ""},
    {"processor.name", ""},
    {"transaction.id", ""},
    {"transaction.name", ""},
    {"transaction.duration", ""},
    {"transaction.duration.us", ""},
    {"span.id", ""},
    {"span.hex_id", ""},
    {"span.parent", ""},
    {"span.name", ""},
    {"span.start", ""},
    {"span.start.us", ""},
    {"span.duration", ""},
    {"span.duration.us", ""},
    {"span.links", ""},
    {"service", ""}, // of the resource
    {"service.name", ""},
    {"service.version", ""},
    {"service.environment", ""},
    {"agent", ""},
    {"host", ""},
    {"labels", ""}, // by their own names
    {"numeric_labels", ""},
};

SpanKind kindOf(bool isTransaction, const std::string& type)
{
    if (isTransaction)
        return type == "messaging" ? SpanKind::Consumer : type == "request" ? SpanKind::Server : SpanKind::Internal;
    const std::string family = type.substr(0, type.find('.')); // "db.postgresql.query" before version 2 of the intake
    return family == "messaging"                                    ? SpanKind::Producer
        : family == "db" || family == "external" || family == "ext" ? SpanKind::Client
                                                                    : SpanKind::Internal;
}

std::string stackText(JsonNode frames)
{
    std::string text;
    for (const JsonNode frame : frames) {
        const JsonNode line = frame.first({"lineno", "line"});
        text += fmt::format("{}{} ({}:{})", text.empty() ? "" : "\n", frame["function"].text(), frame["filename"].text(),
            line.isObject() ? line["number"].text() : line.text());
    }
    return text;
}

} // namespace

bool ElasticSpans::read(JsonNode record)
{
    record = record["_source"] ? record["_source"] : record;
    if (const JsonNode event = record.at("processor.event"))
        return readDocument(record, event.text());
    if (const JsonNode metadata = record["metadata"])
        readMetadata(metadata);
    else if (const JsonNode transaction = record["transaction"])
        return readTransaction(transaction);
    else if (const JsonNode span = record["span"])
        return readSpan(span);
    else if (const JsonNode error = record["error"])
        readError(error);
    else
        return record["metricset"] || m_span.leaveOut(record);
    return true;
}

Result<void> ElasticSpans::finish()
{
    for (auto& [transaction, drafts] : m_relative) {
        for (SpanDraft& draft : drafts) {
            draft.row.start = draft.row.end = unknownTime; // the transaction is not in this input
            m_span.draft() = draft;
            if (!m_window.add())
                return fail(*m_span.failure());
        }
    }
    return m_window.finish() ? Result<void>{} : fail(*m_span.failure());
}

// ---- lines of the intake ----

void ElasticSpans::readMetadata(JsonNode metadata)
{
    static constexpr AttributeName names[] = {{"service.environment", "deployment.environment.name"}, {"service.agent", "telemetry.agent"},
        {"service.node.configured_name", "service.instance.id"}, {"system.hostname", "host.name"},
        {"system.configured_hostname", "host.name"}, {"labels", ""}};
    m_resource = {};
    m_span.flattened(m_resource.attributes, "", metadata, names);
    m_span.flattened(m_resource.attributes, "", metadata["labels"]);
}

bool ElasticSpans::readTransaction(JsonNode transaction)
{
    m_span.begin();
    readCommon(transaction);
    readKind(transaction, true);
    return addTransaction();
}

bool ElasticSpans::readSpan(JsonNode span)
{
    m_span.begin();
    readCommon(span);
    readKind(span, false);
    const std::string transaction = span["transaction_id"].text();
    if (m_span.row().parentId.isNull())
        m_span.setParentId(transaction);
    if (span["timestamp"])
        return m_window.add();
    const SpanId id = decodeSpanId(transaction).id;
    m_span.row().start = {};
    m_span.setDuration(span["duration"], TimeUnit::Milliseconds);
    return add(id, span["start"], TimeUnit::Milliseconds);
}

void ElasticSpans::readCommon(JsonNode record)
{
    m_span.setTraceId(record.first({"trace_id", "transaction_id", "id"}).text());
    m_span.setSpanId(record["id"].text());
    m_span.setParentId(record["parent_id"].text());
    m_span.setName(record["name"].text());
    m_span.row().start = m_span.time(record["timestamp"], TimeUnit::Microseconds);
    m_span.setDuration(record["duration"], TimeUnit::Milliseconds);
    if (record["outcome"].text() == "failure")
        m_span.row().flags.setStatus(SpanStatus::Error);
    m_span.flattened("", record, intakeNames);
    m_span.flattened("", record["context"]["tags"]);
    m_span.flattened("", record["otel"]["attributes"]);
    readLinks(record["links"]);
    readResource(record["context"]["service"]);
}

void ElasticSpans::readKind(JsonNode record, bool isTransaction)
{
    m_span.row().flags.setKind(kindOf(isTransaction, record["type"].text()));
    m_span.setKind(record["otel"]["span_kind"]);
}

/// What a record says of its service stands before the metadata.
void ElasticSpans::readResource(JsonNode service)
{
    if (!service["name"]) {
        m_span.setResource(m_resource);
        return;
    }
    Resource own;
    m_span.flattened(own.attributes, "service.", service);
    for (const Attribute& attribute : m_resource.attributes)
        if (findAttribute(own.attributes, attribute.key) == nullptr)
            own.attributes.push_back(attribute);
    m_span.setResource(own);
}

void ElasticSpans::readLinks(JsonNode links)
{
    if (!links.isArray())
        return;
    for (const JsonNode link : links) {
        const JsonNode trace = link["trace_id"];
        const JsonNode span = link["span_id"];
        m_span.beginLink((trace ? trace : link.at("trace.id")).text(), (span ? span : link.at("span.id")).text());
        m_span.endNested();
    }
}

void ElasticSpans::readError(JsonNode error)
{
    m_span.begin();
    m_span.setTraceId(error["trace_id"].text());
    m_span.setSpanId(error.first({"parent_id", "transaction_id"}).text());
    readException(error, m_span.time(error["timestamp"], TimeUnit::Microseconds));
}

/// The error of an intake line or of a document, which has the same parts but lists its exceptions.
void ElasticSpans::readException(JsonNode error, Timestamp time)
{
    JsonNode exception = error["exception"];
    if (exception.isArray())
        exception = exception.hasChildren() ? *exception.begin() : JsonNode();
    const JsonNode log = error["log"];
    const JsonNode message = exception["message"] ? exception["message"] : log["message"];
    const JsonNode stack = exception["stacktrace"] ? exception["stacktrace"] : log["stacktrace"];
    m_span.beginException(time, exception["type"].text(), message.text(), stackText(stack));
    for (const std::string_view name : {"id", "culprit"})
        if (const JsonNode value = error[name])
            m_span.attribute(std::string("error.").append(name), value);
    if (const JsonNode handled = exception["handled"])
        m_span.attribute("exception.handled", handled);
    m_window.addEvent();
}

// ---- spans that say when they begin in their transaction ----

bool ElasticSpans::add(SpanId transaction, JsonNode offset, TimeUnit unit)
{
    const auto ns = scaledInteger(offset.text(), int(unit));
    SpanRow& row = m_span.row();
    if (!ns) {
        row.start = row.end = unknownTime;
        return m_window.add();
    }
    const auto shift = [&row](std::int64_t by) {
        for (Timestamp* time : {&row.start, &row.end}) {
            std::int64_t moved = 0;
            if (isKnown(*time))
                *time = __builtin_add_overflow(toNs(*time), by, &moved) ? unknownTime : timestampFromNs(moved);
        }
    };
    shift(ns->value);
    if (const auto start = m_starts.find(transaction); start != m_starts.end()) {
        shift(toNs(start->second));
        return m_window.add();
    }
    m_span.endNested();
    m_relative[transaction].push_back(m_span.draft());
    return true;
}

bool ElasticSpans::addTransaction()
{
    const SpanId id = m_span.row().spanId;
    const Timestamp start = m_span.row().start;
    if (!m_window.add())
        return false;
    if (!isKnown(start))
        return true;
    m_starts.emplace(id, start);
    const auto waiting = m_relative.find(id);
    if (waiting == m_relative.end())
        return true;
    for (SpanDraft& draft : waiting->second) {
        for (Timestamp* time : {&draft.row.start, &draft.row.end}) {
            std::int64_t moved = 0;
            if (isKnown(*time))
                *time = __builtin_add_overflow(toNs(*time), toNs(start), &moved) ? unknownTime : timestampFromNs(moved);
        }
        m_span.draft() = draft;
        if (!m_window.add())
            return false;
    }
    m_relative.erase(waiting);
    return true;
}

// ---- documents of Elasticsearch ----

bool ElasticSpans::readDocument(JsonNode document, std::string_view event)
{
    m_span.begin();
    if (event == "error") {
        readDocumentError(document);
        return true;
    }
    const bool isTransaction = event == "transaction";
    if (!isTransaction && event != "span")
        return true; // metrics
    readDocumentIds(document, isTransaction);
    readDocumentTimes(document, isTransaction);
    m_span.setName(document.at(isTransaction ? "transaction.name" : "span.name").text());
    m_span.row().flags.setKind(kindOf(isTransaction, document.at(isTransaction ? "transaction.type" : "span.type").text()));
    m_span.setKind(document.at("span.kind"));
    if (document.at("event.outcome").text() == "failure")
        m_span.row().flags.setStatus(SpanStatus::Error);
    m_span.flattened("", document, documentNames);
    m_span.flattened("", document["labels"]);
    m_span.flattened("", document["numeric_labels"]);
    readLinks(document.at("span.links"));
    readDocumentResource(document);
    if (isTransaction)
        return addTransaction();
    const JsonNode offset = document.at("span.start.us");
    if (!offset)
        return m_window.add();
    const SpanId transaction = decodeSpanId(document.at("transaction.id").text()).id;
    m_span.row().start = {};
    m_span.row().end = unknownTime;
    m_span.setDuration(document.at("span.duration.us"), TimeUnit::Microseconds);
    return add(transaction, offset, TimeUnit::Microseconds);
}

/// Before version 6.5 a span's id was a number, beside the id in hex digits.
void ElasticSpans::readDocumentIds(JsonNode document, bool isTransaction)
{
    const JsonNode transaction = document.at("transaction.id");
    m_span.setTraceId((document.at("trace.id") ? document.at("trace.id") : transaction).text());
    if (isTransaction) {
        m_span.setSpanId(transaction.text());
        m_span.setParentId(document.at("parent.id").text());
        return;
    }
    SpanDraft& draft = m_span.draft();
    if (const JsonNode hex = document.at("span.hex_id"))
        m_span.setSpanId(hex.text());
    else
        setOldId(document.at("span.id"), draft.row.spanId, draft.spanIdText);
    if (const JsonNode parent = document.at("parent.id"))
        m_span.setParentId(parent.text());
    else if (const JsonNode old = document.at("span.parent"))
        setOldId(old, draft.row.parentId, draft.parentIdText);
    else
        m_span.setParentId(transaction.text());
}

/// A number is an id as a text: its digits are no hex digits.
void ElasticSpans::setOldId(JsonNode id, SpanId& to, std::string& text)
{
    const std::string source = id.text();
    const bool isNumber = id.token().kind == JsonKind::Number;
    const DecodedId<SpanId> decoded = isNumber ? DecodedId<SpanId>{opaqueSpanId(source), true} : decodeSpanId(source);
    to = decoded.id;
    text = decoded.isOpaque ? source : std::string();
}

/// timestamp.us is the time of the span; @timestamp is rounded to milliseconds.
void ElasticSpans::readDocumentTimes(JsonNode document, bool isTransaction)
{
    const JsonNode us = document.at("timestamp.us");
    m_span.row().start = us ? m_span.time(us, TimeUnit::Microseconds) : m_span.time(document["@timestamp"], TimeUnit::Milliseconds);
    m_span.setDuration(document.at(isTransaction ? "transaction.duration.us" : "span.duration.us"), TimeUnit::Microseconds);
}

void ElasticSpans::readDocumentError(JsonNode document)
{
    const JsonNode us = document.at("timestamp.us");
    const JsonNode parent = document.at("parent.id");
    m_span.setTraceId(document.at("trace.id").text());
    m_span.setSpanId((parent ? parent : document.at("transaction.id")).text());
    readException(
        document["error"], us ? m_span.time(us, TimeUnit::Microseconds) : m_span.time(document["@timestamp"], TimeUnit::Milliseconds));
}

void ElasticSpans::readDocumentResource(JsonNode document)
{
    static constexpr AttributeName names[] = {
        {"service.environment", "deployment.environment.name"}, {"service.node.name", "service.instance.id"}};
    Resource resource;
    m_span.flattened(resource.attributes, "service.", document["service"], names);
    for (const std::string_view name : {"service.name", "service.version", "service.environment"})
        if (const JsonNode value = document[name])
            resource.attributes.push_back(
                {name == "service.environment" ? "deployment.environment.name" : std::string(name), m_span.value(value)});
    m_span.flattened(resource.attributes, "agent.", document["agent"]);
    m_span.flattened(resource.attributes, "host.", document["host"]);
    m_span.setResource(resource);
}

} // namespace chokepoint
