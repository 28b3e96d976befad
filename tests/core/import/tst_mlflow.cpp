// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MLflow traces: raw text in, spans as text out.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

class tst_Mlflow : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("mlflow"); }

private:
    static void generations();
    static void traces();
    static void values();
};

namespace {

const QByteArray request = R"("mlflow.traceRequestId":"\"tr-0af7651916cd43dd8448eb211c80319c\"")";
const QByteArray requestText = "mlflow.traceRequestId=tr-0af7651916cd43dd8448eb211c80319c";

/// Members that the three generations share; \a attributes is further attributes with a leading comma.
QByteArray shared(const QByteArray& attributes)
{
    return R"(,"name":"n","attributes":{)" + request + attributes + "}";
}

QByteArray version2(const QByteArray& id, const QByteArray& parent, const QByteArray& attributes = {})
{
    return R"({"context":{"trace_id":"0x0af7651916cd43dd8448eb211c80319c","span_id":"0x)" + id + R"("},"parent_id":)" + parent
        + R"(,"start_time":1000,"end_time":2000,"status_code":"OK","status_message":"","events":[{"name":"e","timestamp":1500,"attributes":{"k":1}}])"
        + shared(attributes) + "}";
}

/// Ids in base64 of the same bytes.
QByteArray version3(const QByteArray& id, const QByteArray& parent, const QByteArray& attributes = {})
{
    return R"({"trace_id":"CvdlGRbNQ92ESOshHIAxnA==","span_id":")" + id + R"(","parent_span_id":)" + parent
        + R"(,"start_time_unix_nano":"1000","end_time_unix_nano":2000,"status":{"code":"STATUS_CODE_OK","message":""})"
          R"(,"events":[{"name":"e","time_unix_nano":1500,"attributes":{"k":1}}])"
        + shared(attributes) + "}";
}

QByteArray version4(const QByteArray& id, const QByteArray& parent, const QByteArray& attributes = {})
{
    return R"({"trace_id":"tr-0af7651916cd43dd8448eb211c80319c","otel_trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":")" + id
        + R"(","parent_span_id":)" + parent
        + R"(,"start_time_unix_nano":1000,"end_time_unix_nano":2000,"status":{"code":"OK"})"
          R"(,"events":[{"name":"e","time_unix_nano":1500,"attributes":{"k":1}}])"
        + shared(attributes) + "}";
}

QByteArray line(const QByteArray& id, const QByteArray& attributes = {})
{
    return "af7651916cd43dd8448eb211c80319c/" + id + " 'n' INTERNAL OK 1000..2000 {" + requestText + attributes + "} event e@1500{k=1}\n";
}

void attributes(const char* name, const QByteArray& input, const QByteArray& output)
{
    readerRow(name, version4("00000000000000b2", R"("00000000000000a1")", "," + input), line("b2<a1", ", " + output));
}

} // namespace

void tst_Mlflow::reads_data()
{
    readerColumns();
    generations();
    traces();
    values();
}

void tst_Mlflow::generations()
{
    const QByteArray both = line("b2<a1") + line("a1"); // the root waits for the trace around it
    readerRow("version 2", version2("00000000000000a1", "null") + "\n" + version2("00000000000000b2", R"("0x00000000000000a1")"), both);
    readerRow("version 3", version3("AAAAAAAAAKE=", "null") + "\n" + version3("AAAAAAAAALI=", R"("AAAAAAAAAKE=")"), both);
    readerRow("version 3, a root with an empty parent", version3("AAAAAAAAAKE=", R"("")"), line("a1"));
    readerRow(
        "what is no span", "[" + version4("00000000000000a1", "null") + R"(,{"hello":1},7,null])", line("a1"), "BAD_RECORD:2 rejected:2");
    readerRow("version 4", version4("00000000000000a1", "null") + "\n" + version4("00000000000000b2", R"("00000000000000a1")"), both);
    readerRow("all in one file",
        version2("00000000000000a1", "null") + version3("AAAAAAAAALI=", R"("AAAAAAAAAKE=")")
            + version4("00000000000000c3", R"("00000000000000a1")"),
        line("b2<a1") + line("c3<a1") + line("a1"));
    readerRow("a trace in a catalog",
        R"({"trace_id":"trace:/main.default/0af7651916cd43dd8448eb211c80319c","span_id":"00000000000000b2","parent_span_id":"00000000000000a1",)"
        R"("start_time_unix_nano":1000,"end_time_unix_nano":0,"status":{"code":"STATUS_CODE_ERROR","message":"no"})"
            + shared({}) + "}",
        "af7651916cd43dd8448eb211c80319c/b2<a1 'n' INTERNAL ERROR(no) 1000..0 {" + requestText + "}\n");
    readerRow("bad fields keep the span",
        R"({"trace_id":"tr-0af7651916cd43dd8448eb211c80319c","span_id":"00000000000000b2","parent_span_id":"00000000000000a1",)"
        R"("start_time_unix_nano":"soon","end_time_unix_nano":null,"status":{"code":"FINE"},"events":7)"
            + shared({}) + "}",
        "af7651916cd43dd8448eb211c80319c/b2<a1 'n' INTERNAL ?..? {import.raw_status=FINE, " + requestText + "}\n",
        "BAD_TIMESTAMP:1 UNKNOWN_ENUM:1");
}

void tst_Mlflow::traces()
{
    const QByteArray spans = version4("00000000000000a1", "null") + "," + version4("00000000000000b2", R"("00000000000000a1")");
    const QByteArray info3 =
        R"("trace_id":"tr-0af7651916cd43dd8448eb211c80319c","state":"OK","execution_duration_ms":12,"request_preview":"q",)"
        R"("trace_metadata":{"mlflow.trace.session":"s","mlflow.trace.user":"u"},"tags":{"team":"x"},"assessments":[])";
    const QByteArray about =
        ", mlflow.trace.trace_id=tr-0af7651916cd43dd8448eb211c80319c, mlflow.trace.request_preview=q, mlflow.trace.state=OK, "
        "mlflow.trace.execution_duration_ms=12, mlflow.trace.session=s, session.id=s, mlflow.trace.user=u, user.id=u, "
        "mlflow.trace.tags.team=x";
    const QByteArray both = line("b2<a1") + line("a1", about);
    const QByteArray whole = R"({"info":{)" + info3 + R"(},"data":{"spans":[)" + spans + "]}}";
    readerRow("trace", whole, both);
    readerRow("trace with a malformed member", QByteArray(whole).replace(R"("data":{)", R"("data":{"request":tru,)"), both,
        "BAD_RECORD:1 rejected:1");
    readerRow("list of traces", "[" + whole + "]", both);
    readerRow("search result", R"({"traces":[)" + whole + R"(],"token":null})", both);
    readerRow("row of a data frame", "{" + info3 + R"(,"spans":[)" + spans + "]}", both);
    QByteArray text = "[" + spans + "]";
    text.replace('\\', R"(\\)").replace('"', R"(\")");
    readerRow("row of a data frame with text", "{" + info3 + R"(,"spans":")" + text + R"("})", both);
    readerRow("trace of version 2",
        R"({"info":{"request_id":"r","experiment_id":"0","timestamp_ms":1,"execution_time_ms":12,"status":"OK","request_metadata":{},"tags":{}},)"
        R"("data":{"request":"{}","response":"{}","spans":[)"
            + version2("00000000000000a1", "null") + "]}}",
        line("a1", ", mlflow.trace.request_id=r, mlflow.trace.experiment_id=0, mlflow.trace.status=OK, mlflow.trace.execution_time_ms=12"));
    readerRow("trace without spans", R"({"info":{)" + info3 + R"(},"data":{"spans":[]}})", "", "NO_SPANS:1");
}

void tst_Mlflow::values()
{
    attributes("inputs and outputs", R"("mlflow.spanInputs":"{\"q\": 1}","mlflow.spanOutputs":"\"text\"")",
        R"(input.value={"q": 1}, input.mime_type=application/json, output.value=text, output.mime_type=text/plain)");
    attributes("type", R"("mlflow.spanType":"\"CHAT_MODEL\"")", "mlflow.spanType=CHAT_MODEL, openinference.span.kind=LLM");
    attributes("type that OpenInference lacks", R"("mlflow.spanType":"\"MEMORY\"")", "mlflow.spanType=MEMORY");
    attributes("tokens", R"("mlflow.chat.tokenUsage":"{\"input_tokens\":3,\"output_tokens\":2,\"total_tokens\":5}")",
        R"(mlflow.chat.tokenUsage={"input_tokens":3,"output_tokens":2,"total_tokens":5}, gen_ai.usage.input_tokens=3, )"
        "gen_ai.usage.output_tokens=2, gen_ai.usage.total_tokens=5");
    attributes("model and cost", R"("mlflow.llm.model":"\"m\"","mlflow.llm.provider":"\"p\"","mlflow.llm.cost":"{\"total_cost\":0.25}")",
        R"(mlflow.llm.model=m, gen_ai.request.model=m, mlflow.llm.provider=p, gen_ai.provider.name=p, mlflow.llm.cost={"total_cost":0.25}, )"
        "llm.cost.total=0.25");
    attributes("scalars", R"("i":"12","d":"0.5","t":"true","n":"null","list":"[1,2]")", "i=12, d=0.5, t=true, n=null, list=[1,2]");
    attributes("text that is no JSON", R"("a":"12 apples","b":"truth","c":"{no","d":"\"open","e":"")",
        R"(a=12 apples, b=truth, c={no, d="open, e=)");
    attributes("values that are no text", R"("a":12,"b":{"c":1},"d":null)", R"(a=12, b={"c":1}, d=)");
}

QTEST_GUILESS_MAIN(tst_Mlflow)
#include "tst_mlflow.moc"
