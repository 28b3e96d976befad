// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens and money of one deployment: sums, and what a request, a successful answer and a correct answer cost.
#pragma once

#include "core/analysis/answers.h"
#include "core/analysis/billing.h"
#include "core/analysis/gates.h"
#include "core/analysis/statistics.h"

#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

/// Labels below which no cost per correct answer is given.
inline constexpr std::uint64_t labelsAtLeast = 20;

/// Cost per correct answer. With every request labelled: the whole cost over the number of correct answers; else the mean cost of the
/// labelled ones over the share of correct ones among them.
struct CorrectAnswers {
    std::uint64_t labelled = 0;
    std::uint64_t correct = 0;
    std::optional<double> rate; // correct / labelled
    std::optional<Interval> rateInterval; // Wilson, 95 %
    std::optional<double> cost; // per correct answer; none below labelsAtLeast, without a correct answer or without costs
    std::optional<Interval> costInterval; // from rateInterval
    std::string shortfall; // why there is no cost, or ""
};

/// Mean and spread over requests.
struct RequestMean {
    double mean = 0;
    double variance = 0; // of a request; 0 below two of them
    std::uint64_t n = 0;
};

struct Spending {
    UsageTotals totals; // of all traces
    std::string currency;
    std::uint64_t requests = 0; // traces with a true root, those of other pipelines left out
    std::optional<Money> cost; // of the requests, evaluation left out
    std::optional<double> perRequest;
    std::optional<RequestMean> requestCost; // a request without any cost counts as none; unknown when no request has one
    std::optional<RequestMean> requestTokens; // of the generate calls, the same way
    std::uint64_t successful = 0;
    std::optional<double> perSuccessfulAnswer; // whole cost over successful requests
    CorrectAnswers correct;
    bool isLowerBound = false; // some call has no cost, or not all of it
    std::vector<std::optional<Money>> costOfTrace; // by trace, evaluation left out; unknown without any cost
};

/// \a verdicts and \a successful by trace, as judgeAnswers() and successfulRequests() give them.
[[nodiscard]] Spending spending(const TraceColumns& columns, const Population& population, const Billing& billing,
    const std::vector<AnswerVerdict>& verdicts, const std::vector<bool>& successful);

/// "cost_per_request", "tokens_per_request", "cost_per_correct_answer" for gates; nothing for other names. The interval of a difference of
/// means is Welch's with the normal quantile, from 30 requests a side on; swapping the sides negates it exactly. A cost that more than one
/// call in a hundred lacks is no figure.
[[nodiscard]] std::optional<GateFigure> spendingFigure(const Spending& before, const Spending& after, std::string_view statistic);

} // namespace chokepoint
