// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Item models of the start and Before/After pages: what they show, and that they keep the rules of item models.
#include "comparisonfixture.h"
#include "core/base/format.h"
#include "views/compare/percentilemodel.h"
#include "views/format/progresstext.h"
#include "views/session/problems.h"
#include "views/start/recentmodel.h"

#include <QAbstractItemModelTester>
#include <QtTest>

using namespace chokepoint;

namespace {

QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

RecentComparison recent(const QString& before, const QString& after)
{
    RecentComparison entry;
    entry.before = {before};
    entry.after = {after};
    entry.beforeLabel = before;
    entry.afterLabel = after;
    entry.sentence = QStringLiteral("no reliable change");
    entry.tone = Direction::Worse;
    entry.when = QDateTime(QDate(2026, 11, 30), QTime(7, 0), Qt::UTC);
    return entry;
}

} // namespace

class TestCompareModels : public QObject {
    Q_OBJECT
private slots:
    void percentilesAreShownWithTheirChange()
    {
        PercentileModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.setFigures(fixture::figures());
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(cell(model, 0, PercentileModel::BeforeColumn), QString("2.30 s"));
        QCOMPARE(cell(model, 0, PercentileModel::AfterColumn), QString("1.75 s"));
        QCOMPARE(cell(model, 0, PercentileModel::DeltaColumn), QString::fromStdString(formatDelta(std::chrono::milliseconds(-550))));
        QCOMPARE(cell(model, 1, PercentileModel::StatisticColumn), QString("P50"));
        QCOMPARE(cell(model, 4, PercentileModel::StatisticColumn), QString("Failed"));
        QVERIFY(cell(model, 4, PercentileModel::DeltaColumn).endsWith("0.9 pt")
            || cell(model, 4, PercentileModel::DeltaColumn).endsWith("1.0 pt"));
    }

    void onlyReliableChangesHaveADirection()
    {
        PercentileModel model;
        model.setFigures(fixture::figures());
        const auto direction = [&](int row) {
            return Direction(model.index(row, PercentileModel::DeltaColumn).data(PercentileModel::DirectionRole).toInt());
        };
        QCOMPARE(direction(0), Direction::Better);
        QCOMPARE(direction(3), Direction::Neutral); // its interval covers zero
        QVERIFY(model.index(3, 0).data(PercentileModel::WeakRole).toBool());
        QVERIFY(!model.index(2, 0).data(PercentileModel::WeakRole).toBool());
    }

    void marksAreRatiosOfTheBeforeValue()
    {
        PercentileModel model;
        model.setFigures(fixture::figures());
        const ChangeMark mark = model.mark(0);
        QCOMPARE(*mark.low, -620.0 / 2300);
        QCOMPARE(*mark.high, -480.0 / 2300);
        QCOMPARE(model.markRange(), 4900.0 / 8900);
        QVERIFY(!model.mark(4).change);
    }

    void aFigureLeadsToItsTraces()
    {
        PercentileModel model;
        model.setFigures(fixture::figures());
        const TraceScope tail = model.filterFor(model.index(2, PercentileModel::AfterColumn));
        QCOMPARE(tail.band, (Band{0.95, 1}));
        QCOMPARE(tail.side, Side::After);
        const TraceScope middle = model.filterFor(model.index(1, PercentileModel::DeltaColumn));
        QCOMPARE(middle.band, (Band{0.45, 0.55}));
        QVERIFY(!middle.side);
        QVERIFY(model.filterFor(model.index(4, PercentileModel::BeforeColumn)).errorsOnly);
        QVERIFY(model.filterFor({}).isEmpty());
    }

    void oneSideAloneShowsNoChange()
    {
        PercentileModel model;
        CompareFigures figures = fixture::figures();
        figures.single = true;
        figures.singleSide = Side::After;
        model.setFigures(figures);
        QCOMPARE(cell(model, 0, PercentileModel::DeltaColumn), QString());
        QVERIFY(!model.mark(0).change);
        QCOMPARE(model.filterFor(model.index(0, PercentileModel::BeforeColumn)).side, Side::After);
    }

    void recentComparisonsAreNewestFirstAndUnique()
    {
        RecentModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.add(recent("a", "b"));
        model.add(recent("c", "d"));
        model.add(recent("a", "b"));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(cell(model, 0, 0), QString("a → b"));
        model.remove(0);
        QCOMPARE(cell(model, 0, 0), QString("c → d"));
        for (int i = 0; i < 30; ++i)
            model.add(recent(QString::number(i), "x"));
        QCOMPARE(model.rowCount(), int(RecentModel::limit));
    }

    void recentComparisonsSurviveTheSettings()
    {
        RecentModel model;
        model.add(recent("a", "b"));
        RecentModel copy;
        copy.setVariants(model.toVariants());
        QCOMPARE(copy.rowCount(), 1);
        const RecentComparison& entry = copy.entries().front();
        QVERIFY(entry.samePair(model.entries().front()));
        QCOMPARE(entry.sentence, QString("no reliable change"));
        QCOMPARE(entry.tone, Direction::Worse);
        QCOMPARE(entry.when, QDateTime(QDate(2026, 11, 30), QTime(7, 0), Qt::UTC));
        copy.setVariants({QVariant("nonsense"), QVariantMap{}});
        QCOMPARE(copy.rowCount(), 0);
    }

    void problemsAreListed()
    {
        ProblemsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setProblems(
            {{Side::Before, "runs/a.jsonl", "BAD_RECORD", 3, "line 7: <b>"}, {Side::After, "span trees", "CYCLE", 1, "=span"}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.total(), std::uint64_t(4));
        QCOMPARE(cell(model, 0, ProblemsModel::CodeColumn), QString("BAD_RECORD"));
        QCOMPARE(cell(model, 0, ProblemsModel::FirstColumn), QString("line 7: <b>"));
        QCOMPARE(model.index(0, ProblemsModel::FirstColumn).data(Qt::ToolTipRole).toString(), QString("<qt>line 7: &lt;b&gt;</qt>"));
        QCOMPARE(cell(model, 0, ProblemsModel::PlaceColumn), QString("a.jsonl"));
        QCOMPARE(model.toTsv(),
            QString("side\tcode\tcount\twhere\tfirst\nbefore\tBAD_RECORD\t3\truns/a.jsonl\tline 7: <b>\n"
                    "after\tCYCLE\t1\tspan trees\t'=span\n"));

        const QString endless(100'000, QLatin1Char('x'));
        model.setProblems({{Side::Before, "a.jsonl", "CYCLE", 1, endless}});
        QCOMPARE(cell(model, 0, ProblemsModel::FirstColumn), QString(599, 'x') + QString::fromUtf8("…"));
        QVERIFY(model.index(0, ProblemsModel::FirstColumn).data(Qt::ToolTipRole).toString().size() < 5000);
        QVERIFY(model.toTsv().contains(endless));
    }

    void progressSaysWhatIsKnown_data()
    {
        QTest::addColumn<quint64>("done");
        QTest::addColumn<quint64>("total");
        QTest::addColumn<quint64>("spans");
        QTest::addColumn<quint64>("faults");
        QTest::addColumn<qint64>("elapsed");
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing yet") << quint64(0) << quint64(0) << quint64(0) << quint64(0) << qint64(0) << "";
        QTest::newRow("half a file") << quint64(50) << quint64(100) << quint64(4000) << quint64(0) << qint64(2000)
                                     << "50 %, 4,000 spans, 2,000 spans/s, 3 s left";
        QTest::newRow("unknown size") << quint64(50) << quint64(0) << quint64(4000) << quint64(0) << qint64(2000)
                                      << "4,000 spans, 2,000 spans/s";
        QTest::newRow("too early for a rate") << quint64(50) << quint64(100) << quint64(10) << quint64(0) << qint64(100)
                                              << "50 %, 10 spans";
        QTest::newRow("warnings") << quint64(0) << quint64(0) << quint64(0) << quint64(2) << qint64(0) << "2 problems";
    }
    void progressSaysWhatIsKnown()
    {
        QFETCH(quint64, done);
        QFETCH(quint64, total);
        QFETCH(quint64, spans);
        QFETCH(quint64, faults);
        QFETCH(qint64, elapsed);
        QFETCH(QString, text);
        QCOMPARE(progressText({.step = "", .done = done, .total = total, .spans = spans, .faults = faults}, elapsed), text);
    }
};

QTEST_GUILESS_MAIN(TestCompareModels)
#include "tst_comparemodels.moc"
