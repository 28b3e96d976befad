// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MLflow traces: whole ones with their description, rows of a data frame, and single spans, each in any of three generations.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffMlflow(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createMlflowReader();

} // namespace chokepoint
