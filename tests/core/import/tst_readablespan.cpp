// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ReadableSpans of the JavaScript SDK as JSON: raw text in, spans as text out.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

QByteArray span(const QByteArray& more = {})
{
    return R"({"name":"n","spanContext":{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a1"},)"
           R"("startTime":[1,242000001],"endTime":[2,5])"
        + more + "}";
}

QByteArray line(const QByteArray& between = {}, const QByteArray& behind = {})
{
    return "af7651916cd43dd8448eb211c80319c/a1" + between + " 1242000001..2000000005" + behind + "\n";
}

} // namespace

class tst_ReadableSpan : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("otel-console"); }
};

void tst_ReadableSpan::reads_data()
{
    readerColumns();
    readerRow("list", "[" + span() + "," + span() + "]", line(" 'n'") + line(" 'n'"));
    readerRow("lines", span() + "\n" + span(), line(" 'n'") + line(" 'n'"));
    readerRow("fields behind the members", QByteArray(span()).replace("spanContext", "_spanContext"), line(" 'n'"));
    readerRow("parent", span(R"(,"parentSpanId":"00000000000000b2")"), line("<b2 'n'"));
    readerRow("parent of version 2", span(R"(,"parentSpanContext":{"spanId":"00000000000000b2"})"), line("<b2 'n'"));
    readerRow("kinds count from 0", span(R"(,"kind":0)"), line(" 'n' INTERNAL"));
    readerRow("server", span(R"(,"kind":1)"), line(" 'n' SERVER"));
    readerRow("kind by name", span(R"(,"kind":"CLIENT")"), line(" 'n' CLIENT"));
    readerRow("status", span(R"(,"status":{"code":2,"message":"no"})"), line(" 'n' ERROR(no)"));
    readerRow("attributes", span(R"(,"attributes":{"ai.operationId":"ai.streamText.doStream","a":[1,"x"]})"),
        line(" 'n'", R"( {ai.operationId=ai.streamText.doStream, a=[1,"x"]} +streaming)"));
    readerRow("events", span(R"(,"events":[{"name":"ai.stream.firstChunk","time":[1,500000000],"attributes":{"k":1}}])"),
        line(" 'n'", " event ai.stream.firstChunk@1500000000{k=1} +streaming first-token=1500000000"));
    readerRow("links",
        span(R"(,"links":[{"context":{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000b2"},"attributes":{"k":1}}])"),
        line(" 'n'", " link af7651916cd43dd8448eb211c80319c/b2{k=1}"));
    readerRow("resource and scope",
        span(R"(,"resource":{"attributes":{"service.name":"s"}},"instrumentationLibrary":{"name":"ai","version":"1"})"),
        line(" 'n' s|ai@1"));
    readerRow("resource behind the members",
        span(R"(,"resource":{"_attributes":{"service.name":"s"}},"instrumentationScope":{"name":"ai"})"), line(" 'n' s|ai"));
    readerRow("as the console exporter prints it",
        R"({"traceId":"0af7651916cd43dd8448eb211c80319c","id":"00000000000000a1","parentId":"00000000000000b2","name":"n","kind":0,)"
        R"("timestamp":1242000,"duration":5.5,"attributes":{"k":1},"events":[],"links":[]})",
        "af7651916cd43dd8448eb211c80319c/a1<b2 'n' INTERNAL 1242000000..1242005500 {k=1}\n");
    readerRow("bad times", QByteArray(span()).replace("[1,242000001]", "[]").replace("[2,5]", R"(["x",1])"),
        line(" 'n'").replace("1242000001..2000000005", "?..?"), "BAD_TIMESTAMP:2");
}

QTEST_GUILESS_MAIN(tst_ReadableSpan)
#include "tst_readablespan.moc"
