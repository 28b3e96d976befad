// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The stage table, sub-stages from attributes, and what must not change a span's stage.
#include "core/analysis/stagefacts.h"
#include "core/analysis/stages.h"
#include "tests/core/analysis/tst_stages_text.h"
#include "tests/testkit/randomtrace.h"

#include <QTest>

using namespace chokepoint;

namespace {

std::string nameWithin(const std::string& stage)
{
    constexpr std::string_view generate = "generate.";
    return stage.starts_with(generate) ? stage.substr(generate.size()) : stage;
}

/// "queue 0-10, prefill 10-50" of span \a i, in ms; sub-stages of generate without its name.
std::string partsOf(const StageMap& map, std::size_t i)
{
    std::string text;
    for (const DerivedPart& part : map.derived) {
        if (part.span == i)
            text += (text.empty() ? "" : ", ") + nameWithin(map.table->name(part.stage)) + " "
                + std::to_string(toNs(part.begin) / 1'000'000) + "-" + std::to_string(toNs(part.end) / 1'000'000);
    }
    return text;
}

} // namespace

class TestStages : public QObject {
    Q_OBJECT

private slots:
    void table();
    void words_data();
    void words();
    void unitDurations_data();
    void unitDurations();
    void derived_data();
    void derived();
    void derivedFromEvents();
    void unitsByVote();
    void tableHoldsWhatOccurs();
    void traceOrderChangesNothing();
    void damagedPayloads();
    void deepAndWide();
    void randomTracesAllHaveStages();
};

void TestStages::table()
{
    StageTable table;
    const StageId decode = table.add("generate.decode");
    QCOMPARE(table.size(), std::size_t(2));
    QCOMPARE(table.add("generate.decode"), decode);
    QCOMPARE(table.topLevel(decode), table.find("generate"));
    QCOMPARE(table.topLevel(table.find("generate")), table.find("generate"));
    QCOMPARE(table.label(decode), std::string("Decode"));
    QCOMPARE(table.find("embed"), StageTable::noStage);
}

void TestStages::words_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("words");
    QTest::newRow("camel") << "RetrieverQueryEngine"
                           << "Retriever Query Engine";
    QTest::newRow("snake") << "get_query_embedding"
                           << "get query embedding";
    QTest::newRow("acronym") << "parseJSONOutput"
                             << "parse JSON Output";
    QTest::newRow("spaces") << "fetch docs"
                            << "fetch docs";
    QTest::newRow("plain") << "chat"
                           << "chat";
    QTest::newRow("empty") << ""
                           << "";
}

void TestStages::words()
{
    QFETCH(QString, name);
    QFETCH(QString, words);
    QCOMPARE(QString::fromStdString(splitWords(name.toStdString())), words);
    QCOMPARE(QString::fromStdString(splitWords(name.toStdString(), '_')), QString(words).replace(' ', '_'));
}

void TestStages::unitDurations_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("ns"); // -1: none
    QTest::newRow("s") << "1.204s" << 1.204e9;
    QTest::newRow("ms") << "35.2ms" << 35.2e6;
    QTest::newRow("us") << QString::fromUtf8("812.5\u00b5s") << 812.5e3;
    QTest::newRow("ns") << "90ns" << 90.0;
    QTest::newRow("no unit") << "90" << -1.0;
    QTest::newRow("minutes") << "1m2s" << -1.0;
    QTest::newRow("text") << "fast" << -1.0;
}

void TestStages::unitDurations()
{
    QFETCH(QString, text);
    QFETCH(double, ns);
    QCOMPARE(parseUnitDuration(text.toStdString()).value_or(-1), ns);
}

void TestStages::derived_data()
{
    QTest::addColumn<QString>("attributes"); // of a generate span of 1000 ms
    QTest::addColumn<QString>("parts");
    const auto row = [](const char* name, const char* attributes, const char* parts) { QTest::newRow(name) << attributes << parts; };
    row("vLLM, seconds",
        "gen_ai.latency.time_in_queue:=0.1 | gen_ai.latency.time_in_model_prefill:=0.2 | gen_ai.latency.time_in_model_decode:=0.6 | "
        "gen_ai.latency.e2e:=0.95",
        "queue 0-100, prefill 100-300, decode 300-900");
    row("what comes before the queue",
        "gen_ai.latency.time_in_queue:=0.1 | gen_ai.latency.time_in_model_prefill:=0.2 | "
        "gen_ai.latency.time_in_model_decode:=0.6 | gen_ai.latency.time_to_first_token:=0.35 | gen_ai.latency.e2e:=0.95",
        "preprocess 0-50, queue 50-150, prefill 150-350, decode 350-950");
    row("an engine that counts its queue within the prefill",
        "gen_ai.latency.time_in_queue:=0.1 | gen_ai.latency.time_in_model_prefill:=0.3 | gen_ai.latency.time_in_model_decode:=0.6 | "
        "gen_ai.latency.time_to_first_token:=0.35 | gen_ai.latency.e2e:=0.95",
        "preprocess 0-50, queue 50-150, prefill 150-350, decode 350-950");
    row("nanoseconds",
        "gen_ai.latency.time_in_queue:=100000000 | gen_ai.latency.time_in_model_prefill:=200000000 | gen_ai.latency.e2e:=950000000",
        "queue 0-100, prefill 100-300");
    row("prefill from the first token",
        "gen_ai.latency.time_in_queue:=0.1 | gen_ai.latency.time_to_first_token:=0.3 | gen_ai.latency.e2e:=1.0",
        "queue 0-100, prefill 100-300, decode 300-1000");
    row("queue and prefill not to be told apart", "gen_ai.latency.time_to_first_token:=0.3 | gen_ai.latency.e2e:=1.0", "decode 300-1000");
    row("clipped to the span",
        "gen_ai.latency.time_in_queue:=0.5 | gen_ai.latency.time_in_model_prefill:=0.4 | gen_ai.latency.time_in_model_decode:=0.4 | "
        "gen_ai.latency.e2e:=1.04",
        "queue 0-500, prefill 500-900, decode 900-1000");
    row("no unit fits", "gen_ai.latency.time_in_queue:=-3 | gen_ai.latency.e2e:=100000000000000", "");
    row("zero is a value", "gen_ai.latency.time_in_queue:=0 | gen_ai.latency.time_in_model_prefill:=0.2 | gen_ai.latency.e2e:=1.0",
        "prefill 0-200");
    row("texts with units", "queue_time=150ms | inference_time=0.8s", "queue 0-150");
    row("TGI", "validation_time=50ms | queue_time=150ms | inference_time=0.8s | total_time=1s", "preprocess 0-50, queue 50-200");
    row("the first alias counts, whatever the order of the attributes", "queue_time=150ms | gen_ai.latency.time_in_queue:=0.2",
        "queue 0-200");
}

void TestStages::derived()
{
    QFETCH(QString, attributes);
    QFETCH(QString, parts);
    const StageCase given = stageCase({"llm_request | 1000ms | " + attributes.toStdString() + " -> generate"});
    const StageMap map = classified(given);
    QCOMPARE(mismatches(given, map), std::string());
    QCOMPARE(QString::fromStdString(partsOf(map, 0)), parts);

    // Spans that show the phases themselves are not divided again.
    const StageCase shown = stageCase({"llm_request | 1000ms | " + attributes.toStdString() + "\n  llm.decode"});
    QCOMPARE(partsOf(classified(shown), 0), std::string());
}

void TestStages::derivedFromEvents()
{
    // Triton: the wait and the copying of the input; what the device does stays with the span.
    const std::string events = " | !REQUEST_START@0 | !QUEUE_START@100 | !COMPUTE_START@300 | !COMPUTE_INPUT_END@350 | "
                               "!COMPUTE_OUTPUT_START@800 | !COMPUTE_END@900";
    const StageMap model = classified(stageCase({"llama | 1000ms | model_name=llama" + events}));
    QCOMPARE(partsOf(model, 0), std::string("queue 100-300, preprocess 300-350"));
    const StageMap embedder = classified(stageCase({"bge | 1000ms | model_name=my_embedder" + events}));
    QCOMPARE(partsOf(embedder, 0), std::string("queue 100-300, preprocess 300-350"));
    QCOMPARE(embedder.table->name(embedder.derived.front().stage), std::string("queue"));
    QCOMPARE(model.table->name(model.derived.front().stage), std::string("generate.queue"));
    // The computing has a span of its own; the second span starts 1 ms after the first.
    const StageMap split = classified(
        stageCase({"llama | 1000ms | model_name=llama | !QUEUE_START@100\n  compute | 900ms | !COMPUTE_START@299 | !COMPUTE_END@899"}));
    QCOMPARE(partsOf(split, 0), std::string("queue 100-300"));
    QCOMPARE(partsOf(split, 1), std::string());
}

void TestStages::unitsByVote()
{
    // One span of 2 ms waited 1 ms; alone, "1" would be read as a millisecond. Its five fellows show that the key counts seconds.
    std::vector<std::string> traces(6, "llm_request | 3000ms | gen_ai.latency.time_in_queue:=1.0");
    traces.push_back("llm_request | 2ms | gen_ai.latency.time_in_queue:=1.0");
    const StageMap together = classified(stageCase(traces));
    QCOMPARE(partsOf(together, 0), std::string("queue 0-1000"));
    QCOMPARE(partsOf(together, 6), std::string()); // a second does not fit: dropped, not guessed
    const StageMap alone = classified(stageCase({traces.back()}));
    QCOMPARE(partsOf(alone, 0), std::string("queue 0-1"));
    const StageMap stated = classified(stageCase({traces.front()}), R"({"version": 1, "units": {"gen_ai.latency.time_in_queue": "ms"}})");
    QCOMPARE(partsOf(stated, 0), std::string("queue 0-1"));
}

void TestStages::tableHoldsWhatOccurs()
{
    const StageMap map = classified(stageCase({"root\n  v | db.system=qdrant\n  chat | gen_ai.operation.name=chat"}));
    // Those of spans, and those that gaps on the path may have.
    const std::vector<std::string> expected{
        "queue", "retrieve", "retrieve.vector", "generate", "generate.stream", "backoff", "network", "orchestrate", "uninstrumented"};
    QCOMPARE(map.table->size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QCOMPARE(map.table->name(StageId(i)), expected[i]);
    QCOMPARE(map.table->label(StageId(2)), std::string("Vector search"));
}

void TestStages::traceOrderChangesNothing()
{
    const std::string first = "root\n  chat | gen_ai.operation.name=chat\n    POST | CLIENT";
    const std::string second = "chat | gen_ai.operation.name=embeddings\n  POST | CLIENT";
    const StageMap forward = classified(stageCase({first, second}));
    const StageMap backward = classified(stageCase({second, first}));
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(stageAndRule(forward, i), stageAndRule(backward, i + 2));
    for (std::size_t i = 0; i < 2; ++i)
        QCOMPARE(stageAndRule(forward, i + 3), stageAndRule(backward, i));
}

void TestStages::damagedPayloads()
{
    StageCase given = stageCase({"chat | gen_ai.operation.name=chat | !event | k=v"});
    const std::string whole = given.payloads[0];
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        given.payloads[0] = whole.substr(0, length);
        QCOMPARE(classified(given).stage.size(), std::size_t(1));
    }
}

void TestStages::deepAndWide()
{
    constexpr std::uint32_t count = 200'000;
    for (const TraceColumns& columns : {testkit::chainTrace(count), testkit::wideTrace(count)}) {
        StageClassifier classifier(parseStageRules(builtInStageRules()).value(), columns.dictionary);
        classifier.classify(columns.trace(0), std::vector<std::string_view>(columns.spanCount()));
        QCOMPARE(classifier.take().stage.size(), columns.spanCount());
    }
}

void TestStages::randomTracesAllHaveStages()
{
    const TraceColumns columns = testkit::randomTraces(7, 300, testkit::hostileShape());
    StageClassifier classifier(parseStageRules(builtInStageRules()).value(), columns.dictionary);
    for (std::size_t t = 0; t < columns.traceCount(); ++t)
        classifier.classify(columns.trace(t), std::vector<std::string_view>(columns.trace(t).size()));
    const StageMap map = classifier.take();
    QCOMPARE(map.stage.size(), columns.spanCount());
    QCOMPARE(map.rule.size(), columns.spanCount());
    for (std::size_t i = 0; i < map.stage.size(); ++i) {
        QVERIFY(toIndex(map.stage[i]) < map.table->size());
        QVERIFY(map.rule[i] < map.ruleNames.size());
    }
}

QTEST_GUILESS_MAIN(TestStages)
#include "tst_stages.moc"
