// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// AWS X-Ray: segments, subsegments and the documents around them.
#include "tests/core/import/readerrows.h"

#include <algorithm>

using namespace chokepoint::testing;

namespace {

const QByteArray traceId = "1-5759e988-bd862e3fe1be46a994272793";

/// A segment of one second; \a more is further members with a leading comma.
QByteArray segment(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"trace_id":")" + traceId + R"(","id":")" + id + R"(","name":"shop","start_time":1.5,"end_time":2.5)" + more + "}";
}

QByteArray subsegment(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"id":")" + id + R"(","name":"n","start_time":1.5,"end_time":2)" + more + "}";
}

QByteArray inside(const QByteArray& subsegments)
{
    return R"(,"subsegments":[)" + subsegments + "]";
}

QByteArray text(QByteArray document)
{
    return '"' + document.replace('\\', "\\\\").replace('"', "\\\"") + '"';
}

const QByteArray trace = "5759e988bd862e3fe1be46a994272793/";
const QByteArray a1 = trace + "a1 'shop' shop SERVER 1500000000..2500000000\n";
const QByteArray a2 = trace + "a2 'shop' shop SERVER 1500000000..2500000000\n";

} // namespace

class tst_XRay : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
    void deepNesting();

private:
    static void wrappers();
    static void fields();
    static void inProgress();
};

void tst_XRay::reads_data()
{
    readerColumns();
    wrappers();
    fields();
    inProgress();
}

void tst_XRay::wrappers()
{
    const QByteArray header = R"({"format": "json", "version": 1})";
    readerRow("segment", segment("a1"), a1);
    readerRow("lines", segment("a1") + "\n" + segment("a2") + "\n", a1 + a2);
    readerRow("list", "[" + segment("a1") + "," + segment("a2") + "]", a1 + a2);
    readerRow("what is no segment", "[" + segment("a1") + R"(,{"hello":1},7,null])", a1, "BAD_RECORD:2 rejected:2");
    readerRow("one malformed segment", "[" + segment("a1") + R"(,{"id":nan},)" + segment("a2") + "]", a1 + a2, "BAD_RECORD:1 rejected:1");
    readerRow("behind the daemon's headers", header + "\n" + segment("a1") + header + "\n" + segment("a2"), a1 + a2);
    readerRow("BatchGetTraces",
        R"({"Traces":[{"Id":")" + traceId + R"(","Duration":1,"Segments":[{"Id":"a1","Document":)" + text(segment("a1"))
            + R"(},{"Id":"a2","Document":)" + text(segment("a2")) + R"(}]}],"UnprocessedTraceIds":[]})",
        a1 + a2);
    readerRow("one trace", R"({"Id":"x","Segments":[{"Id":"a1","Document":)" + text(segment("a1")) + "}]}", a1);
    readerRow("a document that is no JSON",
        R"({"Traces":[{"Segments":[{"Id":"a1","Document":"{\"id\":"},{"Id":"a2","Document":)" + text(segment("a2")) + "}]}]}", a2,
        "BAD_RECORD:1 rejected:1");
    readerRow("between other lines", "started\n" + segment("a1") + "\nstopped\n", a1, "NON_JSON_TEXT:1 TRAILING_DATA:1");
}

void tst_XRay::fields()
{
    const auto sub = [](const QByteArray& id, const QByteArray& parent, const QByteArray& kind) {
        return trace + id + "<" + parent + " 'n' shop " + kind + " 1500000000..2000000000";
    };
    readerRow("nested subsegments", segment("a1", inside(subsegment("b1", inside(subsegment("c1"))) + "," + subsegment("b2"))),
        a1 + sub("b1", "a1", "INTERNAL") + "\n" + sub("c1", "b1", "INTERNAL") + "\n" + sub("b2", "a1", "INTERNAL") + "\n");
    readerRow("remote call", segment("a1", inside(subsegment("b1", R"(,"namespace":"remote")"))),
        a1 + sub("b1", "a1", "CLIENT") + " {namespace=remote}\n");
    readerRow("subsegment that came alone", segment("b1", R"(,"type":"subsegment","parent_id":"a1","namespace":"aws")"),
        trace + "b1<a1 'shop' CLIENT 1500000000..2500000000 {namespace=aws}\n");
    const QByteArray failed = trace + "a1 'shop' shop SERVER ERROR 1500000000..2500000000 ";
    readerRow("fault", segment("a1", R"(,"fault":true)"), failed + "{fault=true}\n");
    readerRow("error", segment("a1", R"(,"error":true)"), failed + "{error=true}\n");
    readerRow("throttle", segment("a1", R"(,"throttle":true)"), failed + "{throttle=true}\n");
    readerRow("no fault", segment("a1", R"(,"fault":false)"), a1.chopped(1) + " {fault=false}\n");
    readerRow("cause",
        segment("a1",
            R"(,"fault":true,"cause":{"working_directory":"/app","exceptions":[{"id":"e1","type":"Timeout",)"
            R"("message":"too late","remote":true,)"
            R"("stack":[{"path":"a.py","line":7,"label":"f"},{"path":"b.py","line":8,"label":"g"}]}]})"),
        trace
            + "a1 'shop' shop SERVER ERROR(too late) 1500000000..2500000000 {fault=true, cause.working_directory=/app} "
              "event exception@2500000000{exception.type=Timeout, exception.message=too late, exception.stacktrace=f (a.py:7)\n"
              "g (b.py:8), exception.id=e1, exception.remote=true}\n");
    readerRow("cause elsewhere", segment("a1", R"(,"cause":"e1")"), a1.chopped(1) + " {cause=e1}\n");
    readerRow("http",
        segment("a1",
            R"(,"http":{"request":{"method":"GET","url":"http://h/","client_ip":"::1"},"response":{"status":404,"content_length":"12"}})"),
        a1.chopped(1)
            + " {http.request.method=GET, url.full=http://h/, client.address=::1, http.response.status_code=404, "
              "http.response.body.size=12}\n");
    readerRow("sql, annotations, metadata",
        segment("a1", R"(,"sql":{"sanitized_query":"SELECT ?"},"annotations":{"k":1},"metadata":{"gen_ai":{"usage":{"input_tokens":5}}})"),
        a1.chopped(1) + " {db.query.text=SELECT ?, k=1, gen_ai.usage.input_tokens=5}\n");
    readerRow("links", segment("a1", R"(,"links":[{"trace_id":"1-00000000-000000000000000000000002","id":"b7","attributes":{"k":"v"}}])"),
        a1.chopped(1) + " link 2/b7{k=v}\n");
    readerRow("seconds to the nanosecond", QByteArray(segment("a1")).replace("1.5", "1796016583.123456789").replace("2.5", "1.796016584E9"),
        trace + "a1 'shop' shop SERVER 1796016583123456789..1796016584000000000\n");
    readerRow("unreadable end", QByteArray(segment("a1")).replace("2.5", "\"soon\""), trace + "a1 'shop' shop SERVER 1500000000..?\n",
        "BAD_TIMESTAMP:1");
    readerRow("nothing leaks into the next", segment("a1", R"(,"fault":true,"annotations":{"k":1})") + segment("a2"),
        failed + "{fault=true, k=1}\n" + a2);
}

void tst_XRay::inProgress()
{
    const QByteArray begun = R"({"trace_id":")" + traceId + R"(","id":"a1","name":"shop","start_time":1.5,"in_progress":true)";
    const QByteArray open = trace + "a1 'shop' shop SERVER 1500000000..?\n";
    readerRow("in progress", begun + "}", open);
    readerRow("in progress, then complete", begun + "}\n" + segment("a1"), a1);
    readerRow("complete, then in progress", segment("a1") + "\n" + begun + "}", a1);
    readerRow("in progress twice", begun + "}\n" + begun + R"(,"user":"u"})", open.chopped(1) + " {user.id=u}\n");
    readerRow("subsegment completed alone",
        begun + inside(R"({"id":"b1","name":"n","start_time":1.5,"in_progress":true})") + "}\n"
            + segment("b1", R"(,"type":"subsegment","parent_id":"a1")") + "\n" + segment("a1"),
        trace + "b1<a1 'shop' INTERNAL 1500000000..2500000000\n" + a1);
}

void tst_XRay::deepNesting()
{
    constexpr int depth = 90;
    QByteArray document = segment("1", R"(,"subsegments":[)").chopped(1);
    for (int i = 2; i <= depth; ++i)
        document += R"({"id":")" + QByteArray::number(i, 16) + R"(","name":"n","start_time":1,"subsegments":[)";
    document += QByteArray("]}").repeated(depth);
    const ImportText got = importText(viewOf(document));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), depth);
    QVERIFY(got.spans.find("/5a<59 'n'") != std::string::npos);
}

void tst_XRay::reads()
{
    compareReading("xray");
}

QTEST_GUILESS_MAIN(tst_XRay)
#include "tst_xray.moc"
