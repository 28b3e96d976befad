// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/walkpattern.h"

#include <algorithm>
#include <optional>

namespace chokepoint::attempts {

namespace {

using Steps = std::span<const Step>;

constexpr RoleSet optionalRoles =
    roleBit(StageRole::Cache) | roleBit(StageRole::Guardrail) | roleBit(StageRole::Route) | roleBit(StageRole::Preprocess);

RoleSet rolesOf(Steps steps)
{
    RoleSet roles = 0;
    for (const Step& step : steps)
        roles |= roleBit(step.role);
    return roles;
}

std::vector<Step> distinct(Steps steps)
{
    std::vector<Step> result;
    for (const Step& step : steps)
        if (std::find(result.begin(), result.end(), step) == result.end())
            result.push_back(step);
    return result;
}

/// A walk of a pipeline, not the turns of an agent.
bool isWalk(Steps word)
{
    const RoleSet roles = rolesOf(word);
    constexpr RoleSet turns = roleBit(StageRole::Generate) | roleBit(StageRole::Tool);
    const bool answers = (roles & (roleBit(StageRole::Generate) | roleBit(StageRole::Retrieve))) != 0;
    return answers && (roles & ~turns) != 0 && distinct(word).size() >= 2;
}

/// Where \a word, of which optional steps may be missing, ends in \a steps from \a at on; nothing when it is not there.
std::optional<std::size_t> match(Steps steps, std::size_t at, Steps word)
{
    std::size_t position = at;
    for (const Step& step : word) {
        if (position < steps.size() && steps[position] == step)
            ++position;
        else if ((roleBit(step.role) & optionalRoles) == 0)
            return std::nullopt;
    }
    return position > at ? std::optional(position) : std::nullopt;
}

/// \a steps are the beginning of \a word, of which optional steps may be missing.
bool isPrefix(Steps steps, Steps word)
{
    std::size_t position = 0;
    for (const Step& step : word) {
        if (position == steps.size())
            return true;
        if (steps[position] == step)
            ++position;
        else if ((roleBit(step.role) & optionalRoles) == 0)
            return false;
    }
    return position == steps.size();
}

WalkPattern periodic(Steps steps, std::size_t offset)
{
    for (std::size_t m = 2; m <= steps.size() / 2; ++m) {
        const Steps word = steps.first(m);
        if (!isWalk(word))
            continue;
        WalkPattern found;
        found.walks.push_back({offset, offset + m});
        std::size_t at = m;
        while (const std::optional<std::size_t> end = match(steps, at, word)) {
            found.walks.push_back({offset + at, offset + *end});
            at = *end;
        }
        if (found.walks.size() >= 2 && isPrefix(steps.subspan(at), word))
            return found;
    }
    return {};
}

/// Splits at each retrieval, or the embedding right before it.
WalkPattern anchored(Steps steps)
{
    std::vector<std::size_t> anchors;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].role == StageRole::Retrieve)
            anchors.push_back(i > 0 && steps[i - 1].role == StageRole::Embed ? i - 1 : i);
    WalkPattern found;
    found.anchored = true;
    std::vector<Step> first;
    for (std::size_t a = 0; a < anchors.size(); ++a) {
        const std::size_t end = a + 1 < anchors.size() ? anchors[a + 1] : steps.size();
        const Steps segment = steps.subspan(anchors[a], end - anchors[a]);
        if ((rolesOf(segment) & roleBit(StageRole::Generate)) == 0)
            return {};
        const std::vector<Step> stages = distinct(segment);
        if (a == 0)
            first = stages;
        const auto common = std::size_t(std::count_if(
            stages.begin(), stages.end(), [&](const Step& step) { return std::find(first.begin(), first.end(), step) != first.end(); }));
        const std::size_t all = first.size() + stages.size() - common;
        if (5 * common < 4 * all) // 80 % of the stages in both
            return {};
        found.walks.push_back({anchors[a], end});
    }
    return found.walks.size() >= 2 ? found : WalkPattern{};
}

/// One walk that failed, and the beginning of another: what timeouts leave.
WalkPattern brokenOff(Steps steps, std::size_t offset, const std::function<bool(std::size_t, std::size_t)>& endsFailed)
{
    for (std::size_t m = 3; m + 2 <= steps.size(); ++m) {
        const Steps rest = steps.subspan(m);
        if (rest.size() >= m || !isWalk(steps.first(m)) || !std::equal(rest.begin(), rest.end(), steps.begin()))
            continue;
        if (endsFailed(offset, offset + m))
            return {{{offset, offset + m}, {offset + m, offset + steps.size()}}, false, true};
    }
    return {};
}

/// How many steps at the beginning occur only there.
std::size_t leadingOnceOnly(Steps steps)
{
    std::size_t count = 0;
    while (count < steps.size() && std::count(steps.begin(), steps.end(), steps[count]) == 1)
        ++count;
    return count;
}

} // namespace

WalkPattern findWalks(Steps steps, const std::function<bool(std::size_t, std::size_t)>& endsFailed)
{
    steps = steps.first(std::min(steps.size(), mostSteps));
    const std::size_t once = leadingOnceOnly(steps);
    for (const std::size_t skipped : {std::size_t(0), once})
        if (WalkPattern found = periodic(steps.subspan(skipped), skipped); found.walks.size() >= 2)
            return found;
    if (WalkPattern found = anchored(steps); found.walks.size() >= 2)
        return found;
    for (const std::size_t skipped : {std::size_t(0), once})
        if (WalkPattern found = brokenOff(steps.subspan(skipped), skipped, endsFailed); found.walks.size() >= 2)
            return found;
    return {};
}

} // namespace chokepoint::attempts
