// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Latency and errors of each operation (service and span name) on both sides.
#include "core/analysis/comparison.h"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <map>

namespace chokepoint {

namespace {

struct Samples {
    std::vector<Duration> durations; // of finished spans; the middle in place
    std::uint64_t errors = 0;
};

/// Puts the two values that the median lies between where sorting would put them.
void placeMiddle(std::vector<Duration>& values)
{
    if (values.size() < 2)
        return;
    const auto lower = values.begin() + std::ptrdiff_t(quantilePosition(0.5, values.size()).lower);
    std::nth_element(values.begin(), lower, values.end());
    std::iter_swap(lower + 1, std::min_element(lower + 1, values.end()));
}

using GroupKey = std::pair<std::string_view, std::string_view>; // service, name; texts of either dictionary

std::map<GroupKey, Samples> groupsOf(const TraceColumns& columns)
{
    std::map<GroupKey, Samples> groups;
    std::unordered_map<std::uint64_t, Samples*> known; // by the ids of service and name
    for (std::size_t i = 0; i < columns.spanCount(); ++i) {
        const StringId service = columns.dictionary->service(columns.spans.resource[i]);
        const StringId name = columns.spans.name[i];
        Samples*& samples = known[std::uint64_t(service) << 32 | std::uint64_t(name)];
        if (samples == nullptr)
            samples = &groups[{columns.dictionary->text(service), columns.dictionary->text(name)}];
        const SpanFlags flags = columns.spans.flags[i];
        samples->errors += flags.isError() ? 1 : 0;
        if (const Duration duration = spanDuration(columns.spans.start[i], columns.spans.end[i], flags); isKnown(duration))
            samples->durations.push_back(duration);
    }
    for (auto& [key, samples] : groups)
        placeMiddle(samples.durations);
    return groups;
}

/// (after - before) / before in percent; 0 when nothing stays nothing, none when something comes from nothing.
std::optional<double> percentOf(Duration delta, Duration before)
{
    if (before == Duration(0))
        return delta == Duration(0) ? std::optional(0.0) : std::nullopt;
    return delta == Duration(0) ? 0.0 : double(toNs(delta)) / double(toNs(before)) * 100;
}

} // namespace

std::vector<GroupRow> compareGroups(const TraceColumns& before, const TraceColumns& after)
{
    std::map<GroupKey, Samples> first;
    std::map<GroupKey, Samples> second;
    tbb::parallel_invoke([&] { first = groupsOf(before); }, [&] { second = groupsOf(after); });
    std::map<GroupKey, std::pair<Samples, Samples>> pairs;
    for (auto& [key, samples] : first)
        pairs[key].first = std::move(samples);
    for (auto& [key, samples] : second)
        pairs[key].second = std::move(samples);
    std::vector<GroupRow> rows;
    for (const auto& [key, sides] : pairs) {
        GroupRow row;
        row.service = key.first;
        row.name = key.second;
        row.countBefore = sides.first.durations.size();
        row.countAfter = sides.second.durations.size();
        row.p50Before = quantile(sides.first.durations, 0.5);
        row.p50After = quantile(sides.second.durations, 0.5);
        row.errorsBefore = sides.first.errors;
        row.errorsAfter = sides.second.errors;
        if (isKnown(row.p50Before) && isKnown(row.p50After)) {
            row.p50Delta = row.p50After - row.p50Before;
            row.p50Percent = percentOf(row.p50Delta, row.p50Before);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace chokepoint
