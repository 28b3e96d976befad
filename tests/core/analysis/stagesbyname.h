// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stages for tests: every span has the stage of its own name.
#pragma once

#include "core/analysis/stages.h"
#include "core/model/tracecolumns.h"

namespace chokepoint::testing {

[[nodiscard]] inline StageMap stagesByName(const TraceColumns& columns)
{
    auto table = std::make_shared<StageTable>();
    StageMap stages;
    for (std::size_t i = 0; i < columns.spanCount(); ++i)
        stages.stage.push_back(table->add(columns.dictionary->text(columns.spans.name[i])));
    stages.rule.assign(columns.spanCount(), 0);
    stages.ruleNames = {"name"};
    stages.table = std::move(table);
    return stages;
}

} // namespace chokepoint::testing
