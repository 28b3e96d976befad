// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From inputs to everything that a screen or a command shows: import, load, stages, critical paths. The only place where
// bytes, database and analysis meet. Calls block; run them off the UI thread.
#pragma once

#include "core/analysis/comparison.h"
#include "core/import/readinput.h"
#include "core/store/store.h"

#include <memory>
#include <string>
#include <vector>

namespace chokepoint {

struct AnalysisOptions {
    PathOptions path; // startJitter is filled in from the population
    unsigned threads = 0;
    std::string userRules; // JSON text of --rules, or ""
    std::string userRulesFile; // its name for messages
};

/// What came of one input: imported, or refused with a reason.
struct ImportOutcome {
    InputReport report;
    SpanWriter::Written written;
    std::optional<Error> error; // the input could not be read at all
};

/// Reads every input (files, directories, "-") into \a store under \a label, one transaction a file, parser and store on two
/// threads. An unreadable input does not stop the others; Cancelled and CannotWrite do, and are returned.
[[nodiscard]] Result<std::vector<ImportOutcome>> importInputs(
    Store& store, const std::vector<std::string>& inputs, const std::string& label, const JobControl& job);

/// A loaded, analysed set of traces: one side of a comparison, or the whole of one input. Immutable, shared between threads.
struct Dataset {
    std::shared_ptr<const Store> store;
    std::string label;
    TraceColumns columns;
    StageMap stages;
    std::vector<Duration> startJitter; // by ResourceId
    PathOptions pathOptions; // its startJitter points at the member above
    Population population;

    /// Everything about one trace; the columns' index. Path with the options of this dataset.
    [[nodiscard]] Result<std::shared_ptr<const Trace>> trace(std::size_t traceIndex) const;
    [[nodiscard]] CriticalPath path(std::size_t traceIndex) const;
    [[nodiscard]] ComparisonSide side() const { return {columns, stages, population, label}; }
};

/// Loads one deployment of \a store (all when absent), classifies and analyses it.
[[nodiscard]] Result<std::shared_ptr<const Dataset>> loadDataset(std::shared_ptr<const Store> store, std::optional<std::int64_t> deployment,
    const std::string& label, const AnalysisOptions& options, const JobControl& job);

/// compare() over two datasets.
[[nodiscard]] Result<Comparison> compareDatasets(
    const Dataset& before, const Dataset& after, const CompareOptions& options, const JobControl& job);

} // namespace chokepoint
