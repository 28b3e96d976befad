// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The billing set: roll-ups, records of one call, what is left over, calls without usage, costs.
#include "tests/core/analysis/usagecase.h"

#include <QTest>

#include <fmt/format.h>

using namespace chokepoint;

namespace {

std::string usageOf(std::int64_t input, std::int64_t output)
{
    return fmt::format("gen_ai.usage.input_tokens:={} | gen_ai.usage.output_tokens:={}", input, output);
}

const std::string chat = "gen_ai.operation.name=chat | gen_ai.request.model=gpt-x | ";

/// "600/90 in 2 calls", with the warnings behind.
std::string billed(const std::string& trace)
{
    const UsageCase given = usageCase({trace});
    const UsageTotals totals = given.totals();
    const auto text = [](TokenCount count) { return count.isKnown() ? std::to_string(count.orZero()) : "-"; };
    std::string result = fmt::format("{}/{} in {}", text(totals.generate.input()), text(totals.generate.output()), totals.withUsage);
    const Diagnostics diagnostics = given.bill().diagnostics;
    for (const DiagnosticEntry& entry : diagnostics.entries())
        result += fmt::format(" {}:{}", diagnosticName(entry.code), entry.count);
    return result;
}

} // namespace

class tst_Billing : public QObject {
    Q_OBJECT

private slots:
    void sets_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const std::string& trace, const char* expected) {
            QTest::newRow(name) << QString::fromStdString(trace) << expected;
        };
        row("one call", "chat | " + chat + usageOf(10, 2), "10/2 in 1");
        row("no usage", "chat | " + chat + "x=y", "-/- in 0");
        row("a container alone is all there is", "agent | gen_ai.operation.name=invoke_agent | " + usageOf(10, 2), "10/2 in 1");
        row("agent over two calls, one of them deeper",
            "invoke_agent | gen_ai.operation.name=invoke_agent | " + usageOf(600, 90) + "\n  cycle 1\n    chat 1 | " + chat
                + usageOf(400, 60) + "\n    tool\n  chat 2 | " + chat + usageOf(200, 30),
            "600/90 in 2 USAGE_ROLLUP_IGNORED:1");
        row("a roll-up with untraced calls below",
            "invoke_agent | gen_ai.operation.name=invoke_agent | " + usageOf(600, 90) + "\n  chat 1 | " + chat + usageOf(400, 60),
            "400/60 in 1 TOKENS_MISSING_CHILDREN:1");
        row("roll-ups of roll-ups",
            "run | openinference.span.kind=CHAIN | " + usageOf(10, 2) + "\n  agent | openinference.span.kind=AGENT | " + usageOf(10, 2)
                + "\n    llm | openinference.span.kind=LLM | " + usageOf(10, 2),
            "10/2 in 1 USAGE_ROLLUP_IGNORED:2");
        row("Vercel's outer span",
            "ai.generateText | @ai | ai.operationId=ai.generateText | ai.usage.promptTokens:=10 | ai.usage.completionTokens:=2\n"
            "  ai.generateText.doGenerate | @ai | ai.operationId=ai.generateText.doGenerate | ai.usage.promptTokens:=10 | "
            "ai.usage.completionTokens:=2",
            "10/2 in 1 USAGE_ROLLUP_IGNORED:1");
        row("declared aggregate without a container's name",
            "answer | " + chat + "gen_ai.aggregated_usage.input_tokens:=10 | " + usageOf(10, 2) + "\n  chat | " + chat + usageOf(10, 2),
            "10/2 in 1 USAGE_ROLLUP_IGNORED:1");
        row("framework and SDK", "ChatOpenAI | openinference.span.kind=LLM | " + usageOf(100, 20) + "\n  chat | " + chat + usageOf(101, 20),
            "101/20 in 1 DUPLICATE_CALL:1");
        row("client and engine",
            "chat | " + chat + usageOf(100, 20) + "\n  llm_request | SERVER | gen_ai.latency.e2e:=0.5 | " + usageOf(100, 20),
            "100/20 in 1 DUPLICATE_CALL:1");
        row("client and engine that count differently",
            "chat | " + chat + usageOf(100, 20) + "\n  llm_request | SERVER | gen_ai.latency.e2e:=0.5 | " + usageOf(150, 20),
            "100/20 in 1 TOKENS_CONFLICT:1 DUPLICATE_CALL:1");
        row("the engine's record is all there is", "POST /v1 | SERVER\n  llm_request | gen_ai.latency.e2e:=0.5 | " + usageOf(100, 20),
            "100/20 in 1");
        row("two calls on the engine for one of the client",
            "chat | " + chat + usageOf(100, 20) + "\n  llm_request | gen_ai.latency.e2e:=0.2 | " + usageOf(100, 3)
                + "\n  llm_request | gen_ai.latency.e2e:=0.5 | " + usageOf(100, 20),
            "200/23 in 2 DUPLICATE_CALL:1");
        row("a call with a smaller one inside", "chat | " + chat + usageOf(1000, 100) + "\n  search\n    chat | " + chat + usageOf(10, 2),
            "1000/100 in 1");
        row("one response, seen by two",
            "root\n  a | @litellm | " + chat + "gen_ai.response.id=r1 | " + usageOf(100, 20) + "\n  b | " + chat
                + "gen_ai.response.id=r1 | " + usageOf(100, 20),
            "100/20 in 1 DUPLICATE_CALL:1");
        row("one response, told differently",
            "root\n  a | @litellm | " + chat + "gen_ai.response.id=r1 | " + usageOf(100, 20) + "\n  b | " + chat
                + "gen_ai.response.id=r1 | " + usageOf(150, 20),
            "150/20 in 1 TOKENS_CONFLICT:1 DUPLICATE_CALL:1");
        row("a test server's id on calls one after the other",
            "root\n  a | 1ms | " + chat + "gen_ai.response.id=r1 | " + usageOf(100, 20) + "\n  b | " + chat + "gen_ai.response.id=r1 | "
                + usageOf(100, 20),
            "200/40 in 2");
        row("a step that tells fewer tokens than its calls",
            "rerank | openinference.span.kind=RERANKER | " + usageOf(5, 1) + "\n  chat | " + chat + usageOf(100, 20),
            "100/20 in 1 TOKENS_CONFLICT:1");
        row("nothing tells where the cache is",
            "chat | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.usage.cached_tokens:=4 | " + usageOf(10, 2),
            "10/2 in 1 TOKENS_INCLUSIVE_ASSUMED:1");
    }
    void sets()
    {
        QFETCH(QString, trace);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(billed(trace.toStdString())), expected);
    }

    /// "a call with a smaller one inside": its own tokens are what goes beyond.
    void remaindersAreMarked()
    {
        const UsageCase given = usageCase({"chat | " + chat + usageOf(1000, 100) + "\n  chat | " + chat + usageOf(10, 2)});
        const Billing billing = given.bill(examplePrices());
        QCOMPARE(billing.calls.size(), std::size_t(2));
        QVERIFY(billing.calls[0].remainder && !billing.calls[1].remainder);
        QCOMPARE(countsText(billing.calls[0].tokens), std::string("in 990 out 98 read - write - reason - total 1088"));
        QCOMPARE(given.totals(0, examplePrices()).cost->text(), std::string("0.0035"));
    }

    void embeddingAndRerankStayApart()
    {
        const UsageCase given = usageCase(
            {"root\n  embeddings | gen_ai.operation.name=embeddings | gen_ai.request.model=embed-x | gen_ai.usage.input_tokens:=24\n"
             "  rerank | openinference.span.kind=RERANKER | llm.token_count.prompt:=50\n"
             "  judge | openinference.span.kind=EVALUATOR\n    chat | "
                + chat + usageOf(30, 3) + "\n  chat | " + chat + usageOf(10, 2)});
        const UsageTotals totals = given.totals(0, examplePrices());
        QCOMPARE(totals.embedding.orZero(), std::int64_t(24));
        QCOMPARE(totals.rerank.orZero(), std::int64_t(50));
        QCOMPARE(totals.evaluation.orZero(), std::int64_t(33));
        QCOMPARE(totals.generate.total().orZero(), std::int64_t(12));
        QCOMPARE(totals.withUsage, std::uint64_t(1));
        QCOMPARE(totals.cost->text(), std::string("0.00004548"));
        QCOMPARE(totals.evaluationCost->text(), std::string("0.000105"));
        QCOMPARE(totals.unpricedSpans, std::uint64_t(1)); // the rerank
    }

    /// A failed call that was turned away cost nothing; one that may have been computed is unknown.
    void failedCalls()
    {
        const auto failed = [](const std::string& attributes) {
            const auto given = stageCase({"root\n  chat | " + chat + attributes + "\n  chat | " + chat + usageOf(10, 2)});
            StageCase marked = given;
            marked.columns.spans.flags[1].setStatus(SpanStatus::Error);
            return usageCase(marked).totals();
        };
        const UsageTotals refused = failed("http.response.status_code:=429");
        QCOMPARE(refused.withoutUsage, std::uint64_t(1));
        QCOMPARE(refused.failedWithoutUsage, std::uint64_t(0));
        QCOMPARE(failed("error.type=429").failedWithoutUsage, std::uint64_t(0));
        QCOMPARE(failed("error.type=openai.RateLimitError").failedWithoutUsage, std::uint64_t(0));
        for (const char* computed :
            {"error.type=500", "http.response.status_code:=408", "http.response.status_code:=499", "error.type=APITimeoutError", "x=y"})
            QCOMPARE(failed(computed).failedWithoutUsage, std::uint64_t(1));
        QCOMPARE(failed("error.type=500 | " + usageOf(3, 0)).generate.input().orZero(), std::int64_t(13)); // it says what it used
    }

    void silentCallsAreCountedOnce()
    {
        QCOMPARE(usageCase({"ChatOpenAI | openinference.span.kind=LLM | llm.model_name=m\n  chat | " + chat + "x=y"}).totals().withoutUsage,
            std::uint64_t(1));
        QCOMPARE(
            usageCase({"agent | openinference.span.kind=AGENT | llm.model_name=m\n  chat | " + chat + usageOf(1, 1)}).totals().withoutUsage,
            std::uint64_t(0));
        QCOMPARE(usageCase({"chat | " + chat + usageOf(1, 1) + "\n  llm_request | gen_ai.latency.e2e:=0.5 | gen_ai.request.model=m"})
                     .totals()
                     .withoutUsage,
            std::uint64_t(0));
    }

    /// A gateway exports its own trace of a call.
    void recordsInTwoTraces()
    {
        const std::string client = "root | %app\n  chat | %app | " + chat + "gen_ai.response.id=r1 | " + usageOf(100, 20);
        const std::string gateway =
            "litellm_request | %gateway | @litellm | gen_ai.request.model=gpt-x | gen_ai.response.id=r1 | " + usageOf(100, 20);
        const UsageCase joined = usageCase({client, gateway});
        QCOMPARE(joined.totals(0).withUsage, std::uint64_t(1));
        QCOMPARE(joined.totals(1).withUsage, std::uint64_t(0));
        const UsageCase turned = usageCase({gateway, client}); // the order of traces changes nothing
        QCOMPARE(turned.totals(0).withUsage, std::uint64_t(0));
        QCOMPARE(turned.totals(1).withUsage, std::uint64_t(1));
        // The same id in the traces of one service is a test server's.
        QCOMPARE(usageCase({client, client}).totals(1).withUsage, std::uint64_t(1));
        // By request id and model where there is no response id.
        const auto byRequest = [](std::string text) { return text.replace(text.find("gen_ai.response.id"), 18, "x_request_id"); };
        QCOMPARE(usageCase({byRequest(client), byRequest(gateway)}).totals(1).withUsage, std::uint64_t(0));
    }

    void reportedCostWins()
    {
        const PriceTable prices = examplePrices();
        const auto bill = [&](const char* cost) {
            return usageCase({"chat | " + chat + "gen_ai.usage.cost=" + cost + " | " + usageOf(1'000'000, 0)}).bill(prices);
        };
        QCOMPARE(bill("2.4").calls[0].cost->text(), std::string("2.4"));
        QVERIFY(bill("2.4").calls[0].costReported);
        QCOMPARE(bill("2.4").diagnostics.count(DiagnosticCode::CostMismatch), std::uint64_t(0)); // 4 %
        QCOMPARE(bill("2.3").diagnostics.count(DiagnosticCode::CostMismatch), std::uint64_t(1)); // 8 %
        QCOMPARE(bill("2.3").calls[0].cost->text(), std::string("2.3"));
    }

    void unknownModelsAreUnpricedNotFree()
    {
        const UsageCase given = usageCase({"root\n  chat | " + chat + usageOf(1000, 0)
            + "\n  chat | gen_ai.operation.name=chat | gen_ai.request.model=house | " + usageOf(50, 10)});
        const UsageTotals totals = given.totals(0, examplePrices());
        QCOMPARE(totals.cost->text(), std::string("0.0025"));
        QVERIFY(totals.costIsLowerBound);
        QCOMPARE(totals.unpricedSpans, std::uint64_t(1));
        QCOMPARE(totals.unpricedTokens.orZero(), std::int64_t(60));
        QCOMPARE(given.bill(examplePrices()).diagnostics.count(DiagnosticCode::UnpricedModel), std::uint64_t(1));
        QVERIFY(!given.totals().cost.has_value()); // without a table: unknown, and no warning
        QVERIFY(given.bill().diagnostics.empty());
    }

    /// Worked example: three walks, the second with a 429 before its answer, one generate on a traced engine.
    void workedExample()
    {
        const auto walk = [](const char* input, const char* output, const char* below) {
            return fmt::format(
                "  embeddings | gen_ai.operation.name=embeddings | gen_ai.request.model=embed-x | gen_ai.usage.input_tokens:=24\n"
                "  retrieve | openinference.span.kind=RETRIEVER\n"
                "  rerank | openinference.span.kind=RERANKER\n"
                "  chat gpt-x | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=gpt-x | gen_ai.usage.input_tokens:={} | "
                "gen_ai.usage.output_tokens:={}\n{}  validate_output\n",
                input, output, below);
        };
        const std::string walks = walk("3100", "240",
                                      "    llm_request | SERVER | gen_ai.latency.e2e:=0.5 | gen_ai.usage.prompt_tokens:=3100 | "
                                      "gen_ai.usage.completion_tokens:=240\n")
            + walk("4600", "260",
                "    POST | CLIENT | http.request.method=POST | url.full=http://llm/v1/chat/completions | http.response.status_code:=429\n"
                "    POST | CLIENT | http.request.method=POST | url.full=http://llm/v1/chat/completions | http.response.status_code:=200\n")
            + walk("6100", "280", "");
        const PriceTable prices = examplePrices();
        const UsageCase given = usageCase({"POST /ask | SERVER\n" + walks});
        const UsageTotals totals = given.totals(0, prices);
        QCOMPARE(totals.generate.input().orZero(), std::int64_t(13'800));
        QCOMPARE(totals.generate.output().orZero(), std::int64_t(780));
        QCOMPARE(totals.embedding.orZero(), std::int64_t(72));
        QCOMPARE(totals.cost->text(), std::string("0.04230144"));
        QVERIFY(!totals.costIsLowerBound);
        // Walks: spans 1 to 6 (the engine's inside), 7 to 13, 14 to 18.
        const Billing billing = given.bill(prices);
        const Money first = *billing.totals(1, 6).cost;
        const Money second = *billing.totals(7, 7).cost;
        const Money third = *billing.totals(14, 5).cost;
        QCOMPARE(first.text(), std::string("0.01015048"));
        QCOMPARE(second.text(), std::string("0.01410048"));
        QCOMPARE(third.text(), std::string("0.01805048"));
        QCOMPARE((*totals.cost - third).text(), std::string("0.02425096"));
        QCOMPARE(qRound(1000 * (*totals.cost - third).number() / totals.cost->number()), 573);
        // Totals on the root change nothing.
        const UsageTotals again =
            usageCase({"POST /ask | SERVER | gen_ai.aggregated_usage.input_tokens:=13800\n" + walks}).totals(0, prices);
        QVERIFY(again.generate == totals.generate && again.cost == totals.cost);
    }

    /// One call in every vocabulary: the same tokens and the same cost.
    void vocabularies_data()
    {
        QTest::addColumn<QString>("trace");
        for (const auto& [name, trace] : {std::pair{"1.26",
                                              "chat gpt-x | gen_ai.system=openai | gen_ai.request.model=gpt-x | "
                                              "gen_ai.usage.prompt_tokens:=100 | gen_ai.usage.completion_tokens:=20"},
                 std::pair{"1.36",
                     "chat gpt-x | gen_ai.operation.name=chat | gen_ai.system=openai | gen_ai.request.model=gpt-x | "
                     "gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=20"},
                 std::pair{"1.41",
                     "chat gpt-x | gen_ai.operation.name=chat | gen_ai.provider.name=openai | gen_ai.response.model=gpt-x | "
                     "gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=20 | gen_ai.usage.reasoning.output_tokens:=0"},
                 std::pair{"OpenInference",
                     "ChatCompletion | @openinference.instrumentation.openai | openinference.span.kind=LLM | llm.model_name=gpt-x | "
                     "llm.token_count.prompt:=100 | llm.token_count.completion:=20 | llm.token_count.total:=120"},
                 std::pair{"OpenLLMetry 0.4",
                     "openai.chat | @opentelemetry.instrumentation.openai.v1 | llm.request.type=chat | gen_ai.request.model=gpt-x | "
                     "gen_ai.usage.prompt_tokens:=100 | gen_ai.usage.completion_tokens:=20 | llm.usage.total_tokens:=120"},
                 std::pair{"Langfuse",
                     "answer | @langfuse-sdk | langfuse.observation.type=generation | langfuse.observation.model.name=gpt-x | "
                     "langfuse.observation.usage_details={\"input\":100,\"output\":20,\"total\":120}"},
                 std::pair{"LangSmith",
                     "ChatOpenAI | @langsmith | langsmith.span.kind=llm | gen_ai.operation.name=chat | gen_ai.request.model=gpt-x | "
                     "gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=20"},
                 std::pair{"Vercel",
                     "ai.generateText.doGenerate | @ai | ai.operationId=ai.generateText.doGenerate | ai.model.id=gpt-x | "
                     "ai.usage.inputTokens:=100 | ai.usage.outputTokens:=20"},
                 std::pair{"MLflow",
                     "ChatOpenAI | mlflow.spanType=\"CHAT_MODEL\" | mlflow.llm.model=\"gpt-x\" | "
                     "mlflow.chat.tokenUsage={\"input_tokens\":100,\"output_tokens\":20,\"total_tokens\":120}"},
                 std::pair{"Haystack",
                     "haystack.component.run | haystack.component.type=OpenAIGenerator | gen_ai.request.model=gpt-x | "
                     "gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=20"}})
            QTest::newRow(name) << trace;
    }
    void vocabularies()
    {
        QFETCH(QString, trace);
        const UsageTotals totals = usageCase({trace.toStdString()}).totals(0, examplePrices());
        QCOMPARE(totals.generate.input().orZero(), std::int64_t(100));
        QCOMPARE(totals.generate.output().orZero(), std::int64_t(20));
        QCOMPARE(totals.withUsage, std::uint64_t(1));
        QCOMPARE(totals.cost->text(), std::string("0.00045"));
    }
};

QTEST_GUILESS_MAIN(tst_Billing)
#include "tst_billing.moc"
