// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Time that no span's own stage explains: network, backoff, queues, gaps without spans; traces that are no requests.
#include "core/analysis/population.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

#include <fmt/format.h>

#include <array>
#include <map>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

constexpr std::int64_t ms = 1'000'000;

AttributeValue text(std::string_view value)
{
    return AttributeValue{std::string(value)};
}

/// "generate 40, network 10": time on the path in ms by top-level stage, sub-stages named as such with \a detail.
std::string timesOf(const Trace& trace, bool detail = false)
{
    StageClassifier classifier(parseStageRules(builtInStageRules()).value(), trace.columns().dictionary);
    std::vector<std::string_view> payloads;
    for (std::size_t i = 0; i < trace.size(); ++i)
        payloads.push_back(trace.packedPayload(i));
    classifier.classify(trace.view(), payloads);
    const StageMap stages = classifier.take();
    const CriticalPath path = criticalPath(trace.view(), trace.dictionary());
    std::map<std::string, Duration> times;
    Duration sum{0};
    forEachStagePart(path, trace.view(), stages, 0, [&](StageId stage, const PathSegment& part) {
        times[stages.table->name(detail ? stage : stages.table->topLevel(stage))] += part.end - part.begin;
        sum += part.end - part.begin;
    });
    if (sum != path.length)
        return fmt::format("the parts add up to {} ns of {}", toNs(sum), toNs(path.length));
    std::string result;
    for (const auto& [stage, time] : times)
        result += fmt::format("{}{} {}", result.empty() ? "" : ", ", stage, toNs(time) / ms);
    return result;
}

TraceBuilder rootOf(std::int64_t length)
{
    return TraceBuilder().span("ask", 0, length * ms).kind(SpanKind::Server).service("api");
}

TraceBuilder& chat(TraceBuilder& builder, std::string_view key, std::int64_t from, std::int64_t to, std::string_view parent = "ask")
{
    return builder.span(key, from * ms, to * ms, parent)
        .service("api")
        .kind(SpanKind::Client)
        .attribute("gen_ai.operation.name", text("chat"));
}

/// A trace that embeds and, perhaps, stores, under a root of that name.
void addIndexing(TraceBuilder& builder, std::string_view name, bool stores)
{
    builder.nextTrace().span("root", 0, 100 * ms).named(name).span("embeddings", 0, 50 * ms, "root");
    if (stores)
        builder.span("upsert", 50 * ms, 90 * ms, "root");
}

} // namespace

class tst_Gaps : public QObject {
    Q_OBJECT

private slots:
    void longGapsOfContainersAreUninstrumented()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 300, 900);
        QCOMPARE(timesOf(builder.buildTrace()), std::string("generate 600, uninstrumented 400"));
    }

    void shortGapsAreOwnWork()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 5, 996); // 5 and 4 ms: up to half a percent of the request
        QCOMPARE(timesOf(builder.buildTrace()), std::string("generate 991, ingress 9"));
    }

    void ownTimeOfStepsIsTheirs()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 0, 1000);
        builder.span("POST", 400 * ms, 900 * ms, "chat")
            .service("api")
            .kind(SpanKind::Client)
            .attribute("http.request.method", text("POST"));
        QCOMPARE(timesOf(builder.buildTrace()), std::string("generate 1000"));
    }

    void clientAroundItsServerIsNetwork()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 0, 1000);
        builder.span("llm_request", 30 * ms, 950 * ms, "chat")
            .service("vllm")
            .kind(SpanKind::Server)
            .attribute("gen_ai.latency.e2e", AttributeValue{0.92});
        QCOMPARE(timesOf(builder.buildTrace()), std::string("generate 920, network 80"));
    }

    /// The server's clock is 250 ms ahead: it seems to end after its caller. Nothing is moved, and no time is negative.
    void aServerWhoseClockIsAhead()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 0, 1000);
        builder.span("llm_request", 280 * ms, 1230 * ms, "chat")
            .service("vllm")
            .kind(SpanKind::Server)
            .attribute("gen_ai.latency.e2e", AttributeValue{0.95});
        QCOMPARE(timesOf(builder.buildTrace()), std::string("generate 720, network 280"));
    }

    void connectingIsNetwork()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 0, 1000);
        builder.span("dns.lookup", 10 * ms, 30 * ms, "chat").service("api");
        builder.span("tls.connect", 30 * ms, 90 * ms, "chat").service("api");
        QCOMPARE(timesOf(builder.buildTrace()), std::string("generate 920, network 80"));
    }

    /// The client span of an HTTP library may end with the headers: the rest of a streamed answer is written after it.
    void theTailOfAStreamIsWriting()
    {
        const auto answer = [](bool streams) {
            TraceBuilder builder = rootOf(1000);
            chat(builder, "chat", 0, 1000);
            if (streams)
                builder.flag(SpanFlags::Streaming);
            builder.span("POST", 10 * ms, 400 * ms, "chat")
                .service("api")
                .kind(SpanKind::Client)
                .attribute("http.request.method", text("POST"));
            return timesOf(builder.buildTrace(), true);
        };
        QCOMPARE(answer(true), std::string("generate 400, generate.stream 600"));
        QCOMPARE(answer(false), std::string("generate 1000"));
    }

    void waitingForTheNextWalkIsBackoff()
    {
        const auto walks = [](bool fails) {
            TraceBuilder builder = rootOf(1000);
            builder.span("validate_output", 0, 100 * ms, "ask").service("api");
            if (fails)
                builder.error();
            chat(builder, "chat", 300, 1000);
            return timesOf(builder.buildTrace());
        };
        QCOMPARE(walks(true), std::string("backoff 200, generate 700, validate 100"));
        QCOMPARE(walks(false), std::string("generate 700, uninstrumented 200, validate 100"));
        TraceBuilder guarded = rootOf(1000);
        guarded.span("guardrail input", 0, 100 * ms, "ask").service("api").error();
        chat(guarded, "chat", 300, 1000);
        QCOMPARE(timesOf(guarded.buildTrace()), std::string("backoff 200, generate 700, guardrail 100")); // nothing validates
    }

    void aServerOfTheSameServiceIsNone()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 0, 1000);
        builder.span("llm_request", 30 * ms, 950 * ms, "chat")
            .service("api")
            .kind(SpanKind::Server)
            .attribute("gen_ai.latency.e2e", AttributeValue{0.92});
        QCOMPARE(timesOf(builder.buildTrace()), std::string("generate 1000"));
    }

    void waitingBetweenAttemptsIsBackoff()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 0, 1000);
        const auto post = [&](const char* key, std::int64_t from, std::int64_t to) -> TraceBuilder& {
            return builder.span(key, from * ms, to * ms, "chat")
                .named("POST")
                .service("api")
                .kind(SpanKind::Client)
                .attribute("http.request.method", text("POST"));
        };
        post("first", 0, 40).error();
        post("second", 500, 1000);
        QCOMPARE(timesOf(builder.buildTrace()), std::string("backoff 460, generate 540"));
    }

    void answersStreamFromTheirFirstToken()
    {
        TraceBuilder builder = rootOf(1000);
        chat(builder, "chat", 0, 1000).streaming(300 * ms);
        QCOMPARE(timesOf(builder.buildTrace(), true), std::string("generate 300, generate.stream 700"));
    }

    /// Times of the worked example: three walks, 429 and backoff in the second, a traced engine in the first.
    void workedExample()
    {
        TraceBuilder builder = rootOf(8760);
        constexpr std::array walks{std::array<std::int64_t, 8>{20, 60, 95, 215, 230, 2630, 2630, 2660},
            std::array<std::int64_t, 8>{2665, 2705, 2735, 2855, 2870, 5570, 5570, 5600},
            std::array<std::int64_t, 8>{5605, 5645, 5680, 5800, 5815, 8715, 8715, 8745}};
        for (std::size_t w = 0; w < walks.size(); ++w) {
            const auto& at = walks[w];
            const auto step = [&](const char* name, std::int64_t from, std::int64_t to, const char* openInference) {
                builder.span(fmt::format("{} {}", name, w), from * ms, to * ms, "ask")
                    .service("api")
                    .attribute("openinference.span.kind", text(openInference));
            };
            step("embed", at[0], at[1], "EMBEDDING");
            step("retrieve", at[1], at[2], "RETRIEVER");
            step("rerank", at[2], at[3], "RERANKER");
            chat(builder, fmt::format("chat {}", w), at[4], at[5]);
            builder.span(fmt::format("validate_output {}", w), at[6] * ms, at[7] * ms, "ask").service("api");
            if (w + 1 < walks.size())
                builder.error();
        }
        builder.span("llm_request", 280 * ms, 2580 * ms, "chat 0").service("vllm").kind(SpanKind::Server);
        for (const auto& [key, value] : {std::pair{"e2e", 2.3}, std::pair{"time_in_queue", 0.3}, std::pair{"time_in_model_prefill", 0.5},
                 std::pair{"time_in_model_decode", 1.5}})
            builder.attribute(fmt::format("gen_ai.latency.{}", key), AttributeValue{value});
        const auto post = [&](const char* key, std::int64_t from, std::int64_t to) -> TraceBuilder& {
            return builder.span(key, from * ms, to * ms, "chat 1")
                .named("POST")
                .service("api")
                .kind(SpanKind::Client)
                .attribute("http.request.method", text("POST"));
        };
        post("refused", 2870, 2910).error();
        post("answered", 3370, 5570);
        const Trace trace = builder.buildTrace();
        // Gaps of the root add up to 90 ms, none of them longer than half a percent of the request but the 45 ms that are three. Two of
        // 5 ms follow a check that failed.
        QCOMPARE(timesOf(trace),
            std::string("backoff 470, embed 120, generate 7440, ingress 80, network 100, rerank 360, retrieve 100, validate 90"));
        QCOMPARE(timesOf(trace, true),
            std::string(
                "backoff 470, embed 120, generate 5140, generate.decode 1500, generate.prefill 500, generate.queue 300, ingress 80, "
                "network 100, rerank 360, retrieve 100, validate 90"));
    }

    void pipelinesBesideRequestsAreLeftOut_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("stores");
        QTest::addColumn<bool>("isOffline");
        QTest::newRow("named so") << "ingest documents" << false << true;
        QTest::newRow("a word of its own") << "nightly-etl" << false << true;
        QTest::newRow("no word of its own") << "settle" << false << false;
        QTest::newRow("named otherwise") << "search" << false << false;
    }
    void pipelinesBesideRequestsAreLeftOut()
    {
        QFETCH(QString, name);
        QFETCH(bool, stores);
        QFETCH(bool, isOffline);
        TraceBuilder builder;
        builder.span("ask", 0, 100 * ms).span("chat", 0, 90 * ms, "ask");
        addIndexing(builder, name.toStdString(), stores);
        const TraceColumns columns = builder.build();
        StageMap stages;
        const auto table = std::make_shared<StageTable>();
        for (std::size_t i = 0; i < columns.spanCount(); ++i) {
            const std::string_view span = columns.dictionary->text(columns.spans.name[i]);
            stages.stage.push_back(table->add(span == "chat" ? "generate" : span == "embeddings" ? "embed" : "orchestrate"));
        }
        stages.rule.assign(columns.spanCount(), 0);
        stages.table = table;
        const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
        QCOMPARE(population.excludedOffline, std::uint64_t(isOffline ? 1 : 0));
        QCOMPARE(population.included.size(), std::size_t(isOffline ? 1 : 2));
        QVERIFY((population.traces[1].pipeline == PipelineKind::Ingest) == isOffline);
    }

    /// Without requests there is nothing to keep them out of.
    void indexingAloneIsShown()
    {
        TraceBuilder builder;
        builder.span("ingest", 0, 100 * ms).span("embeddings", 0, 50 * ms, "ingest");
        const TraceColumns columns = builder.build();
        StageMap stages;
        const auto table = std::make_shared<StageTable>();
        stages.stage = {table->add("orchestrate"), table->add("embed")};
        stages.rule.assign(2, 0);
        stages.table = table;
        const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
        QCOMPARE(population.included.size(), std::size_t(1));
        QCOMPARE(population.excludedOffline, std::uint64_t(0));
    }

    /// Whatever is a gap: stages add up to the end-to-end time.
    void stagesAddUpWithGaps()
    {
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            RandomShape shape = seed % 2 == 0 ? tameShape() : hostileShape();
            shape.grid = 3'000'000;
            const TraceColumns columns = randomTraces(seed, 4, shape);
            Random random(seed);
            StageMap stages;
            const auto table = std::make_shared<StageTable>();
            for (const char* name : {"orchestrate", "generate", "backoff", "network", "queue", "generate.stream", "uninstrumented"})
                table->add(name);
            stages.gaps = {table->find("backoff"), table->find("network"), table->find("queue"), table->find("generate.stream"),
                table->find("uninstrumented")};
            for (std::size_t i = 0; i < columns.spanCount(); ++i) {
                stages.container.push_back(random.chance(50));
                stages.stage.push_back(table->find(stages.container.back() ? "orchestrate" : "generate"));
            }
            stages.rule.assign(columns.spanCount(), 0);
            stages.table = table;
            const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
            for (std::size_t t = 0; t < columns.traceCount(); ++t) {
                Duration sum{0};
                for (std::size_t stage = 0; stage < population.stageCount; ++stage)
                    sum += population.onPath[t * population.stageCount + stage];
                QVERIFY2(
                    population.traces[t].root < 0 || sum == population.traces[t].e2e, fmt::format("seed {}, trace {}", seed, t).c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(tst_Gaps)
#include "tst_gaps.moc"
