// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Elastic APM: what agents send (intake version 2), and the documents in Elasticsearch.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffElasticApm(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createElasticApmReader();

} // namespace chokepoint
