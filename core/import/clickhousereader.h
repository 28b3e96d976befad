// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the table otel_traces, which the collector writes to ClickHouse, as JSON.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffClickHouse(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createClickHouseReader();

} // namespace chokepoint
