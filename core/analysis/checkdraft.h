// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a check states its case: figures first, then a sentence that can name nothing but these figures.
#pragma once

#include "core/analysis/checkviews.h"

namespace chokepoint::checks {

inline constexpr std::size_t mostTraces = 5;

/// What every check looks at.
struct Sides {
    const CheckSide& after;
    const CheckSide* before = nullptr;
    std::vector<ModelCall> calls; // of after
    std::vector<ModelCall> callsBefore;
    std::uint64_t seed = 1;
};

/// A check being written. Names, needs and sentences are literals.
class Draft {
public:
    explicit Draft(Check& check) : m_check(check) { }

    void count(std::string_view name, std::uint64_t value) { add(name, CheckFigure::Unit::Count, std::int64_t(value)); }
    void tokens(std::string_view name, double value);
    void share(std::string_view name, std::optional<double> value, const std::optional<Interval>& interval = {})
    {
        number(name, CheckFigure::Unit::Share, value, interval);
    }
    void points(std::string_view name, std::optional<double> value, const std::optional<Interval>& interval = {})
    {
        number(name, CheckFigure::Unit::Points, value, interval);
    }
    void ratio(std::string_view name, std::optional<double> value, const std::optional<Interval>& interval = {})
    {
        number(name, CheckFigure::Unit::Ratio, value, interval);
    }
    void time(std::string_view name, Duration value);
    void money(std::string_view name, std::optional<Money> value);
    void text(std::string_view name, std::string_view value) { add(name, CheckFigure::Unit::Text, std::string(value)); }

    /// What the status goes by.
    void measure(std::optional<double> value) { m_check.value = value; }
    void threshold(std::optional<double> value) { m_check.threshold = value; }
    void trace(std::uint32_t trace); // worth opening; those beyond mostTraces, and repetitions, are left out
    void need(std::string_view what) { m_check.needs.push_back(what); }

    /// Ends the check. In \a sentence "{acceptance}" stands for the figure of that name.
    void conclude(CheckStatus status, std::string_view sentence);
    void missing(std::string_view sentence, std::initializer_list<std::string_view> needs);

private:
    using Value = decltype(CheckFigure::value);
    void number(std::string_view name, CheckFigure::Unit unit, std::optional<double> value, const std::optional<Interval>& interval);
    void add(std::string_view name, CheckFigure::Unit unit, Value value, const std::optional<Interval>& interval = {});

    Check& m_check;
};

/// One row of the table of checks.
struct Rule {
    std::string_view id;
    std::string_view title;
    std::string_view formula;
    std::optional<double> threshold;
    void (*run)(const Sides& sides, Draft& draft);
};

void quantizationOverhead(const Sides& sides, Draft& draft);
void speculativeAcceptance(const Sides& sides, Draft& draft);
void distillationTail(const Sides& sides, Draft& draft);
void overPadding(const Sides& sides, Draft& draft);
void retrievalCascade(const Sides& sides, Draft& draft);
void rerankPayoff(const Sides& sides, Draft& draft);
void semanticCache(const Sides& sides, Draft& draft);
void routerAccuracy(const Sides& sides, Draft& draft);
void uninstrumentedTime(const Sides& sides, Draft& draft);
void hiddenRetries(const Sides& sides, Draft& draft);

// Thresholds that the table states and the rules use.
inline constexpr double slowdownLimit = 1.10; // 9.1
inline constexpr double acceptanceLimit = 0.40; // 9.2
inline constexpr double tailLimit = 0.05; // 9.3
inline constexpr double paddingLimit = 0.30; // 9.4
inline constexpr double liftLimit = 2.0; // 9.5
inline constexpr double payoffLimit = 1.0; // algorithms E2
inline constexpr double misrouteLimit = 0.10; // 9.6
inline constexpr double uninstrumentedLimit = 0.20; // 7.5
inline constexpr double hiddenLimit = 0.01; // share of calls

} // namespace chokepoint::checks
