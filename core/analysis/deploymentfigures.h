// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures for gates that are not latencies: how often requests are retried, what they take and what they cost.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/gates.h"
#include "core/analysis/proportions.h"
#include "core/analysis/spending.h"
#include "core/analysis/summary.h"

#include <string_view>

namespace chokepoint {

/// What gates ask of one side beside its comparison.
struct DeploymentFigures {
    const RetrySummary& retries;
    const Spending& spending;
};

/// "retry_rate" with Newcombe's interval of the difference; "cost_per_correct_answer" with the interval that both sides' own give
/// (square and add); and those of spendingFigure(). Nothing for other names. Swapping the sides negates every interval exactly.
[[nodiscard]] std::optional<GateFigure> deploymentFigure(
    const DeploymentFigures& before, const DeploymentFigures& after, std::string_view statistic);

/// Included traces whose root is an error.
[[nodiscard]] Proportion failedRequests(const TraceColumns& columns, const Population& population);

/// One deployment alone: mean, p50, p95, p99, error_rate, stage.NAME.mean, stage.NAME.share and those above, as AFTER without a BEFORE, so
/// that a gate on a difference is inconclusive. Nothing for other names.
[[nodiscard]] std::optional<GateFigure> singleFigure(
    const PopulationSummary& summary, Proportion failed, const DeploymentFigures& figures, std::string_view statistic);

} // namespace chokepoint
