// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include "core/analysis/gates.h"
#include "core/pipeline/requestclusters.h"
#include "core/report/whatifreport.h"

#include <fmt/format.h>

namespace chokepoint::cli {

namespace {

struct WhatIfOptions : CommonOptions {
    std::vector<std::string> settings; // --set
    std::string target; // --need
    std::string dependencies = "learned";
};

/// "p95 <= 900ms".
struct Target {
    double p = 0;
    Duration limit{};
};

Result<std::optional<Target>> parseTarget(const std::string& text)
{
    if (text.empty())
        return std::optional<Target>();
    const Result<Gate> gate = parseGate(text);
    const bool isUpper = gate && (gate->comparison == Gate::Operator::LessEqual || gate->comparison == Gate::Operator::Less);
    if (!isUpper || gate->kind != Gate::Limit::Absolute || !gate->isTime)
        return fail(ErrorCode::InvalidArgument, fmt::format("--need \"{}\": write a quantile and a limit, such as \"p95 <= 900ms\"", text));
    for (const auto& [name, p] : {std::pair{"p50", 0.5}, std::pair{"p95", 0.95}, std::pair{"p99", 0.99}})
        if (gate->statistic == name)
            return std::optional(Target{p, Duration{std::int64_t(gate->limit)}});
    return fail(ErrorCode::InvalidArgument, fmt::format("--need \"{}\": it takes p50, p95 or p99", text));
}

Result<std::vector<WhatIfSetting>> parseSettings(const std::vector<std::string>& texts)
{
    std::vector<WhatIfSetting> settings;
    for (const std::string& text : texts) {
        Result<WhatIfSetting> setting = parseWhatIf(text);
        if (!setting)
            return fail(std::move(setting).error());
        settings.push_back(std::move(*setting));
    }
    return settings;
}

/// What the intervals draw; nothing for traces by themselves.
Result<std::optional<RowClusters>> clustersOf(const Dataset& dataset, const std::string& cluster, const JobControl& job)
{
    if (cluster.empty())
        return std::optional<RowClusters>();
    const Result<std::vector<std::string>> names = requestClusters(dataset, cluster, job);
    if (!names)
        return fail(names.error());
    std::vector<std::string> included;
    for (const std::uint32_t trace : dataset.population.included)
        included.push_back((*names)[trace]);
    return std::optional(rowClusters(included));
}

int runWhatIf(const WhatIfOptions& options)
{
    const Result<std::vector<WhatIfSetting>> settings = parseSettings(options.settings);
    if (!settings)
        return failure(settings.error());
    const Result<std::optional<Target>> target = parseTarget(options.target);
    if (!target)
        return failure(target.error());
    const JobControl job = makeJob();
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, job, status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    const Result<WhatIf> whatIf = WhatIf::create(dataset.columns, dataset.stages, dataset.population, &dataset.retries, dataset.pathOptions,
        options.threads, job, dataset.declaredOrders(), &dataset.checkFacts);
    if (!whatIf)
        return failure(whatIf.error());
    const WaitReading reading = options.dependencies == "pessimistic" ? WaitReading::Pessimistic
        : options.dependencies == "declared"                          ? WaitReading::Declared
                                                                      : WaitReading::Learned;
    const Result<std::optional<RowClusters>> clusters = clustersOf(dataset, clusterOf(options), job);
    if (!clusters)
        return failure(clusters.error());
    const WhatIf::Options run{.seed = options.seed,
        .reading = reading,
        .ceilings = true,
        .intervals = true,
        .clusters = *clusters ? &**clusters : nullptr,
        .cluster = clusterOf(options)};
    const Result<WhatIfResult> result = whatIf->run(*settings, run, job);
    if (!result)
        return failure(result.error());
    ReportedWhatIf report{*result, options.settings, options.target};
    if (*target) {
        for (const std::string& stage : result->stages) {
            const Result<std::optional<double>> factor = whatIf->factorNeeded(stage, (*target)->p, (*target)->limit, run, job);
            if (!factor)
                return failure(factor.error());
            report.needed.push_back({stage, *factor});
        }
    }
    standardOutput()(options.json ? whatIfJson(report) + "\n" : whatIfText(report));
    return statusOf(options, *loaded);
}

} // namespace

std::vector<Command> addWhatIfCommand(CLI::App& app)
{
    const auto options = std::make_shared<WhatIfOptions>();
    CLI::App* command = app.add_subcommand("whatif", "What would happen if a stage took less time, or fewer requests were retried");
    command->footer("Examples:\n  chokepoint whatif run.jsonl --set stage.generate=x0.5\n"
                    "  chokepoint whatif run.jsonl --set stage.rerank=+60ms --set retry_rate=0.03 --json\n"
                    "  chokepoint whatif run.jsonl --need \"p95 <= 900ms\"\n"
                    "Every trace is replayed with the change; what waited for what is read from the times.");
    addInputs(*command, *options);
    addCommon(*command, *options);
    addPath(*command, *options);
    addSeed(*command, *options);
    addCluster(*command, *options);
    command
        ->add_option("--set", options->settings,
            "NAME=VALUE, may be repeated: stage.NAME=x0.5 or +60ms, retry_rate=0.03, router_accuracy=0.9, cache_hit=0.3, cache_lookup=5ms, "
            "spec_accept=0.35, spec_draft=4, spec_cost=0.1, failure.NAME=0.01, fallback.NAME=200ms (or none), timeout.NAME=2s, "
            "retry.NAME=0.1, retry_max.NAME=3, "
            "retry_backoff.NAME=100ms, retry_growth.NAME=2, servers.NAME=4, load=x1.5")
        ->allow_extra_args(false);
    command
        ->add_option("--dependencies", options->dependencies,
            "what a span waits for: all that ended before it (pessimistic), but for operations that some trace shows not to wait (learned, "
            "the default), or what links and the \"dependencies\" of a rule file say (declared)")
        ->check(CLI::IsMember({"pessimistic", "learned", "declared"}));
    command->add_option("--need", options->target, "what each stage alone would have to do for this, such as \"p95 <= 900ms\"");
    return {{command, [options] { return runWhatIf(*options); }}};
}

} // namespace chokepoint::cli
