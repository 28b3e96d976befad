// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The rules for attempts: failures and repeats, nesting, requests sent again.
#include "tests/core/analysis/retrytext.h"

#include <QTest>

using namespace chokepoint;
using namespace std::chrono_literals;

namespace {

QByteArray groupsOf(const QByteArray& trace)
{
    return QByteArray::fromStdString(groupsText(*retriesOf(trace.toStdString())));
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
};

QTEST_GUILESS_MAIN(RetriesTest)
#include "tst_retries.moc"
