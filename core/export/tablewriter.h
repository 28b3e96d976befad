// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The formats with a row a span: CSV for spreadsheets, HTML and Markdown for people.
#pragma once

#include "core/export/exporter.h"
#include "core/export/outputfile.h"
#include "core/export/spantext.h"

#include <string>

namespace chokepoint {

/// How one of the formats opens, shows a row and closes. Cells are escaped inside appendRow.
struct TableFormat {
    void (*appendHead)(std::string& out, const ExportOptions& options);
    void (*appendRow)(std::string& out, const SpanText& span, const ExportOptions& options);
    void (*appendFoot)(std::string& out);
};

/// CSV, HTML or Markdown.
[[nodiscard]] const TableFormat& tableFormat(ExportFormat format);

class TableWriter {
public:
    TableWriter(OutputFile file, const ExportOptions& options);

    [[nodiscard]] Result<void> append(const Trace& trace);
    [[nodiscard]] Result<void> finish();

private:
    [[nodiscard]] Result<void> flush(std::size_t atLeast);

    OutputFile m_file;
    ExportOptions m_options;
    const TableFormat* m_format;
    std::string m_text;
};

/// Quoted where needed; text that a spreadsheet would run (leading = + - @ tab CR) gets an apostrophe in front.
[[nodiscard]] std::string csvTextCell(std::string_view text);

} // namespace chokepoint
