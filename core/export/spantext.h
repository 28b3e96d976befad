// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One span as the cells of a table row: what CSV, HTML and Markdown show, before each escapes it in its own way.
#pragma once

#include "core/export/exporter.h"

#include <string>

namespace chokepoint {

struct SpanText {
    std::string traceId;
    std::string spanId;
    std::string parentId; // "" for a root
    std::string service;
    std::string name;
    std::string kind;
    std::string status;
    std::string statusMessage;
    std::string stage;
    std::string attributes; // compact JSON object; "" when there are none
    Timestamp start = unknownTime;
    Duration duration = unknownDuration;
};

/// Valid UTF-8 throughout, otherwise the text of the source.
[[nodiscard]] SpanText spanText(const Trace& trace, std::size_t span, const ExportOptions& options);

} // namespace chokepoint
