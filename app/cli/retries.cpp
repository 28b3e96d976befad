// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint retries`.
#include "app/cli/commands.h"

#include "core/report/retriesreport.h"

namespace chokepoint::cli {

namespace {

int runRetries(const CommonOptions& options)
{
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, makeJob(), status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    // Ids come from the traces themselves; attempts are listed trace by trace.
    std::size_t openIndex = dataset.columns.traceCount();
    std::shared_ptr<const Trace> open;
    const auto spanIdName = [&](std::size_t trace, std::size_t span) {
        if (trace != openIndex) {
            const Result<std::shared_ptr<const Trace>> next = dataset.trace(trace);
            if (!next)
                return toHex(dataset.columns.trace(trace).spanId[span]);
            open = *next;
            openIndex = trace;
        }
        return open->spanIdName(span);
    };
    const RetriesSource source{dataset.columns, dataset.retries, spanIdName};
    if (options.json)
        writeRetriesJson(source, standardOutput());
    else
        standardOutput()(retriesText(source));
    return statusOf(options, *loaded);
}

} // namespace

std::vector<Command> addRetriesCommand(CLI::App& app)
{
    const auto options = std::make_shared<CommonOptions>();
    CLI::App* command = app.add_subcommand("retries", "What was tried again, why, and what it cost in time, tokens and money");
    command->footer("Example:\n  chokepoint retries run.jsonl.gz --json");
    addInputs(*command, *options);
    addCommon(*command, *options);
    addPath(*command, *options);
    return {{command, [options] { return runRetries(*options); }}};
}

} // namespace chokepoint::cli
