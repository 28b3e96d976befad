// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include "core/report/graphreport.h"

namespace chokepoint::cli {

namespace {

struct GraphOptions : CommonOptions {
    bool dot = false;
};

int runGraph(const GraphOptions& options)
{
    const JobControl job = makeJob();
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, job, status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    const Result<StageGraph> graph =
        stageGraph(dataset.columns, dataset.stages, dataset.population, &dataset.retries, dataset.pathOptions, job);
    if (!graph)
        return failure(graph.error());
    standardOutput()(options.dot ? graphDot(*graph) : options.json ? graphJson(*graph) + "\n" : graphText(*graph));
    return statusOf(options, *loaded);
}

} // namespace

std::vector<Command> addGraphCommand(CLI::App& app)
{
    const auto options = std::make_shared<GraphOptions>();
    CLI::App* command = app.add_subcommand("graph", "The pipeline as a graph of stages: what follows, calls and repeats what");
    command->footer("Examples:\n  chokepoint graph run.jsonl --json\n  chokepoint graph run.jsonl --dot | dot -Tsvg > pipeline.svg");
    addInputs(*command, *options);
    addCommon(*command, *options);
    addPath(*command, *options);
    command->add_flag("--dot", options->dot, "for Graphviz");
    return {{command, [options] { return runGraph(*options); }}};
}

} // namespace chokepoint::cli
