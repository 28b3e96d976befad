// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Dumps of the OpenAI Agents SDK: records of traces and spans in any order, as its trace processors hand them on.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffOpenAiAgents(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createOpenAiAgentsReader();

} // namespace chokepoint
