// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One trace in every format is the same trace, however its bytes are cut, packed, ordered and split over files. A new format
// is one file in data/same and one row in `renderings`.
#include "tests/core/import/importtext.h"
#include "tests/core/import/packing.h"
#include "tests/core/import/readspans.h"

#include <QFile>
#include <QtTest>

#include <archive.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

using namespace chokepoint;
using namespace chokepoint::testing;

namespace {

enum class Framing { Document, Lines };

struct Rendering {
    const char* file; // in data/same
    const char* format; // as detected
    Framing framing; // Lines: a record a line, in any order
    std::uint32_t losses;
};

constexpr std::uint32_t jaegerLosses =
    BelowMicrosecond | ContainersAsText | EmptyValues | MoreAttributes | LinkAttributes | Flags | DroppedCounts;

constexpr std::uint32_t fewTypes = ValueTypes | ContainersAsText | EmptyValues;
constexpr std::uint32_t otlpAlone = Scopes | LinkAttributes | TraceStates | Flags | DroppedCounts;
constexpr std::uint32_t vendorLosses = fewTypes | otlpAlone | MoreAttributes | ResourceAttributes | StatusOk;
constexpr std::uint32_t elasticLosses = vendorLosses | BelowMicrosecond | StatusMessages | Events;

/// Zipkin knows texts alone, and no links.
constexpr std::uint32_t zipkinLosses = fewTypes | BelowMicrosecond | MoreAttributes | ResourceAttributes | Links | Flags | DroppedCounts;

/// Slices of one thread: everything that a process does is one service.
constexpr std::uint32_t chromeLosses =
    ValueTypes | otlpAlone | MoreAttributes | ResourceAttributes | Services | Kinds | Statuses | Links | TraceIds | SpanIds;

/// Exports of LLM observability tools know neither kinds of spans nor links.
constexpr std::uint32_t llmLosses = vendorLosses | BelowMicrosecond | Kinds | Links;

constexpr Rendering renderings[] = {
    {"otlp.json", "otlp-json", Framing::Document, NoLoss},
    {"otlp.jsonl", "otlp-json", Framing::Lines, NoLoss},
    {"otlp-pretty.json", "otlp-json", Framing::Document, NoLoss},
    {"otlp-concatenated.json", "otlp-json", Framing::Document, NoLoss},
    {"otlp-array.json", "otlp-json", Framing::Document, NoLoss},
    {"otlp-snake.json", "otlp-json", Framing::Document, NoLoss},
    {"otlp-utf16.json", "otlp-json", Framing::Document, NoLoss},
    {"otlp-resource-spans.jsonl", "otlp-json", Framing::Lines, NoLoss},
    {"docker.log", "otlp-json", Framing::Lines, NoLoss},
    {"cri.log", "otlp-json", Framing::Document, NoLoss},
    {"otlp.pb", "otlp-proto", Framing::Document, NoLoss},
    {"otlp-u32be.pb", "otlp-proto", Framing::Document, NoLoss},
    {"otlp-u32be-zstd.pb", "otlp-proto", Framing::Document, NoLoss},
    {"otlp-u32be-zstd-json.bin", "otlp-json", Framing::Document, NoLoss},
    {"otlp-varint.pb", "otlp-proto", Framing::Document, NoLoss},
    {"otlp-grpc.bin", "otlp-proto", Framing::Document, NoLoss},
    {"tempo-v1.json", "tempo-json", Framing::Document, NoLoss},
    {"tempo-v2.json", "tempo-json", Framing::Document, NoLoss},
    {"jaeger-v3.json", "otlp-json", Framing::Document, NoLoss},
    {"jaeger.json", "jaeger-json", Framing::Document, jaegerLosses},
    {"jaeger-es.jsonl", "jaeger-json", Framing::Lines, jaegerLosses},
    {"zipkin-v2.json", "zipkin-json", Framing::Document, zipkinLosses},
    {"zipkin-v1.json", "zipkin-json", Framing::Document, zipkinLosses},
    {"chrome.json", "chrome-trace", Framing::Document, chromeLosses},
    {"python-console.log", "otel-console", Framing::Document,
        fewTypes | BelowMicrosecond | Scopes | LinkAttributes | Flags | DroppedCounts},
    {"go-console.jsonl", "otel-console", Framing::Lines, fewTypes},
    {"xray.jsonl", "xray", Framing::Lines, vendorLosses | Services | Events},
    {"xray-batch.json", "xray", Framing::Document, vendorLosses | Services | Events},
    {"gcloud-v1.json", "gcloud-trace", Framing::Document, vendorLosses | Kinds | Events | Links},
    {"gcloud-v2.json", "gcloud-trace", Framing::Document, vendorLosses},
    {"elastic-documents.jsonl", "elastic-apm", Framing::Lines, elasticLosses},
    {"elastic-intake.ndjson", "elastic-apm", Framing::Document, elasticLosses},
    {"datadog.json", "datadog", Framing::Document, vendorLosses},
    {"skywalking.json", "skywalking", Framing::Document, vendorLosses | BelowMillisecond | SpanIds | StatusMessages | Events | Links},
    {"clickhouse.jsonl", "clickhouse", Framing::Lines, fewTypes | LinkAttributes | Flags | DroppedCounts},
    {"app-insights.jsonl", "app-insights", Framing::Lines, elasticLosses | Links},
    {"phoenix.jsonl", "phoenix", Framing::Lines, llmLosses},
    {"mlflow.jsonl", "mlflow", Framing::Lines, llmLosses | Services},
    {"langfuse.json", "langfuse", Framing::Document, llmLosses | Events},
    {"langsmith.jsonl", "langsmith", Framing::Lines, llmLosses | Services | Attributes | Events},
    {"openai-agents.jsonl", "openai-agents", Framing::Lines, llmLosses | Services | Attributes | Events},
};

std::string contentOf(const char* file)
{
    QFile data(QStringLiteral(CHOKEPOINT_SOURCE_DIR "/tests/core/import/data/same/") + QLatin1String(file));
    return data.open(QIODevice::ReadOnly) ? data.readAll().toStdString() : std::string();
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at) + '\n');
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line;
    return text;
}

/// Everything that was read, in no order.
std::string allOf(const std::vector<ReadSpan>& spans)
{
    return textOf(spans, NoLoss, {});
}

/// The first line that differs, from where it does; empty when there is none.
std::string differenceOf(const std::string& got, const std::string& wanted)
{
    const std::vector<std::string> lines = linesOf(got);
    const std::vector<std::string> wantedLines = linesOf(wanted);
    for (std::size_t i = 0; i < std::max(lines.size(), wantedLines.size()); ++i) {
        const std::string line = i < lines.size() ? lines[i] : "(nothing)\n";
        const std::string other = i < wantedLines.size() ? wantedLines[i] : "(nothing)\n";
        const auto at = std::size_t(std::mismatch(line.begin(), line.end(), other.begin(), other.end()).first - line.begin());
        if (line != other)
            return fmt::format("span {}: got ...{}wanted ...{}", i, line.substr(at), other.substr(at));
    }
    return {};
}

} // namespace

class tst_SameTrace : public QObject {
    Q_OBJECT

private slots:
    void original();
    void equalButForItsLosses_data() { eachRendering(false); }
    void equalButForItsLosses();
    void anyBlockSize_data() { eachRendering(false); }
    void anyBlockSize();
    void anyContainer_data() { eachRendering(false); }
    void anyContainer();
    void anyOrderOfLines_data() { eachRendering(true); }
    void anyOrderOfLines();
    void anySplitOverFiles_data() { eachRendering(true); }
    void anySplitOverFiles();

private:
    void eachRendering(bool onlyLines);
};

void tst_SameTrace::eachRendering(bool onlyLines)
{
    QTest::addColumn<int>("index");
    int index = 0;
    for (const Rendering& rendering : renderings) {
        if (!onlyLines || rendering.framing == Framing::Lines)
            QTest::newRow(rendering.file) << index;
        ++index;
    }
}

/// What all others are measured with, in full.
void tst_SameTrace::original()
{
    const char* const expected =
        "4bf92f3577b34da6a3ce929d0e0e4736/00f067aa0ba902b7<- 'POST /answer' SERVER OK() 1764484800000000123..1764484800900000456"
        " service=api resource {service.name:4=api;service.version:4=1.4.0;}"
        " scope=app.tracer@2.1 {http.request.method:4=POST;http.response.status_code:2=200;}"
        " state=vendor=1 flags=257 dropped=1,2,3\n"
        "4bf92f3577b34da6a3ce929d0e0e4736/05e3ac9a4f6e3b90<e457b5a2e4d86bd1 'decode' INTERNAL UNSET() "
        "1764484800300000123..1764484800860000456"
        " service=model resource {host.name:4=gpu-7;service.name:4=model;}"
        " scope=engine@ {}"
        " state= flags=0 dropped=0,0,0\n"
        "4bf92f3577b34da6a3ce929d0e0e4736/53995c3f42cd8ad8<00f067aa0ba902b7 'chat model-x' CLIENT ERROR(rate limit) "
        "1764484800110000123..1764484800880000456"
        " service=api resource {service.name:4=api;service.version:4=1.4.0;}"
        " scope=app.tracer@2.1 {gen_ai.request.model:4=model-x;gen_ai.usage.input_tokens:2=1200;gen_ai.usage.output_tokens:2=300;}"
        " link 0af7651916cd43dd8448eb211c80319c/c29a2d8ef0b1a6d4 {reason:4=retry of;}other=2-4+1"
        " state= flags=769 dropped=0,0,0\n"
        "4bf92f3577b34da6a3ce929d0e0e4736/b7ad6b7169203331<00f067aa0ba902b7 'retrieve' INTERNAL UNSET() "
        "1764484800001000123..1764484800101000456"
        " service=api resource {service.name:4=api;service.version:4=1.4.0;}"
        " scope=app.tracer@2.1 "
        "{count:2=9007199254740993;list:7=[\"a\",1,2.5,true,null];map:8={\"k\":\"v\",\"deep\":{\"n\":7}};negative:2=-5;no:1=false;none:0=;"
        "raw:5=AP8Q;score:3=0.25;text:4=top \"5\" of naïve search;yes:1=true;}"
        " event cache.miss@1764484800050000789 {key:5=3q0=;tier:2=2;}-1"
        " state= flags=0 dropped=0,0,0\n"
        "4bf92f3577b34da6a3ce929d0e0e4736/e457b5a2e4d86bd1<53995c3f42cd8ad8 'POST /v1/chat' SERVER UNSET() "
        "1764484800120000123..1764484800870000456"
        " service=model resource {host.name:4=gpu-7;service.name:4=model;}"
        " scope=engine@ {gen_ai.request.model:4=model-x;}"
        " state= flags=0 dropped=0,0,0\n";
    const std::string difference = differenceOf(allOf(readSpans(contentOf("otlp.json"))), expected);
    QVERIFY2(difference.empty(), difference.c_str());
}

void tst_SameTrace::equalButForItsLosses()
{
    QFETCH(int, index);
    const Rendering& rendering = renderings[index];
    const std::string bytes = contentOf(rendering.file);
    const std::vector<ReadSpan> original = readSpans(contentOf("otlp.json"));
    const std::set<std::string> keys = attributeKeys(original);
    const std::string difference = differenceOf(textOf(readSpans(bytes), rendering.losses, keys), textOf(original, rendering.losses, keys));
    QVERIFY2(difference.empty(), difference.c_str());
    const ImportText report = importText(bytes);
    QCOMPARE(report.format, std::string(rendering.format));
    QCOMPARE(report.faults, std::string());
}

void tst_SameTrace::anyBlockSize()
{
    QFETCH(int, index);
    const std::string bytes = contentOf(renderings[index].file);
    const std::string whole = allOf(readSpans(bytes));
    for (const std::size_t size : {1, 7, 4096})
        QCOMPARE(allOf(readSpans(bytes, size)), whole);
}

void tst_SameTrace::anyContainer()
{
    QFETCH(int, index);
    const std::string bytes = contentOf(renderings[index].file);
    const std::string whole = allOf(readSpans(bytes));
    const auto filtered = [&bytes](int filter) { return archived(filter, ARCHIVE_FORMAT_RAW, {{"x", bytes}}); };
    const auto member = [&bytes](int filter, int format) { return archived(filter, format, {{"notes", "# notes\n"}, {"x", bytes}}); };
    const std::pair<const char*, std::string> packings[] = {
        {"gzip", gzipped(bytes)},
        {"gzip members", gzipped(bytes.substr(0, bytes.size() / 3)) + gzipped(bytes.substr(bytes.size() / 3))},
        {"zstd", zstdCompressed(bytes)},
        {"zstd frames", zstdCompressed(bytes.substr(0, bytes.size() / 3)) + zstdCompressed(bytes.substr(bytes.size() / 3))},
        {"xz", filtered(ARCHIVE_FILTER_XZ)},
        {"bzip2", filtered(ARCHIVE_FILTER_BZIP2)},
        {"lz4", filtered(ARCHIVE_FILTER_LZ4)},
        {"zip", member(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP)},
        {"tar", member(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_TAR_USTAR)},
        {"tar.gz", member(ARCHIVE_FILTER_GZIP, ARCHIVE_FORMAT_TAR_USTAR)},
        {"zip in zip", archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP, {{"a.zip", member(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP)}})},
    };
    for (const auto& [name, packed] : packings)
        QVERIFY2(allOf(readSpans(packed)) == whole, name);
}

void tst_SameTrace::anyOrderOfLines()
{
    QFETCH(int, index);
    const std::string bytes = contentOf(renderings[index].file);
    std::vector<std::string> lines = linesOf(bytes);
    const std::string whole = allOf(readSpans(bytes));
    std::mt19937 random(1);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(lines.begin(), lines.end(), random);
        QCOMPARE(allOf(readSpans(joined(lines))), whole);
    }
}

void tst_SameTrace::anySplitOverFiles()
{
    QFETCH(int, index);
    const std::string bytes = contentOf(renderings[index].file);
    const std::vector<std::string> lines = linesOf(bytes);
    const std::string whole = allOf(readSpans(bytes));
    for (std::size_t cut = 1; cut < lines.size(); ++cut) {
        const auto at = lines.begin() + std::ptrdiff_t(cut);
        std::vector<ReadSpan> spans = readSpans(joined({lines.begin(), at}));
        for (ReadSpan& span : readSpans(joined({at, lines.end()})))
            spans.push_back(std::move(span));
        QCOMPARE(allOf(spans), whole);
    }
}

QTEST_GUILESS_MAIN(tst_SameTrace)
#include "tst_sametrace.moc"
