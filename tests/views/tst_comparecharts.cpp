// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison charts as a user handles them: hover, click, keys; a stage selected in one is selected in all.
#include "comparisonfixture.h"
#include "views/compare/deltawaterfall.h"
#include "views/compare/distributionplot.h"
#include "views/compare/rankslope.h"
#include "views/compare/sharebars.h"
#include "views/compare/verdictbar.h"

#include <QLabel>
#include <QtTest>

using namespace chokepoint;

namespace {

QPoint centreOf(const ChartWidget& chart, const QString& stage)
{
    for (const ChartTarget& target : chart.targets())
        if (target.stage == stage)
            return target.area.boundingRect().center().toPoint();
    return {};
}

} // namespace

class TestCompareCharts : public QObject {
    Q_OBJECT
private slots:
    void clickSelectsEverywhereAndDoubleClickShowsTheTraces()
    {
        ViewState state;
        DeltaWaterfall delta(state);
        ShareBars shares(state);
        for (ChartWidget* chart : std::initializer_list<ChartWidget*>{&delta, &shares})
            chart->resize(600, 320);
        delta.setFigures(fixture::figures());
        shares.setFigures(fixture::figures());
        delta.show();
        shares.show();
        QTest::mouseClick(&delta, Qt::LeftButton, {}, centreOf(delta, "rerank"));
        QCOMPARE(state.stage(), QString("rerank"));
        QTest::mouseClick(&shares, Qt::LeftButton, {}, centreOf(shares, "queue"));
        QCOMPARE(state.stage(), QString("queue"));
        QTest::mouseDClick(&shares, Qt::LeftButton, {}, centreOf(shares, "generate"));
        QCOMPARE(state.page(), Page::Traces);
        QCOMPARE(state.filter().stage, QString("generate"));
    }

    void hoverIsSharedAndEndsWithThePointer()
    {
        ViewState state;
        RankSlope slope(state);
        slope.resize(600, 320);
        slope.setFigures(fixture::figures());
        slope.show();
        const QPointF at = centreOf(slope, "generate");
        QMouseEvent move(QEvent::MouseMove, at, slope.mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(&slope, &move);
        QCOMPARE(state.hoveredStage(), QString("generate"));
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&slope, &leave);
        QCOMPARE(state.hoveredStage(), QString());
    }

    void keysWalkTheStages()
    {
        ViewState state;
        DeltaWaterfall delta(state);
        delta.resize(600, 400);
        delta.setFigures(fixture::figures());
        delta.show();
        QTest::keyClick(&delta, Qt::Key_Down);
        QCOMPARE(state.stage(), QString("queue")); // the largest contribution
        QTest::keyClick(&delta, Qt::Key_Down);
        QCOMPARE(state.stage(), QString("generate"));
        QTest::keyClick(&delta, Qt::Key_Up);
        QCOMPARE(state.stage(), QString("queue"));
        QTest::keyClick(&delta, Qt::Key_Return);
        QCOMPARE(state.filter().stage, QString("queue"));
        QTest::keyClick(&delta, Qt::Key_Escape);
        QCOMPARE(state.stage(), QString());
    }

    void everyChartHasATableAndAName()
    {
        ViewState state;
        ShareBars shares(state);
        shares.setFigures(fixture::figures());
        DeltaWaterfall delta(state);
        delta.setFigures(fixture::figures());
        RankSlope slope(state);
        slope.setFigures(fixture::figures());
        DistributionPlot distribution(state);
        distribution.setFigures(fixture::figures(), {{std::chrono::milliseconds(1)}, {std::chrono::milliseconds(2)}});
        for (const ChartWidget* chart : std::initializer_list<const ChartWidget*>{&shares, &delta, &slope, &distribution}) {
            const ChartTable table = chart->table();
            QVERIFY(!chart->accessibleName().isEmpty());
            QVERIFY(!table.rows.isEmpty());
            for (const QStringList& row : table.rows)
                QCOMPARE(row.size(), table.headers.size());
        }
        QVERIFY(toTsv(shares.table()).startsWith("Stage\tShare before"));
    }

    void chartsBearAnySize_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("none") << QSize(0, 0);
        QTest::newRow("tiny") << QSize(20, 20);
        QTest::newRow("flat") << QSize(900, 60);
        QTest::newRow("4K") << QSize(3840, 2160);
    }
    void chartsBearAnySize()
    {
        QFETCH(QSize, size);
        ViewState state;
        ShareBars shares(state);
        DeltaWaterfall delta(state);
        RankSlope slope(state);
        DistributionPlot distribution(state);
        shares.setFigures(fixture::figures());
        delta.setFigures(fixture::figures());
        slope.setFigures(fixture::figures());
        distribution.setFigures(fixture::figures(), {{std::chrono::milliseconds(1)}, {}});
        for (ChartWidget* chart : std::initializer_list<ChartWidget*>{&shares, &delta, &slope, &distribution}) {
            chart->resize(size);
            QCOMPARE(chart->grab().size(), chart->size());
        }
    }

    void chartsWithoutFiguresAreEmpty()
    {
        ViewState state;
        DeltaWaterfall delta(state);
        delta.setFigures({});
        QVERIFY(delta.targets().empty());
        QVERIFY(delta.table().rows.isEmpty());
        QVERIFY(!delta.grab().isNull());
    }

    void theVerdictIsTheSentenceOfTheAnalysis()
    {
        VerdictBar bar;
        bar.setFigures(fixture::figures());
        QCOMPARE(
            bar.findChild<QLabel*>("verdictSentence")->text(), QString("v1.9 is 24\u00a0% faster on average; queue is now the bottleneck"));
        const QString facts = bar.findChild<QLabel*>("verdictFacts")->text();
        QVERIFY2(facts.contains("Bottleneck moved: Generate → Queue (in 99.8 % of resamples)"), qPrintable(facts));
        QVERIFY(facts.contains("n = 400 before, 400 after"));
    }

    void verdictsHaveATone()
    {
        QCOMPARE(toneOf(VerdictKind::Faster), Direction::Better);
        QCOMPARE(toneOf(VerdictKind::Slower), Direction::Worse);
        for (const VerdictKind kind :
            {VerdictKind::NoReliableChange, VerdictKind::Mixed, VerdictKind::NotEnoughData, VerdictKind::Identical})
            QCOMPARE(toneOf(kind), Direction::Neutral);
    }
};

QTEST_MAIN(TestCompareCharts)
#include "tst_comparecharts.moc"
