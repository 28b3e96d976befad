// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the sub-commands share: options, the interrupt, messages on standard error, and opening INPUTs as one dataset.
#pragma once

#include "core/base/jobcontrol.h"
#include "core/pipeline/dataset.h"
#include "core/report/report.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace chokepoint::cli {

enum ExitStatus { Done = 0, GateFailed = 1, Unusable = 2, Inconclusive = 3, Interrupted = 130 };

/// Options that most commands take.
struct CommonOptions {
    std::vector<std::string> inputs;
    bool json = false;
    bool strict = false;
    unsigned threads = 0;
    std::string rulesFile;
    std::string pricesFile;
    std::string labelsFile;
    std::uint64_t seed = 1;
    std::string cluster = "none"; // --cluster
    std::string policy = "default";
    std::string window = "root";
    std::string skew = "off";
};

void addInputs(CLI::App& command, CommonOptions& options);
void addCommon(CLI::App& command, CommonOptions& options); // --json, --strict, -j, --rules, --prices, --labels
void addPath(CLI::App& command, CommonOptions& options); // --policy, --window, --skew
void addSeed(CLI::App& command, CommonOptions& options);
void addCluster(CLI::App& command, CommonOptions& options);
/// The clusters asked for; empty: none.
[[nodiscard]] std::string clusterOf(const CommonOptions& options);

/// Stops with SIGINT or SIGTERM; progress goes to standard error when that is a terminal.
[[nodiscard]] JobControl makeJob();

/// "chokepoint: message" on standard error, control characters escaped.
void printError(const Error& error);
void printNote(const std::string& text);
/// 130 for Cancelled, else 2. Prints the error.
[[nodiscard]] int failure(const Error& error);
/// Writes to standard output, exactly as given.
[[nodiscard]] ReportOutput standardOutput();

[[nodiscard]] Result<AnalysisOptions> analysisOptions(const CommonOptions& options);
[[nodiscard]] Result<std::string> readTextFile(const std::string& path);
/// Replaces the file whole or not at all. Fails with CannotWrite.
[[nodiscard]] Result<void> writeTextFile(const std::string& path, const std::string& text);

/// INPUTs opened together: the store, what each input came to, and the refusals.
struct OpenedInputs {
    std::shared_ptr<const Store> store;
    std::vector<ReportedInput> inputs;
    std::vector<Error> refused;
    std::uint64_t rejected = 0; // records given up
};

/// A single workspace is opened as it is; everything else is read into a temporary one.
[[nodiscard]] Result<OpenedInputs> openInputs(const std::vector<std::string>& inputs, const JobControl& job);

/// The label that a set of inputs goes by: file names without directories and extensions.
[[nodiscard]] std::string labelOf(const std::vector<std::string>& inputs);

/// Opens the inputs and analyses them; prints refusals. \a status is set when nothing can be shown.
struct Loaded {
    OpenedInputs opened;
    std::shared_ptr<const Dataset> dataset;
};
[[nodiscard]] std::optional<Loaded> load(
    const std::vector<std::string>& inputs, const CommonOptions& options, const JobControl& job, int& status);

/// Both sides of a comparison. Labels are told to match nothing when they match neither.
struct LoadedPair {
    Loaded before;
    Loaded after;
};
[[nodiscard]] std::optional<LoadedPair> loadPair(const std::vector<std::string>& before, const std::vector<std::string>& after,
    const CommonOptions& options, const JobControl& job, int& status);

/// Done, or Unusable under --strict when something was repaired or given up.
[[nodiscard]] int statusOf(const CommonOptions& options, const Loaded& loaded);

/// Registers a command; \a run is called with its exit status after parsing.
using Run = std::function<int()>;
struct Command {
    CLI::App* app;
    Run run;
};

std::vector<Command> addReadingCommands(CLI::App& app); // summary, traces, dump, search, critical-path, rules
std::vector<Command> addRetriesCommand(CLI::App& app); // retries
std::vector<Command> addCompareCommand(CLI::App& app); // compare
std::vector<Command> addGraphCommand(CLI::App& app); // graph
std::vector<Command> addChecksCommand(CLI::App& app); // checks
std::vector<Command> addWhatIfCommand(CLI::App& app); // whatif
std::vector<Command> addWorkspaceCommands(CLI::App& app); // import, export, query, demo

} // namespace chokepoint::cli
