// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Deployments made by hand in which the name of a span is its stage.
#pragma once

#include "core/analysis/comparison.h"
#include "tests/testkit/tracebuilder.h"

#include <memory>
#include <string>

namespace chokepoint::testkit {

inline constexpr std::int64_t ms = 1'000'000;

/// The name of each span is its stage; a name "x-7" is of the stage "x". "queue", "generate.queue" and others are what they say.
inline StageMap stagesByName(const TraceColumns& columns)
{
    auto table = std::make_shared<StageTable>();
    StageMap stages;
    for (std::size_t i = 0; i < columns.spanCount(); ++i) {
        const std::string_view name = columns.dictionary->text(columns.spans.name[i]);
        stages.stage.push_back(table->add(name.substr(0, name.find('-'))));
    }
    stages.rule.assign(columns.spanCount(), 0);
    stages.ruleNames = {"name"};
    stages.table = std::move(table);
    return stages;
}

/// One side with its paths.
struct NamedDeployment {
    TraceColumns columns;
    StageMap stages;
    PathOptions options;
    Population population;

    explicit NamedDeployment(TraceColumns built)
        : columns(std::move(built)), stages(stagesByName(columns)),
          population(analysePopulation(columns, stages, options, 1, JobControl()).value())
    {
    }
    [[nodiscard]] ComparisonSide side(const std::string& label = "") const { return {columns, stages, population, label}; }
};

/// \a count traces that \a add adds to a builder, given the number of the trace from 0.
template <typename Add> TraceColumns traces(std::size_t count, Add&& add)
{
    TraceBuilder builder;
    for (std::size_t t = 0; t < count; ++t) {
        if (t > 0)
            builder.nextTrace();
        add(builder, t);
    }
    return builder.build();
}

/// Below "root", one step after the other: name and length in ms.
inline void addSteps(TraceBuilder& builder, const std::vector<std::pair<std::string, std::int64_t>>& steps)
{
    std::int64_t length = 0;
    for (const auto& [name, time] : steps)
        length += time;
    builder.span("root", 0, length * ms);
    std::int64_t at = 0;
    for (const auto& [name, time] : steps) {
        builder.span(name, at * ms, (at + time) * ms, "root");
        at += time;
    }
}

} // namespace chokepoint::testkit
