// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rules for attempts: failures and repeats, what looks like a retry and is none, walks, nesting, requests sent again.
#include "core/analysis/attemptcause.h"
#include "core/analysis/inputtext.h"
#include "core/analysis/walkpattern.h"
#include "tests/core/analysis/retrytext.h"

#include <QTest>

using namespace chokepoint;
using namespace std::chrono_literals;

namespace {

QByteArray groupsOf(const QByteArray& trace)
{
    return QByteArray::fromStdString(groupsText(*retriesOf(trace.toStdString())));
}

/// Steps by letters: e embed, r retrieve, k rerank, g generate, t tool, v validate, c cache, p preprocess, a assemble.
std::vector<attempts::Step> steps(std::string_view letters)
{
    using attempts::StageRole;
    const std::map<char, StageRole> roles{{'e', StageRole::Embed}, {'r', StageRole::Retrieve}, {'k', StageRole::Rerank},
        {'g', StageRole::Generate}, {'t', StageRole::Tool}, {'v', StageRole::Validate}, {'c', StageRole::Cache},
        {'p', StageRole::Preprocess}, {'a', StageRole::Assemble}};
    std::vector<attempts::Step> result;
    for (const char letter : letters)
        result.push_back({roles.at(letter), 0});
    return result;
}

} // namespace

class RetriesTest : public QObject {
    Q_OBJECT

private slots:
    void rules_data()
    {
        QTest::addColumn<QByteArray>("trace");
        QTest::addColumn<QByteArray>("groups");

        QTest::newRow("R5 status alone, without an error") << QByteArray(R"(
job | 0-900
  GET | 0-100 | CLIENT | http.request.method=GET | url.full=http://a/b | http.response.status_code:=503
  GET | 200-900 | CLIENT | http.request.method=GET | url.full=http://a/b | http.response.status_code:=200
)") << QByteArray("retry R5 90 GET x2 5xx ok\n");
        QTest::newRow("R5 exhausted") << QByteArray(R"(
job | 0-900
  GET | 0-100 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/b | http.response.status_code:=503
  GET | 200-900 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/b | http.response.status_code:=503
)") << QByteArray("retry R5 90 GET x2 5xx failed\n");
        QTest::newRow("R5 starts cut to milliseconds overlap a little") << QByteArray(R"(
job | 0-900
  call | 0-100.9 | ERROR
  call | 100-900
)") << QByteArray("retry R5 90 call x2 error ok\n");
        QTest::newRow("R5 known equal input") << QByteArray(R"(
job | 0-900
  search | 0-100 | ERROR | CLIENT | input.value=what is new
  search | 200-900 | CLIENT | input.value=what is new
)") << QByteArray("retry R5 95 search x2 error ok\n");
        QTest::newRow("R5 in parallel branches, told apart by their inputs") << QByteArray(R"(
job | 0-900
  search | 0-100 | ERROR | input.value=first
  search | 0-300 | input.value=second
  search | 120-400 | input.value=first
)") << QByteArray("retry R5 95 search x2 error ok\n");
        QTest::newRow("R5 not after a permanent failure") << QByteArray(R"(
job | 0-900
  GET | 0-100 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/b | http.response.status_code:=404
  GET | 200-900 | CLIENT | http.request.method=GET | url.full=http://a/b | http.response.status_code:=200
)") << QByteArray();
        QTest::newRow("R5 not for another URL") << QByteArray(R"(
job | 0-900
  GET | 0-100 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/item/1 | http.response.status_code:=503
  GET | 200-900 | CLIENT | http.request.method=GET | url.full=http://a/item/2 | http.response.status_code:=200
)") << QByteArray();
        QTest::newRow("R5 not after a minute") << QByteArray(R"(
job | 0-90000
  call | 0-100 | ERROR
  call | 60200-90000
)") << QByteArray();
        QTest::newRow("R5 a long call may wait three times as long") << QByteArray(R"(
job | 0-200000
  call | 0-30000 | ERROR
  call | 119000-200000
)") << QByteArray("retry R5 90 call x2 error ok\n");
        QTest::newRow("R5 not with a different input") << QByteArray(R"(
job | 0-900
  search | 0-100 | ERROR | input.value=what is new
  search | 200-900 | input.value=what is old
)") << QByteArray();
        QTest::newRow("R5 not across another step of the pipeline") << QByteArray(R"(
job | 0-900
  validate_output | 0-100 | ERROR
  chat gpt | 100-300 | CLIENT | gen_ai.operation.name=chat
  validate_output | 300-400
)") << QByteArray();
        QTest::newRow("servers are no attempts") << QByteArray(R"(
job | 0-900
  GET /a | 0-100 | SERVER | ERROR
  GET /a | 200-900 | SERVER
)") << QByteArray();
        QTest::newRow("R6 another server") << QByteArray(R"(
job | 0-900
  search | 0-100 | CLIENT | ERROR | db.system=qdrant | server.address=a
  search | 200-900 | CLIENT | db.system=qdrant | server.address=b
)") << QByteArray("(fallback R6 90 search x2 error ok)\n");
        QTest::newRow("retries, then a fallback: retries count") << QByteArray(R"(
job | 0-900
  chat gpt | 0-100 | CLIENT | ERROR | gen_ai.operation.name=chat | gen_ai.request.model=gpt | error.type=429
  chat gpt | 200-300 | CLIENT | ERROR | gen_ai.operation.name=chat | gen_ai.request.model=gpt | error.type=429
  chat claude | 300-900 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=claude
)") << QByteArray("retry R5 90 chat gpt x3 429 ok\n");
        QTest::newRow("R7 by structure alone") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  answer | 0-100 | openinference.span.kind=LLM | llm.model_name=gpt
  check | 100-150 | openinference.span.kind=GUARDRAIL | guardrail.passed?=false
  answer | 200-900 | openinference.span.kind=LLM | llm.model_name=gpt
  check | 900-900 | openinference.span.kind=GUARDRAIL | guardrail.passed?=true
)") << QByteArray("re-ask R7 60 answer x2 validation ok\n");
        QTest::newRow("R7 escalation to another model is a fallback") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  answer | 0-100 | openinference.span.kind=LLM | llm.model_name=small
  check | 100-150 | openinference.span.kind=GUARDRAIL | guardrail.passed?=false
  answer | 200-900 | openinference.span.kind=LLM | llm.model_name=large
)") << QByteArray("(fallback R7 60 answer x2 validation ok)\n");
        QTest::newRow("hedge") << QByteArray(R"(
job | 0-900
  search | 0-500 | CLIENT | CANCELLED
  search | 200-450 | CLIENT
)") << QByteArray("(hedge R11 90 search x2 cancelled ok)\n");
        QTest::newRow("3 x 3") << QByteArray(R"(
GET /cart | 0-1000 | SERVER
  GET /stock | 0-300 | CLIENT | ERROR
    SELECT stock | 10-80 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 100-170 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 190-260 | CLIENT | ERROR | db.system=postgresql
  GET /stock | 320-620 | CLIENT
    SELECT stock | 330-400 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 420-490 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 510-580 | CLIENT | db.system=postgresql
  GET /price | 942-950 | CLIENT
  GET /price | 954-962 | CLIENT
)") << QByteArray("retry R5 90 GET /stock x2 error ok\nretry R5 90 SELECT stock x3 error failed\nretry R5 90 SELECT stock x3 error ok\n");
        QTest::newRow("calls wrapped one by one") << QByteArray(R"(
chat gpt | 0-900 | CLIENT | gen_ai.operation.name=chat
  request | 0-100
    POST | 0-100 | CLIENT | ERROR | http.request.method=POST | url.full=http://l/x | http.response.status_code:=500
  request | 200-900
    POST | 200-900 | CLIENT | http.request.method=POST | url.full=http://l/x | http.response.status_code:=200
)") << QByteArray("retry R5 90 POST x2 5xx ok\n");
        QTest::newRow("a failure handed up is one retry, on the outer span") << QByteArray(R"(
job | 0-900
  step | 0-100 | ERROR
    POST | 0-100 | CLIENT | ERROR | http.request.method=POST | url.full=http://l/x | http.response.status_code:=500
  step | 200-900
    POST | 200-900 | CLIENT | http.request.method=POST | url.full=http://l/x | http.response.status_code:=200
)") << QByteArray("retry R5 90 step x2 5xx ok\n");
        QTest::newRow("one id for all tries") << QByteArray(R"(
place order | 0-300 | SERVER
  POST /pay | 10-60 | CLIENT | ERROR | http.request.method=POST | url.full=http://pay/pay | http.response.status_code:=503
  POST /pay | 80-130 | CLIENT | ERROR | http.request.method=POST | url.full=http://pay/pay | http.response.status_code:=503
  POST /pay | 150-250 | CLIENT | http.request.method=POST | url.full=http://pay/pay | http.response.status_code:=200
)") << QByteArray("retry R5 90 POST /pay x3 5xx ok\n");
    }
    void rules()
    {
        QFETCH(QByteArray, trace);
        QTEST(groupsOf(trace), "groups");
    }

    /// What looks like a retry and is none: nothing may be counted.
    void falsePositives_data()
    {
        QTest::addColumn<QByteArray>("trace");
        QTest::newRow("F1 fan-out") << QByteArray(R"(
search | 0-500
  shard | 0-100 | ERROR
  shard | 10-300
  shard | 20-400
)");
        QTest::newRow("F2 pages") << QByteArray(R"(
list | 0-500
  GET | 0-100 | CLIENT | http.request.method=GET | url.full=http://a/items?page=1 | http.response.status_code:=200
  GET | 110-200 | CLIENT | http.request.method=GET | url.full=http://a/items?page=2 | http.response.status_code:=200
  GET | 210-300 | CLIENT | http.request.method=GET | url.full=http://a/items?page=3 | http.response.status_code:=200
)");
        QTest::newRow("F2 a page after a page that failed") << QByteArray(R"(
list | 0-500
  GET | 0-100 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/items?offset=1000 | http.response.status_code:=503
  GET | 110-200 | CLIENT | http.request.method=GET | url.full=http://a/items?offset=1100 | http.response.status_code:=200
)");
        QTest::newRow("F3 batches of embeddings") << QByteArray(R"(
ai.embedMany | 0-500 | ai.operationId=ai.embedMany
  ai.embedMany.doEmbed | 0-100 | ai.operationId=ai.embedMany.doEmbed | ai.values=["a"]
  ai.embedMany.doEmbed | 110-200 | ai.operationId=ai.embedMany.doEmbed | ai.values=["b"]
)");
        QTest::newRow("F4 several queries") << QByteArray(R"(
MultiQueryRetriever | 0-500 | openinference.span.kind=RETRIEVER
  VectorStoreRetriever | 0-100 | openinference.span.kind=RETRIEVER | input.value=one
  VectorStoreRetriever | 110-200 | openinference.span.kind=RETRIEVER | input.value=two
)");
        QTest::newRow("F5 agent turns") << QByteArray(R"(
agent | 0-900 | gen_ai.operation.name=invoke_agent
  chat gpt | 0-100 | CLIENT | gen_ai.operation.name=chat | gen_ai.response.finish_reasons=["tool_calls"] | gen_ai.input.messages=[{"role":"user","content":"q"}]
  execute_tool search | 110-200 | gen_ai.operation.name=execute_tool | gen_ai.tool.name=search
  chat gpt | 210-300 | CLIENT | gen_ai.operation.name=chat | gen_ai.response.finish_reasons=["tool_calls"] | gen_ai.input.messages=[{"role":"user","content":"q"},{"role":"assistant","content":"call"},{"role":"tool","content":"r"}]
  execute_tool search | 310-400 | gen_ai.operation.name=execute_tool | gen_ai.tool.name=search
  chat gpt | 410-500 | CLIENT | gen_ai.operation.name=chat
)");
        QTest::newRow("F5 another try of another tool call") << QByteArray(R"(
agent | 0-900 | gen_ai.operation.name=invoke_agent
  execute_tool search | 0-100 | ERROR | gen_ai.operation.name=execute_tool | gen_ai.tool.name=search | gen_ai.tool.call.arguments={"q":"a"}
  chat gpt | 110-200 | CLIENT | gen_ai.operation.name=chat
  execute_tool search | 210-300 | gen_ai.operation.name=execute_tool | gen_ai.tool.name=search | gen_ai.tool.call.arguments={"q":"b"}
)");
        QTest::newRow("F6 steps of the Vercel AI SDK") << QByteArray(R"(
ai.generateText | 0-500 | ai.operationId=ai.generateText
  ai.generateText.doGenerate | 0-100 | ai.operationId=ai.generateText.doGenerate | ai.response.finishReason=tool-calls
  ai.toolCall | 110-150 | ai.operationId=ai.toolCall | ai.toolCall.name=search
  ai.generateText.doGenerate | 160-400 | ai.operationId=ai.generateText.doGenerate | ai.response.finishReason=stop
)");
        QTest::newRow("F7 infer siblings of TGI") << QByteArray(R"(
generate | 0-500 | SERVER
  infer | 0-100
  infer | 100-200
  infer | 200-300
)");
        QTest::newRow("F8 map and reduce") << QByteArray(R"(
MapReduceDocumentsChain | 0-900 | openinference.span.kind=CHAIN
  ChatOpenAI | 0-100 | openinference.span.kind=LLM | input.value={"messages":[{"role":"user","content":"doc 1"}]}
  ChatOpenAI | 110-200 | openinference.span.kind=LLM | input.value={"messages":[{"role":"user","content":"doc 2"}]}
  ChatOpenAI | 210-400 | openinference.span.kind=LLM | input.value={"messages":[{"role":"user","content":"all"}]}
)");
        QTest::newRow("F9 best of three, one after the other") << QByteArray(R"(
best_of | 0-900 | openinference.span.kind=CHAIN
  ChatOpenAI | 0-100 | openinference.span.kind=LLM | input.value=q
  ChatOpenAI | 110-200 | openinference.span.kind=LLM | input.value=q
  ChatOpenAI | 210-400 | openinference.span.kind=LLM | input.value=q
)");
        QTest::newRow("F9 a judge after the answer") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  ChatOpenAI | 0-100 | openinference.span.kind=LLM
  judge | 110-200 | openinference.span.kind=EVALUATOR
    ChatOpenAI | 110-190 | openinference.span.kind=LLM
  judge | 210-300 | openinference.span.kind=EVALUATOR
    ChatOpenAI | 210-290 | openinference.span.kind=LLM
)");
        QTest::newRow("F10 redirect") << QByteArray(R"(
job | 0-900
  GET | 0-100 | CLIENT | http.request.method=GET | url.full=http://a/b | http.response.status_code:=302
  GET | 110-200 | CLIENT | http.request.method=GET | url.full=http://a/c | http.response.status_code:=200 | http.request.resend_count:=1
)");
        QTest::newRow("F10 new credentials") << QByteArray(R"(
job | 0-900
  GET | 0-100 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/b | http.response.status_code:=401
  GET | 110-200 | CLIENT | http.request.method=GET | url.full=http://a/b | http.response.status_code:=200
)");
        QTest::newRow("F11 polling") << QByteArray(R"(
wait | 0-900
  GET | 0-10 | CLIENT | http.request.method=GET | url.full=http://a/job/7 | http.response.status_code:=202
  GET | 100-110 | CLIENT | http.request.method=GET | url.full=http://a/job/7 | http.response.status_code:=202
  GET | 200-210 | CLIENT | http.request.method=GET | url.full=http://a/job/7 | http.response.status_code:=200
)");
        QTest::newRow("F12 transparent retry") << QByteArray(R"(
Sent.a.B | 0-900 | CLIENT
  Attempt.a.B | 0-100 | ERROR
  Attempt.a.B | 100-200 | previous-rpc-attempts:=1 | transparent-retry?=true
)");
        QTest::newRow("F13 one answer seen by two instrumentations") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  chat gpt | 0-100 | CLIENT | gen_ai.operation.name=chat | ERROR | gen_ai.response.id=r1
  chat gpt | 0-102 | CLIENT | gen_ai.operation.name=chat | gen_ai.response.id=r1
)");
        QTest::newRow("F14 a call within its asynchronous twin") << QByteArray(R"(
rag | 0-900
  acompletion | 0-100 | ERROR | openinference.span.kind=LLM
    completion | 1-99 | ERROR | openinference.span.kind=LLM
)");
        QTest::newRow("F15 links that tell an order") << QByteArray(R"(
request | 0-900 | SERVER
  decode_loop | 0-100 | &a
  decode_loop | 110-200 | ~a;link.reason=next
)");
        QTest::newRow("F16 health checks and tokens") << QByteArray(R"(
job | 0-900
  refresh_token | 0-10 | ERROR
  refresh_token | 20-30
  GET /healthz | 40-50 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/healthz | http.response.status_code:=503
  GET /healthz | 60-70 | CLIENT | http.request.method=GET | url.full=http://a/healthz | http.response.status_code:=200
)");
        QTest::newRow("F17 client and server of one call") << QByteArray(R"(
job | 0-900
  GET | 0-100 | CLIENT | ERROR | http.request.method=GET | url.full=http://a/b | http.response.status_code:=500
    GET | 10-90 | SERVER | ERROR | http.request.method=GET | url.path=/b | http.response.status_code:=500
)");
        QTest::newRow("F18 a loop that changes its state") << QByteArray(R"(
LangGraph | 0-900 | openinference.span.kind=CHAIN
  retrieve docs | 0-100 | openinference.span.kind=RETRIEVER | input.value=first question
  answer | 110-200 | openinference.span.kind=LLM | input.value=a
  retrieve docs | 210-300 | openinference.span.kind=RETRIEVER | input.value=something else entirely now
  answer | 310-400 | openinference.span.kind=LLM | input.value=b
)");
        QTest::newRow("F19 draft model") << QByteArray(R"(
llm_request | 0-900 | SERVER
  draft_model.forward | 0-10 | ERROR
  draft_model.forward | 20-30
)");
        QTest::newRow("F20 a cache miss, then the origin") << QByteArray(R"(
lookup | 0-900
  GET | 0-10 | CLIENT | ERROR | db.system=redis | db.operation=GET
  GET | 20-300 | CLIENT | http.request.method=GET | url.full=http://origin/x | http.response.status_code:=200
)");
        QTest::newRow("several embeddings and retrievals before one answer") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  embed | 0-10 | openinference.span.kind=EMBEDDING
  find | 20-30 | openinference.span.kind=RETRIEVER
  embed | 40-50 | openinference.span.kind=EMBEDDING
  find | 60-70 | openinference.span.kind=RETRIEVER
  answer | 80-300 | openinference.span.kind=LLM
)");
    }
    void falsePositives()
    {
        QFETCH(QByteArray, trace);
        const auto set = retriesOf(trace.toStdString());
        const QByteArray groups = QByteArray::fromStdString(groupsText(*set));
        QVERIFY2(set->retries.summary.retriedRequests == 0, groups.constData());
        QCOMPARE(set->retries.summary.extraAttempts, std::uint64_t(0));
        QVERIFY(set->retries.summary.wasted == 0ns);
    }

    void toolRetry()
    {
        QCOMPARE(groupsOf(R"(
agent | 0-900 | gen_ai.operation.name=invoke_agent
  execute_tool search | 0-100 | ERROR | gen_ai.operation.name=execute_tool | gen_ai.tool.name=search | gen_ai.tool.call.arguments={"q":"a"}
  chat gpt | 110-200 | CLIENT | gen_ai.operation.name=chat
  execute_tool search | 210-300 | gen_ai.operation.name=execute_tool | gen_ai.tool.name=search | gen_ai.tool.call.arguments={"q": "a"}
)"),
            QByteArray("retry R5 80 execute_tool search x2 error ok\n"));
    }

    void patterns_data()
    {
        QTest::addColumn<QByteArray>("letters");
        QTest::addColumn<QByteArray>("walks"); // begin-end, "~" anchored, "!" incomplete
        QTest::newRow("three walks") << QByteArray("erkgverkgverkgv") << QByteArray("0-5 5-10 10-15");
        QTest::newRow("a cache before the first walk") << QByteArray("cergvergv") << QByteArray("1-5 5-9");
        QTest::newRow("a cache in the first walk only, then none") << QByteArray("cergergerg") << QByteArray("0-4 4-7 7-10");
        QTest::newRow("retrievals before one answer") << QByteArray("ererg") << QByteArray();
        QTest::newRow("agent turns") << QByteArray("ergtgtg") << QByteArray();
        QTest::newRow("turns alone") << QByteArray("gtgtgt") << QByteArray();
        QTest::newRow("w w and a prefix") << QByteArray("ergvergver") << QByteArray("0-4 4-8");
        QTest::newRow("a rewritten query") << QByteArray("ergvpergv") << QByteArray("0-5 5-9 ~");
        QTest::newRow("something after the last") << QByteArray("ergvergva") << QByteArray("0-4 4-9 ~");
        QTest::newRow("broken off after a failure") << QByteArray("ergver") << QByteArray("0-4 4-6 !");
        QTest::newRow("one walk") << QByteArray("erkgv") << QByteArray();
        QTest::newRow("nothing") << QByteArray("") << QByteArray();
    }
    void patterns()
    {
        QFETCH(QByteArray, letters);
        const attempts::WalkPattern found =
            attempts::findWalks(steps(letters.toStdString()), [](std::size_t, std::size_t) { return true; });
        QByteArray text;
        for (const auto& walk : found.walks)
            text += QByteArray::number(qulonglong(walk.begin)) + "-" + QByteArray::number(qulonglong(walk.end)) + " ";
        if (!found.walks.empty())
            text += found.anchored ? "~" : found.incomplete ? "!" : "";
        QTEST(text.trimmed(), "walks");
    }

    void brokenOffNeedsAFailure()
    {
        QVERIFY(attempts::findWalks(steps("ergver"), [](std::size_t, std::size_t) { return false; }).walks.empty());
    }

    void walks_data()
    {
        QTest::addColumn<QByteArray>("trace");
        QTest::addColumn<QByteArray>("groups");
        QTest::newRow("same question, no failure to be seen") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER | input.value=how do I rotate the keys
  answer | 20-300 | openinference.span.kind=LLM
  find | 310-320 | openinference.span.kind=RETRIEVER | input.value=How do I rotate the keys?
  answer | 330-600 | openinference.span.kind=LLM
)") << QByteArray("walk R8 70 find x2 - ok\n");
        QTest::newRow("nothing found") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER | db.response.returned_rows:=0
  answer | 20-300 | openinference.span.kind=LLM
  find | 310-320 | openinference.span.kind=RETRIEVER | db.response.returned_rows:=4
  answer | 330-600 | openinference.span.kind=LLM
)") << QByteArray("walk R8 85 find x2 quality ok\n");
        QTest::newRow("answer cut off") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER
  answer | 20-300 | openinference.span.kind=LLM | gen_ai.response.finish_reasons=["length"]
  find | 310-320 | openinference.span.kind=RETRIEVER
  answer | 330-600 | openinference.span.kind=LLM | gen_ai.response.finish_reasons=["stop"]
)") << QByteArray("walk R8 85 find x2 validation ok\n");
        QTest::newRow("may be a loop: shown, not counted") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER
  answer | 20-300 | openinference.span.kind=LLM
  find | 310-320 | openinference.span.kind=RETRIEVER
  answer | 330-600 | openinference.span.kind=LLM
)") << QByteArray("(walk R8 40 find x2 - ok)\n");
        QTest::newRow("attempts that hold the pipeline are walks") << QByteArray(R"(
POST /rag | 0-900 | SERVER
  rag.attempt | 0-300 | ERROR | error.type=OutputValidationError | rag.attempt:=1
    find | 0-10 | openinference.span.kind=RETRIEVER
    answer | 20-300 | openinference.span.kind=LLM
  rag.attempt | 500-800 | rag.attempt:=2
    find | 500-510 | openinference.span.kind=RETRIEVER
    answer | 520-800 | openinference.span.kind=LLM
)") << QByteArray("walk R1 90 rag.attempt x2 validation ok\n");
        QTest::newRow("a container for each walk") << QByteArray(R"(
POST /rag | 0-900 | SERVER
  graph step 1 | 0-300 | openinference.span.kind=CHAIN
    find | 0-10 | openinference.span.kind=RETRIEVER
    answer | 20-200 | openinference.span.kind=LLM
    check | 210-300 | openinference.span.kind=GUARDRAIL | guardrail.passed?=false
  graph step 2 | 500-800 | openinference.span.kind=CHAIN
    find | 500-510 | openinference.span.kind=RETRIEVER
    answer | 520-700 | openinference.span.kind=LLM
    check | 710-800 | openinference.span.kind=GUARDRAIL | guardrail.passed?=true
)") << QByteArray("walk R8 85 graph step 1 x2 validation ok\n");
    }
    void walks()
    {
        QFETCH(QByteArray, trace);
        QTEST(groupsOf(trace), "groups");
    }

    void walksHaveOneKind()
    {
        const auto set = retriesOf(R"(
POST /rag | 0-900 | SERVER
  rag.attempt | 0-300 | ERROR | rag.attempt:=1
    find | 0-10 | openinference.span.kind=RETRIEVER
    answer | 20-300 | openinference.span.kind=LLM
  rag.attempt | 500-800 | rag.attempt:=2
    find | 500-510 | openinference.span.kind=RETRIEVER
    answer | 520-800 | openinference.span.kind=LLM
)");
        QCOMPARE(set->retries.attempts.size(), std::size_t(2));
        for (const Attempt& attempt : set->retries.attempts)
            QVERIFY(attempt.kind == AttemptKind::Walk);
        QCOMPARE(set->retries.traces[0].walks, 2U);
    }

    /// A split of a population takes the facts of its traces along.
    void factsOfSomeTraces()
    {
        const std::string first =
            "job | 0-900 | x_request_id=r0\n  call | 0-100 | ERROR | input.value=one two\n  call | 200-900 | input.value=one two\n";
        const std::string second = R"(ask | 0-4000 | x_request_id=r1 | ERROR
  try | 0-900 | &first
  try | 1000-2000 | ~first;link.reason=retry_of
  chat gpt | 2000-3000 | CLIENT | gen_ai.operation.name=chat | !gen_ai.retry@2500
)";
        const std::string third = "ask | 5000-6000 | x_request_id=r1\n";
        const auto whole = retriesOf(first + "---\n" + second + "---\n" + third);
        const auto alone = retriesOf(second + "---\n" + third);
        AttemptFacts part;
        const std::uint64_t skipped = whole->columns.firstSpan[1];
        part.append(whole->facts, skipped, whole->columns.firstSpan[2] - skipped, 0);
        part.append(whole->facts, whole->columns.firstSpan[2], 1, whole->columns.firstSpan[2] - skipped);
        QVERIFY(part.span == alone->facts.span);
        QVERIFY(part.messages == alone->facts.messages && part.words == alone->facts.words);
        QCOMPARE(part.links.size(), std::size_t(1));
        QCOMPARE(part.links[0].first, alone->facts.links[0].first);
        part.links = alone->facts.links; // span ids count on from trace to trace
        QCOMPARE(part.marks.size(), std::size_t(1));
        QCOMPARE(part.requests.size(), std::size_t(2));
        const std::string expected = groupsText(*alone);
        QCOMPARE(std::count(expected.begin(), expected.end(), '\n'), 3); // the link, the event, the request sent again
        alone->retries = analyseRetries(alone->columns, alone->stages, part, alone->population, alone->billing, 1, {}).value();
        QCOMPARE(groupsText(*alone), expected);
    }

    void requestsSentAgain()
    {
        const auto set = retriesOf(R"(
POST /ask | 0-1000 | SERVER | ERROR | http.request.header.x-request-id=r1 | http.response.status_code:=504
  chat gpt | 100-900 | CLIENT | gen_ai.operation.name=chat | gen_ai.usage.input_tokens:=70 | gen_ai.usage.output_tokens:=30
---
POST /ask | 3000-4000 | SERVER | http.request.header.x-request-id=r1 | http.response.status_code:=200
---
POST /ask | 5000-6000 | SERVER | http.request.header.x-request-id=r2 | http.response.status_code:=200
---
POST /ask | 7000-8000 | SERVER | http.request.header.x-request-id=r2 | http.response.status_code:=200
)");
        QCOMPARE(groupsText(*set), "client-retry R9 60 POST /ask x2 5xx ok\n");
        const RetrySummary& summary = set->retries.summary;
        QCOMPARE(summary.requests, std::uint64_t(3));
        QCOMPARE(summary.retriedRequests, std::uint64_t(1));
        QCOMPARE(summary.extraAttempts, std::uint64_t(1));
        QVERIFY(summary.wasted == 3000ms); // the lost request and the wait after it
        QCOMPARE(summary.wastedTokens.orZero(), std::int64_t(100));
        QVERIFY(set->retries.traces[1].repeatsRequest);
        QCOMPARE(set->retries.attemptsOf(set->retries.groups[0])[1].trace, 1U);
    }

    void requestsOfOneSession_data()
    {
        QTest::addColumn<QByteArray>("traces");
        QTest::addColumn<int>("retried");
        const QByteArray first = "ask | 0-1000 | ERROR | session.id=s | input.value=why\n---\n";
        QTest::newRow("same question") << first + "ask | 2000-3000 | session.id=s | input.value=why\n" << 1;
        QTest::newRow("another question") << first + "ask | 2000-3000 | session.id=s | input.value=how\n" << 0;
        QTest::newRow("another session") << first + "ask | 2000-3000 | session.id=t | input.value=why\n" << 0;
        QTest::newRow("too late") << first + "ask | 32000-33000 | session.id=s | input.value=why\n" << 0;
        QTest::newRow("another root") << first + "tell | 2000-3000 | session.id=s | input.value=why\n" << 0;
    }
    void requestsOfOneSession()
    {
        QFETCH(QByteArray, traces);
        QFETCH(int, retried);
        QCOMPARE(int(retriesOf(traces.toStdString())->retries.summary.retriedRequests), retried);
    }

    void messageDeliveredAgainInATraceOfItsOwn()
    {
        const auto set = retriesOf(R"(
process jobs | 0-1000 | CONSUMER | ERROR | messaging.message.id=m | messaging.servicebus.message.delivery_count:=1
---
process jobs | 90000-91000 | CONSUMER | messaging.message.id=m | messaging.servicebus.message.delivery_count:=2
)");
        QCOMPARE(groupsText(*set), "client-retry R9 95 process jobs x2 error ok\n");
    }

    void retryEventsTellTheWaste()
    {
        const auto set = retriesOf("chat gpt | 0-2000 | CLIENT | gen_ai.operation.name=chat | !gen_ai.retry@500 | !gen_ai.retry@1200\n");
        QVERIFY(set->retries.traces[0].wasted == 1200ms);
        QCOMPARE(set->retries.summary.unknownTimeAttempts, std::uint64_t(0));
        QCOMPARE(set->retries.traces[0].generates, 3U);
    }

    void countsWithoutTimesAreALowerBound()
    {
        const auto set = retriesOf("Bedrock.InvokeModel | 0-900 | CLIENT | retry_attempts:=2\n");
        QVERIFY(set->retries.groups[0].wasted == unknownDuration);
        QVERIFY(set->retries.traces[0].wasted == 0ms);
        QCOMPARE(set->retries.summary.unknownTimeAttempts, std::uint64_t(2));
    }

    void hintsAreNeverCounted()
    {
        testkit::TraceBuilder traces;
        for (int i = 0; i < 40; ++i) {
            traces.span("chat gpt", 0, i == 7 ? 1'440'000'000 : 1'000'000'000).kind(SpanKind::Client);
            traces.attribute("gen_ai.operation.name", {std::string("chat")}).attribute("gen_ai.request.model", {std::string("gpt")});
            traces.attribute("gen_ai.usage.output_tokens", {std::int64_t(100)});
            if (i < 39)
                traces.nextTrace();
        }
        const auto set = retriesOf(traces);
        QCOMPARE(set->retries.hints.size(), std::size_t(1));
        QCOMPARE(set->retries.hints[0].trace, 7U);
        QVERIFY(set->retries.hints[0].excess == 440ms);
        QCOMPARE(set->retries.summary.opaqueGenerateSpans, std::uint64_t(40));
        QCOMPARE(set->retries.summary.retriedRequests, std::uint64_t(0));
    }

    void inputs_data() // ' stands for a double quote
    {
        QTest::addColumn<QByteArray>("a");
        QTest::addColumn<QByteArray>("b");
        QTest::addColumn<bool>("same");
        const struct {
            const char* name;
            const char* a;
            const char* b;
            bool same;
        } rows[] = {{"white space in JSON", "{'q':'a b','n':1}", "{ 'q' : 'a b', 'n' : 1 }", true},
            {"ids and times", "{'id':'1','q':'x','created_at':5}", "{'id':'2','q':'x','created_at':6}", true},
            {"an object as id", "{'request_id':{'a':[1,2]},'q':'x'}", "{'q':'x'}", true},
            {"another value", "{'q':'x'}", "{'q':'y'}", false}, {"a key is no value", "{'q':'x'}", "['q','x']", false},
            {"plain text", " why ", "why", true}, {"broken JSON", "{'q':'x", "{'q':'x'}", false}};
        for (const auto& row : rows)
            QTest::newRow(row.name) << QByteArray(row.a).replace('\'', '"') << QByteArray(row.b).replace('\'', '"') << row.same;
    }
    void inputs()
    {
        QFETCH(QByteArray, a);
        QFETCH(QByteArray, b);
        QFETCH(bool, same);
        QCOMPARE(inputHash(a.toStdString()) == inputHash(b.toStdString()), same);
        QVERIFY(inputHash(a.toStdString()) != 0);
    }

    void inputsThatSayNothing()
    {
        for (const char* text : {"", "  ", "{}", "[]", "{\"args\":[],\"kwargs\":{}}", "{\"id\":\"7\"}"})
            QVERIFY2(inputHash(text) == 0, text);
    }

    void statuses_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("cause");
        QTest::addColumn<bool>("repeatable");
        const struct {
            int status;
            const char* cause;
            bool repeatable;
        } rows[] = {{200, "", false}, {302, "redirect", false}, {400, "4xx", false}, {401, "auth", false}, {404, "4xx", false},
            {408, "timeout", true}, {409, "409", true}, {422, "4xx", false}, {425, "409", true}, {429, "429", true},
            {499, "cancelled", false}, {500, "5xx", true}, {503, "5xx", true}, {504, "5xx", true}, {529, "5xx", true}, {700, "", false}};
        for (const auto& row : rows)
            QTest::addRow("%d", row.status) << row.status << QByteArray(row.cause) << row.repeatable;
    }
    void statuses()
    {
        QFETCH(int, status);
        QFETCH(bool, repeatable);
        const RetryCause cause = causeOfHttpStatus(status);
        QTEST(QByteArray(retryCauseName(cause)), "cause");
        QCOMPARE(isRepeatable(cause), repeatable);
    }

    void errorTypes_data()
    {
        QTest::addColumn<QByteArray>("cause");
        const struct {
            const char* type;
            const char* cause;
        } rows[] = {{"RateLimitError", "429"}, {"429", "429"}, {"ThrottlingException", "429"}, {"APITimeoutError", "timeout"},
            {"ETIMEDOUT", "timeout"}, {"openai.APIConnectionError", "connection"}, {"ECONNRESET", "connection"},
            {"UNAVAILABLE", "connection"}, {"overloaded_error", "5xx"}, {"InternalServerError", "5xx"},
            {"pydantic.ValidationError", "validation"}, {"OutputParserException", "validation"}, {"JSONDecodeError", "validation"},
            {"IncompleteOutputException", "validation"}, {"context_length_exceeded", "4xx"}, {"insufficient_quota", "4xx"},
            {"content_policy_violation", "4xx"}, {"AuthenticationError", "auth"}, {"ENOENT", "4xx"}, {"KeyError", ""}, {"", ""}};
        for (const auto& row : rows)
            QTest::newRow(row.type) << QByteArray(row.cause);
    }
    void errorTypes() { QTEST(QByteArray(retryCauseName(CauseTexts().ofType(QTest::currentDataTag()))), "cause"); }
};

QTEST_GUILESS_MAIN(RetriesTest)
#include "tst_retries.moc"
