// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The "when" of a stage rule, from JSON to a condition.
#pragma once

#include "core/analysis/rulebook.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <initializer_list>

namespace chokepoint {

/// Turns \a when into a condition; its probes are added to \a rules (equal ones are shared). Errors carry no place; the caller
/// knows the rule.
[[nodiscard]] Result<Condition> parseCondition(const nlohmann::json& when, StageRules& rules);

/// Fails when \a object has a key that is not in \a known, naming it and the known ones.
[[nodiscard]] Result<void> checkKeys(const nlohmann::json& object, std::initializer_list<std::string_view> known);

/// One text or an array of texts; anything else is an error that names \a what.
[[nodiscard]] Result<std::vector<std::string>> parseTexts(const nlohmann::json& value, std::string_view what);

/// A regular expression that ignores case; errors name \a what.
[[nodiscard]] Result<std::shared_ptr<const re2::RE2>> parsePattern(const nlohmann::json& value, std::string_view what);

/// The id of a stage that the files define.
[[nodiscard]] Result<StageId> parseStage(std::string_view name, const StageTable& table);

} // namespace chokepoint
