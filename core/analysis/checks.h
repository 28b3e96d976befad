// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The known traps of optimizing an AI pipeline: for each whether the traces show it, by which formula and on what evidence, or what
// would have to be recorded to tell.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/checkfacts.h"
#include "core/analysis/spending.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace chokepoint {

enum class CheckStatus : std::uint8_t {
    Ok, // looked at, and not to be seen
    Suspect,
    NotApplicable, // the pipeline has no such part
    MissingData, // not recorded, or too little of it
};
[[nodiscard]] const char* checkStatusName(CheckStatus status); // "ok", "suspect", "not-applicable", "missing-data"

/// A number that a check rests on.
struct CheckFigure {
    enum class Unit : std::uint8_t {
        Count,
        Share, // a fraction of 1
        Points, // a difference of shares
        Ratio,
        Time, // whole nanoseconds
        Money, // in the currency of the prices
        Text
    };
    std::string_view name; // "acceptance"; a literal
    Unit unit = Unit::Count;
    std::variant<std::monostate, std::int64_t, double, std::string> value; // by unit: integer for Count and Time; nothing: unknown
    std::optional<Interval> interval; // 95 %

    [[nodiscard]] bool isKnown() const { return value.index() != 0; }
};

/// The figure as a person reads it, without its interval: "31.0 %", "1.20 ms", "unknown".
[[nodiscard]] std::string figureText(const CheckFigure& figure);

struct Check {
    std::string_view id; // "speculative-acceptance"
    std::string_view title; // "Speculative decoding"
    std::string_view formula; // how value comes about and what it is held against
    CheckStatus status = CheckStatus::MissingData;
    std::optional<double> value; // of the measure that the formula names; unknown without data
    std::optional<double> threshold; // none where it depends on what is missing
    std::string text; // one sentence; every number in it is among the figures
    std::vector<CheckFigure> figures;
    std::vector<std::uint32_t> traces; // of AFTER, worth opening, at most 5
    std::vector<std::string_view> needs; // what to record, or to give, where data is missing
};

/// One deployment. All references outlive the call.
struct CheckSide {
    const TraceColumns& columns;
    const StageMap& stages;
    const UsageTable& usage;
    const CheckFacts& facts;
    const AttemptFacts& attemptFacts;
    const Population& population;
    const PriceTable& prices;
    const Billing& billing;
    const Spending& spending;
    const RetryAnalysis& retries;
    const std::vector<AnswerVerdict>& verdicts; // by trace, as judgeAnswers() gives them
    const PathOptions& path; // as the population was made with
};

/// All ten checks, in the order of the command line's contract, of \a after alone or against \a before (nullptr: alone). Deterministic
/// for a \a seed.
[[nodiscard]] std::vector<Check> runChecks(const CheckSide& after, const CheckSide* before, std::uint64_t seed = 1);

} // namespace chokepoint
