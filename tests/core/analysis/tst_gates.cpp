// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gates: how they are written, what decides them, and that whatever is unknown never passes.
#include "core/analysis/gates.h"

#include <QtTest>

using namespace chokepoint;

namespace {

/// A figure of a side each, times in ms, with the interval of the difference in ms.
GateFigure timeFigure(double before, double after, std::optional<Interval> difference)
{
    if (difference)
        difference = Interval{difference->low * 1e6, difference->high * 1e6};
    return {FigureUnit::Time, before * 1e6, after * 1e6, difference, "needs 100 traces a side, have 40"};
}

QString statusOf(const char* expression, const GateFigure& figure, bool comparable = true)
{
    const Result<Gate> gate = parseGate(expression);
    if (!gate)
        return QString("unreadable: ") + gate.error().detail.c_str();
    const auto results = evaluateGates(
        {*gate}, [&](std::string_view) { return std::optional(figure); }, comparable);
    return results ? QString(gateStatusName(results->front().status)) : QString("refused: ") + results.error().detail.c_str();
}

} // namespace

class tst_Gates : public QObject {
    Q_OBJECT

private slots:
    void judges_data()
    {
        QTest::addColumn<QByteArray>("expression");
        QTest::addColumn<double>("low"); // of the difference 1000 ms -> 1060 ms
        QTest::addColumn<double>("high");
        QTest::addColumn<QString>("status");

        QTest::newRow("whole interval beyond") << QByteArray("p95 > +5%") << 51.0 << 70.0 << "fail";
        QTest::newRow("whole interval inside") << QByteArray("p95 > +5%") << -10.0 << 49.0 << "pass";
        QTest::newRow("limit inside the interval") << QByteArray("p95 > +5%") << 40.0 << 70.0 << "inconclusive";
        QTest::newRow("the limit itself is not above it") << QByteArray("p95 > +5%") << 20.0 << 50.0 << "pass";
        QTest::newRow("but it is at least it") << QByteArray("p95 >= +5%") << 50.0 << 70.0 << "fail";
        QTest::newRow("in time") << QByteArray("mean > +20ms") << 21.0 << 30.0 << "fail";
        QTest::newRow("in other units") << QByteArray("mean > +0.02s") << 19.0 << 20.0 << "pass";
        QTest::newRow("microseconds") << QByteArray("mean>+20000us") << 21.0 << 30.0 << "fail";
        QTest::newRow("must get faster") << QByteArray("p50 > -10%") << -200.0 << -101.0 << "pass";
        QTest::newRow("must get faster, did not for certain") << QByteArray("p50 > -10%") << -200.0 << -50.0 << "inconclusive";
        QTest::newRow("a floor") << QByteArray("p50 < -10ms") << -30.0 << -11.0 << "fail";
        QTest::newRow("of after alone") << QByteArray("p95 > 1050ms") << 0.0 << 0.0 << "fail";
        QTest::newRow("of after alone, inside") << QByteArray("p95 > 1.2 s") << 0.0 << 0.0 << "pass";
    }
    void judges()
    {
        QFETCH(QByteArray, expression);
        QFETCH(double, low);
        QFETCH(double, high);
        QTEST(statusOf(expression.constData(), timeFigure(1000, 1060, Interval{low, high})), "status");
    }

    void failsClosed()
    {
        QCOMPARE(statusOf("p95 > +5%", timeFigure(1000, 1060, std::nullopt)), QString("inconclusive"));
        QCOMPARE(statusOf("p95 > +5%", timeFigure(1000, 900, Interval{-200, -100}), false), QString("inconclusive"));
        QCOMPARE(statusOf("p95 > +5%", timeFigure(0, 900, Interval{800, 1000})), QString("inconclusive"));
        QCOMPARE(statusOf("retry_rate > 0.1", {FigureUnit::Share, {}, {}, {}, {}}), QString("inconclusive"));
        QCOMPARE(statusOf("retry_rate > +1%", {FigureUnit::Share, 0.1, {}, {}, {}}), QString("inconclusive"));
    }

    void limitsInShares()
    {
        const GateFigure rate{FigureUnit::Share, 0.02, 0.12, Interval{0.05, 0.15}, {}};
        QCOMPARE(statusOf("retry_rate > 0.1", rate), QString("fail"));
        QCOMPARE(statusOf("retry_rate > 12%", rate), QString("pass"));
        QCOMPARE(statusOf("retry_rate > +0.04", rate), QString("fail"));
        QCOMPARE(statusOf("retry_rate > +100%", rate), QString("fail")); // of BEFORE: 0.02
    }

    void whatCannotBeRead_data()
    {
        QTest::addColumn<QByteArray>("expression");
        for (const char* expression : {"", "p95", "p95 5%", "> 5%", "p95 >", "p95 > five", "p95 > +5 parsecs", "p95 > --5%", "p95 > nan",
                 "p95 > inf", "p95 > +5%%", "p95 => 5%"})
            QTest::newRow(expression) << QByteArray(expression);
    }
    void whatCannotBeRead()
    {
        QFETCH(QByteArray, expression);
        const Result<Gate> gate = parseGate(expression.constData());
        QVERIFY(!gate);
        QCOMPARE(gate.error().code, ErrorCode::InvalidArgument);
        QVERIFY(gate.error().detail.find("STAT OP LIMIT") != std::string::npos);
    }

    void whatMakesNoSense()
    {
        QVERIFY(statusOf("p95 > 5", timeFigure(1, 2, {})).contains("needs a unit of time"));
        QVERIFY(statusOf("retry_rate > 5ms", {FigureUnit::Share, 0.1, 0.1, {}, {}}).contains("is a time"));
        const auto none = evaluateGates(
            {*parseGate("speed > 5")}, [](std::string_view) { return std::optional<GateFigure>(); }, true);
        QVERIFY(!none && none.error().detail.find("\"speed\", which does not exist") != std::string::npos);
    }

    void figuresOfAComparison()
    {
        Comparison comparison;
        comparison.tracesBefore = comparison.tracesAfter = 200;
        comparison.errorRateBefore = 0.01;
        comparison.errorRateAfter = 0.2;
        comparison.e2e = {{.statistic = Statistic::P95, .before = Duration{100}, .after = Duration{120}, .interval = Interval{10, 30}}};
        StageRow decode{.stage = "generate.decode", .beforeMean = Duration{30}, .afterMean = Duration{60}, .afterShare = 0.4};
        comparison.stages = {{.stage = "generate",
            .beforeMean = Duration{50},
            .afterMean = Duration{80},
            .beforeShare = 0.5,
            .afterShare = 0.7,
            .substages = {decode}}};
        QCOMPARE(comparisonFigure(comparison, "p95")->after, std::optional(120.0));
        QVERIFY(!comparisonFigure(comparison, "p50"));
        QCOMPARE(comparisonFigure(comparison, "stage.generate.share")->after, std::optional(0.7));
        QCOMPARE(comparisonFigure(comparison, "stage.generate.mean")->before, std::optional(50.0));
        QCOMPARE(comparisonFigure(comparison, "stage.generate.decode.mean")->after, std::optional(60.0));
        QVERIFY(comparisonFigure(comparison, "error_rate")->difference->low > 0.13);
        QVERIFY(!comparisonFigure(comparison, "stage.rerank.share")->after); // on no path: unknown, not 0
        QVERIFY(!comparisonFigure(comparison, "stage.generate.colour"));
        QVERIFY(!comparisonFigure(comparison, "stage.mean"));
    }
};

QTEST_GUILESS_MAIN(tst_Gates)
#include "tst_gates.moc"
