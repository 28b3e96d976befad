// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/elasticreader.h"

#include "core/import/elasticspans.h"
#include "core/import/jsonhead.h"
#include "core/import/treerecords.h"

#include <array>

namespace chokepoint {

namespace {

class ElasticApmReader final : public TraceReader {
public:
    Result<void> read(ByteSource& bytes, SpanSink& sink) override
    {
        static constexpr std::array<std::string_view, 3> lists = {"hits.hits", "docs", "data"};
        return readTrees<ElasticSpans>(bytes, sink, lists);
    }
};

} // namespace

Sniffed sniffElasticApm(std::string_view head, bool)
{
    const JsonHead json(textOfHead(head));
    const bool isIntake = json.has("metadata.service") || json.hasAll({"transaction.trace_id"}) || json.hasAll({"span.trace_id"})
        || json.hasAll({"transaction.span_count"}) || json.hasAll({"span.transaction_id", "span.type"});
    return isIntake || json.hasAll({"processor.event"}) ? Sniffed::Yes : Sniffed::No;
}

std::unique_ptr<TraceReader> createElasticApmReader()
{
    return std::make_unique<ElasticApmReader>();
}

} // namespace chokepoint
