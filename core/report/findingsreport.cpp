// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/findingsreport.h"

#include "core/base/format.h"
#include "core/base/markup.h"
#include "core/base/utf8.h"
#include "core/report/texttable.h"

#include <fmt/format.h>

#include <cmath>

namespace chokepoint {

namespace {

Json valueJson(const EvidenceValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return *integer;
    if (const auto* number = std::get_if<double>(&value))
        return toJson(std::optional(*number));
    return std::get<std::string>(value);
}

std::string factorText(double factor)
{
    return std::isfinite(factor) ? fmt::format("{:.2f}x", factor) : "no limit";
}

} // namespace

Json findingsJson(const std::vector<Finding>& findings)
{
    Json list = Json::array();
    for (const Finding& finding : findings) {
        Json evidence = Json::object();
        for (const Evidence& each : finding.evidence)
            evidence[each.name] = valueJson(each.value);
        if (!finding.traces.empty())
            evidence["trace_ids"] = finding.traces;
        list.push_back({{"id", finding.id}, {"severity", findingSeverityName(finding.severity)}, {"title", finding.title},
            {"text", finding.text}, {"evidence", std::move(evidence)}});
    }
    return list;
}

std::string findingsText(const std::vector<Finding>& findings)
{
    std::string text;
    for (const Finding& finding : findings) {
        const char* mark = finding.severity == FindingSeverity::Critical ? "!!"
            : finding.severity == FindingSeverity::Warning               ? "! "
                                                                         : "  ";
        text += fmt::format("{} {}. {}\n", mark, escapedControls(finding.title), escapedControls(finding.text));
    }
    return text;
}

std::string findingsMarkdown(const std::vector<Finding>& findings)
{
    std::string text;
    for (const Finding& finding : findings) {
        const std::string severity =
            finding.severity == FindingSeverity::Info ? "" : std::string(" (") + findingSeverityName(finding.severity) + ")";
        text += fmt::format("- **{}**{}. {}\n", markdownEscaped(finding.title), severity, markdownEscaped(finding.text));
    }
    return text;
}

Json amdahlJson(const AmdahlAnalysis& analysis)
{
    Json list = Json::array();
    for (const AmdahlRow& row : analysis.stages) {
        Json terms = Json::array();
        for (const AmdahlTerm& term : row.terms)
            terms.push_back({{"what", term.what}, {"ns", toJson(term.time)}});
        list.push_back({{"stage", row.stage}, {"stage_speedup", toJson(std::optional(row.stageSpeedup))}, {"stage_factor", row.factor},
            {"share_before", row.shareBefore}, {"predicted_speedup", toJson(std::optional(row.predictedSpeedup))},
            {"ceiling_speedup", toJson(std::optional(row.ceilingSpeedup))}, {"actual_speedup", toJson(std::optional(row.actualSpeedup))},
            {"predicted_mean_ns", toJson(row.predicted)}, {"gap_ns", toJson(row.gap)}, {"explained_by", std::move(terms)},
            {"significant", row.significant}});
    }
    return list;
}

Json backtestJson(const Backtest& backtest)
{
    Json json = {{"traces", backtest.traces}, {"e2e", Json::array()}, {"stages", Json::array()}, {"unpredicted", backtest.unpredicted}};
    for (const BacktestRow& row : backtest.rows)
        json["e2e"].push_back(
            {{"stat", statisticName(row.statistic)}, {"before_ns", toJson(row.before)}, {"predicted_ns", toJson(row.predicted)},
                {"actual_ns", toJson(row.actual)}, {"error", toJson(row.error)}, {"predicted_with_retries_ns", toJson(row.withRetries)}});
    for (const BacktestFactor& factor : backtest.factors)
        json["stages"].push_back({{"stage", factor.stage}, {"factor", factor.factor}, {"predicted_mean_ns", toJson(factor.predicted)},
            {"actual_mean_ns", toJson(factor.actual)}});
    return json;
}

std::string amdahlText(const AmdahlAnalysis& analysis)
{
    using enum TextTable::Align;
    std::string text;
    if (!analysis.stages.empty()) {
        TextTable table({{"faster stage", Left}, {"is", Right}, {"predicts", Right}, {"at most", Right}, {"came", Right}, {"gap", Right},
            {"explained by", Left, 160}});
        for (const AmdahlRow& row : analysis.stages) {
            std::string terms;
            for (const AmdahlTerm& term : row.terms)
                terms += fmt::format("{}{} {}", terms.empty() ? "" : ", ", term.what, formatDelta(term.time));
            table.addRow({row.stage, factorText(row.stageSpeedup), factorText(row.predictedSpeedup), factorText(row.ceilingSpeedup),
                factorText(row.actualSpeedup), formatDelta(row.gap), terms});
        }
        text += table.text();
    }
    if (analysis.backtest) {
        TextTable table({{"before, replayed with after's stages", Left}, {"predicted", Right}, {"actual", Right}, {"error", Right},
            {"with its retries", Right}});
        for (const BacktestRow& row : analysis.backtest->rows)
            table.addRow({statisticName(row.statistic), formatDuration(row.predicted), formatDuration(row.actual),
                row.error ? formatChange(*row.error) : "", isKnown(row.withRetries) ? formatDuration(row.withRetries) : ""});
        text += (text.empty() ? "" : "\n") + table.text();
    }
    return text;
}

} // namespace chokepoint
