// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Langfuse exports: raw text in, spans as text out.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// An observation of trace t-1 from \a start to \a end, both as seconds; \a more is further members with a leading comma.
QByteArray observation(const QByteArray& id, const QByteArray& parent, int start, int end, const QByteArray& more = R"(,"type":"SPAN")")
{
    const auto time = [](int second) { return "\"1970-01-01T00:00:0" + QByteArray::number(second) + ".000Z\""; };
    const QByteArray above = parent.isEmpty() ? QByteArray("null") : '"' + parent + '"';
    return R"({"id":")" + id + R"(","traceId":"t-1","parentObservationId":)" + above + R"(,"name":")" + id + R"(","startTime":)"
        + time(start) + R"(,"endTime":)" + (end == 0 ? QByteArray("null") : time(end)) + more + "}";
}

QByteArray line(const QByteArray& id, const QByteArray& parent, int start, int end, const QByteArray& more = {})
{
    const auto time = [](int second) { return second == 0 ? QByteArray("?") : QByteArray::number(second) + "000000000"; };
    return "t-1/" + id + (parent.isEmpty() ? "" : "<" + parent) + " '" + id + "' INTERNAL " + time(start) + ".." + time(end) + more + "\n";
}

const QByteArray spanKind = " {langfuse.observation.type=span, openinference.span.kind=UNKNOWN";
const QByteArray isSpan = spanKind + "}";
const QByteArray traceName = R"("id":"t-1","name":"ask","timestamp":"1970-01-01T00:00:01.000Z")";
const QByteArray withIo = R"(,"type":"SPAN","input":"q")";
const QByteArray isSpanWithIo =
    " {langfuse.observation.type=span, input.value=q, input.mime_type=text/plain, openinference.span.kind=UNKNOWN}";

/// What one observation without a trace around it becomes.
void members(const char* name, const QByteArray& more, const QByteArray& text, const char* faults = "")
{
    readerRow(name, "[" + observation("a", "", 1, 2, more) + "]", line("a", "", 1, 2, " {langfuse.observation.type=" + text), faults);
}

void generation(const char* name, const QByteArray& more, const QByteArray& attributes)
{
    members(name, R"(,"type":"GENERATION")" + more, "generation, openinference.span.kind=LLM" + attributes + "}");
}

} // namespace

class tst_Langfuse : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("langfuse"); }
    void saysThatThereAreNoObservations_data();
    void saysThatThereAreNoObservations();

private:
    static void wrappers();
    static void roots();
    static void scores();
    static void facts();
    static void usage();
    static void metadata();
};

void tst_Langfuse::reads_data()
{
    readerColumns();
    wrappers();
    roots();
    scores();
    facts();
    usage();
    metadata();
}

void tst_Langfuse::wrappers()
{
    const QByteArray a = observation("a", "", 1, 4, withIo);
    const QByteArray b = observation("b", "a", 2, 3);
    const QByteArray named = line("a", "", 1, 4, isSpanWithIo.chopped(1) + ", langfuse.trace.name=ask}") + line("b", "a", 2, 3, isSpan);
    const QByteArray plain = line("a", "", 1, 4, isSpanWithIo) + line("b", "a", 2, 3, isSpan);
    readerRow("download", R"({"trace":{)" + traceName + R"(},"observations":[)" + a + "," + b + "]}", named);
    readerRow("download that repeats its observations",
        R"({"trace":{)" + traceName + R"(,"observations":[)" + observation("a", "", 1, 4) + "," + b + R"(]},"observations":[)" + a + "," + b
            + "]}",
        named);
    readerRow("observations inside the trace alone", R"({"trace":{)" + traceName + R"(,"observations":[)" + a + "," + b + "]}}", named);
    readerRow("trace of the API", "{" + traceName + R"(,"observations":[)" + a + "," + b + R"(],"scores":[],"latency":3})", named);
    readerRow("trace of the API with a malformed member",
        "{" + traceName + R"(,"observations":[)" + a + "," + b + R"(],"scores":[],"latency":nil})", named, "BAD_RECORD:1 rejected:1");
    readerRow("traces of the API as lines",
        "{" + traceName + R"(,"observations":[)" + a + "]}\n{" + traceName + R"(,"observations":[)" + b + "]}\n",
        line("a", "", 1, 4, isSpanWithIo.chopped(1) + ", langfuse.trace.name=ask}")
            + "t-1/t-1 'ask' INTERNAL 1000000000..3000000000 {langfuse.trace.name=ask, openinference.span.kind=CHAIN}\n"
            + line("b", "a", 2, 3, isSpan));
    readerRow("observations without a trace", R"({"observations":[)" + a + "," + b + R"(],"scores":[]})", plain);
    readerRow("page of observations", R"({"data":[)" + a + "," + b + R"(],"meta":{"page":1}})", plain);
    readerRow("list", "[" + a + "," + b + "]", plain);
    readerRow("lines", a + "\n" + b + "\n", plain);
    readerRow("export to blob storage",
        R"({"id":"a","trace_id":"t-1","parent_observation_id":null,"type":"SPAN","name":"a","start_time":"1970-01-01 00:00:01.000",)"
        R"("end_time":"1970-01-01 00:00:02.000","level":"ERROR","status_message":"no","provided_model_name":null,"usage_details":{}})",
        "t-1/a 'a' INTERNAL ERROR(no) 1000000000..2000000000 {langfuse.observation.type=span, langfuse.observation.level=ERROR, "
        "openinference.span.kind=UNKNOWN}\n");
    readerRow("the trace of the observations around them",
        R"({"trace":{)" + traceName + R"(},"observations":[)" + QByteArray(a).replace(R"("traceId":"t-1")", R"("traceId":null)") + "]}",
        line("a", "", 1, 4, isSpanWithIo.chopped(1) + ", langfuse.trace.name=ask}"));
    readerRow("a download without inputs and outputs says so",
        R"({"trace":{)" + traceName + R"(},"observations":[)" + observation("a", "", 1, 4) + "]}",
        line("a", "", 1, 4, isSpan.chopped(1) + ", langfuse.trace.name=ask}"), "PARTIAL_TRACE:1");
}

void tst_Langfuse::roots()
{
    const auto download = [](const QByteArray& observations) {
        return "{" + traceName + R"(,"userId":"u","sessionId":"s","tags":["x"],"input":"q","output":{"a":1},"observations":[)"
            + observations + "]}";
    };
    const QByteArray about = "langfuse.trace.name=ask, user.id=u, session.id=s, langfuse.trace.tags=[\"x\"]";
    const QByteArray made = "t-1/t-1 'ask' INTERNAL 1000000000..5000000000 {" + about
        + R"(, openinference.span.kind=CHAIN, input.value=q, input.mime_type=text/plain, output.value={"a":1}, output.mime_type=application/json})"
        + "\n";
    readerRow("several roots get one", download(observation("a", "", 1, 2) + "," + observation("b", "", 3, 5)),
        made + line("a", "t-1", 1, 2, isSpan) + line("b", "t-1", 3, 5, isSpan));
    readerRow("a root that does not cover the others", download(observation("a", "", 1, 2) + "," + observation("b", "a", 2, 5)),
        made + line("a", "t-1", 1, 2, isSpan) + line("b", "a", 2, 5, isSpan));
    readerRow("one root is enough", download(observation("a", "", 1, 5) + "," + observation("b", "a", 2, 5)),
        line("a", "", 1, 5, spanKind + ", " + about + "}") + line("b", "a", 2, 5, isSpan));
    readerRow("the trace as a parent is none", download(observation("a", "t-1", 1, 5)), line("a", "", 1, 5, spanKind + ", " + about + "}"));
    readerRow("no root at all", download(observation("b", "gone", 2, 5)), made + line("b", "gone", 2, 5, isSpan));
    readerRow("unfinished", download(observation("a", "", 1, 0)), line("a", "", 1, 0, spanKind + ", " + about + "}"));
}

void tst_Langfuse::scores()
{
    const QByteArray two = observation("a", "", 1, 4, withIo) + "," + observation("b", "a", 2, 3);
    const QByteArray score =
        R"({"id":"s-1","name":"good","value":0.5,"observationId":OBSERVATION,"comment":null,"timestamp":"1970-01-01T00:00:09Z"})";
    const auto scored = [&](const QByteArray& target) {
        return "{" + traceName + R"(,"observations":[)" + two + R"(],"scores":[)" + QByteArray(score).replace("OBSERVATION", target) + "]}";
    };
    const QByteArray root = isSpanWithIo.chopped(1) + ", langfuse.trace.name=ask}";
    const QByteArray event = " event langfuse.score@9000000000{id=s-1, name=good, value=0.5";
    readerRow("score of the trace", scored("null"),
        line("a", "", 1, 4, root + event + ", timestamp=1970-01-01T00:00:09Z}") + line("b", "a", 2, 3, isSpan));
    readerRow("score of an observation", scored(R"("b")"),
        line("a", "", 1, 4, root) + line("b", "a", 2, 3, isSpan + event + ", observation_id=b, timestamp=1970-01-01T00:00:09Z}"));
}

void tst_Langfuse::facts()
{
    readerRow("an event has no length", "[" + observation("a", "", 1, 0, R"(,"type":"EVENT")") + "]",
        line("a", "", 1, 1, " {langfuse.observation.type=event, openinference.span.kind=UNKNOWN}"));
    for (const char* type : {"AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"})
        members(type, QByteArray(R"(,"type":")") + type + '"', QByteArray(type).toLower() + ", openinference.span.kind=" + type + "}");
    readerRow("warning", "[" + observation("a", "", 1, 2, R"(,"type":"SPAN","level":"WARNING","statusMessage":"hm")") + "]",
        line("a", "", 1, 2,
            " {langfuse.observation.status_message=hm, langfuse.observation.type=span, langfuse.observation.level=WARNING, "
            "openinference.span.kind=UNKNOWN}"));
    readerRow("model",
        "[" + observation("a", "", 1, 2, R"(,"type":"GENERATION","model":"m","modelParameters":{"temperature":1,"stream":true})") + "]",
        line("a", "", 1, 2,
            " {langfuse.observation.type=generation, openinference.span.kind=LLM, gen_ai.request.model=m, "
            R"(langfuse.observation.model.parameters={"temperature":1,"stream":true}, gen_ai.request.stream=true} +streaming)"));
    members("a span with a model and tokens is a generation", R"(,"type":"SPAN","model":"m","usageDetails":{"input":1,"output":2})",
        R"(span, openinference.span.kind=LLM, gen_ai.request.model=m, langfuse.observation.usage_details={"input":1,"output":2}, )"
        "gen_ai.usage.input_tokens=1, gen_ai.usage.output_tokens=2}");
    readerRow("first token",
        "[" + observation("a", "", 1, 3, R"(,"type":"GENERATION","completionStartTime":"1970-01-01T00:00:02.000Z")") + "]",
        line("a", "", 1, 3,
            " {langfuse.observation.type=generation, openinference.span.kind=LLM, "
            "langfuse.observation.completion_start_time=1970-01-01T00:00:02.000Z} +streaming first-token=2000000000"));
    readerRow("time to first token", "[" + observation("a", "", 1, 3, R"(,"type":"GENERATION","timeToFirstToken":0.25)") + "]",
        line("a", "", 1, 3,
            " {langfuse.observation.time_to_first_token=0.25, langfuse.observation.type=generation, openinference.span.kind=LLM} "
            "+streaming "
            "first-token=1250000000"));
    generation("prompt and versions", R"(,"promptName":"p","promptVersion":3,"environment":"prod","version":"v1")",
        ", langfuse.observation.prompt.name=p, langfuse.observation.prompt.version=3, langfuse.environment=prod, langfuse.version=v1");
    generation("JSON text is JSON", R"(,"input":"{\"q\": 1}","output":"plain")",
        R"(, input.value={"q": 1}, input.mime_type=application/json, output.value=plain, output.mime_type=text/plain)");
    generation("JSON text of JSON text", R"(,"input":"\"{\\\"q\\\":1}\"","output":"\"only text\"")",
        R"(, input.value={"q":1}, input.mime_type=application/json, langfuse.observation.input="{\"q\":1}", output.value="only text", )"
        "output.mime_type=text/plain");
    generation("structured values", R"(,"input":[{"role":"user"}],"output":null)",
        R"(, input.value=[{"role":"user"}], input.mime_type=application/json)");
    generation("other members are kept", R"(,"projectId":"p","internalModelId":null,"toolCallNames":["f"],"updatedAt":"x")",
        R"(, langfuse.observation.project_id=p, langfuse.observation.tool_call_names=["f"])");
    readerRow("ids",
        R"([{"id":"0000000000000abc","traceId":"0AF7651916CD43DD8448EB211C80319C","type":"SPAN","name":"x","startTime":1000},)"
        R"({"id":"01A22AEE-4052-7000-8000-0264392E8C91","traceId":"0af7651916cd43dd8448eb211c80319c","type":"SPAN","name":"y",)"
        R"("startTime":1000,"endTime":2000,"parentObservationId":"0000000000000abc"}])",
        "af7651916cd43dd8448eb211c80319c/abc 'x' INTERNAL 1000000000..?" + isSpan
            + "\naf7651916cd43dd8448eb211c80319c/01a22aee-4052-7000-8000-0264392e8c91<abc 'y' INTERNAL 1000000000..2000000000" + isSpan
            + "\n");
    readerRow("bad times keep the observation",
        R"([{"id":"a","traceId":"t-1","type":"SPAN","name":"a","startTime":"soon","endTime":["x"]}])", line("a", "", 0, 0, isSpan),
        "BAD_TIMESTAMP:2");
}

void tst_Langfuse::usage()
{
    const auto details = [](const char* name, const QByteArray& counts, const QByteArray& tokens) {
        generation(name, R"(,"usageDetails":)" + counts, ", langfuse.observation.usage_details=" + counts + tokens);
    };
    details("tokens", R"({"input":5,"output":3,"total":8})",
        ", gen_ai.usage.input_tokens=5, gen_ai.usage.output_tokens=3, gen_ai.usage.total_tokens=8");
    details("cached and reasoned tokens are apart", R"({"input":5,"input_cached_tokens":4,"output":3,"output_reasoning":2,"total":14})",
        ", gen_ai.usage.input_tokens=9, gen_ai.usage.output_tokens=5, gen_ai.usage.total_tokens=14, "
        "gen_ai.usage.cache_read.input_tokens=4, "
        "gen_ai.usage.reasoning.output_tokens=2");
    details("unless the total says otherwise", R"({"input":5,"input_cached_tokens":4,"output":3,"total":8})",
        ", gen_ai.usage.input_tokens=5, gen_ai.usage.output_tokens=3, gen_ai.usage.total_tokens=8, gen_ai.usage.cache_read.input_tokens=4");
    details("cache of Anthropic", R"({"input":5,"cache_read_input_tokens":4,"cache_creation_input_tokens":6,"output":3})",
        ", gen_ai.usage.input_tokens=15, gen_ai.usage.output_tokens=3, gen_ai.usage.cache_read.input_tokens=4, "
        "gen_ai.usage.cache_creation.input_tokens=6");
    details("only a total", R"({"total":8})", ", gen_ai.usage.total_tokens=8");
    generation("usage of old exports", R"(,"usage":{"input":5,"output":3,"total":8,"unit":"TOKENS"})",
        ", gen_ai.usage.input_tokens=5, gen_ai.usage.output_tokens=3, gen_ai.usage.total_tokens=8");
    generation("usage of the oldest", R"(,"promptTokens":5,"completionTokens":3,"totalTokens":8)",
        ", gen_ai.usage.input_tokens=5, gen_ai.usage.output_tokens=3, gen_ai.usage.total_tokens=8");
    members("zeros of what counts no tokens", R"(,"type":"SPAN","usage":{"input":0,"output":0,"total":0},"totalTokens":0)",
        "span, openinference.span.kind=UNKNOWN}");
    generation("costs", R"(,"costDetails":{"input":0.15,"total":0.2},"calculatedTotalCost":0.3)",
        R"(, langfuse.observation.cost_details={"input":0.15,"total":0.2}, llm.cost.total=0.2)");
    generation("cost of old exports", R"(,"calculatedTotalCost":2.1e-06)", ", llm.cost.total=2.1e-06");
    generation("an unknown price", R"(,"calculatedTotalCost":null,"totalCost":0,"costDetails":{})", "");
}

void tst_Langfuse::metadata()
{
    const QByteArray data =
        R"({"attributes":{"gen_ai.operation.name":"chat","input.value":"q"},"resourceAttributes":{"service.name":"svc"},)"
        R"("scope":{"name":"lib","version":"1"},"mine":[1]})";
    QByteArray text = data;
    text.replace('"', R"(\")");
    const QByteArray spans =
        "t-1/a 'a' svc|lib@1 INTERNAL 1000000000..2000000000 {langfuse.observation.type=tool, openinference.span.kind=TOOL, "
        "gen_ai.operation.name=chat, input.value=q, metadata={\"mine\":[1]}}\n";
    readerRow("what the SDK knew is restored", "[" + observation("a", "", 1, 2, R"(,"type":"TOOL","metadata":)" + data) + "]", spans);
    readerRow("metadata as text", "[" + observation("a", "", 1, 2, R"(,"type":"TOOL","metadata":")" + text + '"') + "]", spans);
    members("the SDK's kind of a span", R"(,"type":"SPAN","metadata":{"attributes":{"openinference.span.kind":"AGENT"}})",
        "span, openinference.span.kind=AGENT}");
    members("the observation's own input comes first",
        R"(,"type":"TOOL","input":"own","metadata":{"attributes":{"input.value":"other","openinference.span.kind":"X"}})",
        "tool, openinference.span.kind=TOOL, input.value=own, input.mime_type=text/plain}");
    members("text that is no JSON", R"(,"type":"TOOL","metadata":"{no")", "tool, openinference.span.kind=TOOL, metadata={no}");
    members("no metadata", R"(,"type":"TOOL","metadata":"{}")", "tool, openinference.span.kind=TOOL}");
}

void tst_Langfuse::saysThatThereAreNoObservations_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::newRow("traces with ids of observations")
        << QByteArray(R"({"data":[{"id":"t-1","name":"ask","timestamp":"x","observations":["a","b"]}],"meta":{"page":1}})");
    QTest::newRow("table of traces") << QByteArray(
        R"([{"id":"t-1","timestamp":"x","name":"ask","userId":null,"sessionId":"s","release":null}])");
    QTest::newRow("blob export of traces") << QByteArray(
        R"({"id":"t-1","timestamp":"x","name":"ask","environment":"e","user_id":"u","session_id":"s","release":"r"})");
}

void tst_Langfuse::saysThatThereAreNoObservations()
{
    QFETCH(QByteArray, input);
    const ImportText got = importText(viewOf(input));
    QCOMPARE(QByteArray::fromStdString(got.format), QByteArray("UNSUPPORTED_FORMAT"));
    QVERIFY2(got.message.find("no observations") != std::string::npos, got.message.c_str());
}

QTEST_GUILESS_MAIN(tst_Langfuse)
#include "tst_langfuse.moc"
