// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Azure Application Insights: rows of its tables, answers of the query API, and what SDKs send.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffAppInsights(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createAppInsightsReader();

} // namespace chokepoint
