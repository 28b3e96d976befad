// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens that are computed for nothing: drafts that are not accepted, and padding.
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace chokepoint::checks {

namespace {

constexpr double fewestDrafted = 1000; // tokens: below, the rate says little
constexpr std::uint64_t fewestRates = 20; // calls, where only their rates are told
constexpr double criticalAcceptance = 0.25;
constexpr double positionLimit = 0.2; // below, drafting up to that position is not worth it
constexpr double draftCost = 0.1; // a step of the draft model over one of the target: assumed
constexpr double criticalPadding = 0.50;

/// Acceptance of drafts in one deployment: a part a call.
struct Speculation {
    std::vector<Part> calls; // accepted of drafted
    std::vector<Part> rates; // rates of calls that tell no counts
    double drafted = 0;
    double accepted = 0;
    double drafts = 0; // verification steps, of the calls that tell them or a draft's length
    double draftedThere = 0;
    double acceptedThere = 0;

    [[nodiscard]] bool hasCounts() const { return drafted > 0; }
    [[nodiscard]] const std::vector<Part>& parts() const { return hasCounts() ? calls : rates; }
    [[nodiscard]] bool isEnough() const { return hasCounts() ? drafted >= fewestDrafted : rates.size() >= fewestRates; }

    /// Tokens a step over what the step costs: (1 + accepted / drafts) / (1 + length of a draft * cost); 9.2.
    [[nodiscard]] std::optional<double> speedup() const
    {
        if (drafts <= 0)
            return std::nullopt;
        return (1 + acceptedThere / drafts) / (1 + draftedThere / drafts * draftCost);
    }
};

/// Acceptance at each position of a draft: of all drafts, those whose token there was accepted; 9.2.
std::vector<double> acceptanceByPosition(const CheckSide& side)
{
    using enum CheckField;
    std::vector<double> accepted;
    double drafts = 0; // or calls, where positions are told as shares and drafts are not
    std::uint64_t doneUntil = 0; // the record of a client and that of its engine are one
    for (const CheckPosition& first : side.facts.positions) {
        const std::uint64_t row = first.span;
        if (row < doneUntil)
            continue;
        doneUntil = row + side.columns.subtreeSize[row];
        const std::span<const CheckPosition> positions = side.facts.positionsOf(row, 1);
        const auto steps = side.facts.number(row, Drafts);
        const auto drafted = side.facts.number(row, DraftedTokens);
        const auto length = side.facts.number(row, DraftLength).value_or(double(positions.size()));
        const double weight = steps ? *steps : drafted && length > 0 ? *drafted / length : positions.front().isShare ? 1 : 0;
        if (weight <= 0)
            continue; // how many drafts there were is not told
        drafts += weight;
        for (const CheckPosition& position : positions) {
            accepted.resize(std::max(accepted.size(), std::size_t(position.position) + 1));
            accepted[position.position] += position.isShare ? position.value * weight : position.value;
        }
    }
    for (double& each : accepted)
        each /= drafts;
    return accepted;
}

/// Figures by position; the sentence to add when later positions are hardly ever accepted.
std::string addPositions(const CheckSide& side, Draft& draft)
{
    constexpr std::array<std::string_view, 8> names{"acceptance_at_1", "acceptance_at_2", "acceptance_at_3", "acceptance_at_4",
        "acceptance_at_5", "acceptance_at_6", "acceptance_at_7", "acceptance_at_8"};
    const std::vector<double> acceptance = acceptanceByPosition(side);
    for (std::size_t k = 0; k < std::min(acceptance.size(), names.size()); ++k)
        draft.share(names[k], acceptance[k]);
    const auto poor = std::find_if(acceptance.begin(), acceptance.end(), [](double each) { return each < positionLimit; });
    if (poor == acceptance.end())
        return "";
    const auto useful = std::uint64_t(poor - acceptance.begin());
    draft.share("position_limit", positionLimit);
    draft.count("useful_draft_length", useful);
    draft.count("poor_position", useful + 1);
    return useful == 0 ? " Already the first token of a draft is accepted less often than {position_limit}: drafts do not pay here."
                       : " From position {poor_position} on fewer than {position_limit} are accepted: drafts of {useful_draft_length} "
                         "would do.";
}

Speculation speculationOf(const CheckSide& side)
{
    using enum CheckField;
    Speculation result;
    const auto accepted = [&](std::uint64_t row) { return side.facts.number(row, AcceptedTokens); };
    const auto drafted = [&](std::uint64_t row) -> std::optional<double> {
        if (const auto told = side.facts.number(row, DraftedTokens))
            return told;
        const auto rejected = side.facts.number(row, RejectedTokens);
        return accepted(row) && rejected ? std::optional(*accepted(row) + *rejected) : std::nullopt;
    };
    const auto hasCounts = [&](std::uint64_t row) {
        return accepted(row) && drafted(row) && *drafted(row) > 0 && *accepted(row) <= *drafted(row);
    };
    forEachOutermost(side, hasCounts, [&](std::uint32_t trace, std::uint32_t, std::uint64_t row) {
        result.calls.push_back({*accepted(row), *drafted(row), trace});
        result.accepted += *accepted(row);
        result.drafted += *drafted(row);
        const auto steps = side.facts.number(row, Drafts);
        const auto length = side.facts.number(row, DraftLength);
        const double drafts = steps ? *steps : length && *length > 0 ? *drafted(row) / *length : 0;
        if (drafts > 0) {
            result.drafts += drafts;
            result.acceptedThere += *accepted(row);
            result.draftedThere += *drafted(row);
        }
    });
    const auto hasRate = [&](std::uint64_t row) { return side.facts.number(row, AcceptanceRate).value_or(2) <= 1; };
    if (!result.hasCounts())
        forEachOutermost(side, hasRate, [&](std::uint32_t trace, std::uint32_t, std::uint64_t row) {
            result.rates.push_back({*side.facts.number(row, AcceptanceRate), 1, trace});
        });
    return result;
}

void addSpeculation(const Speculation& found, Draft& draft)
{
    draft.share("acceptance", ratioOf(found.parts()), ratioInterval(found.parts()));
    draft.share("acceptance_limit", acceptanceLimit);
    draft.count("calls", found.parts().size());
    if (found.hasCounts()) {
        draft.tokens("drafted_tokens", found.drafted);
        draft.tokens("accepted_tokens", found.accepted);
    }
    if (const std::optional<double> speedup = found.speedup()) {
        draft.ratio("draft_length", found.draftedThere / found.drafts);
        draft.ratio("tokens_a_step", 1 + found.acceptedThere / found.drafts);
        draft.ratio("draft_cost_assumed", draftCost);
        draft.ratio("expected_speedup", speedup);
    }
}

/// Padded and actual tokens of one deployment: a part a batch.
struct Padding {
    std::vector<Part> batches; // actual of padded
    double padded = 0;
    double actual = 0;
    Duration lost{}; // time of each, times its waste
    std::uint64_t inconsistent = 0; // more actual tokens than padded ones
};

/// One batch: {padded, actual}.
std::optional<std::pair<double, double>> paddedTokens(const CheckSide& side, std::uint64_t row)
{
    using enum CheckField;
    const std::span<const CheckNumber> numbers = side.facts.numbersOf(row, 1);
    const auto number = [numbers](CheckField field) {
        const auto found = std::find_if(numbers.begin(), numbers.end(), [field](const CheckNumber& each) { return each.field == field; });
        return found == numbers.end() ? std::nullopt : std::optional(found->value);
    };
    if (!number(PaddedTokens) && !number(PaddingTokens) && !number(PaddedLength) && !number(PaddedLimit))
        return std::nullopt;
    std::optional<double> actual = number(ActualTokens);
    const bool isTold = actual.has_value();
    if (const CallFacts* const call = isTold ? nullptr : side.usage.find(row))
        if (const TokenCount input = call->tokens().input(); input.isKnown())
            actual = double(input.orZero());
    if (!actual || *actual <= 0)
        return std::nullopt;
    if (const auto padded = number(PaddedTokens))
        return std::pair(*padded, *actual);
    if (const auto padding = number(PaddingTokens))
        return std::pair(*padding + *actual, *actual);
    const auto length = number(PaddedLength) ? number(PaddedLength) : isTold ? number(PaddedLimit) : std::nullopt;
    if (!length)
        return std::nullopt;
    const double sequences = *actual > *length ? number(BatchSize).value_or(1) : 1;
    return std::pair(*length * sequences, *actual);
}

Padding paddingOf(const CheckSide& side)
{
    Padding result;
    const StageTest isGenerate(side.stages, "generate");
    const StageId prefill = side.stages.table->find("generate.prefill");
    const auto fits = [&](std::uint64_t row) { return paddedTokens(side, row).has_value(); };
    forEachOutermost(side, fits, [&](std::uint32_t trace, std::uint32_t span, std::uint64_t row) {
        const auto [padded, actual] = *paddedTokens(side, row);
        if (actual > padded) {
            ++result.inconsistent;
            return;
        }
        result.batches.push_back({actual, padded, trace});
        result.padded += padded;
        result.actual += actual;
        // The answer of a model is not padded: of its calls only the reading of the prompt is.
        const Duration length = isGenerate(row) ? phaseTime(side, trace, span, prefill) : side.columns.trace(trace).duration(span);
        if (isKnown(length))
            result.lost += toDuration(double(toNs(length)) * (1 - actual / padded));
    });
    return result;
}

/// Midranks of \a values, from 1 on.
std::vector<double> ranksOf(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] == values[order[begin]])
            ++end;
        for (std::size_t k = begin; k < end; ++k)
            ranks[order[k]] = double(begin + end + 1) / 2;
        begin = end;
    }
    return ranks;
}

/// Spearman's; nothing when one side does not vary.
std::optional<double> rankCorrelation(const std::vector<double>& a, const std::vector<double>& b)
{
    const std::vector<double> x = ranksOf(a);
    const std::vector<double> y = ranksOf(b);
    const double middle = (double(a.size()) + 1) / 2;
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        xy += (x[k] - middle) * (y[k] - middle);
        xx += (x[k] - middle) * (x[k] - middle);
        yy += (y[k] - middle) * (y[k] - middle);
    }
    return xx > 0 && yy > 0 ? std::optional(xy / std::sqrt(xx * yy)) : std::nullopt;
}

/// Without padded lengths: calls to embed or rerank that take the same time however long their input is. A hint only.
bool addFixedLengthHint(const CheckSide& side, Draft& draft)
{
    constexpr std::size_t fewest = 100;
    constexpr double lengthsVary = 8; // 95 % over 5 % quantile
    constexpr double timesHold = 0.8; // 5 % quantile over the median
    constexpr double uncorrelated = 0.1;
    std::vector<double> lengths;
    std::vector<double> times;
    for (const BilledCall& call : side.billing.calls) {
        const SpanColumns& spans = side.columns.spans;
        const Duration time = spanDuration(spans.start[call.span], spans.end[call.span], spans.flags[call.span]);
        if ((call.purpose != CallPurpose::Embed && call.purpose != CallPurpose::Rerank) || !call.tokens.input().isKnown() || !isKnown(time))
            continue;
        lengths.push_back(double(call.tokens.input().orZero()));
        times.push_back(double(toNs(time)));
    }
    if (lengths.size() < fewest)
        return false;
    const double correlation = rankCorrelation(lengths, times).value_or(0);
    const bool vary = quantileOf(lengths, 0.95) >= lengthsVary * quantileOf(lengths, 0.05);
    const bool hold = quantileOf(times, 0.05) >= timesHold * quantileOf(times, 0.5);
    if (!vary || !hold || std::abs(correlation) >= uncorrelated)
        return false;
    draft.count("hint_calls", lengths.size());
    draft.ratio("rank_correlation", correlation);
    return true;
}

bool hasStage(const CheckSide& side, std::string_view name)
{
    const StageTest test(side.stages, name);
    for (std::uint64_t row = 0; test.id() != StageTable::noStage && row < side.columns.spanCount(); ++row)
        if (test(row))
            return true;
    return false;
}

} // namespace

void speculativeAcceptance(const Sides& sides, Draft& draft)
{
    const Speculation after = speculationOf(sides.after);
    if (after.parts().empty()) {
        if (!generates(sides.after))
            return draft.conclude(CheckStatus::NotApplicable, "No span calls a model that generates.");
        return draft.missing("Acceptance is not in these spans, and the speed of decoding alone cannot prove that it is low.",
            {"gen_ai.spec_decode.draft_tokens", "gen_ai.spec_decode.accepted_tokens"});
    }
    addSpeculation(after, draft);
    const std::string byPosition = addPositions(sides.after, draft);
    if (sides.before != nullptr)
        if (const Speculation before = speculationOf(*sides.before); !before.parts().empty())
            draft.share("acceptance_before", ratioOf(before.parts()), ratioInterval(before.parts()));
    const std::optional<double> acceptance = ratioOf(after.parts());
    draft.measure(acceptance);
    for (const std::uint32_t trace : extremeTraces(after.parts(), true))
        draft.trace(trace);
    if (!after.isEnough()) {
        draft.count("tokens_needed", std::uint64_t(fewestDrafted));
        draft.count("calls_needed", fewestRates);
        return after.hasCounts()
            ? draft.missing("Not enough data: {drafted_tokens} drafted tokens, {tokens_needed} are needed.", {"more requests"})
            : draft.missing("Not enough data: {calls} calls tell their acceptance, {calls_needed} are needed.", {"more requests"});
    }
    const auto conclude = [&](CheckStatus status, std::string_view sentence) {
        draft.conclude(status, std::string(sentence) + byPosition);
    };
    if (after.speedup().value_or(1) < 1)
        return conclude(CheckStatus::Suspect,
            "Only {acceptance} of the drafted tokens are accepted: decoding is expected at {expected_speedup} times its speed without "
            "drafts.");
    if (*acceptance < criticalAcceptance)
        return conclude(CheckStatus::Suspect,
            "Only {acceptance} of the drafted tokens are accepted, far below {acceptance_limit}: nearly all drafting is thrown away.");
    if (*acceptance < acceptanceLimit)
        return conclude(CheckStatus::Suspect,
            "{acceptance} of the drafted tokens are accepted, below {acceptance_limit}: most of the drafting is thrown away.");
    conclude(CheckStatus::Ok, "{acceptance} of the drafted tokens are accepted, not below {acceptance_limit}.");
}

void overPadding(const Sides& sides, Draft& draft)
{
    const Padding after = paddingOf(sides.after);
    if (after.batches.empty()) {
        if (addFixedLengthHint(sides.after, draft))
            return draft.missing(
                "No padded length is in these spans, but the time of {hint_calls} calls does not depend on the length of their "
                "input (rank correlation {rank_correlation}), as with padding to a fixed length.",
                {"llm.padded_tokens", "llm.actual_tokens"});
        if (hasStage(sides.after, "embed") || hasStage(sides.after, "rerank"))
            return draft.missing("No padded length is in these spans.", {"llm.padded_tokens", "llm.actual_tokens"});
        if (!generates(sides.after))
            return draft.conclude(CheckStatus::NotApplicable, "No span embeds, reranks or generates.");
        const bool isRagged = std::any_of(sides.after.usage.calls.begin(), sides.after.usage.calls.end(), [&](const CallFacts& call) {
            const std::string_view provider = sides.after.usage.text(call.provider);
            return provider == "vllm" || provider == "sglang" || provider == "tgi";
        });
        if (isRagged)
            return draft.conclude(CheckStatus::NotApplicable, "The engine batches sequences of different lengths without padding.");
        return draft.missing("No padded length is in these spans.", {"llm.padded_tokens", "llm.actual_tokens"});
    }
    const double waste = (after.padded - after.actual) / after.padded;
    std::optional<Interval> interval = ratioInterval(after.batches);
    if (interval)
        interval = Interval{1 - interval->high, 1 - interval->low};
    draft.share("waste", waste, interval);
    draft.share("waste_limit", paddingLimit);
    draft.count("batches", after.batches.size());
    draft.tokens("padded_tokens", after.padded);
    draft.tokens("actual_tokens", after.actual);
    draft.time("lost_time", after.lost);
    if (after.inconsistent > 0)
        draft.count("batches_left_out", after.inconsistent);
    if (sides.before != nullptr)
        if (const Padding before = paddingOf(*sides.before); !before.batches.empty())
            draft.share("waste_before", (before.padded - before.actual) / before.padded);
    draft.measure(waste);
    for (const std::uint32_t trace : extremeTraces(after.batches, true))
        draft.trace(trace);
    if (waste > criticalPadding)
        return draft.conclude(CheckStatus::Suspect,
            "{waste} of the {padded_tokens} tokens computed are padding, more than half: about {lost_time} of time is lost to it.");
    if (waste > paddingLimit)
        return draft.conclude(CheckStatus::Suspect,
            "{waste} of the {padded_tokens} tokens computed are padding, above {waste_limit}: about {lost_time} of time is lost to it.");
    draft.conclude(CheckStatus::Ok, "{waste} of the {padded_tokens} tokens computed are padding, not above {waste_limit}.");
}

} // namespace chokepoint::checks
