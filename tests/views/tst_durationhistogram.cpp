// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram of end-to-end times: its bins and the range that is brushed on it.
#include "tests/testkit/randomtrace.h"
#include "views/traces/durationhistogram.h"
#include "views/traces/histogramview.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace chokepoint;
using namespace chokepoint::testkit;

class TestDurationHistogram : public QObject {
    Q_OBJECT

private slots:
    void histogramHoldsEveryValue();
    void histogramEdges_data();
    void histogramEdges();
    void brushByKeys();
};

void TestDurationHistogram::histogramHoldsEveryValue()
{
    Random random(3);
    for (int run = 0; run < 200; ++run) {
        std::array<std::vector<Duration>, 2> values;
        for (std::vector<Duration>& side : values) {
            for (std::uint64_t i = 0, n = random.below(50); i < n; ++i)
                side.push_back(Duration{random.between(run % 3 == 0 ? -5 : 0, std::int64_t(1) << random.below(62))});
        }
        values[0].push_back(unknownDuration);
        const AxisScale scale = run % 2 == 0 ? AxisScale::Linear : AxisScale::Logarithmic;
        const DurationHistogram histogram = durationHistogram(values[0], values[1], 1 + random.below(100), scale);
        for (std::size_t side = 0; side < 2; ++side) {
            std::size_t known = 0;
            for (const Duration value : values[side]) {
                known += isKnown(value) ? 1 : 0;
                QVERIFY(!isKnown(value) || histogram.binOf(value).has_value());
            }
            const auto& counts = histogram.counts[side];
            QCOMPARE(std::accumulate(counts.begin(), counts.end(), std::size_t(0)), known);
            QCOMPARE(histogram.totals[side], known);
        }
        QVERIFY(std::adjacent_find(histogram.edges.begin(), histogram.edges.end(), std::greater_equal<>()) == histogram.edges.end());
    }
}

void TestDurationHistogram::histogramEdges_data()
{
    QTest::addColumn<QList<qint64>>("values");
    QTest::addColumn<int>("bins");
    QTest::addColumn<bool>("log");
    QTest::addColumn<QList<qint64>>("edges");
    QTest::newRow("none") << QList<qint64>{} << 4 << false << QList<qint64>{};
    QTest::newRow("linear") << QList<qint64>{0, 99} << 4 << false << QList<qint64>{0, 25, 50, 75, 100};
    QTest::newRow("log") << QList<qint64>{1, 9999} << 4 << true << QList<qint64>{1, 10, 100, 1000, 10000};
    QTest::newRow("one value") << QList<qint64>{7} << 4 << false << QList<qint64>{7, 8};
    QTest::newRow("zeros on a log axis") << QList<qint64>{0, 0} << 4 << true << QList<qint64>{0, 1};
    QTest::newRow("fewer whole numbers than bins") << QList<qint64>{0, 1} << 10 << false << QList<qint64>{0, 1, 2};
}

void TestDurationHistogram::histogramEdges()
{
    QFETCH(QList<qint64>, values);
    QFETCH(int, bins);
    QFETCH(bool, log);
    QFETCH(QList<qint64>, edges);
    std::vector<Duration> durations;
    for (const qint64 value : values)
        durations.emplace_back(value);
    QList<qint64> actual;
    for (const Duration edge : durationHistogram(durations, {}, std::size_t(bins), log ? AxisScale::Logarithmic : AxisScale::Linear).edges)
        actual << toNs(edge);
    QCOMPARE(actual, edges);
}

void TestDurationHistogram::brushByKeys()
{
    HistogramView view;
    view.setValues({Duration{0}, Duration{500}, Duration{999}}, {});
    std::optional<Duration> from;
    std::optional<Duration> below;
    connect(&view, &HistogramView::rangeChanged, this, [&](std::optional<Duration> a, std::optional<Duration> b) {
        from = a;
        below = b;
        view.setRange(a, b);
    });
    const std::vector<Duration> edges = view.histogram().edges;
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(from == edges[0] && below == edges[1]);
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(from == edges[1] && below == edges[2]);
    QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(from == edges[1] && below == edges[3]);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!from && !below);
}

QTEST_MAIN(TestDurationHistogram)
#include "tst_durationhistogram.moc"
