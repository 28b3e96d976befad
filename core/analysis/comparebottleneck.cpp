// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The bottleneck of each side, its near ties, and the support for the claim that it moved.
#include "core/analysis/comparestages.h"

#include <algorithm>
#include <numeric>

namespace chokepoint {

namespace {

constexpr double moveSupport = 0.95; // share of replicates in which the tops have to differ
constexpr double rarePresence = 0.05; // a stage below this share of traces was hardly there
constexpr double commonPresence = 0.25;

/// Index of the largest; ties: the first, that is, by name.
template <typename At> std::size_t largest(std::size_t count, const At& at)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i)
        best = at(i) > at(best) ? i : best;
    return best;
}

std::size_t topOf(const SideFigures& side)
{
    return largest(side.topSums.size(), [&](std::size_t t) { return side.topSums[t]; });
}

std::size_t topOf(const SideReplicates& replicates, std::size_t replicate)
{
    return largest(replicates.tops, [&](std::size_t t) { return replicates.top(replicate, t); });
}

Interval lead(const SideReplicates& replicates, std::size_t ahead, std::size_t behind)
{
    std::vector<double> differences(replicates.count());
    for (std::size_t r = 0; r < differences.size(); ++r)
        differences[r] = replicates.top(r, ahead) - replicates.top(r, behind);
    return percentileInterval(differences);
}

/// The top stage and all that cannot be told from it, largest first.
std::vector<std::string> jointTops(const StageAxis& axis, const SideFigures& side, const SideReplicates& replicates)
{
    const std::size_t top = topOf(side);
    std::vector<std::size_t> order(axis.tops.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return side.topSums[a] > side.topSums[b]; });
    std::vector<std::string> names;
    for (const std::size_t stage : order) {
        if (stage == top || !lead(replicates, top, stage).excludesZero())
            names.push_back(axis.tops[stage]);
    }
    return names;
}

std::string reasonFor(const BottleneckVerdict& verdict, const std::vector<StageRow>& stages)
{
    const auto row = [&](const std::string& name) {
        return std::find_if(stages.begin(), stages.end(), [&](const StageRow& stage) { return stage.stage == name; });
    };
    const auto oldTop = row(verdict.before);
    const auto newTop = row(verdict.after);
    if (newTop->beforePresence < rarePresence && newTop->afterPresence >= commonPresence)
        return "a new path appeared";
    const bool shrank = oldTop->significant && oldTop->contribution < Duration(0);
    const bool grew = newTop->significant && newTop->contribution > Duration(0);
    return shrank && grew ? "both" : shrank ? "the old one shrank" : grew ? "another grew" : "";
}

} // namespace

void considerMix(BottleneckVerdict& verdict, const std::vector<StageRow>& stages, const MixShift& mix)
{
    if (!mix.matters || verdict.before == verdict.after)
        return;
    Duration largest = Duration::min();
    std::string top;
    for (const MixStage& split : mix.stages) { // by name, as ties go
        const auto row = std::find_if(stages.begin(), stages.end(), [&](const StageRow& stage) { return stage.stage == split.stage; });
        if (row == stages.end())
            continue;
        const Duration likeForLike = row->afterMean - split.mix - split.traffic;
        if (likeForLike > largest) {
            largest = likeForLike;
            top = split.stage;
        }
    }
    if (top == verdict.before)
        verdict.why = "the mix changed";
}

BottleneckVerdict compareBottlenecks(const StageAxis& axis, const SideFigures& before, const SideFigures& after,
    const SideReplicates& beforeReplicates, const SideReplicates& afterReplicates, const std::vector<StageRow>& stages)
{
    BottleneckVerdict verdict;
    if (axis.tops.empty() || before.e2eSum == 0 || after.e2eSum == 0)
        return verdict;
    const std::size_t oldTop = topOf(before);
    const std::size_t newTop = topOf(after);
    verdict.before = axis.tops[oldTop];
    verdict.after = axis.tops[newTop];
    verdict.jointBefore = jointTops(axis, before, beforeReplicates);
    verdict.jointAfter = jointTops(axis, after, afterReplicates);

    std::size_t differing = 0;
    std::size_t asReported = 0;
    const std::size_t replicates = std::min(beforeReplicates.count(), afterReplicates.count());
    for (std::size_t r = 0; r < replicates; ++r) {
        const std::size_t top = topOf(beforeReplicates, r);
        const std::size_t topAfter = topOf(afterReplicates, r);
        differing += top != topAfter ? 1 : 0;
        asReported += top == oldTop && topAfter == newTop ? 1 : 0;
    }
    verdict.confidence = replicates == 0 ? 0 : double(asReported) / double(replicates);
    if (oldTop == newTop)
        return verdict;
    const bool enough = isEnoughForMean(before) && isEnoughForMean(after);
    const bool supported = replicates > 0 && double(differing) >= moveSupport * double(replicates);
    verdict.moved = enough && supported && lead(afterReplicates, newTop, oldTop).low > 0;
    verdict.mayHaveMoved = !verdict.moved;
    verdict.why = reasonFor(verdict, stages);
    return verdict;
}

} // namespace chokepoint
