// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One observation of Langfuse as a span; members in the API's camelCase or the blob export's snake_case.
#pragma once

#include "core/import/llmspan.h"

namespace chokepoint {

/// Whether \a record is an observation: a type and a start. Rows of traces, sessions and scores are none.
[[nodiscard]] bool isLangfuseObservation(JsonNode record);

/// Fills \a llm's span, which is new. A trace id that the observation lacks stays null.
void readLangfuseObservation(JsonNode observation, LlmSpan& llm);

/// Metadata of an observation or trace: what the SDK put in from OpenTelemetry becomes attributes, resource and scope again, the
/// rest is kept as JSON text.
void readLangfuseMetadata(JsonNode metadata, LlmSpan& llm);

} // namespace chokepoint
