// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of the list pass the filter, in which order, and why none does. Pure; runs on a worker.
#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "views/traces/tracerows.h"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace chokepoint {

enum class TraceColumn : std::uint8_t { Side, Start, E2e, Rank, Shares, Spans, Errors, Name, Service, TraceId, Count_ };

struct TraceSort {
    TraceColumn column = TraceColumn::E2e;
    bool descending = true;
    std::string stage; // column Shares: share of this stage; of the largest when empty
    friend bool operator==(const TraceSort&, const TraceSort&) = default;
};

/// One restriction and how many of all rows pass it alone.
struct ClauseCount {
    std::string clause; // text of the expression; "" for what came from clicks
    std::size_t passing = 0;
};

struct TraceQueryResult {
    std::vector<std::uint32_t> rows; // indices of TraceRows::rows, in order
    std::vector<std::uint32_t> unbrushed; // those that pass all but the range of durations
    std::vector<ClauseCount> clauses; // only when no row passes
};

/// Sorts stably; what is unknown comes last either way.
void sortTraces(const TraceRows& rows, std::vector<std::uint32_t>& order, const TraceSort& sort);

/// Fails with InvalidQuery (place.byte: offset in scope.text) or Cancelled.
[[nodiscard]] Result<TraceQueryResult> queryTraces(
    const TraceRows& rows, const TraceScope& scope, const TraceSort& sort, const JobControl& job);

/// Number of all rows that pass \a scope, which must hold no expression.
[[nodiscard]] std::size_t countTraces(const TraceRows& rows, const TraceScope& scope);

} // namespace chokepoint
