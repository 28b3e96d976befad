// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/pathreport.h"

#include "core/analysis/population.h"
#include "core/base/format.h"
#include "core/report/json.h"
#include "core/report/texttable.h"

#include <fmt/format.h>

namespace chokepoint {

PathJsonWriter::PathJsonWriter(ReportOutput out) : m_out(std::move(out))
{
    m_out(R"({"schema":"chokepoint.critical-path/1","traces":[)");
}

void PathJsonWriter::add(const ReportedPath& reported)
{
    const TraceView trace = reported.columns.trace(reported.traceIndex);
    const CriticalPath& path = reported.path;
    Json segments = Json::array();
    const auto addPart = [&](StageId stage, const PathSegment& part) {
        segments.push_back({{"span_id", reported.spanIdName(part.span)}, {"name", reported.columns.dictionary->text(trace.name[part.span])},
            {"stage", reported.stages.table->name(stage)}, {"type", segmentTypeName(part.type)}, {"start_ns", toNs(part.begin)},
            {"end_ns", toNs(part.end)}});
    };
    forEachStagePart(path, trace, reported.stages, reported.columns.firstSpan[reported.traceIndex], addPart);
    Json notes = Json::array();
    for (const PathNote& note : path.notes)
        notes.push_back({{"code", note.code}, {"count", note.count}, {"first_span_id", reported.spanIdName(note.firstSpan)}});
    const double inferred = path.length > Duration{0} ? double(toNs(path.inferred)) / double(toNs(path.length)) : 0;
    const Json row = {{"trace_id", reported.columns.traceIdName(reported.traceIndex)},
        {"root_span_id", path.root < 0 ? Json(nullptr) : Json(reported.spanIdName(std::size_t(path.root)))},
        {"duration_ns", path.root < 0 ? Json(nullptr) : toJson(path.length)}, {"complete", path.complete}, {"inferred_share", inferred},
        {"segments", segments}, {"notes", notes}};
    m_out(m_first ? "" : ",");
    m_out(toText(row));
    m_first = false;
}

void PathJsonWriter::finish()
{
    m_out("]}\n");
}

std::string pathText(const ReportedPath& reported)
{
    const TraceView trace = reported.columns.trace(reported.traceIndex);
    const CriticalPath& path = reported.path;
    std::string text = fmt::format("trace {}: {}{}\n", reported.columns.traceIdName(reported.traceIndex),
        path.root < 0 ? "no root" : formatDuration(path.length), path.complete ? "" : " (incomplete trace)");
    using enum TextTable::Align;
    TextTable table({{"from", Right}, {"to", Right}, {"time", Right}, {"share", Right}, {"stage", Left}, {"span", Left}, {"type", Left}});
    const auto addPart = [&](StageId stage, const PathSegment& part) {
        const Duration time = part.end - part.begin;
        table.addRow({formatDuration(part.begin), formatDuration(part.end), formatDuration(time),
            formatShare(double(toNs(time)) / double(toNs(path.length))), reported.stages.table->name(stage),
            std::string(reported.columns.dictionary->text(trace.name[part.span])), segmentTypeName(part.type)});
    };
    forEachStagePart(path, trace, reported.stages, reported.columns.firstSpan[reported.traceIndex], addPart);
    if (!table.empty())
        text += table.text();
    for (const PathNote& note : path.notes)
        text += fmt::format("  {} x {}\n", note.count, note.code);
    return text;
}

} // namespace chokepoint
