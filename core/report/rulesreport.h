// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint rules --explain`: which rule gave which spans their stage.
#pragma once

#include "core/analysis/population.h"

#include <string>
#include <vector>

namespace chokepoint {

/// Spans that got \a stage by \a rule, with one of them as an example.
struct RuleUse {
    std::string rule;
    std::string stage;
    std::uint64_t spans = 0;
    std::string exampleService;
    std::string exampleName;
};

/// Most spans first, then by rule and stage.
[[nodiscard]] std::vector<RuleUse> ruleUses(const TraceColumns& columns, const StageMap& stages);
/// Share of the path's time that has a stage of its own: everything but "other".
[[nodiscard]] double stageCoverage(const Population& population);

[[nodiscard]] std::string rulesJson(const std::vector<RuleUse>& uses, const Population& population);
[[nodiscard]] std::string rulesText(const std::vector<RuleUse>& uses, const Population& population);

} // namespace chokepoint
