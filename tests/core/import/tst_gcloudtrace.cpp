// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Google Cloud Trace: traces of version 1 and spans of version 2.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// A span of version 1 from 1 s to 2 s; \a more is further members with a leading comma.
QByteArray span1(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"spanId":")" + id + R"(","name":"n","startTime":"1970-01-01T00:00:01Z","endTime":"1970-01-01T00:00:02.000000001Z")" + more
        + "}";
}

QByteArray trace1(const QByteArray& spans)
{
    return R"({"projectId":"p","traceId":"00000000000000000000000000000001","spans":[)" + spans + "]}";
}

/// A span of version 2 from 1 s to 2 s.
QByteArray span2(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"name":"projects/p/traces/00000000000000000000000000000001/spans/)" + id + R"(","spanId":")" + id
        + R"(","displayName":{"value":"n"},"startTime":"1970-01-01T00:00:01Z","endTime":"1970-01-01T00:00:02Z")" + more + "}";
}

const QByteArray times1 = " 1000000000..2000000001";
const QByteArray times2 = " 1000000000..2000000000";

} // namespace

class tst_GcloudTrace : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();

private:
    static void version1();
    static void version2();
};

void tst_GcloudTrace::reads_data()
{
    readerColumns();
    version1();
    version2();
}

void tst_GcloudTrace::version1()
{
    const QByteArray a1 = "1/a1 'n'" + times1 + "\n";
    readerRow("trace", trace1(span1("161")), a1);
    readerRow("list of traces", R"({"traces":[)" + trace1(span1("161")) + "," + trace1(span1("162")) + R"(],"nextPageToken":"x"})",
        a1 + "1/a2 'n'" + times1 + "\n");
    readerRow("cut", trace1(span1("161") + "," + span1("162")).chopped(20), "1/a1 'n'" + times1 + "\n", "TRUNCATED_INPUT:1 rejected:1");
    readerRow("malformed span", trace1(span1("161") + "," + QByteArray(span1("162")).replace(R"("n")", "nan") + "," + span1("163")),
        a1 + "1/a3 'n'" + times1 + "\n", "BAD_RECORD:1 rejected:1");
    readerRow("no spans among the spans", trace1(span1("161") + R"(,7,null,{"hello":1})"), a1, "BAD_RECORD:2 rejected:2");
    readerRow("a malformed member beside the spans",
        QByteArray(trace1(span1("161"))).replace(R"("spans")", R"("labels":{"a":tru},"spans")") + "\n"
            + R"({"projectId":"q","traceId":"02","spans":[)" + span1("162") + "]}\n",
        a1 + "2/a2 'n'" + times1 + "\n", "BAD_RECORD:1 rejected:1");
    readerRow("a malformed member behind the spans",
        R"({"traces":[{"spans":[)" + span1("161") + R"(],"labels":[tru],"projectId":"p","traceId":"01"},{"traceId":"02","spans":[)"
            + span1("162") + "]}]}",
        a1 + "2/a2 'n'" + times1 + "\n", "BAD_RECORD:1 rejected:1");
    readerRow("without a project", R"({"traceId":"01","spans":[)" + span1("161") + "]}", a1);
    readerRow("spans before the trace id", R"({"spans":[)" + span1("161") + R"(],"projectId":"p","traceId":"01"})", a1);
    readerRow("ids beyond int64", trace1(span1("18446744073709551615", R"(,"parentSpanId":"9223372036854775809")")),
        "1/ffffffffffffffff<8000000000000001 'n'" + times1 + "\n");
    readerRow("no parent", trace1(span1("161", R"(,"parentSpanId":"0")")), a1);
    readerRow("kinds",
        trace1(span1("161", R"(,"kind":"RPC_SERVER")") + "," + span1("162", R"(,"kind":"RPC_CLIENT")") + ","
            + span1("163", R"(,"kind":"SPAN_KIND_UNSPECIFIED")")),
        "1/a1 'n' SERVER" + times1 + "\n1/a2 'n' CLIENT" + times1 + "\n1/a3 'n'" + times1 + "\n");
    readerRow("labels", trace1(span1("161", R"(,"labels":{"/http/status_code":"500","/http/method":"GET","/agent":"a","k":"v"})")),
        a1.chopped(1) + " {http.response.status_code=500, http.request.method=GET, /agent=a, k=v}\n");
    readerRow("error", trace1(span1("161", R"(,"labels":{"/error/message":"no","/error/name":"E"})")),
        "1/a1 'n' ERROR(no)" + times1 + " {/error/message=no, /error/name=E}\n");
    readerRow("service", trace1(span1("161", R"(,"labels":{"g.co/gae/app/module":"shop"})")),
        "1/a1 'n' shop" + times1 + " {g.co/gae/app/module=shop}\n");
    readerRow("unreadable time", trace1(QByteArray(span1("161")).replace("1970-01-01T00:00:02.000000001Z", "soon")),
        "1/a1 'n' 1000000000..?\n", "BAD_TIMESTAMP:1");
}

void tst_GcloudTrace::version2()
{
    const QByteArray a1 = "1/a1 'n'" + times2 + "\n";
    readerRow("span", span2("00000000000000a1"), a1);
    readerRow("malformed span, first of all",
        QByteArray(span2("00000000000000a2")).replace(R"({"value":"n"})", "tru") + "\n" + span2("00000000000000a1"), a1,
        "BAD_RECORD:1 rejected:1");
    readerRow("spans to write",
        R"({"spans":[)" + span2("00000000000000a1") + "," + span2("00000000000000a2", R"(,"parentSpanId":"00000000000000a1")") + "]}",
        a1 + "1/a2<a1 'n'" + times2 + "\n");
    readerRow("kind and status", span2("00000000000000a1", R"(,"spanKind":"SERVER","status":{"code":5,"message":"gone"})"),
        "1/a1 'n' SERVER ERROR(gone)" + times2 + " {rpc.grpc.status_code=5}\n");
    readerRow("status 0", span2("00000000000000a1", R"(,"status":{"code":0})"), "1/a1 'n' OK" + times2 + "\n");
    readerRow("attributes",
        span2("00000000000000a1",
            R"(,"attributes":{"attributeMap":{"s":{"stringValue":{"value":"v","truncatedByteCount":0}},)"
            R"("i":{"intValue":"9007199254740993"},)"
            R"("b":{"boolValue":true},"/http/method":{"stringValue":{"value":"GET"}}},"droppedAttributesCount":3})"),
        a1.chopped(1) + " {s=v, i=9007199254740993, b=true, http.request.method=GET} -attributes=3\n");
    readerRow("service", span2("00000000000000a1", R"(,"attributes":{"attributeMap":{"service.name":{"stringValue":{"value":"shop"}}}})"),
        "1/a1 'n' shop" + times2 + "\n");
    readerRow("events",
        span2("00000000000000a1",
            R"(,"timeEvents":{"timeEvent":[{"time":"1970-01-01T00:00:01.5Z","annotation":{"description":{"value":"e"},)"
            R"("attributes":{"attributeMap":{"k":{"stringValue":{"value":"v"}}}}}},)"
            R"({"time":"1970-01-01T00:00:01.6Z","messageEvent":{"type":"SENT","id":"1"}}]})"),
        a1.chopped(1) + " event e@1500000000{k=v} event message@1600000000{message.type=SENT, message.id=1}\n");
    readerRow("links",
        span2(
            "00000000000000a1", R"(,"links":{"link":[{"traceId":"02","spanId":"b2","type":"PARENT_LINKED_SPAN"}],"droppedLinksCount":2})"),
        a1.chopped(1) + " link 2/b2{type=PARENT_LINKED_SPAN} -links=2\n");
}

void tst_GcloudTrace::reads()
{
    compareReading("gcloud-trace");
}

QTEST_GUILESS_MAIN(tst_GcloudTrace)
#include "tst_gcloudtrace.moc"
