// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of a comparison made by hand: a line of stage times a trace.
#pragma once

#include "core/analysis/bootstrap.h"
#include "core/analysis/comparison.h"
#include "tests/testkit/tracebuilder.h"

#include <cmath>

namespace chokepoint {

inline constexpr std::int64_t ms = 1'000'000;

/// Time on path of one trace by stage, ns, in the order of the side's stages.
using StageTimes = std::vector<std::int64_t>;

struct Side {
    TraceColumns columns;
    StageMap stages;
    Population population;

    [[nodiscard]] ComparisonSide view() const { return {columns, stages, population, ""}; }
};

struct SideOptions {
    std::uint64_t firstId = 1;
    std::string root = "query";
    std::size_t errors = 0; // of the first traces
    std::uint64_t excluded = 0;
};

inline Side side(const std::vector<std::string>& stageNames, const std::vector<StageTimes>& traces, const SideOptions& options = {})
{
    Side made;
    testkit::TraceBuilder builder;
    auto table = std::make_shared<StageTable>();
    for (const std::string& name : stageNames)
        table->add(name);
    Population& population = made.population;
    population.table = table;
    population.stageCount = table->size();
    population.excludedOpen = options.excluded;
    population.onPath.assign(traces.size() * table->size(), Duration(0));
    for (std::size_t t = 0; t < traces.size(); ++t) {
        std::int64_t sum = 0;
        for (std::size_t s = 0; s < stageNames.size(); ++s) {
            population.onPath[t * table->size() + toIndex(table->find(stageNames[s]))] = Duration(traces[t][s]);
            sum += traces[t][s];
        }
        if (t > 0)
            builder.nextTrace();
        builder.span(options.root, 0, sum);
        if (t < options.errors)
            builder.error();
        population.traces.push_back({.root = 0, .e2e = Duration(sum), .hasTrueRoot = true, .complete = true, .errors = 0, .inferred = {}});
        population.included.push_back(std::uint32_t(t));
    }
    if (!traces.empty())
        made.columns = builder.build();
    else
        made.columns.dictionary = std::make_shared<Dictionary>();
    for (std::size_t t = 0; t < traces.size(); ++t)
        made.columns.traceId[t] = TraceId{1, options.firstId + t};
    return made;
}

inline Comparison compared(const Side& before, const Side& after, const CompareOptions& options = {})
{
    return compare(before.view(), after.view(), options, JobControl()).value();
}

/// n traces whose stage times scatter around \a means (ms) by about a fifth, or are zero for the first stages in some.
inline std::vector<StageTimes> scattered(std::uint64_t seed, std::size_t n, const std::vector<double>& means)
{
    RandomStream random(seed, 77);
    std::vector<StageTimes> traces;
    for (std::size_t t = 0; t < n; ++t) {
        StageTimes times;
        for (const double mean : means)
            times.push_back(std::llround(mean * double(ms) * std::exp(0.2 * random.normal())));
        traces.push_back(times);
    }
    return traces;
}

inline const StageRow* rowOf(const Comparison& comparison, const std::string& stage)
{
    for (const StageRow& row : comparison.stages) {
        if (row.stage == stage)
            return &row;
    }
    return nullptr;
}

inline const std::vector<std::string> pipeline{"retrieve", "generate", "generate.decode", "validate"};

} // namespace chokepoint
