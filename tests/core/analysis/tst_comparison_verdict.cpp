// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison says: sample sizes, the bottleneck, comparability, and the sentence.
#include "core/analysis/verdict.h"
#include "tests/core/analysis/tst_comparison_sides.h"

#include <QTest>

using namespace chokepoint;

class TestComparisonVerdict : public QObject {
    Q_OBJECT

private slots:
    void sizes_data();
    void sizes();
    void workedExample();
    void bottleneckMoves();
    void bottleneckNearTie();
    void bottleneckReasons_data();
    void bottleneckReasons();
    void comparability_data();
    void comparability();
    void sentences_data();
    void sentences();
};

void TestComparisonVerdict::sizes_data()
{
    QTest::addColumn<int>("before");
    QTest::addColumn<int>("after");
    QTest::addColumn<QString>("known"); // which of mean, p50, p95, p99 have a value: letters; upper case with an interval
    QTest::newRow("5") << 5 << 500 << "m";
    QTest::newRow("6") << 6 << 500 << "m5";
    QTest::newRow("29") << 29 << 500 << "m5";
    QTest::newRow("30") << 30 << 500 << "M[5]";
    QTest::newRow("71") << 71 << 500 << "M[5]";
    QTest::newRow("72") << 500 << 72 << "M[5]95";
    QTest::newRow("100") << 500 << 100 << "M[5][95]";
    QTest::newRow("368") << 368 << 500 << "M[5][95]99";
    QTest::newRow("500") << 500 << 500 << "M[5][95][99]";
}

void TestComparisonVerdict::sizes()
{
    QFETCH(int, before);
    QFETCH(int, after);
    QFETCH(QString, known);
    const Side first = side({"generate"}, scattered(1, std::size_t(before), {100}));
    const Side second = side({"generate"}, scattered(2, std::size_t(after), {200}), {.firstId = 10'000});
    const Comparison result = compared(first, second, {.replicates = 200});
    const char* names[] = {"m", "5", "95", "99"};
    QString got;
    for (std::size_t i = 0; i < 4; ++i) {
        const E2eRow& row = result.e2e[i];
        const QString name = names[i];
        if (isKnown(row.delta))
            got += !row.interval ? name : i == 0 ? name.toUpper() : "[" + name + "]";
        QCOMPARE(row.shortfall.empty(), row.interval.has_value());
        QVERIFY(!row.significant || row.interval);
    }
    QCOMPARE(got, known);
    if (before == 5)
        QCOMPARE(result.e2e[2].shortfall, std::string("needs 100 traces a side, have 5"));
    QCOMPARE(result.verdict == VerdictKind::NotEnoughData, std::min(before, after) < 30);
}

void TestComparisonVerdict::bottleneckMoves()
{
    const Side before = side(pipeline, scattered(1, 200, {200, 100, 700, 60}));
    const Side after = side(pipeline, scattered(2, 200, {400, 80, 200, 60}), {.firstId = 1000});
    const Comparison result = compared(before, after);
    QCOMPARE(result.bottleneck.before, std::string("generate"));
    QCOMPARE(result.bottleneck.after, std::string("retrieve"));
    QVERIFY(result.bottleneck.moved && !result.bottleneck.mayHaveMoved);
    QVERIFY(result.bottleneck.confidence > 0.99);
    QCOMPARE(result.bottleneck.why, std::string("both"));
    QCOMPARE(result.bottleneck.jointAfter, std::vector<std::string>{"retrieve"});
    QCOMPARE(rowOf(result, "generate")->afterRank, 2U);
    QCOMPARE(rowOf(result, "generate")->afterRankInterval, (Interval{2, 2}));
}

void TestComparisonVerdict::bottleneckNearTie()
{
    const Side before = side(pipeline, scattered(1, 40, {200, 100, 700, 60}));
    const Side after = side(pipeline, scattered(2, 40, {302, 100, 201, 60}), {.firstId = 1000});
    const BottleneckVerdict verdict = compared(before, after).bottleneck;
    QCOMPARE(verdict.jointAfter.size(), std::size_t(2));
    QVERIFY(!verdict.moved);
    QCOMPARE(verdict.mayHaveMoved, verdict.before != verdict.after);
}

void TestComparisonVerdict::bottleneckReasons_data()
{
    QTest::addColumn<QList<double>>("before");
    QTest::addColumn<QList<double>>("after");
    QTest::addColumn<QString>("why");
    QTest::newRow("shrank") << QList<double>{200, 0, 700, 60} << QList<double>{200, 0, 100, 60} << "the old one shrank";
    QTest::newRow("grew") << QList<double>{200, 0, 700, 60} << QList<double>{1200, 0, 700, 60} << "another grew";
    QTest::newRow("both") << QList<double>{200, 0, 700, 60} << QList<double>{500, 0, 300, 60} << "both";
    QTest::newRow("new path") << QList<double>{0, 0, 700, 60} << QList<double>{900, 0, 700, 60} << "a new path appeared";
    QTest::newRow("did not move") << QList<double>{200, 0, 700, 60} << QList<double>{200, 0, 600, 60} << "";
}

void TestComparisonVerdict::bottleneckReasons()
{
    QFETCH(QList<double>, before);
    QFETCH(QList<double>, after);
    QFETCH(QString, why);
    const Side first = side(pipeline, scattered(1, 100, {before.begin(), before.end()}));
    const Side second = side(pipeline, scattered(2, 100, {after.begin(), after.end()}), {.firstId = 1000});
    QCOMPARE(QString::fromStdString(compared(first, second).bottleneck.why), why);
}

void TestComparisonVerdict::comparability_data()
{
    QTest::addColumn<QString>("root");
    QTest::addColumn<int>("errors");
    QTest::addColumn<int>("excluded");
    QTest::addColumn<int>("firstId");
    QTest::addColumn<int>("traces");
    QTest::addColumn<bool>("comparable");
    QTest::addColumn<QString>("reason"); // part of the first; "": none
    QTest::newRow("alike") << "query" << 0 << 0 << 1000 << 100 << true << "";
    QTest::newRow("few errors") << "query" << 3 << 0 << 1000 << 100 << true << "";
    QTest::newRow("more errors") << "query" << 20 << 0 << 1000 << 100 << true
                                 << "fail at different rates: 0.0 % of the requests before, 20.0 % after";
    QTest::newRow("other root") << "index" << 0 << 0 << 1000 << 100 << false << "No root operation occurs on both sides";
    QTest::newRow("exclusions") << "query" << 0 << 40 << 1000 << 100 << false << "left out, and not alike";
    QTest::newRow("shared ids") << "query" << 0 << 0 << 51 << 100 << true << "50 trace ids occur on both sides";
    QTest::newRow("too few") << "query" << 0 << 0 << 1000 << 10 << true << "Too few complete traces";
    QTest::newRow("lopsided") << "query" << 0 << 0 << 1000 << 1500 << true << "differ much in size (100 and 1,500 traces)";
}

void TestComparisonVerdict::comparability()
{
    QFETCH(QString, root);
    QFETCH(int, errors);
    QFETCH(int, excluded);
    QFETCH(int, firstId);
    QFETCH(int, traces);
    QFETCH(bool, comparable);
    QFETCH(QString, reason);
    const Side before = side({"generate"}, scattered(1, 100, {100}));
    const Side after = side({"generate"}, scattered(2, std::size_t(traces), {100}),
        {.firstId = std::uint64_t(firstId),
            .root = root.toStdString(),
            .errors = std::size_t(errors),
            .excluded = std::uint64_t(excluded)});
    const Comparison result = compared(before, after, {.replicates = 200});
    QCOMPARE(result.comparable, comparable);
    QCOMPARE(result.reasons.size(), std::size_t(reason.isEmpty() ? 0 : 1));
    if (!reason.isEmpty())
        QVERIFY2(QString::fromStdString(result.reasons.front()).contains(reason), result.reasons.front().c_str());
    QCOMPARE(result.sentence.find("not comparable") != std::string::npos, !comparable);
}

void TestComparisonVerdict::sentences_data()
{
    QTest::addColumn<QList<double>>("means"); // before, after, low, high of the interval; ms
    QTest::addColumn<bool>("significant");
    QTest::addColumn<QList<double>>("p95"); // the same
    QTest::addColumn<bool>("moved");
    QTest::addColumn<int>("verdict");
    QTest::addColumn<QString>("sentence");
    const auto kind = [](VerdictKind verdict) { return int(verdict); };
    QTest::newRow("faster, tail slower, moved")
        << QList<double>{1330, 954, -412, -332} << true << QList<double>{1800, 1926, 50, 200} << true << kind(VerdictKind::Mixed)
        << QString::fromUtf8(
               "After is 28 % faster on average (1.33 s → 954 ms, 95 % interval \u221231 % to \u221225 %), but P95 is 7 % slower; "
               "generate paid for it, and retrieve is now the bottleneck.");
    QTest::newRow("tail uncertain")
        << QList<double>{1330, 954, -412, -332} << true << QList<double>{1800, 1926, -54, 288} << true << kind(VerdictKind::Faster)
        << QString::fromUtf8(
               "After is 28 % faster on average (1.33 s → 954 ms, 95 % interval \u221231 % to \u221225 %), but P95 did not follow "
               "(+7 %, 95 % interval \u22123 % to +16 %); generate paid for it, and retrieve is now the bottleneck.");
    QTest::newRow("slower") << QList<double>{1000, 1200, 150, 250} << true << QList<double>{1800, 2100, 200, 400} << false
                            << kind(VerdictKind::Slower)
                            << "After is 20 % slower on average (1.00 s → 1.20 s, 95 % interval +15 % to +25 %); generate caused it and "
                               "is still the bottleneck.";
    QTest::newRow("no change")
        << QList<double>{1000, 1004, -20, 30} << false << QList<double>{1800, 1801, -100, 100} << false
        << kind(VerdictKind::NoReliableChange)
        << QString::fromUtf8(
               "No reliable change on average (1.00 s → 1.00 s, 95 % interval \u22122 % to +3 %); generate is still the bottleneck.");
    QTest::newRow("only the tail")
        << QList<double>{1000, 1004, -20, 30} << false << QList<double>{1800, 2160, 100, 500} << false << kind(VerdictKind::Mixed)
        << QString::fromUtf8("No reliable change on average (1.00 s → 1.00 s, 95 % interval \u22122 % to +3 %), but P95 is 20 % slower; "
                             "generate is still the bottleneck.");
}

void TestComparisonVerdict::sentences()
{
    QFETCH(QList<double>, means);
    QFETCH(bool, significant);
    QFETCH(QList<double>, p95);
    QFETCH(bool, moved);
    QFETCH(int, verdict);
    QFETCH(QString, sentence);
    Comparison comparison;
    comparison.tracesBefore = comparison.tracesAfter = 400;
    const auto add = [&](Statistic statistic, const QList<double>& values) {
        E2eRow row;
        row.statistic = statistic;
        row.before = Duration(std::llround(values[0] * double(ms)));
        row.after = Duration(std::llround(values[1] * double(ms)));
        row.delta = row.after - row.before;
        row.change = double(toNs(row.delta)) / double(toNs(row.before));
        row.interval = Interval{values[2] * double(ms), values[3] * double(ms)};
        row.significant = row.interval->excludesZero();
        comparison.e2e.push_back(row);
    };
    add(Statistic::Mean, means);
    add(Statistic::P95, p95);
    StageRow generate;
    generate.stage = "generate";
    generate.contribution = comparison.e2e.front().delta;
    generate.significant = significant;
    comparison.stages = {generate};
    comparison.bottleneck = {.before = "generate",
        .after = moved ? "retrieve" : "generate",
        .jointBefore = {},
        .jointAfter = {},
        .moved = moved,
        .mayHaveMoved = false,
        .confidence = 1,
        .why = ""};
    setVerdict(comparison, false, false);
    QCOMPARE(QString::fromStdString(comparison.sentence), sentence);
    QCOMPARE(int(comparison.verdict), verdict);
}

/// Retrieval was made faster and worse: answers are checked, fail, and the pipeline is walked again. Every figure by hand.
void TestComparisonVerdict::workedExample()
{
    const struct {
        const char* stage;
        std::int64_t before; // ms, of every request
        std::int64_t after;
    } table[] = {{"embed", 60, 95}, {"retrieve", 1400, 85}, {"rerank", 160, 285}, {"assemble", 40, 38}, {"generate", 1150, 4460},
        {"backoff", 0, 160}, {"validate", 60, 77}, {"other", 30, 30}};
    std::vector<std::string> stages;
    StageTimes before;
    StageTimes after;
    for (const auto& row : table) {
        stages.push_back(row.stage);
        before.push_back(row.before * ms);
        after.push_back(row.after * ms);
    }
    const Comparison comparison =
        compared(side(stages, std::vector<StageTimes>(40, before)), side(stages, std::vector<StageTimes>(40, after), {.firstId = 1000}));
    QCOMPARE(toNs(comparison.e2e.front().before) / ms, std::int64_t(2900));
    QCOMPARE(toNs(comparison.e2e.front().after) / ms, std::int64_t(5230));
    Duration sum{0};
    for (const auto& row : table) {
        const StageRow* found = rowOf(comparison, row.stage);
        QVERIFY2(found != nullptr, row.stage);
        QCOMPARE(toNs(found->beforeMean), row.before * ms);
        QCOMPARE(toNs(found->afterMean), row.after * ms);
        QCOMPARE(toNs(found->contribution), (row.after - row.before) * ms);
        sum += found->contribution;
    }
    QCOMPARE(toNs(sum), 2330 * ms);
    const auto permille = [&](const char* stage, double StageRow::*share) { return std::lround(1000 * rowOf(comparison, stage)->*share); };
    QCOMPARE(permille("retrieve", &StageRow::beforeShare), 483L);
    QCOMPARE(permille("retrieve", &StageRow::afterShare), 16L);
    QCOMPARE(permille("generate", &StageRow::beforeShare), 397L);
    QCOMPARE(permille("generate", &StageRow::afterShare), 853L);
    QCOMPARE(comparison.bottleneck.before, std::string("retrieve"));
    QCOMPARE(comparison.bottleneck.after, std::string("generate"));
    QVERIFY(comparison.bottleneck.moved);
    // Retrieval is 94 % faster, answers take 80 % longer.
    QVERIFY2(comparison.sentence.find("80") != std::string::npos && comparison.sentence.find("generate") != std::string::npos,
        comparison.sentence.c_str());
}

QTEST_GUILESS_MAIN(TestComparisonVerdict)
#include "tst_comparison_verdict.moc"
