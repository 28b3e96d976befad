// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/replaysample.h"

#include <algorithm>
#include <tuple>

namespace chokepoint {

Population replaySample(const TraceColumns& columns, const Population& population, std::size_t atMost)
{
    Population sample = population;
    if (population.included.size() <= atMost)
        return sample;
    const auto key = [&columns](std::uint32_t trace) {
        return std::tuple(mix64(std::hash<TraceId>()(columns.traceId[trace])), columns.traceId[trace], trace);
    };
    std::nth_element(sample.included.begin(), sample.included.begin() + std::ptrdiff_t(atMost), sample.included.end(),
        [&key](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    sample.included.resize(atMost);
    std::sort(sample.included.begin(), sample.included.end());
    return sample;
}

} // namespace chokepoint
