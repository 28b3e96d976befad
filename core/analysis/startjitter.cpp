// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Start jitter: some SDKs cut start times to whole milliseconds and move the end with them, so that spans sit up to 1 ms early
// and what ran one after the other seems to overlap. A resource whose starts are round while its durations are not does that.
#include "core/analysis/criticalpath.h"

namespace chokepoint {

namespace {

constexpr std::uint32_t fewestSpans = 8;

/// The largest of 1 ms, 1 us, 1 ns that divides all values seen.
struct CommonStep {
    std::int64_t step = 1'000'000;

    void add(std::int64_t value)
    {
        while (step > 1 && value % step != 0)
            step /= 1000;
    }
};

struct Observed {
    std::uint32_t spans = 0;
    CommonStep starts;
    CommonStep durations;
};

} // namespace

std::vector<Duration> startJitter(const TraceColumns& columns)
{
    std::vector<Observed> observed(columns.dictionary ? columns.dictionary->resourceCount() : 0);
    for (std::size_t i = 0; i < columns.spanCount(); ++i) {
        if (!isKnown(columns.spans.start[i]))
            continue;
        Observed& resource = observed[toIndex(columns.spans.resource[i])];
        ++resource.spans;
        resource.starts.add(toNs(columns.spans.start[i]));
        const Duration duration = spanDuration(columns.spans.start[i], columns.spans.end[i], columns.spans.flags[i]);
        if (isKnown(duration))
            resource.durations.add(toNs(duration));
    }
    std::vector<Duration> jitter(observed.size(), Duration{0});
    for (std::size_t i = 0; i < observed.size(); ++i) {
        if (observed[i].spans >= fewestSpans && observed[i].starts.step > observed[i].durations.step)
            jitter[i] = Duration{observed[i].starts.step - 1};
    }
    return jitter;
}

} // namespace chokepoint
