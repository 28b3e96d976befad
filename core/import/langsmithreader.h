// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// LangSmith runs: lists and lines, trees of child_runs, and the batches of creations and updates that its SDK sends.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffLangSmith(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createLangSmithReader();

} // namespace chokepoint
