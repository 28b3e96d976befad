// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/vocabularies.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

/// The vocabulary that a rule reads, of those that state a kind outright; nothing for rules that go by less.
std::string_view vocabularyOf(const StageRule& rule)
{
    constexpr std::string_view noSteps = "T1-05"; // says that a span is none, whatever else it has
    if (rule.id.starts_with("T1-") && rule.id != noSteps)
        return rule.id;
    if (!rule.id.starts_with("T2-"))
        return {};
    return rule.id == "T2-40" ? "llm.request.type" : "gen_ai";
}

} // namespace

std::optional<VocabularyConflict> vocabularyConflict(const StageRules& rules, const std::vector<std::uint64_t>& answers)
{
    const StageRule* won = nullptr;
    for (const StageRule& rule : rules.rules) {
        if (rule.source != StageRule::Source::Fixed || evaluate(rule.when, answers, nullptr, rules) != Truth::True)
            continue;
        const std::string_view vocabulary = vocabularyOf(rule);
        if (vocabulary.empty())
            return std::nullopt;
        if (won == nullptr)
            won = &rule;
        else if (vocabularyOf(*won) != vocabulary && rules.table.topLevel(won->stage) != rules.table.topLevel(rule.stage))
            return VocabularyConflict{won, &rule};
    }
    return std::nullopt;
}

std::string toText(const VocabularyConflict& conflict, const StageTable& table)
{
    return fmt::format("{} says {} and counts, {} says {}", conflict.won->id, table.name(conflict.won->stage), conflict.lost->id,
        table.name(conflict.lost->stage));
}

} // namespace chokepoint
