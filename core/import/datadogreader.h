// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Datadog: what tracers send to the agent, what the API answers, and what the trace page downloads.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffDatadog(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createDatadogReader();

} // namespace chokepoint
