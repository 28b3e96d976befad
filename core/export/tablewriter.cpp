// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/tablewriter.h"

#include "core/base/format.h"
#include "core/base/markup.h"
#include "core/base/starttext.h"
#include "core/base/utf8.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace chokepoint {

namespace {

constexpr std::size_t flushBytes = 1 << 20;

// ---- CSV ----------------------------------------------------------------------------------------------------------

constexpr const char* csvHead =
    "trace_id,span_id,parent_span_id,service,name,kind,status,status_message,start,start_unix_ns,duration_ns,stage,attributes\r\n";

void appendCsvHead(std::string& out, const ExportOptions&)
{
    out += csvHead;
}

void appendCsvRow(std::string& out, const SpanText& span, const ExportOptions&)
{
    const bool started = isKnown(span.start);
    const std::array<std::string, 13> cells{
        csvTextCell(span.traceId),
        csvTextCell(span.spanId),
        csvTextCell(span.parentId),
        csvTextCell(span.service),
        csvTextCell(span.name),
        span.kind,
        span.status,
        csvTextCell(span.statusMessage),
        isDate(span.start) ? csvTextCell(formatTimestamp(span.start)) : "", // what is no date stands beside it in ns
        started ? fmt::format("{}", toNs(span.start)) : "",
        isKnown(span.duration) ? fmt::format("{}", toNs(span.duration)) : "",
        csvTextCell(span.stage),
        csvTextCell(span.attributes),
    };
    out += fmt::format("{}\r\n", fmt::join(cells, ","));
}

void appendCsvFoot(std::string&) { }

// ---- HTML and Markdown --------------------------------------------------------------------------------------------

constexpr std::size_t columnCount = 11;

std::array<const char*, columnCount> columnTitles(const ExportOptions& options)
{
    const char* const start = isKnown(options.begin) ? "Start" : "Start (UTC)";
    return {"Service", "Name", "Kind", "Status", start, "Duration", "Stage", "Trace", "Span", "Parent", "Attributes"};
}

std::array<std::string, columnCount> shownCells(const SpanText& span, const ExportOptions& options)
{
    const std::string status = span.statusMessage.empty() ? span.status : span.status + ": " + span.statusMessage;
    return {span.service, span.name, span.kind, status, formatStart(span.start, options.begin), formatDuration(span.duration), span.stage,
        span.traceId, span.spanId, span.parentId, span.attributes};
}

// Nothing is loaded and nothing runs, whatever the traces say; text direction stays inside its cell.
constexpr const char* htmlHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{0}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent);
  unicode-bidi: isolate; overflow-wrap: anywhere; }}
th {{ position: sticky; top: 0; background: Canvas; white-space: nowrap; }}
td:nth-child(n+5):nth-child(-n+6), td:nth-child(n+8):nth-child(-n+10) {{ font-variant-numeric: tabular-nums; white-space: nowrap; }}
td:nth-child(11) {{ font-family: ui-monospace, monospace; font-size: 12px; min-width: 24rem; }}
</style></head>
<body><h1>{0}</h1>
<table><thead><tr>)";

void appendHtmlHead(std::string& out, const ExportOptions& options)
{
    out += fmt::format(htmlHead, htmlEscaped(options.title));
    for (const char* column : columnTitles(options))
        out += fmt::format("<th scope=\"col\">{}</th>", column);
    out += "</tr></thead><tbody>\n";
}

void appendHtmlRow(std::string& out, const SpanText& span, const ExportOptions& options)
{
    out += "<tr>";
    for (const std::string& cell : shownCells(span, options))
        out += fmt::format("<td>{}</td>", htmlEscaped(cell));
    out += "</tr>\n";
}

void appendHtmlFoot(std::string& out)
{
    out += "</tbody></table>\n</body></html>\n";
}

void appendMarkdownHead(std::string& out, const ExportOptions& options)
{
    out += fmt::format("# {}\n\n|", markdownEscaped(options.title));
    for (const char* column : columnTitles(options))
        out += fmt::format(" {} |", column);
    out += "\n|";
    for (std::size_t i = 0; i < columnCount; ++i)
        out += " --- |";
    out += "\n";
}

void appendMarkdownRow(std::string& out, const SpanText& span, const ExportOptions& options)
{
    out += "|";
    for (const std::string& cell : shownCells(span, options))
        out += fmt::format(" {} |", markdownEscaped(cell));
    out += "\n";
}

void appendMarkdownFoot(std::string&) { }

} // namespace

std::string csvTextCell(std::string_view text)
{
    std::string guarded(text);
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos)
        guarded.insert(guarded.begin(), '\'');
    if (guarded.find_first_of(",\"\r\n") == std::string::npos)
        return guarded;
    return '"' + quotesDoubled(guarded) + '"';
}

const TableFormat& tableFormat(ExportFormat format)
{
    static constexpr TableFormat csv{appendCsvHead, appendCsvRow, appendCsvFoot};
    static constexpr TableFormat html{appendHtmlHead, appendHtmlRow, appendHtmlFoot};
    static constexpr TableFormat markdown{appendMarkdownHead, appendMarkdownRow, appendMarkdownFoot};
    return format == ExportFormat::Csv ? csv : format == ExportFormat::Html ? html : markdown;
}

TableWriter::TableWriter(OutputFile file, const ExportOptions& options)
    : m_file(std::move(file)), m_options(options), m_format(&tableFormat(options.format))
{
    m_format->appendHead(m_text, m_options);
}

Result<void> TableWriter::append(const Trace& trace)
{
    for (std::size_t i = 0; i < trace.size(); ++i) {
        m_format->appendRow(m_text, spanText(trace, i, m_options), m_options);
        if (Result<void> flushed = flush(flushBytes); !flushed)
            return flushed;
    }
    return {};
}

Result<void> TableWriter::finish()
{
    m_format->appendFoot(m_text);
    if (Result<void> flushed = flush(0); !flushed)
        return flushed;
    return m_file.commit();
}

Result<void> TableWriter::flush(std::size_t atLeast)
{
    if (m_text.size() < atLeast)
        return {};
    Result<void> written = m_file.write(m_text);
    m_text.clear();
    return written;
}

} // namespace chokepoint
