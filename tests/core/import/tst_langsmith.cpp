// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// LangSmith runs: raw text in, spans as text out.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

// UUIDv7: those of one millisecond begin alike.
const QByteArray rootId = "01a22aee-4052-7000-8000-0264392e8c91";
const QByteArray leftId = "01a22aee-4052-7000-8000-000000000001";
const QByteArray rightId = "01a22aee-4052-7000-8000-000000000002";
const QByteArray rootOrder = "19700101T000001000000Z" + rootId;

/// A run from 1 s to 2 s; \a more is further members with a leading comma.
QByteArray run(const QByteArray& id, const QByteArray& parent, const QByteArray& more = {})
{
    const QByteArray above = parent.isEmpty() ? QByteArray("null") : '"' + parent + '"';
    return R"({"id":")" + id + R"(","trace_id":")" + rootId + R"(","parent_run_id":)" + above
        + R"(,"name":"n","run_type":"chain","start_time":"1970-01-01T00:00:01","end_time":"1970-01-01T00:00:02")" + more + "}";
}

QByteArray line(const QByteArray& id, const QByteArray& parent, const QByteArray& attributes = {}, const QByteArray& behind = {})
{
    return rootId + "/" + id + (parent.isEmpty() ? "" : "<" + parent)
        + " 'n'|langsmith INTERNAL 1000000000..2000000000 {openinference.span.kind=CHAIN, langsmith.span.kind=chain" + attributes + "}"
        + behind + "\n";
}

const QByteArray root = run(rootId, "");
const QByteArray left = run(leftId, rootId);
const QByteArray right = run(rightId, rootId);
const QByteArray lines = line(rootId, "") + line(leftId, rootId) + line(rightId, rootId);

void members(const char* name, const QByteArray& more, const QByteArray& attributes, const QByteArray& behind = {})
{
    readerRow(name, run(rootId, "", more), line(rootId, "", attributes, behind));
}

} // namespace

class tst_LangSmith : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("langsmith"); }
    void readsDeepNesting();

private:
    static void wrappers();
    static void identities();
    static void updates();
    static void facts();
};

void tst_LangSmith::reads_data()
{
    readerColumns();
    wrappers();
    identities();
    updates();
    facts();
}

void tst_LangSmith::wrappers()
{
    readerRow("list", "[" + root + "," + left + "," + right + "]", lines);
    readerRow("lines", root + "\n" + left + "\n" + right + "\n", lines);
    readerRow("what is no run", "[" + root + "," + left + "," + right + R"(,{"hello":1},7,null])", lines, "BAD_RECORD:2 rejected:2");
    readerRow("page of the API", R"({"runs":[)" + root + "," + left + "," + right + R"(],"cursors":{"next":null}})", lines);
    readerRow("tree", run(rootId, "", R"(,"child_runs":[)" + left + "," + right + "]"), lines);
    readerRow("tree and list", "[" + run(rootId, "", R"(,"child_runs":[)" + left + "]") + "," + left + "," + right + "]", lines);
    readerRow("list and tree", "[" + left + "," + run(rootId, "", R"(,"child_runs":[)" + left + "," + right + "]") + "]",
        line(leftId, rootId) + line(rootId, "") + line(rightId, rootId));
    readerRow("batch of the SDK", R"({"post":[)" + root + "," + left + R"(],"patch":[]})", line(rootId, "") + line(leftId, rootId));
}

void tst_LangSmith::identities()
{
    const QByteArray bare = R"(,"name":"n","run_type":"chain","start_time":"1970-01-01T00:00:01","end_time":"1970-01-01T00:00:02")";
    readerRow("a root is its own trace", R"({"id":")" + rootId + R"(","parent_run_id":null)" + bare + "}", line(rootId, ""));
    readerRow("upper case", R"({"id":")" + rootId.toUpper() + R"(","parent_run_id":null)" + bare + "}", line(rootId, ""));
    readerRow("parent and trace from the order",
        R"({"id":")" + leftId + R"(","dotted_order":")" + rootOrder + ".19700101T000001000000Z" + leftId + R"(")" + bare + "}",
        line(leftId, rootId, ", langsmith.span.dotted_order=" + rootOrder + ".19700101T000001000000Z" + leftId));
    readerRow("everything from the order",
        R"({"dotted_order":")" + rootOrder + R"(","trace_id":")" + rootId + R"(","name":"n","run_type":"chain","end_time":2000})",
        line(rootId, "", ", langsmith.span.dotted_order=" + rootOrder));
    readerRow("order with milliseconds",
        R"({"dotted_order":"19700101T000001000Z)" + rootId + R"(","run_type":"chain","name":"n","end_time":2000})",
        line(rootId, "", ", langsmith.span.dotted_order=19700101T000001000Z" + rootId));
    readerRow("order with an ISO date",
        R"({"dotted_order":"1970-01-01T00:00:01.000000)" + rootId + R"(","run_type":"chain","name":"n","end_time":2000})",
        line(rootId, "", ", langsmith.span.dotted_order=1970-01-01T00:00:01.000000" + rootId));
    readerRow("parent and trace from the nesting", run(rootId, "", R"(,"child_runs":[{"id":")" + leftId + R"(")" + bare + "}]"),
        line(rootId, "") + line(leftId, rootId));
}

void tst_LangSmith::updates()
{
    const QByteArray ids = R"("id":")" + rootId + R"(","trace_id":")" + rootId + R"(")";
    const QByteArray post =
        "{" + ids + R"(,"name":"n","run_type":"chain","start_time":1000,"inputs":{"q":1},"outputs":{},"extra":{"runtime":{"sdk":"js"}}})";
    const QByteArray patch = "{" + ids + R"(,"end_time":2000,"outputs":{"a":2},"tags":[],"extra":null})";
    const QByteArray merged = line(rootId, "",
        R"(, input.value={"q":1}, input.mime_type=application/json, output.value={"a":2}, output.mime_type=application/json)"
        ", langsmith.span.runtime.sdk=js");
    readerRow("created and ended", R"({"post":[)" + post + R"(],"patch":[)" + patch + "]}", merged);
    readerRow("in different batches", R"({"post":[)" + post + "]}\n" + R"({"patch":[)" + patch + "]}", merged);
    readerRow("the end first", R"({"patch":[)" + patch + "]}\n" + R"({"post":[)" + post + "]}", merged);
    readerRow("an end without an id",
        R"({"post":[)" + post + R"(],"patch":[{"dotted_order":")" + rootOrder + R"(","trace_id":")" + rootId
            + R"(","end_time":2000,"outputs":{"a":2}}]})",
        line(rootId, "",
            ", langsmith.span.dotted_order=" + rootOrder
                + R"(, input.value={"q":1}, input.mime_type=application/json, output.value={"a":2}, output.mime_type=application/json)"
                  ", langsmith.span.runtime.sdk=js"));
    readerRow("never ended", R"({"post":[)" + post + "]}",
        rootId + "/" + rootId
            + R"( 'n'|langsmith INTERNAL 1000000000..? {openinference.span.kind=CHAIN, langsmith.span.kind=chain, input.value={"q":1}, )"
              "input.mime_type=application/json, langsmith.span.runtime.sdk=js}\n");
    readerRow("a pending copy of a finished run", "[" + root + ",{" + ids + R"(,"name":"n","run_type":"chain","start_time":1000}])",
        line(rootId, ""));
}

void tst_LangSmith::facts()
{
    members(
        "inputs and outputs", R"(,"inputs":{"q":"hi"},"outputs":null)", R"(, input.value={"q":"hi"}, input.mime_type=application/json)");
    members("metadata",
        R"(,"extra":{"metadata":{"ls_model_name":"m","ls_provider":"p","thread_id":"t","k":{"a":1}},"runtime":{"sdk":"js"},)"
        R"("invocation_params":{"temperature":0}})",
        R"(, gen_ai.request.model=m, gen_ai.provider.name=p, session.id=t, langsmith.metadata.ls_model_name=m, langsmith.metadata.ls_provider=p)"
        R"(, langsmith.metadata.thread_id=t, langsmith.metadata.k.a=1, langsmith.span.runtime.sdk=js, llm.invocation_parameters={"temperature":0})");
    members("tags", R"(,"tags":["seq:step:1","retry:attempt:2"])", ", langsmith.span.tags=seq:step:1, retry:attempt:2");
    members("tokens of the service", R"(,"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"total_cost":"0.0000021")",
        ", llm.cost.total=0.0000021, gen_ai.usage.input_tokens=3, gen_ai.usage.output_tokens=2, gen_ai.usage.total_tokens=5");
    members("no tokens are none of a chain", R"(,"prompt_tokens":0,"completion_tokens":0,"total_tokens":0)", "");
    members("tokens of the provider",
        R"(,"outputs":{"model":"m-1","usage_metadata":{"input_tokens":9,"output_tokens":8,"total_tokens":17,)"
        R"("input_token_details":{"cache_read":4},"output_token_details":{"reasoning":5}}})",
        R"(, output.value={"model":"m-1","usage_metadata":{"input_tokens":9,"output_tokens":8,"total_tokens":17,)"
        R"("input_token_details":{"cache_read":4},"output_token_details":{"reasoning":5}}}, output.mime_type=application/json, )"
        "gen_ai.response.model=m-1, gen_ai.usage.input_tokens=9, gen_ai.usage.output_tokens=8, gen_ai.usage.total_tokens=17, "
        "gen_ai.usage.cache_read.input_tokens=4, gen_ai.usage.reasoning.output_tokens=5");
    QByteArray first = line(rootId, "", "", " +streaming first-token=1500000000");
    readerRow("first token", run(rootId, "", R"(,"first_token_time":"1970-01-01T00:00:01.5")"),
        first.replace("{openinference", "{first_token_time=1970-01-01T00:00:01.5, openinference"));
    members("events",
        R"(,"events":[{"name":"start","time":"1970-01-01T00:00:01"},{"name":"new_token","time":1250,"kwargs":{"token":"x"}},)"
        R"({"name":"new_token","time":1500}])",
        "",
        R"( event start@1000000000{} event new_token@1250000000{kwargs={"token":"x"}} event new_token@1500000000{} +streaming)"
        " first-token=1250000000");
    members("other members are kept",
        R"(,"status":"success","feedback_stats":{"correct":{"n":1}},"inputs_s3_urls":null,"in_dataset":false)",
        R"(, langsmith.status=success, langsmith.feedback_stats={"correct":{"n":1}}, langsmith.in_dataset=false)");
    QByteArray failed = line(rootId, "", "", " event exception@2000000000{exception.type=ValueError, exception.message=ValueError('no')}");
    failed.replace("INTERNAL 1", "INTERNAL ERROR(ValueError('no')) 1");
    readerRow("error", run(rootId, "", R"-(,"error":"ValueError('no')")-"), failed);
    readerRow("zone, milliseconds and a bad time",
        R"({"id":"a","trace_id":"a","run_type":"llm","start_time":"1970-01-01T01:00:01+01:00","end_time":2000}
           {"id":"b","trace_id":"a","run_type":"llm","start_time":"soon","end_time":2000})",
        "a/a ''|langsmith INTERNAL 1000000000..2000000000 {openinference.span.kind=LLM, langsmith.span.kind=llm}\n"
        "a/b ''|langsmith INTERNAL ?..2000000000 {openinference.span.kind=LLM, langsmith.span.kind=llm}\n",
        "BAD_TIMESTAMP:1");
}

/// Far deeper than a recursion could go, in a text that is read whole.
void tst_LangSmith::readsDeepNesting()
{
    const int depth = 20000;
    QByteArray input;
    for (int i = 0; i < depth; ++i)
        input += R"({"id":"r)" + QByteArray::number(i) + R"(","run_type":"chain","start_time":1000,"end_time":2000,"child_runs":[)";
    input += QByteArray("]}").repeated(depth);
    const ImportText got = importText(viewOf(input));
    QCOMPARE(QByteArray::fromStdString(got.format), QByteArray("langsmith"));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), depth);
    QVERIFY(got.spans.find("r0/r19999<r19998 ") != std::string::npos);
}

QTEST_GUILESS_MAIN(tst_LangSmith)
#include "tst_langsmith.moc"
