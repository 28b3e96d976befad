// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Elastic APM's transactions, spans and errors as spans and events, from lines of the intake or documents of Elasticsearch.
#pragma once

#include "core/import/spanwindow.h"

#include <unordered_map>

namespace chokepoint {

class ElasticSpans {
public:
    ElasticSpans(SpanSink& sink, const RecordPlace& place) : m_span(sink, place), m_window(m_span) { }

    [[nodiscard]] bool read(JsonNode record);
    [[nodiscard]] std::optional<Error> failure() const { return m_span.failure(); }
    [[nodiscard]] Result<void> finish();

private:
    // Lines of the intake: {"transaction": {...}} and so on; metadata applies to all that follows.
    void readMetadata(JsonNode metadata);
    [[nodiscard]] bool readTransaction(JsonNode transaction);
    [[nodiscard]] bool readSpan(JsonNode span);
    void readError(JsonNode error);
    void readCommon(JsonNode record);
    void readKind(JsonNode record, bool isTransaction);
    void readResource(JsonNode service);
    void readLinks(JsonNode links);

    // Documents of Elasticsearch, as objects in each other or with dotted names.
    [[nodiscard]] bool readDocument(JsonNode document, std::string_view event);
    void readDocumentIds(JsonNode document, bool isTransaction);
    void readDocumentTimes(JsonNode document, bool isTransaction);
    void readDocumentError(JsonNode document);
    void readDocumentResource(JsonNode document);
    void setOldId(JsonNode id, SpanId& to, std::string& text);

    void readException(JsonNode error, Timestamp time);
    [[nodiscard]] bool add(SpanId transaction, JsonNode offset, TimeUnit unit);
    [[nodiscard]] bool addTransaction();

    TreeSpan m_span;
    SpanWindow m_window;
    Resource m_resource; // of the lines that follow
    std::unordered_map<SpanId, Timestamp> m_starts; // of transactions
    std::unordered_map<SpanId, std::vector<SpanDraft>> m_relative; // spans whose transaction has not come; times from its start
};

} // namespace chokepoint
