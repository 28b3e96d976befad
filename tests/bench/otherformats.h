// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The workload's spans in the JSON of other tools: what stands between the brackets of their lists, without commas around it.
#pragma once

#include "tests/bench/workload.h"

#include <span>
#include <string>

namespace chokepoint::bench {

/// One trace as Jaeger's UI downloads it: an object for {"data":[...]}. All \a spans are of one trace.
[[nodiscard]] std::string jaegerTrace(std::span<const RequestSpan> spans);
/// Zipkin v2 spans for a list.
[[nodiscard]] std::string zipkinSpans(std::span<const RequestSpan> spans);
/// Complete events for {"traceEvents":[...]}, as chrome://tracing saves them: a process a service, a thread a span, since calls that
/// run side by side do not nest. Requests that overlap in time need threads of their own: a different \a lane.
[[nodiscard]] std::string chromeEvents(std::span<const RequestSpan> spans, std::uint64_t lane);

} // namespace chokepoint::bench
