// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Positions only; painting is elsewhere.
#include "views/compare/comparelayouts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chokepoint {

// ---- share bars -----------------------------------------------------------------------------------------------------

std::vector<ShareSegment> layoutShareBars(std::span<const SharePair> shares, double width)
{
    SharePair total;
    for (const SharePair& share : shares) {
        total.before += share.before;
        total.after += share.after;
    }
    const auto edge = [width](double sum, double all) { return all > 0 ? width * std::min(1.0, sum / all) : 0; };

    std::vector<ShareSegment> segments;
    segments.reserve(shares.size());
    SharePair sum;
    ShareSegment last; // edges reached so far are its ends
    for (std::size_t i = 0; i < shares.size(); ++i) {
        sum.before += shares[i].before;
        sum.after += shares[i].after;
        const bool end = i + 1 == shares.size(); // rounding must not leave a gap at the end
        const double beforeEnd = edge(end ? total.before : sum.before, total.before);
        const double afterEnd = edge(end ? total.after : sum.after, total.after);
        const ShareSegment next{last.beforeX + last.beforeWidth, beforeEnd - (last.beforeX + last.beforeWidth),
            last.afterX + last.afterWidth, afterEnd - (last.afterX + last.afterWidth)};
        segments.push_back(next);
        last = next;
    }
    return segments;
}

// ---- contributions --------------------------------------------------------------------------------------------------

namespace {

void setAxis(DeltaLayout& layout)
{
    Duration low = std::min(layout.before, layout.after);
    Duration high = std::max(layout.before, layout.after);
    for (const DeltaStep& step : layout.steps) {
        low = std::min(low, step.to);
        high = std::max(high, step.to);
    }
    const Duration range = high - low;
    layout.high = high;
    layout.broken = low > Duration{0} && range > Duration{0} && range < high / 3;
    // A fifth of the axis stays for the total bars.
    layout.low = layout.broken ? std::max(Duration{0}, low - range / 4) : std::min(low, Duration{0});
}

} // namespace

DeltaLayout layoutDelta(Duration before, std::span<const Duration> contributions, std::size_t maxSteps)
{
    std::vector<std::size_t> order(contributions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return std::chrono::abs(contributions[a]) > std::chrono::abs(contributions[b]); });

    DeltaLayout layout;
    layout.before = before;
    const std::size_t own = order.size() <= maxSteps ? order.size() : maxSteps - 1;
    Duration total = before;
    const auto push = [&](std::size_t stage, Duration contribution) {
        layout.steps.push_back({stage, contribution, total, total + contribution});
        total += contribution;
    };
    for (std::size_t i = 0; i < own; ++i)
        push(order[i], contributions[order[i]]);
    if (own < order.size()) {
        Duration rest{};
        for (std::size_t i = own; i < order.size(); ++i)
            rest += contributions[order[i]];
        layout.folded = order.size() - own;
        push(foldedStage, rest);
    }
    layout.after = total;
    setAxis(layout);
    return layout;
}

// ---- ranks ----------------------------------------------------------------------------------------------------------

namespace {

/// Gives the lines slots on one side, in the order of their ranks there.
void assignSlots(std::vector<SlopeLine>& lines, std::span<const RankPair> ranks, unsigned RankPair::*rank, int SlopeLine::*slot)
{
    std::vector<SlopeLine*> present;
    for (SlopeLine& line : lines)
        if (ranks[line.stage].*rank > 0)
            present.push_back(&line);
    std::ranges::stable_sort(present, {}, [&](const SlopeLine* line) { return ranks[line->stage].*rank; });
    for (std::size_t i = 0; i < present.size(); ++i)
        present[i]->*slot = int(i);
}

} // namespace

SlopeLayout layoutSlope(std::span<const RankPair> ranks, unsigned top)
{
    SlopeLayout layout;
    const auto inTop = [top](unsigned rank) { return rank >= 1 && rank <= top; };
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (inTop(ranks[i].before) || inTop(ranks[i].after))
            layout.lines.push_back({i, -1, -1});
        else
            ++layout.folded;
    }
    assignSlots(layout.lines, ranks, &RankPair::before, &SlopeLine::beforeSlot);
    assignSlots(layout.lines, ranks, &RankPair::after, &SlopeLine::afterSlot);
    std::ranges::stable_sort(layout.lines, {}, [](const SlopeLine& line) { return unsigned(line.beforeSlot); }); // -1 is the largest
    for (const SlopeLine& line : layout.lines)
        layout.rows = std::max({layout.rows, line.beforeSlot + 1, line.afterSlot + 1});
    return layout;
}

// ---- distributions --------------------------------------------------------------------------------------------------

std::vector<QPointF> ecdfSteps(std::span<const Duration> sorted, double pixels)
{
    if (sorted.empty())
        return {};
    const auto toMs = [](Duration d) { return double(toNs(d)) / 1e6; };
    const double low = toMs(sorted.front());
    const double columns = std::max(1.0, pixels);
    const double column = std::max(1e-9, (toMs(sorted.back()) - low) / columns);
    const auto n = double(sorted.size());

    std::vector<QPointF> points{{low, 0}};
    QPointF kept = points.back(); // the latest corner that stays for certain
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        // The last of equal values carries the step.
        if (i + 1 < sorted.size() && sorted[i + 1] == sorted[i])
            continue;
        const QPointF corner(toMs(sorted[i]), double(i + 1) / n);
        const bool near =
            std::floor((corner.x() - low) / column) == std::floor((kept.x() - low) / column) && corner.y() - kept.y() < 1 / columns;
        if (near && points.size() > 1 && points.back() != kept) {
            points.back() = corner;
            continue;
        }
        points.push_back(corner);
        if (!near)
            kept = corner;
    }
    points.back().setY(1);
    return points;
}

} // namespace chokepoint
