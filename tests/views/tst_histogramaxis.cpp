// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The axis of the histogram: round marks, and labels that stay apart.
#include "views/traces/histogramaxis.h"

#include <QStringList>
#include <QTest>

#include <cmath>

using namespace chokepoint;

namespace {

constexpr double ms = 1e6; // ns

} // namespace

class TestHistogramAxis : public QObject {
    Q_OBJECT

private slots:
    void axisMarks_data();
    void axisMarks();
    void quantilesNeedEnoughValues();
    void labelsOfQuantilesStayApart_data();
    void labelsOfQuantilesStayApart();
};

void TestHistogramAxis::axisMarks_data()
{
    QTest::addColumn<QList<double>>("values"); // ms
    QTest::addColumn<AxisScale>("scale");
    QTest::addColumn<QString>("marks"); // on 1,000 px, 100 px apart
    QTest::newRow("linear") << QList<double>{271, 3710} << AxisScale::Linear << "500 ms|1.00 s|1.50 s|2.00 s|2.50 s|3.00 s|3.50 s";
    QTest::newRow("from zero") << QList<double>{0, 9} << AxisScale::Linear
                               << "0 ns|1.00 ms|2.00 ms|3.00 ms|4.00 ms|5.00 ms|6.00 ms|7.00 ms|8.00 ms|9.00 ms";
    QTest::newRow("narrow: labels differ") << QList<double>{1001, 1009} << AxisScale::Linear
                                           << "1001 ms|1002 ms|1003 ms|1004 ms|1005 ms|1006 ms|1007 ms|1008 ms|1009 ms";
    QTest::newRow("one value") << QList<double>{5} << AxisScale::Linear << "5.00 ms";
    QTest::newRow("1, 2, 5") << QList<double>{3, 600} << AxisScale::Logarithmic << "5.00 ms|10.0 ms|20.0 ms|50.0 ms|100 ms|200 ms|500 ms";
    QTest::newRow("decades") << QList<double>{0.0001, 100'000} << AxisScale::Logarithmic
                             << "100 ns|1.00 µs|10.0 µs|100 µs|1.00 ms|10.0 ms|100 ms|1.00 s|10.0 s|1 m 40 s";
    QTest::newRow("less than a decade") << QList<double>{300, 900} << AxisScale::Logarithmic
                                        << "300 ms|400 ms|500 ms|600 ms|700 ms|800 ms|900 ms";
}

void TestHistogramAxis::axisMarks()
{
    QFETCH(QList<double>, values);
    QFETCH(AxisScale, scale);
    QFETCH(QString, marks);
    std::vector<Duration> durations;
    for (const double value : values)
        durations.emplace_back(std::llround(value * ms));
    const DurationHistogram histogram = durationHistogram(durations, {}, 20, scale);
    QStringList labels;
    double last = -1;
    for (const AxisTick& tick : axisTicks(histogram, scale, 1000, 100)) {
        labels << tick.label;
        QVERIFY(tick.position >= 0 && tick.position <= 1);
        QVERIFY(last < 0 || (tick.position - last) * 1000 > 99.9);
        QVERIFY(std::abs(tick.position - axisPosition(histogram, scale, tick.value).value()) < 1e-12);
        last = tick.position;
    }
    QCOMPARE(labels.join('|'), marks);
    QVERIFY(!axisPosition(histogram, scale, histogram.edges.back() + Duration{1}));
}

void TestHistogramAxis::quantilesNeedEnoughValues()
{
    const auto names = [](std::size_t count) {
        QStringList result;
        for (const QuantileMark& mark : quantileMarks(std::vector<Duration>(count, Duration{7})))
            result << mark.name + QLatin1Char(' ') + QString::number(toNs(mark.value));
        return result.join('|');
    };
    QCOMPARE(names(0), QString());
    QCOMPARE(names(5), QString());
    QCOMPARE(names(6), QString("P50 7"));
    QCOMPARE(names(71), QString("P50 7"));
    QCOMPARE(names(72), QString("P50 7|P95 7"));
}

void TestHistogramAxis::labelsOfQuantilesStayApart_data()
{
    QTest::addColumn<double>("p50");
    QTest::addColumn<double>("p95");
    QTest::addColumn<double>("width");
    QTest::addColumn<double>("first"); // -1: no place
    QTest::addColumn<double>("second");
    QTest::newRow("apart") << 300.0 << 600.0 << 1000.0 << 198.0 << 602.0;
    QTest::newRow("equal") << 500.0 << 500.0 << 1000.0 << 398.0 << 508.0;
    QTest::newRow("both at the left border") << 5.0 << 9.0 << 1000.0 << 0.0 << 110.0;
    QTest::newRow("both at the right border") << 990.0 << 995.0 << 1000.0 << 790.0 << 900.0;
    QTest::newRow("no place for both") << 60.0 << 80.0 << 150.0 << -1.0 << 50.0;
}

void TestHistogramAxis::labelsOfQuantilesStayApart()
{
    QFETCH(double, p50);
    QFETCH(double, p95);
    QFETCH(double, width);
    const LabelPair places = placeLabels(p50, 100, p95, 100, width);
    QTEST(places.first.value_or(-1), "first");
    QTEST(places.second, "second");
}

QTEST_GUILESS_MAIN(TestHistogramAxis)
#include "tst_histogramaxis.moc"
