// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/checksreport.h"

#include "core/report/json.h"
#include "core/report/texttable.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

Json valueJson(const CheckFigure& figure)
{
    if (const auto* const whole = std::get_if<std::int64_t>(&figure.value))
        return *whole;
    if (const auto* const real = std::get_if<double>(&figure.value))
        return *real;
    if (const auto* const text = std::get_if<std::string>(&figure.value))
        return *text;
    return nullptr;
}

Json evidenceJson(const std::vector<CheckFigure>& figures)
{
    Json evidence = Json::object();
    for (const CheckFigure& figure : figures) {
        const std::string name = std::string(figure.name) + (figure.unit == CheckFigure::Unit::Time ? "_ns" : "");
        evidence[name] = valueJson(figure);
        if (figure.interval)
            evidence[name + "_ci"] = {figure.interval->low, figure.interval->high};
    }
    return evidence;
}

Json tracesJson(const Check& check, const TraceColumns& columns)
{
    Json traces = Json::array();
    for (const std::uint32_t trace : check.traces)
        traces.push_back(columns.traceIdName(trace));
    return traces;
}

/// "a, b, c".
template <typename Texts> std::string joined(const Texts& texts)
{
    std::string all;
    for (const auto& text : texts)
        all += (all.empty() ? "" : ", ") + std::string(text);
    return all;
}

} // namespace

std::string checksJson(const ReportedChecks& report)
{
    Json document = {{"schema", "chokepoint.checks/1"}, {"after", report.after},
        {"before", report.before.empty() ? Json(nullptr) : Json(report.before)}};
    Json& list = document["checks"] = Json::array();
    for (const Check& check : report.checks)
        list.push_back({{"id", check.id}, {"status", checkStatusName(check.status)}, {"value", toJson(check.value)},
            {"threshold", toJson(check.threshold)}, {"text", check.text}, {"needs", check.needs}, {"title", check.title},
            {"formula", check.formula}, {"evidence", evidenceJson(check.figures)}, {"traces", tracesJson(check, report.columns)}});
    return toText(document);
}

std::string checksText(const ReportedChecks& report)
{
    using enum TextTable::Align;
    TextTable table({{"check", Left}, {"status", Left}, {"value", Right}, {"threshold", Right}, {"what was found", Left, 400}});
    const auto number = [](std::optional<double> value) { return value ? fmt::format("{:.3g}", *value) : std::string(); };
    for (const Check& check : report.checks)
        table.addRow({std::string(check.id), checkStatusName(check.status), number(check.value), number(check.threshold), check.text});
    TextTable next({{"check", Left}, {"to open, or to record", Left, 400}});
    for (const Check& check : report.checks) {
        std::vector<std::string> traces;
        for (const std::uint32_t trace : check.traces)
            traces.push_back(report.columns.traceIdName(trace));
        if (check.status == CheckStatus::Suspect && !traces.empty())
            next.addRow({std::string(check.id), "open " + joined(traces)});
        if (check.status == CheckStatus::MissingData && !check.needs.empty())
            next.addRow({std::string(check.id), "record " + joined(check.needs)});
    }
    return next.empty() ? table.text() : table.text() + '\n' + next.text();
}

} // namespace chokepoint
