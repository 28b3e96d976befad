// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Jaeger JSON: answers of the query service and downloads of its window, bare traces, lists, and Elasticsearch documents.
#pragma once

#include "core/import/tracereader.h"

#include <memory>
#include <string_view>

namespace chokepoint {

[[nodiscard]] Sniffed sniffJaegerJson(std::string_view head, bool isWhole);

/// A record is one trace, or one span that stands alone. Memory: one record as text up to 8 MiB; of longer ones the packed spans
/// of one trace, because its processes come last.
[[nodiscard]] std::unique_ptr<TraceReader> createJaegerJsonReader();

} // namespace chokepoint
