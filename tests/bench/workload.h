// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A deterministic retrieval-augmented generation service: 20 spans a request over three services, about 10 attributes a span.
#pragma once

#include "core/analysis/stages.h"
#include "core/model/packed.h"
#include "core/model/tracecolumns.h"

#include <array>
#include <string_view>
#include <vector>

namespace chokepoint::bench {

inline constexpr unsigned spansPerRequest = 20;
inline constexpr std::array<std::string_view, 3> serviceNames{"rag-api", "retriever", "llm-gateway"};

/// How long the steps take: After has a faster model and a slower reranker.
enum class Variant { Before, After };

struct RequestSpan {
    TraceId traceId;
    SpanId spanId;
    SpanId parentId; // null for the root
    unsigned service = 0; // index into serviceNames
    std::string_view name;
    SpanKind kind{};
    SpanStatus status{};
    std::int64_t start = 0; // ns
    std::int64_t end = 0;
    AttributeList attributes;
    std::vector<SpanEvent> events;
};

/// The spans of request \a number; parents before children. Equal arguments give equal spans.
[[nodiscard]] std::vector<RequestSpan> makeRequest(std::uint64_t seed, std::uint64_t number, Variant variant);
/// Attributes of the resource of one service.
[[nodiscard]] AttributeList resourceAttributes(unsigned service);

/// Requests as analysis sees them, without payloads, and the stage of every span.
struct WorkloadColumns {
    TraceColumns columns;
    StageMap stages;
};
[[nodiscard]] WorkloadColumns workloadColumns(std::uint64_t seed, std::uint64_t requests, Variant variant);

} // namespace chokepoint::bench
