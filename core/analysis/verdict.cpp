// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Verdict and sentence: what happened on average, what the tail did, what paid for it, where the bottleneck is.
#include "core/analysis/verdict.h"

#include "core/analysis/comparestages.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr double payerShare = 0.25; // of the change: a stage below that is not worth naming

const E2eRow* rowOf(const Comparison& comparison, Statistic statistic)
{
    const auto found =
        std::find_if(comparison.e2e.begin(), comparison.e2e.end(), [statistic](const E2eRow& row) { return row.statistic == statistic; });
    return found == comparison.e2e.end() ? nullptr : &*found;
}

/// Large enough to matter to somebody (4.4), whether it is certain or not.
bool isRelevant(const E2eRow& row, const CompareOptions& options)
{
    if (!isKnown(row.delta))
        return false;
    const double threshold = std::max(options.relevantShare * double(toNs(row.before)), double(toNs(options.relevantTime)));
    return std::abs(double(toNs(row.delta))) >= threshold;
}

std::string signedPercent(double share)
{
    const std::string text = percentText(share);
    return (text == "0 %" ? "" : share < 0 ? "\u2212" : "+") + text;
}

/// "28 % faster", or "faster" where a share of nothing has no meaning.
std::string changeText(const E2eRow& row)
{
    const char* direction = row.delta < Duration(0) ? "faster" : "slower";
    return row.change ? fmt::format("{} {}", percentText(*row.change), direction) : direction;
}

std::string intervalText(const E2eRow& row)
{
    if (!row.interval)
        return "";
    const auto before = double(toNs(row.before));
    if (before <= 0)
        return fmt::format("95 % interval {} to {}", formatDelta(Duration(std::llround(row.interval->low))),
            formatDelta(Duration(std::llround(row.interval->high))));
    return "95 % interval " + signedPercent(row.interval->low / before) + " to " + signedPercent(row.interval->high / before);
}

/// What the 95th percentile did against the mean; "" where it went along.
std::string tailClause(const E2eRow& mean, const E2eRow* p95, const CompareOptions& options, bool meanChanged)
{
    if (p95 == nullptr || !p95->interval || !isRelevant(*p95, options))
        return "";
    const bool against = (p95->delta < Duration(0)) != (mean.delta < Duration(0));
    if (p95->significant && (against || !meanChanged))
        return fmt::format(", but P95 is {}", changeText(*p95));
    if (against && meanChanged && p95->change)
        return fmt::format(", but P95 did not follow ({}, {})", signedPercent(*p95->change), intervalText(*p95));
    return "";
}

/// Up to two stages that changed for certain in the direction of the mean and carry a good part of its change.
std::string payersOf(const Comparison& comparison, const E2eRow& mean)
{
    std::vector<const StageRow*> payers;
    for (const StageRow& row : comparison.stages) {
        const bool along = (row.contribution < Duration(0)) == (mean.delta < Duration(0));
        if (row.significant && along && std::abs(double(toNs(row.contribution))) >= payerShare * std::abs(double(toNs(mean.delta))))
            payers.push_back(&row);
    }
    std::stable_sort(payers.begin(), payers.end(),
        [](const StageRow* a, const StageRow* b) { return std::abs(toNs(a->contribution)) > std::abs(toNs(b->contribution)); });
    if (payers.empty())
        return "";
    return payers.size() == 1 ? payers[0]->stage : payers[0]->stage + " and " + payers[1]->stage;
}

std::string bottleneckClause(const BottleneckVerdict& verdict)
{
    if (verdict.after.empty())
        return "";
    if (verdict.moved)
        return verdict.after + " is now the bottleneck";
    if (verdict.mayHaveMoved)
        return fmt::format("the bottleneck may have moved from {} to {}", verdict.before, verdict.after);
    return verdict.after + " is still the bottleneck";
}

/// "; generate paid for it, and retrieve is now the bottleneck"; a stage that is both is named once.
std::string joined(const std::string& payer, const std::string& deed, const BottleneckVerdict& bottleneck)
{
    const std::string place = bottleneckClause(bottleneck);
    if (payer.empty() || place.empty())
        return payer.empty() && place.empty() ? "" : "; " + payer + deed + place;
    if (payer == bottleneck.after && place.starts_with(payer))
        return fmt::format("; {}{} and{}", payer, deed, place.substr(payer.size()));
    return fmt::format("; {}{}, and {}", payer, deed, place);
}

std::string meansText(const E2eRow& mean)
{
    const std::string interval = intervalText(mean);
    return fmt::format("({} → {}{}{})", formatDuration(mean.before), formatDuration(mean.after), interval.empty() ? "" : ", ", interval);
}

} // namespace

std::string percentText(double share)
{
    const double percent = std::abs(share) * 100;
    if (percent >= 0.95)
        return fmt::format("{:.0f} %", percent);
    return percent >= 0.05 ? fmt::format("{:.1f} %", percent) : "0 %";
}

void setVerdict(Comparison& comparison, bool identical, bool failsMore)
{
    if (identical) {
        comparison.verdict = VerdictKind::Identical;
        comparison.sentence = "Before and after hold the same traces; nothing changed.";
        return;
    }
    const E2eRow* mean = rowOf(comparison, Statistic::Mean);
    if (std::min(comparison.tracesBefore, comparison.tracesAfter) < minimumForMean || mean == nullptr || !mean->interval) {
        comparison.verdict = VerdictKind::NotEnoughData;
        if (comparison.unit && std::min(comparison.tracesBefore, comparison.tracesAfter) >= minimumForMean)
            comparison.sentence = fmt::format("Not enough data: {} by {} before and {} after; a verdict needs at least {} a side.",
                clustersText(comparison.unit->before.clusters), comparison.unit->name, comparison.unit->after.clusters, clustersNeeded);
        else
            comparison.sentence =
                fmt::format("Not enough data: {} complete traces before and {} after; a verdict needs at least {} a side.",
                    formatCount(comparison.tracesBefore), formatCount(comparison.tracesAfter), minimumForMean);
        return;
    }
    const E2eRow* p95 = rowOf(comparison, Statistic::P95);
    const bool changed = mean->significant && isRelevant(*mean, comparison.options);
    const std::string tail = tailClause(*mean, p95, comparison.options, changed);
    const bool tailDisagrees = !tail.empty() && p95->significant;
    std::string text;
    if (changed) {
        const bool faster = mean->delta < Duration(0);
        comparison.verdict = faster ? VerdictKind::Faster : VerdictKind::Slower;
        text = fmt::format("After is {} on average {}{}", changeText(*mean), meansText(*mean), tail);
        if (faster && failsMore)
            text += fmt::format("{} it fails more often ({} of the requests against {})", tail.empty() ? ", but" : ", and",
                formatShare(comparison.errorRateAfter), formatShare(comparison.errorRateBefore));
        if (tailDisagrees || (faster && failsMore))
            comparison.verdict = VerdictKind::Mixed;
        const std::string payers = payersOf(comparison, *mean);
        text += joined(payers, payers.empty() ? "" : faster ? " paid for it" : " caused it", comparison.bottleneck);
    } else {
        comparison.verdict = tailDisagrees ? VerdictKind::Mixed : VerdictKind::NoReliableChange;
        text = fmt::format("No reliable change on average {}{}{}", meansText(*mean), tail, joined("", "", comparison.bottleneck));
    }
    comparison.sentence = text + (comparison.comparable ? "." : "; but the sides are not comparable, see the reasons.");
}

} // namespace chokepoint
