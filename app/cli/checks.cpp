// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint checks`.
#include "app/cli/commands.h"

#include "core/analysis/arena.h"
#include "core/report/checksreport.h"

#include <algorithm>

namespace chokepoint::cli {

namespace {

struct ChecksOptions : CommonOptions {
    std::string before; // --against
};

int runChecksCommand(const ChecksOptions& options)
{
    const bool twice = options.before == "-" && std::find(options.inputs.begin(), options.inputs.end(), "-") != options.inputs.end();
    if (twice)
        return failure({ErrorCode::InvalidArgument, "- (standard input) cannot be both sides; it can be read only once", {}});
    const JobControl job = makeJob();
    int status = Done;
    std::optional<Loaded> before;
    std::optional<Loaded> after;
    if (options.before.empty()) {
        after = load(options.inputs, options, job, status);
    } else if (std::optional<LoadedPair> pair = loadPair({options.before}, options.inputs, options, job, status)) {
        before = std::move(pair->before);
        after = std::move(pair->after);
    }
    if (!after)
        return status;
    const CheckSide side = after->dataset->checkSide();
    const std::optional<CheckSide> sideBefore = before ? std::optional(before->dataset->checkSide()) : std::nullopt;
    std::vector<Check> checks;
    arenaFor(options.threads).execute([&] { checks = runChecks(side, sideBefore ? &*sideBefore : nullptr, options.seed); });
    const ReportedChecks report{checks, after->dataset->columns, after->dataset->label, before ? before->dataset->label : ""};
    standardOutput()(options.json ? checksJson(report) + "\n" : checksText(report));
    return std::max(statusOf(options, *after), before ? statusOf(options, *before) : Done);
}

} // namespace

std::vector<Command> addChecksCommand(CLI::App& app)
{
    const auto options = std::make_shared<ChecksOptions>();
    CLI::App* command =
        app.add_subcommand("checks", "Known traps of optimized pipelines: which of them the traces show, and on what evidence");
    command->footer("Examples:\n  chokepoint checks run.jsonl.gz --json\n  chokepoint checks after.jsonl.gz --against before.jsonl.gz\n"
                    "A check that lacks data says what to record.");
    addInputs(*command, *options);
    addCommon(*command, *options);
    addPath(*command, *options);
    addSeed(*command, *options);
    command->add_option("--against", options->before, "BEFORE: the deployment to compare with");
    return {{command, [options] { return runChecksCommand(*options); }}};
}

} // namespace chokepoint::cli
