// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Edge classes, adoption, hedges, clock skew and Jaeger's policy on literal traces.
#include "core/analysis/criticalpath.h"
#include "tests/core/analysis/pathtext.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

struct Case {
    TraceBuilder trace;
    PathOptions options;
    const char* path;
    const char* notes;
};

PathOptions withPolicy(PathPolicy policy)
{
    PathOptions options;
    options.policy = policy;
    return options;
}

PathOptions withSkew(SkewCorrection skew, Duration maxSkew = std::chrono::milliseconds(100))
{
    PathOptions options;
    options.skew = skew;
    options.maxSkew = maxSkew;
    return options;
}

/// A client on host "a" and its server on host "b", which reads another clock.
TraceBuilder call(std::int64_t serverStart, std::int64_t serverEnd)
{
    return TraceBuilder()
        .span("C", 1000, 2000)
        .kind(SpanKind::Client)
        .host("a")
        .span("S", serverStart, serverEnd, "C")
        .kind(SpanKind::Server)
        .host("b")
        .span("db", serverStart + 100, serverEnd - 100, "S")
        .host("b");
}

} // namespace

Q_DECLARE_METATYPE(Case)

class TestCriticalPathEdges : public QObject {
    Q_OBJECT

private slots:
    void classifies_data();
    void classifies();
    void adopts_data();
    void adopts();
    void correctsSkew_data();
    void correctsSkew();
    void likeJaeger_data();
    void likeJaeger();
    void reportsShifts();
    void marksInferredTime();

private:
    static void columns();
    static void check();
};

void TestCriticalPathEdges::columns()
{
    QTest::addColumn<Case>("given");
}

void TestCriticalPathEdges::check()
{
    QFETCH(Case, given);
    const TraceColumns traces = given.trace.build();
    const CriticalPath path = criticalPath(traces.trace(0), *traces.dictionary, given.options);
    QCOMPARE(QString::fromStdString(pathText(path, traces)), QString::fromUtf8(given.path));
    QCOMPARE(QString::fromStdString(notesText(path)), QString::fromUtf8(given.notes));
}

void TestCriticalPathEdges::classifies_data()
{
    columns();
    const auto root = [] { return TraceBuilder().span("R", 0, 1000); };
    QTest::newRow("a consumer does not hold its producer")
        << Case{TraceBuilder().span("R", 0, 1000).kind(SpanKind::Producer).span("c", 100, 300, "R").kind(SpanKind::Consumer), {},
               "R 0-1000", "PRODCONS_BACKGROUND 1"};
    QTest::newRow("what the parent does not wait for")
        << Case{root().span("a", 100, 300, "R").async(), {}, "R 0-1000", "DECLARED_ASYNC_BACKGROUND 1"};
    QTest::newRow("a follower of the root") << Case{root().span("a", 100, 300, "R").follows(), {}, "R 0-1000", "FOLLOWS_BACKGROUND 1"};
    QTest::newRow("starts when the root is done")
        << Case{root().span("a", 1000, 1500, "R"), {}, "R 0-1000", "AFTER_BACKGROUND 1, MAKESPAN_LONGER 1"};
    QTest::newRow("done when the root starts") << Case{root().span("a", -50, 0, "R"), {}, "R 0-1000", "BEFORE_BACKGROUND 1"};
    QTest::newRow("outlives, within a hundredth") << Case{root().span("a", 100, 1010, "R"), {}, "R 0-100, a 100-1000", ""};
    QTest::newRow("outlives") << Case{root().span("a", 100, 1011, "R"), {}, "R 0-100, a 100-1000", "OUTLIVES_CLIPPED 1"};
    QTest::newRow("outlives, detached") << Case{
        root().span("a", 100, 1011, "R"), withPolicy(PathPolicy::Detach), "R 0-1000", "OUTLIVES_BACKGROUND 1"};
    QTest::newRow("a server that its client gave up on")
        << Case{TraceBuilder().span("C", 0, 1000).kind(SpanKind::Client).span("S", 100, 2000, "C").kind(SpanKind::Server),
               withPolicy(PathPolicy::Detach), "C 0-100, S 100-1000", "ABANDONED 1, MAKESPAN_LONGER 1"};
    QTest::newRow("work of a parent that timed out") << Case{TraceBuilder().span("R", 0, 1000).timedOut().span("a", 100, 1050, "R"),
        withPolicy(PathPolicy::Detach), "R 0-100, a 100-1000", "ABANDONED 1"};

    // a |-----|                   won
    // b    |------|               cancelled a little later
    QTest::newRow("the lost half of a hedge is not waited for")
        << Case{root().span("a", 100, 500, "R").named("get").span("b", 300, 520, "R").named("get").cancelled(), {},
               "R 0-100, get 100-500, R 500-1000", "HEDGE_LOSER 1"};
    QTest::newRow("cancelled without a faster twin")
        << Case{root().span("a", 100, 500, "R").named("get").span("b", 300, 520, "R").named("put").cancelled(), {},
               "R 0-300, put 300-520, R 520-1000", ""};
    QTest::newRow("cancelled after its twin was over")
        << Case{root().span("a", 100, 200, "R").named("get").span("b", 300, 520, "R").named("get").cancelled(), {},
               "R 0-100, get 100-200, R 200-300, get 300-520, R 520-1000", ""};
    QTest::newRow("two cancelled twins: none won")
        << Case{root().span("a", 100, 500, "R").named("get").cancelled().span("b", 300, 520, "R").named("get").cancelled(), {},
               "R 0-300, get 300-520, R 520-1000", ""};
    QTest::newRow("the first class that fits wins") << Case{
        TraceBuilder().span("R", 0, 1000).kind(SpanKind::Producer).span("c", 100, 5000, "R").kind(SpanKind::Consumer).follows().async(), {},
        "R 0-1000", "PRODCONS_BACKGROUND 1"};
    QTest::newRow("other true roots") << Case{
        root().span("R2", 2000, 2500), {}, "R 0-1000", "SECONDARY_ROOT 1, SECONDARY_ROOT_BACKGROUND 1"};
    QTest::newRow("cycle, cut at its earliest span")
        << Case{root().span("x", 2000, 2500, "y").span("y", 2100, 2300, "x"), {}, "R 0-1000", "CYCLE 1, CYCLE_CUT_BACKGROUND 1"};
    QTest::newRow("own parent") << Case{TraceBuilder().span("R", 0, 1000, "R"), {}, "R 0-1000", "SELF_PARENT 1"};
}

void TestCriticalPathEdges::classifies()
{
    check();
}

void TestCriticalPathEdges::adopts_data()
{
    columns();
    // R      |------------------|
    // a        |--|
    // b              |----|       child of a, after it
    QTest::newRow("late work of a child goes to the root")
        << Case{TraceBuilder().span("R", 0, 100).span("a", 10, 20, "R").span("b", 50, 80, "a"), {},
               "R 0-10, a 10-20, R:async_wait 20-50, b 50-80, R 80-100", "AFTER_ADOPTED 1"};
    QTest::newRow("the nearest ancestor that contains it")
        << Case{TraceBuilder().span("R", 0, 100).span("m", 5, 90, "R").span("a", 10, 20, "m").span("b", 50, 80, "a"), {},
               "R 0-5, m 5-10, a 10-20, m:async_wait 20-50, b 50-80, m 80-90, R 90-100", "AFTER_ADOPTED 1"};
    QTest::newRow("a follower") << Case{TraceBuilder().span("R", 0, 100).span("a", 10, 60, "R").span("b", 20, 80, "a").follows(), {},
        "R:async_wait 0-20, b 20-80, R 80-100", "FOLLOWS_ADOPTED 1"};
    QTest::newRow("what was over before its parent began")
        << Case{TraceBuilder().span("R", 0, 100).span("a", 50, 60, "R").span("b", 20, 30, "a"), {},
               "R 0-20, b 20-30, R 30-50, a 50-60, R 60-100", "BEFORE_ADOPTED 1"};
    QTest::newRow("no ancestor contains it") << Case{TraceBuilder().span("R", 0, 100).span("a", 10, 20, "R").span("b", 90, 130, "a"), {},
        "R 0-10, a 10-20, R 20-100", "AFTER_BACKGROUND 1, MAKESPAN_LONGER 1"};
    QTest::newRow("an orphan inside the root") << Case{
        TraceBuilder().span("R", 0, 100).span("o", 30, 60, "gone"), {}, "R 0-30, o 30-60, R 60-100", "MISSING_PARENT 1, ORPHAN_ADOPTED 1"};
    QTest::newRow("another root inside the root") << Case{
        TraceBuilder().span("R", 0, 100).span("r", 30, 60), {}, "R 0-30, r 30-60, R 60-100", "SECONDARY_ROOT 1, SECONDARY_ROOT_ADOPTED 1"};
    QTest::newRow("late work of an orphan that lies outside")
        << Case{TraceBuilder().span("R", 0, 100).span("o", -50, -20, "gone").span("b", 40, 70, "o"), {},
               "R:async_wait 0-40, b 40-70, R 70-100", "AFTER_ADOPTED 1, MISSING_PARENT 1, ORPHAN_BACKGROUND 1"};
    QTest::newRow("work below a declared background span stays there")
        << Case{TraceBuilder().span("R", 0, 100).span("m", 5, 90, "R").span("a", 10, 20, "m").async().span("b", 50, 80, "a"), {},
               "R 0-5, m 5-90, R 90-100", "AFTER_BACKGROUND 1, DECLARED_ASYNC_BACKGROUND 1"};

    // R     |---------------------|
    // q       |-----------|
    // p         |------|
    // k             |-----------|   child of p, outlives p and q
    QTest::newRow("a detached span keeps its spawners before it")
        << Case{TraceBuilder().span("R", 0, 1000).span("q", 50, 600, "R").span("p", 100, 500, "q").span("k", 300, 900, "p"),
               withPolicy(PathPolicy::Detach), "R 0-50, q 50-100, p 100-300, k 300-900, R 900-1000", "OUTLIVES_ADOPTED 1"};
    QTest::newRow("by default it is cut off with its parent")
        << Case{TraceBuilder().span("R", 0, 1000).span("q", 50, 600, "R").span("p", 100, 500, "q").span("k", 300, 900, "p"), {},
               "R 0-50, q 50-100, p 100-300, k 300-500, q 500-600, R 600-1000", "OUTLIVES_CLIPPED 1"};
    PathOptions picked;
    picked.root = 1;
    QTest::newRow("what encloses a picked root is left alone")
        << Case{TraceBuilder().span("R", 0, 100).span("m", 0, 100, "R").span("a", 10, 20, "m").span("s", 30, 40, "R"), picked,
               "m 0-10, a 10-20, m 20-100", ""};
}

void TestCriticalPathEdges::adopts()
{
    check();
}

void TestCriticalPathEdges::correctsSkew_data()
{
    columns();
    const char* clipped = "db 0-400, S 400-500, C:net 500-1000";
    const char* pushedLate = "S 0-100, db 100-500, S 500-600, C:net 600-1000";
    QTest::newRow("off: clipped") << Case{call(900, 1500), {}, clipped, ""};
    QTest::newRow("early server: to the client's start")
        << Case{call(900, 1500), withSkew(SkewCorrection::Fit), pushedLate, "SKEW_CORRECTED 2"};
    QTest::newRow("late server: to the client's end")
        << Case{call(1500, 2400), withSkew(SkewCorrection::Fit), "C:net 0-100, S 100-200, db 200-900, S 900-1000", "SKEW_CORRECTED 2"};
    QTest::newRow("a server that fits stays") << Case{
        call(1100, 1500), withSkew(SkewCorrection::Fit), "C:net 0-100, S 100-200, db 200-400, S 400-500, C:net 500-1000", ""};
    QTest::newRow("a server longer than its client stays")
        << Case{call(900, 2100), withSkew(SkewCorrection::Fit), "db 0-1000", "ABANDONED 1"};
    QTest::newRow("beyond the limit") << Case{call(900, 1500), withSkew(SkewCorrection::Fit, Duration{99}), clipped, "SKEW_TOO_LARGE 1"};
    QTest::newRow("never on one host") << Case{TraceBuilder().span("C", 1000, 2000).host("a").span("S", 900, 1500, "C").host("a"),
        withSkew(SkewCorrection::Fit), "S 0-500, C 500-1000", ""};
    QTest::newRow("never with an unknown host") << Case{
        TraceBuilder().span("C", 1000, 2000).host("a").span("S", 900, 1500, "C"), withSkew(SkewCorrection::Fit), "S 0-500, C 500-1000", ""};
    QTest::newRow("never across an asynchronous edge")
        << Case{TraceBuilder().span("C", 1000, 2000).host("a").span("S", 900, 1500, "C").host("b").follows(), withSkew(SkewCorrection::Fit),
               "C 0-1000", "FOLLOWS_BACKGROUND 1"};
    QTest::newRow("the first token moves along")
        << Case{TraceBuilder().span("C", 1000, 2000).host("a").span("S", 900, 1500, "C").host("b").streaming(1000),
               withSkew(SkewCorrection::Fit), "S:ttft 0-100, S:decode 100-600, C 600-1000", "SKEW_CORRECTED 1"};
    QTest::newRow("Jaeger's midpoint") << Case{call(900, 1500), withSkew(SkewCorrection::Jaeger),
        "C:net 0-200, S 200-300, db 300-700, S 700-800, C:net 800-1000", "SKEW_CORRECTED 2"};
}

void TestCriticalPathEdges::correctsSkew()
{
    check();
}

void TestCriticalPathEdges::likeJaeger_data()
{
    columns();
    const PathOptions jaeger = withPolicy(PathPolicy::Jaeger);
    QTest::newRow("a child that ends as the next starts is jumped over")
        << Case{TraceBuilder().span("R", 0, 100).span("a", 10, 30, "R").span("b", 30, 70, "R"), jaeger, "R 0-30, b 30-70, R 70-100", ""};
    QTest::newRow("clipped to the clipped parent")
        << Case{TraceBuilder().span("A", 1, 30).span("B", 15, 35, "A").span("C", 20, 40, "B"), jaeger, "A 0-14, B 14-19, C 19-29", ""};
    QTest::newRow("each root by itself") << Case{TraceBuilder().span("R", 100, 200).span("S", 50, 120), jaeger, "S 0-70, R 50-150", ""};
    QTest::newRow("an orphan has no path") << Case{TraceBuilder().span("o", 0, 100, "gone"), jaeger, "", "MISSING_PARENT 1"};
    QTest::newRow("a follower blocks") << Case{
        TraceBuilder().span("R", 0, 100).span("a", 20, 60, "R").follows(), jaeger, "R 0-20, a 20-60, R 60-100", ""};
    QTest::newRow("a consumer does not") << Case{
        TraceBuilder().span("R", 0, 100).kind(SpanKind::Producer).span("c", 20, 60, "R").kind(SpanKind::Consumer), jaeger, "R 0-100", ""};
    QTest::newRow("a zero-length child splits its parent")
        << Case{TraceBuilder().span("R", 0, 100).span("z", 50, 50, "R"), jaeger, "R 0-50, R 50-100", ""};
    QTest::newRow("outside its parent") << Case{
        TraceBuilder().span("R", 0, 100).span("a", 100, 150, "R").span("b", -20, 0, "R"), jaeger, "R 0-100", ""};
}

void TestCriticalPathEdges::likeJaeger()
{
    check();
}

void TestCriticalPathEdges::reportsShifts()
{
    const TraceColumns traces = call(900, 1500).build();
    const CriticalPath path = criticalPath(traces.trace(0), *traces.dictionary, withSkew(SkewCorrection::Fit));
    QCOMPARE(path.shift, (std::vector<Duration>{Duration{0}, Duration{100}, Duration{100}}));
    QCOMPARE(toNs(path.inferred), std::int64_t(600));
    QVERIFY(criticalPath(traces.trace(0), *traces.dictionary).shift.empty());
}

void TestCriticalPathEdges::marksInferredTime()
{
    const TraceColumns traces = TraceBuilder().span("R", 0, 100).span("o", 30, 60, "gone").span("x", 40, 50, "o").build();
    const CriticalPath path = criticalPath(traces.trace(0), *traces.dictionary);
    QCOMPARE(toNs(path.inferred), std::int64_t(30));
}

QTEST_GUILESS_MAIN(TestCriticalPathEdges)
#include "tst_criticalpath_edges.moc"
