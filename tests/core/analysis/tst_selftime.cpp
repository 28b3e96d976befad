// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Self times on literal traces and against a plain twin; start jitter of resources.
#include "core/analysis/criticalpath.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

#include <algorithm>
#include <vector>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

/// Counts the nanoseconds of a span that no child covers.
Duration plainSelfTime(const TraceView& trace, std::size_t i)
{
    const Duration duration = trace.duration(i);
    if (!isKnown(duration))
        return unknownDuration;
    Duration self{0};
    for (Timestamp at = trace.start[i]; at < trace.start[i] + duration; at += Duration{1}) {
        bool covered = false;
        for (std::size_t c = 0; c < trace.size(); ++c) {
            const bool counts = trace.parent[c] == std::int32_t(i) && !trace.flags[c].has(SpanFlags::Follows) && isKnown(trace.duration(c));
            covered = covered || (counts && trace.start[c] <= at && at < trace.end[c]);
        }
        self += covered ? Duration{0} : Duration{1};
    }
    return self;
}

Duration selfOf(const TraceColumns& columns, std::string_view name)
{
    return selfTimes(columns.trace(0))[spanNamed(columns, name)];
}

TraceBuilder spansAt(int count, std::int64_t startStep, std::int64_t duration)
{
    TraceBuilder builder;
    for (int i = 0; i < count; ++i)
        builder.nextTrace().span("s", i * startStep, i * startStep + duration);
    return builder;
}

} // namespace

class TestSelfTime : public QObject {
    Q_OBJECT

private slots:
    void isTheUnionOfChildren();
    void equalsThePlainTwin();
    void jitter_data();
    void jitter();
    void jitterIsPerResource();
};

void TestSelfTime::isTheUnionOfChildren()
{
    // main |----------|
    // a      |---|
    // b        |---|      overlaps a
    // c               |-------|  ends after main
    const TraceColumns parallel = TraceBuilder()
                                      .span("main", 0, 100)
                                      .span("a", 10, 40, "main")
                                      .span("b", 20, 60, "main")
                                      .span("c", 80, 150, "main")
                                      .span("d", 30, 50, "b")
                                      .build();
    QCOMPARE(selfOf(parallel, "main"), Duration{30});
    QCOMPARE(selfOf(parallel, "b"), Duration{20});
    QCOMPARE(selfOf(parallel, "c"), Duration{70});

    const TraceColumns outside =
        TraceBuilder().span("main", 100, 200).span("before", 0, 50, "main").span("after", 250, 300, "main").build();
    QCOMPARE(selfOf(outside, "main"), Duration{100});
    const TraceColumns follower = TraceBuilder().span("main", 0, 100).span("a", 10, 40, "main").follows().build();
    QCOMPARE(selfOf(follower, "main"), Duration{100});
    const TraceColumns open = TraceBuilder().span("main", 0, 100).span("a", 10, 0, "main").noEnd().build();
    QCOMPARE(selfOf(open, "main"), Duration{100});
    QCOMPARE(selfOf(open, "a"), unknownDuration);
    const TraceColumns negative = TraceBuilder().span("main", 0, 100).span("a", 40, 10, "main").build();
    QCOMPARE(selfOf(negative, "main"), Duration{100});
    QCOMPARE(selfOf(negative, "a"), Duration{0});
}

void TestSelfTime::equalsThePlainTwin()
{
    RandomShape shape = hostileShape();
    shape.grid = 1;
    shape.skew = 0;
    constexpr std::uint64_t seed = 7;
    const TraceColumns columns = randomTraces(seed, 300, shape);
    for (std::size_t t = 0; t < columns.traceCount(); ++t) {
        const TraceView trace = columns.trace(t);
        const std::vector<Duration> self = selfTimes(trace);
        for (std::size_t i = 0; i < trace.size(); ++i)
            QVERIFY2(self[i] == plainSelfTime(trace, i), qPrintable(QStringLiteral("seed 7, trace %1, span %2").arg(t).arg(i)));
    }
}

void TestSelfTime::jitter_data()
{
    QTest::addColumn<int>("spans");
    QTest::addColumn<qint64>("startStep");
    QTest::addColumn<qint64>("duration");
    QTest::addColumn<qint64>("jitter");
    QTest::newRow("starts in ms, durations in ns") << 8 << qint64(1'000'000) << qint64(1'234'567) << qint64(999'999);
    QTest::newRow("starts in ms, durations in us") << 8 << qint64(1'000'000) << qint64(1'234'000) << qint64(999'999);
    QTest::newRow("starts in us, durations in ns") << 8 << qint64(1'000) << qint64(1'234'567) << qint64(999);
    QTest::newRow("both in ms") << 8 << qint64(1'000'000) << qint64(5'000'000) << qint64(0);
    QTest::newRow("both in us") << 8 << qint64(1'000) << qint64(5'000) << qint64(0);
    QTest::newRow("both in ns") << 8 << qint64(1'001) << qint64(5'007) << qint64(0);
    QTest::newRow("too few spans to tell") << 7 << qint64(1'000'000) << qint64(1'234'567) << qint64(0);
}

void TestSelfTime::jitter()
{
    QFETCH(int, spans);
    QFETCH(qint64, startStep);
    QFETCH(qint64, duration);
    QFETCH(qint64, jitter);
    const std::vector<Duration> found = startJitter(spansAt(spans, startStep, duration).build());
    QCOMPARE(*std::max_element(found.begin(), found.end()), Duration{jitter});
}

void TestSelfTime::jitterIsPerResource()
{
    TraceBuilder builder;
    for (int i = 0; i < 8; ++i) {
        builder.nextTrace().span("js", i * 1'000'000, i * 1'000'000 + 77'777).service("web");
        builder.span("go", i * 1'000'003, i * 1'000'003 + 77'777, "js").service("api");
    }
    const TraceColumns columns = builder.build();
    const std::vector<Duration> found = startJitter(columns);
    const TraceView trace = columns.trace(1);
    QCOMPARE(found[toIndex(trace.resource[spanNamed(columns, "js", 1)])], Duration{999'999});
    QCOMPARE(found[toIndex(trace.resource[spanNamed(columns, "go", 1)])], Duration{0});
}

QTEST_GUILESS_MAIN(TestSelfTime)
#include "tst_selftime.moc"
