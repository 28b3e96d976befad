// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ClickHouse: rows of otel_traces as JSON.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// A row of 2 us from 1 s on; \a more is further columns with a leading comma.
QByteArray rowOf(const QByteArray& spanId, const QByteArray& more = {})
{
    return R"({"Timestamp":"1970-01-01 00:00:01.000000001","TraceId":"01","SpanId":")" + spanId
        + R"(","ParentSpanId":"","TraceState":"","SpanName":"n","SpanKind":"Server","ServiceName":"shop",)"
          R"("ResourceAttributes":{"host.name":"h"},)"
          R"("ScopeName":"lib","ScopeVersion":"2","SpanAttributes":{"k":"v"},"Duration":2000,"StatusCode":"Unset","StatusMessage":"")"
        + more + "}";
}

const QByteArray rest = " 'n' shop|lib@2 SERVER 1000000001..1000002001 {k=v}";
const QByteArray a1 = "1/a1" + rest + "\n";

} // namespace

class tst_ClickHouse : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
};

void tst_ClickHouse::reads_data()
{
    readerColumns();
    const auto replaced = [](const char* name, const char* before, const char* after, const QByteArray& text, const char* faults = "") {
        readerRow(name, rowOf("a1").replace(before, after), text, faults);
    };
    readerRow("JSONEachRow", rowOf("a1") + "\n" + rowOf("a2") + "\n", a1 + "1/a2" + rest + "\n");
    readerRow("what is no row", "[" + rowOf("a1") + R"(,{"hello":1},7,null])", a1, "BAD_RECORD:2 rejected:2");
    readerRow("JSON", R"({"meta":[{"name":"SpanId","type":"String"}],"data":[)" + rowOf("a1") + R"(],"rows":1})", a1);
    replaced("parent", R"("ParentSpanId":"")", R"("ParentSpanId":"b1")", "1/a1<b1" + rest + "\n");
    replaced("old names of kinds", "\"Server\"", "\"SPAN_KIND_SERVER\"", a1);
    replaced("status", "\"Unset\"", "\"Error\"", "1/a1 'n' shop|lib@2 SERVER ERROR 1000000001..1000002001 {k=v}\n");
    replaced(
        "old names of statuses", "\"Unset\"", "\"STATUS_CODE_ERROR\"", "1/a1 'n' shop|lib@2 SERVER ERROR 1000000001..1000002001 {k=v}\n");
    replaced("status message", R"("StatusMessage":"")", R"("StatusMessage":"no")",
        "1/a1 'n' shop|lib@2 SERVER UNSET(no) 1000000001..1000002001 {k=v}\n");
    replaced("quoted duration", "2000", "\"2000\"", a1);
    replaced("time as seconds", "\"1970-01-01 00:00:01.000000001\"", "1.000000001", a1);
    replaced("time with a zone", "1970-01-01 00:00:01.000000001", "1970-01-01T00:00:01.000000001Z", a1);
    replaced("attributes of type JSON", R"({"k":"v"})", R"({"http":{"status":200},"list":[1]})",
        "1/a1 'n' shop|lib@2 SERVER 1000000001..1000002001 {http.status=200, list=[1]}\n");
    replaced("service among the attributes", R"({"host.name":"h"})", R"({"service.name":"inner"})",
        "1/a1 'n' inner|lib@2 SERVER 1000000001..1000002001 {k=v}\n");
    readerRow("scope among the attributes",
        rowOf("a1")
            .replace(R"("ScopeName":"lib","ScopeVersion":"2",)", "")
            .replace(R"({"k":"v"})", R"({"otel.scope.name":"lib","otel.scope.version":"2","k":"v"})"),
        a1);
    const QByteArray events = " event e1@1000000002{a=1} event e2@1000000003{}\n";
    readerRow("events as columns",
        rowOf("a1",
            R"(,"Events.Timestamp":["1970-01-01 00:00:01.000000002","1970-01-01 00:00:01.000000003"],"Events.Name":["e1",)"
            R"("e2"],"Events.Attributes":[{"a":"1"},{}])"),
        a1.chopped(1) + events);
    readerRow("events as objects",
        rowOf("a1",
            R"(,"Events":[{"Timestamp":"1970-01-01 00:00:01.000000002","Name":"e1","Attributes":{"a":"1"}},)"
            R"({"Timestamp":"1970-01-01 00:00:01.000000003","Name":"e2","Attributes":{}}])"),
        a1.chopped(1) + events);
    readerRow("links",
        rowOf("a1",
            R"(,"Links.TraceId":["02","03"],"Links.SpanId":["b2","b3"],"Links.TraceState":["",""],"Links.Attributes":[{"k":"v"},{}])"),
        a1.chopped(1) + " link 2/b2{k=v} link 3/b3{}\n");
    readerRow("columns of unequal length", rowOf("a1", R"(,"Events.Timestamp":[],"Events.Name":["e1"],"Events.Attributes":[])"),
        a1.chopped(1) + " event e1@?{}\n");
    replaced("unreadable time", "1970-01-01 00:00:01.000000001", "soon", "1/a1 'n' shop|lib@2 SERVER ?..? {k=v}\n", "BAD_TIMESTAMP:1");
    readerRow("a broken row costs itself", rowOf("a1") + "\n{\"Timestamp\":,}\n" + rowOf("a2"), a1 + "1/a2" + rest + "\n",
        "BAD_RECORD:1 rejected:1");
}

void tst_ClickHouse::reads()
{
    compareReading("clickhouse");
}

QTEST_GUILESS_MAIN(tst_ClickHouse)
#include "tst_clickhouse.moc"
