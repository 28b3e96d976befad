// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces run again: worked cases, and what must hold for every trace and every change.
#include "core/analysis/population.h"
#include "core/analysis/whatif.h"
#include "tests/core/analysis/stagesbyname.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace chokepoint;
using namespace chokepoint::testkit;
using namespace chokepoint::testing;

namespace {

/// One trace, replayed with changes of its stages.
struct Case {
    TraceColumns columns;
    StageMap stages;
    Replayer replayer;

    explicit Case(TraceColumns built, const BrokenOrders* broken = nullptr)
        : columns(std::move(built)), stages(stagesByName(columns)), replayer(*columns.dictionary, stages, {}, broken)
    {
        prepared = replayer.prepare(columns.trace(0), 0);
    }
    bool prepared = false;

    [[nodiscard]] ReplayEdits edits() const
    {
        ReplayEdits made;
        made.factor.assign(stages.table->size(), 1.0);
        made.added.assign(stages.table->size(), 0);
        return made;
    }
    [[nodiscard]] std::int64_t scaled(const char* stage, double factor)
    {
        ReplayEdits made = edits();
        made.factor[toIndex(stages.table->find(stage))] = factor;
        return toNs(replayer.replay(made).e2e);
    }
    [[nodiscard]] std::int64_t neutral()
    {
        ReplayEdits made = edits();
        made.spans.push_back({0, -1, false, 0}); // concerns the trace and changes nothing
        return toNs(replayer.replay(made).e2e);
    }
    [[nodiscard]] std::int64_t pathOf(const Replayed& replayed, const char* stage) const
    {
        return toNs(replayed.onPath[toIndex(stages.table->find(stage))]);
    }
};

Duration sumOf(const std::vector<Duration>& durations)
{
    return std::accumulate(durations.begin(), durations.end(), Duration{});
}

} // namespace

class TestReplay : public QObject {
    Q_OBJECT

private slots:
    void serialChain()
    {
        // Five steps of 100; one of them ten times faster: 500 -> 410.
        TraceBuilder builder;
        builder.span("root", 0, 500);
        for (int i = 0; i < 5; ++i)
            builder.span(std::string(1, char('a' + i)), i * 100, i * 100 + 100, "root");
        Case chain(builder.build());
        QCOMPARE(chain.scaled("c", 0.1), std::int64_t(410));
        QCOMPARE(chain.scaled("c", 0.5), std::int64_t(450));
        QCOMPARE(chain.scaled("c", 2), std::int64_t(600));
        QCOMPARE(chain.scaled("c", 0), std::int64_t(400));
        QCOMPARE(chain.neutral(), std::int64_t(500));
    }

    void parallelBranchesGate()
    {
        Case fork(TraceBuilder().span("root", 0, 300).span("a", 0, 300, "root").span("b", 0, 280, "root").build());
        QCOMPARE(fork.scaled("a", 0.1), std::int64_t(280)); // saves 20, not 270
        QCOMPARE(fork.scaled("b", 0), std::int64_t(300)); // within its slack
        QCOMPARE(fork.scaled("b", 2), std::int64_t(560));
    }

    void gapsBelongToTheParent()
    {
        Case gaps(TraceBuilder().span("root", 0, 100).span("a", 10, 40, "root").span("b", 60, 90, "root").build());
        // root: 10 before, 20 between, 10 behind
        QCOMPARE(gaps.scaled("root", 0.5), std::int64_t(80));
        QCOMPARE(gaps.scaled("root", 0), std::int64_t(60));
        ReplayEdits edits = gaps.edits();
        edits.factor[toIndex(gaps.stages.table->find("a"))] = 0;
        const Replayed& replayed = gaps.replayer.replay(edits);
        QCOMPARE(gaps.pathOf(replayed, "root"), std::int64_t(40));
        QCOMPARE(gaps.pathOf(replayed, "a"), std::int64_t(0));
        QCOMPARE(gaps.pathOf(replayed, "b"), std::int64_t(30));
    }

    void abandonedCallsEndWithTheirTimeout()
    {
        // The client gives up after 950 of a server's 2000.
        Case late(TraceBuilder()
                      .span("root", 0, 1000)
                      .span("client", 50, 1000, "root")
                      .kind(SpanKind::Client)
                      .span("server", 50, 2050, "client")
                      .kind(SpanKind::Server)
                      .build());
        QCOMPARE(late.neutral(), std::int64_t(1000));
        QCOMPARE(late.scaled("server", 0.5), std::int64_t(1000)); // 1000 is still too long
        QCOMPARE(late.scaled("server", 0.25), std::int64_t(550));
    }

    void streamsFeedTheirConsumer()
    {
        // Speech starts with the first token, and cannot end before the stream does.
        Case stream(TraceBuilder().span("root", 0, 1000).span("llm", 50, 650, "root").streaming(200).span("tts", 300, 950, "root").build());
        QCOMPARE(stream.neutral(), std::int64_t(1000));
        QCOMPARE(stream.scaled("tts", 0.1), std::int64_t(700)); // 650 end of the stream, 50 behind
    }

    void edits()
    {
        Case steps(TraceBuilder().span("root", 0, 100).span("a", 0, 40, "root").span("b", 50, 100, "root").build());
        ReplayEdits edits = steps.edits();
        edits.added[toIndex(steps.stages.table->find("a"))] = 7;
        QCOMPARE(toNs(steps.replayer.replay(edits).e2e), std::int64_t(107));
        edits = steps.edits();
        edits.spans = {{1, 0, true, 0}, {2, -1, true, 0}}; // an attempt that is not made, nor the wait behind it
        QCOMPARE(toNs(steps.replayer.replay(edits).e2e), std::int64_t(50));
        edits = steps.edits();
        edits.tails = {{steps.stages.table->find("b"), 30}};
        const Replayed& longer = steps.replayer.replay(edits);
        QCOMPARE(toNs(longer.e2e), std::int64_t(130));
        QCOMPARE(steps.pathOf(longer, "b"), std::int64_t(80));
        QCOMPARE(sumOf(longer.onPath), longer.e2e);
    }

    /// Time between a client and its server on another host is the network's, whatever changes elsewhere.
    void gapsKeepTheirStages()
    {
        Case call(TraceBuilder()
                      .span("root", 0, 100)
                      .span("client", 10, 90, "root")
                      .kind(SpanKind::Client)
                      .host("a")
                      .span("server", 30, 70, "client")
                      .kind(SpanKind::Server)
                      .host("b")
                      .build());
        auto table = std::make_shared<StageTable>(*call.stages.table);
        call.stages.gaps.network = table->add("network");
        call.stages.table = table;
        ReplayEdits edits = call.edits();
        edits.factor[toIndex(table->find("server"))] = 0.5;
        const Replayed& replayed = call.replayer.replay(edits);
        QCOMPARE(toNs(replayed.e2e), std::int64_t(80));
        QCOMPARE(call.pathOf(replayed, "network"), std::int64_t(40));
        QCOMPARE(call.pathOf(replayed, "server"), std::int64_t(20));
    }

    /// Which stage a gap has depends on what stands beside it: a check that failed, the end of an answer's headers.
    void gapsKnowTheirNeighbours()
    {
        constexpr std::int64_t ms = 1'000'000;
        Case walks(TraceBuilder()
                       .span("run", 0, 100 * ms)
                       .span("validate", 0, 30 * ms, "run")
                       .span("assert", 20 * ms, 30 * ms, "validate") // the path goes through it, not through its end
                       .named("validate")
                       .error()
                       .span("chat", 60 * ms, 100 * ms, "run")
                       .build());
        auto table = std::make_shared<StageTable>(*walks.stages.table);
        walks.stages.gaps.backoff = table->add("backoff");
        walks.stages.gaps.uninstrumented = table->add("uninstrumented");
        walks.stages.gaps.validate = table->find("validate");
        walks.stages.container = {true, false, false, false};
        walks.stages.table = table;
        QCOMPARE(walks.scaled("backoff", 0), 70 * ms);
        QCOMPARE(walks.scaled("uninstrumented", 0), 100 * ms);
        ReplayEdits edits = walks.edits();
        edits.factor[toIndex(table->find("chat"))] = 0.5;
        const Replayed& replayed = walks.replayer.replay(edits);
        QCOMPARE(walks.pathOf(replayed, "backoff"), 30 * ms);
        QCOMPARE(walks.pathOf(replayed, "uninstrumented"), std::int64_t(0));

        Case tail(TraceBuilder()
                      .span("root", 0, 100 * ms)
                      .span("chat", 0, 100 * ms, "root")
                      .flag(SpanFlags::Streaming)
                      .span("http", 0, 40 * ms, "chat")
                      .kind(SpanKind::Client)
                      .build());
        table = std::make_shared<StageTable>(*tail.stages.table);
        tail.stages.gaps.stream = table->add("chat.stream");
        tail.stages.table = table;
        QCOMPARE(tail.scaled("chat.stream", 0.5), 70 * ms);
    }

    void failuresWithinWhatAnEditReplaces()
    {
        Case nested(TraceBuilder().span("root", 0, 100).span("a", 0, 80, "root").span("b", 0, 40, "a").span("c", 0, 20, "b").build());
        ReplayEdits edits = nested.edits();
        edits.fatal = {3};
        QVERIFY(nested.replayer.replay(edits).failed);
        QCOMPARE(toNs(nested.replayer.replay(edits).e2e), std::int64_t(20));
        edits.spans = {{1, 50, false, 0}}; // whatever is below it: c is not called
        QVERIFY(!nested.replayer.replay(edits).failed);
        QCOMPARE(toNs(nested.replayer.replay(edits).e2e), std::int64_t(70));
    }

    void incompleteTracesAreNotReplayed()
    {
        QVERIFY(!Case(TraceBuilder().span("a", 0, 10, "gone").build()).prepared);
        QVERIFY(Case(TraceBuilder().span("a", 0, 10).build()).prepared);
    }

    /// What holds for every trace: nothing changed is nothing changed, more is never faster, sums are exact.
    void randomTraces_data()
    {
        QTest::addColumn<bool>("hostile");
        QTest::newRow("tame") << false;
        QTest::newRow("hostile") << true;
    }
    void randomTraces()
    {
        QFETCH(bool, hostile);
        const TraceColumns columns = population_(hostile);
        const StageMap stages = withGaps(stagesByName(columns), columns);
        const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
        Replayer replayer(*columns.dictionary, stages, {}, nullptr);
        std::size_t replayed = 0;
        for (const std::uint32_t trace : population.included) {
            QVERIFY(replayer.prepare(columns.trace(trace), columns.firstSpan[trace]));
            ++replayed;
            const Duration observed = population.traces[trace].e2e;
            ReplayEdits edits;
            edits.factor.assign(stages.table->size(), 1.0);
            edits.added.assign(stages.table->size(), 0);
            const Replayed& same = replayer.replay(edits);
            QCOMPARE(same.e2e, observed);
            for (std::size_t stage = 0; stage < stages.table->size(); ++stage)
                QCOMPARE(same.onPath[stage], population.onPath[trace * population.stageCount + stage]);
            edits.spans = {{std::uint32_t(population.traces[trace].root), -1, false, 0}};
            const Replayed& neutral = replayer.replay(edits);
            QCOMPARE(neutral.e2e, observed);
            for (std::size_t stage = 0; stage < stages.table->size() && !hostile; ++stage) // calls cut off are replayed as wholes
                QCOMPARE(neutral.onPath[stage], population.onPath[trace * population.stageCount + stage]);
            edits.spans.clear();
            for (std::size_t stage = 0; stage < stages.table->size(); ++stage) {
                Duration last{-1};
                for (const double factor : {0.0, 0.25, 1.0, 1.5, 4.0}) {
                    edits.factor[stage] = factor;
                    const Replayed& changed = replayer.replay(edits);
                    QVERIFY(changed.e2e >= last);
                    QCOMPARE(sumOf(changed.onPath), changed.e2e);
                    last = changed.e2e;
                    if (factor == 0 && !hostile) // what a stage can save is what it has on the path, but for the tolerance
                        QVERIFY(observed - changed.e2e <= population.onPath[trace * population.stageCount + stage]
                                + Duration{10 * std::int64_t(columns.trace(trace).size())});
                }
                edits.factor[stage] = 1;
            }
        }
        QVERIFY(replayed > 100);
    }

    void ordersThatSomeTraceBreaksAreNoWaits()
    {
        // b waits for a in most traces by chance alone: in one they overlap.
        TraceBuilder builder;
        for (int i = 0; i < 24; ++i) {
            if (i > 0)
                builder.nextTrace();
            const std::int64_t start = i == 3 ? 50 : 110;
            builder.span("root", 0, 300).span("a", 0, 100, "root").span("b", start, 300, "root");
        }
        const TraceColumns columns = builder.build();
        const StageMap stages = stagesByName(columns);
        const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
        const WhatIf whatIf = WhatIf::create(columns, stages, population, nullptr, {}, 1, JobControl{}).value();
        QCOMPARE(whatIf.run({}, {}, JobControl{})->fidelity, 1.0);
        const WhatIfResult result = whatIf.run({parseWhatIf("stage.a=x0").value()}, {}, JobControl{}).value();
        QCOMPARE(result.predicted.e2e.p50, Duration{300}); // b starts when it starts
        QVERIFY(result.pessimisticMean && *result.pessimisticMean < result.predicted.e2e.mean);
    }

    void nothingSetChangesNothing()
    {
        const TraceColumns columns = population_(true);
        const StageMap stages = stagesByName(columns);
        const Population population = analysePopulation(columns, stages, {}, 2, JobControl{}).value();
        const WhatIf whatIf = WhatIf::create(columns, stages, population, nullptr, {}, 2, JobControl{}).value();
        const WhatIfResult result = whatIf.run({}, {.ceilings = true, .intervals = true}, JobControl{}).value();
        QCOMPARE(result.predicted.e2e.mean, result.base.e2e.mean);
        QCOMPARE(result.predicted.e2e.p99, result.base.e2e.p99);
        QCOMPARE(result.predicted.stageMean, result.base.stageMean);
        for (const StageCeiling& ceiling : result.ceilings)
            QVERIFY(ceiling.speedup >= 1);
    }

    /// Requests of a session gain alike, so that whole sessions have to be drawn.
    void intervalsOfSessions()
    {
        TraceBuilder builder;
        std::vector<std::string> names; // 40 sessions of 16 requests
        for (int i = 0; i < 640; ++i) {
            if (i > 0)
                builder.nextTrace();
            const int length = 1000 + 100 * (i / 16);
            builder.span("root", 0, length + 50).span("llm", 0, length, "root");
            names.push_back("session " + std::to_string(i / 16));
        }
        const TraceColumns columns = builder.build();
        const StageMap stages = stagesByName(columns);
        const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
        const WhatIf whatIf = WhatIf::create(columns, stages, population, nullptr, {}, 1, JobControl{}).value();
        const auto halved = [&](const RowClusters* clusters) {
            return whatIf
                .run({parseWhatIf("stage.llm=x0.5").value()}, {.intervals = true, .clusters = clusters, .cluster = "session"}, JobControl{})
                .value();
        };
        const auto widthOf = [](const WhatIfResult& result) { return result.meanInterval->high - result.meanInterval->low; };
        const RowClusters clusters = rowClusters(names);
        const WhatIfResult bySession = halved(&clusters);
        const double widening = widthOf(bySession) / widthOf(halved(nullptr));
        QVERIFY2(widening > 3 && widening < 5 && bySession.p95Interval, qPrintable(QString::number(widening))); // the root of 16
        QCOMPARE(bySession.notes.front(), std::string("intervals draw whole clusters by session: 40"));
        const RowClusters few = rowClusters(std::vector<std::string>(names.size(), "one"));
        QVERIFY(!halved(&few).meanInterval && !halved(&few).p95Interval);
        QVERIFY(halved(&few).notes.back().starts_with("No intervals: 1 cluster"));
    }

    void whatIsNeeded()
    {
        TraceBuilder builder;
        for (int i = 0; i < 40; ++i) {
            if (i > 0)
                builder.nextTrace();
            builder.span("root", 0, 1000).span("llm", 0, 800, "root").span("db", 800, 1000, "root");
        }
        const TraceColumns columns = builder.build();
        const StageMap stages = stagesByName(columns);
        const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
        const WhatIf whatIf = WhatIf::create(columns, stages, population, nullptr, {}, 1, JobControl{}).value();
        const auto needed = [&](const char* stage, std::int64_t target) {
            return whatIf.factorNeeded(stage, 0.95, Duration{target}, {}, JobControl{}).value();
        };
        QVERIFY(std::abs(*needed("llm", 600) - 0.5) < 1e-3);
        QCOMPARE(*needed("llm", 1000), 1.0);
        QVERIFY(!needed("db", 600));
    }

    void settings_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("good");
        for (const char* text : {"stage.generate=x0.5", "stage.a.b=+60ms", "stage.a=-1.5s", "retry_rate=3%", "cache_hit=0.3",
                 "cache_lookup=5ms", "spec_accept=0.35", "spec_draft=8", "spec_cost=0.05", "failure.a=0.1", "fallback.a=2s", "load=x1.5",
                 "servers.a=4", "router_accuracy=0.9"})
            QTest::newRow(text) << QByteArray(text) << true;
        for (const char* text :
            {"", "stage.=x1", "stage.a", "stage.a=", "stage.a=0.5", "stage.a=x-1", "stage.a=xnan", "stage.a=+60", "stage.a=+5parsecs",
                "retry_rate=1.5", "retry_rate=-1", "speed=x2", "load=2", "servers.a=0", "servers.a=1.5", "failure.=0.1"})
            QTest::newRow(text) << QByteArray(text) << false;
    }
    void settings()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, good);
        QCOMPARE(parseWhatIf(text.constData()).has_value(), good);
    }

private:
    /// Gaps with stages of their own, below parents that are containers.
    static StageMap withGaps(StageMap stages, const TraceColumns& columns)
    {
        auto table = std::make_shared<StageTable>(*stages.table);
        stages.gaps = {table->add("backoff"), table->add("network"), table->add("queue"), table->add("chat.stream"),
            table->add("uninstrumented"), table->find("rerank"), table->find("guard")};
        stages.table = std::move(table);
        for (std::size_t trace = 0; trace < columns.traceCount(); ++trace)
            for (const std::uint32_t size : columns.trace(trace).subtreeSize)
                stages.container.push_back(size > 1);
        return stages;
    }
    static TraceColumns population_(bool hostile) { return testkit::randomTraces(11, 400, hostile ? hostileShape() : tameShape()); }
};

QTEST_GUILESS_MAIN(TestReplay)
#include "tst_replay.moc"
