// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/gates.h"

#include "core/analysis/proportions.h"
#include "core/analysis/timelimit.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace chokepoint {

namespace {

struct OperatorName {
    std::string_view text;
    Gate::Operator value;
};
constexpr std::array operators = {OperatorName{">=", Gate::Operator::GreaterEqual}, OperatorName{"<=", Gate::Operator::LessEqual},
    OperatorName{">", Gate::Operator::Greater}, OperatorName{"<", Gate::Operator::Less}};

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view operatorText(Gate::Operator value)
{
    for (const OperatorName& name : operators)
        if (name.value == value)
            return name.text;
    return {};
}

/// The number at the front, without a sign; nothing when there is none.
std::optional<double> takeNumber(std::string_view& text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || text.front() == '-' || !std::isfinite(number))
        return std::nullopt;
    text.remove_prefix(std::size_t(end - text.data()));
    return number;
}

/// LIMIT into \a gate; false when it is none.
bool parseLimit(std::string_view text, Gate& gate)
{
    const bool isSigned = !text.empty() && (text.front() == '+' || text.front() == '-');
    const double sign = isSigned && text.front() == '-' ? -1 : 1;
    if (isSigned)
        text.remove_prefix(1);
    const auto number = text.empty() ? std::nullopt : takeNumber(text);
    if (!number)
        return false;
    const std::string_view suffix = trimmed(text);
    gate.kind = isSigned ? Gate::Limit::Difference : Gate::Limit::Absolute;
    gate.limit = sign * *number;
    if (suffix == "%") {
        gate.limit /= 100;
        if (isSigned)
            gate.kind = Gate::Limit::RelativeDifference;
        return true;
    }
    if (const auto ns = nsOfUnit(suffix)) {
        gate.limit *= *ns;
        gate.isTime = true;
        return true;
    }
    return suffix.empty();
}

bool isBeyond(Gate::Operator comparison, double value, double limit)
{
    switch (comparison) {
    case Gate::Operator::Greater: return value > limit;
    case Gate::Operator::GreaterEqual: return value >= limit;
    case Gate::Operator::Less: return value < limit;
    case Gate::Operator::LessEqual: return value <= limit;
    }
    return true;
}

std::string valueText(FigureUnit unit, double value)
{
    switch (unit) {
    case FigureUnit::Time: return formatDuration(Duration{std::llround(value)});
    case FigureUnit::Share: return formatShare(value);
    case FigureUnit::Number: return fmt::format("{:g}", value);
    }
    return {};
}

std::string differenceText(const Gate& gate, FigureUnit unit, double value)
{
    if (gate.kind == Gate::Limit::RelativeDifference)
        return fmt::format("{:+.2f} %", value * 100);
    if (unit == FigureUnit::Time)
        return formatDelta(Duration{std::llround(value)});
    return unit == FigureUnit::Share ? fmt::format("{:+.2f} points", value * 100) : fmt::format("{:+g}", value);
}

std::string missingText(const GateFigure& figure, const char* what)
{
    return figure.missing.empty() ? fmt::format("{} is unknown", what) : figure.missing;
}

GateResult judgeAbsolute(const Gate& gate, const GateFigure& figure)
{
    if (!figure.after)
        return {gate, GateStatus::Inconclusive, missingText(figure, "the figure of AFTER")};
    const bool failed = isBeyond(gate.comparison, *figure.after, gate.limit);
    return {gate, failed ? GateStatus::Fail : GateStatus::Pass,
        fmt::format("AFTER has {}, the gate fails when it is {} {}", valueText(figure.unit, *figure.after), operatorText(gate.comparison),
            valueText(figure.unit, gate.limit))};
}

GateResult judgeDifference(const Gate& gate, const GateFigure& figure)
{
    if (!figure.before || !figure.after)
        return {gate, GateStatus::Inconclusive, missingText(figure, "the figure of one side")};
    const bool isRelative = gate.kind == Gate::Limit::RelativeDifference;
    if (isRelative && *figure.before <= 0)
        return {gate, GateStatus::Inconclusive, "BEFORE is 0, a change in % of it has no meaning"};
    if (!figure.difference)
        return {gate, GateStatus::Inconclusive, missingText(figure, "the interval of the difference")};
    const double unit = isRelative ? *figure.before : 1;
    const double low = figure.difference->low / unit;
    const double high = figure.difference->high / unit;
    const bool lowFails = isBeyond(gate.comparison, low, gate.limit);
    const bool highFails = isBeyond(gate.comparison, high, gate.limit);
    const GateStatus status = lowFails && highFails ? GateStatus::Fail
        : !lowFails && !highFails                   ? GateStatus::Pass
                                                    : GateStatus::Inconclusive;
    const char* position = status == GateStatus::Inconclusive ? "the limit lies inside the interval"
        : status == GateStatus::Fail                          ? "the whole interval is beyond the limit"
                                                              : "the whole interval is inside the limit";
    return {gate, status,
        fmt::format("the change is {} (95 % interval {} to {}); {}",
            differenceText(gate, figure.unit, (*figure.after - *figure.before) / unit), differenceText(gate, figure.unit, low),
            differenceText(gate, figure.unit, high), position)};
}

std::optional<double> known(Duration value)
{
    return isKnown(value) ? std::optional<double>(double(toNs(value))) : std::nullopt;
}

Proportion counted(double rate, std::size_t total)
{
    return {std::uint64_t(std::llround(rate * double(total))), total};
}

GateFigure figureOf(const E2eRow& row)
{
    return {FigureUnit::Time, known(row.before), known(row.after), row.interval, row.shortfall};
}

const StageRow* findStage(const std::vector<StageRow>& rows, std::string_view name)
{
    for (const StageRow& row : rows) {
        if (row.stage == name)
            return &row;
        if (const StageRow* found = findStage(row.substages, name))
            return found;
    }
    return nullptr;
}

std::optional<GateFigure> stageFigure(const Comparison& comparison, std::string_view statistic)
{
    const std::size_t dot = statistic.rfind('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    const std::string_view name = statistic.substr(0, dot);
    const std::string_view what = statistic.substr(dot + 1);
    const StageRow* row = findStage(comparison.stages, name);
    const bool hasTraces = comparison.tracesBefore > 0 && comparison.tracesAfter > 0;
    if ((what != "mean" && what != "share") || name.empty())
        return std::nullopt;
    if (row == nullptr || !hasTraces)
        return GateFigure{what == "mean" ? FigureUnit::Time : FigureUnit::Share, {}, {}, {},
            fmt::format("the stage {} is on no critical path of these traces", name)};
    if (what == "share")
        return GateFigure{FigureUnit::Share, row->beforeShare, row->afterShare, {}, "a share has no interval of its difference"};
    return GateFigure{FigureUnit::Time, known(row->beforeMean), known(row->afterMean), row->interval, {}};
}

} // namespace

const char* gateStatusName(GateStatus status)
{
    switch (status) {
    case GateStatus::Pass: return "pass";
    case GateStatus::Fail: return "fail";
    case GateStatus::Inconclusive: return "inconclusive";
    }
    return "inconclusive";
}

Result<Gate> parseGate(std::string_view expression)
{
    Gate gate;
    gate.expression = trimmed(expression);
    const std::size_t at = gate.expression.find_first_of("<>");
    const auto wrong = [&gate](std::string_view why) {
        return fail(ErrorCode::InvalidArgument,
            fmt::format("the gate \"{}\" {}; write STAT OP LIMIT, such as \"p95 > +5%\", \"mean > +20ms\" or \"retry_rate > 0.1\"",
                gate.expression, why));
    };
    if (at == std::string::npos)
        return wrong("has none of > >= < <=");
    gate.statistic = trimmed(std::string_view(gate.expression).substr(0, at));
    std::string_view rest = std::string_view(gate.expression).substr(at);
    for (const OperatorName& name : operators) {
        if (rest.starts_with(name.text)) {
            gate.comparison = name.value;
            rest.remove_prefix(name.text.size());
            break;
        }
    }
    if (gate.statistic.empty() || gate.statistic.find_first_of(" \t=!") != std::string::npos)
        return wrong("names no figure");
    if (!parseLimit(trimmed(rest), gate))
        return wrong("has no limit that can be read");
    return gate;
}

Result<std::vector<GateResult>> evaluateGates(const std::vector<Gate>& gates, const FindFigure& figure, bool comparable)
{
    std::vector<GateResult> results;
    for (const Gate& gate : gates) {
        const std::optional<GateFigure> found = figure(gate.statistic);
        if (!found)
            return fail(ErrorCode::InvalidArgument,
                fmt::format(
                    "the gate \"{}\" names the figure \"{}\", which does not exist; use mean, p50, p95, p99, error_rate, retry_rate, "
                    "cost_per_request, cost_per_correct_answer, tokens_per_request, stage.NAME.mean or stage.NAME.share",
                    gate.expression, gate.statistic));
        const bool isPlainTime = found->unit == FigureUnit::Time && !gate.isTime && gate.kind != Gate::Limit::RelativeDifference;
        if (isPlainTime || (gate.isTime && found->unit != FigureUnit::Time))
            return fail(ErrorCode::InvalidArgument,
                fmt::format("the limit of the gate \"{}\" {}", gate.expression,
                    isPlainTime ? "needs a unit of time, such as ms" : "is a time, which this figure is not"));
        GateResult result = gate.kind == Gate::Limit::Absolute ? judgeAbsolute(gate, *found) : judgeDifference(gate, *found);
        if (!comparable && gate.kind != Gate::Limit::Absolute) {
            result.status = GateStatus::Inconclusive;
            result.why = "the two sides are not comparable; " + result.why;
        }
        results.push_back(std::move(result));
    }
    return results;
}

std::optional<GateFigure> comparisonFigure(const Comparison& comparison, std::string_view statistic)
{
    for (const E2eRow& row : comparison.e2e)
        if (statistic == statisticName(row.statistic))
            return figureOf(row);
    if (statistic == "error_rate") {
        const bool hasTraces = comparison.tracesBefore > 0 && comparison.tracesAfter > 0;
        if (!hasTraces)
            return GateFigure{FigureUnit::Share, {}, {}, {}, "one side has no complete trace"};
        return GateFigure{FigureUnit::Share, comparison.errorRateBefore, comparison.errorRateAfter,
            proportionDifference(
                counted(comparison.errorRateBefore, comparison.tracesBefore), counted(comparison.errorRateAfter, comparison.tracesAfter)),
            {}};
    }
    constexpr std::string_view prefix = "stage.";
    return statistic.starts_with(prefix) ? stageFigure(comparison, statistic.substr(prefix.size())) : std::nullopt;
}

} // namespace chokepoint
