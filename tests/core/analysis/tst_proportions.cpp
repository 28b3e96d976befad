// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rates against values that other programs print for them.
#include "core/analysis/proportions.h"

#include <QtTest>

#include <cmath>

using namespace chokepoint;

class tst_Proportions : public QObject {
    Q_OBJECT

private slots:
    void wilson_data()
    {
        QTest::addColumn<quint64>("successes");
        QTest::addColumn<quint64>("total");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        // scipy.stats.binomtest(k, n).proportion_ci(method="wilson")
        QTest::newRow("none") << quint64(0) << quint64(10) << 0.0 << 0.27753279986288926;
        QTest::newRow("all") << quint64(10) << quint64(10) << 0.7224672001371109 << 1.0;
        QTest::newRow("few") << quint64(3) << quint64(20) << 0.05236874589621662 << 0.3604188647407569;
        QTest::newRow("many") << quint64(4500) << quint64(10000) << 0.4402703556086 << 0.4597680442284677;
    }
    void wilson()
    {
        QFETCH(quint64, successes);
        QFETCH(quint64, total);
        QFETCH(double, low);
        QFETCH(double, high);
        const Interval interval = *wilsonInterval({successes, total});
        QVERIFY2(std::abs(interval.low - low) < 1e-12, qPrintable(QString::number(interval.low, 'g', 17)));
        QVERIFY2(std::abs(interval.high - high) < 1e-12, qPrintable(QString::number(interval.high, 'g', 17)));
    }

    void emptyIsUnknown()
    {
        QVERIFY(!wilsonInterval({}));
        QVERIFY(!proportionDifference({}, {1, 2}));
        QVERIFY(!proportionTest({1, 2}, {}));
        QVERIFY(!Proportion{}.rate());
    }

    void difference()
    {
        // Newcombe (1998), table II, row a: 56/70 against 48/80, method 10: 0.0524 to 0.3339
        const Interval newcombe = *proportionDifference({48, 80}, {56, 70});
        QVERIFY(std::abs(newcombe.low - 0.0524) < 5e-5);
        QVERIFY(std::abs(newcombe.high - 0.3339) < 5e-5);
        for (const Proportion a : {Proportion{0, 7}, Proportion{3, 9}, Proportion{50, 1000}}) {
            for (const Proportion b : {Proportion{7, 7}, Proportion{2, 31}, Proportion{1, 1000}}) {
                const Interval forward = *proportionDifference(a, b);
                const Interval back = *proportionDifference(b, a);
                QCOMPARE(back, (Interval{-forward.high, -forward.low}));
            }
        }
    }

    void test()
    {
        QVERIFY(std::abs(*proportionTest({45, 100}, {30, 100}) - 0.02845973691631055) < 1e-12);
        QCOMPARE(*proportionTest({0, 10}, {0, 20}), 1.0);
        QCOMPARE(*proportionTest({5, 10}, {10, 20}), 1.0);
    }
};

QTEST_GUILESS_MAIN(tst_Proportions)
#include "tst_proportions.moc"
