// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/tracesreport.h"

#include "core/base/format.h"
#include "core/base/starttext.h"
#include "core/report/json.h"
#include "core/report/texttable.h"
#include "core/report/usagejson.h"

#include <algorithm>

namespace chokepoint {

namespace {

/// Time on the path by top-level stage, pipeline order; stages without time are left out.
std::vector<std::pair<std::string, Duration>> stageTimes(std::uint32_t trace, const Population& population)
{
    std::vector<std::pair<std::string, Duration>> times;
    const StageTable& table = *population.table;
    for (std::size_t s = 0; s < population.stageCount; ++s)
        if (const auto id = StageId(s); table.topLevel(id) == id)
            if (const Duration time = population.onPathOf(trace, id); time > Duration{0})
                times.emplace_back(table.name(id), time);
    return times;
}

struct RootText {
    std::string id;
    std::string name;
    std::string service;
};

RootText rootText(const TraceColumns& columns, std::uint32_t trace, const TraceFigures& figures)
{
    if (figures.root < 0)
        return {};
    const std::size_t span = columns.firstSpan[trace] + std::size_t(figures.root);
    const Dictionary& dictionary = *columns.dictionary;
    return {toHex(columns.spans.spanId[span]), std::string(dictionary.text(columns.spans.name[span])),
        std::string(dictionary.text(dictionary.service(columns.spans.resource[span])))};
}

} // namespace

std::optional<TraceOrder> traceOrderFromText(std::string_view text)
{
    TraceOrder order;
    order.descending = text.starts_with('-');
    if (order.descending)
        text.remove_prefix(1);
    constexpr std::pair<std::string_view, TraceOrder::Key> keys[] = {{"start", TraceOrder::Key::Start},
        {"duration", TraceOrder::Key::EndToEnd}, {"spans", TraceOrder::Key::Spans}, {"errors", TraceOrder::Key::Errors},
        {"trace_id", TraceOrder::Key::TraceId}};
    for (const auto& [name, key] : keys)
        if (name == text) {
            order.key = key;
            return order;
        }
    return std::nullopt;
}

void sortTraces(std::vector<std::uint32_t>& traces, const TraceColumns& columns, const Population& population, TraceOrder order)
{
    const auto sortBy = [&](auto value) {
        std::stable_sort(traces.begin(), traces.end(),
            [&](std::uint32_t a, std::uint32_t b) { return order.descending ? value(b) < value(a) : value(a) < value(b); });
    };
    switch (order.key) {
    case TraceOrder::Key::Start: return sortBy([&](std::uint32_t t) { return earliestStart(columns.trace(t).start); });
    case TraceOrder::Key::EndToEnd: return sortBy([&](std::uint32_t t) { return population.traces[t].e2e; });
    case TraceOrder::Key::Spans: return sortBy([&](std::uint32_t t) { return columns.firstSpan[t + 1] - columns.firstSpan[t]; });
    case TraceOrder::Key::Errors: return sortBy([&](std::uint32_t t) { return population.traces[t].errors; });
    case TraceOrder::Key::TraceId: return sortBy([&](std::uint32_t t) { return columns.traceIdName(t); });
    }
}

void writeTracesJson(const std::vector<std::uint32_t>& traces, const TraceColumns& columns, const Population& population,
    const Billing& billing, const RetryAnalysis& retries, const ReportOutput& out)
{
    out(R"({"schema":"chokepoint.traces/1","traces":[)");
    bool first = true;
    for (const std::uint32_t t : traces) {
        const TraceFigures& figures = population.traces[t];
        const RootText root = rootText(columns, t, figures);
        Json stages = Json::object();
        for (const auto& [stage, time] : stageTimes(t, population))
            stages[stage] = toNs(time);
        const Timestamp start = earliestStart(columns.trace(t).start);
        const UsageTotals usage = billing.totals(columns.firstSpan[t], columns.firstSpan[t + 1] - columns.firstSpan[t]);
        const Json row = {{"trace_id", columns.traceIdName(t)}, {"root_span_id", figures.root < 0 ? Json(nullptr) : Json(root.id)},
            {"root_name", figures.root < 0 ? Json(nullptr) : Json(root.name)},
            {"service", figures.root < 0 ? Json(nullptr) : Json(root.service)}, {"start_unix_ns", toJsonText(start)},
            {"duration_ns", toJson(figures.e2e)}, {"complete", figures.complete},
            {"spans", columns.firstSpan[t + 1] - columns.firstSpan[t]}, {"errors", figures.errors},
            {"attempts", retries.traces[t].retries + 1}, {"stage_ns", stages},
            {"tokens",
                {{"input", countJson(usage.generate.input())}, {"output", countJson(usage.generate.output())},
                    {"total", countJson(usage.generate.total())}}},
            {"cost", moneyJson(usage.cost)}};
        out(first ? "" : ",");
        out(toText(row));
        first = false;
    }
    out("]}\n");
}

std::string tracesText(const std::vector<std::uint32_t>& traces, const TraceColumns& columns, const Population& population)
{
    using enum TextTable::Align;
    const Timestamp begin = beginWithoutDate(columns.spans.start);
    TextTable table({{"trace", Left}, {isKnown(begin) ? "start" : "start (UTC)", Left}, {"end to end", Right}, {"spans", Right},
        {"errors", Right}, {"service", Left}, {"root", Left}, {"largest stage", Left}});
    for (const std::uint32_t t : traces) {
        const TraceFigures& figures = population.traces[t];
        const RootText root = rootText(columns, t, figures);
        std::vector<std::pair<std::string, Duration>> stages = stageTimes(t, population);
        const auto largest =
            std::max_element(stages.begin(), stages.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        const double total = double(toNs(figures.e2e));
        table.addRow({columns.traceIdName(t), formatStart(earliestStart(columns.trace(t).start), begin), formatDuration(figures.e2e),
            formatCount(columns.firstSpan[t + 1] - columns.firstSpan[t]), formatCount(figures.errors), root.service, root.name,
            largest == stages.end() ? "" : largest->first + " " + formatShare(double(toNs(largest->second)) / total)});
    }
    return table.text();
}

} // namespace chokepoint
