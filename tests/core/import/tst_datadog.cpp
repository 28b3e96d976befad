// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Datadog: chunks of an agent's payload, answers of the API, downloads of the trace page.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// A span of 2 us from 1 us on; \a more is further members with a leading comma.
QByteArray span(const QByteArray& traceId, const QByteArray& spanId, const QByteArray& parentId, const QByteArray& more = {})
{
    return R"({"trace_id":)" + traceId + R"(,"span_id":)" + spanId + R"(,"parent_id":)" + parentId
        + R"(,"name":"web.request","resource":"GET /","service":"shop","start":1000,"duration":2000,"error":0)" + more + "}";
}

QByteArray meta(const QByteArray& tags)
{
    return R"(,"meta":{)" + tags + "}";
}

const QByteArray rest = " 'GET /' shop 1000..3000 {operation.name=web.request";
const QByteArray a1 = "1/a1" + rest + "}\n";

} // namespace

class tst_Datadog : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();

private:
    static void wrappers();
    static void ids();
    static void fields();
};

void tst_Datadog::reads_data()
{
    readerColumns();
    wrappers();
    ids();
    fields();
}

void tst_Datadog::wrappers()
{
    readerRow("chunks", "[[" + span("1", "161", "0") + "],[" + span("2", "162", "0") + "," + span("2", "163", "162") + "]]",
        a1 + "2/a2" + rest + "}\n2/a3<a2" + rest + "}\n");
    readerRow("chunks in an object, hex ids",
        R"({"traces":[[)" + span(R"("0000000000000001")", R"("00000000000000a1")", R"("0000000000000000")") + "]]}\n", a1);
    readerRow("what is no span", "[[" + span("1", "161", "0") + R"(,{"hello":1},7,null])" + "]", a1, "BAD_RECORD:2 rejected:2");
    readerRow("lines", span("1", "161", "0") + "\n" + span("1", "161", "0"), a1 + a1);
    readerRow("answer of the API",
        R"({"data":{"id":"1","type":"trace","attributes":{"is_truncated":false,"spans":[{"traceID":"1",)"
        R"("spanID":"1000000000000161","parentID":"0",)"
        R"("name":"web.request","resource":"GET /","service":"shop","startTime":1000,"endTime":3000,"duration":2000,)"
        R"("error":0,"meta":{}}]}}})",
        "1/38d7ea4c680a1" + rest + "}\n");
    readerRow("download of the trace page",
        R"({"trace":{"root_id":"161","spans":{"161":{"trace_id":"1","span_id":"161","parent_id":"0","name":"web.request",)"
        R"("resource":"GET /",)"
        R"("service":"shop","start":1000,"duration":2000,"error":0},"162":{"trace_id":"1","span_id":"162",)"
        R"("parent_id":"161","name":"sql","start":1000,)"
        R"("duration":1}}},"orphaned":[]})",
        a1 + "1/a2<a1 'sql' 1000..1001\n");
}

void tst_Datadog::ids()
{
    const QByteArray tid = meta(R"("_dd.p.tid":"6a3ec25c00000000")");
    readerRow("beyond int64", span("18446744073709551615", "9223372036854775809", "18446744073709551614"),
        "ffffffffffffffff/8000000000000001<fffffffffffffffe" + rest + "}\n");
    readerRow("beyond the integers of a double", span("9007199254740993", "9007199254740995", "0"),
        "20000000000001/20000000000003" + rest + "}\n");
    readerRow("the same bits as negative numbers", span("-1", "-9223372036854775807", "-2"),
        "ffffffffffffffff/8000000000000001<fffffffffffffffe" + rest + "}\n");
    readerRow("128 bits, known from one span of the chunk",
        "[[" + span("5", "2", "1") + "," + span("5", "1", "0", tid) + "],[" + span("5", "3", "0") + "]]",
        "6a3ec25c000000000000000000000005/2<1" + rest + "}\n6a3ec25c000000000000000000000005/1" + rest + "}\n5/3" + rest + "}\n");
    readerRow("lower half zero", "[[" + span("0", "1", "0", tid) + "]]", "6a3ec25c000000000000000000000000/1" + rest + "}\n");
    readerRow("128 bits as one text", "[" + span(R"("6a3ec25c000000000000000000000005")", R"("00000000000000a1")", R"("0")") + "]",
        "6a3ec25c000000000000000000000005/a1" + rest + "}\n");
}

void tst_Datadog::fields()
{
    const auto field = [](const char* name, const QByteArray& more, const QByteArray& text, const char* faults = "") {
        readerRow(name, "[[" + span("1", "161", "0", more) + "]]", "1/a1 'GET /' " + text + "\n", faults);
    };
    readerRow("a member twice",
        "[[" + QByteArray(span("1", "161", "0")).replace(R"("service":"shop")", R"("service":"x","service":"shop")") + "]]",
        "1/a1 'GET /' shop 1000..3000 {operation.name=web.request}\n", "DUPLICATE_KEY:1");
    field("kind", meta(R"("span.kind":"client")"), "shop CLIENT 1000..3000 {operation.name=web.request}");
    field("resource", meta(R"("env":"prod","version":"1.2")"), "shop 1000..3000 {operation.name=web.request}");
    field("tags, metrics, type", meta(R"("k":"5")") + R"(,"metrics":{"n":5,"f":0.5},"type":"web")",
        "shop 1000..3000 {operation.name=web.request, span.type=web, k=5, n=5, f=0.5}");
    readerRow("error",
        QByteArray(span("1", "161", "0", meta(R"("error.message":"no","error.type":"E")"))).replace(R"("error":0)", R"("error":1)"),
        "1/a1 'GET /' shop ERROR(no) 1000..3000 {operation.name=web.request, error.message=no, error.type=E}\n");
    readerRow(
        "no resource", QByteArray(span("1", "161", "0")).replace(R"("resource":"GET /",)", ""), "1/a1 'web.request' shop 1000..3000\n");
    field("links", R"(,"span_links":[{"trace_id":2,"trace_id_high":1,"span_id":18446744073709551615,"attributes":{"k":"v"}}])",
        "shop 1000..3000 {operation.name=web.request} link 10000000000000002/ffffffffffffffff{k=v}");
    field("links in a tag",
        meta(R"("_dd.span_links":"[{\"trace_id\":\"00000000000000010000000000000002\",\"span_id\":\"00000000000000b2\"}]")"),
        "shop 1000..3000 {operation.name=web.request} link 10000000000000002/b2{}");
    field("events", R"(,"span_events":[{"name":"e","time_unix_nano":1500,"attributes":{"k":1}}])",
        "shop 1000..3000 {operation.name=web.request} event e@1500{k=1}");
    readerRow("unreadable duration", QByteArray(span("1", "161", "0")).replace("2000", "\"long\""),
        "1/a1 'GET /' shop 1000..? {operation.name=web.request}\n", "BAD_TIMESTAMP:1");
    readerRow("nothing leaks into the next",
        "[[" + span("1", "161", "0", meta(R"("k":"v","env":"prod")")) + "," + span("1", "161", "0") + "]]",
        "1/a1" + rest + ", k=v}\n" + a1);
}

void tst_Datadog::reads()
{
    compareReading("datadog");
}

QTEST_GUILESS_MAIN(tst_Datadog)
#include "tst_datadog.moc"
