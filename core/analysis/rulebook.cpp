// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluation of rule conditions in three values, so that what a span says for itself is settled once and cached.
#include "core/analysis/rulebook.h"

namespace chokepoint {

namespace {

Truth truth(bool value)
{
    return value ? Truth::True : Truth::False;
}

Truth negated(Truth value)
{
    return value == Truth::Open ? Truth::Open : truth(value == Truth::False);
}

/// All and Any: the \a decisive value of one part settles it, else an open part leaves it open.
Truth combined(const Condition& condition, Truth decisive, const std::vector<std::uint64_t>& answers, const Surroundings* surroundings,
    const StageRules& rules)
{
    Truth result = negated(decisive);
    for (const Condition& part : condition.parts) {
        const Truth value = evaluate(part, answers, surroundings, rules);
        if (value == decisive)
            return decisive;
        if (value == Truth::Open)
            result = Truth::Open;
    }
    return result;
}

} // namespace

StageSet stageAndParts(const StageTable& table, StageId stage)
{
    StageSet set;
    for (std::size_t i = 0; i < table.size(); ++i)
        set[i] = StageId(i) == stage || table.topLevel(StageId(i)) == stage;
    return set;
}

bool matchesRuleId(std::string_view pattern, std::string_view id)
{
    if (!pattern.empty() && pattern.back() == '*')
        return id.starts_with(pattern.substr(0, pattern.size() - 1));
    return pattern == id;
}

Truth evaluate(
    const Condition& condition, const std::vector<std::uint64_t>& answers, const Surroundings* surroundings, const StageRules& rules)
{
    switch (condition.kind) {
    case Condition::Kind::All: return combined(condition, Truth::False, answers, surroundings, rules);
    case Condition::Kind::Any: return combined(condition, Truth::True, answers, surroundings, rules);
    case Condition::Kind::Not: return negated(evaluate(condition.parts.front(), answers, surroundings, rules));
    case Condition::Kind::Probe: return truth((answers[condition.probe / 64] >> (condition.probe % 64) & 1U) != 0);
    default: break;
    }
    if (surroundings == nullptr)
        return Truth::Open;
    switch (condition.kind) {
    case Condition::Kind::UnderStage:
        return truth(surroundings->ancestor != StageTable::noStage && condition.stages[toIndex(surroundings->ancestor)]);
    case Condition::Kind::UnderLeaf: return truth(surroundings->ancestorIsLeaf == condition.expected);
    case Condition::Kind::HasStageBelow: return truth((surroundings->below & condition.stages).any() == condition.expected);
    default: break;
    }
    const std::size_t count = (surroundings->below & rules.topLevel).count();
    return truth(count >= condition.atLeast && count <= condition.atMost);
}

} // namespace chokepoint
