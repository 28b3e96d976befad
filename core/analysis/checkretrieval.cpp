// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Retrieval that got worse and makes answers fail.
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"
#include "core/analysis/proportions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace chokepoint::checks {

namespace {

constexpr double scoreDrop = 0.10; // of the median top score
constexpr double pointsMore = 0.02; // retries, searches without a result
constexpr double tokensMore = 1.10; // a request
constexpr std::size_t fewestScored = 30; // requests a side
constexpr double fewestLow = 10; // requests with a low score, and with another

/// What the searches of one request came to.
struct Searched {
    std::uint32_t trace = 0;
    std::optional<double> score; // of the first search; more is better
    bool retried = false;
    bool walkedAgain = false;
    double tokens = 0;
    bool hasTokens = false;
};

struct Retrieval {
    std::vector<Searched> requests; // included traces that search
    std::set<std::string> spaces; // in which scores can be compared: collection, orientation, model of the embedding
    Proportion empty; // searches that found nothing, of those that tell
    Proportion retried;
    double tokens = 0; // a request
    double latency = 0; // mean on the path, ns
    double e2e = 0;

    [[nodiscard]] std::vector<double> scores() const
    {
        std::vector<double> all;
        for (const Searched& request : requests)
            if (request.score)
                all.push_back(*request.score);
        return all;
    }
};

std::string spaceOf(const CheckSide& side, std::uint64_t row, bool isDistance)
{
    return std::string(side.facts.text(row, CheckField::Collection)) + (isDistance ? " distance " : " score ")
        + std::string(side.facts.text(row, CheckField::Metric));
}

/// The best score of a search, turned so that more is better.
std::optional<double> scoreOf(const CheckSide& side, std::uint64_t row, std::set<std::string>& spaces)
{
    const auto distance = side.facts.number(row, CheckField::Distance);
    const auto score = side.facts.number(row, CheckField::Score);
    if (!score && !distance)
        return std::nullopt;
    const std::string_view metric = side.facts.text(row, CheckField::Metric);
    const bool isDistance = !score || metric.starts_with("l2") || metric.starts_with("L2") || metric.starts_with("euclid");
    spaces.insert(spaceOf(side, row, isDistance));
    return score ? (isDistance ? -*score : *score) : -*distance;
}

std::set<std::string> embeddingModels(const CheckSide& side)
{
    std::set<std::string> models;
    for (const BilledCall& call : side.billing.calls)
        if (const CallFacts* const facts = call.purpose == CallPurpose::Embed ? side.usage.find(call.span) : nullptr)
            models.insert(std::string(side.usage.model(*facts)));
    return models;
}

Retrieval retrievalOf(const CheckSide& side)
{
    Retrieval result;
    const StageTest retrieves(side.stages, "retrieve");
    for (const std::uint32_t trace : side.population.included) {
        const std::uint64_t first = side.columns.firstSpan[trace];
        const std::uint64_t last = side.columns.firstSpan[trace + 1];
        Searched request;
        request.trace = trace;
        bool searches = false;
        for (std::uint64_t row = first; row < last; ++row) {
            if (!retrieves(row))
                continue;
            searches = true;
            if (!request.score)
                request.score = scoreOf(side, row, result.spaces);
            if (const auto found = side.facts.number(row, CheckField::Results)) {
                ++result.empty.total;
                result.empty.successes += *found == 0 ? 1 : 0;
            }
        }
        if (!searches)
            continue;
        const TraceRetries& retries = side.retries.traces[trace];
        const TokenCount tokens = side.billing.totals(first, last - first).generate.total();
        request.retried = retries.retried();
        request.walkedAgain = retries.walks >= 2;
        request.tokens = double(tokens.orZero());
        request.hasTokens = tokens.isKnown();
        ++result.retried.total;
        result.retried.successes += request.retried ? 1 : 0;
        result.tokens += request.tokens;
        result.latency += double(toNs(side.population.onPathOf(trace, retrieves.id())));
        result.e2e += double(toNs(side.population.traces[trace].e2e));
        result.requests.push_back(request);
    }
    const double n = std::max<double>(1, double(result.requests.size()));
    result.tokens /= n;
    result.latency /= n;
    result.e2e /= n;
    for (const std::string& model : embeddingModels(side))
        result.spaces.insert("embedded by " + model);
    return result;
}

/// How much more often a request with a low score is retried (Haldane's correction: half a request in each cell).
struct Lift {
    double lift = 0;
    Interval interval; // 95 %, of the logarithm's normal distribution
    double low = 0; // requests
    double other = 0;
};

std::optional<Lift> liftOf(const Retrieval& retrieval, double lowBelow)
{
    double low = 0;
    double lowRetried = 0;
    double other = 0;
    double otherRetried = 0;
    for (const Searched& request : retrieval.requests) {
        if (!request.score)
            continue;
        const bool isLow = *request.score < lowBelow;
        (isLow ? low : other) += 1;
        (isLow ? lowRetried : otherRetried) += request.retried ? 1 : 0;
    }
    if (low < fewestLow || other < fewestLow)
        return std::nullopt;
    const double lift = ((lowRetried + 0.5) / (low + 1)) / ((otherRetried + 0.5) / (other + 1));
    const double error = 1.959963984540054 * std::sqrt(1 / (lowRetried + 0.5) - 1 / (low + 1) + 1 / (otherRetried + 0.5) - 1 / (other + 1));
    return Lift{lift, {lift * std::exp(-error), lift * std::exp(error)}, low, other};
}

/// Tokens of requests that walked the pipeline again over those of the others.
std::optional<double> amplification(const Retrieval& retrieval)
{
    std::array<std::vector<double>, 2> tokens;
    for (const Searched& request : retrieval.requests)
        if (request.hasTokens)
            tokens[request.walkedAgain ? 1 : 0].push_back(request.tokens);
    if (tokens[0].empty() || tokens[1].empty() || meanOf(tokens[0]) <= 0)
        return std::nullopt;
    return meanOf(tokens[1]) / meanOf(tokens[0]);
}

enum class Answer : std::uint8_t { No, Yes, Unknown };

Answer answerOf(bool known, bool yes)
{
    return !known ? Answer::Unknown : yes ? Answer::Yes : Answer::No;
}

void addRetrieval(const Retrieval& after, const std::optional<Lift>& lift, Draft& draft)
{
    draft.count("requests", after.requests.size());
    draft.share("retry_rate", after.retried.rate(), wilsonInterval(after.retried));
    draft.share("empty_searches", after.empty.rate(), wilsonInterval(after.empty));
    if (after.tokens > 0)
        draft.tokens("tokens_a_request", after.tokens);
    draft.ratio("tokens_of_repeated_walks", amplification(after));
    if (lift) {
        draft.ratio("lift", lift->lift, lift->interval);
        draft.tokens("low_score_requests", lift->low);
        draft.tokens("other_requests", lift->other);
    }
    draft.ratio("lift_limit", liftLimit);
    draft.time("retrieve_time", toDuration(after.latency));
}

/// Requests with a low score that were retried.
void addTraces(const Retrieval& after, double lowBelow, Draft& draft)
{
    for (const Searched& request : after.requests)
        if (request.retried && request.score && *request.score < lowBelow)
            draft.trace(request.trace);
}

void concludeAlone(const Retrieval& after, Draft& draft)
{
    std::vector<double> scores = after.scores();
    std::optional<Lift> lift;
    if (!scores.empty()) {
        const double lowBelow = quantileOf(scores, 0.1);
        lift = liftOf(after, lowBelow);
        addTraces(after, lowBelow, draft);
    }
    addRetrieval(after, lift, draft);
    if (lift)
        draft.measure(lift->lift);
    if (scores.empty())
        return draft.missing("The spans that retrieve carry no scores, and one deployment alone does not tell what got worse.",
            {"db.vector.query.top_score", "BEFORE (--against)"});
    if (!lift)
        return draft.missing("One deployment alone does not tell whether scores fell.", {"BEFORE (--against)"});
    draft.missing(
        "One deployment alone does not tell whether scores fell; requests with the lowest tenth of scores are retried {lift} times "
        "as often as others.",
        {"BEFORE (--against)"});
}

} // namespace

void retrievalCascade(const Sides& sides, Draft& draft)
{
    const Retrieval after = retrievalOf(sides.after);
    if (after.requests.empty())
        return draft.conclude(CheckStatus::NotApplicable, "No request retrieves documents.");
    if (sides.before == nullptr)
        return concludeAlone(after, draft);
    const Retrieval before = retrievalOf(*sides.before);
    if (before.requests.empty()) {
        addRetrieval(after, std::nullopt, draft);
        return draft.missing("No request of BEFORE retrieves documents: there is nothing to compare with.", {"a BEFORE that retrieves"});
    }
    std::vector<double> scores = after.scores();
    std::vector<double> scoresBefore = before.scores();
    const bool hasScores = scores.size() >= fewestScored && scoresBefore.size() >= fewestScored;
    const bool comparable = hasScores && after.spaces == before.spaces;
    std::optional<Lift> lift;
    std::optional<double> change;
    if (comparable) {
        const double median = quantileOf(scores, 0.5);
        const double medianBefore = quantileOf(scoresBefore, 0.5);
        const double lowBelow = quantileOf(scoresBefore, 0.1);
        lift = liftOf(after, lowBelow);
        change = medianBefore == 0 ? std::nullopt : std::optional((median - medianBefore) / std::abs(medianBefore));
        draft.ratio("top_score", median);
        draft.ratio("top_score_before", medianBefore);
        draft.share("top_score_change", change);
        addTraces(after, lowBelow, draft);
    }
    addRetrieval(after, lift, draft);
    draft.share("retry_rate_before", before.retried.rate(), wilsonInterval(before.retried));
    draft.share("empty_searches_before", before.empty.rate());
    if (before.tokens > 0)
        draft.tokens("tokens_a_request_before", before.tokens);
    draft.time("retrieve_time_before", toDuration(before.latency));
    if (lift)
        draft.measure(lift->lift);

    const auto empty = proportionDifference(before.empty, after.empty);
    const bool moreEmpty = empty && *after.empty.rate() - *before.empty.rate() >= pointsMore && empty->low > 0;
    const auto retried = proportionDifference(before.retried, after.retried);
    const bool moreRetries = retried && *after.retried.rate() - *before.retried.rate() >= pointsMore;
    const std::array answers{answerOf(change || moreEmpty, moreEmpty || (change && *change <= -scoreDrop)),
        moreRetries ? answerOf(retried->low > 0, true) : answerOf(retried.has_value(), false),
        answerOf(lift.has_value(), lift && lift->lift >= liftLimit),
        answerOf(before.tokens > 0 && after.tokens > 0, after.tokens >= tokensMore * before.tokens)};
    if (std::find(answers.begin(), answers.end(), Answer::No) != answers.end())
        return draft.conclude(CheckStatus::Ok,
            "No chain from worse retrieval to retries: {retry_rate_before} of the requests were retried before and {retry_rate} after.");
    if (std::all_of(answers.begin(), answers.end(), [](Answer answer) { return answer == Answer::Yes; }))
        return draft.conclude(CheckStatus::Suspect,
            after.latency < before.latency && after.e2e > before.e2e
                ? "Retrieval got faster, answers got slower: requests with a low score are retried {lift} times as often as others, "
                  "retries "
                  "went from {retry_rate_before} to {retry_rate}, tokens a request from {tokens_a_request_before} to {tokens_a_request}."
                : "Requests with a low score are retried {lift} times as often as others, retries went from {retry_rate_before} to "
                  "{retry_rate}, tokens a request from {tokens_a_request_before} to {tokens_a_request}.");
    if (!hasScores)
        return draft.missing(
            "The spans that retrieve carry too few scores: retries went from {retry_rate_before} to {retry_rate}, the cause "
            "is not established.",
            {"db.vector.query.top_score"});
    if (!comparable)
        return draft.missing("Scores of other collections or embedding models cannot be compared: retries went from {retry_rate_before} to "
                             "{retry_rate}, the cause is not established.",
            {"the share of searches without a result", "citations of retrieved documents"});
    draft.missing("Not enough data: retries went from {retry_rate_before} to {retry_rate}, which may be chance or have other causes.",
        {"more requests"});
}

} // namespace chokepoint::checks
