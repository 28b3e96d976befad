// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a smaller model fails where requests are hard, while the mean hides it.
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"
#include "core/analysis/proportions.h"

#include <algorithm>
#include <cmath>

namespace chokepoint::checks {

namespace {

constexpr std::uint64_t fewestInTail = 30; // requests a side
constexpr double surely = 0.05; // p
constexpr double hiddenBelow = 0.02; // change of the overall rate: nobody notices a smaller one
constexpr double labelledAtLeast = 0.8; // of requests, for labels to stand for all

/// One request: how hard it is, and whether it failed.
struct Request {
    std::uint32_t trace = 0;
    double input = 0; // tokens of its first call
    bool failed = false;
    std::uint32_t retries = 0;
    double wastedTokens = 0;
};

bool failedByStructure(const CheckSide& side, std::uint32_t trace)
{
    const std::uint64_t first = side.columns.firstSpan[trace];
    const std::int32_t root = side.population.traces[trace].root;
    if (root >= 0 && side.columns.spans.flags[first + std::uint64_t(root)].isError())
        return true;
    for (const AttemptGroup& group : side.retries.groupsOf(trace)) {
        const bool isKind = group.kind == AttemptKind::ReAsk || group.kind == AttemptKind::Fallback || group.kind == AttemptKind::Walk;
        const bool isCause = group.cause == RetryCause::Validation || group.cause == RetryCause::Quality;
        if ((group.counted || group.kind == AttemptKind::Fallback) && (isKind || isCause))
            return true;
    }
    const auto calls = side.usage.callsOf(first, side.columns.firstSpan[trace + 1] - first);
    return std::any_of(calls.begin(), calls.end(), [](const CallFacts& call) { return call.finish == FinishReason::Length; });
}

double labelledShare(const CheckSide& side)
{
    const auto isLabelled = [&](std::uint32_t trace) { return side.verdicts[trace] != AnswerVerdict::Unlabelled; };
    const auto labelled = std::count_if(side.population.included.begin(), side.population.included.end(), isLabelled);
    return side.population.included.empty() ? 0 : double(labelled) / double(side.population.included.size());
}

/// Requests whose first call tells its input, and, by labels, whose answer is judged.
std::vector<Request> requestsOf(const CheckSide& side, const std::vector<ModelCall>& calls, bool byLabels)
{
    const std::vector<std::size_t> first = firstCalls(side, calls);
    std::vector<Request> requests;
    for (const std::uint32_t trace : side.population.included) {
        if (first[trace] == first[trace + 1] || (byLabels && side.verdicts[trace] == AnswerVerdict::Unlabelled))
            continue;
        const TokenCount input = calls[first[trace]].tokens.input();
        if (!input.isKnown())
            continue;
        const TraceRetries& retries = side.retries.traces[trace];
        const bool failed = byLabels ? side.verdicts[trace] == AnswerVerdict::Incorrect : failedByStructure(side, trace);
        requests.push_back({trace, double(input.orZero()), failed, retries.retries, double(retries.wastedTokens.orZero())});
    }
    return requests;
}

/// Failures and what they cost in the tail, the body and all of one side.
struct Rates {
    Proportion tail;
    Proportion body;
    Proportion all;
    double tailRetries = 0;
    double tailTokens = 0;
};

Rates ratesOf(const std::vector<Request>& requests, double bodyUpTo, double tailFrom)
{
    Rates rates;
    const auto add = [](Proportion& proportion, bool failed) {
        ++proportion.total;
        proportion.successes += failed ? 1 : 0;
    };
    for (const Request& request : requests) {
        add(rates.all, request.failed);
        if (request.input <= bodyUpTo)
            add(rates.body, request.failed);
        if (request.input > tailFrom) {
            add(rates.tail, request.failed);
            rates.tailRetries += request.retries;
            rates.tailTokens += request.wastedTokens;
        }
    }
    if (rates.tail.total > 0) {
        rates.tailRetries /= double(rates.tail.total);
        rates.tailTokens /= double(rates.tail.total);
    }
    return rates;
}

/// Of the difference of two independent differences (the method of variance estimates recovery).
std::optional<Interval> differenceInterval(double tail, double body, const Rates& before, const Rates& after)
{
    const auto tailInterval = proportionDifference(before.tail, after.tail);
    const auto bodyInterval = proportionDifference(before.body, after.body);
    if (!tailInterval || !bodyInterval)
        return std::nullopt;
    return Interval{tail - body - std::hypot(tail - tailInterval->low, bodyInterval->high - body),
        tail - body + std::hypot(tailInterval->high - tail, body - bodyInterval->low)};
}

void addRates(const Rates& before, const Rates& after, Draft& draft)
{
    draft.count("tail_requests", after.tail.total);
    draft.count("tail_requests_before", before.tail.total);
    draft.share("tail_failures", after.tail.rate(), wilsonInterval(after.tail));
    draft.share("tail_failures_before", before.tail.rate(), wilsonInterval(before.tail));
    draft.share("body_failures", after.body.rate(), wilsonInterval(after.body));
    draft.share("body_failures_before", before.body.rate(), wilsonInterval(before.body));
    draft.ratio("tail_retries_a_request", after.tailRetries);
    draft.ratio("tail_retries_a_request_before", before.tailRetries);
    draft.ratio("tail_wasted_tokens_a_request", after.tailTokens);
    draft.ratio("tail_wasted_tokens_a_request_before", before.tailTokens);
}

/// Lengths of inputs up to which requests are the body, and above which they are the tail.
std::pair<double, double> bounds(const std::vector<Request>& requests)
{
    std::vector<double> inputs;
    for (const Request& request : requests)
        inputs.push_back(request.input);
    const double bodyUpTo = quantileOf(inputs, 0.8);
    return {bodyUpTo, quantileOf(inputs, 0.9)};
}

void concludeAlone(const Sides& sides, Draft& draft)
{
    const std::vector<Request> requests = requestsOf(sides.after, sides.calls, labelledShare(sides.after) >= labelledAtLeast);
    if (requests.empty())
        return draft.missing(
            "One deployment alone does not tell where failures grew.", {"BEFORE (--against)", "gen_ai.usage.input_tokens"});
    const auto [bodyUpTo, tailFrom] = bounds(requests);
    const Rates rates = ratesOf(requests, bodyUpTo, tailFrom);
    draft.count("tail_requests", rates.tail.total);
    if (rates.tail.total == 0 || rates.body.total == 0)
        return draft.missing(
            "One deployment alone does not tell where failures grew, and its inputs are all of one length.", {"BEFORE (--against)"});
    draft.share("tail_failures", rates.tail.rate(), wilsonInterval(rates.tail));
    draft.share("body_failures", rates.body.rate(), wilsonInterval(rates.body));
    draft.missing(
        "One deployment alone does not tell where failures grew; {tail_failures} of the longest inputs fail, {body_failures} of the "
        "others.",
        {"BEFORE (--against)"});
}

} // namespace

void distillationTail(const Sides& sides, Draft& draft)
{
    if (!generates(sides.after))
        return draft.conclude(CheckStatus::NotApplicable, "No span calls a model that generates.");
    if (sides.before == nullptr)
        return concludeAlone(sides, draft);
    const bool byLabels = labelledShare(sides.after) >= labelledAtLeast && labelledShare(*sides.before) >= labelledAtLeast;
    const std::vector<Request> requests = requestsOf(sides.after, sides.calls, byLabels);
    const std::vector<Request> requestsBefore = requestsOf(*sides.before, sides.callsBefore, byLabels);
    if (requests.empty() || requestsBefore.empty())
        return draft.missing(
            "The length of inputs is not in these spans, and with it how hard a request is.", {"gen_ai.usage.input_tokens"});
    const auto [bodyUpTo, tailFrom] = bounds(requestsBefore);
    const Rates before = ratesOf(requestsBefore, bodyUpTo, tailFrom);
    const Rates after = ratesOf(requests, bodyUpTo, tailFrom);
    draft.text("failures_by", byLabels ? "evaluations" : "structure: errors, re-asks, fallbacks, repeated walks, cut-off answers");
    draft.tokens("tail_input_tokens_above", tailFrom);
    addRates(before, after, draft);
    for (const Request& request : requests)
        if (request.failed && request.input > tailFrom)
            draft.trace(request.trace);
    if (!byLabels)
        draft.need("evaluations of answers: wrong but valid ones are invisible without");
    if (after.tail.total < fewestInTail || before.tail.total < fewestInTail || after.body.total == 0 || before.body.total == 0) {
        draft.count("tail_requests_needed", fewestInTail);
        return draft.missing("Not enough data: {tail_requests_before} requests before and {tail_requests} after are in the tail of long "
                             "inputs, {tail_requests_needed} a side are needed.",
            {"more requests"});
    }
    const double tail = *after.tail.rate() - *before.tail.rate();
    const double body = *after.body.rate() - *before.body.rate();
    const double overall = *after.all.rate() - *before.all.rate();
    const std::optional<double> p = proportionTest(before.tail, after.tail);
    draft.points("excess_in_tail", tail - body, differenceInterval(tail, body, before, after));
    draft.points("excess_limit", tailLimit);
    draft.points("change_overall", overall, proportionDifference(before.all, after.all));
    draft.ratio("tail_p", p);
    draft.measure(tail - body);
    if (tail - body < tailLimit)
        return draft.conclude(CheckStatus::Ok,
            "Failures changed by {excess_in_tail} more among the longest inputs than among the others, below {excess_limit}.");
    if (p.value_or(1) >= surely)
        return draft.missing("Not enough data: failures of the longest inputs went from {tail_failures_before} to {tail_failures}, which "
                             "may be chance (p = {tail_p}).",
            {"more requests"});
    if (std::abs(overall) < hiddenBelow)
        return draft.conclude(CheckStatus::Suspect,
            "Failures of the longest inputs went from {tail_failures_before} to {tail_failures}, while all requests together hide it "
            "({change_overall}).");
    draft.conclude(CheckStatus::Suspect,
        "Failures of the longest inputs went from {tail_failures_before} to {tail_failures}, of the others from {body_failures_before} to "
        "{body_failures}.");
}

} // namespace chokepoint::checks
