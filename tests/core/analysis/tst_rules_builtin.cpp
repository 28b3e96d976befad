// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in rule table: every rule has a row, and a row shows the spans that it is for.
#include "core/analysis/rulebook.h"
#include "tests/core/analysis/tst_stages_text.h"

#include <QTest>

#include <array>
#include <set>

using namespace chokepoint;

namespace {

struct Row {
    const char* name;
    const char* trace;
};

const std::array rows{
    Row{"spans that are no steps", R"(
root
  chat m | CLIENT | gen_ai.operation.name=chat -> generate T2-10
    chat m | gen_ai.operation.name=chat | gen_ai.request.model=m | logfire.span_type=pending_span -> other T1-05
  Crew Created | @crewAI-telemetry -> other T1-05)"},
    Row{"langsmith kinds", R"(
root | @langsmith | langsmith.span.kind=chain -> orchestrate T1-10
  a | @langsmith | langsmith.span.kind=llm | gen_ai.operation.name=embeddings -> generate T1-10
  b | @langsmith | langsmith.span.kind=embedding -> embed T1-10
  c | @langsmith | langsmith.span.kind=retriever -> retrieve T1-10
  d | @langsmith | langsmith.span.kind=tool -> tool T1-10
  e | @langsmith | langsmith.span.kind=prompt | gen_ai.operation.name=chat -> assemble T1-10
  f | @langsmith | langsmith.span.kind=parser -> validate T1-10)"},
    Row{"openinference kinds", R"(
root | openinference.span.kind=AGENT -> orchestrate T1-21
  a | openinference.span.kind=LLM -> generate T1-20
  b | openinference.span.kind=EMBEDDING -> embed T1-20
  c | openinference.span.kind=RETRIEVER -> retrieve T1-20
  d | openinference.span.kind=RERANKER -> rerank T1-20
  e | openinference.span.kind=TOOL -> tool T1-20
  f | openinference.span.kind=GUARDRAIL -> guardrail T1-20
  g | openinference.span.kind=EVALUATOR -> evaluate T1-20
  h | openinference.span.kind=PROMPT -> assemble T1-20
  validate_output | openinference.span.kind=CHAIN -> validate T5-65)"},
    Row{"langfuse types", R"(
root | langfuse.observation.type=agent -> orchestrate T1-30
  a | langfuse.observation.type=generation -> generate T1-30
  b | langfuse.observation.type=embedding -> embed T1-30
  c | langfuse.observation.type=retriever -> retrieve T1-30
  d | langfuse.observation.type=tool -> tool T1-30
  e | langfuse.observation.type=guardrail -> guardrail T1-30
  f | langfuse.observation.type=evaluator -> evaluate T1-30
  g | langfuse.observation.type=span | langfuse.observation.model.name=m -> generate T1-30
  h | langfuse.observation.type=span -> other T9)"},
    Row{"mlflow types are JSON texts", R"(
root
  a | mlflow.spanType="CHAT_MODEL" -> generate T1-40
  b | mlflow.spanType="EMBEDDING" -> embed T1-40
  c | mlflow.spanType="RETRIEVER" -> retrieve T1-40
  d | mlflow.spanType="RERANKER" -> rerank T1-40
  e | mlflow.spanType="TOOL" -> tool T1-40
  f | mlflow.spanType="PARSER" -> validate T1-40
  g | mlflow.spanType="MEMORY" -> retrieve.memory T1-40
  h | mlflow.spanType=guardrail -> guardrail T1-40
  i | mlflow.spanType="AGENT" -> orchestrate T1-40
  parse_answer | mlflow.spanType="CHAIN" -> validate T5-65
  i | mlflow.spanType=evaluator -> evaluate T1-40)"},
    Row{"gen_ai.span.kind", R"(
root | gen_ai.span.kind=ENTRY -> orchestrate T1-50
  a | gen_ai.span.kind=LLM -> generate T1-50
  b | gen_ai.span.kind=EMBEDDING -> embed T1-50
  c | gen_ai.span.kind=RERANKER -> rerank T1-50
  d | gen_ai.span.kind=RETRIEVER -> retrieve T1-50
  e | gen_ai.span.kind=TOOL -> tool T1-50)"},
    Row{"traceloop kinds; tasks go by their entity name", R"(
rag.workflow | traceloop.span.kind=workflow | traceloop.entity.name=rag -> orchestrate T1-55
  search_kb.tool | traceloop.span.kind=tool -> tool T1-55
  answerer.agent | traceloop.span.kind=agent -> orchestrate T1-55
  a.task | traceloop.span.kind=task | traceloop.entity.name=get_query_embedding -> embed T5-25
  embed.task | traceloop.span.kind=task | traceloop.entity.name=BaseReranker -> rerank T5-10)"},
    Row{"vercel operations", R"(
ai.streamText | ai.operationId=ai.streamText -> orchestrate T1-60
  ai.streamText.doStream | operation.name=ai.streamText.doStream rag -> generate T1-60
  ai.toolCall | ai.operationId=ai.toolCall -> tool T1-60
  ai.embedMany | ai.operationId=ai.embedMany -> embed T1-60
    ai.embedMany.doEmbed | ai.operationId=ai.embedMany.doEmbed -> embed T1-60)"},
    Row{"haystack components", R"(
haystack.pipeline.run -> orchestrate T1-70
  haystack.component.run | haystack.component.type=OpenAIGenerator -> generate T1-70
  haystack.component.run | haystack.component.type=OpenAITextEmbedder -> embed T1-70
  haystack.component.run | haystack.component.type=InMemoryEmbeddingRetriever -> retrieve T1-70
  haystack.component.run | haystack.component.type=SerperDevWebSearch -> retrieve.web T1-70
  haystack.component.run | haystack.component.type=CohereRanker -> rerank T1-70
  haystack.component.run | haystack.component.type=PromptBuilder -> assemble T1-70
  haystack.component.run | haystack.component.type=JsonSchemaValidator -> validate T1-70
  haystack.component.run | haystack.component.type=ConditionalRouter -> route T1-70)"},
    Row{"genkit", R"(
flow
  a | @genkit-tracer | genkit:metadata:subtype=model -> generate T1-75
  b | @genkit-tracer | genkit:metadata:subtype=embedder -> embed T1-75
  c | @genkit-tracer | genkit:metadata:subtype=tool.v2 -> tool T1-75
  d | @genkit-tracer | genkit:metadata:subtype=retriever -> retrieve T1-75
  e | @genkit-tracer | genkit:metadata:subtype=evaluator -> evaluate T1-75)"},
    Row{"vertex agents", R"(
invocation | @gcp.vertex.agent -> orchestrate T1-76
  call_llm | @gcp.vertex.agent -> generate T1-76
  execute_tool search | @gcp.vertex.agent -> tool T1-76)"},
    Row{"guardrails own the calls below them, but for the answer itself", R"(
root
  g | type=guardrails/guard -> guardrail T1-80
    chat m | gen_ai.operation.name=chat -> guardrail T2-10 (inside guardrail)
    call | type=guardrails/guard/call -> generate T1-80
      chat m | gen_ai.operation.name=chat -> generate T2-10
  pii.guard | gen_ai.guardrail.name=pii -> guardrail T1-80
  x | guard.verdict=yes -> guardrail T1-80)"},
    Row{"litellm proxy", R"(
Received Proxy Server Request | @litellm -> ingress T1-90
  auth /chat | @litellm -> ingress T1-90
  router | @litellm -> route T1-90
  redis get | @litellm -> storage T1-90
  execute_guardrail pii | @litellm -> guardrail T1-90
  litellm_request | @litellm -> generate T1-90
    raw_gen_ai_request | @litellm -> generate T1-90)"},
    Row{"semantic router", R"(
semantic_router.request.received -> ingress T1-95
  semantic_router.classification -> route T1-95
  semantic_router.security.pii_detection -> guardrail T1-95
  semantic_router.cache.lookup -> cache.semantic T1-95
  semantic_router.system_prompt.injection -> assemble T1-95
  semantic_router.upstream.request -> generate T1-95)"},
    Row{"GenAI operations", R"(
invoke_agent a | gen_ai.operation.name=invoke_agent -> orchestrate T2-30
  r | litellm.request.purpose=autorouter_classifier | gen_ai.operation.name=chat -> route T2-05
  chat m | gen_ai.operation.name=chat -> generate T2-10
  c | gen_ai.operation.name=chat.completions -> generate T2-10
  d | gen_ai.operation.name=acompletion -> generate T2-10
  e | gen_ai.operation.name=Text_Completion -> generate T2-10
  f | gen_ai.operation.name=embeddings -> embed T2-20
  g | gen_ai.operation.name=retrieval -> retrieve T2-20
  h | gen_ai.operation.name=search_memory -> retrieve.memory T2-20
  i | gen_ai.operation.name=rerank -> rerank T2-20
  j | gen_ai.operation.name=execute_tool -> tool T2-20
  k | gen_ai.operation.name=guardrail.run -> guardrail T2-20
  l | gen_ai.operation.name=upsert_memory -> storage T2-30
  m | llm.request.type=chat -> generate T2-40
  n | llm.request.type=embedding -> embed T2-40
  o | llm.request.type=rerank -> rerank T2-40
  p | mcp.method.name=tools/call -> tool.mcp T2-50
  q | mcp.method.name=resources/read -> retrieve T2-50
  s | mcp.method.name=initialize -> orchestrate T2-50)"},
    Row{"vLLM", R"(
chat m | gen_ai.operation.name=chat -> generate T2-10
  llm_request | SERVER | gen_ai.usage.completion_tokens:=9 -> generate T3-10
    llm.queue -> generate.queue T3-60
    llm.prefill -> generate.prefill T3-60
    llm.decode -> generate.decode T3-60
    kv_transfer -> network T3-60)"},
    Row{"vLLM pooling requests and start-up", R"(
root
  e | gen_ai.operation.name=embeddings -> embed T2-20
    llm_request | gen_ai.usage.completion_tokens:=0 -> embed T3-10
  r | gen_ai.operation.name=rerank -> rerank T2-20
    llm_request | gen_ai.usage.completion_tokens:=0 -> rerank T3-10
  llm_request | gen_ai.usage.completion_tokens:=0 | gen_ai.response.model=bge-reranker -> rerank T3-10
  Load weights | vllm.process_kind=worker -> generate.load T3-05
  pd_sidecar.prefill -> generate.prefill T3-60
  pd_sidecar.decode -> generate.decode T3-60)"},
    Row{"SGLang", R"(
Req 1a2b3c4d | module=sglang::request -> generate T3-20
  tokenize | module=sglang::request -> preprocess.tokenize T3-20
  dispatch | module=sglang::request -> ingress T3-20
  prefill_waiting | module=sglang::request -> generate.queue T3-20
  prefill_forward | module=sglang::request -> generate.prefill T3-20
  request_process | module=sglang::request -> generate T3-20
  decode_loop | module=sglang::request -> generate.decode T3-20
  prefill_transfer_kv_cache | module=sglang::request -> network T3-20
  scheduler [TP 0] (host:a) | module=sglang::request -> generate T3-20)"},
    Row{"TGI and TEI", R"(
root
  generate_stream | inference_time=1.2s | queue_time=3ms -> generate T3-30
    queued -> generate.queue T3-30
    infer -> generate.decode T3-30
    prefill -> generate.prefill T3-30
    validate -> preprocess.tokenize T3-30
  embed_all | tokenization_time=1ms | inference_time=9ms -> embed T3-40
  rerank | tokenization_time=1ms -> rerank T3-40
  predict | tokenization_time=1ms -> route T3-40)"},
    Row{"pydantic-ai, LiveKit, and LlamaIndex's events", R"(
agent run | @pydantic-ai -> orchestrate T1-77
  running tools | @pydantic-ai -> orchestrate T1-77
    running tool | @pydantic-ai -> tool T1-77
agent_turn | @livekit-agents -> orchestrate T1-78
  function_tool | @livekit-agents -> tool T1-78
3f2504e0-4f89-11d3-9a0c-0305e82c3301 | !RetrievalStartEvent -> retrieve T1-79
3f2504e0-4f89-11d3-9a0c-0305e82c3302 | !EmbeddingEndEvent -> embed T1-79
3f2504e0-4f89-11d3-9a0c-0305e82c3303 | !LLMChatEndEvent -> generate T1-79
3f2504e0-4f89-11d3-9a0c-0305e82c3304 | !ReRankEndEvent -> rerank T1-79
3f2504e0-4f89-11d3-9a0c-0305e82c3305 | !SynthesizeStartEvent -> generate T1-79)"},
    Row{"names of the conventions alone", R"(
invoke_agent planner | CLIENT -> orchestrate T2-60
  execute_tool search -> tool T2-60
  tools/call search | CLIENT -> tool.mcp T2-60)"},
    Row{"a pooling request of vLLM is no answer", R"(
root
  x | SERVER | %bge-m3-embedder
    llm_request | SERVER | %bge-m3-embedder | gen_ai.usage.completion_tokens:=0 -> embed T3-10
  rerank | openinference.span.kind=RERANKER
    llm_request | SERVER | gen_ai.usage.completion_tokens:=0 -> rerank T3-10
  llm_request | SERVER | gen_ai.usage.completion_tokens:=0 | gen_ai.response.finish_reasons=length -> generate T3-10)"},
    Row{"Triton", R"(
InferRequest
  a | model_name=llama | !QUEUE_START -> generate T3-50
  b | model_name=my_embedder | !QUEUE_START -> embed T3-50
  c | model_name=cross_encoder | !QUEUE_START -> rerank T3-50
  d | model_name=detokenizer | !QUEUE_START -> validate T3-50
  e | model_name=tokenizer | !QUEUE_START -> preprocess T3-50
  f | model_name=ensemble_all | !QUEUE_START -> orchestrate T3-50)"},
    Row{"caches and databases", R"(
root
  semantic_cache.lookup -> cache.semantic T4-05
    embeddings m | gen_ai.operation.name=embeddings -> cache.semantic T2-20 (inside cache.semantic)
  c | cache.hit:=0 | db.system=redis | db.operation=GET -> cache.exact T4-05
  v | CLIENT | db.system.name=Qdrant | db.operation.name=search -> retrieve.vector T4-10
  w | CLIENT | db.system.name=qdrant | db.operation.name=upsert -> ingest T4-10
  p | CLIENT | db.system=postgresql | db.statement=SELECT id FROM d ORDER BY v <-> $1 -> retrieve.vector T4-20
  w | CLIENT | db.system=weaviate | db.operation=batch -> ingest T4-10
  x | CLIENT | db.system=qdrant | db.operation=search_batch -> retrieve.vector T4-10
  p | CLIENT | db.system=postgresql | db.statement=INSERT INTO d VALUES ($1::vector) -> ingest T4-20
  q | db.vector.query.top_k:=5 -> retrieve.vector T4-25
  r | !db.query.result -> retrieve.vector T4-25
  s | CLIENT | db.system=elasticsearch | db.operation=search -> retrieve.keyword T4-30
  t | gen_ai.operation.name=retrieval
    n | CLIENT | db.system=neo4j | db.operation=match -> retrieve.graph T4-40
    n | CLIENT | db.system=neo4j | db.query.text=MATCH (n) RETURN n -> retrieve.graph T4-40
    o | CLIENT | db.system=mysql -> retrieve T4-50
  u | CLIENT | db.system=mysql | db.statement=INSERT INTO log -> storage T4-50)"},
    Row{"token counts", R"(
root
  a | gen_ai.usage.input_tokens:=12 -> generate T4-90
  b | llm.token_count.prompt:=12 | embedding.model_name=text-embedding-3 -> embed T4-90
  c | gen_ai.usage.input_tokens:=12 | gen_ai.request.model=rerank-v3 -> rerank T4-90
  d | gen_ai.usage.input_tokens:=12 -> orchestrate T9
    chat | gen_ai.operation.name=chat | gen_ai.usage.input_tokens:=12)"},
    Row{"names of steps", R"(
root
  RetrieverQueryEngine.query -> orchestrate T5-00
    retrieve_docs -> retrieve T5-35
    chat m | gen_ai.operation.name=chat
  cross_encoder_score -> rerank T5-10
  sleep -> backoff T5-15
  HyDE -> preprocess.rewrite T5-20
  get_text_embedding -> embed T5-25
  answerCache -> cache T5-30
  lib/rag/hybrid_search -> retrieve T5-35
  moderate -> guardrail T5-40
  select_model -> route T5-45
  build_prompt -> assemble T5-50
  buildPrompt -> assemble T5-50
  expandQuery -> preprocess.rewrite T5-20
  fetch docs -> retrieve T5-35
  tokenizer -> preprocess T5-55
  detokenize -> validate T5-65
  judge_answer -> evaluate T5-60
  OutputParser -> validate T5-65
  wait_slot -> queue T5-70
  synthesize -> generate T5-75
  authenticate -> ingress T5-80
  my tool -> tool T5-85)"},
    Row{"a name gives way to what lies below", R"(
RetrievalQA -> orchestrate T5-35
  chat m | gen_ai.operation.name=chat
rerank_step -> rerank T5-10
  chat m | gen_ai.operation.name=chat -> rerank T2-10 (inside rerank)
generate_answer -> orchestrate T5-75
  chat m | gen_ai.operation.name=chat)"},
    Row{"names on HTTP spans say nothing", R"(
GET /generate-report | SERVER | http.request.method=GET | url.path=/generate-report -> ingress T8-30)"},
    Row{"connecting", R"(
chat m | gen_ai.operation.name=chat
  dns.lookup -> network T6-05
  tls.connect | CLIENT -> network T6-05
  CONNECT | CLIENT | http.request.method=CONNECT -> network T6-05)"},
    Row{"HTTP paths and hosts", R"(
root
  POST | CLIENT | http.request.method=POST | url.full=http://llm:8000/v1/chat/completions?x=1 -> generate T6-10
  POST | CLIENT | http.method=POST | http.url=http://h/v1/embeddings -> embed T6-15
  POST | CLIENT | http.request.method=POST | url.full=http://h/v2/rerank -> rerank T6-15
  POST | CLIENT | http.request.method=POST | url.full=http://h/moderations -> guardrail T6-15
  POST | CLIENT | http.request.method=POST | url.full=http://h/tokenize -> preprocess.tokenize T6-15
  POST | CLIENT | http.request.method=POST | url.full=http://v:6333/collections/kb/points/search -> retrieve T6-20
  POST | CLIENT | http.request.method=POST | url.full=https://a.svc.pinecone.io/query -> retrieve T6-20
  POST | CLIENT | http.request.method=POST | url.full=https://api.anthropic.com/x -> generate T6-30
  GET | CLIENT | http.request.method=GET | url.full=http://h/v1/embeddings -> other T9)"},
    Row{"an application's own endpoint is no model call", R"(
POST /api/chat | SERVER | http.request.method=POST | http.route=/api/chat -> ingress T8-30
  embeddings m | gen_ai.operation.name=embeddings)"},
    Row{"a model server's endpoint is one", R"(
POST /v1/chat/completions | SERVER | http.request.method=POST | url.path=/v1/chat/completions -> generate T6-10)"},
    Row{"client, transport and server count for their step", R"(
root
  vector_search | CLIENT | db.system.name=qdrant | db.operation.name=search -> retrieve.vector T4-10
    POST | CLIENT | http.request.method=POST | url.full=http://v/collections/kb/points/search -> retrieve.vector T6-20
      POST /search | SERVER | %vector-db | url.path=/search -> retrieve.vector T7-15
        shard.scan | %vector-db -> retrieve.vector T7-20
  chat m | CLIENT | gen_ai.operation.name=chat
    HTTP | CLIENT | server.address=x -> generate T7-10)"},
    Row{"messaging and models without tokens", R"(
root
  kafka | PRODUCER | messaging.operation.type=send -> queue T8-10
  kafka | CONSUMER | messaging.operation.type=process -> generate T8-10
    chat m | gen_ai.operation.name=chat
  a | gen_ai.request.model=m -> generate T8-20
  b | llm.model_name=colbert-v2 -> rerank T8-20
  c | embedding.model_name=bge-small -> embed T8-20)"},
    Row{"containers and the rest", R"(
root -> orchestrate T9
  chat m | gen_ai.operation.name=chat
  frobnicate -> other T9)"},
};

} // namespace

class TestRulesBuiltin : public QObject {
    Q_OBJECT

private slots:
    void stages_data();
    void stages();
    void everyRuleHasARow();
};

void TestRulesBuiltin::stages_data()
{
    QTest::addColumn<QString>("trace");
    for (const Row& row : rows)
        QTest::newRow(row.name) << QString::fromUtf8(row.trace);
}

void TestRulesBuiltin::stages()
{
    QFETCH(QString, trace);
    const StageCase given = stageCase({trace.toStdString()});
    QCOMPARE(QString::fromStdString(mismatches(given, classified(given))), QString());
}

void TestRulesBuiltin::everyRuleHasARow()
{
    std::set<std::string> expected;
    for (const Row& row : rows) {
        for (const std::string& each : stageCase({row.trace}).expected) {
            if (const std::size_t space = each.find(' '); space != std::string::npos)
                expected.insert(each.substr(space + 1, each.find(" (") - space - 1));
        }
    }
    const auto rules = parseStageRules(builtInStageRules()).value();
    for (const StageRule& rule : rules->rules)
        QVERIFY2(expected.contains(rule.id), rule.id.c_str());
}

QTEST_GUILESS_MAIN(TestRulesBuiltin)
#include "tst_rules_builtin.moc"
