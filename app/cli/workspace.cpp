// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include "core/base/format.h"
#include "core/base/starttext.h"
#include "core/base/utf8.h"
#include "core/export/exporter.h"
#include "core/pipeline/samples.h"
#include "core/report/json.h"
#include "core/report/texttable.h"
#include "core/store/query.h"

#include <fmt/format.h>

#include <filesystem>

namespace chokepoint::cli {

namespace {

struct ImportOptions {
    std::vector<std::string> inputs;
    std::string workspace;
    std::string label;
    bool json = false;
    bool strict = false;
};

struct ExportCommandOptions : CommonOptions {
    std::string format;
    std::string output;
};

struct QueryOptions {
    std::string workspace;
    std::string sql;
    bool json = false;
};

Json outcomeJson(const ImportOutcome& outcome)
{
    Diagnostics faults = outcome.report.diagnostics;
    faults.merge(outcome.written.diagnostics);
    Json json = {{"path", outcome.report.path}, {"format", outcome.report.format}, {"compression", outcome.report.compression},
        {"bytes", outcome.report.bytes}, {"spans", outcome.written.newSpans}, {"traces", outcome.written.newTraces},
        {"unchanged", outcome.unchanged}, {"warnings", toJson(faults)}};
    if (outcome.report.from.byte != 0)
        json["from_byte"] = outcome.report.from.byte;
    if (outcome.error)
        json = {{"path", outcome.report.path}, {"error", outcome.error->message()}, {"code", errorCodeName(outcome.error->code)}};
    return json;
}

void printOutcomes(const std::vector<ImportOutcome>& outcomes, const ImportOptions& options)
{
    if (options.json) {
        Json json = {{"schema", "chokepoint.import/1"}, {"workspace", options.workspace}, {"inputs", Json::array()}};
        for (const ImportOutcome& outcome : outcomes)
            json["inputs"].push_back(outcomeJson(outcome));
        standardOutput()(toText(json) + "\n");
        return;
    }
    using enum TextTable::Align;
    TextTable table({{"input", Left}, {"format", Left}, {"new spans", Right}, {"new traces", Right}, {"notes", Left}});
    for (const ImportOutcome& outcome : outcomes) {
        if (outcome.error)
            continue;
        std::string faults = outcome.unchanged ? "unchanged since it was imported" : "";
        if (outcome.report.format.empty() && !outcome.report.diagnostics.empty()) {
            table.addRow({outcome.report.path, "", "", "", escapedControls(outcome.report.diagnostics.entries().front().first)});
            continue;
        }
        if (outcome.report.from.byte != 0)
            faults = fmt::format("read on from byte {}", formatCount(outcome.report.from.byte));
        for (const Diagnostics* diagnostics : {&outcome.report.diagnostics, &outcome.written.diagnostics})
            for (const DiagnosticEntry& entry : diagnostics->entries())
                faults += fmt::format("{}{} x {}", faults.empty() ? "" : ", ", formatCount(entry.count), diagnosticName(entry.code));
        table.addRow({outcome.report.path, outcome.report.format, formatCount(outcome.written.newSpans),
            formatCount(outcome.written.newTraces), faults});
    }
    standardOutput()(table.empty() ? "" : table.text());
}

int runImport(const ImportOptions& options)
{
    const bool exists = std::filesystem::exists(options.workspace);
    Result<Store> store = exists ? Store::open(options.workspace, Store::Mode::ReadWrite) : Store::create(options.workspace);
    if (!store)
        return failure(store.error());
    const Result<std::vector<ImportOutcome>> outcomes =
        importInputs(*store, options.inputs, options.label.empty() ? labelOf(options.inputs) : options.label, makeJob());
    if (!outcomes)
        return failure(outcomes.error());
    bool refused = false;
    bool faulty = false;
    bool imported = false;
    for (const ImportOutcome& outcome : *outcomes) {
        if (outcome.error)
            printError(*outcome.error);
        refused = refused || outcome.error.has_value();
        imported = imported || !outcome.error;
        const bool isPassedOver = outcome.report.format.empty();
        faulty = faulty || !(isPassedOver || outcome.report.diagnostics.empty()) || !outcome.written.diagnostics.empty();
    }
    if (imported)
        if (const Result<void> published = store->publish(); !published)
            return failure(published.error());
    printOutcomes(*outcomes, options);
    return refused || (options.strict && faulty) ? Unusable : Done;
}

int runExport(const ExportCommandOptions& options)
{
    const std::optional<ExportFormat> format = exportFormatFromName(options.format);
    if (!format)
        return failure({ErrorCode::InvalidArgument, fmt::format("--format takes {}", exportFormatNames()), {}});
    int status = Done;
    const std::optional<Loaded> loaded = load(options.inputs, options, makeJob(), status);
    if (!loaded)
        return status;
    const Dataset& dataset = *loaded->dataset;
    std::size_t current = 0;
    ExportOptions exportOptions;
    exportOptions.format = *format;
    exportOptions.title = dataset.label;
    exportOptions.begin = beginWithoutDate(dataset.columns.spans.start);
    exportOptions.stageOf = [&](const Trace&, std::size_t span) {
        return dataset.stages.table->name(dataset.stages.stage[dataset.columns.firstSpan[current] + span]);
    };
    Result<Exporter> exporter = Exporter::begin(options.output, std::move(exportOptions));
    if (!exporter)
        return failure(exporter.error());
    for (; current < dataset.columns.traceCount(); ++current) {
        const Result<std::shared_ptr<const Trace>> trace = dataset.trace(current);
        if (!trace)
            return failure(trace.error());
        if (const Result<void> appended = exporter->append(**trace); !appended)
            return failure(appended.error());
    }
    if (const Result<void> finished = exporter->finish(); !finished)
        return failure(finished.error());
    return statusOf(options, *loaded);
}

Json sqlJson(const SqlValue& value)
{
    return std::visit(
        [](const auto& v) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                return nullptr;
            else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>)
                return toJson(std::optional<double>(v));
            else
                return v;
        },
        value);
}

std::string sqlText(const SqlValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    return std::holds_alternative<std::monostate>(value) ? "" : toText(sqlJson(value));
}

int runSql(const QueryOptions& options)
{
    std::vector<std::string> names;
    std::optional<TextTable> table;
    bool first = true;
    const auto header = [&](const std::vector<std::string>& columns) {
        names = columns;
        std::vector<TextTable::Column> tableColumns;
        for (const std::string& name : names)
            tableColumns.push_back({name, TextTable::Align::Left, 80});
        table.emplace(std::move(tableColumns));
        if (options.json)
            standardOutput()(R"({"schema":"chokepoint.query/1","columns":)" + toText(Json(names)) + R"(,"rows":[)");
        return true;
    };
    const auto row = [&](const std::vector<SqlValue>& values) {
        if (options.json) {
            Json json = Json::array();
            for (const SqlValue& value : values)
                json.push_back(sqlJson(value));
            standardOutput()((first ? "" : ",") + toText(json));
            first = false;
            return true;
        }
        std::vector<std::string> cells;
        for (const SqlValue& value : values)
            cells.push_back(sqlText(value));
        table->addRow(std::move(cells));
        return true;
    };
    if (const Result<void> done = runQuery(options.workspace, options.sql, header, row, makeJob()); !done) {
        Error error = done.error();
        error.place.byte.reset(); // of the query; the text says it as people count
        return failure(error);
    }
    if (options.json)
        standardOutput()(names.empty() ? R"({"schema":"chokepoint.query/1","columns":[],"rows":[]})"
                                         "\n"
                                       : "]}\n");
    else if (table)
        standardOutput()(table->text());
    return Done;
}

int runDemo(const std::string& directory)
{
    const Result<SamplePair> samples = findSamples("");
    if (!samples)
        return failure(samples.error());
    const Result<SamplePair> written = writeSamples(*samples, directory);
    if (!written)
        return failure(written.error());
    standardOutput()(fmt::format("{}\n{}\n", written->before, written->after));
    return Done;
}

} // namespace

std::vector<Command> addWorkspaceCommands(CLI::App& app)
{
    std::vector<Command> commands;
    {
        const auto options = std::make_shared<ImportOptions>();
        CLI::App* command = app.add_subcommand("import", "Reads trace files into a workspace");
        command->footer("Example:\n  chokepoint import v1.8/*.jsonl.gz --into runs.chokepoint --label v1.8");
        command->add_option("INPUT", options->inputs, "trace files, directories, - or other workspaces")->required();
        command->add_option("--into", options->workspace, "the workspace; created when it does not exist")->required();
        command->add_option("--label", options->label, "deployment that the traces belong to (default: from the file names)");
        command->add_flag("--json", options->json, "JSON on standard output instead of a table");
        command->add_flag("--strict", options->strict, "status 2 when anything in the input had to be repaired or left out");
        commands.push_back({command, [options] { return runImport(*options); }});
    }
    {
        const auto options = std::make_shared<ExportCommandOptions>();
        CLI::App* command = app.add_subcommand("export", "Writes the traces as CSV, HTML, Markdown, OTLP JSON or plain SQLite tables");
        command->footer("Example:\n  chokepoint export run.jsonl.gz --format csv -o spans.csv");
        addInputs(*command, *options);
        addCommon(*command, *options);
        command->add_option("--format", options->format, exportFormatNames())->required();
        command->add_option("-o,--output", options->output, "the file to write; replaced when complete")->required();
        commands.push_back({command, [options] { return runExport(*options); }});
    }
    {
        const auto options = std::make_shared<QueryOptions>();
        CLI::App* command =
            app.add_subcommand("query", "SQL over a workspace, read-only: tables span, attribute, event, link, resource, trace");
        command->footer("Example:\n  chokepoint query runs.chokepoint \"SELECT service, name, count(*), avg(duration_ns) FROM span GROUP "
                        "BY 1, 2 ORDER BY 4 DESC\"");
        command->add_option("WORKSPACE", options->workspace, "a saved workspace")->required();
        command->add_option("SQL", options->sql, "one or more SELECT statements")->required();
        command->add_flag("--json", options->json, "JSON on standard output instead of a table");
        commands.push_back({command, [options] { return runSql(*options); }});
    }
    {
        const auto directory = std::make_shared<std::string>();
        CLI::App* command = app.add_subcommand("demo", "Writes the sample pair: two runs, before and after an optimisation");
        command->footer(
            "Example:\n  chokepoint demo --into demo && chokepoint compare demo/moved-before.jsonl.gz demo/moved-after.jsonl.gz");
        command->add_option("--into", *directory, "directory, created when missing")->required();
        commands.push_back({command, [directory] { return runDemo(*directory); }});
    }
    return commands;
}

} // namespace chokepoint::cli
