// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What Go's stdouttrace exporter prints.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffGoConsole(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createGoConsoleReader();

} // namespace chokepoint
