// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/formats.h"

#include "core/base/utf8.h"
#include "core/import/appinsightsreader.h"
#include "core/import/chromejsonreader.h"
#include "core/import/clickhousereader.h"
#include "core/import/consolereader.h"
#include "core/import/datadogreader.h"
#include "core/import/elasticreader.h"
#include "core/import/gcloudreader.h"
#include "core/import/goconsolereader.h"
#include "core/import/jaegerjsonreader.h"
#include "core/import/jsonhead.h"
#include "core/import/langfusereader.h"
#include "core/import/langsmithreader.h"
#include "core/import/mlflowreader.h"
#include "core/import/openaiagentsreader.h"
#include "core/import/otlpjsonreader.h"
#include "core/import/otlpprotoreader.h"
#include "core/import/phoenixreader.h"
#include "core/import/readablespanreader.h"
#include "core/import/skywalkingreader.h"
#include "core/import/tempollmreader.h"
#include "core/import/textinput.h"
#include "core/import/xrayreader.h"
#include "core/import/zipkinjsonreader.h"
#include "core/import/zipkinprotoreader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

namespace chokepoint {

using namespace std::string_view_literals;

namespace {

constexpr std::array readers = {
    ReaderEntry{"zipkin-json", sniffZipkinProto, createZipkinProtoReader},
    ReaderEntry{"otlp-proto", sniffOtlpProto, createOtlpProtoReader},
    ReaderEntry{"otlp-json", sniffFramedOtlpJson, createOtlpProtoReader},
    ReaderEntry{"mlflow", sniffMlflow, createMlflowReader},
    ReaderEntry{"otlp-json", sniffOtlpJson, createOtlpJsonReader},
    ReaderEntry{"tempo-json", sniffTempoLlm, createTempoLlmReader},
    ReaderEntry{"chrome-trace", sniffChromeJson, createChromeJsonReader},
    ReaderEntry{"jaeger-json", sniffJaegerJson, createJaegerJsonReader},
    ReaderEntry{"phoenix", sniffPhoenix, createPhoenixReader},
    ReaderEntry{"langsmith", sniffLangSmith, createLangSmithReader},
    ReaderEntry{"langfuse", sniffLangfuse, createLangfuseReader},
    ReaderEntry{"openai-agents", sniffOpenAiAgents, createOpenAiAgentsReader},
    ReaderEntry{"zipkin-json", sniffZipkinJson, createZipkinJsonReader},
    ReaderEntry{"otel-console", sniffPythonConsole, createPythonConsoleReader},
    ReaderEntry{"otel-console", sniffReadableSpans, createReadableSpanReader},
    ReaderEntry{"otel-console", sniffGoConsole, createGoConsoleReader},
    ReaderEntry{"xray", sniffXRay, createXRayReader},
    ReaderEntry{"gcloud-trace", sniffGcloudTrace, createGcloudTraceReader},
    ReaderEntry{"elastic-apm", sniffElasticApm, createElasticApmReader},
    ReaderEntry{"datadog", sniffDatadog, createDatadogReader},
    ReaderEntry{"skywalking", sniffSkyWalking, createSkyWalkingReader},
    ReaderEntry{"clickhouse", sniffClickHouse, createClickHouseReader},
    ReaderEntry{"app-insights", sniffAppInsights, createAppInsightsReader},
};

/// A format that is known by its first bytes and not read.
struct KnownMagic {
    std::string_view bytes;
    const char* name;
    const char* advice;
};

constexpr const char* columnarAdvice = "export the traces as JSON instead, or convert the file to JSON lines, for example with DuckDB";
constexpr std::array magics = {
    KnownMagic{"PAR1"sv, "a Parquet file", columnarAdvice},
    KnownMagic{"ARROW1"sv, "an Arrow file", columnarAdvice},
    KnownMagic{"Obj\x01"sv, "an Avro file", columnarAdvice},
    KnownMagic{"SQLite format 3\0"sv, "a SQLite database",
        "convert an Nsight Systems export to Chrome trace JSON; a workspace is opened with its own name, ending in .chokepoint"},
    KnownMagic{"\xff\x06\0\0sNaPpY"sv, "a snappy stream", "decompress it first"},
    KnownMagic{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "unpack it first"},
    KnownMagic{"Rar!"sv, "a RAR archive", "unpack it first"},
    KnownMagic{"%PDF"sv, "a PDF document", "export the traces as OTLP JSON"},
    KnownMagic{"\x89PNG"sv, "a PNG picture", "export the traces themselves, for example as OTLP JSON"},
    KnownMagic{"\xff\xd8\xff"sv, "a JPEG picture", "export the traces themselves, for example as OTLP JSON"},
    KnownMagic{"\x7f"
               "ELF"sv,
        "a program", "give it the file that the program wrote"},
    KnownMagic{"<!DOCTYPE"sv, "an HTML page", "it may be a login or error page; download the trace as JSON again"},
    KnownMagic{"<html"sv, "an HTML page", "it may be a login or error page; download the trace as JSON again"},
    KnownMagic{"# tracer: "sv, "the text of ftrace", "it holds kernel events and no spans; export the traces as OTLP JSON"},
};

/// Text that is known by what stands somewhere in it.
constexpr const char* exporterAdvice = "use the OTLP exporter, and the collector's file exporter for a file";
constexpr const char* rowsAdvice = "export the rows as JSON instead, with FORMAT JSONEachRow in ClickHouse";
constexpr std::array texts = {
    KnownMagic{"ResourceSpans #"sv, "the text output of the collector's debug exporter", "use the file exporter with format json instead"},
    KnownMagic{"Activity.TraceId:"sv, "the text output of the .NET console exporter", exporterAdvice},
    KnownMagic{"traceId: '"sv, "the text output of the JavaScript console exporter", exporterAdvice},
    KnownMagic{"#<struct OpenTelemetry::SDK::Trace::SpanData"sv, "the text output of the Ruby console exporter", exporterAdvice},
    KnownMagic{"LoggingSpanExporter"sv, "the text output of the Java logging exporter", exporterAdvice},
    KnownMagic{"[tracer: "sv, "the text output of the Java logging exporter", exporterAdvice},
};

/// A table as text: names that stand in its first line.
struct KnownColumns {
    std::array<std::string_view, 3> names;
    const char* name;
    const char* advice;
};
constexpr std::array tables = {
    KnownColumns{{"Timestamp", "TraceId", "SpanName"}, "a ClickHouse table as separated text", rowsAdvice},
    KnownColumns{{"operation_Id", "timestamp", ""}, "an Application Insights table as separated text", "export the rows as JSON instead"},
    KnownColumns{
        {"OperationId", "TimeGenerated", ""}, "an Application Insights table as separated text", "export the rows as JSON instead"},
};

/// A JSON format that is known by its members and not read. All \a names stand in one object.
struct KnownMembers {
    std::array<std::string_view, 4> names; // unused ones are empty
    const char* name;
    const char* advice;
};

constexpr const char* otlpAdvice = "this version does not read it; export the traces as OTLP JSON or Jaeger JSON";
constexpr const char* searchAdvice = "it lists traces and contains no spans; download the traces themselves";
constexpr const char* nsightAdvice = "convert it to Chrome trace JSON, or write it with nsys export --type sqlite for tools that read that";
constexpr KnownMembers knownMembers[] = {
    {{"CudaEvent"}, "an Nsight Systems export", nsightAdvice},
    {{"NvtxEvent"}, "an Nsight Systems export", nsightAdvice},
    {{"TraceProcessEvent"}, "an Nsight Systems export", nsightAdvice},
    {{"log.entries"}, "a HAR file", "it holds a browser's requests and no spans; export the traces as OTLP JSON"},
    {{"m.se"}, "Elastic RUM data (intake version 3)", "its names are shortened; export the documents from Elasticsearch instead"},
    {{"traces[].rootServiceName"}, "a search result of Tempo", searchAdvice},
    {{"traces[].traceID"}, "a search result of Tempo", searchAdvice},
    {{"summaries"}, "a search summary of Jaeger", searchAdvice},
};

Error unsupported(const char* name, const char* advice)
{
    return {ErrorCode::UnsupportedFormat, fmt::format("this is {}; {}", name, advice), {}};
}

/// Text that no reader takes: what a program printed, or a table.
std::optional<Error> whyTextUnreadable(std::string_view text)
{
    for (const KnownMagic& known : texts)
        if (text.find(known.bytes) != std::string_view::npos)
            return unsupported(known.name, known.advice);
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.substr(0, 1) == "{" || line.substr(0, 1) == "[")
        return std::nullopt;
    for (const KnownColumns& known : tables)
        if (std::all_of(known.names.begin(), known.names.end(),
                [line](std::string_view name) { return line.find(name) != std::string_view::npos; }))
            return unsupported(known.name, known.advice);
    return std::nullopt;
}

/// Windows' event traces: the header of the first buffer is followed by a system trace header.
bool isEventTraceLog(std::string_view head)
{
    const std::string_view header = head.substr(std::min<std::size_t>(head.size(), 72), 4);
    return header == "\x02\0\x01\xc0"sv || header == "\x02\0\x02\xc0"sv;
}

bool isBinary(std::string_view head)
{
    const std::string_view start = head.substr(0, 512);
    return std::any_of(start.begin(), start.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1e'; });
}

std::string hexOf(std::string_view bytes)
{
    std::string text;
    for (const char c : bytes)
        text += fmt::format("{:02x} ", static_cast<unsigned char>(c));
    if (!text.empty())
        text.pop_back();
    return text;
}

/// The first line of a table of spans, such as what Grafana downloads as CSV.
bool isTableOfSpans(std::string_view line)
{
    const std::string folded = foldedCase(line);
    const auto has = [&](std::string_view word) { return folded.find(word) != std::string::npos; };
    return has(",") && (has("traceid") || has("trace_id")) && (has("spanid") || has("span_id"));
}

Error whyJsonUnreadable(const JsonHead& json)
{
    for (const KnownMembers& known : knownMembers)
        if (json.hasAll({known.names[0], known.names[1], known.names[2], known.names[3]}))
            return unsupported(known.name, known.advice);
    for (const std::string_view path : {"errors[].msg"sv, "errors[].message"sv, "error.message"sv, "error"sv, "message"sv}) {
        const std::string_view message = json.scalar(path);
        if (!message.empty() && message != "null" && message != "false")
            return {ErrorCode::UnrecognizedFormat, fmt::format("this is no trace but an error message: {}", elided(message, 120)), {}};
    }
    const std::vector<std::string> names = json.topNames(10);
    const auto isOfTempo = [](const std::string& name) { return name == "trace" || name == "metrics" || name == "status"; };
    if (json.has("trace") && json.scalar("trace").empty() && std::all_of(names.begin(), names.end(), isOfTempo))
        return {ErrorCode::UnrecognizedFormat,
            "this is an answer of Tempo without a trace: it has none with that id, or none in the time that was asked for", {}};
    if (names.empty())
        return {ErrorCode::UnrecognizedFormat, "this is JSON without any member; a trace file holds objects with spans", {}};
    return {ErrorCode::UnrecognizedFormat,
        fmt::format(
            "this is JSON, but not of a known trace format; it has the keys {}", elided(fmt::format("{}", fmt::join(names, ", ")), 400)),
        {}};
}

} // namespace

std::span<const ReaderEntry> readerTable()
{
    return readers;
}

const ReaderEntry* readerFor(std::string_view head, bool isWhole)
{
    const auto reads = [&](const ReaderEntry& entry) { return entry.sniff(head, isWhole) == Sniffed::Yes; };
    const auto found = std::find_if(readers.begin(), readers.end(), reads);
    if (found != readers.end())
        return &*found;
    // A program's own lines may stand before the first record, or the rest of one that rotation cut.
    const std::size_t start = head.find_first_not_of(" \r\n\t\v\f");
    const std::size_t record = std::min(head.find("\n{"), head.find("\n["));
    if (start == std::string_view::npos || record == std::string_view::npos || head[start] == '{' || head[start] == '[' || isBinary(head))
        return nullptr;
    head.remove_prefix(record + 1);
    const auto later = std::find_if(readers.begin(), readers.end(), reads);
    return later == readers.end() ? nullptr : &*later;
}

Error whyUnreadable(std::string_view head)
{
    const std::string text = textOfHead(head);
    const std::size_t start = text.find_first_not_of(" \r\n\t\v\f");
    if (start == std::string::npos)
        return {ErrorCode::EmptyInput, head.empty() ? "file is empty" : "file is empty: it holds nothing but white space", {}};
    for (const KnownMagic& magic : magics)
        if (std::string_view(text).substr(start, magic.bytes.size()) == magic.bytes || head.substr(0, magic.bytes.size()) == magic.bytes)
            return unsupported(magic.name, magic.advice);
    if (isEventTraceLog(head))
        return unsupported("an event trace log of Windows (ETL)", "it holds events of the system; export the traces as OTLP JSON");
    if (isBinary(text))
        return {ErrorCode::UnrecognizedFormat,
            fmt::format(
                "this is no trace file that can be read; its first bytes are {}; if it is encrypted or packed in a way of its own, unpack "
                "it first, else export the traces as OTLP JSON",
                hexOf(head.substr(0, 16))),
            {}};
    if (const auto reason = whyTextUnreadable(std::string_view(text).substr(start)))
        return *reason;
    const JsonHead json{std::string_view(text).substr(start)};
    if (json.isJson())
        return whyJsonUnreadable(json);
    // A program's own lines may stand before the first record.
    const std::size_t record = std::min(text.find("\n{"), text.find("\n["));
    if (record != std::string::npos)
        return whyJsonUnreadable(JsonHead(std::string_view(text).substr(record)));
    if (isTableOfSpans(std::string_view(text).substr(start, text.find('\n', start) - start)))
        return unsupported("a table of spans as CSV", "it has lost attributes, events and links; download the trace as JSON instead");
    return {ErrorCode::UnrecognizedFormat,
        fmt::format("this is no trace file; it begins with \"{}\"",
            elided(std::string_view(text).substr(start, text.find('\n', start) - start), 60)),
        {}};
}

} // namespace chokepoint
