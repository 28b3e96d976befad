// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/gateoptions.h"

#include "core/analysis/deploymentfigures.h"
#include "core/analysis/tracefilter.h"
#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/pipeline/explain.h"
#include "core/pipeline/requestclusters.h"
#include "core/pipeline/search.h"
#include "core/report/dumpreport.h"
#include "core/report/json.h"
#include "core/report/pathreport.h"
#include "core/report/rulesreport.h"
#include "core/report/summaryreport.h"
#include "core/report/texttable.h"
#include "core/report/tracesreport.h"

#include <fmt/format.h>

#include <numeric>

namespace chokepoint::cli {

namespace {

struct TraceOptions : CommonOptions {
    std::string trace; // --trace
};

struct SummaryOptions : CommonOptions {
    std::vector<std::string> gates; // --fail-if
};

struct ListOptions : CommonOptions {
    std::string filter;
    std::string sort = "start";
    std::size_t limit = 0;
};

struct SearchOptions : CommonOptions {
    std::string query;
};

void print(const std::string& text)
{
    standardOutput()(text);
}

Result<SummaryIntervals> intervalsOf(const Dataset& dataset, const CommonOptions& options, const JobControl& job)
{
    CompareOptions compareOptions;
    compareOptions.seed = options.seed;
    compareOptions.threads = options.threads;
    compareOptions.cluster = clusterOf(options);
    ComparisonSide side = dataset.side();
    if (compareOptions.cluster.empty())
        return summaryIntervals(side, compareOptions);
    const Result<std::vector<std::string>> clusters = requestClusters(dataset, compareOptions.cluster, job);
    if (!clusters)
        return fail(clusters.error());
    side.clusters = &*clusters;
    return summaryIntervals(side, compareOptions);
}

int runSummary(const SummaryOptions& options)
{
    const Result<std::vector<Gate>> gates = parseGates(options.gates);
    if (!gates)
        return failure(gates.error());
    int status = Done;
    const JobControl job = makeJob();
    const std::optional<Loaded> loaded = load(options.inputs, options, job, status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    const PopulationSummary summary = summarise(dataset.columns, dataset.population);
    const Result<std::vector<Finding>> findings = explainDataset(dataset, summary, options.threads, job);
    if (!findings)
        return failure(findings.error());
    const Proportion failed = failedRequests(dataset.columns, dataset.population);
    const auto figure = [&](std::string_view statistic) {
        return singleFigure(summary, failed, {dataset.retries.summary, dataset.spending}, statistic);
    };
    const Result<std::vector<GateResult>> results = evaluateGates(*gates, figure, true);
    if (!results)
        return failure(results.error());
    const Result<SummaryIntervals> intervals = intervalsOf(dataset, options, job);
    if (!intervals)
        return failure(intervals.error());
    const Diagnostics doubts = dataset.allDoubts();
    const auto report = options.json ? summaryJson : summaryText;
    print(report({summary, loaded->opened.inputs, dataset.faults(), &dataset.spending, &dataset.retries.summary, &*findings, *results,
              &*intervals, &doubts})
        + (options.json ? "\n" : ""));
    return std::max(statusOf(options, *loaded), statusOfGates(*results));
}

int runTraces(const ListOptions& options)
{
    const std::optional<TraceOrder> order = traceOrderFromText(options.sort);
    if (!order)
        return failure(
            {ErrorCode::InvalidArgument, "--sort takes start, duration, spans, errors or trace_id, with - before it for descending", {}});
    const Result<TraceFilter> filter = TraceFilter::parse(options.filter);
    if (!filter)
        return failure({ErrorCode::InvalidQuery,
            fmt::format("--filter: {} (at character {})", filter.error().detail, filter.error().place.byte.value_or(0) + 1), {}});
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, makeJob(), status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    std::vector<std::uint32_t> traces = filter->apply(dataset.columns, dataset.population);
    sortTraces(traces, dataset.columns, dataset.population, *order);
    if (options.limit > 0 && traces.size() > options.limit)
        traces.resize(options.limit);
    if (options.json)
        writeTracesJson(traces, dataset.columns, dataset.population, dataset.billing, dataset.retries, standardOutput());
    else
        print(tracesText(traces, dataset.columns, dataset.population));
    return statusOf(options, *loaded);
}

/// The traces that --trace asks for; all without it. Prints and sets \a status when there is none of that id.
std::vector<std::uint32_t> chosenTraces(const Dataset& dataset, const std::string& id, int& status)
{
    std::vector<std::uint32_t> traces(dataset.columns.traceCount());
    std::iota(traces.begin(), traces.end(), 0U);
    if (id.empty())
        return traces;
    const Result<std::vector<std::int64_t>> keys = dataset.store->findTrace(id);
    if (!keys) {
        status = failure(keys.error());
        return {};
    }
    std::erase_if(
        traces, [&](std::uint32_t t) { return std::find(keys->begin(), keys->end(), dataset.columns.storeKey[t]) == keys->end(); });
    if (traces.empty())
        status = failure({ErrorCode::NotFound, "there is no trace " + id + "; `chokepoint traces` lists them", {}});
    return traces;
}

/// The span's id as the file has it. Under the Jaeger policy an id that occurs again gets the suffix that Jaeger UI gives it.
std::string pathSpanId(const Trace& trace, std::size_t span, const PathOptions& options)
{
    const TraceView view = trace.view();
    const std::string id = trace.spanIdName(span);
    if (options.policy != PathPolicy::Jaeger || !view.flags[span].has(SpanFlags::IdConflict))
        return id;
    std::size_t earlier = 1;
    for (std::size_t i = 0; i < span; ++i)
        earlier += view.spanId[i] == view.spanId[span] && view.flags[i].has(SpanFlags::IdConflict) ? 1 : 0;
    return fmt::format("{}_{}", id, earlier);
}

int runPath(const TraceOptions& options)
{
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, makeJob(), status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    const std::vector<std::uint32_t> traces = chosenTraces(dataset, options.trace, status);
    if (status != Done)
        return status;
    std::optional<PathJsonWriter> json;
    if (options.json)
        json.emplace(standardOutput());
    for (const std::uint32_t t : traces) {
        const Result<std::shared_ptr<const Trace>> trace = dataset.trace(t);
        if (!trace)
            return failure(trace.error());
        const CriticalPath path = dataset.path(t);
        const ReportedPath reported{
            dataset.columns, t, dataset.stages, path, [&](std::size_t span) { return pathSpanId(**trace, span, dataset.pathOptions); }};
        if (json)
            json->add(reported);
        else
            print(pathText(reported) + "\n");
    }
    if (json)
        json->finish();
    return statusOf(options, *loaded);
}

int runDump(const TraceOptions& options)
{
    const JobControl job = makeJob();
    const Result<AnalysisOptions> analysis = analysisOptions(options);
    if (!analysis)
        return failure(analysis.error());
    Result<OpenedInputs> opened = openInputs(options.inputs, job);
    if (!opened && opened.error().code == ErrorCode::Cancelled)
        return failure(opened.error());
    if (!opened || !opened->refused.empty()) {
        const std::vector<Error> errors = opened ? opened->refused : std::vector{opened.error()};
        for (const Error& error : errors)
            printError(error);
        writeRejectedDump(errors, standardOutput());
        return Unusable;
    }
    const Result<std::shared_ptr<const Dataset>> dataset =
        loadDataset(opened->store, std::nullopt, labelOf(options.inputs), *analysis, job);
    if (!dataset)
        return failure(dataset.error());
    int status = Done;
    const Dataset& set = **dataset;
    const DumpSource source{set.columns, set.stages, set.population, set.billing, set.retries, opened->inputs,
        chosenTraces(set, options.trace, status), [&](std::size_t t) { return set.trace(t); }, [&](std::size_t t) { return set.path(t); },
        set.allDoubts()};
    if (status != Done)
        return status;
    if (const Result<void> written = writeDump(source, standardOutput()); !written)
        return failure(written.error());
    return statusOf(options, Loaded{std::move(*opened), *dataset});
}

std::string searchJson(const std::vector<SearchHit>& hits)
{
    Json json = {{"count", hits.size()}, {"spans", Json::array()}};
    for (const SearchHit& hit : hits)
        json["spans"].push_back({{"trace_id", hit.traceId}, {"span_id", hit.spanId}, {"field", hit.field}});
    return toText(json) + "\n";
}

std::string searchText(const std::vector<SearchHit>& hits)
{
    using enum TextTable::Align;
    TextTable table({{"trace", Left}, {"span", Left}, {"found in", Left}});
    for (const SearchHit& hit : hits)
        table.addRow({hit.traceId, hit.spanId, hit.field});
    return fmt::format("{} spans\n{}", formatCount(hits.size()), hits.empty() ? "" : table.text());
}

int runSearch(const SearchOptions& options)
{
    const JobControl job = makeJob();
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, job, status);
    if (!loaded)
        return status;
    const Result<std::vector<SearchHit>> hits = searchSpans(*loaded->dataset, options.query, job);
    if (!hits)
        return failure(hits.error());
    print(options.json ? searchJson(*hits) : searchText(*hits));
    return Done;
}

/// Every file is looked at, so that one run shows the first mistake of each.
int checkRules(const CommonOptions& options, const std::vector<std::string>& files)
{
    if (files.empty())
        return failure({ErrorCode::InvalidArgument, "rules --check needs a rule file", {}});
    int status = Done;
    for (const std::string& file : files) {
        CommonOptions one = options;
        one.rulesFile = file;
        const Result<AnalysisOptions> analysis = analysisOptions(one);
        const Result<std::shared_ptr<const StageRules>> rules = analysis
            ? parseStageRules(builtInStageRules(), analysis->userRules, file)
            : Result<std::shared_ptr<const StageRules>>(fail(analysis.error()));
        if (!rules)
            status = failure(rules.error());
        else
            print(escapedControls(file) + ": the rules are valid\n");
    }
    return status;
}

int runRules(const CommonOptions& options, bool explain, bool check)
{
    if (check) {
        std::vector<std::string> files = options.inputs;
        if (!options.rulesFile.empty())
            files.push_back(options.rulesFile);
        return checkRules(options, files);
    }
    if (!explain) {
        print(std::string(builtInStageRules()));
        return Done;
    }
    if (options.inputs.empty())
        return failure({ErrorCode::InvalidArgument, "rules --explain needs an INPUT", {}});
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, makeJob(), status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    const std::vector<RuleUse> uses = ruleUses(dataset.columns, dataset.stages);
    print(options.json ? rulesJson(uses, dataset.population) + "\n" : rulesText(uses, dataset.population));
    return statusOf(options, *loaded);
}

} // namespace

std::vector<Command> addReadingCommands(CLI::App& app)
{
    std::vector<Command> commands;
    const auto add = [&](const char* name, const char* description, const char* example) {
        CLI::App* command = app.add_subcommand(name, description);
        command->footer(fmt::format("Example:\n  chokepoint {}", example));
        return command;
    };
    {
        const auto options = std::make_shared<SummaryOptions>();
        CLI::App* command =
            add("summary", "End-to-end quantiles, stages and the bottleneck of one set of traces", "summary run.jsonl.gz --json");
        addInputs(*command, *options);
        addCommon(*command, *options);
        addPath(*command, *options);
        addSeed(*command, *options);
        addCluster(*command, *options);
        command
            ->add_option("--fail-if", options->gates,
                "a gate on a figure, such as \"p95 > 2s\", \"error_rate > 1%\", \"retry_rate > 0.1\", \"stage.generate.share > 0.7\"; may "
                "be "
                "repeated. Status 1 when one fails, 3 when one is inconclusive; `chokepoint compare --help` lists the figures")
            ->allow_extra_args(false);
        commands.push_back({command, [options] { return runSummary(*options); }});
    }
    {
        const auto options = std::make_shared<ListOptions>();
        CLI::App* command = add("traces", "One row a trace, filtered and sorted",
            "traces run.jsonl.gz --filter 'duration > 2s and stage.retrieve > 40%' --sort -duration --limit 10");
        addInputs(*command, *options);
        addCommon(*command, *options);
        addPath(*command, *options);
        command->add_option(
            "--filter", options->filter, "duration, stage.NAME, spans, errors, root, service, trace_id, complete; and, or, not, ( )");
        command->add_option("--sort", options->sort, "start, duration, spans, errors or trace_id; - before it for descending");
        command->add_option("--limit", options->limit, "at most so many rows");
        commands.push_back({command, [options] { return runTraces(*options); }});
    }
    {
        const auto options = std::make_shared<TraceOptions>();
        CLI::App* command = add("critical-path", "The segments that make up each trace's end-to-end time",
            "critical-path run.jsonl.gz --trace 4bf92f3577b34da6a3ce929d0e0e4736");
        addInputs(*command, *options);
        addCommon(*command, *options);
        addPath(*command, *options);
        command->add_option("--trace", options->trace, "this trace alone");
        commands.push_back({command, [options] { return runPath(*options); }});
    }
    {
        const auto options = std::make_shared<TraceOptions>();
        CLI::App* command = add(
            "dump", "Everything that was understood, normalised, as JSON", "dump run.jsonl.gz --trace 4bf92f3577b34da6a3ce929d0e0e4736");
        addInputs(*command, *options);
        addCommon(*command, *options);
        addPath(*command, *options);
        command->add_option("--trace", options->trace, "this trace alone");
        commands.push_back({command, [options] { return runDump(*options); }});
    }
    {
        const auto options = std::make_shared<SearchOptions>();
        CLI::App* command =
            add("search", "Spans that contain a text: names, services, ids, attribute values", "search run.jsonl.gz --query 'rate limit'");
        addInputs(*command, *options);
        addCommon(*command, *options);
        command->add_option("--query", options->query, "literal text, any case")->required();
        commands.push_back({command, [options] { return runSearch(*options); }});
    }
    {
        const auto options = std::make_shared<CommonOptions>();
        const auto explain = std::make_shared<bool>(false);
        const auto check = std::make_shared<bool>(false);
        CLI::App* command = add("rules", "The stage rules: print them, check yours, or see which rule gave each span its stage",
            "rules --explain run.jsonl.gz --rules mine.json");
        command->add_option("INPUT", options->inputs, "trace files to explain, or rule files to check");
        addCommon(*command, *options);
        command->add_flag("--explain", *explain, "which rule gave which spans their stage, and how much time no rule covers");
        command->add_flag("--check", *check, "only check the rule files named, or the one given with --rules");
        commands.push_back({command, [options, explain, check] { return runRules(*options, *explain, *check); }});
    }
    return commands;
}

} // namespace chokepoint::cli
