// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Console exporters: Python's and Go's objects between other lines, alone or behind a logger's prefix.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// A span of Python, 2 us from 1 s on; \a more is further members with a leading comma.
QByteArray python(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"name": "n", "context": {"trace_id": "0x00000000000000000000000000000001", "span_id": "0x)" + id
        + R"(", "trace_state": "[]"}, "kind": "SpanKind.SERVER", "parent_id": null, "start_time": "1970-01-01T00:00:01.000000Z",)"
          R"( "end_time": "1970-01-01T00:00:01.000002Z", "status": {"status_code": "UNSET"}, "attributes": {}, "events": [], "links": [],)"
          R"( "resource": {"attributes": {"service.name": "shop"}, "schema_url": ""})"
        + more + "}";
}

/// The same of Go.
QByteArray go(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"Name":"n","SpanContext":{"TraceID":"00000000000000000000000000000001","SpanID":")" + id
        + R"(","TraceFlags":"01","TraceState":"","Remote":false},)"
          R"("Parent":{"TraceID":"00000000000000000000000000000000","SpanID":"0000000000000000","TraceFlags":"00",)"
          R"("TraceState":"","Remote":false},)"
          R"("SpanKind":2,"StartTime":"1970-01-01T00:00:01Z","EndTime":"1970-01-01T00:00:01.000002+00:00",)"
          R"("Attributes":null,"Events":null,"Links":null,)"
          R"("Status":{"Code":"Unset","Description":""},"DroppedAttributes":0,"DroppedEvents":0,"DroppedLinks":0,"ChildSpanCount":0,)"
          R"("Resource":[{"Key":"service.name","Value":{"Type":"STRING","Value":"shop"}}],)"
          R"("InstrumentationScope":{"Name":"lib","Version":"2","SchemaURL":""})"
        + more + "}";
}

QByteArray attribute(const QByteArray& key, const QByteArray& type, const QByteArray& value)
{
    return R"({"Key":")" + key + R"(","Value":{"Type":")" + type + R"(","Value":)" + value + "}}";
}

const QByteArray pythonRest = " 'n' shop SERVER 1000000000..1000002000";
const QByteArray pythonA1 = "1/a1" + pythonRest + "\n";
const QByteArray goRest = " 'n' shop|lib@2 SERVER 1000000000..1000002000";
const QByteArray goA1 = "1/a1" + goRest + " w3c=257\n";

} // namespace

class tst_Console : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();

private:
    static void framing();
    static void pythonFields();
    static void goFields();
};

void tst_Console::reads_data()
{
    readerColumns();
    framing();
    pythonFields();
    goFields();
}

void tst_Console::framing()
{
    readerRow("Python on lines", python("a1") + "\n" + python("a2"), pythonA1 + "1/a2" + pythonRest + "\n");
    readerRow("Python without separators", python("a1") + python("a2"), pythonA1 + "1/a2" + pythonRest + "\n");
    readerRow("Python over several lines", python("a1").replace(", \"", ",\n    \"").replace("{\"name\"", "{\n    \"name\""), pythonA1);
    readerRow("Python between a program's lines", "listening\n" + python("a1") + "\nGET / 200\n" + python("a2") + "\n",
        pythonA1 + "1/a2" + pythonRest + "\n", "NON_JSON_TEXT:2");
    readerRow("another program's JSON",
        R"({"level":"info"})"
        "\n" + python("a1")
            + "\n"
              R"({"level":"info"})",
        pythonA1, "NON_JSON_TEXT:2");
    readerRow(
        "a logger's prefix", "INFO:root:" + python("a1") + "\nINFO:root:" + python("a2") + "\n", pythonA1 + "1/a2" + pythonRest + "\n");
    readerRow("a time before it", "2026-11-30T06:58:44.1Z app[1]: " + go("a1") + "\n2026-11-30T06:58:44.2Z app[1]: " + go("a2") + "\n",
        goA1 + "1/a2" + goRest + " w3c=257\n");
    readerRow("Go on lines", go("a1") + "\n" + go("a2"), goA1 + "1/a2" + goRest + " w3c=257\n");
    readerRow("Go with tabs", go("a1").replace(",\"", ",\n\t\"").replace("{\"Name\"", "{\n\t\"Name\"") + "\n" + go("a2"),
        goA1 + "1/a2" + goRest + " w3c=257\n");
    readerRow("cut", go("a1") + "\n" + go("a2").left(200), goA1, "TRUNCATED_INPUT:1 rejected:1");
}

void tst_Console::pythonFields()
{
    const auto replaced = [](const char* name, const char* before, const char* after, const QByteArray& text, const char* faults = "") {
        const QByteArray input = python("a1").replace(before, after);
        QVERIFY(input != python("a1"));
        readerRow(name, input, text, faults);
    };
    replaced("Python: parent", R"("parent_id": null)", R"("parent_id": "0x00000000000000b1")", "1/a1<b1" + pythonRest + "\n");
    replaced("Python: parent without 0x", R"("parent_id": null)", R"("parent_id": "00000000000000b1")", "1/a1<b1" + pythonRest + "\n");
    replaced("Python: status", R"({"status_code": "UNSET"})", R"({"status_code": "ERROR", "description": "no"})",
        "1/a1 'n' shop SERVER ERROR(no) 1000000000..1000002000\n");
    replaced("Python: old status", R"("UNSET")", R"("StatusCode.OK")", "1/a1 'n' shop SERVER OK 1000000000..1000002000\n");
    replaced("Python: not ended", R"("1970-01-01T00:00:01.000002Z")", "null", "1/a1 'n' shop SERVER 1000000000..?\n");
    replaced("Python: attributes", R"("attributes": {})", R"("attributes": {"s": "v", "i": 9007199254740993, "f": 0.5, "l": ["a", "b"]})",
        R"(1/a1 'n' shop SERVER 1000000000..1000002000 {s=v, i=9007199254740993, f=0.5, l=["a","b"]})"
        "\n");
    replaced("Python: events", R"("events": [])",
        R"("events": [{"name": "e", "timestamp": "1970-01-01T00:00:01.000001Z", "attributes": {"k": 1}}])",
        pythonA1.chopped(1) + " event e@1000001000{k=1}\n");
    replaced("Python: links", R"("links": [])",
        R"("links": [{"context": {"trace_id": "0x02", "span_id": "0xb2", "trace_state": "[]"}, "attributes": {"k": "v"}}])",
        pythonA1.chopped(1) + " link 2/b2{k=v}\n");
    replaced("Python: trace state", R"("trace_state": "[]")", R"("trace_state": "['{key=k, value=v}', '{key=a, value=b}']")",
        pythonA1.chopped(1) + " state=k=v,a=b\n");
    replaced("Python: old trace state", R"("trace_state": "[]")", R"("trace_state": "{}")", pythonA1);
    replaced(
        "Python: old resource", R"({"attributes": {"service.name": "shop"}, "schema_url": ""})", R"({"service.name": "shop"})", pythonA1);
    replaced("Python: odd kind", "SpanKind.SERVER", "SpanKind.ODD", "1/a1 'n' shop 1000000000..1000002000 {import.raw_kind=SpanKind.ODD}\n",
        "UNKNOWN_ENUM:1");
    replaced("Python: no time at all", "1970-01-01T00:00:01.000000Z", "soon", "1/a1 'n' shop SERVER ?..1000002000\n", "BAD_TIMESTAMP:1");
}

void tst_Console::goFields()
{
    const auto replaced = [](const char* name, const char* before, const QByteArray& after, const QByteArray& text,
                              const char* faults = "") {
        const QByteArray input = go("a1").replace(before, after);
        QVERIFY(input != go("a1"));
        readerRow(name, input, text, faults);
    };
    replaced("Go: parent", R"("SpanID":"0000000000000000","TraceFlags":"00","TraceState":"","Remote":false)",
        R"("SpanID":"00000000000000b1","TraceFlags":"01","TraceState":"","Remote":true)", "1/a1<b1" + goRest + " w3c=769\n");
    replaced("Go: not sampled", R"("TraceFlags":"01")", R"("TraceFlags":"00")", "1/a1" + goRest + " w3c=256\n");
    replaced("Go: trace state", R"("TraceFlags":"01","TraceState":"")", R"("TraceFlags":"01","TraceState":"k=v")",
        "1/a1" + goRest + " state=k=v w3c=257\n");
    replaced("Go: status", R"({"Code":"Unset","Description":""})", R"({"Code":"Error","Description":"no"})",
        "1/a1 'n' shop|lib@2 SERVER ERROR(no) 1000000000..1000002000 w3c=257\n");
    replaced("Go: attributes", R"("Attributes":null)",
        R"("Attributes":[)" + attribute("s", "STRING", "\"v\"") + "," + attribute("i", "INT64", "9007199254740993") + ","
            + attribute("l", "STRINGSLICE", R"(["a"])") + "]",
        "1/a1" + goRest
            + R"( {s=v, i=9007199254740993, l=["a"]} w3c=257)"
              "\n");
    replaced("Go: events", R"("Events":null)",
        R"("Events":[{"Name":"e","Attributes":[)" + attribute("k", "INT64", "1")
            + R"(],"DroppedAttributeCount":0,"Time":"1970-01-01T00:00:01.000001Z"}])",
        "1/a1" + goRest + " event e@1000001000{k=1} w3c=257\n");
    replaced("Go: links", R"("Links":null)",
        R"("Links":[{"SpanContext":{"TraceID":"02","SpanID":"b2","TraceFlags":"01","TraceState":"","Remote":true},"Attributes":[)"
            + attribute("k", "STRING", "\"v\"") + R"(],"DroppedAttributeCount":0}])",
        "1/a1" + goRest + " link 2/b2{k=v} w3c=257\n");
    replaced("Go: dropped", R"("DroppedAttributes":0,"DroppedEvents":0,"DroppedLinks":0)",
        R"("DroppedAttributes":1,"DroppedEvents":2,"DroppedLinks":3)", "1/a1" + goRest + " w3c=257 -attributes=1 -events=2 -links=3\n");
    replaced("Go: old name of the scope", "InstrumentationScope", "InstrumentationLibrary", goA1);
    readerRow("Go: without timestamps",
        go("a1")
            .replace("1970-01-01T00:00:01Z", "0001-01-01T00:00:00Z")
            .replace("1970-01-01T00:00:01.000002+00:00", "0001-01-01T00:00:00Z")
            .replace(R"("Events":null)", R"("Events":[{"Name":"e","Attributes":null,"Time":"0001-01-01T00:00:00Z"}])"),
        "1/a1 'n' shop|lib@2 SERVER ?..? event e@?{} w3c=257\n");
    readerRow("Go: nothing leaks into the next",
        go("a1").replace(R"("Attributes":null)", R"("Attributes":[)" + attribute("k", "STRING", "\"v\"") + "]")
                .replace("\"Unset\"", "\"Error\"")
            + "\n" + go("a2"),
        "1/a1 'n' shop|lib@2 SERVER ERROR 1000000000..1000002000 {k=v} w3c=257\n1/a2" + goRest + " w3c=257\n");
}

void tst_Console::reads()
{
    compareReading("otel-console");
}

QTEST_GUILESS_MAIN(tst_Console)
#include "tst_console.moc"
