// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What each producer of retries leaves in a trace, and what is made of it.
#include "tests/core/analysis/retrytext.h"

#include <QTest>

using namespace chokepoint;

class RetriesProducersTest : public QObject {
    Q_OBJECT

private slots:
    void producers_data()
    {
        QTest::addColumn<QByteArray>("trace");
        QTest::addColumn<QByteArray>("groups");

        QTest::newRow("SDK with HTTP spans") << QByteArray(R"(
chat gpt | 0-4000 | CLIENT | gen_ai.operation.name=chat
  POST | 0-100 | CLIENT | ERROR | http.request.method=POST | url.full=https://llm/v1/chat | http.response.status_code:=429
  POST | 560-700 | CLIENT | ERROR | http.request.method=POST | url.full=https://llm/v1/chat | http.response.status_code:=429
  POST | 1600-4000 | CLIENT | http.request.method=POST | url.full=https://llm/v1/chat | http.response.status_code:=200
)") << QByteArray("retry R5 90 POST x3 429 ok\n");
        QTest::newRow("SDK with captured headers") << QByteArray(R"(
chat gpt | 0-1000 | CLIENT | gen_ai.operation.name=chat
  POST | 0-100 | CLIENT | ERROR | http.request.method=POST | url.full=https://llm/v1/chat | http.response.status_code:=500
  POST | 560-1000 | CLIENT | http.request.method=POST | url.full=https://llm/v1/chat | http.request.header.x-stainless-retry-count=1
)") << QByteArray("retry R1 99 POST x2 5xx ok\n");
        QTest::newRow("SDK without HTTP spans") << QByteArray("chat gpt | 0-4000 | CLIENT | gen_ai.operation.name=chat\n") << QByteArray();
        QTest::newRow("HTTP resend count, text, first send sampled away") << QByteArray(R"(
job | 0-1000
  GET | 500-700 | CLIENT | http.request.method=GET | url.full=http://a/b | http.request.resend_count=2
)") << QByteArray("retry R1 99 GET x3 - ok\n");
        QTest::newRow("Azure client request id") << QByteArray(R"(
job | 0-1000
  GET | 0-100 | CLIENT | http.request.method=GET | url.full=http://a/b | az.client_request_id=r1 | az.service_request_id=s1
  GET | 200-300 | CLIENT | http.request.method=GET | url.full=http://a/b | az.client_request_id=r1 | az.service_request_id=s2
)") << QByteArray("retry R4 95 GET x2 - ok\n");
        QTest::newRow("botocore") << QByteArray("Bedrock.InvokeModel | 0-900 | CLIENT | rpc.method=InvokeModel | retry_attempts:=2\n")
                                  << QByteArray("retry R2 95 Bedrock.InvokeModel x3 - ok\n");
        QTest::newRow("gRPC attempts") << QByteArray(R"(
Sent.rag.Search | 0-900 | CLIENT
  Attempt.rag.Search | 0-100 | ERROR | rpc.grpc.status_code:=14
  Attempt.rag.Search | 200-900 | previous-rpc-attempts:=1
    Recv.rag.Search | 210-890 | SERVER
)") << QByteArray("retry R1 99 Attempt.rag.Search x2 connection ok\n");
        QTest::newRow("gRPC transparent retry") << QByteArray(R"(
Sent.rag.Search | 0-900 | CLIENT
  Attempt.rag.Search | 0-100 | ERROR | rpc.grpc.status_code:=14
  Attempt.rag.Search | 100-900 | previous-rpc-attempts:=1 | transparent-retry?=true
)") << QByteArray("(transparent R1 99 Attempt.rag.Search x2 connection ok)\n");
        QTest::newRow("gRPC transparent retry, which the counter leaves out") << QByteArray(R"(
Sent.rag.Search | 0-900 | CLIENT
  Attempt.rag.Search | 0-100 | ERROR | rpc.grpc.status_code:=14 | previous-rpc-attempts:=0
  Attempt.rag.Search | 100-900 | previous-rpc-attempts:=0 | transparent-retry?=true
)") << QByteArray("(transparent R5 90 Attempt.rag.Search x2 connection ok)\n");
        QTest::newRow("gax events") << QByteArray(R"(
Operation.Search | 0-900 | CLIENT | attempt count:=3 | !Attempt failed, scheduling next attempt@100 | !Attempt failed, scheduling next attempt@300
)") << QByteArray("retry R2 95 Operation.Search x3 - ok\n");
        QTest::newRow("Envoy spans a try") << QByteArray(R"(
ingress | 0-900 | SERVER | component=proxy
  router llm egress | 0-100 | CLIENT | ERROR | component=proxy | http.request.method=POST | url.full=http://l/x | http.status_code=503 | response_flags=UF
  router llm egress | 150-900 | CLIENT | component=proxy | http.request.method=POST | url.full=http://l/x | http.status_code=200 | retry.count=1
)") << QByteArray("retry R1 99 router llm egress x2 5xx ok\n");
        QTest::newRow("Envoy attempt count header, 1-based") << QByteArray(R"(
POST /x | 0-900 | SERVER | http.request.header.x-envoy-attempt-count=1
)") << QByteArray();
        QTest::newRow("tenacity") << QByteArray(R"(
fetch | 0-9000
  call_model | 0-1000 | ERROR | !exception@900;exception.type=TimeoutError
  call_model | 3000-4000 | ERROR | !exception@3900;exception.type=TimeoutError
  call_model | 8000-9000
)") << QByteArray("retry R5 90 call_model x3 timeout ok\n");
        QTest::newRow("LangChain with_retry") << QByteArray(R"(
RunnableRetry | 0-3000 | openinference.span.kind=CHAIN
  ChatOpenAI | 0-1000 | ERROR | openinference.span.kind=LLM
  ChatOpenAI | 1500-3000 | openinference.span.kind=LLM | langsmith.span.tags=seq:step:1,retry:attempt:2
)") << QByteArray("retry R1 99 ChatOpenAI x2 error ok\n");
        QTest::newRow("LangChain with_retry, no tags") << QByteArray(R"(
RunnableRetry | 0-3000 | openinference.span.kind=CHAIN
  ChatOpenAI | 0-1000 | ERROR | openinference.span.kind=LLM
  ChatOpenAI | 1500-3000 | openinference.span.kind=LLM
)") << QByteArray("retry R3 95 ChatOpenAI x2 error ok\n");
        QTest::newRow("LangChain with_fallbacks") << QByteArray(R"(
RunnableWithFallbacks | 0-3000 | openinference.span.kind=CHAIN
  ChatOpenAI | 0-1000 | ERROR | openinference.span.kind=LLM | llm.model_name=gpt
  ChatAnthropic | 1000-3000 | openinference.span.kind=LLM | llm.model_name=claude
)") << QByteArray("(fallback R6 90 ChatOpenAI x2 error ok)\n");
        QTest::newRow("LiteLLM router, attempts are siblings") << QByteArray(R"(
Received Proxy Server Request | 0-3000 | SERVER
  chat gpt | 0-100 | CLIENT | ERROR | gen_ai.operation.name=chat | gen_ai.request.model=gpt | error.type=RateLimitError
  chat gpt | 600-3000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=gpt
)") << QByteArray("retry R5 90 chat gpt x2 429 ok\n");
        QTest::newRow("LiteLLM fallback to another model") << QByteArray(R"(
Received Proxy Server Request | 0-3000 | SERVER
  chat gpt | 0-100 | CLIENT | ERROR | gen_ai.operation.name=chat | gen_ai.request.model=gpt | error.type=RateLimitError
  chat claude | 100-3000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=claude
)") << QByteArray("(fallback R6 90 chat gpt x2 429 ok)\n");
        QTest::newRow("LiteLLM headers on the answer") << QByteArray(R"(
litellm_request | 0-900 | hidden_params={"additional_headers": {"x-litellm-attempted-retries": 2}}
)") << QByteArray("retry R2 95 litellm_request x3 - ok\n");
        QTest::newRow("completion_with_retries") << QByteArray(R"(
completion_with_retries | 0-900 | openinference.span.kind=CHAIN
  completion | 0-300 | ERROR | openinference.span.kind=LLM
  completion | 400-900 | openinference.span.kind=LLM
)") << QByteArray("retry R3 95 completion x2 error ok\n");
        QTest::newRow("Vercel AI SDK") << QByteArray(R"(
ai.generateText | 0-2000 | ai.operationId=ai.generateText | ai.settings.maxRetries:=2
  ai.generateText.doGenerate | 0-100 | ERROR | ai.operationId=ai.generateText.doGenerate | ai.prompt.messages=[{"role":"user","content":"hi"}] | !exception@90;exception.type=AI_APICallError;exception.message=Rate limit reached for requests
  ai.generateText.doGenerate | 300-2000 | ai.operationId=ai.generateText.doGenerate | ai.prompt.messages=[{"role":"user","content":"hi"}]
)") << QByteArray("retry R5 95 ai.generateText.doGenerate x2 429 ok\n");
        QTest::newRow("pydantic-ai output retry") << QByteArray(R"(
invoke_agent bot | 0-2000 | gen_ai.operation.name=invoke_agent
  chat gpt | 0-900 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=gpt | gen_ai.input.messages=[{"role":"user","content":"q"}]
  chat gpt | 910-2000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=gpt | gen_ai.input.messages=[{"role":"user","content":"q"},{"role":"assistant","content":"x"},{"role":"user","part_kind":"retry-prompt","content":"1 validation error"}]
)") << QByteArray("re-ask R7 85 chat gpt x2 validation ok\n");
        QTest::newRow("Instructor") << QByteArray(R"(
instructor.patch | 0-2000 | openinference.span.kind=TOOL
  ChatCompletion | 0-900 | openinference.span.kind=LLM | !exception@890;exception.type=ValidationError | input.value={"messages":[{"role":"user","content":"q"}]}
  ChatCompletion | 910-2000 | openinference.span.kind=LLM | input.value={"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"x"},{"role":"user","content":"Validation Error found: fix the name"}]}
)") << QByteArray("re-ask R7 85 ChatCompletion x2 validation ok\n");
        QTest::newRow("Guardrails AI steps") << QByteArray(R"(
guard | 0-2000 | type=guardrails/guard
  step | 0-900 | type=guardrails/guard/step | step.index:=0
  step | 910-2000 | type=guardrails/guard/step | step.index:=1
)") << QByteArray("re-ask R1 99 step x2 - ok\n");
        QTest::newRow("Haystack validation loop") << QByteArray(R"(
haystack.pipeline.run | 0-3000
  haystack.component.run | 0-900 | haystack.component.name=llm | haystack.component.type=OpenAIGenerator | haystack.component.visits:=1
  haystack.component.run | 900-1000 | haystack.component.name=validator | haystack.component.type=JsonSchemaValidator | haystack.component.visits:=1
  haystack.component.run | 1000-1900 | haystack.component.name=llm | haystack.component.type=OpenAIGenerator | haystack.component.visits:=2
)") << QByteArray("retry R1 90 haystack.component.run x2 - ok\n");
        QTest::newRow("Temporal activity") << QByteArray(R"(
StartActivity:Search | 0-5 | CLIENT | temporalActivityID=7
  RunActivity:Search | 10-500 | SERVER | ERROR | temporalActivityID=7
  RunActivity:Search | 1500-2000 | SERVER | temporalActivityID=7
)") << QByteArray("retry R4 95 RunActivity:Search x2 error ok\n");
        QTest::newRow("Temporal attempt number") << QByteArray(R"(
StartActivity:Search | 0-5 | CLIENT
  RunActivity:Search | 10-500 | SERVER | ERROR | temporal.activity.attempt:=1
  RunActivity:Search | 1500-2000 | SERVER | temporal.activity.attempt:=2
)") << QByteArray("retry R1 99 RunActivity:Search x2 error ok\n");
        QTest::newRow("Celery") << QByteArray(R"(
apply_async/tasks.embed | 0-5 | PRODUCER | messaging.message.id=m1
  run/tasks.embed | 10-500 | CONSUMER | messaging.message.id=m1 | celery.state=RETRY
  run/tasks.embed | 1500-2000 | CONSUMER | messaging.message.id=m1 | celery.state=SUCCESS | celery.retries:=1
)") << QByteArray("retry R1 99 run/tasks.embed x2 error ok\n");
        QTest::newRow("messages delivered again") << QByteArray(R"(
publish jobs | 0-5 | PRODUCER
  process jobs | 10-500 | CONSUMER | ERROR | messaging.servicebus.message.delivery_count:=1
  process jobs | 800-900 | CONSUMER | messaging.servicebus.message.delivery_count:=2
)") << QByteArray("retry R1 99 process jobs x2 error ok\n");
        QTest::newRow("a link to the attempt before") << QByteArray(R"(
request | 0-2000 | SERVER
  try | 0-900 | &first
  try | 1000-2000 | ~first;link.reason=retry_of
)") << QByteArray("retry R4 95 try x2 - ok\n");
        QTest::newRow("own counter, 0-based") << QByteArray(R"(
request | 0-2000
  fetch | 0-900 | job.retry_count:=0
  fetch | 1000-2000 | job.retry_count:=1
)") << QByteArray("retry R1 90 fetch x2 - ok\n");
        QTest::newRow("own counter, 1-based") << QByteArray(R"(
request | 0-2000
  fetch | 0-900 | ERROR | rag.attempt=1
  fetch | 1000-2000 | rag.attempt=2
)") << QByteArray("retry R1 90 fetch x2 error ok\n");
        QTest::newRow("own counter, 1-based, the same on all") << QByteArray(R"(
request | 0-2000
  fetch | 0-900 | rag.attempt:=2
  fetch | 1000-2000 | rag.attempt:=2
)") << QByteArray();
        QTest::newRow("retry events with times") << QByteArray(R"(
chat gpt | 0-2000 | CLIENT | gen_ai.operation.name=chat | !gen_ai.retry@500 | !gen_ai.retry@1200
)") << QByteArray("retry R2 95 chat gpt x3 - ok\n");
        QTest::newRow("a limit is no counter") << QByteArray("chat gpt | 0-2000 | max_retry_count:=3 | llm.retry_limit:=2\n")
                                               << QByteArray();
    }

    void producers()
    {
        QFETCH(QByteArray, trace);
        QFETCH(QByteArray, groups);
        const auto set = retriesOf(trace.toStdString());
        QCOMPARE(QByteArray::fromStdString(groupsText(*set)), groups);
        const bool counted = !groups.isEmpty() && !groups.startsWith('(');
        QCOMPARE(set->retries.traces[0].retried(), counted);
    }
};

QTEST_GUILESS_MAIN(RetriesProducersTest)
#include "tst_retries_producers.moc"
