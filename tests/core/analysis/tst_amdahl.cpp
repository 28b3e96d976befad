// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Amdahl's law against what came: worked cases, and that the terms explain all of the gap.
#include "core/analysis/amdahl.h"
#include "tests/core/analysis/namedstages.h"
#include "tests/testkit/randomtrace.h"

#include <QTest>

#include <cmath>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

using Steps = std::vector<std::pair<std::string, std::int64_t>>;

NamedDeployment serial(std::size_t count, const Steps& steps)
{
    return NamedDeployment(traces(count, [&](TraceBuilder& builder, std::size_t) { addSteps(builder, steps); }));
}

AmdahlAnalysis analysed(const NamedDeployment& before, const NamedDeployment& after, const RetryAnalysis* retriesBefore = nullptr,
    const RetryAnalysis* retriesAfter = nullptr, unsigned threads = 1)
{
    const ComparisonSide first = before.side();
    const ComparisonSide second = after.side();
    CompareOptions options;
    options.replicates = 200;
    options.threads = threads;
    const Comparison comparison = compare(first, second, options, JobControl()).value();
    return analyseAmdahl({first, before.options, retriesBefore}, {second, after.options, retriesAfter}, comparison, JobControl()).value();
}

const AmdahlRow& rowOf(const AmdahlAnalysis& analysis, const std::string& stage)
{
    for (const AmdahlRow& row : analysis.stages)
        if (row.stage == stage)
            return row;
    qFatal("no row of %s", stage.c_str());
}

/// "retries 20, stage:b -3": terms in ms.
QString termsOf(const AmdahlRow& row)
{
    QStringList terms;
    for (const AmdahlTerm& term : row.terms)
        terms << QString("%1 %2").arg(QString::fromStdString(term.what)).arg(double(toNs(term.time)) / double(ms));
    return terms.join(", ");
}

Duration sumOf(const AmdahlRow& row)
{
    Duration sum{0};
    for (const AmdahlTerm& term : row.terms)
        sum += term.time;
    return sum;
}

/// Two attempts of "gen" in each trace: the spans at indices 1 and 2.
RetryAnalysis retriesOfAll(const NamedDeployment& deployment)
{
    RetryAnalysis retries;
    for (std::uint32_t t = 0; t < deployment.columns.traceCount(); ++t) {
        const TraceView trace = deployment.columns.trace(t);
        AttemptGroup group;
        group.counted = true;
        group.trace = t;
        group.parent = 0;
        group.attempts = group.attemptSpans = 2;
        group.retries = 1;
        group.firstAttempt = std::uint32_t(retries.attempts.size());
        for (std::uint32_t span : {1U, 2U})
            retries.attempts.push_back(
                {.trace = t, .span = span, .number = span, .begin = trace.start[span], .end = trace.end[span], .tokens = {}});
        TraceRetries figures;
        figures.firstGroup = std::uint32_t(retries.groups.size());
        figures.groupCount = 1;
        figures.retries = 1;
        retries.traces.push_back(figures);
        retries.groups.push_back(group);
    }
    return retries;
}

} // namespace

class TestAmdahl : public QObject {
    Q_OBJECT

private slots:
    void oneOfFiveSteps()
    {
        const AmdahlAnalysis result = analysed(serial(40, {{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}, {"e", 100}}),
            serial(40, {{"a", 100}, {"b", 100}, {"c", 10}, {"d", 100}, {"e", 100}}));
        QCOMPARE(result.stages.size(), std::size_t(1));
        const AmdahlRow& row = rowOf(result, "c");
        QCOMPARE(row.factor, 0.1);
        QCOMPARE(row.stageSpeedup, 10.0);
        QCOMPARE(row.shareBefore, 0.2);
        QCOMPARE(QString::number(row.predictedSpeedup, 'f', 6), QString("1.219512"));
        QCOMPARE(row.ceilingSpeedup, 1.25);
        QCOMPARE(row.actualSpeedup, row.predictedSpeedup);
        QCOMPARE(row.predicted, Duration(410 * ms));
        QCOMPARE(row.gap, Duration(0));
        QVERIFY(row.terms.empty());
        QVERIFY(result.backtest);
        QCOMPARE(result.backtest->rows.size(), std::size_t(3));
        for (const BacktestRow& each : result.backtest->rows) {
            QCOMPARE(each.before, Duration(500 * ms));
            QCOMPARE(each.predicted, Duration(410 * ms));
            QCOMPARE(each.actual, Duration(410 * ms));
            QCOMPARE(each.error.value(), 0.0);
        }
    }

    void explained_data()
    {
        QTest::addColumn<Steps>("before");
        QTest::addColumn<Steps>("after");
        QTest::addColumn<double>("predicted");
        QTest::addColumn<double>("ceiling");
        QTest::addColumn<double>("actual");
        QTest::addColumn<QString>("terms");
        QTest::newRow("another stage takes it back") << Steps{{"gen", 680}, {"ret", 320}} << Steps{{"gen", 340}, {"ret", 580}} << 1 / 0.66
                                                     << 3.125 << 1000.0 / 920 << "stage:ret 260";
        QTest::newRow("another stage helps") << Steps{{"gen", 500}, {"ret", 500}} << Steps{{"gen", 250}, {"ret", 400}} << 1 / 0.75 << 2.0
                                             << 1000.0 / 650 << "stage:ret -100";
        QTest::newRow("a new stage") << Steps{{"gen", 800}, {"ret", 200}} << Steps{{"gen", 200}, {"ret", 200}, {"rerank", 60}} << 2.5 << 5.0
                                     << 1000.0 / 460 << "stage:rerank 60";
        QTest::newRow("a queue of its own") << Steps{{"gen", 800}, {"ret", 200}} << Steps{{"queue", 100}, {"gen", 400}, {"ret", 200}}
                                            << 1 / 0.6 << 5.0 << 1000.0 / 700 << "queue 100";
        QTest::newRow("waiting grows inside the stage")
            << Steps{{"gen.queue", 100}, {"gen", 700}, {"ret", 200}} << Steps{{"gen.queue", 150}, {"gen", 350}, {"ret", 200}} << 1 / 0.6
            << 5.0 << 1000.0 / 700 << "queue 100"; // the line of Amdahl had halved it
        QTest::newRow("backoff is overhead") << Steps{{"gen", 800}, {"ret", 200}} << Steps{{"gen", 400}, {"backoff", 30}, {"ret", 200}}
                                             << 1 / 0.6 << 5.0 << 1000.0 / 630 << "retries 30";
    }
    void explained()
    {
        QFETCH(Steps, before);
        QFETCH(Steps, after);
        const AmdahlAnalysis result = analysed(serial(40, before), serial(40, after));
        const AmdahlRow& row = rowOf(result, "gen");
        QTEST(row.predictedSpeedup, "predicted");
        QTEST(row.ceilingSpeedup, "ceiling");
        QTEST(row.actualSpeedup, "actual");
        QTEST(termsOf(row), "terms");
        QCOMPARE(sumOf(row), row.gap);
    }

    void otherWorkHidesBehindTheStage()
    {
        const auto fork = [](std::int64_t a) {
            return NamedDeployment(traces(40, [a](TraceBuilder& builder, std::size_t) {
                builder.span("root", 0, std::max<std::int64_t>(a, 280) * ms).span("a", 0, a * ms, "root").span("b", 0, 280 * ms, "root");
            }));
        };
        const AmdahlAnalysis result = analysed(fork(300), fork(30));
        const AmdahlRow& row = rowOf(result, "a");
        QCOMPARE(row.factor, 0.1);
        QCOMPARE(row.predicted, Duration(30 * ms));
        QVERIFY(std::isinf(row.ceilingSpeedup));
        QCOMPARE(row.gap, Duration(250 * ms));
        QCOMPARE(termsOf(row), QString("critical-path 250"));
        QCOMPARE(result.backtest->rows.front().predicted, Duration(280 * ms)); // the replay knows
    }

    void attemptsThatWereReplaced()
    {
        // Twice as fast, but asked twice: 800 -> 2 x 400 and 50 between.
        const NamedDeployment before = serial(40, {{"gen", 800}, {"ret", 200}});
        const NamedDeployment after(traces(40, [](TraceBuilder& builder, std::size_t) {
            builder.span("root", 0, 1050 * ms)
                .span("gen-1", 0, 400 * ms, "root")
                .span("gen-2", 450 * ms, 850 * ms, "root")
                .span("ret", 850 * ms, 1050 * ms, "root");
        }));
        const RetryAnalysis retries = retriesOfAll(after);
        const AmdahlAnalysis result = analysed(before, after, nullptr, &retries);
        const AmdahlRow& row = rowOf(result, "gen");
        QCOMPARE(row.factor, 0.5);
        QCOMPARE(row.predicted, Duration(600 * ms));
        QCOMPARE(termsOf(row), QString("retries 450"));
        QVERIFY(analysed(before, after).stages.empty()); // who knows of no retries sees no faster stage
    }

    void otherRequestsCame()
    {
        // "short" takes 100, "long" 1000; generation is halved in both, and long ones become three in four.
        const auto mixed = [](std::size_t every, std::int64_t divisor) {
            return NamedDeployment(traces(40, [&](TraceBuilder& builder, std::size_t t) {
                const bool isLong = every == 4 ? t % 4 != 0 : t % 4 == 0;
                const std::int64_t gen = (isLong ? 800 : 80) / divisor;
                const std::int64_t ret = isLong ? 200 : 20;
                builder.span("root", 0, (gen + ret) * ms).named(isLong ? "root-long" : "root-short");
                builder.span("gen", 0, gen * ms, "root").span("ret", gen * ms, (gen + ret) * ms, "root");
            }));
        };
        const AmdahlAnalysis result = analysed(mixed(1, 1), mixed(4, 2));
        const AmdahlRow& row = rowOf(result, "gen");
        QCOMPARE(row.factor, 0.5);
        // Means: 325 before, 465 after; like for like the midpoint mix says -220, of which the line of Amdahl has -130.
        QCOMPARE(row.predicted, Duration(195 * ms));
        QCOMPARE(row.gap, Duration(270 * ms));
        QCOMPARE(termsOf(row), QString("mix 360, stage:gen -90"));
    }

    void nothingOfTheSame()
    {
        const NamedDeployment one = serial(40, {{"gen", 800}, {"ret", 200}});
        const AmdahlAnalysis result = analysed(one, one);
        QVERIFY(result.stages.empty());
        QVERIFY(!result.backtest);
    }

    void withoutTraces()
    {
        const NamedDeployment one = serial(1, {{"gen", 800}});
        NamedDeployment none = serial(1, {{"gen", 800}});
        none.population.included.clear();
        QVERIFY(!analysed(one, none).shortfall.empty());
        QVERIFY(!analysed(none, one).shortfall.empty());
    }

    /// Random trees, stages by name, times scaled by chance: everything adds up, both ways, with any number of threads.
    void termsAddUp()
    {
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            Random random(seed);
            const auto made = [&](double scale) {
                return NamedDeployment(traces(20, [&](TraceBuilder& builder, std::size_t) { addRandomTree(builder, random, scale); }));
            };
            const NamedDeployment before = made(1);
            const NamedDeployment after = made(0.6);
            const AmdahlAnalysis there = analysed(before, after);
            const AmdahlAnalysis back = analysed(after, before);
            const AmdahlAnalysis threads = analysed(before, after, nullptr, nullptr, 4);
            QVERIFY(!there.stages.empty());
            for (const AmdahlAnalysis* each : {&there, &back}) {
                for (const AmdahlRow& row : each->stages) {
                    QCOMPARE(sumOf(row), row.gap);
                    QVERIFY(row.factor < 1);
                    QVERIFY(std::abs(row.predictedSpeedup - 1 / (1 - row.shareBefore + row.shareBefore * row.factor)) < 1e-9);
                    QVERIFY(row.predictedSpeedup <= row.ceilingSpeedup + 1e-9);
                    for (const AmdahlTerm& term : row.terms)
                        QVERIFY(term.what != "rest" || std::abs(toNs(term.time)) < 100); // rounding alone
                }
            }
            for (const AmdahlRow& row : there.stages)
                for (const AmdahlRow& other : back.stages)
                    QVERIFY(row.stage != other.stage); // what got faster there got slower back
            QCOMPARE(threads.stages.size(), there.stages.size());
            for (std::size_t k = 0; k < threads.stages.size(); ++k)
                QCOMPARE(termsOf(threads.stages[k]), termsOf(there.stages[k]));
        }
    }

private:
    /// Branches in parallel, steps one after another in each; "s0" takes \a scale of its time.
    static void addRandomTree(TraceBuilder& builder, Random& random, double scale)
    {
        std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> spans;
        std::int64_t length = 0;
        for (std::uint64_t branch = 0, branches = 1 + random.below(3); branch < branches; ++branch) {
            std::int64_t at = random.between(0, 20);
            for (std::uint64_t step = 0, steps = 1 + random.below(4); step < steps; ++step) {
                const std::uint64_t stage = random.below(4);
                const double factor = stage == 0 ? scale : 1;
                const auto time = std::int64_t(double(random.between(20, 200)) * factor);
                spans.emplace_back("s" + std::to_string(stage), at, at + time);
                at += time + random.between(0, 5);
            }
            length = std::max(length, at);
        }
        builder.span("root", 0, length * ms);
        for (const auto& [name, begin, end] : spans)
            builder.span(name, begin * ms, end * ms, "root");
    }
};

QTEST_GUILESS_MAIN(TestAmdahl)
#include "tst_amdahl.moc"
