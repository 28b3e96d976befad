// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// JSON.stringify() of the JavaScript SDK's ReadableSpan: times are [seconds, nanoseconds], kinds count from INTERNAL = 0.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffReadableSpans(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createReadableSpanReader();

} // namespace chokepoint
