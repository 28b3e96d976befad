// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What Python's ConsoleSpanExporter prints: JSON objects between a program's own lines.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffPythonConsole(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createPythonConsoleReader();

} // namespace chokepoint
