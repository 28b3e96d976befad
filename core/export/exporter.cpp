// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/exporter.h"

#include "core/export/otlpjsonwriter.h"
#include "core/export/outputfile.h"
#include "core/export/sqlitewriter.h"
#include "core/export/tablewriter.h"

#include <array>
#include <utility>
#include <variant>

namespace chokepoint {

namespace {

struct NamedFormat {
    std::string_view name;
    ExportFormat format;
};

constexpr std::array namedFormats{
    NamedFormat{"csv", ExportFormat::Csv},
    NamedFormat{"html", ExportFormat::Html},
    NamedFormat{"md", ExportFormat::Markdown},
    NamedFormat{"markdown", ExportFormat::Markdown},
    NamedFormat{"json", ExportFormat::OtlpJson},
    NamedFormat{"otlp-json", ExportFormat::OtlpJson},
    NamedFormat{"sqlite", ExportFormat::Sqlite},
};

} // namespace

std::optional<ExportFormat> exportFormatFromName(std::string_view name)
{
    for (const NamedFormat& named : namedFormats) {
        if (named.name == name)
            return named.format;
    }
    return std::nullopt;
}

const char* exportFormatNames()
{
    return "csv, html, md, json, otlp-json, sqlite";
}

struct Exporter::State {
    std::variant<TableWriter, OtlpJsonWriter, SqliteWriter> writer;
};

Exporter::Exporter(std::unique_ptr<State> state) : m_state(std::move(state)) { }
Exporter::Exporter(Exporter&&) noexcept = default;
Exporter& Exporter::operator=(Exporter&&) noexcept = default;
Exporter::~Exporter() = default;

Result<Exporter> Exporter::begin(const std::string& path, ExportOptions options)
{
    Result<OutputFile> file = OutputFile::create(path);
    if (!file)
        return fail(std::move(file).error());
    switch (options.format) {
    case ExportFormat::OtlpJson: return Exporter(std::make_unique<State>(State{OtlpJsonWriter(std::move(*file))}));
    case ExportFormat::Sqlite: {
        Result<SqliteWriter> writer = SqliteWriter::create(std::move(*file), options);
        if (!writer)
            return fail(std::move(writer).error());
        return Exporter(std::make_unique<State>(State{std::move(*writer)}));
    }
    default: return Exporter(std::make_unique<State>(State{TableWriter(std::move(*file), options)}));
    }
}

Result<void> Exporter::append(const Trace& trace)
{
    return std::visit([&](auto& writer) { return writer.append(trace); }, m_state->writer);
}

Result<void> Exporter::finish()
{
    return std::visit([](auto& writer) { return writer.finish(); }, m_state->writer);
}

} // namespace chokepoint
