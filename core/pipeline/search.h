// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Literal search over all spans of a dataset.
#pragma once

#include "core/pipeline/dataset.h"

#include <string>
#include <vector>

namespace chokepoint {

/// One span that contains the text, and the first place where it does.
struct SearchHit {
    std::string traceId;
    std::string spanId;
    std::string field; // "name", "service", "trace_id", "span_id", or the attribute's key
};

/// Case-insensitive literal substring over span names, service names, trace and span ids and attribute values (containers
/// as compact JSON), in trace order. An empty text finds nothing. Fails with Cancelled or what the store returned.
[[nodiscard]] Result<std::vector<SearchHit>> searchSpans(const Dataset& dataset, const std::string& text, const JobControl& job);

} // namespace chokepoint
