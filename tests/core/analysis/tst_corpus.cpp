// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One answered question, as each instrumentation writes it: the same stages, the same tokens, the same cost.
#include "core/analysis/billing.h"
#include "tests/core/analysis/usagecase.h"

#include <QTest>

#include <array>

using namespace chokepoint;

namespace {

struct Row {
    const char* name;
    const char* trace;
};

/// An embedding of 24 tokens, a search, a reranking, and an answer of 3100 tokens in and 240 out.
const std::array rows{
    Row{"conventions 1.26", R"(
POST /ask | SERVER
  embeddings embed-x | CLIENT | gen_ai.system=openai | gen_ai.request.model=embed-x | gen_ai.usage.prompt_tokens:=24
  search | CLIENT | db.system=qdrant | db.operation=search
  rerank
  chat gpt-x | CLIENT | gen_ai.system=openai | gen_ai.request.model=gpt-x | gen_ai.usage.prompt_tokens:=3100 | gen_ai.usage.completion_tokens:=240)"},
    Row{"conventions 1.36", R"(
POST /ask | SERVER
  embeddings embed-x | CLIENT | gen_ai.operation.name=embeddings | gen_ai.system=openai | gen_ai.request.model=embed-x | gen_ai.usage.input_tokens:=24
  search | CLIENT | db.system.name=qdrant | db.operation.name=search
  rerank
  chat gpt-x | CLIENT | gen_ai.operation.name=chat | gen_ai.system=openai | gen_ai.request.model=gpt-x | gen_ai.usage.input_tokens:=3100 | gen_ai.usage.output_tokens:=240)"},
    Row{"conventions 1.41", R"(
POST /ask | SERVER
  embeddings embed-x | CLIENT | gen_ai.operation.name=embeddings | gen_ai.provider.name=openai | gen_ai.request.model=embed-x | gen_ai.usage.input_tokens:=24
  retrieval kb | CLIENT | gen_ai.operation.name=retrieval | gen_ai.data_source.id=kb
  rerank
  chat gpt-x | CLIENT | gen_ai.operation.name=chat | gen_ai.provider.name=openai | gen_ai.request.model=gpt-x | gen_ai.usage.input_tokens:=3100 | gen_ai.usage.cache_read.input_tokens:=0 | gen_ai.usage.output_tokens:=240 | gen_ai.usage.reasoning.output_tokens:=0)"},
    Row{"GenAI conventions on their own", R"(
invoke_workflow ask | gen_ai.operation.name=invoke_workflow | gen_ai.agent.name=ask
  embeddings embed-x | CLIENT | gen_ai.operation.name=embeddings | gen_ai.provider.name=openai | gen_ai.request.model=embed-x | gen_ai.usage.input_tokens:=24
  retrieval kb | CLIENT | gen_ai.operation.name=retrieval | gen_ai.retrieval.top_k:=5
  rerank
  chat gpt-x | CLIENT | gen_ai.operation.name=chat | gen_ai.provider.name=openai | gen_ai.request.model=gpt-x | gen_ai.usage.input_tokens:=3100 | gen_ai.usage.cache_write.input_tokens:=0 | gen_ai.usage.output_tokens:=240)"},
    Row{"OpenInference", R"(
RetrievalQA | @openinference.instrumentation.langchain | openinference.span.kind=CHAIN
  CreateEmbeddings | @openinference.instrumentation.openai | openinference.span.kind=EMBEDDING | embedding.model_name=embed-x | llm.token_count.prompt:=24
  VectorStoreRetriever | @openinference.instrumentation.langchain | openinference.span.kind=RETRIEVER
  CohereRerank | @openinference.instrumentation.langchain | openinference.span.kind=RERANKER
  ChatOpenAI | @openinference.instrumentation.langchain | openinference.span.kind=LLM | llm.model_name=gpt-x | llm.token_count.prompt:=3100 | llm.token_count.completion:=240 | llm.token_count.total:=3340
    ChatCompletion | @openinference.instrumentation.openai | openinference.span.kind=LLM | llm.model_name=gpt-x | llm.token_count.prompt:=3100 | llm.token_count.completion:=240 | llm.token_count.total:=3340)"},
    Row{"OpenLLMetry 0.4", R"(
ask.workflow | @traceloop.tracer | traceloop.span.kind=workflow
  openai.embeddings | CLIENT | @opentelemetry.instrumentation.openai.v1 | llm.request.type=embedding | gen_ai.system=OpenAI | gen_ai.request.model=embed-x | gen_ai.usage.prompt_tokens:=24
  pinecone.query | CLIENT | @opentelemetry.instrumentation.pinecone | db.system=Pinecone
  cohere.rerank | CLIENT | @opentelemetry.instrumentation.cohere | llm.request.type=rerank
  openai.chat | CLIENT | @opentelemetry.instrumentation.openai.v1 | llm.request.type=chat | gen_ai.system=OpenAI | gen_ai.request.model=gpt-x | gen_ai.usage.prompt_tokens:=3100 | gen_ai.usage.completion_tokens:=240 | llm.usage.total_tokens:=3340)"},
    Row{"OpenLLMetry 0.5", R"(
ask.workflow | @traceloop.tracer | traceloop.span.kind=workflow
  openai.embeddings | CLIENT | @opentelemetry.instrumentation.openai.v1 | gen_ai.operation.name=embeddings | gen_ai.system=openai | gen_ai.request.model=embed-x | gen_ai.usage.input_tokens:=24
  retrieve.task | @traceloop.tracer | traceloop.span.kind=task | traceloop.entity.name=retrieve
    pinecone.query | CLIENT | @opentelemetry.instrumentation.pinecone | db.system=pinecone
  rerank.task | @traceloop.tracer | traceloop.span.kind=task | traceloop.entity.name=rerank
  openai.chat | CLIENT | @opentelemetry.instrumentation.openai.v1 | gen_ai.operation.name=chat | gen_ai.system=openai | gen_ai.request.model=gpt-x | gen_ai.usage.input_tokens:=3100 | gen_ai.usage.output_tokens:=240)"},
    Row{"Langfuse", R"(
ask | @langfuse-sdk | langfuse.observation.type=span
  embed | @langfuse-sdk | langfuse.observation.type=embedding | langfuse.observation.model.name=embed-x | langfuse.observation.usage_details={"input": 24}
  search | @langfuse-sdk | langfuse.observation.type=retriever
  rerank | @langfuse-sdk | langfuse.observation.type=span
  answer | @langfuse-sdk | langfuse.observation.type=generation | langfuse.observation.model.name=gpt-x | langfuse.observation.usage_details={"input": 3100, "output": 240, "total": 3340})"},
    Row{"LangSmith", R"(
ask | @langsmith | langsmith.span.kind=chain
  OpenAIEmbeddings | @langsmith | langsmith.span.kind=embedding | gen_ai.operation.name=embeddings | gen_ai.request.model=embed-x | gen_ai.usage.input_tokens:=24
  VectorStoreRetriever | @langsmith | langsmith.span.kind=retriever | gen_ai.operation.name=embeddings
  rerank | @langsmith | langsmith.span.kind=chain
  ChatOpenAI | @langsmith | langsmith.span.kind=llm | gen_ai.operation.name=chat | gen_ai.request.model=gpt-x | gen_ai.usage.input_tokens:=3100 | gen_ai.usage.output_tokens:=240 | gen_ai.usage.total_tokens:=3340)"},
    Row{"Vercel AI SDK", R"(
POST /ask | SERVER
  ai.embed | @ai | ai.operationId=ai.embed | ai.model.id=embed-x | ai.usage.tokens:=24
    ai.embed.doEmbed | @ai | ai.operationId=ai.embed.doEmbed | ai.model.id=embed-x | ai.usage.tokens:=24
  vector_search
  rerank
  ai.generateText | @ai | ai.operationId=ai.generateText | ai.model.id=gpt-x | ai.usage.promptTokens:=3100 | ai.usage.completionTokens:=240
    ai.generateText.doGenerate | @ai | ai.operationId=ai.generateText.doGenerate | ai.model.id=gpt-x | ai.usage.promptTokens:=3100 | ai.usage.completionTokens:=240)"},
    Row{"MLflow", R"(
ask | @mlflow | mlflow.spanType="CHAIN" | mlflow.trace.tokenUsage={"input_tokens": 3124, "output_tokens": 240}
  Embeddings | @mlflow | mlflow.spanType="EMBEDDING" | mlflow.llm.model="embed-x" | mlflow.chat.tokenUsage={"input_tokens": 24}
  Search | @mlflow | mlflow.spanType="RETRIEVER"
  Cohere | @mlflow | mlflow.spanType="RERANKER"
  Completions | @mlflow | mlflow.spanType="CHAT_MODEL" | mlflow.llm.model="gpt-x" | mlflow.chat.tokenUsage={"input_tokens": 3100, "output_tokens": 240, "total_tokens": 3340})"},
    Row{"Haystack, with the SDK's spans below", R"(
haystack.pipeline.run | @haystack
  haystack.component.run | @haystack | haystack.component.type=OpenAITextEmbedder | haystack.component.name=embedder
    CreateEmbeddings | openinference.span.kind=EMBEDDING | embedding.model_name=embed-x | llm.token_count.prompt:=24
  haystack.component.run | @haystack | haystack.component.type=InMemoryEmbeddingRetriever | haystack.component.name=retriever
  haystack.component.run | @haystack | haystack.component.type=TransformersSimilarityRanker | haystack.component.name=ranker
  haystack.component.run | @haystack | haystack.component.type=OpenAIChatGenerator | haystack.component.name=llm
    ChatCompletion | openinference.span.kind=LLM | llm.model_name=gpt-x | llm.token_count.prompt:=3100 | llm.token_count.completion:=240)"},
};

/// "embed retrieve rerank generate": the top-level stages of the steps, in order, each once.
std::string stepsOf(const UsageCase& given)
{
    std::string steps;
    const StageTable& table = *given.stages.table;
    for (std::size_t i = 0; i < given.stages.stage.size(); ++i) {
        const std::string& stage = table.name(table.topLevel(given.stages.stage[i]));
        if (!given.stages.container[i] && (" " + steps + " ").find(" " + stage + " ") == std::string::npos)
            steps += (steps.empty() ? "" : " ") + stage;
    }
    return steps;
}

} // namespace

class TestCorpus : public QObject {
    Q_OBJECT

private slots:
    void oneAnswer_data()
    {
        QTest::addColumn<QString>("trace");
        for (const Row& row : rows)
            QTest::newRow(row.name) << QString::fromUtf8(row.trace);
    }
    void oneAnswer()
    {
        QFETCH(QString, trace);
        const UsageCase given = usageCase({trace.toStdString()});
        QCOMPARE(stepsOf(given), std::string("embed retrieve rerank generate"));
        const Billing billing = billingSet(given.columns, given.stages, given.usage, examplePrices());
        const UsageTotals totals = billing.totals(0, given.columns.spanCount());
        QCOMPARE(totals.generate.input().orZero(), std::int64_t(3100));
        QCOMPARE(totals.generate.output().orZero(), std::int64_t(240));
        QCOMPARE(totals.embedding.orZero(), std::int64_t(24));
        QCOMPARE(totals.cost.value().text(), std::string("0.01015048"));
    }

    /// A span around the pipeline that sums up its usage adds nothing, whatever the vocabulary below.
    void aWrapperAddsNothing()
    {
        for (const Row& row : rows) {
            std::string inner;
            for (const char* c = row.trace; *c != '\0'; ++c)
                inner += *c == '\n' ? std::string("\n  ") : std::string(1, *c);
            const UsageCase given = usageCase({"run | openinference.span.kind=CHAIN | llm.token_count.prompt:=3124 | "
                                               "llm.token_count.completion:=240"
                + inner});
            const Billing billing = billingSet(given.columns, given.stages, given.usage, examplePrices());
            QCOMPARE(billing.totals(0, given.columns.spanCount()).cost.value().text(), std::string("0.01015048"));
        }
    }
};

QTEST_GUILESS_MAIN(TestCorpus)
#include "tst_corpus.moc"
