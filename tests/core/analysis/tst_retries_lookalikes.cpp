// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What looks like a retry and is none.
#include "tests/core/analysis/retrytext.h"

#include <QTest>

using namespace chokepoint;
using namespace std::chrono_literals;

class RetriesLookalikesTest : public QObject {
    Q_OBJECT

private slots:
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
};

QTEST_GUILESS_MAIN(RetriesLookalikesTest)
#include "tst_retries_lookalikes.moc"
