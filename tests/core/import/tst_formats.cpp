// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that are refused: by which code, and with what said.
#include "tests/core/import/importtext.h"

#include <QtTest>

using namespace chokepoint::testing;

namespace {

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

} // namespace

class tst_Formats : public QObject {
    Q_OBJECT

private slots:
    void refuses_data();
    void refuses();
};

void tst_Formats::refuses_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("message");
    const auto refusal = [](const char* name, const QByteArray& input, const char* code, const char* message) {
        QTest::newRow(name) << input << QByteArray(code) << QByteArray(message);
    };
    refusal("empty", "", "EMPTY_FILE", "file is empty");
    refusal("white space", " \n\t\r\n", "EMPTY_FILE", "file is empty");
    refusal("null", "null", "UNRECOGNIZED_FORMAT", "null");
    refusal("number", "123\n", "UNRECOGNIZED_FORMAT", "123");
    refusal("other object", R"({"hello":"x","spans":3})", "UNRECOGNIZED_FORMAT", "hello, spans");
    refusal("empty list", "[]", "UNRECOGNIZED_FORMAT", "without any member");
    refusal("a million brackets without an end", R"({"resourceSpans":)" + QByteArray(1000000, '['), "MALFORMED", "malformed");
    refusal("error body", R"({"data":null,"errors":[{"code":404,"msg":"trace not found"}]})", "UNRECOGNIZED_FORMAT", "trace not found");
    refusal("answer that is an error", R"({"data":null,"total":0,"limit":0,"offset":0,"errors":[{"code":404,"msg":"trace not found"}]})",
        "UNRECOGNIZED_FORMAT", "trace not found");
    refusal("metrics", R"({"resourceMetrics":[{}]})", "UNSUPPORTED_FORMAT", "no traces");
    refusal("Tempo search", R"({"traces":[{"traceID":"01","rootServiceName":"x"}]})", "UNSUPPORTED_FORMAT", "search result");
    refusal("Tempo found none", R"({"trace":{}})", "UNRECOGNIZED_FORMAT", "without a trace");
    refusal("Tempo found none, in how many bytes", R"({"trace":{},"metrics":{"inspectedBytes":"1"}})", "UNRECOGNIZED_FORMAT",
        "without a trace");
    refusal("nothing found", "{}", "UNRECOGNIZED_FORMAT", "without any member");
    refusal("Tempo says it in words", "trace not found\n", "UNRECOGNIZED_FORMAT", "trace not found");
    refusal("api_v3 found none", R"({"error":{"httpCode":404,"message":"No traces found"}})", "UNRECOGNIZED_FORMAT", "No traces found");
    refusal("search summary of Jaeger", R"({"summaries":[{"traceId":"01"}]})", "UNSUPPORTED_FORMAT", "search summary");
    refusal("CSV of Grafana", "\"traceID\",\"spanID\",\"operationName\"\n\"01\",\"02\",\"n\"\n", "UNSUPPORTED_FORMAT", "CSV");
    refusal("JavaScript console", "{\n  traceId: '0af7',\n  parentId: undefined,\n  name: 'n'\n}\n", "UNSUPPORTED_FORMAT",
        "JavaScript console exporter; use the OTLP exporter");
    refusal("JavaScript console behind a line", "listening\n{ traceId: '0af7', name: 'n' }\n", "UNSUPPORTED_FORMAT", "JavaScript");
    refusal("Java logging exporter",
        "INFO: 'n' : 0af7651916cd43dd8448eb211c80319c b7ad6b7169203331 INTERNAL [tracer: lib:1] AttributesMap{data={}}\n",
        "UNSUPPORTED_FORMAT", "Java logging exporter");
    refusal(".NET console", "Activity.TraceId:            0af7\nActivity.SpanId:             b7ad\n", "UNSUPPORTED_FORMAT",
        ".NET console exporter");
    refusal("Ruby console", "#<struct OpenTelemetry::SDK::Trace::SpanData\n name=\"n\",\n kind=:internal>\n", "UNSUPPORTED_FORMAT",
        "Ruby console exporter");
    refusal("collector's debug exporter", "2026-11-30T06:58:44Z info ResourceSpans #0\nResource SchemaURL:\n", "UNSUPPORTED_FORMAT",
        "file exporter");
    refusal("HAR", R"({"log":{"version":"1.2","entries":[{"time":5}]}})", "UNSUPPORTED_FORMAT", "HAR file");
    refusal("Elastic RUM",
        R"({"m":{"se":{"n":"shop","a":{"n":"rum-js","ve":"5"}}}})"
        "\n"
        R"({"x":{"id":"1"}})",
        "UNSUPPORTED_FORMAT", "Elastic RUM");
    refusal("ftrace", "# tracer: nop\n#\n  app-1 [000] 1.0: sched_switch: x\n", "UNSUPPORTED_FORMAT", "ftrace");
    refusal("ETL", QByteArray(72, '\1') + QByteArray("\x02\0\x02\xc0\0\0\0\0", 8), "UNSUPPORTED_FORMAT", "ETL");
    refusal(
        "ClickHouse as CSV", "\"Timestamp\",\"TraceId\",\"SpanName\"\n\"2026-11-30\",\"01\",\"n\"\n", "UNSUPPORTED_FORMAT", "JSONEachRow");
    refusal("ClickHouse as TSV", "Timestamp\tTraceId\tSpanName\n2026-11-30\t01\tn\n", "UNSUPPORTED_FORMAT", "JSONEachRow");
    refusal("Application Insights as CSV", "timestamp,id,operation_Id\n2026-11-30,1,2\n", "UNSUPPORTED_FORMAT", "Application Insights");
    refusal("Parquet", "PAR1\x15\x04", "UNSUPPORTED_FORMAT", "Parquet");
    refusal("Nsight Systems",
        R"({"Type":48,"CudaEvent":{"startNs":"1","endNs":"2"}})"
        "\n",
        "UNSUPPORTED_FORMAT", "Chrome trace JSON");
    refusal("SQLite", QByteArray("SQLite format 3\0\x10", 17), "UNSUPPORTED_FORMAT", "SQLite");
    refusal("text", "trace: 5 spans\n", "UNRECOGNIZED_FORMAT", "trace: 5 spans");
    refusal("every span unreadable",
        R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"a2","startTimeUnixNano":"soon"}]}]}]})", "MALFORMED",
        "cannot be read");
}

void tst_Formats::refuses()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, message);
    const ImportText got = importText(view(input));
    QCOMPARE(QByteArray::fromStdString(got.format), code);
    QVERIFY2(got.message.find(message.toStdString()) != std::string::npos, got.message.c_str());
    QCOMPARE(got.spans, std::string());
}

QTEST_GUILESS_MAIN(tst_Formats)
#include "tst_formats.moc"
