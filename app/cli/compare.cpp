// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/gateoptions.h"

#include "core/analysis/arena.h"
#include "core/analysis/deploymentfigures.h"
#include "core/pipeline/explain.h"
#include "core/pipeline/splitset.h"
#include "core/report/comparisonreport.h"
#include "core/report/gatereport.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint::cli {

namespace {

struct PairOptions : CommonOptions {
    std::string attribute; // --by
    std::string before;
    std::string after;
    std::vector<std::string> gates; // --fail-if
    std::string reportFile;
};

/// Both sides, loaded; nothing and a status when one of them cannot be.
struct Sides {
    std::shared_ptr<const Dataset> before;
    std::shared_ptr<const Dataset> after;
    int status = Done;
};

std::optional<Sides> loadTwo(const PairOptions& options, const JobControl& job, int& status)
{
    const std::optional<LoadedPair> pair = loadPair({options.inputs[0]}, {options.inputs[1]}, options, job, status);
    if (!pair)
        return std::nullopt;
    return Sides{pair->before.dataset, pair->after.dataset, std::max(statusOf(options, pair->before), statusOf(options, pair->after))};
}

/// The two deployments of a workspace by their labels.
Result<Sides> loadDeployments(const Loaded& loaded, const PairOptions& options, const JobControl& job)
{
    const Result<std::vector<Deployment>> deployments = loaded.opened.store->deployments();
    if (!deployments)
        return fail(deployments.error());
    const Result<AnalysisOptions> analysis = analysisOptions(options);
    if (!analysis)
        return fail(analysis.error());
    std::string labels;
    for (const Deployment& deployment : *deployments)
        labels += (labels.empty() ? "\"" : ", \"") + deployment.label + "\"";
    const auto load = [&](const std::string& wanted, std::size_t fallback) -> Result<std::shared_ptr<const Dataset>> {
        for (std::size_t k = 0; k < deployments->size(); ++k) {
            const Deployment& deployment = (*deployments)[k];
            if (wanted.empty() ? deployments->size() == 2 && k == fallback : deployment.label == wanted)
                return loadDataset(loaded.opened.store, deployment.id, deployment.label, *analysis, job);
        }
        return fail(ErrorCode::InvalidArgument, "name two deployments with --before and --after; the workspace has " + labels);
    };
    Result<std::shared_ptr<const Dataset>> before = load(options.before, 0);
    if (!before)
        return fail(std::move(before).error());
    Result<std::shared_ptr<const Dataset>> after = load(options.after, 1);
    if (!after)
        return fail(std::move(after).error());
    return Sides{std::move(*before), std::move(*after), statusOf(options, loaded)};
}

std::optional<Sides> loadSplit(const PairOptions& options, const JobControl& job, int& status)
{
    const std::optional<Loaded> loaded = load(options.inputs, options, job, status);
    if (!loaded)
        return std::nullopt;
    if (options.attribute == "deployment") {
        Result<Sides> sides = loadDeployments(*loaded, options, job);
        if (!sides) {
            status = failure(sides.error());
            return std::nullopt;
        }
        return std::move(*sides);
    }
    Result<SplitSides> split = splitByAttribute(loaded->dataset, options.attribute, options.before, options.after, job);
    if (!split) {
        status = failure(split.error());
        return std::nullopt;
    }
    return Sides{std::move(split->before), std::move(split->after), statusOf(options, *loaded)};
}

bool isReportName(const std::string& path)
{
    return path.ends_with(".md") || path.ends_with(".json") || path.ends_with(".txt") || path.ends_with(".xml");
}

Result<void> writeReport(const std::string& path, const ReportedComparison& report)
{
    const std::string text = path.ends_with(".md") ? comparisonMarkdown(report)
        : path.ends_with(".json")                  ? comparisonJson(report) + "\n"
        : path.ends_with(".xml")                   ? gatesJUnit(report.gates, report.before + " against " + report.after)
                                                   : comparisonText(report);
    return writeTextFile(path, text);
}

int runCompare(const PairOptions& options)
{
    const bool split = !options.attribute.empty();
    if (split != (options.inputs.size() == 1))
        return failure({ErrorCode::InvalidArgument,
            split ? "--by splits one INPUT; give one" : "compare takes BEFORE and AFTER, or one INPUT with --by ATTRIBUTE", {}});
    if (!split && options.inputs[0] == "-" && options.inputs[1] == "-")
        return failure({ErrorCode::InvalidArgument, "- (standard input) cannot be both sides; it can be read only once", {}});
    const Result<std::vector<Gate>> gates = parseGates(options.gates);
    if (!gates)
        return failure(gates.error());
    if (!options.reportFile.empty() && !isReportName(options.reportFile))
        return failure({ErrorCode::InvalidArgument, "--report writes .md, .json, .txt or .xml (JUnit); name the file so",
            {options.reportFile, {}, {}}});
    const JobControl job = makeJob();
    int status = Done;
    const std::optional<Sides> sides = split ? loadSplit(options, job, status) : loadTwo(options, job, status);
    if (!sides)
        return status;
    CompareOptions compareOptions;
    compareOptions.seed = options.seed;
    compareOptions.threads = options.threads;
    compareOptions.cluster = clusterOf(options);
    const Result<Comparison> comparison = compareDatasets(*sides->before, *sides->after, compareOptions, job);
    if (!comparison)
        return failure(comparison.error());
    std::vector<GroupRow> groups;
    arenaFor(options.threads).execute([&] { groups = compareGroups(sides->before->columns, sides->after->columns); });
    ReportedComparison report{*comparison, sides->before->label, sides->after->label, std::move(groups), {}, &sides->before->spending,
        &sides->after->spending, &sides->before->retries.summary, &sides->after->retries.summary};
    const auto figure = [&](std::string_view statistic) {
        std::optional<GateFigure> found = comparisonFigure(*comparison, statistic);
        return found ? found
                     : deploymentFigure({sides->before->retries.summary, sides->before->spending},
                         {sides->after->retries.summary, sides->after->spending}, statistic);
    };
    Result<std::vector<GateResult>> results = evaluateGates(*gates, figure, comparison->comparable);
    if (!results)
        return failure(results.error());
    report.gates = std::move(*results);
    const Result<ComparisonExplained> explained = explainComparison(*sides->before, *sides->after, *comparison, job);
    if (!explained)
        return failure(explained.error());
    report.amdahl = &explained->amdahl;
    report.findings = &explained->findings;
    report.doubtsBefore = sides->before->allDoubts();
    report.doubtsAfter = sides->after->allDoubts();
    standardOutput()(options.json ? comparisonJson(report) + "\n" : comparisonText(report));
    if (!options.reportFile.empty())
        if (const Result<void> written = writeReport(options.reportFile, report); !written)
            return failure(written.error());
    return std::max(sides->status, statusOfGates(report.gates));
}

} // namespace

std::vector<Command> addCompareCommand(CLI::App& app)
{
    const auto options = std::make_shared<PairOptions>();
    CLI::App* command = app.add_subcommand("compare", "Before against after: is it faster, what paid for it, where the bottleneck went");
    command->footer("Examples:\n  chokepoint compare before.jsonl.gz after.jsonl.gz\n"
                    "  chokepoint compare run.jsonl --by service.version --before 1.8 --after 1.9 --json\n"
                    "  chokepoint compare main.jsonl branch.jsonl --fail-if \"p95 > +5%\" --report gates.xml\n"
                    "Figures for --fail-if: mean, p50, p95, p99, error_rate, retry_rate, tokens_per_request, cost_per_request,\n"
                    "cost_per_correct_answer, stage.NAME.mean, stage.NAME.share. A limit with a sign (+5%, +20ms, -0.01) is one on\n"
                    "AFTER - BEFORE: the gate fails when the whole 95 % interval is beyond it, passes when all of it is inside, and is\n"
                    "inconclusive else. A limit without a sign (900ms, 0.1, 70%) is one on AFTER alone.");
    command->add_option("INPUT", options->inputs, "BEFORE and AFTER, or one input with --by")->required()->expected(1, 2);
    addCommon(*command, *options);
    addPath(*command, *options);
    addSeed(*command, *options);
    addCluster(*command, *options);
    command->add_option("--by", options->attribute,
        "splits one input by this attribute of the root span or its resource; \"deployment\": by the labels in a workspace");
    command->add_option("--before", options->before, "its value before (default: the value seen first)")->needs("--by");
    command->add_option("--after", options->after, "its value after (default: the other one)")->needs("--by");
    command
        ->add_option("--fail-if", options->gates,
            "a gate, such as \"p95 > +5%\", \"mean > +20ms\", \"stage.generate.share > 0.7\"; may be repeated. Status 1 when one fails, 3 "
            "when "
            "one is "
            "inconclusive")
        ->allow_extra_args(false);
    command->add_option(
        "--report", options->reportFile, "also writes the comparison to this file: .md, .json, .txt, or .xml (the gates as JUnit)");
    return {{command, [options] { return runCompare(*options); }}};
}

} // namespace chokepoint::cli
