// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/whatifreport.h"

#include "core/base/format.h"
#include "core/report/intervals.h"
#include "core/report/json.h"
#include "core/report/texttable.h"

#include <fmt/format.h>

#include <cmath>

namespace chokepoint {

namespace {

Json e2eJson(const E2eFigures& e2e)
{
    return {{"n", e2e.n}, {"mean_ns", toJson(e2e.mean)}, {"min_ns", toJson(e2e.min)}, {"p50_ns", toJson(e2e.p50)},
        {"p95_ns", toJson(e2e.p95)}, {"p99_ns", toJson(e2e.p99)}, {"max_ns", toJson(e2e.max)}};
}

std::string changeText(Duration before, Duration after)
{
    if (!isKnown(before) || !isKnown(after))
        return "";
    const std::string change =
        before > Duration{0} ? " (" + formatChange(double(toNs(after) - toNs(before)) / double(toNs(before))) + ")" : "";
    return formatDelta(after - before) + change;
}

std::string figuresTable(const WhatIfResult& result)
{
    using enum TextTable::Align;
    TextTable table({{"end to end", Left}, {"observed", Right}, {"predicted", Right}, {"change", Right}, {"95 % interval", Left}});
    const auto row = [&](const char* name, Duration E2eFigures::*member, const std::optional<Interval>& interval) {
        const Duration before = result.base.e2e.*member;
        const Duration after = result.predicted.e2e.*member;
        table.addRow({name, formatDuration(before), formatDuration(after), changeText(before, after), intervalText(interval)});
    };
    row("mean", &E2eFigures::mean, result.meanInterval);
    row("p50", &E2eFigures::p50, std::nullopt);
    row("p95", &E2eFigures::p95, result.p95Interval);
    row("p99", &E2eFigures::p99, std::nullopt);
    return table.text();
}

std::string stagesTable(const WhatIfResult& result)
{
    using enum TextTable::Align;
    TextTable table({{"stage (on path, mean)", Left}, {"observed", Right}, {"predicted", Right}, {"change", Right}});
    for (std::size_t s = 0; s < result.stages.size(); ++s)
        table.addRow({result.stages[s], formatDuration(result.base.stageMean[s]), formatDuration(result.predicted.stageMean[s]),
            changeText(result.base.stageMean[s], result.predicted.stageMean[s])});
    return table.text();
}

} // namespace

std::string whatIfJson(const ReportedWhatIf& report)
{
    const WhatIfResult& result = report.result;
    Json json = {{"schema", "chokepoint.whatif/1"}, {"settings", report.settings}, {"traces", result.traces}, {"fidelity", result.fidelity},
        {"base", e2eJson(result.base.e2e)}, {"predicted", e2eJson(result.predicted.e2e)},
        {"delta", {{"mean_ci_ns", intervalJson(result.meanInterval)}, {"p95_ci_ns", intervalJson(result.p95Interval)}}},
        {"bottleneck", {{"base", result.base.bottleneck}, {"predicted", result.predicted.bottleneck}}}, {"stages", Json::array()},
        {"ceilings", Json::array()}, {"notes", result.notes}};
    if (result.pessimisticMean)
        json["pessimistic_mean_ns"] = toJson(*result.pessimisticMean);
    for (const auto& [reading, e2e] : result.readings)
        json["dependencies"][waitReadingName(reading)] = e2eJson(e2e);
    for (std::size_t s = 0; s < result.stages.size(); ++s)
        json["stages"].push_back({{"stage", result.stages[s]}, {"base_mean_ns", toJson(result.base.stageMean[s])},
            {"predicted_mean_ns", toJson(result.predicted.stageMean[s])}});
    for (const StageCeiling& ceiling : result.ceilings)
        json["ceilings"].push_back({{"stage", ceiling.stage}, {"speedup_if_zero", toJson(std::optional(ceiling.speedup))},
            {"p95_if_zero_ns", toJson(ceiling.p95)}});
    json["failed_share"] = result.failedShare;
    Json& models = json["models"] = Json::array();
    for (const WhatIfModel& model : result.models) {
        Json each = {{"kind", model.kind}};
        if (!model.stage.empty())
            each["stage"] = model.stage;
        for (const auto& [name, number] : model.numbers)
            each[name] = toJson(std::optional(number));
        models.push_back(std::move(each));
    }
    if (!report.target.empty()) {
        Json& needed = json["needed"] = {{"target", report.target}, {"stages", Json::array()}};
        for (const NeededFactor& each : report.needed)
            needed["stages"].push_back({{"stage", each.stage}, {"factor", toJson(each.factor)}});
    }
    return toText(json);
}

std::string whatIfText(const ReportedWhatIf& report)
{
    const WhatIfResult& result = report.result;
    std::string text = fmt::format("{} traces replayed{}{}\n\n", formatCount(result.traces), report.settings.empty() ? "" : " with ",
        fmt::join(report.settings, ", "));
    text += figuresTable(result) + '\n' + stagesTable(result);
    text += fmt::format("\nBottleneck: {} -> {}\n", result.base.bottleneck, result.predicted.bottleneck);
    for (const auto& [reading, e2e] : result.readings)
        text += fmt::format(
            "With {} dependencies: mean {}, p95 {}\n", waitReadingName(reading), formatDuration(e2e.mean), formatDuration(e2e.p95));
    if (result.fidelity < 1)
        text += fmt::format("{} of the traces replay to the nanosecond without a change\n", formatShare(result.fidelity));
    if (result.failedShare > 0)
        text += fmt::format("{} of the requests would fail for good; each ends where it fails\n", formatShare(result.failedShare));
    for (const std::string& note : result.notes)
        text += "Note: " + note + '\n';
    if (!result.ceilings.empty()) {
        TextTable table({{"if the stage took no time", TextTable::Align::Left}, {"speed-up of the mean", TextTable::Align::Right},
            {"p95", TextTable::Align::Right}});
        for (const StageCeiling& ceiling : result.ceilings)
            table.addRow({ceiling.stage, fmt::format("{:.2f}x", ceiling.speedup), formatDuration(ceiling.p95)});
        text += '\n' + table.text();
    }
    if (!report.target.empty()) {
        TextTable table({{"for " + report.target, TextTable::Align::Left}, {"the stage must take", TextTable::Align::Left}});
        for (const NeededFactor& each : report.needed)
            table.addRow({each.stage,
                !each.factor            ? "cannot reach it alone"
                    : *each.factor == 1 ? "what it takes"
                                        : fmt::format("x{:.3f} of its time", *each.factor)});
        text += '\n' + table.text();
    }
    return text;
}

} // namespace chokepoint
