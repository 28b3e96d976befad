// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the trace list: both sides in one table of raw values, ready to filter and sort. Pure.
#pragma once

#include "core/pipeline/dataset.h"
#include "views/state/viewstate.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

struct TraceListRow {
    TraceRef ref;
    Timestamp start = unknownTime; // of the root; of the earliest span without one
    Duration e2e = unknownDuration;
    double rank = -1; // share of the side's complete traces that are strictly shorter, [0, 1); -1: not complete
    std::uint64_t spans = 0;
    std::uint32_t errors = 0;
    bool complete = false;
    std::string_view name; // of the root; lives as long as the dataset
    std::string_view service;
};

/// One piece of a share strip: a top-level stage and its place in the end-to-end time.
struct StripPart {
    std::string_view stage;
    double begin = 0; // shares of the end-to-end time
    double end = 0;
};

/// Before's traces, then after's, each in the order of its columns. Keeps the datasets alive.
struct TraceRows {
    std::array<ViewState::DatasetPtr, 2> datasets;
    std::vector<TraceListRow> rows;
    std::array<std::vector<StageId>, 2> stages; // top-level stages of each side, in the order of a pipeline
    std::array<Timestamp, 2> begin{unknownTime, unknownTime}; // of the spans of each side whose clock has no dates; see formatStart()

    [[nodiscard]] const Dataset& dataset(const TraceListRow& row) const { return *datasets[std::size_t(row.ref.side)]; }
    [[nodiscard]] std::string traceId(std::size_t row) const;
    [[nodiscard]] Timestamp beginOf(const TraceListRow& row) const { return begin[std::size_t(row.ref.side)]; }
    /// Adds up to 1 where the end-to-end time is known and not zero; else empty. Stages without time are left out.
    [[nodiscard]] std::vector<StripPart> strip(std::size_t row) const;
    /// Share of \a stage (id) in the end-to-end time of a row; -1 when it cannot be told.
    [[nodiscard]] double share(std::size_t row, std::string_view stage) const;
    /// The largest share of a stage in the row; -1 when it cannot be told.
    [[nodiscard]] double largestShare(std::size_t row) const;
    [[nodiscard]] std::size_t count(Side side) const;
};

/// Null sides have no rows. O(n log n).
[[nodiscard]] std::shared_ptr<const TraceRows> makeTraceRows(const ViewState::DatasetPtr& before, const ViewState::DatasetPtr& after);

} // namespace chokepoint
