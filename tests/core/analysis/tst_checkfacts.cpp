// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which attributes the checks understand, and what is kept of them.
#include "tests/core/analysis/checkcase.h"

#include <QTest>

using namespace chokepoint;
using testkit::TraceBuilder;

namespace {

AttributeValue numbers(std::initializer_list<double> values)
{
    AttributeValue::Array array;
    for (const double value : values)
        array.push_back({value});
    return {std::move(array)};
}

/// The facts of one span that has \a key alone.
CheckFacts factsOf(std::string_view key, AttributeValue value)
{
    return checkCase(TraceBuilder().span("step", 0, 100).attribute(key, std::move(value)))->facts;
}

} // namespace

class tst_CheckFacts : public QObject {
    Q_OBJECT

private slots:
    void keys_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<int>("field");
        const auto row = [](const char* key, CheckField field) { QTest::newRow(key) << key << int(field); };
        row("gen_ai.spec_decode.draft_tokens", CheckField::DraftedTokens);
        row("vllm.spec_decode.num_draft_tokens", CheckField::DraftedTokens);
        row("specDecode.draftTokens", CheckField::DraftedTokens);
        row("vllm.spec_decode.num_accepted_tokens", CheckField::AcceptedTokens);
        row("gen_ai.usage.details.accepted_prediction_tokens", CheckField::AcceptedTokens);
        row("openai.rejectedPredictionTokens", CheckField::RejectedTokens);
        row("spec_decode_num_drafts", CheckField::Drafts);
        row("spec_verify_ct", CheckField::Drafts);
        row("gen_ai.spec_decode.acceptance_rate", CheckField::AcceptanceRate);
        row("loan.acceptance_rate", CheckField::None);
        row("gen_ai.request.padded_length", CheckField::PaddedLength);
        row("llm.prefill.padded_tokens", CheckField::PaddedTokens);
        row("llm.prefill.tokens", CheckField::ActualTokens);
        row("non_padded_tokens", CheckField::ActualTokens);
        row("engine.max_seq_len", CheckField::PaddedLimit);
        row("batch.size", CheckField::BatchSize);
        row("running-batch-size", CheckField::BatchSize);
        row("db.vector.query.top_score", CheckField::Score);
        row("retrieval.documents.3.document.score", CheckField::Score);
        row("rag.retrieval.scores", CheckField::Score);
        row("reranker.output_documents.3.document.score", CheckField::None);
        row("db.vector.query.top_distance", CheckField::Distance);
        row("gen_ai.retrieval.documents", CheckField::Documents);
        row("db.response.returned_rows", CheckField::Results);
        row("db.collection.name", CheckField::Collection);
        row("cache.hit", CheckField::CacheHit);
        row("kv_cache.hit_rate", CheckField::PrefixHitRate);
        row("prompt_cache_hit", CheckField::None);
        row("cache.similarity", CheckField::CacheSimilarity);
        row("semantic_cache.similarity_threshold", CheckField::CacheThreshold);
        row("routing.selected_model", CheckField::ChosenModel);
        row("model.quantization", CheckField::Variant);
        row("torch_dtype", CheckField::Variant);
        row("context_precision_score", CheckField::None);
        row("http.status_code", CheckField::None);
        row("", CheckField::None);
    }
    void keys()
    {
        QFETCH(QString, key);
        QFETCH(int, field);
        QCOMPARE(int(checkFieldOf(key.toStdString())), field);
    }

    void variants_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("variant");
        QTest::newRow("awq") << "TheBloke/Llama-3-8B-AWQ"
                             << "awq";
        QTest::newRow("bits and format") << "qwen2.5-7b-instruct-q4_k_m"
                                         << "q4_k_m";
        QTest::newRow("three bits") << "qwen2.5-7b-q3_k_s"
                                    << "q3_k_s";
        QTest::newRow("exl2") << "llama-3-8b-exl2"
                              << "exl2";
        QTest::newRow("none") << "meta-llama/Llama-3.1-8B-Instruct"
                              << "";
        QTest::newRow("part of a word") << "sawquill-7b"
                                        << "";
        QTest::newRow("the whole name") << "awq"
                                        << "";
    }
    void variants()
    {
        QFETCH(QString, model);
        QFETCH(QString, variant);
        QCOMPARE(QString::fromStdString(variantOfModel(model.toStdString())), variant);
    }

    void theBestOfSeveralScoresCounts()
    {
        QCOMPARE(factsOf("rag.retrieval.scores", numbers({0.2, 0.9, 0.5})).number(0, CheckField::Score), std::optional(0.9));
        QCOMPARE(factsOf("retrieval.distances", numbers({0.2, 0.1})).number(0, CheckField::Distance), std::optional(0.1));
        const std::unique_ptr<CheckCase> spread = checkCase(TraceBuilder()
                                                                .span("search", 0, 100)
                                                                .attribute("retrieval.documents.0.document.score", {0.3})
                                                                .attribute("retrieval.documents.1.document.score", {0.7}));
        QCOMPARE(spread->facts.number(0, CheckField::Score), std::optional(0.7));
    }

    void documentsAreReadFromJson()
    {
        const CheckFacts facts =
            factsOf("gen_ai.retrieval.documents", {std::string(R"([{"id": "a", "score": 0.4}, {"id": "b", "score": 0.6}])")});
        QCOMPARE(facts.number(0, CheckField::Score), std::optional(0.6));
        QCOMPARE(facts.number(0, CheckField::Results), std::optional(2.0));
        QCOMPARE(factsOf("gen_ai.retrieval.documents", {std::string("[")}).numbers.size(), std::size_t(0));
        QCOMPARE(factsOf("gen_ai.retrieval.documents", {std::string("[]")}).number(0, CheckField::Results), std::optional(0.0));
        const AttributeList document{{"document.score", {0.5}}};
        const CheckFacts maps = factsOf("retrieval.documents", {AttributeValue::Array{{document}}});
        QCOMPARE(maps.number(0, CheckField::Score), std::optional(0.5));
    }

    void resultEventsAreRead()
    {
        const std::unique_ptr<CheckCase> found = checkCase(TraceBuilder()
                                                               .span("search", 0, 100)
                                                               .event("db.query.result", 10, {{"db.query.result.distance", {0.4}}})
                                                               .event("db.query.result", 20, {{"db.query.result.distance", {0.2}}})
                                                               .event("other", 30, {{"db.query.result.distance", {0.1}}}));
        QCOMPARE(found->facts.number(0, CheckField::Distance), std::optional(0.2));
    }

    void lengthsOfABatchArePaddedToTheLongest()
    {
        const CheckFacts facts = factsOf("batch.lengths", numbers({10, 30, 20}));
        QCOMPARE(facts.number(0, CheckField::PaddedTokens), std::optional(90.0));
        QCOMPARE(facts.number(0, CheckField::ActualTokens), std::optional(60.0));
    }

    void cacheWords_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("hit"); // -1: nothing told
        QTest::newRow("hit") << "cache.outcome"
                             << "HIT" << 1;
        QTest::newRow("miss") << "cache.outcome"
                              << "semantic_miss" << 0;
        QTest::newRow("text of a truth value") << "cache.hit"
                                               << "True" << 1;
        QTest::newRow("another word") << "cache.status"
                                      << "expired" << -1;
    }
    void cacheWords()
    {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(int, hit);
        const std::optional<double> told = factsOf(key.toStdString(), {value.toStdString()}).number(0, CheckField::CacheHit);
        QCOMPARE(told ? int(*told) : -1, hit);
    }

    void spansWithoutFactsTakeNoMemory()
    {
        const std::unique_ptr<CheckCase> none =
            checkCase(TraceBuilder().span("a", 0, 10).attribute("x", {std::int64_t(1)}).span("b", 0, 5, "a"));
        QVERIFY(none->facts.numbers.empty() && none->facts.words.empty());
        QVERIFY(!none->facts.number(0, CheckField::BatchSize));
        QCOMPARE(none->facts.text(1, CheckField::Variant), std::string_view());
    }

    void appendMovesSpans()
    {
        const std::unique_ptr<CheckCase> given = checkCase(TraceBuilder()
                                                               .span("a", 0, 10)
                                                               .attribute("batch.size", {std::int64_t(3)})
                                                               .nextTrace()
                                                               .span("b", 0, 10)
                                                               .attribute("batch.size", {std::int64_t(4)})
                                                               .attribute("dtype", {std::string("fp8")}));
        CheckFacts part;
        part.texts = given->facts.texts;
        part.append(given->facts, 1, 1, 0);
        QCOMPARE(part.numbers.size(), std::size_t(1));
        QCOMPARE(part.number(0, CheckField::BatchSize), std::optional(4.0));
        QCOMPARE(part.text(0, CheckField::Variant), std::string_view("fp8"));
    }
};

QTEST_GUILESS_MAIN(tst_CheckFacts)
#include "tst_checkfacts.moc"
