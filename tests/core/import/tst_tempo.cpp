// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What Tempo and Grafana make of OTLP: answers of both versions of the API, the answer for language models, downloads.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

const QByteArray base64Span = R"({"traceId":"AAAAAAAAAAAAAAAAAAAAAQ==","spanId":"AAAAAAAAAKE=","name":"n","kind":"SPAN_KIND_SERVER",)"
                              R"("startTimeUnixNano":"1000000","endTimeUnixNano":"3000000","status":{"code":"STATUS_CODE_ERROR"}})";
const QByteArray a1 = "1/a1 'n' s SERVER ERROR 1000000..3000000\n";

QByteArray resourceSpans(const QByteArray& spans, const QByteArray& list = "scopeSpans")
{
    return R"({"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},")" + list + R"(":[{"spans":[)" + spans
        + "]}]}";
}

} // namespace

class tst_Tempo : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("tempo-json"); }
    void largeAnswerIsPartial();

private:
    static void answers();
    static void languageModels();
    static void downloads();
};

void tst_Tempo::reads_data()
{
    readerColumns();
    answers();
    languageModels();
    downloads();
}

void tst_Tempo::answers()
{
    readerRow("version 1", R"({"batches":[)" + resourceSpans(base64Span) + "]}", a1);
    readerRow("version 1 of old servers", R"({"batches":[)" + resourceSpans(base64Span, "instrumentationLibrarySpans") + "]}", a1);
    readerRow("hex and base64 in one file",
        R"({"batches":[)" + resourceSpans(base64Span + "," + QByteArray(base64Span).replace("AAAAAAAAAKE=", "00000000000000a2")) + "]}",
        a1 + "1/a2 'n' s SERVER ERROR 1000000..3000000\n");
    const QByteArray trace = R"({"trace":{"resourceSpans":[)" + resourceSpans(base64Span) + "]}";
    readerRow("version 2", trace + "}", a1);
    readerRow("version 2 with metrics", trace + R"(,"metrics":{"inspectedBytes":"12"}})", a1);
    readerRow("complete", trace + R"(,"status":"COMPLETE"})", a1);
    readerRow("partial", trace + R"(,"status":"PARTIAL"})", a1, "PARTIAL_TRACE:1");
    readerRow("partial with a reason", trace + R"(,"status":"PARTIAL","message":"too large"})", a1, "PARTIAL_TRACE:1");
    readerRow("partial, said first", R"({"status":"PARTIAL",)" + trace.mid(1) + "}", a1, "PARTIAL_TRACE:1");
}

void tst_Tempo::languageModels()
{
    const auto answer = [](const QByteArray& spans, const QByteArray& more = {}) {
        return R"({"trace":{"traceId":"01","services":[{"serviceName":"s","resource":{"k8s":"p"},"scopes":[{"name":"lib","version":"2","spans":[)"
            + spans + "]}]}]}" + more + "}";
    };
    const QByteArray span =
        R"({"spanId":"00000000000000a1","name":"n","kind":"SPAN_KIND_SERVER","startTimeUnixNano":"1000000","durationMs":2)";
    const QByteArray known = "1/a1 'n' s|lib@2 SERVER 1000000..3000000";
    readerRow("answer for language models", answer(span + "}"), known + "\n");
    readerRow("answers in a list", "[" + answer(span + "}") + "]", known + "\n");
    readerRow("no answer among them", answer(span + "}") + "\n" + R"({"hello":1})", known + "\n", "BAD_RECORD:1 rejected:1");
    readerRow(
        "fraction of a millisecond", answer(QByteArray(span).replace(":2", ":2.5") + "}"), "1/a1 'n' s|lib@2 SERVER 1000000..3500000\n");
    readerRow("parent", answer(span + R"(,"parentSpanId":"00000000000000b1"})"), QByteArray(known).replace("a1 ", "a1<b1 ") + "\n");
    readerRow("status", answer(span + R"(,"status":{"code":"STATUS_CODE_ERROR","message":"no"}})"),
        "1/a1 'n' s|lib@2 SERVER ERROR(no) 1000000..3000000\n");
    readerRow("attributes", answer(span + R"(,"attributes":{"a":1,"b":"x","c":true}})"), known + " {a=1, b=x, c=true}\n");
    readerRow("events and links",
        answer(
            span + R"(,"events":[{"name":"e","timeUnixNano":"1500000","attributes":{"k":1}}],"links":[{"traceId":"02","spanId":"c1"}]})"),
        known + " event e@1500000{k=1} link 2/c1{}\n");
    readerRow("partial answer for language models", answer(span + "}", R"(,"status":"PARTIAL")"), known + "\n", "PARTIAL_TRACE:1");
    readerRow("services without spans", answer(span + "}").replace("]}]}]}", R"(]}]},{"serviceName":"t","scopes":null}]})"), known + "\n");
}

void tst_Tempo::downloads()
{
    // Times went through doubles, kinds are names or absent, event names are lost, and equal resources repeat.
    const auto download = [](const QByteArray& batches) { return R"({"batches":[)" + batches + "]}"; };
    const QByteArray span =
        R"({"traceId":"0000000000000000000000000000aa01","spanId":"00000000000000a1","traceState":"","name":"n",)"
        R"("kind":"server","startTimeUnixNano":1700000000123456800,"endTimeUnixNano":1700000000223456800,)"
        R"("events":[{"timeUnixNano":1700000000200000000,"attributes":[],"droppedAttributesCount":0,"name":""}],"links":[],)"
        R"("status":{"code":0},"attributes":[{"key":"k","value":{"intValue":1}}],"droppedAttributesCount":0})";
    const QByteArray text = "aa01/a1 'n' s SERVER 1700000000123456800..1700000000223456800 {k=1} event @1700000000200000000{}";
    readerRow("download of Grafana", download(resourceSpans(span, "instrumentationLibrarySpans")), text + "\n");
    readerRow("rounded times",
        download(resourceSpans(QByteArray(span).replace("123456800", "123456768").replace("223456800", "223456512"))),
        "aa01/a1 'n' s SERVER 1700000000123456768..1700000000223456512 {k=1} event @1700000000200000000{} +rounded\n");
    readerRow("a batch a span", download(resourceSpans(span) + "," + resourceSpans(QByteArray(span).replace("a1\"", "a2\""))),
        text + "\n" + QByteArray(text).replace("/a1", "/a2") + "\n");
    readerRow("status as text", download(resourceSpans(QByteArray(span).replace(R"("code":0)", R"("code":"Error")"))),
        QByteArray(text).replace("SERVER", "SERVER ERROR") + "\n");
    readerRow("no kind", download(resourceSpans(QByteArray(span).replace(R"("kind":"server",)", ""))),
        QByteArray(text).replace(" SERVER", "") + "\n");
}

/// Above 8 MiB an answer is walked into, and what stands behind its spans still counts.
void tst_Tempo::largeAnswerIsPartial()
{
    QByteArray spans = base64Span;
    while (spans.size() < (9 << 20))
        spans += "," + base64Span;
    const QByteArray answer = R"({"trace":{"resourceSpans":[)" + resourceSpans(spans) + R"(]},"status":"PARTIAL","message":"too large"})";
    const ImportText got = importText(viewOf(answer));
    QCOMPARE(got.faults, std::string("PARTIAL_TRACE:1"));
    QCOMPARE(got.format, std::string("tempo-json"));
}

QTEST_GUILESS_MAIN(tst_Tempo)
#include "tst_tempo.moc"
