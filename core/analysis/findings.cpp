// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about one deployment.
#include "core/analysis/findings.h"

#include "core/analysis/comparestages.h"
#include "core/analysis/findingparts.h"
#include "core/analysis/findingtext.h"

#include <algorithm>
#include <optional>

namespace chokepoint {

namespace {

using Findings = std::vector<Finding>;

const StageFigures* stageOf(const PopulationSummary& summary, std::string_view name)
{
    for (const StageFigures& stage : summary.stages)
        if (stage.stage == name)
            return &stage;
    return nullptr;
}

/// The included trace in which the figure is largest, ties by id; "" without traces.
template <typename Figure> std::string traceOfLargest(const FindingsSide& side, Figure&& figure)
{
    std::optional<std::uint32_t> best;
    for (const std::uint32_t trace : side.population.included) {
        const auto key = [&](std::uint32_t t) { return std::pair(figure(t), side.columns.traceId[t]); };
        if (!best || key(trace).first > key(*best).first || (key(trace).first == key(*best).first && key(trace).second < key(*best).second))
            best = trace;
    }
    return best ? side.columns.traceIdName(*best) : "";
}

Duration meanOf(Duration sum, std::uint64_t n)
{
    return n == 0 ? unknownDuration : Duration{(toNs(sum) + std::int64_t(n / 2)) / std::int64_t(n)};
}

void addBottleneck(const FindingsSide& side, Findings& findings)
{
    const PopulationSummary& summary = side.summary;
    const StageFigures* top = summary.bottleneck();
    if (top == nullptr)
        return;
    FindingWriter writer("bottleneck", FindingSeverity::Info);
    writer.text("stage", top->stage)
        .share("share", top->share)
        .time("stage_mean_ns", meanOf(top->critical, summary.e2e.n))
        .time("mean_ns", summary.e2e.mean)
        .title("{stage} is the bottleneck, with {share} of the end-to-end time")
        .say("Of the {mean_ns} that a request takes on average, {stage_mean_ns} are on the critical path in {stage}.");
    if (summary.stages.size() > 1 && summary.stages[1].share > 0)
        writer.text("next_stage", summary.stages[1].stage)
            .share("next_share", summary.stages[1].share)
            .say("Next is {next_stage} with {next_share}.");
    writer.trace(traceOfLargest(side, [&](std::uint32_t trace) { return side.population.onPathOf(trace, top->id); }));
    findings.push_back(writer.take());
}

void addTail(const FindingsSide& side, Findings& findings)
{
    const E2eFigures& e2e = side.summary.e2e;
    if (e2e.n < minimumForInterval(0.95) || toNs(e2e.p50) <= 0 || double(toNs(e2e.p95)) < longTail * double(toNs(e2e.p50)))
        return;
    findings.push_back(FindingWriter("long-tail", FindingSeverity::Warning)
                           .time("p50_ns", e2e.p50)
                           .time("p95_ns", e2e.p95)
                           .factor("ratio", double(toNs(e2e.p95)) / double(toNs(e2e.p50)))
                           .title("The tail is long: P95 is {ratio} the median")
                           .say("The median request takes {p50_ns}, P95 is {p95_ns}.")
                           .trace(traceOfLargest(side, [&](std::uint32_t trace) { return side.population.traces[trace].e2e; }))
                           .take());
}

} // namespace

void addUninstrumented(const FindingsSide& side, Findings& findings)
{
    const StageFigures* gaps = stageOf(side.summary, "uninstrumented");
    if (gaps != nullptr && gaps->share >= muchUninstrumented)
        findings.push_back(
            FindingWriter("uninstrumented-time", FindingSeverity::Warning)
                .share("share", gaps->share)
                .time("mean_ns", meanOf(gaps->critical, side.summary.e2e.n))
                .title("{share} of the time has no span")
                .say(
                    "On average {mean_ns} of a request pass between the steps of the pipeline, and no span says where. Record spans there.")
                .trace(traceOfLargest(side, [&](std::uint32_t trace) { return side.population.onPathOf(trace, gaps->id); }))
                .take());
    const StageFigures* other = stageOf(side.summary, unmappedStage);
    if (other != nullptr && other->share >= muchUnmapped)
        findings.push_back(FindingWriter("unmapped-time", FindingSeverity::Info)
                               .text("stage", other->stage)
                               .share("share", other->share)
                               .title("{share} of the time is in spans that no rule names")
                               .say("They are shown as the stage {stage}. A rule of your own gives them a name.")
                               .take());
}

void addNotEnough(const FindingsSide& side, Findings& findings)
{
    const std::uint64_t n = side.summary.e2e.n;
    if (n < minimumForMean)
        findings.push_back(FindingWriter("not-enough-data", FindingSeverity::Warning)
                               .count("traces", n)
                               .count("needed", minimumForMean)
                               .title("Not enough data: {traces} complete traces")
                               .say("Means and shares are of these few alone; from {needed} traces on they can be relied upon.")
                               .take());
    const std::uint64_t left = side.summary.excludedNoRoot + side.summary.excludedOpen;
    if (left > 0 && double(left) >= manyFailures * double(n + left))
        findings.push_back(
            FindingWriter("traces-left-out", FindingSeverity::Warning)
                .count("no_root", side.summary.excludedNoRoot)
                .count("open", side.summary.excludedOpen)
                .count("left_out", left)
                .share("share", double(left) / double(n + left))
                .title("{left_out} traces are not in these figures ({share})")
                .say("{no_root} have no root span, {open} are not finished. If slow requests are missing, the truth is slower.")
                .take());
}

void addFailures(const FindingsSide& side, Findings& findings)
{
    std::vector<std::uint32_t> failed;
    for (const std::uint32_t trace : side.population.included)
        if (side.columns.spans.flags[side.columns.firstSpan[trace] + std::size_t(side.population.traces[trace].root)].isError())
            failed.push_back(trace);
    const std::uint64_t n = side.population.included.size();
    if (failed.empty())
        return;
    const double share = double(failed.size()) / double(n);
    FindingWriter writer("failures",
        share >= tooManyFailures    ? FindingSeverity::Critical
            : share >= manyFailures ? FindingSeverity::Warning
                                    : FindingSeverity::Info);
    writer.count("failed", failed.size())
        .count("requests", n)
        .share("share", share)
        .title("{share} of the requests fail")
        .say("{failed} of {requests} end with an error of the root span; their times are in all figures.");
    std::sort(
        failed.begin(), failed.end(), [&](std::uint32_t a, std::uint32_t b) { return side.columns.traceId[a] < side.columns.traceId[b]; });
    for (const std::uint32_t trace : failed)
        writer.trace(side.columns.traceIdName(trace));
    findings.push_back(writer.take());
}

/// Tokens and money that wasted attempts took, as far as they are known.
void sayWaste(const RetrySummary& summary, const Spending* spending, FindingWriter& writer)
{
    if (summary.wastedTokens.isKnown() && summary.wastedTokens.orZero() > 0)
        writer.count("wasted_tokens", std::uint64_t(summary.wastedTokens.orZero())).say("They took {wasted_tokens} tokens.");
    if (summary.wastedCost && !summary.wastedCost->isZero())
        writer.money("wasted_cost", summary.wastedCost->number(), spending == nullptr ? "" : spending->currency)
            .say("They cost {wasted_cost}.");
    if (summary.unknownTokenAttempts > 0)
        writer.count("attempts_of_unknown_tokens", summary.unknownTokenAttempts)
            .say("Of {attempts_of_unknown_tokens} attempts the tokens are unknown, so it is more.");
}

void addRetries(const FindingsSide& side, Findings& findings)
{
    if (side.retries == nullptr || side.retries->summary.retriedRequests == 0)
        return;
    const RetrySummary& summary = side.retries->summary;
    Duration all{0};
    for (const std::uint32_t trace : side.population.included)
        all += side.population.traces[trace].e2e;
    const double share = toNs(all) > 0 ? double(toNs(summary.wasted)) / double(toNs(all)) : 0;
    FindingWriter writer(
        "retries-cost", std::max(share, summary.retryRate()) >= manyRetries ? FindingSeverity::Warning : FindingSeverity::Info);
    writer.count("retried", summary.retriedRequests)
        .count("requests", summary.requests)
        .share("retry_rate", summary.retryRate())
        .count("extra_attempts", summary.extraAttempts)
        .time("wasted_ns", summary.wasted)
        .time("end_to_end_ns", all)
        .share("wasted_share", share)
        .title("{retry_rate} of the requests are retried")
        .say("{retried} of {requests} needed {extra_attempts} more attempts; {wasted_ns} went into those that did not give the answer "
             "({wasted_share} of the {end_to_end_ns} of all complete requests).");
    sayWaste(summary, side.spending, writer);
    if (!summary.byCause.empty() && summary.byCause.front().cause != RetryCause::None)
        writer.text("cause", retryCauseName(summary.byCause.front().cause))
            .count("cause_count", summary.byCause.front().count)
            .say("The most frequent cause is {cause}, with {cause_count} attempts.");
    writer.trace(traceOfLargest(side, [&](std::uint32_t trace) { return side.retries->traces[trace].wasted; }));
    findings.push_back(writer.take());
}

void addCascades(const FindingsSide& side, Findings& findings)
{
    if (side.retries == nullptr || side.retries->summary.cascades == 0)
        return;
    const std::vector<TraceRetries>& traces = side.retries->traces;
    std::optional<std::uint32_t> worst;
    for (std::uint32_t trace = 0; trace < traces.size(); ++trace)
        if (traces[trace].cascade
            && (!worst
                || std::pair(traces[trace].amplification(), traces[trace].wasted)
                    > std::pair(traces[*worst].amplification(), traces[*worst].wasted)))
            worst = trace;
    FindingWriter writer("cascade", FindingSeverity::Warning);
    writer.count("cascades", side.retries->summary.cascades).title("Retries pile up in {cascades} requests");
    if (!worst)
        return;
    const TraceRetries& figures = traces[*worst];
    writer.count("retries", figures.retries)
        .time("wasted_ns", figures.wasted)
        .say("In the worst of them {retries} attempts were repeated and {wasted_ns} went into those that others replaced.");
    if (figures.generates > figures.logicalGenerates && figures.logicalGenerates > 0)
        writer.count("generates", figures.generates)
            .count("logical_generates", figures.logicalGenerates)
            .say("It made {generates} calls to models where {logical_generates} would have done.");
    if (figures.walks > 1)
        writer.count("walks", figures.walks).say("It walked the pipeline {walks} times.");
    findings.push_back(writer.trace(side.columns.traceIdName(*worst)).take());
}

void addMoney(const FindingsSide& side, Findings& findings)
{
    if (side.spending == nullptr)
        return;
    const Spending& spending = *side.spending;
    const TokenCount tokens = spending.totals.generate.total();
    if (!spending.perRequest) {
        if (tokens.isKnown() && spending.requests > 0)
            findings.push_back(FindingWriter("tokens", FindingSeverity::Info)
                                   .count("tokens", std::uint64_t(tokens.orZero()))
                                   .number("tokens_per_request", double(tokens.orZero()) / double(spending.requests))
                                   .title("A request takes {tokens_per_request} tokens on average")
                                   .say("{tokens} tokens in all. No price is known for them, so nothing is said of money.")
                                   .take());
        return;
    }
    FindingWriter writer("cost", FindingSeverity::Info);
    writer.money("per_request", *spending.perRequest, spending.currency).title("A request costs {per_request}");
    if (tokens.isKnown() && spending.requests > 0)
        writer.number("tokens_per_request", double(tokens.orZero()) / double(spending.requests))
            .say("It takes {tokens_per_request} tokens on average.");
    if (spending.perSuccessfulAnswer)
        writer.money("per_successful_answer", *spending.perSuccessfulAnswer, spending.currency)
            .say("A successful answer costs {per_successful_answer}.");
    if (spending.correct.cost)
        writer.money("per_correct_answer", *spending.correct.cost, spending.currency)
            .count("labelled", spending.correct.labelled)
            .say("A correct answer costs {per_correct_answer}, by {labelled} labelled answers.");
    if (spending.totals.unpricedSpans > 0)
        writer.count("unpriced_calls", spending.totals.unpricedSpans).say("{unpriced_calls} calls have no price, so the truth is more.");
    findings.push_back(writer.take());
}

void addTryNext(const FindingsSide& side, Findings& findings)
{
    if (side.ceilings == nullptr || side.ceilings->ceilings.empty())
        return;
    const std::vector<StageCeiling>& ceilings = side.ceilings->ceilings;
    const StageCeiling& best = ceilings.front();
    if (best.speedup < worthTrying)
        return;
    FindingWriter writer("try-next", FindingSeverity::Info);
    writer.text("stage", best.stage)
        .factor("speedup", best.speedup)
        .title("Most is to be had from {stage}")
        .say("If it took no time at all, requests would be {speedup} as fast on average; less is to be had in practice.");
    if (ceilings.size() > 1)
        writer.text("next_stage", ceilings[1].stage)
            .factor("next_speedup", ceilings[1].speedup)
            .say("For {next_stage} it is {next_speedup}.");
    findings.push_back(writer.take());
}

std::vector<Finding> findingsOf(const FindingsSide& side)
{
    Findings findings;
    addNotEnough(side, findings);
    addBottleneck(side, findings);
    addTail(side, findings);
    addFailures(side, findings);
    addRetries(side, findings);
    addCascades(side, findings);
    addUninstrumented(side, findings);
    if (side.checks != nullptr)
        addChecks(*side.checks, side.columns, findings);
    addMoney(side, findings);
    addTryNext(side, findings);
    return findings;
}

} // namespace chokepoint
