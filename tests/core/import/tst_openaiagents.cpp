// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Dumps of the OpenAI Agents SDK: raw text in, spans as text out.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

class tst_OpenAiAgents : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("openai-agents"); }
};

namespace {

const QByteArray traceId = "trace_0af7651916cd43dd8448eb211c80319c";
const QByteArray rootId = "span_0123456789abcdef01234567";
const QByteArray childId = "span_0123456789abcdef76543210";

const QByteArray trace =
    R"({"object":"trace","id":")" + traceId + R"(","workflow_name":"Agent workflow","group_id":"g","metadata":{"k":1}})";

/// A span from \a start to \a end, both as seconds.
QByteArray span(
    const QByteArray& id, const QByteArray& parent, int start, int end, const QByteArray& work, const QByteArray& error = "null")
{
    const auto time = [](int second) { return "\"1970-01-01T00:00:0" + QByteArray::number(second) + ".000000+00:00\""; };
    return R"({"object":"trace.span","id":")" + id + R"(","trace_id":")" + traceId + R"(","parent_id":)"
        + (parent.isEmpty() ? QByteArray("null") : '"' + parent + '"') + R"(,"started_at":)" + time(start) + R"(,"ended_at":)" + time(end)
        + R"(,"span_data":)" + work + R"(,"error":)" + error + "}";
}

QByteArray line(const QByteArray& ids, const QByteArray& name, int start, int end, const QByteArray& attributes)
{
    return "af7651916cd43dd8448eb211c80319c/" + ids + " '" + name + "' INTERNAL " + QByteArray::number(start) + "000000000.."
        + QByteArray::number(end) + "000000000 {" + attributes + "}\n";
}

const QByteArray agent = span(rootId, "", 1, 4, R"({"type":"agent","name":"Triage","tools":["f"],"output_type":"str"})");
const QByteArray function = span(childId, rootId, 2, 5, R"({"type":"function","name":"f","input":"{\"a\":1}","output":"sunny"})");
const QByteArray agentText =
    R"(openinference.span.kind=AGENT, gen_ai.agent.name=Triage, openai.agents.tools=["f"], openai.agents.output_type=str)";
const QByteArray functionLine = line(childId + "<" + rootId, "f", 2, 5,
    R"(openinference.span.kind=TOOL, openai.agents.type=function, tool.name=f, input.value={"a":1}, input.mime_type=application/json, )"
    "output.value=sunny, output.mime_type=text/plain");
const QByteArray traceLine = line(traceId, "Agent workflow", 1, 5,
    R"(openinference.span.kind=CHAIN, openai.agents.workflow_name=Agent workflow, session.id=g, metadata={"k":1})");

QByteArray agentLine(const QByteArray& parent)
{
    QByteArray text = agentText;
    return line(rootId + parent, "Triage", 1, 4, text.replace(", gen_ai", ", openai.agents.type=agent, gen_ai"));
}

void work(const char* name, const QByteArray& data, const QByteArray& spanName, const QByteArray& attributes)
{
    readerRow(name, span(childId, rootId, 2, 3, data), line(childId + "<" + rootId, spanName, 2, 3, attributes));
}

} // namespace

void tst_OpenAiAgents::reads_data()
{
    readerColumns();
    const QByteArray child = agentLine("<" + traceId);
    readerRow("trace first", trace + "\n" + agent + "\n" + function + "\n", child + functionLine + traceLine);
    readerRow("trace last", function + "\n" + agent + "\n" + trace + "\n", functionLine + child + traceLine);
    readerRow("trace twice", trace + "\n" + agent + "\n" + function + "\n" + trace + "\n", child + functionLine + traceLine);
    readerRow("body of an upload", R"({"data":[)" + trace + "," + agent + "," + function + "]}", child + functionLine + traceLine);
    readerRow("what is neither", "[" + trace + "," + agent + "," + function + R"(,{"hello":1},7,null])", child + functionLine + traceLine,
        "BAD_RECORD:2 rejected:2");
    readerRow("spans without a trace", agent + "\n" + function + "\n", functionLine + agentLine(""));
    readerRow("trace without spans", trace, "", "NO_SPANS:1");
    work("generation",
        R"({"type":"generation","input":[{"role":"user"}],"output":null,"model":"m","model_config":{"temperature":0},)"
        R"("usage":{"input_tokens":3,"output_tokens":2}})",
        "generation",
        R"(openinference.span.kind=LLM, openai.agents.type=generation, input.value=[{"role":"user"}], input.mime_type=application/json, )"
        "gen_ai.request.model=m, openai.agents.model_config.temperature=0, gen_ai.usage.input_tokens=3, gen_ai.usage.output_tokens=2");
    work("response", R"({"type":"response","response_id":"r","usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}})",
        "response",
        "openinference.span.kind=LLM, openai.agents.type=response, gen_ai.response.id=r, gen_ai.usage.input_tokens=3, "
        "gen_ai.usage.output_tokens=2, gen_ai.usage.total_tokens=5");
    work("handoff", R"({"type":"handoff","from_agent":"A","to_agent":"B"})", "handoff to B",
        "openinference.span.kind=TOOL, openai.agents.type=handoff, openai.agents.from_agent=A, openai.agents.to_agent=B");
    work("guardrail", R"({"type":"guardrail","name":"safe","triggered":true})", "safe",
        "openinference.span.kind=GUARDRAIL, openai.agents.type=guardrail, openai.agents.name=safe, openai.agents.triggered=true");
    work("custom", R"({"type":"custom","name":"mine","data":{"a":{"b":1}}})", "mine",
        "openinference.span.kind=CHAIN, openai.agents.type=custom, openai.agents.name=mine, openai.agents.data.a.b=1");
    work("a kind of later versions", R"({"type":"speech_group"})", "speech_group",
        "openinference.span.kind=UNKNOWN, openai.agents.type=speech_group");
    QByteArray failed =
        line(childId + "<" + rootId, "f", 2, 3, "openinference.span.kind=TOOL, openai.agents.type=function, tool.name=f, error.data.a=1");
    readerRow("error", span(childId, rootId, 2, 3, R"({"type":"function","name":"f"})", R"({"message":"no","data":{"a":1}})"),
        failed.replace("INTERNAL", "INTERNAL ERROR(no)"));
    readerRow("bad time", QByteArray(function).replace(R"("1970-01-01T00:00:02.000000+00:00")", R"("soon")"),
        QByteArray(functionLine).replace("2000000000..", "?.."), "BAD_TIMESTAMP:1");
}

QTEST_GUILESS_MAIN(tst_OpenAiAgents)
#include "tst_openaiagents.moc"
