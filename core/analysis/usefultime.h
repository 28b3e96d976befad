// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the time of requests was used for: work that led to the answer, attempts that did not, and waiting for a free server.
#pragma once

#include "core/analysis/attempts.h"
#include "core/analysis/population.h"

#include <string>
#include <vector>

namespace chokepoint {

enum class TimeUse : std::uint8_t {
    Useful,
    Retry, // in attempts that another one replaced, between attempts, and backoff
    Queue, // in stages called "queue"
    Count_
};
inline constexpr std::size_t timeUseCount = std::size_t(TimeUse::Count_);

/// Times of traces by top-level stage, ns.
struct UsefulTimes {
    std::vector<std::string> stages; // ascending
    std::size_t rows = 0;
    std::vector<std::int64_t> path; // rows x stages x uses: a row adds up to the trace's end-to-end time
    std::vector<std::int64_t> own; // rows x stages: useful own time of all spans, on the path or not

    [[nodiscard]] std::int64_t onPath(std::size_t row, std::size_t stage, TimeUse use) const
    {
        return path[(row * stages.size() + stage) * timeUseCount + std::size_t(use)];
    }
    [[nodiscard]] std::int64_t ownTime(std::size_t row, std::size_t stage) const { return own[row * stages.size() + stage]; }
};

/// A row for each of \a traces: complete ones of \a population, which \a options gave their paths. \a retries may be null: then only
/// backoff is Retry. Parallel over traces with \a threads (0: all cores); results do not depend on it.
[[nodiscard]] Result<UsefulTimes> usefulTimes(const TraceColumns& columns, const StageMap& stages, const Population& population,
    const RetryAnalysis* retries, const PathOptions& options, const std::vector<std::uint32_t>& traces, unsigned threads,
    const JobControl& job);

} // namespace chokepoint
