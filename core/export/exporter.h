// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces out to a file that other programs read: one call a trace, so that a whole workspace never has to fit in memory.
#pragma once

#include "core/base/result.h"
#include "core/model/trace.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

enum class ExportFormat {
    Csv, // RFC 4180, a row a span; text cells never start a spreadsheet formula
    Html, // one self-contained page, a table row a span
    Markdown, // one table, a row a span
    OtlpJson, // one OTLP JSON document: exact, imports again
    Sqlite, // plain tables trace, span, attribute, event, link, resource
};

/// "csv", "html", "md" or "markdown", "json" or "otlp-json", "sqlite"; nothing for any other text.
[[nodiscard]] std::optional<ExportFormat> exportFormatFromName(std::string_view name);
/// The names that exportFormatFromName knows, for messages: "csv, html, md, json, otlp-json, sqlite".
[[nodiscard]] const char* exportFormatNames();

struct ExportOptions {
    ExportFormat format = ExportFormat::OtlpJson;
    /// The stage of a span as text, for the formats with a row a span and for SQLite; without it stages stay empty.
    std::function<std::string(const Trace& trace, std::size_t span)> stageOf;
    std::string title = "Chokepoint traces"; // of HTML and Markdown
    Timestamp begin = unknownTime; // from which these two count starts that are no dates (see formatStart)
};

/// Writes aside and puts the file in place in finish(), so that what stood at the path stays whole until the new file is
/// complete; destroyed before that, it leaves nothing behind. After an error the exporter takes no more traces. Text of
/// traces is data in every format: escaped, and invalid UTF-8 repaired.
class Exporter {
public:
    /// Fails with CannotWrite (no permission, a directory, full disk).
    [[nodiscard]] static Result<Exporter> begin(const std::string& path, ExportOptions options);
    Exporter(Exporter&&) noexcept;
    Exporter& operator=(Exporter&&) noexcept;
    ~Exporter();

    /// Fails with CannotWrite.
    [[nodiscard]] Result<void> append(const Trace& trace);
    /// Completes the file; call once, after the last trace. Fails with CannotWrite.
    [[nodiscard]] Result<void> finish();

private:
    struct State;
    explicit Exporter(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace chokepoint
