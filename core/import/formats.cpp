// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/formats.h"

#include "core/base/utf8.h"
#include "core/import/consolereader.h"
#include "core/import/chromejsonreader.h"
#include "core/import/jaegerjsonreader.h"
#include "core/import/jsonhead.h"
#include "core/import/otlpjsonreader.h"
#include "core/import/otlpprotoreader.h"
#include "core/import/textinput.h"
#include "core/import/zipkinjsonreader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace chokepoint {

using namespace std::string_view_literals;

namespace {

constexpr std::array readers = {
    ReaderEntry{"otlp-proto", sniffOtlpProto, createOtlpProtoReader},
    ReaderEntry{"otlp-json", sniffFramedOtlpJson, createOtlpProtoReader},
    ReaderEntry{"otlp-json", sniffOtlpJson, createOtlpJsonReader},
    ReaderEntry{"chrome-trace", sniffChromeJson, createChromeJsonReader},
    ReaderEntry{"jaeger-json", sniffJaegerJson, createJaegerJsonReader},
    ReaderEntry{"zipkin-json", sniffZipkinJson, createZipkinJsonReader},
    ReaderEntry{"otel-console", sniffPythonConsole, createPythonConsoleReader},
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
        "if it is an Nsight Systems export, write it as JSON; a workspace is opened with its own name, ending in .chokepoint"},
    KnownMagic{"\xff\x06\0\0sNaPpY"sv, "a snappy stream", "decompress it first"},
    KnownMagic{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "unpack it first"},
    KnownMagic{"Rar!"sv, "a RAR archive", "unpack it first"},
    KnownMagic{"%PDF"sv, "a PDF document", "export the traces as OTLP JSON"},
    KnownMagic{"<!DOCTYPE"sv, "an HTML page", "it may be a login or error page; download the trace as JSON again"},
    KnownMagic{"<html"sv, "an HTML page", "it may be a login or error page; download the trace as JSON again"},
    KnownMagic{"ResourceSpans #"sv, "the text output of the collector's debug exporter", "use the file exporter with format json instead"},
    KnownMagic{"Activity.TraceId"sv, "the text output of the .NET console exporter", "use the OTLP exporter instead"},
};

/// A JSON format that is known by its members and not read. All \a names stand in one object.
struct KnownMembers {
    std::array<std::string_view, 4> names; // unused ones are empty
    const char* name;
    const char* advice;
};

constexpr const char* otlpAdvice = "this version does not read it; export the traces as OTLP JSON or Jaeger JSON";
constexpr const char* searchAdvice = "it lists traces and contains no spans; download the traces themselves";
constexpr KnownMembers knownMembers[] = {
    {{"info", "data.spans"}, "an MLflow trace", otlpAdvice},
    {{"context.trace_id", "span_kind"}, "a Phoenix export", otlpAdvice},
    {{"SpanContext", "StartTime"}, "the output of Go's stdouttrace exporter", otlpAdvice},
    {{"run_type", "trace_id"}, "a LangSmith export", otlpAdvice},
    {{"run_type", "dotted_order"}, "a LangSmith export", otlpAdvice},
    {{"run_type", "child_runs"}, "a LangSmith export", otlpAdvice},
    {{"observations"}, "a Langfuse export", otlpAdvice},
    {{"traceId", "startTime", "type"}, "a Langfuse export", otlpAdvice},
    {{"trace_id", "start_time", "parent_observation_id"}, "a Langfuse export", otlpAdvice},
    {{"Traces[].Segments"}, "an AWS X-Ray export", otlpAdvice},
    {{"Segments"}, "an AWS X-Ray export", otlpAdvice},
    {{"trace_id", "id", "start_time"}, "AWS X-Ray segments", otlpAdvice},
    {{"format", "version"}, "an AWS X-Ray daemon header", otlpAdvice},
    {{"projectId", "traceId", "spans"}, "a Google Cloud Trace export", otlpAdvice},
    {{"transaction.trace_id"}, "Elastic APM data", otlpAdvice},
    {{"span.trace_id"}, "Elastic APM data", otlpAdvice},
    {{"processor.event"}, "Elastic APM data", otlpAdvice},
    {{"span_id", "trace_id", "start", "duration"}, "Datadog JSON", otlpAdvice},
    {{"attributes.spans"}, "Datadog JSON", otlpAdvice},
    {{"spans[].segmentId"}, "a SkyWalking trace", otlpAdvice},
    {{"Timestamp", "TraceId", "SpanName"}, "a ClickHouse export", otlpAdvice},
    {{"TimeGenerated", "OperationId"}, "an Application Insights export", otlpAdvice},
    {{"tables[].columns"}, "an Application Insights export", otlpAdvice},
    {{"traces[].rootServiceName"}, "a search result of Tempo", searchAdvice},
    {{"traces[].traceID"}, "a search result of Tempo", searchAdvice},
    {{"summaries"}, "a search summary of Jaeger", searchAdvice},
};

Error unsupported(const char* name, const char* advice)
{
    return {ErrorCode::UnsupportedFormat, fmt::format("this is {}; {}", name, advice), {}};
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

Error whyJsonUnreadable(const JsonHead& json)
{
    for (const KnownMembers& known : knownMembers)
        if (json.hasAll({known.names[0], known.names[1], known.names[2], known.names[3]}))
            return unsupported(known.name, known.advice);
    for (const std::string_view path : {"errors[].msg"sv, "errors[].message"sv, "error.message"sv, "error"sv, "message"sv}) {
        const std::string_view message = json.scalar(path);
        if (!message.empty() && message != "null")
            return {ErrorCode::UnrecognizedFormat, fmt::format("this is no trace but an error message: {}", elided(message, 120)), {}};
    }
    const std::vector<std::string> names = json.topNames(10);
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
    const auto found =
        std::find_if(readers.begin(), readers.end(), [&](const ReaderEntry& entry) { return entry.sniff(head, isWhole) == Sniffed::Yes; });
    return found == readers.end() ? nullptr : &*found;
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
    if (isBinary(text))
        return {ErrorCode::UnrecognizedFormat,
            fmt::format("this is no trace file that can be read; its first bytes are {}", hexOf(head.substr(0, 16))), {}};
    const JsonHead json{std::string_view(text).substr(start)};
    if (json.isJson())
        return whyJsonUnreadable(json);
    // A program's own lines may stand before the first record.
    const std::size_t record = std::min(text.find("\n{"), text.find("\n["));
    if (record != std::string::npos)
        return whyJsonUnreadable(JsonHead(std::string_view(text).substr(record)));
    return {ErrorCode::UnrecognizedFormat,
        fmt::format("this is no trace file; it begins with \"{}\"",
            elided(std::string_view(text).substr(start, text.find('\n', start) - start), 60)),
        {}};
}

} // namespace chokepoint
