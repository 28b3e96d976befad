// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From inputs to everything that a screen or a command shows: import, load, stages, critical paths. The only place where
// bytes, database and analysis meet. Calls block; run them off the UI thread.
#pragma once

#include "core/analysis/answerlabels.h"
#include "core/analysis/attempts.h"
#include "core/analysis/checks.h"
#include "core/analysis/comparison.h"
#include "core/analysis/doubtfacts.h"
#include "core/analysis/rulebook.h"
#include "core/analysis/spending.h"
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
    std::string prices; // JSON text of --prices, or "": the workspace's, if it has any
    std::string pricesFile;
    std::string labels; // text of --labels, or ""
    std::string labelsFile;
};

/// What came of one input: imported, or refused with a reason.
struct ImportOutcome {
    InputReport report; // its spans are those that were read now; without a format the file was passed over, which diagnostics explain
    SpanWriter::Written written;
    bool unchanged = false; // known from an earlier import, with nothing new in it: it was not read again
    std::optional<Error> error; // the input could not be read at all
};

/// Reads every input (files, directories, "-") into \a store under \a label, one transaction a file, parser and store on two
/// threads. A file that \a store knows under \a label is passed over while its content is the same, and read on from where it
/// ended once it has grown; a record that rotation cut in two is joined. An unreadable input does not stop the others; Cancelled and
/// CannotWrite do, and are returned. Files of a directory that are no traces come last, and only when something was imported.
[[nodiscard]] Result<std::vector<ImportOutcome>> importInputs(
    Store& store, const std::vector<std::string>& inputs, const std::string& label, const JobControl& job);

/// A loaded, analysed set of traces: one side of a comparison, or the whole of one input. Immutable, shared between threads.
struct Dataset {
    std::shared_ptr<const Store> store;
    std::string label;
    TraceColumns columns;
    std::shared_ptr<const StageRules> rules;
    StageMap stages;
    UsageTable usage;
    AttemptFacts attemptFacts;
    CheckFacts checkFacts;
    DoubtFacts doubtFacts;
    DeclaredLinks links;
    std::vector<StageOrder> stageOrders; // those of the rules, as stages of the map
    PriceTable prices;
    Billing billing;
    std::vector<Duration> startJitter; // by ResourceId
    PathOptions pathOptions; // its startJitter points at the member above
    Population population;
    std::shared_ptr<const AnswerLabels> labels; // of the user, or null
    LabelMatches labelMatches;
    std::vector<AnswerVerdict> verdicts; // by trace
    Spending spending;
    RetryAnalysis retries;
    Diagnostics doubts; // of units, vocabularies, coverage, sampling, sizes

    /// Everything about one trace; the columns' index. Path with the options of this dataset.
    [[nodiscard]] Result<std::shared_ptr<const Trace>> trace(std::size_t traceIndex) const;
    [[nodiscard]] CriticalPath path(std::size_t traceIndex) const;
    /// What is wrong with the trees, and usage that was not added.
    [[nodiscard]] Diagnostics faults() const;
    /// What makes the figures less certain: doubts, and what billing had to assume.
    [[nodiscard]] Diagnostics allDoubts() const;
    /// What links and rules say of what waits for what.
    [[nodiscard]] DeclaredOrders declaredOrders() const { return {&links, stageOrders}; }
    [[nodiscard]] ComparisonSide side() const { return {columns, stages, population, label}; }
    [[nodiscard]] CheckSide checkSide() const
    {
        return {columns, stages, usage, checkFacts, attemptFacts, population, prices, billing, spending, retries, verdicts, pathOptions};
    }
};

/// Loads one deployment of \a store (all when absent), classifies and analyses it.
[[nodiscard]] Result<std::shared_ptr<const Dataset>> loadDataset(std::shared_ptr<const Store> store, std::optional<std::int64_t> deployment,
    const std::string& label, const AnalysisOptions& options, const JobControl& job);

/// Fills in the billing set and the spending of \a dataset from its columns, stages, usage, prices and population.
void settleSpending(Dataset& dataset);

/// Fills in the retries and the doubts of \a dataset, whose spending is settled.
[[nodiscard]] Result<void> settleRetries(Dataset& dataset, unsigned threads, const JobControl& job);

/// compare() over two datasets, with the clusters that \a options names. Fails with InvalidArgument when a side does not tell them.
[[nodiscard]] Result<Comparison> compareDatasets(
    const Dataset& before, const Dataset& after, const CompareOptions& options, const JobControl& job);

} // namespace chokepoint
