// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before against after on populations made by hand: exact sums, intervals, and what must not matter.
#include "core/analysis/comparestages.h"
#include "tests/core/analysis/tst_comparison_sides.h"

#include <QTest>

#include <random>

using namespace chokepoint;

namespace {

/// The invariants that hold for every comparison.
QString violations(const Comparison& forward, const Comparison& backward)
{
    Duration sum{};
    for (const StageRow& row : forward.stages) {
        sum += row.contribution;
        const StageRow* mirrored = rowOf(backward, row.stage);
        if (mirrored == nullptr || mirrored->contribution != -row.contribution || mirrored->afterMean != row.beforeMean)
            return "stage " + QString::fromStdString(row.stage) + " is not negated";
        if (row.interval.has_value() != mirrored->interval.has_value()
            || (row.interval && (row.interval->low != -mirrored->interval->high || row.interval->high != -mirrored->interval->low)))
            return "interval of " + QString::fromStdString(row.stage) + " is not negated";
        if (row.beforeRank != mirrored->afterRank || row.beforeRankInterval != mirrored->afterRankInterval)
            return "rank of " + QString::fromStdString(row.stage) + " depends on the side";
    }
    if (sum != forward.e2e.front().delta)
        return "contributions do not add up";
    for (std::size_t i = 0; i < forward.e2e.size(); ++i) {
        const E2eRow& a = forward.e2e[i];
        const E2eRow& b = backward.e2e[i];
        if (isKnown(a.delta) && a.delta != -b.delta)
            return "delta is not negated";
        if (a.interval && (!b.interval || a.interval->low != -b.interval->high || a.interval->high != -b.interval->low))
            return "interval is not negated";
        if (a.significant != b.significant)
            return "significance depends on the side";
    }
    return {};
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private slots:
    void sharesAreRatiosOfSums();
    void literalContributions();
    void apportions_data();
    void apportions();
    void invariantsOverRandomPopulations_data();
    void invariantsOverRandomPopulations();
    void aSideAgainstItself();
    void alikeDeploymentsShowNothing();
    void traceOrderThreadsAndTablesChangeNothing();
    void stageIntervalAgreesWithPlainResampling();
    void substagesAddUp();
    void smallChangesAreNotRelevant();
    void emptySides();
    void cancels();
    void groups();
};

void TestComparison::sharesAreRatiosOfSums()
{
    // Half of a 100 ms trace and a tenth of a 1000 ms trace: the mean of ratios would say 30 %.
    const Side before = side({"retrieve", "generate"}, {{50 * ms, 50 * ms}, {100 * ms, 900 * ms}});
    const Comparison result = compared(before, before);
    QVERIFY(std::abs(rowOf(result, "retrieve")->beforeShare - 150.0 / 1100) < 1e-12); // 13.6 %
    QCOMPARE(rowOf(result, "generate")->beforeRank, 1U);
    QCOMPARE(rowOf(result, "retrieve")->beforeRank, 2U);
}

void TestComparison::literalContributions()
{
    const Side before = side({"retrieve", "generate"}, {{10, 90}, {20, 180}});
    const Side after = side({"generate", "rerank"}, {{30, 9}, {40, 10}, {50, 11}}, {.firstId = 100});
    const Comparison result = compared(before, after);
    QCOMPARE(toNs(result.e2e.front().before), std::int64_t(150));
    QCOMPARE(toNs(result.e2e.front().after), std::int64_t(50));
    QCOMPARE(toNs(rowOf(result, "retrieve")->contribution), std::int64_t(-15));
    QCOMPARE(toNs(rowOf(result, "generate")->contribution), std::int64_t(-95));
    QCOMPARE(toNs(rowOf(result, "rerank")->contribution), std::int64_t(10));
    QCOMPARE(rowOf(result, "rerank")->beforePresence, 0.0);
    QCOMPARE(rowOf(result, "rerank")->afterPresence, 1.0);
    QCOMPARE(result.stages.front().stage, std::string("generate"));
}

void TestComparison::apportions_data()
{
    QTest::addColumn<QList<int>>("numerators");
    QTest::addColumn<int>("denominator");
    QTest::addColumn<int>("total");
    QTest::addColumn<QList<int>>("shares");
    QTest::newRow("whole") << QList<int>{4, -2} << 2 << 1 << QList<int>{2, -1};
    QTest::newRow("largest remainder") << QList<int>{4, 5} << 3 << 3 << QList<int>{1, 2};
    QTest::newRow("ties to the first") << QList<int>{1, 1} << 2 << 1 << QList<int>{1, 0};
    QTest::newRow("negated") << QList<int>{-1, -1} << 2 << -1 << QList<int>{-1, 0};
    QTest::newRow("sum zero") << QList<int>{1, -1} << 2 << 0 << QList<int>{1, -1};
    QTest::newRow("rounded means ask for more") << QList<int>{2} << 10 << 1 << QList<int>{1};
    QTest::newRow("nothing") << QList<int>{} << 1 << 0 << QList<int>{};
}

void TestComparison::apportions()
{
    QFETCH(QList<int>, numerators);
    QFETCH(int, denominator);
    QFETCH(int, total);
    QFETCH(QList<int>, shares);
    std::vector<WideSum> there;
    std::vector<WideSum> back;
    for (const int numerator : numerators) {
        there.push_back(numerator);
        back.push_back(-numerator);
    }
    const std::vector<std::int64_t> forward = apportion(there, denominator, total);
    const std::vector<std::int64_t> backward = apportion(back, denominator, -total);
    QCOMPARE(qsizetype(forward.size()), shares.size());
    for (qsizetype i = 0; i < shares.size(); ++i) {
        QCOMPARE(forward[std::size_t(i)], std::int64_t(shares[i]));
        QCOMPARE(backward[std::size_t(i)], -forward[std::size_t(i)]);
    }
}

void TestComparison::invariantsOverRandomPopulations_data()
{
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= 40; ++seed)
        QTest::addRow("seed %llu", static_cast<unsigned long long>(seed)) << seed;
}

void TestComparison::invariantsOverRandomPopulations()
{
    QFETCH(quint64, seed);
    std::mt19937_64 random(seed);
    const auto means = [&] {
        std::vector<double> values;
        for (std::size_t s = 0; s < pipeline.size(); ++s)
            values.push_back(random() % 4 == 0 ? 0.0 : 1e-6 * double(1 + random() % 1'000'000'000)); // from 1 ns to 1 s
        return values;
    };
    const std::size_t sizes[] = {1 + random() % 10, 1 + random() % 200};
    const Side before = side(pipeline, scattered(seed, sizes[0], means()), {.firstId = 1});
    const Side after = side(pipeline, scattered(seed + 500, sizes[1], means()), {.firstId = 1000});
    const CompareOptions options{.seed = seed, .replicates = 200};
    QCOMPARE(violations(compared(before, after, options), compared(after, before, options)), QString());
}

void TestComparison::aSideAgainstItself()
{
    const Side one = side(pipeline, scattered(1, 200, {100, 50, 500, 30}));
    const Comparison result = compared(one, one);
    QCOMPARE(result.verdict, VerdictKind::Identical);
    QCOMPARE(result.sentence, std::string("Before and after hold the same traces; nothing changed."));
    for (const E2eRow& row : result.e2e)
        QVERIFY(!row.significant && (!isKnown(row.delta) || row.delta == Duration(0)));
    for (const StageRow& row : result.stages)
        QVERIFY(!row.significant && row.contribution == Duration(0));
    QVERIFY(!result.bottleneck.moved && !result.bottleneck.mayHaveMoved);

    Side failing = side(pipeline, scattered(1, 200, {100, 50, 500, 30}));
    for (SpanFlags& flags : failing.columns.spans.flags)
        flags.setStatus(SpanStatus::Error);
    QVERIFY(compared(one, failing).verdict != VerdictKind::Identical); // as fast, but every request fails
}

void TestComparison::alikeDeploymentsShowNothing()
{
    int changed = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Side before = side(pipeline, scattered(seed, 100, {100, 50, 500, 30}));
        const Side after = side(pipeline, scattered(seed + 1000, 100, {100, 50, 500, 30}), {.firstId = 1000});
        const Comparison result = compared(before, after, {.replicates = 500});
        changed += result.e2e.front().significant ? 1 : 0;
        QVERIFY(!result.bottleneck.moved);
    }
    QVERIFY2(changed <= 6, qPrintable(QString::number(changed))); // 2 expected at 95 %
}

void TestComparison::traceOrderThreadsAndTablesChangeNothing()
{
    const std::vector<StageTimes> times = scattered(3, 60, {100, 50, 500, 30});
    const Side after = side(pipeline, scattered(4, 60, {100, 50, 300, 30}), {.firstId = 1000});
    const Side forward = side(pipeline, times);
    // The same traces last to first, in a table that knows the stages in another order and one more of them.
    std::vector<StageTimes> turned;
    for (auto row = times.rbegin(); row != times.rend(); ++row)
        turned.push_back({0, (*row)[3], (*row)[2], (*row)[1], (*row)[0]});
    Side backward = side({"tool", "validate", "generate.decode", "generate", "retrieve"}, turned);
    for (std::size_t t = 0; t < times.size(); ++t)
        backward.columns.traceId[t] = TraceId{1, times.size() - t};
    const Comparison one = compared(forward, after, {.threads = 1});
    const Comparison other = compared(backward, after, {.threads = 3});
    QCOMPARE(one.sentence, other.sentence);
    QCOMPARE(one.stages.size(), other.stages.size());
    for (std::size_t s = 0; s < one.stages.size(); ++s) {
        QCOMPARE(one.stages[s].stage, other.stages[s].stage);
        QCOMPARE(one.stages[s].contribution, other.stages[s].contribution);
        QCOMPARE(one.stages[s].interval, other.stages[s].interval);
    }
    QCOMPARE(one.e2e.front().interval, other.e2e.front().interval);
    QCOMPARE(compared(forward, backward).verdict, VerdictKind::Identical);
}

void TestComparison::stageIntervalAgreesWithPlainResampling()
{
    const std::vector<StageTimes> before = scattered(5, 80, {100, 50, 500, 30});
    const std::vector<StageTimes> after = scattered(6, 120, {120, 50, 300, 30});
    const Comparison result = compared(side(pipeline, before), side(pipeline, after, {.firstId = 1000}), {.replicates = 10'000});
    std::mt19937_64 random(17);
    const auto resampledMean = [&](const std::vector<StageTimes>& traces) {
        double sum = 0;
        for (std::size_t i = 0; i < traces.size(); ++i) {
            const StageTimes& drawn = traces[random() % traces.size()];
            sum += double(drawn[1] + drawn[2]); // generate with its sub-stage
        }
        return sum / double(traces.size());
    };
    std::vector<double> differences;
    for (int r = 0; r < 10'000; ++r) {
        const double second = resampledMean(after);
        differences.push_back(second - resampledMean(before));
    }
    const Interval plain = percentileInterval(differences);
    const Interval ours = *rowOf(result, "generate")->interval;
    const double tolerance = 0.05 * (plain.high - plain.low);
    QVERIFY(std::abs(ours.low - plain.low) < tolerance);
    QVERIFY(std::abs(ours.high - plain.high) < tolerance);
    QVERIFY(rowOf(result, "generate")->significant);
    QVERIFY(!rowOf(result, "validate")->significant);
}

void TestComparison::substagesAddUp()
{
    const std::vector<std::string> names{"generate.decode", "generate.prefill"};
    const Side before = side(names, {{10, 1}, {11, 1}, {13, 1}});
    const Side after = side(names, {{5, 2}, {7, 3}}, {.firstId = 100});
    const StageRow generate = *rowOf(compared(before, after), "generate");
    QCOMPARE(generate.substages.size(), std::size_t(2));
    QCOMPARE(generate.substages[0].contribution + generate.substages[1].contribution, generate.contribution);
    QCOMPARE(generate.label, std::string("Generate"));
    QCOMPARE(generate.substages[0].label, std::string("Decode"));
}

void TestComparison::smallChangesAreNotRelevant()
{
    // 0.5 % of the end-to-end time for certain: real, and of no consequence.
    const std::vector<StageTimes> before(100, StageTimes{1000 * ms, 100 * ms});
    const std::vector<StageTimes> after(100, StageTimes{1005 * ms, 100 * ms});
    const Comparison result = compared(side({"generate", "embed"}, before), side({"generate", "embed"}, after, {.firstId = 1000}));
    QVERIFY(result.e2e.front().significant);
    QVERIFY(!rowOf(result, "generate")->significant);
    QCOMPARE(result.verdict, VerdictKind::NoReliableChange);
}

void TestComparison::emptySides()
{
    const Side none = side({}, {});
    const Side some = side({"generate"}, scattered(1, 50, {100}));
    for (const auto& [before, after] : {std::pair(&none, &some), std::pair(&some, &none), std::pair(&none, &none)}) {
        const Comparison result = compared(*before, *after);
        QCOMPARE(result.verdict, VerdictKind::NotEnoughData);
        QVERIFY(!result.comparable);
        QVERIFY(result.stages.empty());
        QVERIFY(!isKnown(result.e2e.front().delta));
        QVERIFY(result.bottleneck.before.empty());
    }
    QCOMPARE(compared(some, none).sentence,
        std::string("Not enough data: 50 complete traces before and 0 after; a verdict needs at least 30 a side."));
}

void TestComparison::cancels()
{
    const Side some = side({"generate"}, scattered(1, 50, {100}));
    std::stop_source stop;
    stop.request_stop();
    const auto result = compare(some.view(), some.view(), {}, JobControl(stop.get_token()));
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
}

void TestComparison::groups()
{
    using testkit::TraceBuilder;
    const TraceColumns before = TraceBuilder()
                                    .span("cache.get", 0, 0)
                                    .nextTrace()
                                    .span("idle", 5, 5)
                                    .nextTrace()
                                    .span("only old", 0, 7 * ms)
                                    .nextTrace()
                                    .span("query", 0, 10 * ms)
                                    .nextTrace()
                                    .span("query", 0, 11 * ms)
                                    .nextTrace()
                                    .span("query", 0, 0)
                                    .noEnd()
                                    .nextTrace()
                                    .span("render", 0, 4 * ms)
                                    .service("ui")
                                    .build();
    const TraceColumns after = TraceBuilder()
                                   .span("cache.get", 0, 2 * ms)
                                   .error()
                                   .nextTrace()
                                   .span("idle", 0, 0)
                                   .nextTrace()
                                   .span("only new", 0, 9 * ms)
                                   .nextTrace()
                                   .span("query", 0, 12'600'000)
                                   .nextTrace()
                                   .span("render", 0, 0)
                                   .service("ui")
                                   .build();
    const std::vector<GroupRow> rows = compareGroups(before, after);
    QString text;
    for (const GroupRow& row : rows) {
        const auto number = [](Duration d) { return isKnown(d) ? QString::number(toNs(d)) : QString("-"); };
        text += QString("%1 %2->%3 %4->%5 %6 errors %7->%8\n")
                    .arg(QString::fromStdString(row.name))
                    .arg(row.countBefore)
                    .arg(row.countAfter)
                    .arg(number(row.p50Before), number(row.p50After), row.p50Percent ? QString::number(*row.p50Percent) + "%" : "-")
                    .arg(row.errorsBefore)
                    .arg(row.errorsAfter);
    }
    QCOMPARE(text,
        QString("cache.get 1->1 0->2000000 - errors 0->1\n"
                "idle 1->1 0->0 0% errors 0->0\n"
                "only new 0->1 -->9000000 - errors 0->0\n"
                "only old 1->0 7000000->- - errors 0->0\n"
                "query 2->1 10500000->12600000 20% errors 0->0\n"
                "render 1->1 4000000->0 -100% errors 0->0\n"));
    QVERIFY(!std::signbit(*rows[1].p50Percent));
}

QTEST_GUILESS_MAIN(TestComparison)
#include "tst_comparison.moc"
