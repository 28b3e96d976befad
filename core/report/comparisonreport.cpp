// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/comparisonreport.h"

#include "core/base/format.h"
#include "core/base/markup.h"
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

Json textOrNull(const std::string& text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

Json e2eJson(const E2eRow& row)
{
    Json json = {{"stat", statisticName(row.statistic)}, {"before_ns", toJson(row.before)}, {"after_ns", toJson(row.after)},
        {"delta_ns", toJson(row.delta)}, {"delta", toJson(row.change)}, {"ci_ns", intervalJson(row.interval)},
        {"significant", row.significant}, {"before_ci_ns", intervalJson(row.beforeInterval)},
        {"after_ci_ns", intervalJson(row.afterInterval)}};
    if (row.welch)
        json["welch_ci_ns"] = intervalJson(row.welch);
    json["equivalent"] = row.equivalent;
    json["noise_floor_ns"] = toJson(row.noise);
    if (!row.shortfall.empty())
        json["shortfall"] = row.shortfall;
    return json;
}

Json testJson(const WholeTest& test)
{
    return {{"mann_whitney_u", test.rank.u}, {"p", test.rank.p}, {"exact", test.rank.isExact}, {"cliffs_delta", test.rank.cliffsDelta},
        {"effect", effectSizeName(test.rank.cliffsDelta)}, {"probability_faster", test.rank.probabilityFaster},
        {"hodges_lehmann_ns", toJson(test.shift)}};
}

Json quantileJson(const QuantileSplit& split)
{
    Json json = {{"stat", statisticName(split.statistic)}, {"before_ns", toJson(split.before)}, {"after_ns", toJson(split.after)},
        {"delta_ns", toJson(split.delta)}, {"bottleneck_before", textOrNull(split.bottleneckBefore)},
        {"bottleneck_after", textOrNull(split.bottleneckAfter)}, {"stages", Json::array()}};
    for (const QuantileStage& stage : split.stages)
        json["stages"].push_back({{"stage", stage.stage}, {"before_ns", toJson(stage.before)}, {"after_ns", toJson(stage.after)},
            {"contribution_ns", toJson(stage.contribution)}});
    if (!split.shortfall.empty())
        json["shortfall"] = split.shortfall;
    return json;
}

Json bandSideJson(const BandSide& side, const std::vector<std::string>& stages)
{
    Json json = {{"traces", side.traces}, {"mean_ns", toJson(side.mean)}, {"stage_ns", Json::object()},
        {"typical_trace_id", textOrNull(side.exemplarId)}};
    for (std::size_t t = 0; t < side.stages.size(); ++t)
        json["stage_ns"][stages[t]] = toJson(side.stages[t]);
    return json;
}

Json mixJson(const MixShift& mix)
{
    Json json = {{"mix_ns", toJson(mix.mix)}, {"within_ns", toJson(mix.within)}, {"traffic_ns", toJson(mix.traffic)}, {"p", mix.p},
        {"matters", mix.matters}, {"simpson", mix.simpson}, {"thin", mix.isThin},
        {"like_for_like",
            {{"mean_ns", toJson(mix.reweighted[0])}, {"p50_ns", toJson(mix.reweighted[1])}, {"p95_ns", toJson(mix.reweighted[2])},
                {"p99_ns", toJson(mix.reweighted[3])}, {"effective_requests", mix.effectiveRequests}}},
        {"strata", Json::array()}, {"stages", Json::array()}};
    for (const MixStratum& stratum : mix.strata)
        json["strata"].push_back({{"name", stratum.name}, {"before", stratum.before}, {"after", stratum.after},
            {"before_mean_ns", toJson(stratum.beforeMean)}, {"after_mean_ns", toJson(stratum.afterMean)}});
    for (const MixStage& stage : mix.stages)
        json["stages"].push_back({{"stage", stage.stage}, {"mix_ns", toJson(stage.mix)}, {"within_ns", toJson(stage.within)},
            {"traffic_ns", toJson(stage.traffic)}});
    return json;
}

Json stageJson(const StageRow& row, bool topLevel)
{
    Json json = {{"stage", row.stage}, {"before_mean_ns", toJson(row.beforeMean)}, {"after_mean_ns", toJson(row.afterMean)},
        {"contribution_ns", toJson(row.contribution)}, {"ci_ns", intervalJson(row.interval)}, {"before_share", row.beforeShare},
        {"after_share", row.afterShare}};
    if (topLevel) {
        json["before_rank"] = row.beforeRank;
        json["after_rank"] = row.afterRank;
        json["before_rank_ci"] = {row.beforeRankInterval.low, row.beforeRankInterval.high};
        json["after_rank_ci"] = {row.afterRankInterval.low, row.afterRankInterval.high};
        json["simultaneous_ci_ns"] = intervalJson(row.simultaneous);
        json["significant"] = row.significant;
        json["p_holm"] = row.p;
        json["q_bh"] = row.q;
    }
    json["before_presence"] = row.beforePresence;
    json["after_presence"] = row.afterPresence;
    if (!row.substages.empty()) {
        Json& substages = json["substages"] = Json::array();
        for (const StageRow& substage : row.substages)
            substages.push_back(stageJson(substage, false));
    }
    return json;
}

Json bottleneckJson(const BottleneckVerdict& verdict)
{
    return {{"before", textOrNull(verdict.before)}, {"after", textOrNull(verdict.after)}, {"moved", verdict.moved},
        {"may_have_moved", verdict.mayHaveMoved}, {"confidence", verdict.confidence}, {"joint_before", verdict.jointBefore},
        {"joint_after", verdict.jointAfter}, {"why", textOrNull(verdict.why)}};
}

Json groupJson(const GroupRow& row)
{
    const char* state = row.countAfter == 0 && row.errorsAfter == 0 ? "only_before"
        : row.countBefore == 0 && row.errorsBefore == 0             ? "only_after"
                                                                    : "both";
    return {{"service", row.service}, {"name", row.name}, {"state", state}, {"n_before", row.countBefore}, {"n_after", row.countAfter},
        {"p50_before_ns", toJson(row.p50Before)}, {"p50_after_ns", toJson(row.p50After)}, {"p50_delta_ns", toJson(row.p50Delta)},
        {"p50_pct", toJson(row.p50Percent)}, {"errors_before", row.errorsBefore}, {"errors_after", row.errorsAfter}};
}

const char* verdictName(VerdictKind verdict)
{
    switch (verdict) {
    case VerdictKind::Faster: return "faster";
    case VerdictKind::Slower: return "slower";
    case VerdictKind::NoReliableChange: return "no-reliable-change";
    case VerdictKind::Mixed: return "mixed";
    case VerdictKind::NotEnoughData: return "not-enough-data";
    case VerdictKind::Identical: return "identical";
    }
    return "not-enough-data";
}

TextTable e2eTable(const Comparison& comparison)
{
    using enum TextTable::Align;
    TextTable table(
        {{"end to end", Left}, {"before", Right}, {"after", Right}, {"change", Right}, {"", Right}, {"95 % interval", Left}, {"", Left}});
    for (const E2eRow& row : comparison.e2e) {
        const std::string verdict = !row.shortfall.empty() ? row.shortfall
            : row.significant                              ? (toNs(row.delta) > 0 ? "slower" : "faster")
                                                           : "~";
        table.addRow({statisticName(row.statistic), formatDuration(row.before), formatDuration(row.after),
            isKnown(row.delta) ? formatDelta(row.delta) : "", row.change ? formatChange(*row.change) : "", intervalText(row.interval),
            verdict});
    }
    return table;
}

void addStageRows(TextTable& table, const std::vector<StageRow>& rows, const std::string& indent)
{
    for (const StageRow& row : rows) {
        const bool top = indent.empty();
        table.addRow({indent + row.stage, formatDuration(row.beforeMean), formatDuration(row.afterMean), formatDelta(row.contribution),
            intervalText(row.interval), top ? (row.significant ? (toNs(row.contribution) > 0 ? "slower" : "faster") : "~") : "",
            formatShare(row.beforeShare), formatShare(row.afterShare), top ? fmt::format("{} -> {}", row.beforeRank, row.afterRank) : ""});
        addStageRows(table, row.substages, indent + "  ");
    }
}

TextTable stageTable(const Comparison& comparison)
{
    using enum TextTable::Align;
    TextTable table({{"stage (on path, mean)", Left}, {"before", Right}, {"after", Right}, {"change", Right}, {"95 % interval", Left},
        {"", Left}, {"share before", Right}, {"after", Right}, {"rank", Left}});
    addStageRows(table, comparison.stages, "");
    return table;
}

/// "Before: 12 x LOW_N: ...", a line for each code and side, nothing escaped.
std::vector<std::string> doubtLines(const ReportedComparison& report)
{
    std::vector<std::string> lines;
    for (const auto& [side, doubts] : {std::pair{"Before", &report.doubtsBefore}, std::pair{"After", &report.doubtsAfter}})
        for (const DiagnosticEntry& entry : doubts->entries())
            lines.push_back(fmt::format("{}: {}", side, diagnosticText(entry)));
    return lines;
}

} // namespace

std::string comparisonJson(const ReportedComparison& report)
{
    const Comparison& comparison = report.comparison;
    Json json = {{"schema", "chokepoint.compare/1"},
        {"before",
            {{"label", report.before}, {"traces", comparison.tracesBefore}, {"excluded", comparison.excludedBefore},
                {"error_rate", comparison.errorRateBefore}}},
        {"after",
            {{"label", report.after}, {"traces", comparison.tracesAfter}, {"excluded", comparison.excludedAfter},
                {"error_rate", comparison.errorRateAfter}}},
        {"verdict", verdictName(comparison.verdict)}, {"sentence", comparison.sentence},
        {"comparable", {{"ok", comparison.comparable}, {"reasons", comparison.reasons}}}};
    Json& e2e = json["e2e"] = Json::array();
    for (const E2eRow& row : comparison.e2e)
        e2e.push_back(e2eJson(row));
    Json& stages = json["stages"] = Json::array();
    for (const StageRow& row : comparison.stages)
        stages.push_back(stageJson(row, true));
    json["bottleneck"] = bottleneckJson(comparison.bottleneck);
    if (report.amdahl != nullptr) {
        json["amdahl"] = amdahlJson(*report.amdahl);
        if (report.amdahl->backtest)
            json["backtest"] = backtestJson(*report.amdahl->backtest);
    }
    if (comparison.test)
        json["test"] = testJson(*comparison.test);
    if (comparison.test && comparison.unequalSpreads)
        json["test"]["brunner_munzel"] = {
            {"statistic", toJson(std::optional(comparison.unequalSpreads->statistic))}, {"p", comparison.unequalSpreads->p}};
    if (comparison.test)
        json["test"]["detectable_shift"] = detectableShift(comparison.tracesBefore, comparison.tracesAfter);
    if (!comparison.successes.empty()) {
        Json& successes = json["successes"] = Json::array();
        for (const SuccessRow& row : comparison.successes)
            successes.push_back(
                {{"stat", statisticName(row.statistic)}, {"before_ns", toJson(row.before)}, {"after_ns", toJson(row.after)}});
    }
    Json& quantiles = json["quantiles"] = Json::array();
    for (const QuantileSplit& split : comparison.quantiles)
        quantiles.push_back(quantileJson(split));
    Json& bands = json["bands"] = Json::array();
    for (const BandRow& band : comparison.bands)
        bands.push_back(
            {{"band", band.name}, {"before", bandSideJson(band.before, band.stages)}, {"after", bandSideJson(band.after, band.stages)}});
    if (comparison.mix)
        json["mix"] = mixJson(*comparison.mix);
    if (report.retriesBefore != nullptr && report.retriesAfter != nullptr)
        json["retries"] = retryComparisonJson(*report.retriesBefore, *report.retriesAfter);
    if (report.spentBefore != nullptr && report.spentAfter != nullptr) {
        json["tokens"] = {{"before", tokensJson(report.spentBefore->totals)}, {"after", tokensJson(report.spentAfter->totals)}};
        json["cost"] = {{"before", costJson(*report.spentBefore)}, {"after", costJson(*report.spentAfter)}};
    }
    if (report.findings != nullptr)
        json["findings"] = findingsJson(*report.findings);
    Json& rows = json["rows"] = Json::array();
    for (const GroupRow& row : report.groups)
        rows.push_back(groupJson(row));
    if (!report.gates.empty())
        json["gates"] = gatesJson(report.gates);
    json["unit"] = comparison.unit ? Json{{"kind", "cluster"}, {"cluster", comparison.unit->name},
                       {"before", resampledJson(comparison.unit->before)}, {"after", resampledJson(comparison.unit->after)}}
                                   : Json{{"kind", "trace"}};
    json["seed"] = comparison.options.seed;
    json["replicates"] = comparison.options.replicates;
    return toText(json);
}

std::string comparisonText(const ReportedComparison& report)
{
    const Comparison& comparison = report.comparison;
    std::string text = fmt::format("Before: {} ({} traces)\nAfter:  {} ({} traces)\n\n{}\n", report.before,
        formatCount(comparison.tracesBefore), report.after, formatCount(comparison.tracesAfter), comparison.sentence);
    for (const std::string& reason : comparison.reasons)
        text += fmt::format("{} {}\n", comparison.comparable ? "Note:" : "Not comparable:", reason);
    if (report.findings != nullptr && !report.findings->empty())
        text += '\n' + findingsText(*report.findings);
    text += '\n' + e2eTable(comparison).text();
    if (comparison.unit)
        text += fmt::format("Intervals draw whole clusters by {}: {} before, {} after\n", comparison.unit->name,
            formatCount(comparison.unit->before.clusters), formatCount(comparison.unit->after.clusters));
    if (!comparison.stages.empty())
        text += '\n' + stageTable(comparison).text();
    if (report.amdahl != nullptr)
        if (const std::string tables = amdahlText(*report.amdahl); !tables.empty())
            text += '\n' + tables;
    if (report.retriesBefore != nullptr && report.retriesAfter != nullptr)
        text +=
            "\nRetries. Before: " + retrySummaryText(*report.retriesBefore) + ". After: " + retrySummaryText(*report.retriesAfter) + ".\n";
    for (const auto& [label, spent] : {std::pair{"Before. ", report.spentBefore}, std::pair{"After.  ", report.spentAfter}})
        if (spent != nullptr)
            if (const std::string lines = spendingText(*spent); !lines.empty())
                text += '\n' + (label + lines);
    if (!report.gates.empty())
        text += '\n' + gatesTable(report.gates).text();
    if (const std::vector<std::string> lines = doubtLines(report); !lines.empty()) {
        text += fmt::format("\n{}\n", doubtsTitle);
        for (const std::string& line : lines)
            text += fmt::format("  {}\n", escapedControls(line));
    }
    return text;
}

std::string comparisonMarkdown(const ReportedComparison& report)
{
    const Comparison& comparison = report.comparison;
    std::string text = fmt::format("# {} against {}\n\n**{}**\n\nBefore: {} traces. After: {} traces.\n", markdownEscaped(report.before),
        markdownEscaped(report.after), markdownEscaped(comparison.sentence), formatCount(comparison.tracesBefore),
        formatCount(comparison.tracesAfter));
    for (const std::string& reason : comparison.reasons)
        text += fmt::format("\n> {} {}\n", comparison.comparable ? "Note:" : "Not comparable:", markdownEscaped(reason));
    if (report.findings != nullptr && !report.findings->empty())
        text += "\n## Findings\n\n" + findingsMarkdown(*report.findings);
    text += "\n## End to end\n\n" + e2eTable(comparison).markdown();
    if (!comparison.stages.empty())
        text += "\n## Stages\n\n" + stageTable(comparison).markdown();
    if (!report.gates.empty())
        text += "\n## Gates\n\n" + gatesTable(report.gates).markdown();
    if (const std::vector<std::string> lines = doubtLines(report); !lines.empty()) {
        text += fmt::format("\n## {}\n\n", doubtsTitle);
        for (const std::string& line : lines)
            text += fmt::format("- {}\n", markdownEscaped(line));
    }
    return text;
}

} // namespace chokepoint
