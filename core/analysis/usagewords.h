// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The many words for one thing: names of providers, reasons to finish, errors that come before any token.
#pragma once

#include "core/analysis/usage.h"

#include <string>
#include <string_view>

namespace chokepoint {

/// "Azure" -> "azure.ai.openai", "openai.chat" -> "openai", "vLLM" -> "vllm". Names of frameworks ("langchain") say nothing about the
/// provider: then \a model decides ("claude-..." -> "anthropic"), or the result is "".
[[nodiscard]] std::string providerName(std::string_view text, std::string_view model);

/// "end_turn" -> Stop. Unknown for other words.
[[nodiscard]] FinishReason finishReason(std::string_view word);
/// The last known reason of a word, a comma list, or a JSON array of words.
[[nodiscard]] FinishReason finishReasonOfText(std::string_view text);

/// The error says that no model has worked: a limit, missing rights, a bad request, no connection. Timeouts do not.
[[nodiscard]] bool isRefusal(std::string_view errorType);
/// The beginning of an error message speaks of a rate limit.
[[nodiscard]] bool isRateLimit(std::string_view message);

} // namespace chokepoint
