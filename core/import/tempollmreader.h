// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tempo's answer for language models: a trace with services, scopes and spans by their names, attributes as plain objects.
#pragma once

#include "core/import/tracereader.h"

#include <memory>
#include <string_view>

namespace chokepoint {

/// Yes when a trace with services stands among the first bytes.
[[nodiscard]] Sniffed sniffTempoLlm(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createTempoLlmReader();

} // namespace chokepoint
