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

/// What was read, and what of it counts.
std::string contentsText(const ReportedSummary& reported)
{
    const PopulationSummary& summary = reported.summary;
    std::string text;
    for (const ReportedInput& input : reported.inputs)
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
    return text;
}

/// End-to-end times and stages of traces that there are.
std::string figuresText(const ReportedSummary& reported)
{
    using enum TextTable::Align;
    const PopulationSummary& summary = reported.summary;
    std::string text;
    TextTable e2e({{"end to end", Left}, {"mean", Right}, {"min", Right}, {"P50", Right}, {"P95", Right}, {"P99", Right}, {"max", Right}});
    e2e.addRow({formatCount(summary.e2e.n) + " traces", formatDuration(summary.e2e.mean), formatDuration(summary.e2e.min),
        formatDuration(summary.e2e.p50), formatDuration(summary.e2e.p95), formatDuration(summary.e2e.p99),
        formatDuration(summary.e2e.max)});
    if (reported.intervals != nullptr)
        e2e.addRow({"95 % interval", rangeText(reported.intervals->mean), "", rangeText(reported.intervals->p50),
            rangeText(reported.intervals->p95), rangeText(reported.intervals->p99), ""});
    text += '\n' + e2e.text();
    if (reported.intervals != nullptr && reported.intervals->unit)
        text += fmt::format(
            "Intervals draw whole clusters by {}: {}\n", reported.intervals->cluster, formatCount(reported.intervals->unit->clusters));
    for (const std::string& warning : reported.intervals == nullptr ? std::vector<std::string>() : reported.intervals->warnings)
        text += "Note: " + warning + '\n';
    TextTable stages(
        {{"stage", Left}, {"spans", Right}, {"on path", Right}, {"sum", Right}, {"P50", Right}, {"P95", Right}, {"P99", Right}});
    addStageRows(stages, summary.stages, "");
    text += '\n' + stages.text();
    return text;
}

} // namespace

std::string summaryJson(const ReportedSummary& reported)
{
    const PopulationSummary& summary = reported.summary;
    Json json = {{"schema", "chokepoint.summary/1"}};
    Json& list = json["inputs"] = Json::array();
    for (const ReportedInput& input : reported.inputs) {
        Diagnostics faults = input.diagnostics;
        if (reported.inputs.size() == 1)
            faults.merge(reported.treeFaults);
        list.push_back(inputJson(input, faults));
    }
    if (reported.inputs.size() != 1)
        json["warnings"] = toJson(reported.treeFaults);
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
    if (reported.intervals != nullptr)
        addIntervals(json, *reported.intervals);
    const StageFigures* bottleneck = summary.bottleneck();
    json["bottleneck"] = bottleneck == nullptr ? Json(nullptr) : Json{{"stage", bottleneck->stage}, {"share", bottleneck->share}};
    if (reported.spending != nullptr) {
        json["tokens"] = tokensJson(reported.spending->totals);
        json["cost"] = costJson(*reported.spending);
    }
    if (reported.retries != nullptr)
        json["retries"] = retrySummaryJson(*reported.retries);
    if (reported.findings != nullptr)
        json["findings"] = findingsJson(*reported.findings);
    if (!reported.gates.empty())
        json["gates"] = gatesJson(reported.gates);
    if (reported.doubts != nullptr)
        json["diagnostics"] = toJson(*reported.doubts);
    return toText(json);
}

std::string summaryText(const ReportedSummary& reported)
{
    std::string text = contentsText(reported);
    if (reported.findings != nullptr && !reported.findings->empty())
        text += '\n' + findingsText(*reported.findings);
    if (const StageFigures* bottleneck = reported.summary.bottleneck())
        text += fmt::format("\nBottleneck: {} with {} of the end-to-end time\n", bottleneck->stage, formatShare(bottleneck->share));
    else
        text += "\nNot enough data: no complete trace with a root\n";
    if (reported.summary.e2e.n > 0)
        text += figuresText(reported);
    if (reported.spending != nullptr)
        if (const std::string lines = spendingText(*reported.spending); !lines.empty())
            text += '\n' + lines;
    if (reported.retries != nullptr && reported.retries->requests > 0)
        text += "\nRetries: " + retrySummaryText(*reported.retries) + "\n";
    if (!reported.gates.empty())
        text += '\n' + gatesTable(reported.gates).text();
    if (const std::string faults = faultLines(reported.inputs, reported.treeFaults); !faults.empty())
        text += "\nWarnings\n" + faults;
    if (reported.doubts != nullptr && !reported.doubts->empty())
        text += fmt::format("\n{}\n{}", doubtsTitle, faultLines({}, *reported.doubts));
    return text;
}

std::string faultLines(const std::vector<ReportedInput>& inputs, const Diagnostics& treeFaults)
{
    std::string text;
    const auto add = [&](const std::string& where, const Diagnostics& faults) {
        for (const DiagnosticEntry& entry : faults.entries())
            text += fmt::format("  {}{}\n", where, escapedControls(diagnosticText(entry)));
    };
    for (const ReportedInput& input : inputs)
        add(inputs.size() > 1 ? escapedControls(input.path) + ": " : "", input.diagnostics);
    add("", treeFaults);
    return text;
}

} // namespace chokepoint
