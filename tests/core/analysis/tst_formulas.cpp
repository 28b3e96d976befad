// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The closed forms against their worked numbers.
#include "core/analysis/formulas.h"

#include <QtTest>

#include <cmath>

using namespace chokepoint::formulas;

namespace {

bool isNear(double a, double b, double tolerance = 1e-9)
{
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

} // namespace

class tst_Formulas : public QObject {
    Q_OBJECT

private slots:
    void amdahl()
    {
        QVERIFY(isNear(amdahlSpeedup(0.2, 0.1), 1 / 0.82)); // a fifth of the time ten times faster
        QVERIFY(isNear(amdahlSpeedup(0.2, 0.5), 1 / 0.9));
        QVERIFY(isNear(amdahlCeiling(0.2), 1.25));
        QVERIFY(std::isinf(amdahlCeiling(1)));
    }

    void retries()
    {
        QVERIFY(isNear(expectedAttempts(0.1, 1), 1.1));
        QVERIFY(isNear(expectedAttempts(0.1, 2), 1.11));
        QVERIFY(isNear(expectedAttempts(0.1, 3), 1.111));
        QVERIFY(isNear(expectedAttempts(0.3, 3), 1.417));
        QCOMPARE(expectedAttempts(1, 3), 4.0);
        QVERIFY(isNear(allFail(0.1, 1), 1e-2) && isNear(allFail(0.1, 3), 1e-4));
        QVERIFY(isNear(expectedRetryTime(0.1, 3, 800, 100, 2), 901.2));
        QVERIFY(isNear(*expectedAttemptsUnlimited(0.1), 1 / 0.9));
        QVERIFY(!expectedAttemptsUnlimited(1));
    }

    void caches_data()
    {
        QTest::addColumn<double>("hits");
        QTest::addColumn<double>("time");
        QTest::newRow("none") << 0.0 << 205.0;
        QTest::newRow("some") << 0.3 << 145.0;
        QTest::newRow("most") << 0.9 << 25.0;
    }
    void caches()
    {
        QFETCH(double, hits);
        QFETCH(double, time);
        QVERIFY(isNear(cacheTime(hits, 5, 200), time));
    }

    void routers()
    {
        const Router router{10, 200, 1000, 0.7, 0};
        QVERIFY(isNear(routerTime(router, 1), 450));
        QVERIFY(isNear(routerTime(router, 0.95), 481));
        QVERIFY(isNear(routerTime(router, 0.9), 512));
        QVERIFY(isNear(routerTime(router, 0.8), 574));
        QVERIFY(isNear(*routerBreakEven(router), 70.0 / 620, 1e-9)); // 0.1129
        QVERIFY(isNear(routerTime(router, *routerBreakEven(router)), router.large));
        QVERIFY(!routerBreakEven({0, 0, 0, 0.5, 0}));
    }

    void speculation()
    {
        QVERIFY(isNear(tokensPerVerification(0.8, 4), 3.3616));
        QVERIFY(isNear(1 / speculativeFactor(0.8, 4, 0.05), 2.8013, 1e-4));
        QVERIFY(isNear(1 / speculativeFactor(0.8, 4, 0.1), 2.4011, 1e-4));
        QVERIFY(isNear(tokensPerVerification(0.6, 4), 2.3056));
        QVERIFY(isNear(1 / speculativeFactor(0.6, 4, 0.1), 1.6469, 1e-4));
        QVERIFY(isNear(1 / speculativeFactor(0, 4, 0.1), 0.7143, 1e-4));
        QVERIFY(isNear(1 / speculativeFactor(1, 4, 0.1), 3.5714, 1e-4));
        QCOMPARE(tokensPerVerification(1, 4), 5.0);
    }

    void speculationThresholds_data()
    {
        QTest::addColumn<unsigned>("draft");
        QTest::addColumn<double>("cost");
        QTest::addColumn<double>("acceptance");
        QTest::newRow("1") << 1U << 0.1 << 0.1;
        QTest::newRow("2") << 2U << 0.1 << 0.1708;
        QTest::newRow("3") << 3U << 0.1 << 0.2330;
        QTest::newRow("4") << 4U << 0.1 << 0.2871;
        QTest::newRow("5") << 5U << 0.1 << 0.3343;
        QTest::newRow("8") << 8U << 0.1 << 0.4448;
        QTest::newRow("4, cheap") << 4U << 0.02 << 0.0741;
        QTest::newRow("4, dear") << 4U << 0.2 << 0.4553;
        QTest::newRow("never") << 4U << 1.5 << 1.0;
    }
    void speculationThresholds()
    {
        QFETCH(unsigned, draft);
        QFETCH(double, cost);
        QFETCH(double, acceptance);
        QVERIFY(std::abs(speculativeBreakEven(draft, cost) - acceptance) < 5e-5);
    }

    void queues()
    {
        const auto station = [](double utilization, unsigned servers, double serviceVariation = 1) {
            return Station{utilization * servers / 100, 100, servers, 1, serviceVariation};
        };
        QVERIFY(isNear(*waitErlang(station(0.8, 1)), 400)); // M/M/1
        QVERIFY(isNear(*waitAllenCunneen(station(0.8, 1, 0)), 200)); // M/D/1
        QVERIFY(isNear(*waitErlang(station(0.5, 1)), 100));
        QVERIFY(isNear(*erlangC(station(0.8, 2)), 0.7111, 1e-4));
        QVERIFY(isNear(*waitErlang(station(0.8, 2)), 177.78, 1e-4));
        QVERIFY(isNear(*waitSakasegawa(station(0.8, 2)), 180.91, 1e-4));
        QVERIFY(isNear(*waitErlang(station(0.9, 4)), 196.94, 1e-4));
        QVERIFY(isNear(*waitSakasegawa(station(0.9, 4)), 199.07, 1e-4));
        QVERIFY(isNear(*waitErlang(station(0.9, 8)), 87.69, 1e-4));
        QVERIFY(isNear(*waitSakasegawa(station(0.9, 8)), 88.82, 1e-4));
        QVERIFY(!waitErlang(station(1, 1)) && !waitSakasegawa(station(1.2, 2)) && !waitAllenCunneen(station(1, 3)));
        // An unlimited retry of a tenth brings 0.8 to 0.8889 and doubles the wait.
        QVERIFY(isNear(*waitErlang(station(0.8 * *expectedAttemptsUnlimited(0.1), 1)), 800));
        QVERIFY(*waitErlang(station(0.8, 1000)) < 1e-3);
    }
};

QTEST_GUILESS_MAIN(tst_Formulas)
#include "tst_formulas.moc"
