// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/export/outputfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace chokepoint::cli {

namespace {

/// A signal handler may only write to a pipe; a thread on its other end asks the job to stop.
int interruptPipe[2] = {-1, -1};

constexpr int graceMilliseconds = 3000; // for a job to stop by itself

void onInterrupt(int)
{
    const char byte = 1;
    [[maybe_unused]] const ssize_t written = write(interruptPipe[1], &byte, 1);
}

void showProgress(const Progress& progress)
{
    const std::string share = progress.total > 0 ? fmt::format(" {:.0f} %", 100.0 * double(progress.done) / double(progress.total)) : "";
    const std::string spans = progress.spans > 0 ? ", " + formatCount(progress.spans) + " spans" : "";
    fmt::print(stderr, "\r\x1b[K{}{}{}\r", elided(escapedControls(progress.step), 60), share, spans);
}

} // namespace

JobControl makeJob()
{
    std::stop_source source;
    if (interruptPipe[0] < 0 && pipe2(interruptPipe, O_CLOEXEC) == 0) {
        std::thread([source]() mutable {
            char byte = 0;
            if (read(interruptPipe[0], &byte, 1) != 1)
                return;
            source.request_stop();
            pollfd again{interruptPipe[0], POLLIN, 0};
            while (poll(&again, 1, graceMilliseconds) < 0 && errno == EINTR) { }
            _exit(Interrupted); // asked twice, or the job waits for bytes that do not come; a workspace stays as it was
        }).detach();
        std::signal(SIGINT, onInterrupt);
        std::signal(SIGTERM, onInterrupt);
    }
    return JobControl(source.get_token(), isatty(STDERR_FILENO) != 0 ? showProgress : std::function<void(const Progress&)>{});
}

void printNote(const std::string& text)
{
    if (isatty(STDERR_FILENO) != 0)
        fmt::print(stderr, "\r\x1b[K");
    fmt::print(stderr, "chokepoint: {}\n", escapedControls(text));
}

void printError(const Error& error)
{
    printNote(error.message());
}

int failure(const Error& error)
{
    printError(error);
    return error.code == ErrorCode::Cancelled ? Interrupted : Unusable;
}

ReportOutput standardOutput()
{
    return [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
}

void addInputs(CLI::App& command, CommonOptions& options)
{
    command
        .add_option(
            "INPUT", options.inputs, "trace files, directories, - for standard input, or a saved workspace; read together as one set")
        ->required();
}

void addCommon(CLI::App& command, CommonOptions& options)
{
    command.add_flag("--json", options.json, "JSON on standard output instead of tables");
    command.add_flag("--strict", options.strict, "status 2 when anything in the input had to be repaired or left out");
    command.add_option("-j", options.threads, "threads (default: all cores)");
    command.add_option("--rules", options.rulesFile, "stage rules of your own (JSON)");
    command.add_option("--prices", options.pricesFile, "price table: your own, or that of LiteLLM, Langfuse or Phoenix (JSON)");
    command.add_option("--labels", options.labelsFile,
        "which answers were right (CSV): a line of names, then \"correct\" (true or false) for each \"trace_id\", \"response_id\" or "
        "\"request_id\"");
}

void addPath(CLI::App& command, CommonOptions& options)
{
    command.add_option("--policy", options.policy, "rule for children that outlive their parent")
        ->check(CLI::IsMember({"default", "detach", "jaeger"}));
    command.add_option("--window", options.window, "where the end-to-end time ends")->check(CLI::IsMember({"root", "ttft", "makespan"}));
    command.add_option("--skew", options.skew, "clock skew correction, for the path alone")->check(CLI::IsMember({"off", "fit", "jaeger"}));
}

void addSeed(CLI::App& command, CommonOptions& options)
{
    command.add_option("--seed", options.seed, "seed for everything random (default 1)");
}

void addCluster(CLI::App& command, CommonOptions& options)
{
    command.add_option("--cluster", options.cluster,
        "what intervals take as the unit: none (each trace by itself), session, user, replica, minute, or the key of an attribute; for "
        "requests that resemble each other within it");
}

std::string clusterOf(const CommonOptions& options)
{
    return options.cluster == "none" ? std::string() : options.cluster;
}

Result<std::string> readTextFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path))
        return fail(ErrorCode::CannotOpen, "cannot read the file", {.file = path});
    return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<void> writeTextFile(const std::string& path, const std::string& text)
{
    Result<OutputFile> file = OutputFile::create(path);
    if (!file)
        return fail(std::move(file).error());
    if (const Result<void> written = file->write(text); !written)
        return written;
    return file->commit();
}

Result<AnalysisOptions> analysisOptions(const CommonOptions& options)
{
    AnalysisOptions analysis;
    analysis.threads = options.threads;
    analysis.path.policy = options.policy == "detach" ? PathPolicy::Detach
        : options.policy == "jaeger"                  ? PathPolicy::Jaeger
                                                      : PathPolicy::Default;
    analysis.path.window = options.window == "ttft" ? PathWindow::FirstToken
        : options.window == "makespan"              ? PathWindow::Makespan
                                                    : PathWindow::Root;
    analysis.path.skew = options.skew == "fit" ? SkewCorrection::Fit
        : options.skew == "jaeger"             ? SkewCorrection::Jaeger
                                               : SkewCorrection::Off;
    if (!options.rulesFile.empty()) {
        Result<std::string> rules = readTextFile(options.rulesFile);
        if (!rules)
            return fail(std::move(rules).error());
        if (rules->find_first_not_of(" \t\r\n") == std::string::npos)
            return fail(ErrorCode::InvalidRules, "the rule file is empty; resources/rules/README.md describes its format",
                {.file = options.rulesFile});
        analysis.userRules = std::move(*rules);
        analysis.userRulesFile = options.rulesFile;
    }
    if (!options.pricesFile.empty()) {
        Result<std::string> prices = readTextFile(options.pricesFile);
        if (!prices)
            return fail(std::move(prices).error());
        analysis.prices = prices->empty() ? " " : std::move(*prices); // an empty file is refused as such
        analysis.pricesFile = options.pricesFile;
    }
    if (!options.labelsFile.empty()) {
        Result<std::string> labels = readTextFile(options.labelsFile);
        if (!labels)
            return fail(std::move(labels).error());
        analysis.labels = labels->empty() ? "\n" : std::move(*labels); // an empty file is refused as such
        analysis.labelsFile = options.labelsFile;
    }
    return analysis;
}

std::string labelOf(const std::vector<std::string>& inputs)
{
    std::string label;
    for (const std::string& input : inputs) {
        std::string name = input == "-" ? "standard input" : std::filesystem::path(input).filename().string();
        for (const std::string_view extension : {".gz", ".zst", ".xz", ".bz2", ".jsonl", ".json", ".pb", ".binpb", ".chokepoint"})
            if (name.size() > extension.size() && name.ends_with(extension))
                name.resize(name.size() - extension.size());
        label += (label.empty() ? "" : " + ") + name;
    }
    return label;
}

Result<OpenedInputs> openInputs(const std::vector<std::string>& inputs, const JobControl& job)
{
    if (std::count(inputs.begin(), inputs.end(), "-") > 1)
        return fail(ErrorCode::InvalidArgument, "- (standard input) is named more than once; it can be read only once");
    OpenedInputs opened;
    if (inputs.size() == 1 && inputs.front() != "-" && Store::isWorkspace(inputs.front())) {
        Result<Store> store = Store::open(inputs.front(), Store::Mode::ReadOnly);
        if (!store)
            return fail(std::move(store).error());
        Result<std::vector<StoredInput>> stored = store->inputs();
        if (!stored)
            return fail(std::move(stored).error());
        for (StoredInput& input : *stored) {
            opened.rejected += input.diagnostics.rejected();
            opened.inputs.push_back({input.path, input.format, input.compression, input.bytes, input.spans, std::move(input.diagnostics)});
        }
        opened.store = std::make_shared<const Store>(std::move(*store));
        return opened;
    }
    Result<Store> store = Store::temporary();
    if (!store)
        return fail(std::move(store).error());
    Result<std::vector<ImportOutcome>> outcomes = importInputs(*store, inputs, labelOf(inputs), job);
    if (!outcomes)
        return fail(std::move(outcomes).error());
    for (ImportOutcome& outcome : *outcomes) {
        if (outcome.error) {
            opened.refused.push_back(std::move(*outcome.error));
            continue;
        }
        Diagnostics faults = std::move(outcome.report.diagnostics);
        faults.merge(outcome.written.diagnostics);
        opened.rejected += faults.rejected();
        opened.inputs.push_back({outcome.report.path, outcome.report.format, outcome.report.compression, outcome.report.bytes,
            outcome.written.newSpans, std::move(faults)});
    }
    opened.store = std::make_shared<const Store>(std::move(*store));
    return opened;
}

namespace {

std::optional<Loaded> loadSide(const std::vector<std::string>& inputs, const CommonOptions& options, const JobControl& job, int& status)
{
    const Result<AnalysisOptions> analysis = analysisOptions(options);
    if (!analysis) {
        status = failure(analysis.error());
        return std::nullopt;
    }
    Result<OpenedInputs> opened = openInputs(inputs, job);
    if (!opened) {
        status = failure(opened.error());
        return std::nullopt;
    }
    for (const Error& error : opened->refused)
        printError(error);
    if (!opened->refused.empty()) {
        status = Unusable;
        return std::nullopt;
    }
    Result<std::shared_ptr<const Dataset>> dataset = loadDataset(opened->store, std::nullopt, labelOf(inputs), *analysis, job);
    if (!dataset) {
        status = failure(dataset.error());
        return std::nullopt;
    }
    for (const ReportedInput& input : opened->inputs)
        if (input.diagnostics.rejected() > 0)
            printNote(fmt::format("{}: {} could not be read and {} left out; the first: {}", input.path,
                input.diagnostics.rejected() == 1 ? "1 record" : formatCount(input.diagnostics.rejected()) + " records",
                input.diagnostics.rejected() == 1 ? "was" : "were", input.diagnostics.firstRejection()));
    return Loaded{std::move(*opened), std::move(*dataset)};
}

/// What no side of \a datasets has of the labels in \a file.
void noteUnmatchedLabels(const std::string& file, std::initializer_list<const Dataset*> datasets)
{
    const LabelMatches& first = (*datasets.begin())->labelMatches;
    std::vector<std::uint64_t> unmatched = first.unmatched;
    std::string sides;
    for (const Dataset* dataset : datasets) {
        const std::vector<std::uint64_t>& other = dataset->labelMatches.unmatched;
        std::erase_if(unmatched, [&other](std::uint64_t line) { return !std::binary_search(other.begin(), other.end(), line); });
        sides += (sides.empty() ? "" : " or ") + dataset->label;
    }
    if (!unmatched.empty())
        printNote(fmt::format("{}: {} of {} labels name a request of {}; the first that does not is in line {}", file,
            first.labels - unmatched.size(), first.labels, sides, unmatched.front()));
}

} // namespace

std::optional<Loaded> load(const std::vector<std::string>& inputs, const CommonOptions& options, const JobControl& job, int& status)
{
    std::optional<Loaded> loaded = loadSide(inputs, options, job, status);
    if (loaded)
        noteUnmatchedLabels(options.labelsFile, {loaded->dataset.get()});
    return loaded;
}

std::optional<LoadedPair> loadPair(const std::vector<std::string>& before, const std::vector<std::string>& after,
    const CommonOptions& options, const JobControl& job, int& status)
{
    std::optional<Loaded> first = loadSide(before, options, job, status);
    std::optional<Loaded> second = first ? loadSide(after, options, job, status) : std::nullopt;
    if (!second)
        return std::nullopt;
    noteUnmatchedLabels(options.labelsFile, {first->dataset.get(), second->dataset.get()});
    return LoadedPair{std::move(*first), std::move(*second)};
}

int statusOf(const CommonOptions& options, const Loaded& loaded)
{
    if (!options.strict)
        return Done;
    bool faulty = !loaded.dataset->columns.diagnostics.empty();
    for (const ReportedInput& input : loaded.opened.inputs)
        faulty = faulty || !(input.format.empty() || input.diagnostics.empty()); // without a format it was passed over
    return faulty ? Unusable : Done;
}

} // namespace chokepoint::cli
