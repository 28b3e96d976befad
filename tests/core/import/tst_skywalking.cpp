// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// SkyWalking: spans of a trace that are known by segment and number.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// A span of 2 ms from 1 ms on; \a more is further members with a leading comma.
QByteArray span(const QByteArray& segment, int id, int parent, const QByteArray& more = {})
{
    return R"({"traceId":"t.1","segmentId":")" + segment + R"(","spanId":)" + QByteArray::number(id) + R"(,"parentSpanId":)"
        + QByteArray::number(parent) + R"(,"serviceCode":"shop","startTime":1,"endTime":3,"endpointName":"n")" + more + "}";
}

QByteArray answer(const QByteArray& spans)
{
    return R"({"data":{"trace":{"spans":[)" + spans + "]}}}";
}

QByteArray reference(const QByteArray& traceId, const QByteArray& segment, int id)
{
    return R"({"traceId":")" + traceId + R"(","parentSegmentId":")" + segment + R"(","parentSpanId":)" + QByteArray::number(id)
        + R"(,"type":"CROSS_PROCESS"})";
}

QByteArray references(const QByteArray& list)
{
    return R"(,"refs":[)" + list + "]";
}

const QByteArray rest = " 'n' shop 1000000..3000000";

} // namespace

class tst_SkyWalking : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();

private:
    static void parents();
    static void fields();
};

void tst_SkyWalking::reads_data()
{
    readerColumns();
    parents();
    fields();
}

void tst_SkyWalking::parents()
{
    const QByteArray root = "t.1/s1#0" + rest + "\n";
    readerRow("root", answer(span("s1", 0, -1)), root);
    readerRow("what is no span", answer(span("s1", 0, -1) + R"(,{"hello":1},7,null)"), root, "BAD_RECORD:2 rejected:2");
    readerRow("older query", answer(span("s1", 0, -1)).replace("trace\":{", "queryTrace\":{"), root);
    readerRow("in the segment", answer(span("s1", 0, -1) + "," + span("s1", 1, 0)), root + "t.1/s1#1<s1#0" + rest + "\n");
    readerRow("equal numbers in two segments", answer(span("s1", 0, -1) + "," + span("s2", 0, -1, references(reference("t.1", "s1", 0)))),
        root + "t.1/s2#0<s1#0" + rest + "\n");
    readerRow("several references", answer(span("s2", 0, -1, references(reference("t.1", "s1", 1) + "," + reference("t.2", "s3", 0)))),
        "t.1/s2#0<s1#1" + rest + " link t.2/s3#0{type=CROSS_PROCESS}\n");
    readerRow("a reference beside the own segment", answer(span("s1", 1, 0, references(reference("t.1", "s3", 2)))),
        "t.1/s1#1<s1#0" + rest + " link t.1/s3#2{type=CROSS_PROCESS}\n");
    readerRow("another trace is no parent", answer(span("s1", 0, -1, references(reference("t.2", "s3", 0)))),
        "t.1/s1#0" + rest + " link t.2/s3#0{type=CROSS_PROCESS}\n");
}

void tst_SkyWalking::fields()
{
    const auto field = [](const char* name, const QByteArray& more, const QByteArray& text, const char* faults = "") {
        readerRow(name, answer(span("s1", 0, -1, more)), "t.1/s1#0 'n' shop" + text + "\n", faults);
    };
    field("Entry", R"(,"type":"Entry","layer":"Http")", " SERVER 1000000..3000000 {layer=Http}");
    field("Exit", R"(,"type":"Exit","layer":"Database","peer":"db:1","component":"mysql")",
        " CLIENT 1000000..3000000 {peer=db:1, component=mysql, layer=Database}");
    field("Local", R"(,"type":"Local")", " INTERNAL 1000000..3000000");
    field("Entry of a queue", R"(,"type":"Entry","layer":"MQ")", " CONSUMER 1000000..3000000 {layer=MQ}");
    field("Exit to a queue", R"(,"type":"Exit","layer":"MQ")", " PRODUCER 1000000..3000000 {layer=MQ}");
    field("odd type", R"(,"type":"Odd")", " 1000000..3000000 {import.raw_kind=Odd}", "UNKNOWN_ENUM:1");
    field("error", R"(,"isError":true)", " ERROR 1000000..3000000");
    field("no error", R"(,"isError":false)", " 1000000..3000000");
    field("tags", R"(,"tags":[{"key":"http.method","value":"GET"},{"key":"e","value":null}])", " 1000000..3000000 {http.method=GET, e=}");
    field("log", R"(,"logs":[{"time":2,"data":[{"key":"k","value":"v"}]}])", " 1000000..3000000 event log@2000000{k=v}");
    field("error in the log",
        R"(,"isError":true,"logs":[{"time":2,"data":[{"key":"event","value":"error"},{"key":"error.kind","value":"E"},)"
        R"({"key":"message","value":"no"},{"key":"stack","value":"f"}]}])",
        " ERROR(no) 1000000..3000000 event exception@2000000{event=error, exception.type=E, exception.message=no, exception.stacktrace=f}");
    field("unreadable end", R"(,"endTime":"soon")", " 1000000..?", "BAD_TIMESTAMP:1 DUPLICATE_KEY:1");
    readerRow("nothing leaks into the next",
        answer(span("s1", 0, -1, R"(,"isError":true,"tags":[{"key":"k","value":"v"}])") + "," + span("s1", 1, 0)),
        "t.1/s1#0 'n' shop ERROR 1000000..3000000 {k=v}\nt.1/s1#1<s1#0" + rest + "\n");
}

void tst_SkyWalking::reads()
{
    compareReading("skywalking");
}

QTEST_GUILESS_MAIN(tst_SkyWalking)
#include "tst_skywalking.moc"
