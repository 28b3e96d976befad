// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operations.h"

#include "core/analysis/statistics.h"

#include <algorithm>
#include <unordered_map>

namespace chokepoint {

std::vector<OperationFigures> operationFigures(const TraceColumns& columns)
{
    struct Sample {
        std::vector<Duration> durations;
        std::uint64_t errors = 0;
    };
    std::unordered_map<std::uint64_t, Sample> samples; // by service id << 32 | name id
    for (std::size_t i = 0; i < columns.spanCount(); ++i) {
        const Duration duration = spanDuration(columns.spans.start[i], columns.spans.end[i], columns.spans.flags[i]);
        if (!isKnown(duration))
            continue;
        const StringId service = columns.dictionary->service(columns.spans.resource[i]);
        Sample& sample = samples[std::uint64_t(toIndex(service)) << 32 | toIndex(columns.spans.name[i])];
        sample.durations.push_back(duration);
        sample.errors += columns.spans.flags[i].isError() ? 1 : 0;
    }
    std::vector<OperationFigures> result;
    result.reserve(samples.size());
    for (auto& [key, sample] : samples) {
        std::vector<Duration>& d = sample.durations;
        std::sort(d.begin(), d.end());
        result.push_back({std::string(columns.dictionary->text(StringId(key >> 32))),
            std::string(columns.dictionary->text(StringId(key & 0xffffffffU))), d.size(), sample.errors, d.front(), quantile(d, 0.5),
            quantile(d, 0.9), quantile(d, 0.95), quantile(d, 0.99), d.back(), mean(d)});
    }
    std::sort(result.begin(), result.end(), [](const OperationFigures& a, const OperationFigures& b) {
        return a.service != b.service ? a.service < b.service : a.name < b.name;
    });
    return result;
}

} // namespace chokepoint
