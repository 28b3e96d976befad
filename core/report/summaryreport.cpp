// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/summaryreport.h"

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/report/findingsreport.h"
#include "core/report/gatereport.h"
#include "core/report/intervals.h"
#include "core/report/json.h"
#include "core/report/retriesjson.h"
#include "core/report/texttable.h"
#include "core/report/usagejson.h"

#include <fmt/format.h>

#include <cmath>

namespace chokepoint {

namespace {

Json stageJson(const StageFigures& stage)
{
    Json json = {{"stage", stage.stage}, {"spans", stage.spans}, {"critical_ns", toJson(stage.critical)}, {"self_ns", toJson(stage.self)},
        {"share", stage.share}, {"p50_ns", toJson(stage.p50)}, {"p95_ns", toJson(stage.p95)}, {"p99_ns", toJson(stage.p99)}};
    if (!stage.substages.empty()) {
        Json& substages = json["substages"] = Json::array();
        for (const StageFigures& substage : stage.substages)
            substages.push_back(stageJson(substage));
    }
    return json;
}

/// Intervals beside the figures that they belong to, and what they draw.
void addIntervals(Json& json, const SummaryIntervals& intervals)
{
    Json& e2e = json["e2e"];
    e2e["mean_ci_ns"] = intervalJson(intervals.mean);
    e2e["p50_ci_ns"] = intervalJson(intervals.p50);
    e2e["p95_ci_ns"] = intervalJson(intervals.p95);
    e2e["p99_ci_ns"] = intervalJson(intervals.p99);
    for (Json& stage : json["stages"])
        for (const StageIntervals& each : intervals.stages)
            if (stage["stage"] == each.stage) {
                stage["mean_ci_ns"] = intervalJson(each.mean);
                stage["share_ci"] = {each.share.low, each.share.high};
            }
    Json& unit = json["unit"] = Json{{"kind", intervals.unit ? "cluster" : "trace"}};
    if (intervals.unit) {
        unit["cluster"] = intervals.cluster;
        unit.update(resampledJson(*intervals.unit));
        unit["warnings"] = intervals.warnings;
    }
}

std::string rangeText(const std::optional<Interval>& interval)
{
    const auto text = [](double ns) { return formatDuration(Duration{std::llround(ns)}); };
    return interval ? fmt::format("{} to {}", text(interval->low), text(interval->high)) : "";
}

Json inputJson(const ReportedInput& input, const Diagnostics& faults)
{
    return {{"path", input.path}, {"format", input.format}, {"compression", input.compression}, {"bytes", input.bytes},
        {"spans", input.spans}, {"warnings", toJson(faults)}};
}

void addStageRows(TextTable& table, const std::vector<StageFigures>& stages, const std::string& indent)
{
    for (const StageFigures& stage : stages) {
        table.addRow({indent + stage.stage, formatCount(stage.spans), formatShare(stage.share), formatDuration(stage.critical),
            formatDuration(stage.p50), formatDuration(stage.p95), formatDuration(stage.p99)});
        addStageRows(table, stage.substages, indent + "  ");
    }
}

} // namespace

std::string summaryJson(const PopulationSummary& summary, const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults,
    const Spending* spending, const RetrySummary* retries, const std::vector<Finding>* findings, const std::vector<GateResult>& gates,
    const SummaryIntervals* intervals, const Diagnostics* doubts)
{
    Json json = {{"schema", "chokepoint.summary/1"}};
    Json& list = json["inputs"] = Json::array();
    for (const ReportedInput& input : inputs) {
        Diagnostics faults = input.diagnostics;
        if (inputs.size() == 1)
            faults.merge(treeFaults);
        list.push_back(inputJson(input, faults));
    }
    if (inputs.size() != 1)
        json["warnings"] = toJson(treeFaults);
    json["traces"] = summary.traces;
    json["spans"] = summary.spans;
    json["error_spans"] = summary.errorSpans;
    json["root_spans"] = summary.rootSpans;
    json["orphan_spans"] = summary.orphanSpans;
    json["services"] = summary.services;
    json["time"] = {{"first_unix_ns", toJsonText(summary.extent.begin)}, {"last_unix_ns", toJsonText(summary.extent.end)}};
    json["excluded"] = {{"no_root", summary.excludedNoRoot}, {"open", summary.excludedOpen}, {"offline", summary.excludedOffline}};
    const E2eFigures& e2e = summary.e2e;
    json["e2e"] = {{"n", e2e.n}, {"mean_ns", toJson(e2e.mean)}, {"min_ns", toJson(e2e.min)}, {"p50_ns", toJson(e2e.p50)},
        {"p95_ns", toJson(e2e.p95)}, {"p99_ns", toJson(e2e.p99)}, {"max_ns", toJson(e2e.max)}};
    Json& stages = json["stages"] = Json::array();
    for (const StageFigures& stage : summary.stages)
        stages.push_back(stageJson(stage));
    if (intervals != nullptr)
        addIntervals(json, *intervals);
    const StageFigures* bottleneck = summary.bottleneck();
    json["bottleneck"] = bottleneck == nullptr ? Json(nullptr) : Json{{"stage", bottleneck->stage}, {"share", bottleneck->share}};
    if (spending != nullptr) {
        json["tokens"] = tokensJson(spending->totals);
        json["cost"] = costJson(*spending);
    }
    if (retries != nullptr)
        json["retries"] = retrySummaryJson(*retries);
    if (findings != nullptr)
        json["findings"] = findingsJson(*findings);
    if (!gates.empty())
        json["gates"] = gatesJson(gates);
    if (doubts != nullptr)
        json["diagnostics"] = toJson(*doubts);
    return toText(json);
}

std::string summaryText(const PopulationSummary& summary, const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults,
    const Spending* spending, const RetrySummary* retries, const std::vector<Finding>* findings, const std::vector<GateResult>& gates,
    const SummaryIntervals* intervals, const Diagnostics* doubts)
{
    std::string text;
    for (const ReportedInput& input : inputs)
        if (!input.format.empty()) // passed over, which the faults tell
            text += fmt::format("{}  {}{}, {}, {} spans\n", escapedControls(input.path), input.format,
                input.compression == "none" ? "" : " (" + input.compression + ")", formatBytes(input.bytes), formatCount(input.spans));
    text += fmt::format("\n{} traces, {} spans, {} with errors, {} roots, {} orphans; {} services\n", formatCount(summary.traces),
        formatCount(summary.spans), formatCount(summary.errorSpans), formatCount(summary.rootSpans), formatCount(summary.orphanSpans),
        summary.services.size());
    if (summary.excludedNoRoot + summary.excludedOpen > 0)
        text += fmt::format("Left out of the figures below: {} traces without a root, {} with unfinished spans\n",
            formatCount(summary.excludedNoRoot), formatCount(summary.excludedOpen));
    if (summary.excludedOffline > 0)
        text +=
            fmt::format("Left out as well: {} traces of other pipelines (indexing, starting up)\n", formatCount(summary.excludedOffline));
    if (findings != nullptr && !findings->empty())
        text += '\n' + findingsText(*findings);
    if (const StageFigures* bottleneck = summary.bottleneck())
        text += fmt::format("\nBottleneck: {} with {} of the end-to-end time\n", bottleneck->stage, formatShare(bottleneck->share));
    else
        text += "\nNot enough data: no complete trace with a root\n";

    using enum TextTable::Align;
    if (summary.e2e.n > 0) {
        TextTable e2e(
            {{"end to end", Left}, {"mean", Right}, {"min", Right}, {"P50", Right}, {"P95", Right}, {"P99", Right}, {"max", Right}});
        e2e.addRow({formatCount(summary.e2e.n) + " traces", formatDuration(summary.e2e.mean), formatDuration(summary.e2e.min),
            formatDuration(summary.e2e.p50), formatDuration(summary.e2e.p95), formatDuration(summary.e2e.p99),
            formatDuration(summary.e2e.max)});
        if (intervals != nullptr)
            e2e.addRow({"95 % interval", rangeText(intervals->mean), "", rangeText(intervals->p50), rangeText(intervals->p95),
                rangeText(intervals->p99), ""});
        text += '\n' + e2e.text();
        if (intervals != nullptr && intervals->unit)
            text += fmt::format("Intervals draw whole clusters by {}: {}\n", intervals->cluster, formatCount(intervals->unit->clusters));
        for (const std::string& warning : intervals == nullptr ? std::vector<std::string>() : intervals->warnings)
            text += "Note: " + warning + '\n';
        TextTable stages(
            {{"stage", Left}, {"spans", Right}, {"on path", Right}, {"sum", Right}, {"P50", Right}, {"P95", Right}, {"P99", Right}});
        addStageRows(stages, summary.stages, "");
        text += '\n' + stages.text();
    }
    if (spending != nullptr)
        if (const std::string lines = spendingText(*spending); !lines.empty())
            text += '\n' + lines;
    if (retries != nullptr && retries->requests > 0)
        text += "\nRetries: " + retrySummaryText(*retries) + "\n";
    if (!gates.empty())
        text += '\n' + gatesTable(gates).text();
    if (const std::string faults = faultLines(inputs, treeFaults); !faults.empty())
        text += "\nWarnings\n" + faults;
    if (doubts != nullptr && !doubts->empty())
        text += "\nHow far these figures can be trusted\n" + faultLines({}, *doubts);
    return text;
}

std::string faultLines(const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults)
{
    std::string text;
    const auto add = [&](const std::string& where, const Diagnostics& faults) {
        for (const DiagnosticEntry& entry : faults.entries())
            text +=
                fmt::format("  {}{} x {}: {}\n", where, formatCount(entry.count), diagnosticName(entry.code), escapedControls(entry.first));
    };
    for (const ReportedInput& input : inputs)
        add(inputs.size() > 1 ? escapedControls(input.path) + ": " : "", input.diagnostics);
    add("", treeFaults);
    return text;
}

} // namespace chokepoint
