// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Words and small grammars in attribute values that tell of attempts.
#pragma once

#include "core/analysis/attemptfacts.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace chokepoint {

/// Ignoring case (ASCII); \a words are lower case.
[[nodiscard]] bool isOneOf(std::string_view text, std::initializer_list<std::string_view> words);
/// The number that \a text is, or nothing.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(std::string_view text);
/// The number after \a mark: of "x-litellm-attempted-retries":"2" it is 2.
[[nodiscard]] std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view mark);
/// Path and query of a URL; a text that is none stays as it is.
[[nodiscard]] std::string_view targetOfUrl(std::string_view url);
[[nodiscard]] std::string_view hostOfUrl(std::string_view url); // with the port
/// As AttemptFact::model.
[[nodiscard]] std::uint32_t modelHash(std::string_view model);
[[nodiscard]] CheckVerdict verdictOf(std::string_view text);
/// Has "retry", "attempt" or "previous" in it: a link that says so leads to the attempt before.
[[nodiscard]] bool speaksOfRetry(std::string_view text);

} // namespace chokepoint
