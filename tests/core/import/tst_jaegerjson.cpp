// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Jaeger JSON: raw text in, spans as text out; every row also in single bytes and in sevens.
#include "tests/core/import/readerrows.h"

#include <algorithm>

using namespace chokepoint::testing;

namespace {

/// A span of process p1 from 1 ms on for 2 ms; \a more is further members with a leading comma.
QByteArray span(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"traceID":"01","spanID":")" + id + R"(","operationName":"n","startTime":1000,"duration":2000,"processID":"p1")" + more + "}";
}

QByteArray trace(const QByteArray& spans)
{
    return R"({"traceID":"01","spans":[)" + spans + R"(],"processes":{"p1":{"serviceName":"s","tags":[]}},"warnings":null})";
}

QByteArray answer(const QByteArray& traces)
{
    return R"({"data":[)" + traces + R"(],"total":0,"limit":0,"offset":0,"errors":null})";
}

QByteArray reference(const QByteArray& type, const QByteArray& traceId, const QByteArray& spanId)
{
    return R"({"refType":")" + type + R"(","traceID":")" + traceId + R"(","spanID":")" + spanId + R"("})";
}

QByteArray references(const QByteArray& list)
{
    return R"(,"references":[)" + list + "]";
}

const QByteArray a1 = "1/a1 'n' s 1000000..3000000\n";
const QByteArray a2 = "1/a2 'n' s 1000000..3000000\n";

} // namespace

class tst_JaegerJson : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("jaeger-json"); }
    void largeTrace();

private:
    static void wrappers();
    static void parents();
    static void tags();
};

void tst_JaegerJson::reads_data()
{
    readerColumns();
    wrappers();
    parents();
    tags();
}

void tst_JaegerJson::wrappers()
{
    readerRow("answer of the query service", answer(trace(span("a1"))), a1);
    readerRow("several traces", answer(trace(span("a1")) + "," + trace(span("a2"))), a1 + a2);
    readerRow("bare trace", trace(span("a1")), a1);
    readerRow("list of traces", "[" + trace(span("a1")) + "," + trace(span("a2")) + "]", a1 + a2);
    readerRow("lines of traces", trace(span("a1")) + "\n" + trace(span("a2")) + "\n", a1 + a2);
    const QByteArray document = R"({"traceID":"01","spanID":"a1","operationName":"n","startTime":1000,"duration":2000,"startTimeMillis":1,)"
                                R"("tags":[],"tag":{"http@method":"GET"},"process":{"serviceName":"s","tags":[],"tag":{"host@name":"h"}}})";
    const QByteArray documentText = "1/a1 'n' s 1000000..3000000 {http.method=GET}\n";
    readerRow("Elasticsearch document", document, documentText);
    readerRow("Elasticsearch dump", R"({"_index":"jaeger-span","_source":)" + document + "}", documentText);
    readerRow("Elasticsearch answer", R"({"hits":{"hits":[{"_source":)" + document + "}]}}", documentText);
    const QByteArray binary =
        R"({"traceID":"01","spanID":"a1","operationName":"n","startTime":1000,"duration":2000,"process":{"serviceName":"s"},)"
        R"("tags":[{"key":"h","type":"binary","value":"00003039"},{"key":"b","type":"binary","value":"AAEC/w=="},)"
        R"({"key":"p","vBinary":"00003039"}]})";
    readerRow("binary values of a document are hex", binary, "1/a1 'n' s 1000000..3000000 {h=AAAwOQ==, b=AAEC/w==, p=00003039}\n");
    readerRow("a process of its own before the name of one", QByteArray(document).replace(R"("tags":[],)", R"("tags":[],"processID":"",)"),
        documentText);
    readerRow(
        "malformed document first", QByteArray(document).replace("1000", "nan") + "\n" + document, documentText, "BAD_RECORD:1 rejected:1");
    readerRow("malformed document of an answer",
        R"([{"_source":)" + QByteArray(document).replace("1000", "nan") + R"(},{"_source":)" + document + "}]", documentText,
        "BAD_RECORD:1 rejected:1");
    readerRow("services among documents", document + "\n" + R"({"serviceName":"s","operationName":"n"})" + "\n", documentText);
    readerRow("Elasticsearch bulk file",
        R"({"index":{"_index":"jaeger-span-2026-01-01"}})"
        "\n" + document
            + "\n" + R"({"create":{"_id":"2"}})" + "\n" + document + "\n",
        documentText + documentText);
    readerRow("processes first", R"({"processes":{"p1":{"serviceName":"s"}},"traceID":"01","spans":[)" + span("a1") + "]}", a1);
    readerRow("process missing", R"({"traceID":"01","spans":[)" + span("a1") + R"(],"processes":{}})",
        "1/a1 'n' unknown-service 1000000..3000000\n", "MISSING_PROCESS:1");
    readerRow("process missing beside a malformed member",
        R"({"data":[{"traceID":"01","spans":[)" + span("a1") + R"(],"processes":{}}],"y":tru})",
        "1/a1 'n' unknown-service 1000000..3000000\n", "BAD_RECORD:1 MISSING_PROCESS:1 rejected:1");
    readerRow("service without a name",
        QByteArray(trace(span("a1"))).replace(R"("serviceName":"s")", R"("serviceName":"OTLPResourceNoServiceName")"),
        "1/a1 'n' 1000000..3000000\n");
    readerRow("protobuf's JSON mapping",
        R"({"spans":[{"traceId":"AAAAAAAAAAAAAAAAAAAAAQ==","spanId":"AAAAAAAAAKE=","operationName":"n","startTime":"1970-01-01T00:00:00.001Z",)"
        R"("duration":"0.002s","tags":[{"key":"k","vType":"INT64","vInt64":"5"},{"key":"b","vType":"BOOL","vBool":true}],"process":{"serviceName":"s"}}]})",
        "1/a1 'n' s 1000000..3000000 {k=5, b=true}\n");
    readerRow("cut answer", answer(trace(span("a1") + "," + span("a2"))).left(220), "1/a1 'n' unknown-service 1000000..3000000\n",
        "TRUNCATED_INPUT:1 MISSING_PROCESS:1 rejected:1");
    readerRow("nothing found", R"({"data":[],"total":0,"limit":0,"offset":0,"errors":null})", "", "NO_SPANS:1");
    readerRow(
        "unreadable time", trace(span("a1") + "," + QByteArray(span("a2")).replace("1000", "\"soon\"")), a1, "BAD_TIMESTAMP:1 rejected:1");
    readerRow("milliseconds", trace(QByteArray(span("a1")).replace("1000", "1700000000000")),
        "1/a1 'n' s 1700000000000000000..1700000002000000000 +repaired\n", "TIME_UNIT_REPAIRED:1");
    readerRow("nanoseconds", trace(QByteArray(span("a1")).replace("1000,", "1700000000123456789,").replace("2000", "2500")),
        "1/a1 'n' s 1700000000123456789..1700000000123459289 +repaired\n", "TIME_UNIT_REPAIRED:1");
    readerRow("nanoseconds and a duration that names its unit",
        trace(QByteArray(span("a1")).replace("1000,", "1700000000000000000,").replace("2000", R"("5ms")")),
        "1/a1 'n' s 1700000000000000000..1700000000005000000 +repaired\n", "TIME_UNIT_REPAIRED:1");
    readerRow("log in nanoseconds",
        trace(span("a1", R"(,"logs":[{"timestamp":1700000000000000000,"fields":[{"key":"event","type":"string","value":"e"}]}])")),
        a1.chopped(1) + " event e@1700000000000000000{}\n", "TIME_UNIT_REPAIRED:1");
    readerRow("no spans among the spans", trace(span("a1") + R"(,null,7,"x",[],)" + span("a2")), a1 + a2, "BAD_RECORD:3 rejected:3");
    readerRow("an object in place of the spans", answer(R"({"traceID":"01","spans":{"0":)" + span("a2") + "}}," + trace(span("a1"))), a1,
        "BAD_RECORD:1 rejected:1");
    readerRow("no traces among the traces", answer(trace(span("a1")) + R"(,5,{"hello":1},)" + trace(span("a2"))), a1 + a2,
        "BAD_RECORD:2 rejected:2");
    readerRow("document without an id",
        R"({"traceID":"01","operationName":"n","startTime":1000,"duration":2000,"process":{"serviceName":"s"}})"
        "\n" + QByteArray(document).replace("a1", "b1"),
        QByteArray("1/1f01d7cc6947dd85 'n' s 1000000..3000000\n") + QByteArray(documentText).replace("a1", "b1"), "INVALID_ID:1");
    readerRow("seconds in a date are no other unit", trace(QByteArray(span("a1")).replace("1000", R"("1970-01-20T16:13:20Z")")),
        "1/a1 'n' s 1700000000000000..1700000002000000\n");
    readerRow("a member twice",
        trace(QByteArray(span("a1")).replace(R"("operationName":"n")", R"("operationName":"m","operationName":"n")")), a1,
        "DUPLICATE_KEY:1");
    readerRow("no duration", trace(QByteArray(span("a1")).replace(R"("duration":2000,)", "")), "1/a1 'n' s 1000000..?\n");
    readerRow("fraction of a microsecond", trace(QByteArray(span("a1")).replace("1000", "1000.25")), "1/a1 'n' s 1000250..3000250\n");
}

void tst_JaegerJson::parents()
{
    readerRow("CHILD_OF", trace(span("a1") + "," + span("a2", references(reference("CHILD_OF", "01", "a1")))),
        a1 + "1/a2<a1 'n' s 1000000..3000000\n");
    readerRow("ids of other lengths",
        trace(span("0a1") + "," + span("a2", references(reference("CHILD_OF", "00000000000000000000000000000001", "00000000000000a1")))),
        a1 + "1/a2<a1 'n' s 1000000..3000000\n");
    readerRow(
        "FOLLOWS_FROM", trace(span("a2", references(reference("FOLLOWS_FROM", "01", "a1")))), "1/a2<a1 'n' s 1000000..3000000 +follows\n");
    readerRow("parentSpanID", trace(span("a2", R"(,"parentSpanID":"a1")" + references(reference("CHILD_OF", "01", "a1")))),
        "1/a2<a1 'n' s 1000000..3000000\n");
    readerRow("CHILD_OF before FOLLOWS_FROM",
        trace(span("a1") + "," + span("a3") + ","
            + span("a2", references(reference("FOLLOWS_FROM", "01", "a3") + "," + reference("CHILD_OF", "01", "a1")))),
        a1 + "1/a3 'n' s 1000000..3000000\n1/a2<a1 'n' s 1000000..3000000 link 1/a3{opentracing.ref_type=follows_from}\n");
    readerRow("the parent that exists",
        trace(span("a2", references(reference("CHILD_OF", "01", "dead") + "," + reference("FOLLOWS_FROM", "01", "a1"))) + "," + span("a1")),
        a1 + "1/a2<a1 'n' s 1000000..3000000 link 1/dead{opentracing.ref_type=child_of} +follows\n");
    readerRow("no parent exists",
        trace(span("a2", references(reference("FOLLOWS_FROM", "01", "dead") + "," + reference("CHILD_OF", "01", "beef")))),
        "1/a2<beef 'n' s 1000000..3000000 link 1/dead{opentracing.ref_type=follows_from}\n");
    readerRow("other trace", trace(span("a2", references(reference("CHILD_OF", "02", "a1")))),
        "1/a2 'n' s 1000000..3000000 link 2/a1{opentracing.ref_type=child_of}\n");
    readerRow("parent and itself",
        trace(span("a2", references(reference("CHILD_OF", "01", "a1") + "," + reference("CHILD_OF", "01", "a2"))) + "," + span("a1")),
        "1/a2<a1 'n' s 1000000..3000000\n" + a1);
    readerRow("itself alone", trace(span("a2", references(reference("CHILD_OF", "01", "a2")))), "1/a2<a2 'n' s 1000000..3000000\n");
    readerRow("opaque ids",
        R"({"traceID":"trace-x","spans":[{"traceID":"trace-x","spanID":"span-B","operationName":"n","startTime":1000,"duration":2000,)"
        R"("references":[{"refType":"CHILD_OF","traceID":"trace-x","spanID":"span-A"}],"processID":"p1"}],"processes":{"p1":{"serviceName":"s"}}})",
        "trace-x/span-B<span-A 'n' s 1000000..3000000\n");
}

void tst_JaegerJson::tags()
{
    const auto tagged = [](const char* name, const QByteArray& tags, const QByteArray& text, const char* faults = "") {
        readerRow(name, trace(span("a1", R"(,"tags":[)" + tags + "]")), "1/a1 'n' s" + text + "\n", faults);
    };
    tagged("typed values",
        R"({"key":"i","type":"int64","value":9223372036854775807},{"key":"j","type":"int64","value":"-9223372036854775808"},)"
        R"({"key":"t","type":"string","value":"007"},{"key":"f","type":"float64","value":0.1},{"key":"b","type":"bool","value":"true"},)"
        R"({"key":"y","type":"binary","value":"AAEC/w=="},{"key":"u","value":5})",
        " 1000000..3000000 {i=9223372036854775807, j=-9223372036854775808, t=007, f=0.1, b=true, y=AAEC/w==, u=5}");
    tagged("kind", R"({"key":"span.kind","type":"string","value":"server"})", " SERVER 1000000..3000000");
    tagged("error", R"({"key":"error","type":"bool","value":true})", " ERROR 1000000..3000000 {error=true}");
    tagged("true as text", R"({"key":"error","type":"string","value":"True"})", " ERROR 1000000..3000000 {error=True}");
    tagged("the name of an error", R"({"key":"error","type":"string","value":"timeout"})", " 1000000..3000000 {error=timeout}");
    tagged("no error", R"({"key":"error","type":"string","value":"False"})", " 1000000..3000000 {error=False}");
    tagged("status",
        R"({"key":"otel.status_code","type":"string","value":"ERROR"},{"key":"otel.status_description","type":"string","value":"no"})",
        " ERROR(no) 1000000..3000000");
    tagged("status with the words of HTTP",
        R"({"key":"http.status_message","type":"string","value":"gone"},{"key":"error","type":"bool","value":true})",
        " ERROR(gone) 1000000..3000000 {http.status_message=gone, error=true}");
    tagged("the words of HTTP are no error", R"({"key":"http.status_message","type":"string","value":"OK"})",
        " 1000000..3000000 {http.status_message=OK}");
    tagged("an HTTP status is no error", R"({"key":"http.status_code","type":"int64","value":500})",
        " 1000000..3000000 {http.status_code=500}");
    tagged("scope",
        R"({"key":"otel.library.name","type":"string","value":"lib"},{"key":"otel.library.version","type":"string","value":"2"})",
        "|lib@2 1000000..3000000");
    tagged("trace state", R"({"key":"w3c.tracestate","type":"string","value":"k=v"})", " 1000000..3000000 state=k=v");
    tagged("nested value", R"({"key":"k","value":{"a":[1]}})", R"( 1000000..3000000 {k={"a":[1]}})");
    tagged("not what it says", R"({"key":"k","type":"int64","value":"many"},3)", " 1000000..3000000 {k=many}", "BAD_ATTRIBUTES:2");
    readerRow("logs",
        trace(span("a1",
            R"(,"logs":[{"timestamp":1500,"fields":[{"key":"event","type":"string","value":"e"},{"key":"message","type":"string","value":"m"},)"
            R"({"key":"k","type":"int64","value":1}]},{"timestamp":1600,"fields":[{"key":"message","type":"string","value":"m"}]}])")),
        "1/a1 'n' s 1000000..3000000 event e@1500000{k=1, message=m} event m@1600000{}\n");
    readerRow("warnings and flags", trace(span("a1", R"(,"flags":3,"warnings":["clock skew"])")),
        "1/a1 'n' s 1000000..3000000 {jaeger.warnings=[\"clock skew\"]} w3c=1\n");
}

/// Above 8 MiB a trace is walked into, and its processes still reach the spans before them.
void tst_JaegerJson::largeTrace()
{
    constexpr int count = 30000;
    const QByteArray padding(200, 'x');
    QByteArray spans;
    for (int i = 0; i < count; ++i)
        spans += (i == 0 ? "" : ",") + span(QByteArray::number(i + 1, 16), R"(,"tags":[{"key":"k","value":")" + padding + R"("}])");
    const QByteArray document = answer(trace(spans));
    QVERIFY(document.size() > (8 << 20));
    const ImportText got = importText(viewOf(document));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), count);
    QCOMPARE(got.faults, std::string());
    const QByteArray first = "1/1 'n' s 1000000..3000000 {k=" + padding + "}\n";
    QCOMPARE(QByteArray::fromStdString(got.spans.substr(0, std::size_t(first.size()))), first);
}

QTEST_GUILESS_MAIN(tst_JaegerJson)
#include "tst_jaegerjson.moc"
