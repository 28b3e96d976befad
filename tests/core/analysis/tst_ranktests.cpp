// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rank tests, families of tests and Harrell-Davis weights: against SciPy's figures and against plain definitions.
#include "core/analysis/harrelldavis.h"
#include "core/analysis/multiplicity.h"
#include "core/analysis/ranktests.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace chokepoint;

namespace {

std::vector<Duration> sorted(std::initializer_list<std::int64_t> values)
{
    std::vector<Duration> durations;
    for (const std::int64_t value : values)
        durations.emplace_back(value);
    std::sort(durations.begin(), durations.end());
    return durations;
}

std::vector<Duration> randomSample(std::mt19937_64& random, std::size_t n, std::uint64_t range)
{
    std::vector<Duration> durations;
    for (std::size_t i = 0; i < n; ++i)
        durations.emplace_back(std::int64_t(random() % range) - std::int64_t(range / 3));
    std::sort(durations.begin(), durations.end());
    return durations;
}

bool isNear(double a, double b, double tolerance = 1e-12)
{
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

/// Every pair looked at.
struct PlainPairs {
    double u = 0;
    std::vector<std::int64_t> differences;

    PlainPairs(const std::vector<Duration>& before, const std::vector<Duration>& after)
    {
        for (const Duration a : after) {
            for (const Duration b : before) {
                u += a > b ? 1 : a == b ? 0.5 : 0;
                differences.push_back(toNs(a) - toNs(b));
            }
        }
        std::sort(differences.begin(), differences.end());
    }

    [[nodiscard]] std::int64_t median() const
    {
        const std::size_t half = differences.size() / 2;
        if (differences.size() % 2 == 1)
            return differences[half];
        const std::int64_t sum = differences[half - 1] + differences[half];
        return (sum + (sum % 2 == 0 ? 0 : sum < 0 ? -1 : 1)) / 2;
    }
};

/// P(U <= u) by going through every choice of ranks.
double plainExactP(std::size_t n, std::size_t m, double u)
{
    std::vector<bool> isAfter(n + m, false);
    std::fill(isAfter.begin() + std::ptrdiff_t(m), isAfter.end(), true);
    double extreme = 0;
    double all = 0;
    const double distance = std::abs(u - double(n * m) / 2);
    do {
        double larger = 0;
        std::size_t below = 0;
        for (const bool after : isAfter) {
            larger += after ? double(below) : 0;
            below += after ? 0 : 1;
        }
        all += 1;
        extreme += std::abs(larger - double(n * m) / 2) >= distance - 1e-9 ? 1 : 0;
    } while (std::next_permutation(isAfter.begin(), isAfter.end()));
    return extreme / all;
}

} // namespace

class tst_RankTests : public QObject {
    Q_OBJECT

private slots:
    void exactLikeScipy()
    {
        const RankTest test = rankTest(sorted({12, 15, 11, 19, 30, 22, 18}), sorted({25, 14, 33, 21, 40, 28, 16, 35}));
        QVERIFY(test.isExact);
        QCOMPARE(test.u, 43.0);
        QVERIFY(isNear(test.p, 0.09386169386169387));
    }

    void normalWithTiesLikeScipy()
    {
        const auto before = sorted({10, 10, 12, 13, 13, 13, 17, 20, 21, 22, 25, 25, 30, 31, 40, 41, 41, 44, 50, 52, 60, 61});
        const auto after = sorted({12, 13, 15, 25, 25, 41, 44, 52, 55, 60, 70, 71, 71, 80, 81, 90, 95, 99, 100, 104, 110, 120});
        const RankTest test = rankTest(before, after);
        QVERIFY(!test.isExact);
        QCOMPARE(test.u, 392.5);
        QVERIFY(isNear(test.p, 0.00042408789805716, 1e-10));
        QVERIFY(isNear(test.cliffsDelta, 2 * 392.5 / 484 - 1));
        QCOMPARE(QString(effectSizeName(test.cliffsDelta)), QString("large"));
    }

    void equalSamplesOfAnySize()
    {
        const std::vector<Duration> after(99, Duration{300'000'000});
        for (std::size_t n = 2; n <= 130; ++n) {
            const BrunnerMunzel test = *brunnerMunzel(std::vector<Duration>(n, Duration{300'000'000}), after);
            QCOMPARE(test.p, 1.0);
            QCOMPARE(test.statistic, 0.0);
        }
    }

    void agreesWithEveryPair()
    {
        std::mt19937_64 random(7);
        for (int round = 0; round < 300; ++round) {
            const auto before = randomSample(random, 1 + random() % 12, 1 + random() % 40);
            const auto after = randomSample(random, 1 + random() % 12, 1 + random() % 40);
            const PlainPairs plain(before, after);
            const RankTest test = rankTest(before, after);
            QCOMPARE(test.u, plain.u);
            QCOMPARE(toNs(hodgesLehmannShift(before, after)), plain.median());
            const RankTest back = rankTest(after, before);
            QCOMPARE(back.cliffsDelta, -test.cliffsDelta);
            QVERIFY(isNear(back.p, test.p));
            QCOMPARE(toNs(hodgesLehmannShift(after, before)), -plain.median());
            if (test.isExact && before.size() + after.size() <= 14)
                QVERIFY(isNear(test.p, plainExactP(after.size(), before.size(), plain.u), 1e-9));
        }
    }

    void extremes()
    {
        const auto same = sorted({5, 5, 5, 5});
        QCOMPARE(rankTest(same, same).p, 1.0);
        QCOMPARE(rankTest(same, same).cliffsDelta, 0.0);
        const auto low = sorted({std::numeric_limits<std::int64_t>::min() / 2});
        const auto high = sorted({std::numeric_limits<std::int64_t>::max() / 2});
        QCOMPARE(toNs(hodgesLehmannShift(low, high)),
            std::numeric_limits<std::int64_t>::max() / 2 - std::numeric_limits<std::int64_t>::min() / 2);
        QCOMPARE(rankTest(low, high).probabilityFaster, 0.0);
    }

    void families()
    {
        const std::vector<double> p = {0.01, 0.04, 0.03, 0.005, 0.2};
        const std::vector<double> holm = holmAdjusted(p);
        const std::vector<double> q = benjaminiHochbergAdjusted(p);
        const std::vector<double> expectedHolm = {0.04, 0.09, 0.09, 0.025, 0.2};
        const std::vector<double> expectedQ = {0.025, 0.05, 0.05, 0.025, 0.2}; // scipy.stats.false_discovery_control
        for (std::size_t i = 0; i < p.size(); ++i) {
            QVERIFY(isNear(holm[i], expectedHolm[i]));
            QVERIFY(isNear(q[i], expectedQ[i]));
        }
        QVERIFY(holmAdjusted({}).empty() && benjaminiHochbergAdjusted({}).empty());
    }

    /// scipy.stats.brunnermunzel and ttest_ind(equal_var=False).confidence_interval.
    void unequalSpreadsLikeScipy()
    {
        const std::vector<Duration> a = sorted({11, 25, 33, 40, 99});
        const std::vector<Duration> b = sorted({20, 30, 45, 67, 88, 101});
        const BrunnerMunzel few = *brunnerMunzel(a, b);
        QVERIFY(isNear(few.statistic, 0.8965815751510406) && isNear(few.p, 0.3945759940950578));
        const Interval interval = *welchInterval(a, b);
        QVERIFY(isNear(interval.low, -28.96470157480606) && isNear(interval.high, 62.76470157480607));
        const std::vector<Duration> c = sorted({100, 200, 300, 400, 500, 500});
        const std::vector<Duration> d = sorted({300, 400, 700, 900, 500, 500, 1000});
        const BrunnerMunzel ties = *brunnerMunzel(c, d);
        QVERIFY(isNear(ties.statistic, 2.597403893511355) && isNear(ties.p, 0.02482817190669909));
        const Interval wide = *welchInterval(c, d);
        QVERIFY(isNear(wide.low, 16.34597247797717) && isNear(wide.high, 545.5587894267849));
    }

    void unequalSpreadsAtTheEdges()
    {
        const std::vector<Duration> low = sorted({1, 2, 3});
        const std::vector<Duration> high = sorted({11, 12});
        QCOMPARE(brunnerMunzel(low, high)->p, 0.0);
        QVERIFY(brunnerMunzel(low, high)->statistic > 1e300 && brunnerMunzel(high, low)->statistic < -1e300);
        QCOMPARE(brunnerMunzel(sorted({5, 5}), sorted({5, 5}))->p, 1.0);
        QVERIFY(!brunnerMunzel(low, sorted({1})) && !welchInterval(sorted({1}), low) && !brunnerMunzel({}, low));
        QCOMPARE(*welchInterval(sorted({5, 5}), sorted({7, 7})), (Interval{2, 2}));
        std::mt19937_64 random(5);
        for (int round = 0; round < 50; ++round) {
            const std::vector<Duration> a = randomSample(random, 2 + random() % 40, 30);
            const std::vector<Duration> b = randomSample(random, 2 + random() % 40, 50);
            QCOMPARE(brunnerMunzel(b, a)->statistic, -brunnerMunzel(a, b)->statistic);
            QCOMPARE(brunnerMunzel(b, a)->p, brunnerMunzel(a, b)->p);
            QCOMPARE(welchInterval(b, a)->low, -welchInterval(a, b)->high);
        }
        QVERIFY(isNear(detectableShift(100, 100), 0.1143095213, 1e-9)); // algorithms.md 4.3: 0.114
    }

    void harrellDavisLikeScipy()
    {
        const std::vector<double> x = {3, 7, 8, 12, 13, 14, 18, 21, 27, 30, 44, 100};
        const auto estimate = [&](double p) {
            const QuantileWeights weights = harrellDavisWeights(x.size(), p);
            double sum = 0;
            for (std::size_t i = 0; i < weights.weight.size(); ++i)
                sum += weights.weight[i] * x[weights.first + i];
            return sum;
        };
        QVERIFY(isNear(estimate(0.5), 17.1317877797798, 1e-12)); // scipy.stats.mstats.hdquantiles
        QVERIFY(isNear(estimate(0.95), 87.85292062284964, 1e-12));
    }

    void weightsAreAWhole()
    {
        for (const std::size_t n : {1UL, 2UL, 7UL, 100UL, 5000UL, 200'000UL}) {
            for (const double p : {0.01, 0.5, 0.95, 0.99}) {
                const QuantileWeights weights = harrellDavisWeights(n, p);
                QVERIFY(!weights.weight.empty() && weights.first + weights.weight.size() <= n);
                QVERIFY(isNear(std::accumulate(weights.weight.begin(), weights.weight.end(), 0.0), 1.0));
                const QuantileWeights mirrored = harrellDavisWeights(n, 1 - p);
                QVERIFY(isNear(weights.weight.front(), mirrored.weight.back(), 1e-9));
            }
        }
    }
};

QTEST_GUILESS_MAIN(tst_RankTests)
#include "tst_ranktests.moc"
