// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Scenes and datasets from literal traces: the stage of a span is its name up to the first space.
#pragma once

#include "core/pipeline/dataset.h"
#include "tests/testkit/tracebuilder.h"
#include "views/waterfall/tracescene.h"

#include <memory>
#include <string>

namespace chokepoint::testkit {

inline StageMap stagesByName(const TraceColumns& columns)
{
    auto table = std::make_shared<StageTable>();
    StageMap map;
    for (const StringId name : columns.spans.name) {
        const std::string_view text = columns.dictionary->text(name);
        map.stage.push_back(table->add(text.substr(0, text.find(' '))));
    }
    map.rule.assign(map.stage.size(), 0);
    map.ruleNames = {"by-name"};
    map.table = table;
    return map;
}

inline std::shared_ptr<TraceScene> sceneOf(Trace&& trace)
{
    auto shared = std::make_shared<const Trace>(std::move(trace));
    const StageMap stages = stagesByName(shared->columns());
    CriticalPath path = criticalPath(shared->view(), shared->dictionary());
    return makeTraceScene(std::move(shared), std::move(path), {stages.table, stages.stage, stages.rule, stages.ruleNames, {}, 0});
}

inline std::shared_ptr<TraceScene> sceneOf(const TraceBuilder& builder)
{
    return sceneOf(builder.buildTrace());
}

/// A scene without payloads.
inline std::shared_ptr<TraceScene> sceneOf(TraceColumns columns)
{
    const std::size_t spans = columns.spanCount();
    return sceneOf(Trace(std::move(columns), std::vector<std::uint64_t>(spans, 0), std::vector<std::uint32_t>(spans, 0), {}));
}

/// Analysed, without a store: for lists, not for opening traces.
inline std::shared_ptr<const Dataset> datasetOf(const TraceBuilder& builder, const std::string& label)
{
    auto dataset = std::make_shared<Dataset>();
    dataset->label = label;
    dataset->columns = builder.build();
    dataset->stages = stagesByName(dataset->columns);
    dataset->population = *analysePopulation(dataset->columns, dataset->stages, {}, 1, {});
    return dataset;
}

} // namespace chokepoint::testkit
