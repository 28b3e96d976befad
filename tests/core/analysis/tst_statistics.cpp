// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Quantiles and means are exact; intervals agree with their plain definitions.
#include "core/analysis/bootstrap.h"
#include "core/analysis/comparability.h"
#include "core/analysis/statistics.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace chokepoint;

namespace {

std::vector<Duration> nanoseconds(std::initializer_list<std::int64_t> values)
{
    std::vector<Duration> durations;
    for (const std::int64_t value : values)
        durations.emplace_back(value);
    return durations;
}

/// n latencies around \a scale with a heavy tail, ascending.
std::vector<Duration> latencies(std::uint64_t seed, std::size_t n, double scale)
{
    RandomStream random(seed, 0);
    std::vector<Duration> values;
    for (std::size_t i = 0; i < n; ++i)
        values.emplace_back(std::llround(scale * std::exp(0.5 * random.normal())));
    std::sort(values.begin(), values.end());
    return values;
}

/// A resample of \a values drawn one by one, ascending.
std::vector<Duration> resampled(const std::vector<Duration>& values, std::mt19937_64& random)
{
    std::vector<Duration> drawn;
    for (std::size_t i = 0; i < values.size(); ++i)
        drawn.push_back(values[random() % values.size()]);
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

/// P(count <= k) of a binomial count, summed term by term.
double binomialUpTo(std::int64_t k, std::size_t n, double p)
{
    double sum = 0;
    for (std::int64_t i = 0; i <= k; ++i)
        sum += std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(i) + 1) - std::lgamma(double(n) - double(i) + 1)
            + double(i) * std::log(p) + double(std::int64_t(n) - i) * std::log1p(-p));
    return sum;
}

bool isNear(double a, double b, double tolerance)
{
    return std::abs(a - b) <= tolerance;
}

} // namespace

class TestStatistics : public QObject {
    Q_OBJECT

private slots:
    void quantiles_data();
    void quantiles();
    void quantilesOfHundred();
    void quantileIsExactForLargeValues();
    void means();
    void quantileIntervalIsTheNarrowestThatHolds_data();
    void quantileIntervalIsTheNarrowestThatHolds();
    void minimumSizes();
    void quantileDifferenceAgreesWithResampling_data();
    void quantileDifferenceAgreesWithResampling();
    void quantileDifferenceNegates();
    void quantileDifferenceOfOne();
    void meansAgreeWithResampling();
    void meansKeepStagesTogether();
    void threadsAndSeedsOfTheBootstrap();
    void constantColumnsHaveNoSpread();
    void percentileIntervalNegates();
    void gammaMoments_data();
    void gammaMoments();
    void fisher_data();
    void fisher();
};

void TestStatistics::quantiles_data()
{
    QTest::addColumn<QList<qint64>>("sorted");
    QTest::addColumn<double>("p");
    QTest::addColumn<qint64>("expected");
    QTest::newRow("one") << QList<qint64>{7} << 0.95 << qint64(7);
    QTest::newRow("lowest") << QList<qint64>{1, 2, 3} << 0.0 << qint64(1);
    QTest::newRow("highest") << QList<qint64>{1, 2, 3} << 1.0 << qint64(3);
    QTest::newRow("middle") << QList<qint64>{1, 2, 3} << 0.5 << qint64(2);
    QTest::newRow("half up") << QList<qint64>{1, 2} << 0.5 << qint64(2);
    QTest::newRow("half away from zero") << QList<qint64>{-2, -1} << 0.5 << qint64(-2);
    QTest::newRow("quarter") << QList<qint64>{0, 100} << 0.25 << qint64(25);
    QTest::newRow("below half") << QList<qint64>{0, 10} << 0.949 << qint64(9);
}

void TestStatistics::quantiles()
{
    QFETCH(QList<qint64>, sorted);
    QFETCH(double, p);
    QFETCH(qint64, expected);
    std::vector<Duration> values;
    for (const qint64 value : sorted)
        values.emplace_back(value);
    QCOMPARE(qint64(toNs(quantile(values, p))), expected);
}

void TestStatistics::quantilesOfHundred()
{
    std::vector<Duration> values;
    for (std::int64_t ms = 1; ms <= 100; ++ms)
        values.emplace_back(ms * 1'000'000);
    QCOMPARE(toNs(quantile(values, 0.50)), std::int64_t(50'500'000));
    QCOMPARE(toNs(quantile(values, 0.90)), std::int64_t(90'100'000));
    QCOMPARE(toNs(quantile(values, 0.95)), std::int64_t(95'050'000));
    QCOMPARE(toNs(quantile(values, 0.99)), std::int64_t(99'010'000));
    QCOMPARE(toNs(mean(values)), std::int64_t(50'500'000));
    QVERIFY(!isKnown(quantile({}, 0.5)));
}

void TestStatistics::quantileIsExactForLargeValues()
{
    const std::int64_t large = 4'000'000'000'000'000'001; // not a double
    QCOMPARE(toNs(quantile(nanoseconds({large, large, large + 2}), 0.5)), large);
    QCOMPARE(toNs(quantile(nanoseconds({large, large + 2}), 0.5)), large + 1);
    QCOMPARE(toNs(quantile(nanoseconds({-large, large}), 0.5)), std::int64_t(0));
}

void TestStatistics::means()
{
    const std::int64_t large = std::numeric_limits<std::int64_t>::max();
    QCOMPARE(toNs(mean(nanoseconds({large, large, large - 3}))), large - 1);
    QCOMPARE(toNs(mean(nanoseconds({1, 2}))), std::int64_t(2)); // 1.5
    QCOMPARE(toNs(mean(nanoseconds({-1, -2}))), std::int64_t(-2));
    QCOMPARE(toNs(mean(nanoseconds({1, 1, 2}))), std::int64_t(1));
    QVERIFY(!isKnown(mean({})));
}

void TestStatistics::quantileIntervalIsTheNarrowestThatHolds_data()
{
    QTest::addColumn<int>("n");
    QTest::addColumn<double>("p");
    for (const int n : {5, 6, 20, 71, 72, 100, 367, 368, 500}) {
        for (const double p : {0.5, 0.95, 0.99})
            QTest::addRow("n %d p %.2f", n, p) << n << p;
    }
}

void TestStatistics::quantileIntervalIsTheNarrowestThatHolds()
{
    QFETCH(int, n);
    QFETCH(double, p);
    std::vector<Duration> ranks(std::size_t(n), Duration(0));
    for (int i = 0; i < n; ++i)
        ranks[std::size_t(i)] = Duration(i + 1);
    const std::optional<Interval> interval = quantileInterval(ranks, p);
    QCOMPARE(interval.has_value(), std::size_t(n) >= minimumForValue(p));
    if (!interval)
        return;
    const auto low = std::int64_t(interval->low); // the values are their own ranks
    const auto high = std::int64_t(interval->high);
    QVERIFY(binomialUpTo(low - 1, std::size_t(n), p) <= 0.025);
    QVERIFY(1 - binomialUpTo(high - 1, std::size_t(n), p) <= 0.025 + 1e-12);
    QVERIFY(binomialUpTo(low, std::size_t(n), p) > 0.025); // one rank further in would not do
    QVERIFY(1 - binomialUpTo(high - 2, std::size_t(n), p) > 0.025);
}

void TestStatistics::minimumSizes()
{
    QCOMPARE(minimumForInterval(0.5), std::size_t(30));
    QCOMPARE(minimumForInterval(0.95), std::size_t(100));
    QCOMPARE(minimumForInterval(0.99), std::size_t(500));
    QCOMPARE(minimumForValue(0.5), std::size_t(6));
    QCOMPARE(minimumForValue(0.95), std::size_t(72));
    QCOMPARE(minimumForValue(0.99), std::size_t(368));
}

void TestStatistics::quantileDifferenceAgreesWithResampling_data()
{
    QTest::addColumn<double>("p");
    QTest::addColumn<int>("n");
    QTest::newRow("median of 40") << 0.5 << 40;
    QTest::newRow("median of 300") << 0.5 << 300;
    QTest::newRow("P95 of 150") << 0.95 << 150;
    QTest::newRow("P99 of 500") << 0.99 << 500;
}

void TestStatistics::quantileDifferenceAgreesWithResampling()
{
    QFETCH(double, p);
    QFETCH(int, n);
    const std::vector<Duration> before = latencies(1, std::size_t(n), 1e9);
    const std::vector<Duration> after = latencies(2, std::size_t(n), 1.2e9);
    constexpr unsigned replicates = 20'000;
    const Interval exact = quantileDifferenceInterval(before, after, p, 1, replicates);
    std::mt19937_64 random(99);
    std::vector<double> differences;
    for (unsigned r = 0; r < replicates; ++r) {
        const std::int64_t second = toNs(quantile(resampled(after, random), p));
        differences.push_back(double(second - toNs(quantile(resampled(before, random), p))));
    }
    const Interval drawn = percentileInterval(differences);
    const double tolerance = 0.04 * (drawn.high - drawn.low); // the ends of either scatter by about 1 %
    QVERIFY2(isNear(exact.low, drawn.low, tolerance), qPrintable(QString("%1 %2").arg(exact.low).arg(drawn.low)));
    QVERIFY2(isNear(exact.high, drawn.high, tolerance), qPrintable(QString("%1 %2").arg(exact.high).arg(drawn.high)));
}

void TestStatistics::quantileDifferenceNegates()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const std::vector<Duration> before = latencies(seed, 50 + seed, 1e9);
        const std::vector<Duration> after = latencies(seed + 100, 80, 1e9);
        const Interval there = quantileDifferenceInterval(before, after, 0.95, seed, 500);
        const Interval back = quantileDifferenceInterval(after, before, 0.95, seed, 500);
        QCOMPARE(back.low, -there.high);
        QCOMPARE(back.high, -there.low);
        QCOMPARE(quantileDifferenceInterval(before, before, 0.95, seed, 500), (Interval{0, 0}));
    }
}

void TestStatistics::quantileDifferenceOfOne()
{
    const std::vector<Duration> one = nanoseconds({5});
    const std::vector<Duration> other = nanoseconds({7});
    QCOMPARE(quantileDifferenceInterval(one, other, 0.5, 1, 100), (Interval{2, 2}));
}

void TestStatistics::meansAgreeWithResampling()
{
    const std::vector<Duration> values = latencies(3, 120, 1e9);
    TraceTable table{values.size(), 1, {}};
    for (const Duration value : values)
        table.values.push_back(toNs(value));
    constexpr unsigned replicates = 20'000;
    const ReplicateMeans means = resampleMeans(table, 5, replicates, 2);
    std::vector<double> fast;
    std::vector<double> plain;
    std::mt19937_64 random(98);
    for (unsigned r = 0; r < replicates; ++r) {
        fast.push_back(means.at(r, 0));
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            sum += double(toNs(values[random() % values.size()]));
        plain.push_back(sum / double(values.size()));
    }
    const Interval a = percentileInterval(fast);
    const Interval b = percentileInterval(plain);
    QVERIFY(isNear(a.low, b.low, 0.03 * (b.high - b.low)));
    QVERIFY(isNear(a.high, b.high, 0.03 * (b.high - b.low)));
}

void TestStatistics::meansKeepStagesTogether()
{
    RandomStream random(4, 0);
    for (const std::size_t columns : {std::size_t(2), std::size_t(4), std::size_t(7), std::size_t(13)}) {
        TraceTable table{777, columns, {}};
        for (std::size_t r = 0; r < table.rows; ++r) {
            std::int64_t sum = 0;
            for (std::size_t c = 0; c + 1 < columns; ++c) {
                table.values.push_back(std::int64_t(random.next() % 1'000'000'000));
                sum += table.values.back();
            }
            table.values.push_back(sum);
        }
        const ReplicateMeans means = resampleMeans(table, 1, 50, 1);
        for (std::size_t r = 0; r < means.replicates(); ++r) {
            double sum = 0;
            for (std::size_t c = 0; c + 1 < columns; ++c)
                sum += means.at(r, c);
            QVERIFY(isNear(sum, means.at(r, columns - 1), 1e-6 * sum)); // one resample for all columns
        }
    }
}

void TestStatistics::threadsAndSeedsOfTheBootstrap()
{
    const std::vector<Duration> values = latencies(6, 100, 1e9);
    TraceTable table{values.size(), 1, {}};
    for (const Duration value : values)
        table.values.push_back(toNs(value));
    const ReplicateMeans one = resampleMeans(table, 1, 333, 1);
    QCOMPARE(one.replicates(), std::size_t(333));
    QVERIFY(one.means == resampleMeans(table, 1, 333, 4).means);
    QVERIFY(one.means != resampleMeans(table, 2, 333, 1).means);
    QCOMPARE(resampleMeans({}, 1, 10, 1).replicates(), std::size_t(0));
}

void TestStatistics::constantColumnsHaveNoSpread()
{
    const TraceTable table{99, 1, std::vector<std::int64_t>(99, 123'456'789'012'345)};
    const ReplicateMeans means = resampleMeans(table, 1, 100, 1);
    for (std::size_t r = 0; r < 100; ++r)
        QCOMPARE(means.at(r, 0), 123'456'789'012'345.0);
}

void TestStatistics::percentileIntervalNegates()
{
    std::vector<double> values(1001);
    std::iota(values.begin(), values.end(), 0.0);
    std::vector<double> negated(values);
    std::for_each(negated.begin(), negated.end(), [](double& v) { v = -v; });
    QCOMPARE(percentileInterval(values), (Interval{25, 975}));
    QCOMPARE(percentileInterval(negated), (Interval{-975, -25}));
}

void TestStatistics::gammaMoments_data()
{
    QTest::addColumn<double>("shape");
    for (const double shape : {0.3, 1.0, 2.5, 40.0, 2000.0})
        QTest::addRow("%g", shape) << shape;
}

void TestStatistics::gammaMoments()
{
    QFETCH(double, shape);
    RandomStream random(8, 0);
    constexpr int n = 200'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < n; ++i) {
        const double x = random.gamma(shape);
        sum += x;
        squares += (x - shape) * (x - shape);
    }
    QVERIFY(isNear(sum / n, shape, 5 * std::sqrt(shape / n))); // five standard errors
    QVERIFY(isNear(squares / n, shape, 0.05 * shape));
}

void TestStatistics::fisher_data()
{
    QTest::addColumn<int>("a");
    QTest::addColumn<int>("n1");
    QTest::addColumn<int>("b");
    QTest::addColumn<int>("n2");
    QTest::addColumn<double>("p");
    QTest::newRow("tea") << 3 << 4 << 1 << 4 << 34.0 / 70;
    QTest::newRow("all apart") << 5 << 5 << 0 << 5 << 2.0 / 252;
    QTest::newRow("alike") << 2 << 10 << 2 << 10 << 1.0;
    QTest::newRow("none") << 0 << 10 << 0 << 20 << 1.0;
    QTest::newRow("empty side") << 0 << 0 << 3 << 20 << 1.0;
}

void TestStatistics::fisher()
{
    QFETCH(int, a);
    QFETCH(int, n1);
    QFETCH(int, b);
    QFETCH(int, n2);
    QFETCH(double, p);
    const auto test = [](int x, int m, int y, int n) {
        return fisherExact(std::uint64_t(x), std::uint64_t(m), std::uint64_t(y), std::uint64_t(n));
    };
    QVERIFY(isNear(test(a, n1, b, n2), p, 1e-9));
    QVERIFY(isNear(test(b, n2, a, n1), p, 1e-9));
}

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
