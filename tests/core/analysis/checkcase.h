// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Deployments as indented text (retrytext.h), read for all that the checks look at.
#pragma once

#include "core/analysis/checks.h"
#include "core/analysis/doubtfacts.h"
#include "tests/core/analysis/retrytext.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

struct CheckCase {
    TraceColumns columns;
    StageMap stages;
    UsageTable usage;
    CheckFacts facts;
    AttemptFacts attemptFacts;
    DoubtFacts doubtFacts;
    Population population;
    PriceTable prices;
    Billing billing;
    std::vector<AnswerVerdict> verdicts;
    Spending spending;
    RetryAnalysis retries;
    PathOptions path;

    [[nodiscard]] CheckSide side() const
    {
        return {columns, stages, usage, facts, attemptFacts, population, prices, billing, spending, retries, verdicts, path};
    }
};
[[nodiscard]] std::unique_ptr<CheckCase> checkCase(const testkit::TraceBuilder& traces, const PriceTable& prices = {});
[[nodiscard]] std::unique_ptr<CheckCase> checkCase(const std::string& traces, const PriceTable& prices = {});

/// \a trace \a count times, each a trace of its own, ended by a line that separates traces: several of them can be added up.
[[nodiscard]] std::string times(unsigned count, std::string_view trace);

[[nodiscard]] Check checkOf(std::string_view id, const CheckCase& after, const CheckCase* before = nullptr);

/// "suspect 0.2581", "missing-data -": status and value with four significant digits.
[[nodiscard]] std::string outcome(const Check& check);
/// The figure \a name as a person reads it; "absent" when the check has none.
[[nodiscard]] std::string figure(const Check& check, std::string_view name);

} // namespace chokepoint
