// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about a dataset, or about two, beyond the figures: findings, and why a faster stage gave less than it promised.
#pragma once

#include "core/analysis/findings.h"
#include "core/pipeline/dataset.h"

namespace chokepoint {

struct ComparisonExplained {
    AmdahlAnalysis amdahl;
    std::vector<Finding> findings;
};

/// \a comparison is of the same two datasets. Fails with Cancelled only.
[[nodiscard]] Result<ComparisonExplained> explainComparison(
    const Dataset& before, const Dataset& after, const Comparison& comparison, const JobControl& job);

/// \a summary is of the same dataset. Fails with Cancelled only.
[[nodiscard]] Result<std::vector<Finding>> explainDataset(
    const Dataset& dataset, const PopulationSummary& summary, unsigned threads, const JobControl& job);

} // namespace chokepoint
