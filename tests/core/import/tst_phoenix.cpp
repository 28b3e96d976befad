// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Phoenix exports: raw text in, spans as text out.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

const QByteArray times = R"("start_time":"1970-01-01T00:00:01+00:00","end_time":"1970-01-01T02:00:02.5+02:00")";

/// A span as the interface exports it; \a more is further members with a leading comma.
QByteArray span(const QByteArray& id, const QByteArray& parent, const QByteArray& more = {})
{
    return R"({"id":"R2xvYmFs","name":"n","context":{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":")" + id
        + R"("},"span_kind":"LLM","parent_id":)" + parent + "," + times + R"(,"status_code":"OK","status_message":"")" + more + "}";
}

const QByteArray trace = "af7651916cd43dd8448eb211c80319c/";
const QByteArray a1 = trace + "a1 'n' phoenix INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM}\n";
const QByteArray b2 = trace + "b2<a1 'n' phoenix INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM}\n";
const QByteArray root = span("00000000000000a1", "null");
const QByteArray child = span("00000000000000b2", R"("00000000000000a1")");

/// Of the attributes in \a input, what \a output says.
void attributes(const char* name, const QByteArray& input, const QByteArray& output)
{
    readerRow(name, span("00000000000000a1", "null", R"(,"attributes":)" + input),
        trace + "a1 'n' phoenix INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM, " + output + "}\n");
}

} // namespace

class tst_Phoenix : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("phoenix"); }
    void refusesFrameWithoutIds();

private:
    static void wrappers();
    static void fields();
    static void frames();
};

void tst_Phoenix::reads_data()
{
    readerColumns();
    wrappers();
    fields();
    frames();
}

void tst_Phoenix::wrappers()
{
    readerRow("list", "[" + root + "," + child + "]", a1 + b2);
    readerRow("lines", root + "\n" + child + "\n", a1 + b2);
    readerRow("what is no span", "[" + root + "," + child + R"(,{"hello":1},7,null])", a1 + b2, "BAD_RECORD:2 rejected:2");
    readerRow("page of the API", R"({"data":[)" + root + "," + child + R"(],"next_cursor":null})", a1 + b2);
    const QByteArray trace = R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spans":[)" + root + "," + child + R"(],"rootSpan":)" + root
        + R"(,"startTime":"1970-01-01T00:00:01+00:00","duration":1500,"status":"OK"})";
    readerRow("trace of the command line repeats its root", trace, a1 + b2);
    readerRow("list of them", "[" + trace + "]", a1 + b2);
}

void tst_Phoenix::fields()
{
    attributes("flat attributes", R"({"input.value":"hi","llm.token_count.prompt":12,"metadata":{"a":1}})",
        R"(input.value=hi, llm.token_count.prompt=12, metadata={"a":1})");
    attributes("whole numbers that pandas made fractions", R"({"llm.token_count.prompt":12.0,"score":12.0})",
        "llm.token_count.prompt=12, score=12");
    readerRow("nested attributes of old exports",
        span("00000000000000a1", "null",
            R"(,"conversation":{"conversation_id":"c"},"attributes":{"llm":{"model_name":"m","token_count":{"total":3}},"service":{"name":"s"}})"),
        trace
            + "a1 'n' s INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM, llm.model_name=m, llm.token_count.total=3, "
              "service.name=s, conversation.conversation_id=c}\n");
    readerRow("service of the attributes", span("00000000000000a1", "null", R"(,"attributes":{"service.name":"s"})"),
        trace + "a1 'n' s INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM}\n");
    readerRow("events",
        span("00000000000000a1", "null",
            R"(,"events":[{"name":"First Token Stream Event","timestamp":"1970-01-01T00:00:02+00:00","attributes":{"k":1}}])"),
        trace
            + "a1 'n' phoenix INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM} event First Token Stream "
              "Event@2000000000{k=1} +streaming first-token=2000000000\n");
    QByteArray failed = root;
    failed.replace(R"("status_code":"OK","status_message":"")", R"("status_code":"ERROR","status_message":"timed out")");
    readerRow("error", failed,
        trace + "a1 'n' phoenix INTERNAL ERROR(timed out) 1000000000..2500000000 {openinference.span.kind=LLM} +timed-out\n");
    readerRow("ids that are no hex",
        R"({"name":"n","context":{"trace_id":"fixture-trace-1","span_id":"s02"},"span_kind":"TOOL",)"
        R"("parent_id":"s01",)"
            + times + R"(,"status_code":"UNSET"})",
        "fixture-trace-1/s02<s01 'n' phoenix INTERNAL 1000000000..2500000000 {openinference.span.kind=TOOL}\n");
    readerRow("text that could be base64 stays an opaque id",
        R"({"name":"n","context":{"trace_id":"conversation-abc-12345","span_id":"abcdefghijk"},"span_kind":"TOOL","parent_id":"",)" + times
            + R"(,"status_code":"UNSET"})",
        "conversation-abc-12345/abcdefghijk 'n' phoenix INTERNAL 1000000000..2500000000 {openinference.span.kind=TOOL}\n");
    readerRow("bad time",
        R"({"name":"n","context":{"trace_id":"t","span_id":"s"},"span_kind":"LLM","start_time":"soon","end_time":null,)"
        R"("status_code":"FINE"})",
        "t/s 'n' phoenix INTERNAL ?..? {import.raw_status=FINE, openinference.span.kind=LLM}\n", "BAD_TIMESTAMP:1 UNKNOWN_ENUM:1");
}

void tst_Phoenix::frames()
{
    const QByteArray row = R"({"name":"n","span_kind":"LLM","parent_id":null,"start_time":1000,"end_time":2500,"status_code":"OK",)"
                           R"("status_message":"","events":[],"context.span_id":"00000000000000a1",)"
                           R"("context.trace_id":"0af7651916cd43dd8448eb211c80319c","attributes.llm.token_count.total":12.0,)"
                           R"("attributes.tool.name":null,"note":"x"})";
    const QByteArray rowText = trace
        + "a1 'n' phoenix INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM, llm.token_count.total=12, phoenix.note=x} "
          "+rounded\n";
    readerRow("data frame by rows", "[" + row + "]", rowText);
    readerRow("data frame as lines", row + "\n", rowText);
    const QByteArray columns = R"({"name":{"0":"n","1":"m"},"span_kind":{"0":"LLM","1":"TOOL"},"parent_id":{"0":null,"1":"a-1"},)"
                               R"("start_time":{"0":1000,"1":1500},"end_time":{"0":2500,"1":2000},"status_code":{"0":"OK","1":"OK"},)"
                               R"("context.span_id":{"0":"a-1","1":"b-2"},"context.trace_id":{"0":"t-1","1":"t-1"},)"
                               R"("attributes.tool.name":{"0":null,"1":"search"}})";
    readerRow("data frame by columns", columns,
        "t-1/a-1 'n' phoenix INTERNAL OK 1000000000..2500000000 {openinference.span.kind=LLM} +rounded\n"
        "t-1/b-2<a-1 'm' phoenix INTERNAL OK 1500000000..2000000000 {openinference.span.kind=TOOL, tool.name=search} +rounded\n");
    readerRow("columns whose rows are named by span ids",
        R"({"name":{"a-1":"n"},"span_kind":{"a-1":"LLM"},"start_time":{"a-1":1000},"end_time":{"a-1":2500},"context.trace_id":{"a-1":"t-1"}})",
        "t-1/a-1 'n' phoenix INTERNAL 1000000000..2500000000 {openinference.span.kind=LLM} +rounded\n");
    readerRow("a column of ids before all others", R"({"context.trace_id":{"a-1":"t-1"},"name":{"a-1":"n"}})",
        "t-1/a-1 'n' phoenix INTERNAL ?..?\n");
    readerRow("columns that lack rows",
        R"({"context.trace_id":{"a-1":"t-1","b-2":"t-1"},"name":{"b-2":"m"},"span_kind":{"a-1":"LLM"},"start_time":{},"end_time":{}})",
        "t-1/a-1 '' phoenix INTERNAL ?..? {openinference.span.kind=LLM}\nt-1/b-2 'm' phoenix INTERNAL ?..?\n");
    readerRow("table with a schema",
        R"({"schema":{"fields":[{"name":"0_context.span_id"}]},"data":[{"0_context.span_id":"a-1","1_context.trace_id":"t-1",)"
        R"("1_name":"n","1_span_kind":"LLM","1_start_time":"1970-01-01T00:00:01.000Z","1_end_time":"1970-01-01T00:00:02.000Z",)"
        R"("1_status_code":"OK","1_attributes.tool.name":"search"}]})",
        "t-1/a-1 'n' phoenix INTERNAL OK 1000000000..2000000000 {openinference.span.kind=LLM, tool.name=search}\n");
    readerRow("a row without an id is kept",
        R"([{"name":"n","span_kind":"LLM","start_time":1000,"end_time":2000,"context.span_id":null,"context.trace_id":"t-1"},)"
        R"({"name":"n","span_kind":"LLM","start_time":1000,"end_time":2000,"context.span_id":"a-1","context.trace_id":"t-1"}])",
        "t-1/1f01d7cc6947dd85 'n' phoenix INTERNAL 1000000000..2000000000 {openinference.span.kind=LLM} +rounded\n"
        "t-1/a-1 'n' phoenix INTERNAL 1000000000..2000000000 {openinference.span.kind=LLM} +rounded\n",
        "INVALID_ID:1");
}

void tst_Phoenix::refusesFrameWithoutIds()
{
    const ImportText got = importText(R"([{"name":"n","span_kind":"LLM","status_code":"OK","parent_id":null}])");
    QCOMPARE(QByteArray::fromStdString(got.format), QByteArray("UNSUPPORTED_FORMAT"));
    QVERIFY2(got.message.find("lacks the column context.span_id") != std::string::npos, got.message.c_str());
}

QTEST_GUILESS_MAIN(tst_Phoenix)
#include "tst_phoenix.moc"
