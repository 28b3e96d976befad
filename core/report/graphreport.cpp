// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/graphreport.h"

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/report/json.h"
#include "core/report/texttable.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

/// Inside a quoted string of DOT.
std::string dotEscaped(std::string_view text)
{
    std::string escaped;
    for (const char c : escapedControls(text)) {
        if (c == '"' || c == '\\')
            escaped += '\\';
        escaped += c;
    }
    return escaped;
}

const char* dotStyle(StageEdgeKind kind)
{
    switch (kind) {
    case StageEdgeKind::Path: return "style=solid";
    case StageEdgeKind::Call: return "style=dashed, color=gray50, fontcolor=gray50, constraint=false";
    case StageEdgeKind::Retry: return "style=bold, color=firebrick, fontcolor=firebrick, constraint=false";
    }
    return "";
}

std::string rateText(double perRequest)
{
    return fmt::format("{:.2f}", perRequest);
}

} // namespace

std::string graphJson(const StageGraph& graph)
{
    Json json = {{"schema", "chokepoint.graph/1"}, {"requests", graph.requests}, {"nodes", Json::array()}, {"edges", Json::array()}};
    for (const StageNode& node : graph.nodes)
        json["nodes"].push_back({{"stage", node.stage}, {"label", node.label}, {"calls", node.calls}, {"requests", node.requests},
            {"calls_per_request", node.callsPerRequest}, {"mean_ns", toJson(node.mean)}, {"p95_ns", toJson(node.p95)},
            {"critical_mean_ns", toJson(node.onPathMean)}, {"share", node.share}});
    for (const StageEdge& edge : graph.edges)
        json["edges"].push_back({{"kind", stageEdgeKindName(edge.kind)}, {"from", graph.nodes[edge.from].stage},
            {"to", graph.nodes[edge.to].stage}, {"count", edge.count}, {"requests", edge.requests}, {"per_request", edge.perRequest},
            {"mean_ns", toJson(edge.mean)}, {"p95_ns", toJson(edge.p95)}});
    return toText(json);
}

std::string graphDot(const StageGraph& graph)
{
    std::string text = "digraph pipeline {\n    rankdir=LR;\n    node [shape=box, style=rounded];\n";
    for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
        const StageNode& node = graph.nodes[k];
        text += fmt::format("    n{} [label=\"{}\\n{} of the time, {} a request\"];\n", k, dotEscaped(node.label), formatShare(node.share),
            formatDuration(node.onPathMean));
    }
    for (const StageEdge& edge : graph.edges) {
        const std::string latency =
            isKnown(edge.mean) ? fmt::format("\\nmean {}, P95 {}", formatDuration(edge.mean), formatDuration(edge.p95)) : "";
        text += fmt::format("    n{} -> n{} [label=\"{}{} a request{}\", {}];\n", edge.from, edge.to,
            edge.kind == StageEdgeKind::Path ? "" : stageEdgeKindName(edge.kind) + std::string(" "), rateText(edge.perRequest), latency,
            dotStyle(edge.kind));
    }
    return text + "}\n";
}

std::string graphText(const StageGraph& graph)
{
    using enum TextTable::Align;
    std::string text = fmt::format("{} requests\n\n", formatCount(graph.requests));
    TextTable nodes({{"stage", Left}, {"calls a request", Right}, {"mean", Right}, {"P95", Right}, {"on path", Right}, {"share", Right}});
    for (const StageNode& node : graph.nodes)
        nodes.addRow({node.stage, rateText(node.callsPerRequest), isKnown(node.mean) ? formatDuration(node.mean) : "",
            isKnown(node.p95) ? formatDuration(node.p95) : "", formatDuration(node.onPathMean), formatShare(node.share)});
    text += nodes.text() + '\n';
    TextTable edges(
        {{"edge", Left}, {"from", Left}, {"to", Left}, {"a request", Right}, {"requests", Right}, {"mean", Right}, {"P95", Right}});
    for (const StageEdge& edge : graph.edges)
        edges.addRow({stageEdgeKindName(edge.kind), graph.nodes[edge.from].stage, graph.nodes[edge.to].stage, rateText(edge.perRequest),
            formatCount(edge.requests), isKnown(edge.mean) ? formatDuration(edge.mean) : "",
            isKnown(edge.p95) ? formatDuration(edge.p95) : ""});
    return text + edges.text();
}

} // namespace chokepoint
