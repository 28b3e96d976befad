// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One run of LangSmith: who it is, told from whichever of its members are there, and its span.
#pragma once

#include "core/import/llmspan.h"

#include <string>
#include <string_view>

namespace chokepoint {

/// The ids of a run in lower case; empty ones are unknown (trace, run) or none (parent).
struct RunIds {
    std::string run;
    std::string parent;
    std::string trace;
};

/// \a enclosing are the ids of the run that has \a run among its child_runs; empty for others.
[[nodiscard]] RunIds runIds(JsonNode run, const RunIds& enclosing);

/// Fills \a llm's span, which is new.
void readRun(JsonNode run, const RunIds& ids, LlmSpan& llm);

} // namespace chokepoint
