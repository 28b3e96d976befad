// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome Trace Event JSON (PyTorch profiler, vLLM, JAX, chrome://tracing, V8, Perfetto's JSON): a file is one trace.
#pragma once

#include "core/import/tracereader.h"

#include <memory>
#include <string_view>

namespace chokepoint {

[[nodiscard]] Sniffed sniffChromeJson(std::string_view head, bool isWhole);
/// Keeps about 100 bytes an event until the end, because parents can be told only then.
[[nodiscard]] std::unique_ptr<TraceReader> createChromeJsonReader();

} // namespace chokepoint
