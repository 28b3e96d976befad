// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of call facts: every alias in its order, counts as texts and structures, the decision on inclusive counts, words of vendors.
#include "core/analysis/usagewords.h"
#include "tests/core/analysis/usagecase.h"

#include <QTest>

using namespace chokepoint;

namespace {

std::string counts(const std::string& attributes)
{
    return countsText(usageCase({"call | " + attributes}).call().tokens());
}

} // namespace

class tst_Usage : public QObject {
    Q_OBJECT

private slots:
    void aliases_data()
    {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* attributes, const char* expected) {
            QTest::newRow(name) << attributes << expected;
        };
        row("current", "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2", "in 10 out 2 read - write - reason - total 12");
        row("1.26", "gen_ai.usage.prompt_tokens:=10 | gen_ai.usage.completion_tokens:=2", "in 10 out 2 read - write - reason - total 12");
        row("new before old", "gen_ai.usage.prompt_tokens:=99 | gen_ai.usage.input_tokens:=10",
            "in 10 out - read - write - reason - total 10");
        row("first that parses", "gen_ai.usage.input_tokens=many | gen_ai.usage.prompt_tokens:=10",
            "in 10 out - read - write - reason - total 10");
        row("negative is unknown", "gen_ai.usage.input_tokens:=-1 | gen_ai.usage.output_tokens:=3",
            "in - out 3 read - write - reason - total 3");
        row("as text", "gen_ai.usage.input_tokens=10 | gen_ai.usage.output_tokens=2", "in 10 out 2 read - write - reason - total 12");
        row("as double", "gen_ai.usage.input_tokens:=10.0", "in 10 out - read - write - reason - total 10");
        row("no whole number", "gen_ai.usage.input_tokens:=10.5 | gen_ai.usage.output_tokens:=2",
            "in - out 2 read - write - reason - total 2");
        row("OpenInference", "llm.token_count.prompt:=10 | llm.token_count.completion:=2 | llm.token_count.prompt_details.cache_read:=4",
            "in 10 out 2 read 4 write - reason - total 12");
        row("Vercel", "ai.usage.inputTokens:=10 | ai.usage.outputTokens:=2 | ai.usage.cachedInputTokens:=4 | ai.usage.totalTokens:=12",
            "in 10 out 2 read 4 write - reason - total 12");
        row("Vercel 4", "ai.usage.promptTokens:=10 | ai.usage.completionTokens:=2", "in 10 out 2 read - write - reason - total 12");
        row("Langfuse", R"(langfuse.observation.usage_details={"input":6,"output":2,"input_cached_tokens":4})",
            "in 10 out 2 read 4 write - reason - total 12");
        row("Langfuse, reasoning apart",
            R"(langfuse.observation.usage_details={"input":6,"output":2,"output_reasoning_tokens":5,"total":13})",
            "in 6 out 7 read - write - reason 5 total 13");
        row("MLflow, JSON in JSON", "mlflow.chat.tokenUsage=\"{\\\"input_tokens\\\":10,\\\"output_tokens\\\":2}\"",
            "in 10 out 2 read - write - reason - total 12");
        row("LangSmith", R"(langsmith.usage_metadata={"input_tokens":10,"output_tokens":2,"input_token_details":{"cache_read":4}})",
            "in 10 out 2 read 4 write - reason - total 12");
        row("old OpenLLMetry", "llm.usage.prompt_tokens:=10 | llm.usage.completion_tokens:=2",
            "in 10 out 2 read - write - reason - total 12");
        row("Ollama", "prompt_eval_count:=10 | eval_count:=2", "in 10 out 2 read - write - reason - total 12");
        row("embedding", "ai.usage.tokens:=10", "in 10 out - read - write - reason - total 10");
        row("total alone", "gen_ai.usage.total_tokens:=12", "in - out - read - write - reason - total 12");
        row("total and input", "gen_ai.usage.total_tokens:=12 | gen_ai.usage.input_tokens:=10",
            "in 10 out - read - write - reason - total 12");
        row("zero is known", "gen_ai.usage.input_tokens:=0 | gen_ai.usage.output_tokens:=0", "in 0 out 0 read - write - reason - total 0");
    }
    void aliases()
    {
        QFETCH(QString, attributes);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(counts(attributes.toStdString())), expected);
    }

    void userAliasesComeFirst()
    {
        const UsageCase given = usageCase({"call | acme.tokens.in:=7 | gen_ai.usage.input_tokens:=10 | acme.usage={\"out\":3}"},
            R"({"version": 1, "aliases": {"in_tok": ["acme.tokens.in"], "out_tok": ["acme.usage{out}"]}})");
        QCOMPARE(countsText(given.call().tokens()), std::string("in 7 out 3 read - write - reason - total 10"));
    }

    void spansWithoutFactsTakeNoMemory()
    {
        const UsageCase given = usageCase({"root | http.request.method=GET\n  call | gen_ai.usage.input_tokens:=1\n  other | x=y"});
        QCOMPARE(given.usage.calls.size(), std::size_t(1));
        QCOMPARE(given.usage.calls[0].span, std::uint64_t(1));
        QVERIFY(given.usage.find(0) == nullptr && given.usage.find(1) != nullptr && given.usage.find(2) == nullptr);
    }

    /// Cache counts inside or beside the input, reasoning inside or beside the output.
    void inclusion_data()
    {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<bool>("assumed");
        const auto row = [](const char* name, const char* attributes, const char* expected, bool assumed = false) {
            QTest::newRow(name) << attributes << expected << assumed;
        };
        row("total says inside",
            "llm.token_count.prompt:=100 | llm.token_count.completion:=20 | llm.token_count.total:=120 | gen_ai.usage.cached_tokens:=60",
            "in 100 out 20 read 60 write - reason - total 120");
        row("total says beside",
            "llm.token_count.prompt:=3 | llm.token_count.completion:=442 | llm.token_count.total:=8695 | "
            "llm.token_count.prompt_details.cache_read:=7900 | llm.token_count.prompt_details.cache_write:=350",
            "in 8253 out 442 read 7900 write 350 reason - total 8695");
        row("total says reasoning beside",
            "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2 | gen_ai.usage.total_tokens:=17 | "
            "gen_ai.usage.reasoning_tokens:=5",
            "in 10 out 7 read - write - reason 5 total 17");
        row("total says both beside",
            "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2 | gen_ai.usage.total_tokens:=21 | "
            "gen_ai.usage.reasoning_tokens:=5 | gen_ai.usage.cached_tokens:=4",
            "in 14 out 7 read 4 write - reason 5 total 21");
        row("total within one",
            "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2 | gen_ai.usage.total_tokens:=17 | gen_ai.usage.cached_tokens:=4",
            "in 14 out 2 read 4 write - reason - total 16");
        row("cannot be inside", "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2 | gen_ai.usage.cached_tokens:=40",
            "in 50 out 2 read 40 write - reason - total 52");
        row("cannot be inside, whatever the total",
            "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2 | gen_ai.usage.total_tokens:=12 | "
            "gen_ai.usage.cached_tokens:=40",
            "in 50 out 2 read 40 write - reason - total 52");
        row("reasoning cannot be inside",
            "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2 | gen_ai.usage.reasoning_tokens:=9",
            "in 10 out 11 read - write - reason 9 total 21");
        row("1.40 keys count inside",
            "gen_ai.provider.name=anthropic | gen_ai.usage.input_tokens:=13021 | gen_ai.usage.output_tokens:=500 | "
            "gen_ai.usage.cache_read.input_tokens:=12890 | gen_ai.usage.cache_creation.input_tokens:=120",
            "in 13021 out 500 read 12890 write 120 reason - total 13521");
        row("Anthropic's raw number",
            "gen_ai.system=Anthropic | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=5 | "
            "gen_ai.usage.cache_read_input_tokens:=60",
            "in 160 out 5 read 60 write - reason - total 165");
        row("Bedrock's raw number",
            "gen_ai.system=aws.bedrock | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=5 | "
            "gen_ai.usage.cache_read_input_tokens:=60",
            "in 160 out 5 read 60 write - reason - total 165");
        row("OpenAI counts inside",
            "gen_ai.system=openai | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=5 | gen_ai.usage.cached_tokens:=60",
            "in 100 out 5 read 60 write - reason - total 105");
        row("xAI keeps reasoning beside",
            "gen_ai.system=xai | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=50 | gen_ai.usage.reasoning_tokens:=20",
            "in 100 out 70 read - write - reason 20 total 170");
        row("nothing tells", "gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=5 | gen_ai.usage.cached_tokens:=60",
            "in 100 out 5 read 60 write - reason - total 105", true);
    }
    void inclusion()
    {
        QFETCH(QString, attributes);
        QFETCH(QString, expected);
        QFETCH(bool, assumed);
        const UsageCase given = usageCase({"call | " + attributes.toStdString()});
        QCOMPARE(QString::fromStdString(countsText(given.call().tokens())), expected);
        QCOMPARE(given.call().reading.assumed, assumed);
    }

    /// Spans of one scope and provider count alike: two of them cannot hold the cache, so the third does not either.
    void spansOfOneEmitterVote()
    {
        const std::string apart =
            "call | @acme | gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=5 | gen_ai.usage.cached_tokens:=60";
        const std::string open =
            "call | @acme | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=5 | gen_ai.usage.cached_tokens:=60";
        const std::string addedUp = open + " | gen_ai.usage.total_tokens:=105";
        const std::string other =
            "call | @other | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=5 | gen_ai.usage.cached_tokens:=60";
        const UsageCase given = usageCase({apart, apart, open, addedUp, other});
        QCOMPARE(countsText(given.call(2).tokens()), std::string("in 160 out 5 read 60 write - reason - total 165"));
        QVERIFY(!given.call(2).reading.assumed);
        QCOMPARE(countsText(given.call(3).tokens()), std::string("in 160 out 5 read 60 write - reason - total 165"));
        QVERIFY(given.call(3).reading.outvoted);
        QCOMPARE(countsText(given.call(4).tokens()), std::string("in 100 out 5 read 60 write - reason - total 105"));
    }

    /// Anthropic's exclusive numbers and an inclusive emitter's give the same buckets.
    void exclusiveAndInclusiveAreEqual()
    {
        const UsageCase given = usageCase({"a | gen_ai.system=anthropic | gen_ai.usage.input_tokens:=40 | gen_ai.usage.output_tokens:=7 | "
                                           "gen_ai.usage.cache_read_input_tokens:=50 | gen_ai.usage.cache_creation_input_tokens:=10",
            "b | gen_ai.provider.name=anthropic | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=7 | "
            "gen_ai.usage.cache_read.input_tokens:=50 | gen_ai.usage.cache_write.input_tokens:=10"});
        QVERIFY(given.call(0).tokens() == given.call(1).tokens());
        QCOMPARE(given.call(0).tokens()[TokenKind::Input].orZero(), std::int64_t(40));
    }

    void otherFacts()
    {
        const UsageCase given =
            usageCase({"chat | gen_ai.provider.name=OpenAI | gen_ai.request.model=gpt-4o | gen_ai.response.model=gpt-4o-2024-08-06 | "
                       "gen_ai.response.id=chatcmpl-1 | gen_ai.response.finish_reasons=[\"stop\"] | gen_ai.usage.cost:=0.0021 | "
                       "llm.is_streaming=True | gen_ai.openai.response.service_tier=flex",
                "chat | gen_ai.request.model=m | gen_ai.response.id=chatcmpl-1"});
        const CallFacts& call = given.call();
        QCOMPARE(given.usage.text(call.provider), std::string_view("openai"));
        QCOMPARE(given.usage.text(call.requestModel), std::string_view("gpt-4o"));
        QCOMPARE(given.usage.model(call), std::string_view("gpt-4o-2024-08-06"));
        QCOMPARE(given.usage.text(call.serviceTier), std::string_view("flex"));
        QVERIFY(call.finish == FinishReason::Stop);
        QVERIFY(call.streaming);
        QCOMPARE(call.cost->text(), std::string("0.0021"));
        QVERIFY(call.responseId != 0 && call.responseId == given.call(1).responseId);
        QVERIFY(!given.call(1).reported.isKnown() && !given.call(1).cost && !given.call(1).hasUsage());
    }

    void costs_data()
    {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<QString>("expected");
        for (const auto& [name, attributes, expected] :
            {std::tuple{"Langfuse", R"(langfuse.observation.cost_details={"total":0.2})", "0.2"},
                std::tuple{"LiteLLM", "litellm.cost.total:=0.3", "0.3"},
                std::tuple{"OpenInference", "llm.cost.total:=0.0000021", "0.0000021"},
                std::tuple{"pydantic-ai", "operation.cost:=0.1", "0.1"}, std::tuple{"LiteLLM 1", "gen_ai.cost.total_cost=0.25", "0.25"},
                std::tuple{"MLflow", R"(mlflow.llm.cost={"total_cost":1e-7})", "0.0000001"},
                std::tuple{"Sentry", "gen_ai.cost.total_tokens:=0.5", "0.5"}, std::tuple{"zero is known", "llm.cost.total:=0.0", "0"},
                std::tuple{"negative is not", "llm.cost.total:=-1.0 | gen_ai.usage.total_cost:=2.0", "2"}})
            QTest::newRow(name) << attributes << expected;
    }
    void costs()
    {
        QFETCH(QString, attributes);
        QFETCH(QString, expected);
        const UsageCase given = usageCase({"call | " + attributes.toStdString()});
        QVERIFY(given.call().cost.has_value());
        QCOMPARE(QString::fromStdString(given.call().cost->text()), expected);
    }

    void words()
    {
        QCOMPARE(providerName("az.ai.openai", ""), std::string("azure.ai.openai"));
        QCOMPARE(providerName("openai.chat", ""), std::string("openai"));
        QCOMPARE(providerName("gcp.vertex_ai", ""), std::string("gcp.vertex_ai"));
        QCOMPARE(providerName("vLLM", ""), std::string("vllm"));
        QCOMPARE(providerName("langchain", "claude-sonnet-4"), std::string("anthropic"));
        QCOMPARE(providerName("", "meta/llama-3"), std::string());
        QVERIFY(finishReasonOfText("[\"tool_use\"]") == FinishReason::Tool);
        QVERIFY(finishReasonOfText("stop,length") == FinishReason::Length);
        QVERIFY(finishReasonOfText("MAX_TOKENS") == FinishReason::Length);
        QVERIFY(finishReasonOfText("malformed_function_call") == FinishReason::Malformed);
        QVERIFY(finishReasonOfText("because") == FinishReason::Unknown);
        QVERIFY(isRefusal("openai.RateLimitError") && isRefusal("AuthenticationError"));
        QVERIFY(isRateLimit("429 Rate limit reached for requests") && !isRateLimit("Request timed out"));
        QVERIFY(!isRefusal("APITimeoutError") && !isRefusal("InternalServerError"));
    }
};

QTEST_GUILESS_MAIN(tst_Usage)
#include "tst_usage.moc"
