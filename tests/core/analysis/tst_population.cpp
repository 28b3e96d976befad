// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A population's rows add up, whatever the number of threads; derived sub-stages split a span's own time.
#include "core/analysis/population.h"
#include "tests/core/analysis/stagesbyname.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

#include <stop_token>

using namespace chokepoint;
using namespace chokepoint::testkit;
using namespace chokepoint::testing;

namespace {

/// Stages by span name, so that a test sees at once where time must go.
Population analyse(const TraceColumns& columns, const StageMap& stages, unsigned threads = 1, const PathOptions& options = {})
{
    return analysePopulation(columns, stages, options, threads, JobControl{}).value();
}

Duration rowSum(const Population& population, std::size_t trace)
{
    Duration sum{0};
    for (std::size_t stage = 0; stage < population.stageCount; ++stage)
        sum += population.onPath[trace * population.stageCount + stage];
    return sum;
}

} // namespace

class TestPopulation : public QObject {
    Q_OBJECT

private slots:
    void literalRows();
    void leavesOutIncompleteTraces();
    void derivedPartsSplitOwnTime();
    void derivedPartsFollowSkewCorrection();
    void rowsAddUp_data();
    void rowsAddUp();
    void threadsChangeNothing();
    void stops();
    void emptyPopulation();
};

void TestPopulation::literalRows()
{
    const TraceColumns columns = TraceBuilder()
                                     .span("serve", 0, 100)
                                     .span("find", 10, 40, "serve")
                                     .error()
                                     .span("answer", 40, 90, "serve")
                                     .nextTrace()
                                     .span("serve", 0, 50)
                                     .span("find", 0, 50, "serve")
                                     .build();
    const StageMap stages = stagesByName(columns);
    const Population population = analyse(columns, stages);
    const StageId serve = stages.table->find("serve");
    const StageId find = stages.table->find("find");
    const StageId answer = stages.table->find("answer");
    QCOMPARE(population.e2e(), (std::vector<Duration>{Duration{100}, Duration{50}}));
    QCOMPARE(population.onPathOf(0, serve), Duration{20});
    QCOMPARE(population.onPathOf(0, find), Duration{30});
    QCOMPARE(population.onPathOf(0, answer), Duration{50});
    QCOMPARE(population.onPathOf(1, find), Duration{50});
    QCOMPARE(population.onPathOf(1, answer), Duration{0});
    QCOMPARE(population.selfTime[toIndex(serve)], Duration{20});
    QCOMPARE(population.selfTime[toIndex(find)], Duration{80});
    QCOMPARE(population.spanCount[toIndex(find)], std::uint64_t(2));
    QCOMPARE(population.traces[0].errors, 1U);
    QCOMPARE(population.traces[1].errors, 0U);
}

void TestPopulation::leavesOutIncompleteTraces()
{
    const TraceColumns columns = TraceBuilder()
                                     .span("a", 0, 100)
                                     .nextTrace()
                                     .span("a", 0, 70, "gone")
                                     .nextTrace()
                                     .span("a", 0, 60)
                                     .span("b", 10, 0, "a")
                                     .noEnd()
                                     .nextTrace()
                                     .span("a", 0, 30)
                                     .build();
    const Population population = analyse(columns, stagesByName(columns));
    QCOMPARE(population.included, (std::vector<std::uint32_t>{0, 3}));
    QCOMPARE(population.excludedNoRoot, std::uint64_t(1));
    QCOMPARE(population.excludedOpen, std::uint64_t(1));
    QCOMPARE(population.traces[1].e2e, Duration{70});
    QVERIFY(!population.traces[1].hasTrueRoot);
    QCOMPARE(population.selfTime[0], Duration{130}); // of included traces alone
    QCOMPARE(population.spanCount[0], std::uint64_t(4));
}

void TestPopulation::derivedPartsSplitOwnTime()
{
    // generate |--queue--|--prefill--|---child---|--decode--|
    const TraceColumns columns = TraceBuilder().span("generate", 1000, 1100).span("tool", 1050, 1070, "generate").build();
    StageMap stages = stagesByName(columns);
    auto table = std::make_shared<StageTable>(*stages.table);
    const StageId queue = table->add("generate.queue");
    const StageId prefill = table->add("generate.prefill");
    const StageId decode = table->add("generate.decode");
    stages.derived = {
        {0, queue, Duration{0}, Duration{20}}, {0, prefill, Duration{20}, Duration{60}}, {0, decode, Duration{60}, Duration{90}}};
    stages.table = table;

    std::vector<std::pair<StageId, Duration>> parts;
    const TraceView trace = columns.trace(0);
    const CriticalPath path = criticalPath(trace, *columns.dictionary);
    Duration at{0};
    forEachStagePart(path, trace, stages, 0, [&](StageId stage, const PathSegment& part) {
        QCOMPARE(part.begin, at);
        at = part.end;
        parts.emplace_back(stage, part.end - part.begin);
    });
    QCOMPARE(at, path.length);
    const StageId generate = table->find("generate");
    const StageId tool = table->find("tool");
    const std::vector<std::pair<StageId, Duration>> expected{
        {queue, Duration{20}}, {prefill, Duration{30}}, {tool, Duration{20}}, {decode, Duration{20}}, {generate, Duration{10}}};
    QCOMPARE(parts, expected);

    const Population population = analyse(columns, stages);
    QCOMPARE(population.onPathOf(0, generate), Duration{80});
    QCOMPARE(population.onPathOf(0, decode), Duration{20});
    QCOMPARE(rowSum(population, 0), Duration{100});
}

void TestPopulation::derivedPartsFollowSkewCorrection()
{
    const TraceColumns columns = TraceBuilder().span("C", 1000, 2000).host("a").span("S", 900, 1500, "C").host("b").build();
    StageMap stages = stagesByName(columns);
    auto table = std::make_shared<StageTable>(*stages.table);
    const StageId queue = table->add("S.queue");
    stages.derived = {{1, queue, Duration{0}, Duration{250}}};
    stages.table = table;
    PathOptions options;
    options.skew = SkewCorrection::Fit;
    const Population population = analyse(columns, stages, 1, options);
    QCOMPARE(population.onPathOf(0, queue), Duration{250});
    QCOMPARE(population.onPathOf(0, table->find("S")), Duration{600});
}

void TestPopulation::rowsAddUp_data()
{
    QTest::addColumn<int>("policy");
    QTest::newRow("default") << int(PathPolicy::Default);
    QTest::newRow("detach") << int(PathPolicy::Detach);
    QTest::newRow("jaeger") << int(PathPolicy::Jaeger);
}

void TestPopulation::rowsAddUp()
{
    QFETCH(int, policy);
    const TraceColumns columns = randomTraces(3, 1000, hostileShape());
    StageMap stages = stagesByName(columns);
    auto table = std::make_shared<StageTable>(*stages.table);
    const StageId part = table->add("chat.part");
    for (std::uint64_t span = 0; span < columns.spanCount(); span += 3)
        stages.derived.push_back({span, part, Duration{std::int64_t(span % 5) * 700}, Duration{std::int64_t(span % 11) * 3000}});
    stages.table = table;
    PathOptions options;
    options.policy = PathPolicy(policy);
    const Population population = analyse(columns, stages, 2, options);
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const Duration e2e = population.traces[i].e2e;
        QVERIFY2(rowSum(population, i) == (isKnown(e2e) ? e2e : Duration{0}), qPrintable(QStringLiteral("seed 3, trace %1").arg(i)));
    }
    QVERIFY(population.included.size() > 100);
    QCOMPARE(population.included.size() + population.excludedNoRoot + population.excludedOpen, columns.traceCount());
}

void TestPopulation::threadsChangeNothing()
{
    const TraceColumns columns = randomTraces(11, 3000, hostileShape());
    const StageMap stages = stagesByName(columns);
    const Population one = analyse(columns, stages, 1);
    const Population many = analyse(columns, stages, 4);
    QCOMPARE(many.onPath, one.onPath);
    QCOMPARE(many.included, one.included);
    QCOMPARE(many.selfTime, one.selfTime);
    QCOMPARE(many.spanCount, one.spanCount);
    QCOMPARE(many.e2e(), one.e2e());
}

void TestPopulation::stops()
{
    const TraceColumns columns = randomTraces(1, 10, tameShape());
    std::stop_source source;
    source.request_stop();
    const auto result = analysePopulation(columns, stagesByName(columns), {}, 1, JobControl(source.get_token()));
    QVERIFY(!result && result.error().code == ErrorCode::Cancelled);
}

void TestPopulation::emptyPopulation()
{
    TraceColumns columns;
    columns.dictionary = std::make_shared<Dictionary>();
    const Population population = analyse(columns, stagesByName(columns));
    QVERIFY(population.traces.empty() && population.included.empty());
}

QTEST_GUILESS_MAIN(TestPopulation)
#include "tst_population.moc"
