// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Time scale, ruler, zoom and pan.
#include "tests/testkit/randomtrace.h"
#include "views/waterfall/timescale.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace chokepoint;

namespace {

TimeRange range(std::int64_t begin, std::int64_t end)
{
    return {timestampFromNs(begin), timestampFromNs(end)};
}

constexpr std::int64_t day = 86'400'000'000'000;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min() + 1;
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

} // namespace

class TestWaterfallTime : public QObject {
    Q_OBJECT

private slots:
    void runs_data();
    void runs();
    void runsStayInside();
    void columnsOfRuns();
    void timeAtInvertsXAt();
    void fittedViews_data();
    void fittedViews();
    void ticks_data();
    void ticks();
    void zoomKeepsTheAnchor();
    void zoomInAndOutReturns();
    void viewsStayInBounds();
    void reveal_data();
    void reveal();
};

void TestWaterfallTime::runs_data()
{
    QTest::addColumn<qint64>("viewBegin");
    QTest::addColumn<qint64>("viewEnd");
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("end");
    QTest::addColumn<bool>("visible");
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("width");

    // A batch of 30 days with a child of 1 us and one of 1 ns, seen through 2 us.
    constexpr qint64 batch = 1'700'000'000'000'000'000;
    constexpr qint64 from = 1'701'468'799'999'999'500;
    constexpr qint64 to = 1'701'468'800'000'001'500;
    QTest::newRow("30 days cover the view") << from << to << batch << batch + 30 * qint64(day) << true << 0.0 << 1000.0;
    QTest::newRow("1 us is half of it") << from << to << qint64(1'701'468'800'000'000'000) << qint64(1'701'468'800'000'001'000) << true
                                        << 250.0 << 500.0;
    QTest::newRow("1 ns is widened to a pixel")
        << from << to << qint64(1'701'468'800'000'001'200) << qint64(1'701'468'800'000'001'201) << true << 850.0 << 1.0;
    QTest::newRow("inside") << qint64(0) << qint64(1000) << qint64(100) << qint64(300) << true << 100.0 << 200.0;
    QTest::newRow("no length") << qint64(0) << qint64(1000) << qint64(100) << qint64(100) << true << 100.0 << 1.0;
    QTest::newRow("no length at the very end stays inside")
        << qint64(0) << qint64(1000) << qint64(1000) << qint64(1000) << true << 999.0 << 1.0;
    QTest::newRow("clipped left") << qint64(500) << qint64(1500) << qint64(0) << qint64(600) << true << 0.0 << 100.0;
    QTest::newRow("clipped right") << qint64(500) << qint64(1500) << qint64(1400) << qint64(9000) << true << 900.0 << 100.0;
    QTest::newRow("before") << qint64(500) << qint64(1500) << qint64(0) << qint64(500) << false << 0.0 << 0.0;
    QTest::newRow("after") << qint64(500) << qint64(1500) << qint64(1500) << qint64(1600) << false << 0.0 << 0.0;
    QTest::newRow("all of time") << qint64(lowest) << qint64(highest) << qint64(lowest) << qint64(highest) << true << 0.0 << 1000.0;
    QTest::newRow("half of all time") << qint64(lowest) << qint64(highest) << qint64(0) << qint64(highest) << true << 500.0 << 500.0;
}

void TestWaterfallTime::runs()
{
    QFETCH(qint64, viewBegin);
    QFETCH(qint64, viewEnd);
    QFETCH(qint64, begin);
    QFETCH(qint64, end);
    QFETCH(bool, visible);
    QFETCH(double, x);
    QFETCH(double, width);

    const TimeScale scale(range(viewBegin, viewEnd), 1000);
    QCOMPARE(scale.intersects(timestampFromNs(begin), timestampFromNs(end)), visible);
    if (!visible)
        return;
    const PixelRun run = scale.run(timestampFromNs(begin), timestampFromNs(end));
    QCOMPARE(run.x + 1, x + 1); // QCOMPARE is relative; shifted away from zero
    QCOMPARE(run.width, width);
}

void TestWaterfallTime::runsStayInside()
{
    testkit::Random random(7);
    for (int i = 0; i < 20'000; ++i) {
        const auto any = [&random] { return std::int64_t(random.below(std::numeric_limits<std::uint64_t>::max())) >> random.below(60); };
        const std::int64_t a = std::max(lowest, any());
        const std::int64_t b = std::max(lowest, any());
        const TimeScale scale(range(std::min(a, b), std::max(a, b)), double(1 + random.below(4000)) + 0.5);
        const Timestamp begin = timestampFromNs(std::max(lowest, any()));
        const Timestamp end = timestampFromNs(std::max(lowest, any()));
        const PixelRun run = scale.run(std::min(begin, end), std::max(begin, end));
        QVERIFY(std::isfinite(run.x) && std::isfinite(run.width));
        QVERIFY(run.x >= 0 && run.width >= 1 && run.x + run.width <= scale.width() + 1e-9);
        QVERIFY(scale.firstColumn(begin) >= 0 && scale.lastColumn(end) < scale.columns());
    }
}

void TestWaterfallTime::columnsOfRuns()
{
    const TimeScale scale(range(0, 100), 10); // 10 ns a column
    QCOMPARE(scale.firstColumn(timestampFromNs(10)), 1);
    QCOMPARE(scale.lastColumn(timestampFromNs(20)), 1);
    QCOMPARE(scale.lastColumn(timestampFromNs(21)), 2);
    QCOMPARE(scale.firstColumn(timestampFromNs(-5)), 0);
    QCOMPARE(scale.lastColumn(timestampFromNs(500)), 9);
}

void TestWaterfallTime::timeAtInvertsXAt()
{
    const TimeScale scale(range(1'701'468'799'999'999'500, 1'701'468'800'000'001'500), 1000);
    for (std::int64_t ns = 0; ns < 2000; ns += 2) {
        const Timestamp time = timestampFromNs(1'701'468'799'999'999'500 + ns);
        QCOMPARE(toNs(scale.timeAt(scale.xAt(time))), toNs(time));
    }
    QCOMPARE(toNs(scale.timeAt(-50)), std::int64_t(1'701'468'799'999'999'500));
    QCOMPARE(toNs(scale.timeAt(5000)), std::int64_t(1'701'468'800'000'001'500));
}

void TestWaterfallTime::fittedViews_data()
{
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("end");
    QTest::addColumn<qint64>("viewBegin");
    QTest::addColumn<qint64>("viewEnd");
    QTest::newRow("exactly the trace") << qint64(1000) << qint64(9000) << qint64(1000) << qint64(9000);
    QTest::newRow("no length") << qint64(5000) << qint64(5000) << qint64(4500) << qint64(5500);
    QTest::newRow("one nanosecond") << qint64(5000) << qint64(5001) << qint64(4500) << qint64(5500);
    QTest::newRow("no length at the end of time") << qint64(highest) << qint64(highest) << qint64(highest - 500) << qint64(highest);
}

void TestWaterfallTime::fittedViews()
{
    QFETCH(qint64, begin);
    QFETCH(qint64, end);
    QFETCH(qint64, viewBegin);
    QFETCH(qint64, viewEnd);
    const TimeRange view = fittedView(range(begin, end));
    QCOMPARE(toNs(view.begin), std::int64_t(viewBegin));
    QCOMPARE(toNs(view.end), std::int64_t(viewEnd));
}

void TestWaterfallTime::ticks_data()
{
    QTest::addColumn<qint64>("origin");
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("end");
    QTest::addColumn<QString>("base");
    QTest::addColumn<QStringList>("firstLabels");
    constexpr qint64 second = 1'000'000'000;
    QTest::newRow("milliseconds") << qint64(0) << qint64(0) << 2 * second << QString()
                                  << QStringList{"0 ms", "500 ms", "1000 ms", "1500 ms", "2000 ms"};
    QTest::newRow("offsets count from the origin")
        << 5 * second << 5 * second << 7 * second << QString() << QStringList{"0 ms", "500 ms", "1000 ms"};
    QTest::newRow("seconds") << qint64(0) << qint64(0) << 40 * second << QString() << QStringList{"0 s", "5 s", "10 s"};
    QTest::newRow("hours as a clock") << qint64(0) << qint64(0) << 7200 * second << QString()
                                      << QStringList{"0:00:00", "0:15:00", "0:30:00"};
    QTest::newRow("days") << qint64(0) << qint64(0) << 30 * qint64(day) << QString()
                          << QStringList{"0:00:00", "5 d 0:00:00", "10 d 0:00:00"};
    QTest::newRow("fractions") << qint64(0) << qint64(10'000) << qint64(10'002) << QString()
                               << QStringList{"10.000 \u00b5s", "10.001 \u00b5s", "10.002 \u00b5s"};
    QTest::newRow("deep inside 30 days") << qint64(0) << 17 * qint64(day) - 500 << 17 * qint64(day) + 1500
                                         << QStringLiteral("16 d 23:59:59.9995")
                                         << QStringList{
                                                "+499.5 \u00b5s", "+500.0 \u00b5s", "+500.5 \u00b5s", "+501.0 \u00b5s", "+501.5 \u00b5s"};
}

void TestWaterfallTime::ticks()
{
    QFETCH(qint64, origin);
    QFETCH(qint64, begin);
    QFETCH(qint64, end);
    QFETCH(QString, base);
    QFETCH(QStringList, firstLabels);

    const TimeTicks ticks = timeTicks(TimeScale(range(begin, end), 1000), timestampFromNs(origin), 120);
    QCOMPARE(QString::fromStdString(ticks.base), base);
    QStringList labels;
    for (const TimeTick& tick : ticks.ticks)
        labels << QString::fromStdString(tick.label);
    QCOMPARE(labels.mid(0, firstLabels.size()), firstLabels);
    for (std::size_t i = 1; i < ticks.ticks.size(); ++i) {
        QVERIFY(ticks.ticks[i].label != ticks.ticks[i - 1].label);
        QVERIFY(ticks.ticks[i].x - ticks.ticks[i - 1].x >= 100);
    }
}

void TestWaterfallTime::zoomKeepsTheAnchor()
{
    TimeNavigator time(range(0, 1'000'000));
    const Timestamp anchor = timestampFromNs(300'000);
    const double before = TimeScale(time.view(), 1000).xAt(anchor);
    time.zoom(4, anchor);
    QCOMPARE(toNs(time.view().length()), std::int64_t(250'000));
    QVERIFY(std::abs(TimeScale(time.view(), 1000).xAt(anchor) - before) < 0.1);
}

void TestWaterfallTime::zoomInAndOutReturns()
{
    testkit::Random random(11);
    for (int i = 0; i < 200; ++i) {
        const std::int64_t begin = random.between(-1'000'000'000'000, 1'000'000'000'000);
        TimeNavigator time(range(begin, begin + 1 + random.between(0, 5'000'000'000)));
        time.zoom(int(random.below(5)), timestampFromNs(begin));
        time.pan(Duration{random.between(0, 1000)});
        const TimeRange before = time.view();
        const Timestamp anchor = timestampFromNs(toNs(before.begin) + random.between(0, toNs(before.length())));
        const int steps = int(random.below(20));
        time.zoom(steps, anchor);
        time.zoom(-steps, anchor);
        QVERIFY2(time.view() == before || steps > 0, "nothing happened, yet the view moved");
        // Steps that could not magnify any more cannot be undone one by one; then the view may be wider, but not narrower.
        QVERIFY(time.view().begin <= before.begin && time.view().end >= before.end);
    }
    TimeNavigator time(range(0, 1'000'000'000));
    const TimeRange before = time.view();
    time.zoom(9, timestampFromNs(123'456'789));
    QVERIFY(time.view() != before);
    time.zoom(-9, timestampFromNs(123'456'789));
    QCOMPARE(toNs(time.view().begin), toNs(before.begin));
    QCOMPARE(toNs(time.view().end), toNs(before.end));
}

void TestWaterfallTime::viewsStayInBounds()
{
    testkit::Random random(13);
    for (int run = 0; run < 50; ++run) {
        const std::int64_t begin = run == 0 ? lowest : random.between(-1000, 1000);
        const std::int64_t end = run == 0 ? highest : begin + random.between(0, 1'000'000);
        TimeNavigator time(range(begin, end));
        for (int step = 0; step < 100; ++step) {
            const Timestamp anchor = timestampFromNs(random.between(-2000, 2000));
            switch (random.below(4)) {
            case 0: time.zoom(int(random.between(-6, 6)), anchor); break;
            case 1: time.pan(Duration{random.between(-100'000, 100'000)}); break;
            case 2: time.show(range(random.between(-9000, 9000), random.between(-9000, 9000))); break;
            default: time.reveal(range(random.between(-9000, 0), random.between(0, 9000))); break;
            }
            QVERIFY(time.view().begin >= time.bounds().begin && time.view().end <= time.bounds().end);
            QVERIFY(toNs(time.view().length()) >= shortestViewNs);
        }
    }
}

void TestWaterfallTime::reveal_data()
{
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("end");
    QTest::addColumn<qint64>("viewBegin");
    QTest::newRow("in view: nothing moves") << qint64(4'100) << qint64(4'200) << qint64(4'000);
    QTest::newRow("left of it") << qint64(1'000) << qint64(1'100) << qint64(900);
    QTest::newRow("right of it") << qint64(8'000) << qint64(8'100) << qint64(6'600);
    QTest::newRow("longer than the view: from its start") << qint64(1'000) << qint64(9'000) << qint64(900);
}

void TestWaterfallTime::reveal()
{
    QFETCH(qint64, begin);
    QFETCH(qint64, end);
    QFETCH(qint64, viewBegin);
    TimeNavigator time(range(0, 10'000));
    time.show(range(4'000, 5'600));
    time.reveal(range(begin, end));
    QCOMPARE(toNs(time.view().begin), std::int64_t(viewBegin));
    QCOMPARE(toNs(time.view().length()), std::int64_t(1'600));
}

QTEST_GUILESS_MAIN(TestWaterfallTime)
#include "tst_waterfalltime.moc"
