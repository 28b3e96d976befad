// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The table of checks, and how a check becomes figures and a sentence.
#include "core/analysis/checks.h"

#include "core/analysis/checkdraft.h"
#include "core/base/format.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace chokepoint {

namespace checks {

namespace {

constexpr std::array rules{
    Rule{"quantization-overhead", "Quantization overhead",
        "weighted geometric mean over buckets (input length x batch) of median time a token after / before; suspect above 1.10 with its "
        "95 % interval above 1",
        slowdownLimit, quantizationOverhead},
    Rule{"speculative-acceptance", "Speculative decoding", "accepted / drafted tokens, of at least 1000; suspect below 0.40",
        acceptanceLimit, speculativeAcceptance},
    Rule{"distillation-tail", "Tail of a distilled model",
        "(F after - F before) of the longest tenth of requests - the same of the shorter eight tenths, F = failures / requests; suspect "
        "from 0.05 on, with p < 0.05 in the tail and 30 requests a side there",
        tailLimit, distillationTail},
    Rule{"over-padding", "Over-padding", "1 - actual / padded tokens, over all; suspect above 0.30", paddingLimit, overPadding},
    Rule{"retrieval-cascade", "Retrieval that makes answers fail",
        "P(retry | low top score) / P(retry | other), low = below the 10 % quantile of BEFORE; suspect from 2 on, with scores 10 % lower, "
        "2 points more retries and 10 % more tokens a request",
        liftLimit, retrievalCascade},
    Rule{"rerank-payoff", "Reranking that does not pay",
        "time of retries removed a request / time of reranking a request; suspect below 1, interval included", payoffLimit, rerankPayoff},
    Rule{"semantic-cache", "Semantic cache",
        "hits / lookups against lookup time / time that a hit saves; suspect below it, after a drop of 5 points, or with lookups above "
        "10 % of a miss",
        std::nullopt, semanticCache},
    Rule{"router-accuracy", "Misrouted requests",
        "requests escalated to a model of at least twice the price / requests first sent to the cheaper one; suspect above 0.10, or with "
        "a negative saving",
        misrouteLimit, routerAccuracy},
    Rule{"uninstrumented-time", "Time without spans", "uninstrumented / end-to-end time on the critical paths; suspect above 0.20",
        uninstrumentedLimit, uninstrumentedTime},
    Rule{"hidden-retries", "Retries inside an SDK",
        "calls longer than usual by an SDK's backoff / calls that would not show a retry; suspect above 0.01, interval included",
        hiddenLimit, hiddenRetries},
};

/// "{acceptance} of {drafted}" with the figures of these names.
std::string filled(std::string_view sentence, const std::vector<CheckFigure>& figures)
{
    std::string text;
    for (std::size_t open = sentence.find('{'); open != std::string_view::npos; open = sentence.find('{')) {
        const std::size_t close = sentence.find('}', open);
        const std::string_view name = sentence.substr(open + 1, close - open - 1);
        const auto figure = std::find_if(figures.begin(), figures.end(), [name](const CheckFigure& each) { return each.name == name; });
        text += sentence.substr(0, open);
        text += figure == figures.end() ? "unknown" : figureText(*figure);
        sentence.remove_prefix(close + 1);
    }
    return text += sentence;
}

} // namespace

void Draft::add(std::string_view name, CheckFigure::Unit unit, Value value, const std::optional<Interval>& interval)
{
    m_check.figures.push_back({name, unit, std::move(value), interval});
}

void Draft::number(std::string_view name, CheckFigure::Unit unit, std::optional<double> value, const std::optional<Interval>& interval)
{
    const bool isKnown = value && std::isfinite(*value);
    add(name, unit, isKnown ? Value(*value) : Value(), isKnown ? interval : std::nullopt);
}

void Draft::tokens(std::string_view name, double value)
{
    add(name, CheckFigure::Unit::Count, std::int64_t(std::llround(value)));
}

void Draft::time(std::string_view name, Duration value)
{
    add(name, CheckFigure::Unit::Time, isKnown(value) ? Value(toNs(value)) : Value());
}

void Draft::money(std::string_view name, std::optional<Money> value)
{
    number(name, CheckFigure::Unit::Money, value ? std::optional(value->number()) : std::nullopt, {});
}

void Draft::trace(std::uint32_t trace)
{
    std::vector<std::uint32_t>& traces = m_check.traces;
    if (traces.size() < mostTraces && std::find(traces.begin(), traces.end(), trace) == traces.end())
        traces.push_back(trace);
}

void Draft::conclude(CheckStatus status, std::string_view sentence)
{
    m_check.status = status;
    m_check.text = filled(sentence, m_check.figures);
}

void Draft::missing(std::string_view sentence, std::initializer_list<std::string_view> needs)
{
    m_check.needs.insert(m_check.needs.end(), needs);
    conclude(CheckStatus::MissingData, sentence);
}

} // namespace checks

const char* checkStatusName(CheckStatus status)
{
    constexpr std::array names{"ok", "suspect", "not-applicable", "missing-data"};
    return names[std::size_t(status)];
}

std::string figureText(const CheckFigure& figure)
{
    if (!figure.isKnown())
        return "unknown";
    const auto* const whole = std::get_if<std::int64_t>(&figure.value);
    const auto* const real = std::get_if<double>(&figure.value);
    switch (figure.unit) {
    case CheckFigure::Unit::Count: return formatCount(std::uint64_t(*whole));
    case CheckFigure::Unit::Time: return formatDuration(Duration{*whole});
    case CheckFigure::Unit::Share: return formatShare(*real);
    case CheckFigure::Unit::Points: return fmt::format("{}{:.1f} points", *real < 0 ? "\u2212" : "+", std::abs(*real) * 100);
    case CheckFigure::Unit::Ratio: return fmt::format("{:.2f}", *real);
    case CheckFigure::Unit::Money: return fmt::format("{:.4g}", *real);
    case CheckFigure::Unit::Text: break;
    }
    return std::get<std::string>(figure.value);
}

std::vector<Check> runChecks(const CheckSide& after, const CheckSide* before, std::uint64_t seed)
{
    checks::Sides sides{after, before, {}, {}, seed};
    tbb::parallel_invoke([&] { sides.calls = checks::modelCalls(after); },
        [&] { sides.callsBefore = before == nullptr ? std::vector<checks::ModelCall>() : checks::modelCalls(*before); });
    std::vector<Check> results(checks::rules.size());
    tbb::parallel_for(std::size_t(0), results.size(), [&](std::size_t k) {
        const checks::Rule& rule = checks::rules[k];
        Check& check = results[k];
        check.id = rule.id;
        check.title = rule.title;
        check.formula = rule.formula;
        check.threshold = rule.threshold;
        checks::Draft draft(check);
        rule.run(sides, draft);
    });
    return results;
}

} // namespace chokepoint
