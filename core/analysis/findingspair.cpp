// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about a comparison: what changed, what paid for it, where the bottleneck went, and why not more came of it.
#include "core/analysis/comparestages.h"
#include "core/analysis/findingparts.h"
#include "core/analysis/findingtext.h"
#include "core/analysis/proportions.h"

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

using Findings = std::vector<Finding>;

constexpr double reliable = 0.05; // p below which a difference of rates is told as one
constexpr std::size_t payersAtMost = 3;

const E2eRow* rowOf(const Comparison& comparison, Statistic statistic)
{
    for (const E2eRow& row : comparison.e2e)
        if (row.statistic == statistic)
            return &row;
    return nullptr;
}

const StageRow* rowOf(const Comparison& comparison, const std::string& stage)
{
    for (const StageRow& row : comparison.stages)
        if (row.stage == stage)
            return &row;
    return nullptr;
}

Duration wholeNs(double ns)
{
    return Duration{std::llround(ns)};
}

/// Times of both sides with their difference; the names of the evidence begin with \a prefix.
void addTimes(FindingWriter& writer, const std::string& prefix, const E2eRow& row)
{
    writer.time("before_" + prefix + "_ns", row.before)
        .time("after_" + prefix + "_ns", row.after)
        .timeChange(prefix + "_change_ns", row.delta);
    if (row.change)
        writer.change(prefix + "_change", *row.change);
}

void addComparability(const FindingsPair& pair, Findings& findings)
{
    if (pair.comparison.comparable)
        return;
    FindingWriter writer("not-comparable", FindingSeverity::Critical);
    writer.title("The sides cannot be compared");
    for (std::size_t k = 0; k < pair.comparison.reasons.size(); ++k) {
        const std::string name = "reason_" + std::to_string(k + 1);
        writer.text(name, pair.comparison.reasons[k]).say("{" + name + "}" + (pair.comparison.reasons[k].ends_with('.') ? "" : "."));
    }
    findings.push_back(writer.take());
}

/// As the sentence of the verdict: too few traces, or enough of them in too few clusters.
void addTooFew(const Comparison& comparison, Findings& findings)
{
    FindingWriter writer("not-enough-data", FindingSeverity::Warning);
    writer.title("Not enough data for a verdict")
        .count("before_traces", comparison.tracesBefore)
        .count("after_traces", comparison.tracesAfter);
    if (comparison.unit && std::min(comparison.tracesBefore, comparison.tracesAfter) >= minimumForMean) {
        const std::size_t before = comparison.unit->before.clusters;
        writer.text("cluster", comparison.unit->name)
            .add("before_clusters", std::int64_t(before), clustersText(before))
            .count("after_clusters", comparison.unit->after.clusters)
            .count("needed", clustersNeeded)
            .say("{before_clusters} by {cluster} before and {after_clusters} after; {needed} a side are needed.");
    } else {
        writer.count("needed", minimumForMean)
            .say("There are {before_traces} complete traces before and {after_traces} after; {needed} a side are needed.");
    }
    findings.push_back(writer.take());
}

/// False when there is too little to say more.
bool addChange(const FindingsPair& pair, Findings& findings)
{
    const Comparison& comparison = pair.comparison;
    const E2eRow* mean = rowOf(comparison, Statistic::Mean);
    if (comparison.verdict == VerdictKind::Identical) {
        findings.push_back(FindingWriter("identical", FindingSeverity::Info)
                               .count("traces", comparison.tracesAfter)
                               .title("Nothing changed")
                               .say("Both sides hold the same {traces} traces.")
                               .take());
        return false;
    }
    if (comparison.verdict == VerdictKind::NotEnoughData || mean == nullptr || !mean->interval) {
        addTooFew(comparison, findings);
        return false;
    }
    const bool slower = toNs(mean->delta) > 0;
    FindingWriter writer("changed", mean->significant && slower ? FindingSeverity::Warning : FindingSeverity::Info);
    addTimes(writer, "mean", *mean);
    writer.level().timeChange("low_ns", wholeNs(mean->interval->low)).timeChange("high_ns", wholeNs(mean->interval->high));
    if (mean->significant && mean->change)
        writer.title(slower ? "After is slower on average: {mean_change}" : "After is faster on average: {mean_change}");
    else
        writer.title("No reliable change on average");
    writer.say("The mean went from {before_mean_ns} to {after_mean_ns} ({mean_change_ns}; {level} interval {low_ns} to {high_ns}).");
    findings.push_back(writer.take());
    return true;
}

void addTailChange(const FindingsPair& pair, Findings& findings)
{
    const E2eRow* mean = rowOf(pair.comparison, Statistic::Mean);
    const E2eRow* p95 = rowOf(pair.comparison, Statistic::P95);
    if (mean == nullptr || p95 == nullptr || !p95->interval || !isKnown(p95->delta))
        return;
    if (toNs(mean->delta) >= 0 || toNs(p95->delta) <= 0)
        return;
    FindingWriter writer("tail-worse", p95->significant ? FindingSeverity::Critical : FindingSeverity::Warning);
    addTimes(writer, "p95", *p95);
    writer.timeChange("mean_change_ns", mean->delta)
        .timeChange("low_ns", wholeNs(p95->interval->low))
        .timeChange("high_ns", wholeNs(p95->interval->high))
        .level()
        .title(
            p95->significant ? "The tail got slower while the mean got faster" : "The tail may have got slower while the mean got faster")
        .say("P95 went from {before_p95_ns} to {after_p95_ns} ({p95_change_ns}; {level} interval {low_ns} to {high_ns}), the mean changed "
             "by "
             "{mean_change_ns}.");
    for (const BandRow& band : pair.comparison.bands)
        if (band.name == "tail")
            writer.trace(band.after.exemplarId).trace(band.before.exemplarId);
    findings.push_back(writer.take());
}

/// Stages whose change is real, those that gained apart from those that lost.
void addPayers(const FindingsPair& pair, bool gained, Findings& findings)
{
    std::vector<const StageRow*> rows;
    for (const StageRow& row : pair.comparison.stages)
        if (row.significant && (toNs(row.contribution) < 0) == gained)
            rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
        [](const StageRow* a, const StageRow* b) { return std::abs(toNs(a->contribution)) > std::abs(toNs(b->contribution)); });
    if (rows.empty())
        return;
    rows.resize(std::min(rows.size(), payersAtMost));
    FindingWriter writer(gained ? "what-paid" : "what-cost", gained ? FindingSeverity::Info : FindingSeverity::Warning);
    std::string names;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::string number = std::to_string(k + 1);
        writer.text("stage_" + number, rows[k]->stage)
            .time("before_" + number + "_ns", rows[k]->beforeMean)
            .time("after_" + number + "_ns", rows[k]->afterMean)
            .timeChange("change_" + number + "_ns", rows[k]->contribution);
        names += (k == 0 ? "{stage_" : k + 1 == rows.size() ? " and {stage_" : ", {stage_") + number + "}";
    }
    writer.title(gained ? "Time was saved in " + names : "Time was lost in " + names);
    for (std::size_t k = 1; k <= rows.size(); ++k) {
        const std::string number = std::to_string(k);
        writer.say(
            "{stage_" + number + "}: {before_" + number + "_ns} to {after_" + number + "_ns} a request ({change_" + number + "_ns}).");
    }
    findings.push_back(writer.take());
}

void addBottleneckMove(const FindingsPair& pair, Findings& findings)
{
    const Comparison& comparison = pair.comparison;
    const BottleneckVerdict& verdict = comparison.bottleneck;
    const StageRow* from = rowOf(comparison, verdict.before);
    const StageRow* to = rowOf(comparison, verdict.after);
    if (from == nullptr || to == nullptr)
        return;
    const bool stayed = !verdict.moved && !verdict.mayHaveMoved;
    FindingWriter writer(verdict.moved ? "bottleneck-moved"
            : stayed                   ? "bottleneck-stayed"
                                       : "bottleneck-may-have-moved",
        stayed ? FindingSeverity::Info : FindingSeverity::Warning);
    writer.text("before", from->stage)
        .text("after", to->stage)
        .share("before_share", from->beforeShare)
        .share("after_share", to->afterShare)
        .share("support", verdict.confidence);
    if (stayed) {
        writer.title("{after} is the bottleneck, before and after")
            .say("It had {before_share} of the end-to-end time and has {after_share}.");
    } else {
        writer.share("old_after_share", from->afterShare)
            .title(
                verdict.moved ? "The bottleneck moved from {before} to {after}" : "The bottleneck may have moved from {before} to {after}")
            .say("{before} had {before_share} of the end-to-end time and has {old_after_share}; {after} has {after_share} now.")
            .say("That holds in {support} of the resampled comparisons.");
        if (!verdict.why.empty())
            writer.text("why", verdict.why).say("Why: {why}.");
    }
    for (const BandRow& band : comparison.bands)
        if (band.name == "median")
            writer.trace(band.after.exemplarId);
    findings.push_back(writer.take());
}

void addMix(const FindingsPair& pair, Findings& findings)
{
    if (!pair.comparison.mix || !(pair.comparison.mix->matters || pair.comparison.mix->simpson))
        return;
    const MixShift& mix = *pair.comparison.mix;
    const E2eRow* mean = rowOf(pair.comparison, Statistic::Mean);
    FindingWriter writer("mix-shift", mix.simpson ? FindingSeverity::Critical : FindingSeverity::Warning);
    writer.timeChange("mean_change_ns", mean->delta)
        .timeChange("mix_ns", mix.mix)
        .timeChange("within_ns", mix.within)
        .timeChange("traffic_ns", mix.traffic)
        .title(mix.simpson ? "Like for like it went the other way" : "Other requests came")
        .say("Of the change of the mean by {mean_change_ns}, {within_ns} are like for like; {mix_ns} come from kinds of requests that got "
             "more or "
             "less frequent and {traffic_ns} from kinds that only one side has.");
    if (mix.isThin)
        writer.say("Some kinds have few requests, so the split is rough.");
    findings.push_back(writer.take());
}

/// Names of terms for people.
std::string termText(const std::string& what, const std::string& stage)
{
    if (what == "critical-path")
        return "work that runs beside " + stage;
    if (what == "retries")
        return "attempts that were repeated";
    if (what == "queue")
        return "waiting in queues";
    if (what == "mix")
        return "other requests";
    if (what == "stage:" + stage)
        return stage + " itself, on the path otherwise than on average";
    return what.starts_with("stage:") ? what.substr(6) : "the rest";
}

void addAmdahl(const FindingsPair& pair, Findings& findings)
{
    if (pair.amdahl == nullptr)
        return;
    const auto row =
        std::find_if(pair.amdahl->stages.begin(), pair.amdahl->stages.end(), [](const AmdahlRow& each) { return each.significant; });
    const E2eRow* mean = rowOf(pair.comparison, Statistic::Mean);
    if (row == pair.amdahl->stages.end() || mean == nullptr)
        return;
    const CompareOptions& options = pair.comparison.options;
    const double relevant = std::max(options.relevantShare * double(toNs(mean->before)), double(toNs(options.relevantTime)));
    const bool fellShort = double(toNs(row->gap)) >= relevant;
    FindingWriter writer(fellShort ? "amdahl-gap" : "amdahl", fellShort ? FindingSeverity::Warning : FindingSeverity::Info);
    writer.text("stage", row->stage)
        .factor("stage_speedup", row->stageSpeedup)
        .share("share_before", row->shareBefore)
        .factor("predicted_speedup", row->predictedSpeedup)
        .factor("actual_speedup", row->actualSpeedup)
        .factor("ceiling_speedup", row->ceilingSpeedup)
        .time("predicted_ns", row->predicted)
        .time("actual_ns", mean->after)
        .timeChange("gap_ns", row->gap)
        .title("{stage} is {stage_speedup} as fast, requests are {actual_speedup}")
        .say("With {share_before} of the time that predicts {predicted_speedup} end to end ({predicted_ns} on average; {actual_ns} came).");
    for (std::size_t k = 0; k < std::min<std::size_t>(2, row->terms.size()) && std::abs(double(toNs(row->gap))) >= relevant; ++k) {
        const std::string number = std::to_string(k + 1);
        writer.text("reason_" + number, termText(row->terms[k].what, row->stage))
            .timeChange("reason_" + number + "_ns", row->terms[k].time)
            .say((k == 0 ? "Between them: {reason_" : "Then: {reason_") + number + "} ({reason_" + number + "_ns}).");
    }
    findings.push_back(writer.take());
}

void addFailureChange(const FindingsPair& pair, Findings& findings)
{
    const Comparison& comparison = pair.comparison;
    const auto counted = [](double rate, std::size_t n) { return Proportion{std::uint64_t(std::llround(rate * double(n))), n}; };
    const std::optional<double> p = proportionTest(
        counted(comparison.errorRateBefore, comparison.tracesBefore), counted(comparison.errorRateAfter, comparison.tracesAfter));
    if (!p || *p >= reliable)
        return addFailures(pair.after, findings);
    const bool more = comparison.errorRateAfter > comparison.errorRateBefore;
    findings.push_back(FindingWriter("failures-changed", more ? FindingSeverity::Critical : FindingSeverity::Info)
                           .share("before_rate", comparison.errorRateBefore)
                           .share("after_rate", comparison.errorRateAfter)
                           .p(*p)
                           .title(more ? "More requests fail: {after_rate}" : "Fewer requests fail: {after_rate}")
                           .say("Before it were {before_rate} ({p}).")
                           .take());
}

void addRetryChange(const FindingsPair& pair, Findings& findings)
{
    if (pair.before.retries == nullptr || pair.after.retries == nullptr)
        return;
    const RetrySummary& before = pair.before.retries->summary;
    const RetrySummary& after = pair.after.retries->summary;
    const std::optional<double> p = proportionTest({before.retriedRequests, before.requests}, {after.retriedRequests, after.requests});
    if (!p || *p >= reliable)
        return addRetries(pair.after, findings);
    const bool more = after.retryRate() > before.retryRate();
    const double wastedBefore = double(toNs(before.wasted)) / double(before.requests);
    const double wastedAfter = double(toNs(after.wasted)) / double(after.requests);
    FindingWriter writer("retries-changed", more ? FindingSeverity::Warning : FindingSeverity::Info);
    writer.share("before_rate", before.retryRate())
        .share("after_rate", after.retryRate())
        .p(*p)
        .time("before_wasted_ns", wholeNs(wastedBefore))
        .time("after_wasted_ns", wholeNs(wastedAfter))
        .timeChange("wasted_change_ns", wholeNs(wastedAfter - wastedBefore))
        .title(more ? "More requests are retried: {before_rate} before, {after_rate} after"
                    : "Fewer requests are retried: {before_rate} before, {after_rate} after")
        .say("Attempts that did not give the answer took {before_wasted_ns} a request and take {after_wasted_ns} ({wasted_change_ns}; "
             "{p}).");
    if (more && !after.byCause.empty() && after.byCause.front().cause != RetryCause::None)
        writer.text("cause", retryCauseName(after.byCause.front().cause))
            .count("cause_count", after.byCause.front().count)
            .say("The most frequent cause is {cause}, with {cause_count} attempts.");
    findings.push_back(writer.take());
}

void addMoneyChange(const FindingsPair& pair, Findings& findings)
{
    if (pair.before.spending == nullptr || pair.after.spending == nullptr)
        return;
    const Spending& before = *pair.before.spending;
    const Spending& after = *pair.after.spending;
    if (!before.perRequest || !after.perRequest || before.currency != after.currency || *before.perRequest <= 0)
        return addMoney(pair.after, findings);
    FindingWriter writer("cost-changed", FindingSeverity::Info);
    writer.money("before_per_request", *before.perRequest, before.currency)
        .money("after_per_request", *after.perRequest, after.currency)
        .change("change", *after.perRequest / *before.perRequest - 1)
        .title("A request costs {after_per_request}; it was {before_per_request} ({change})");
    if (before.correct.cost && after.correct.cost)
        writer.money("before_per_correct_answer", *before.correct.cost, before.currency)
            .money("after_per_correct_answer", *after.correct.cost, after.currency)
            .say("A correct answer costs {after_per_correct_answer}; it was {before_per_correct_answer}.");
    else if (before.perSuccessfulAnswer && after.perSuccessfulAnswer)
        writer.money("before_per_successful_answer", *before.perSuccessfulAnswer, before.currency)
            .money("after_per_successful_answer", *after.perSuccessfulAnswer, after.currency)
            .say("A successful answer costs {after_per_successful_answer}; it was {before_per_successful_answer}.");
    if (before.isLowerBound || after.isLowerBound)
        writer.say("Some calls have no price, so both may be more.");
    findings.push_back(writer.take());
}

} // namespace

std::vector<Finding> findingsOf(const FindingsPair& pair)
{
    Findings findings;
    addComparability(pair, findings);
    if (!addChange(pair, findings))
        return findings;
    addTailChange(pair, findings);
    addBottleneckMove(pair, findings);
    addPayers(pair, true, findings);
    addPayers(pair, false, findings);
    addMix(pair, findings);
    addAmdahl(pair, findings);
    addFailureChange(pair, findings);
    addRetryChange(pair, findings);
    addCascades(pair.after, findings);
    addUninstrumented(pair.after, findings);
    if (pair.after.checks != nullptr)
        addChecks(*pair.after.checks, pair.after.columns, findings);
    addMoneyChange(pair, findings);
    addTryNext(pair.after, findings);
    return findings;
}

} // namespace chokepoint
