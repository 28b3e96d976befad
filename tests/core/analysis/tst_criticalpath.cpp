// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The walk, its windows and its tolerance on literal traces: every rule a row, with a picture.
#include "core/analysis/criticalpath.h"
#include "tests/core/analysis/pathtext.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

struct Case {
    TraceBuilder trace;
    PathOptions options;
    const char* path;
};

PathOptions withWindow(PathWindow window)
{
    PathOptions options;
    options.window = window;
    return options;
}

} // namespace

Q_DECLARE_METATYPE(Case)

class TestCriticalPath : public QObject {
    Q_OBJECT

private slots:
    void followsTheRule_data();
    void followsTheRule();
    void movesTheWindow_data();
    void movesTheWindow();
    void toleratesTheClock_data();
    void toleratesTheClock();
    void saysWhyTimeIsOwn_data();
    void saysWhyTimeIsOwn();
    void startJitterKeepsStagesOnThePath();
    void countsTruncatedTimeAsInferred();
    void incompleteTraces_data();
    void incompleteTraces();
    void emptyTrace();
    void deepChain();
    void wideParent();

private:
    static void check();
};

void TestCriticalPath::check()
{
    QFETCH(Case, given);
    const TraceColumns columns = given.trace.build();
    const CriticalPath path = criticalPath(columns.trace(0), *columns.dictionary, given.options);
    QCOMPARE(QString::fromStdString(pathText(path, columns)), QString::fromUtf8(given.path));
    QCOMPARE(QString::fromStdString(tilingFault(path)), QString());
}

void TestCriticalPath::followsTheRule_data()
{
    QTest::addColumn<Case>("given");

    // root |----------|
    QTest::newRow("a span alone owns its time") << Case{TraceBuilder().span("root", 0, 100), {}, "root 0-100"};

    // root |----------|
    // a       |----|
    QTest::newRow("time around a child is the parent's")
        << Case{TraceBuilder().span("root", 0, 100).span("a", 20, 60, "root"), {}, "root 0-20, a 20-60, root 60-100"};

    // root |--------------|
    // a      |--|
    // b         |----|       starts exactly where a ends
    QTest::newRow("adjacent children follow each other")
        << Case{TraceBuilder().span("root", 0, 100).span("a", 10, 30, "root").span("b", 30, 70, "root"), {},
               "root 0-10, a 10-30, b 30-70, root 70-100"};

    // root |--------------|
    // a      |-----|
    // b          |-----|     a was not what b waited for
    QTest::newRow("of overlapping children the last to end blocks")
        << Case{TraceBuilder().span("root", 0, 1000).span("a", 100, 500, "root").span("b", 300, 700, "root"), {},
               "root 0-300, b 300-700, root 700-1000"};

    // root |--------------|
    // a      |--|
    // b            |---|
    QTest::newRow("a gap between children is the parent's")
        << Case{TraceBuilder().span("root", 0, 100).span("a", 10, 30, "root").span("b", 50, 90, "root"), {},
               "root 0-10, a 10-30, root 30-50, b 50-90, root 90-100"};

    // root |--------------|
    // a      |----------|
    // b         |----|       child of a
    QTest::newRow("the path descends") << Case{TraceBuilder().span("root", 0, 100).span("a", 10, 90, "root").span("b", 30, 60, "a"), {},
        "root 0-10, a 10-30, b 30-60, a 60-90, root 90-100"};

    QTest::newRow("equal ends: the longer child")
        << Case{TraceBuilder().span("root", 0, 100).span("short", 50, 90, "root").span("long", 20, 90, "root"), {},
               "root 0-20, long 20-90, root 90-100"};
    QTest::newRow("equal intervals: the child with children")
        << Case{TraceBuilder().span("root", 0, 100).span("leaf", 20, 90, "root").span("node", 20, 90, "root").span("x", 20, 90, "node"), {},
               "root 0-20, x 20-90, root 90-100"};
    QTest::newRow("equal leaves: the smaller id")
        << Case{TraceBuilder().span("root", 0, 100).span("second", 20, 90, "root").id(9).span("first", 20, 90, "root").id(8), {},
               "root 0-20, first 20-90, root 90-100"};

    // root |-----|
    // a    |-----|           covers the parent from both sides
    QTest::newRow("a child that covers its parent is clipped")
        << Case{TraceBuilder().span("root", 10, 30).span("a", 5, 35, "root"), {}, "a 0-20"};

    // root |---------|
    // a        |----------|  ends after the root
    // b             |----|   ends when a had already been cut
    QTest::newRow("a grandchild still running at the cut is not waited for")
        << Case{TraceBuilder().span("root", 1, 30).span("a", 15, 35, "root").span("b", 20, 40, "a"), {}, "root 0-14, a 14-29"};

    QTest::newRow("zero-length children own nothing and split nothing")
        << Case{TraceBuilder().span("root", 0, 100).span("tick", 50, 50, "root"), {}, "root 0-100"};
    QTest::newRow("a zero-length root has an empty path") << Case{TraceBuilder().span("root", 50, 50).span("a", 50, 50, "root"), {}, ""};
    QTest::newRow("a root that ends before it starts has an empty path") << Case{TraceBuilder().span("root", 50, 20), {}, ""};
    QTest::newRow("a child without start begins with its parent")
        << Case{TraceBuilder().span("root", 10, 100).span("a", 0, 60, "root").noStart(), {}, "a 0-50, root 50-90"};
    QTest::newRow("a span without end runs to the last known time")
        << Case{TraceBuilder().span("root", 0, 100).span("a", 10, 0, "root").noEnd(), {}, "root 0-10, a 10-100"};

    // root |----------------|
    // llm    |----*------|      * first token
    // tts         |-------|     speaks while the text still streams
    QTest::newRow("a streaming child lets the next go at its first token")
        << Case{TraceBuilder().span("R", 0, 1000).span("LLM", 50, 650, "R").streaming(200).span("TTS", 300, 950, "R"), {},
               "R 0-50, LLM:ttft 50-200, R 200-300, TTS 300-950, R 950-1000"};
    QTest::newRow("a streaming child without first token stays concurrent")
        << Case{TraceBuilder().span("R", 0, 1000).span("LLM", 50, 650, "R").flag(SpanFlags::Streaming).span("TTS", 300, 950, "R"), {},
               "R 0-300, TTS 300-950, R 950-1000"};
    QTest::newRow("a first token after the consumer's start gates nothing")
        << Case{TraceBuilder().span("R", 0, 1000).span("LLM", 50, 650, "R").streaming(400).span("TTS", 300, 950, "R"), {},
               "R 0-300, TTS 300-950, R 950-1000"};
    QTest::newRow("of two streams the later first token gates") << Case{TraceBuilder()
                                                                            .span("R", 0, 1000)
                                                                            .span("s1", 50, 650, "R")
                                                                            .streaming(100)
                                                                            .span("s2", 60, 650, "R")
                                                                            .streaming(250)
                                                                            .span("TTS", 300, 950, "R"),
        {}, "R 0-60, s2:ttft 60-250, R 250-300, TTS 300-950, R 950-1000"};
    QTest::newRow("a stream that ended is an ordinary child")
        << Case{TraceBuilder().span("R", 0, 1000).span("LLM", 50, 650, "R").streaming(200), {},
               "R 0-50, LLM:ttft 50-200, LLM:decode 200-650, R 650-1000"};
}

void TestCriticalPath::followsTheRule()
{
    check();
}

void TestCriticalPath::movesTheWindow_data()
{
    QTest::addColumn<Case>("given");
    const TraceBuilder streamed = TraceBuilder().span("R", 0, 1000).span("find", 0, 100, "R").span("LLM", 120, 900, "R").streaming(300);
    QTest::newRow("time to first token") << Case{streamed, withWindow(PathWindow::FirstToken), "find 0-100, R 100-120, LLM:ttft 120-300"};
    QTest::newRow("no first token: the root") << Case{TraceBuilder().span("R", 0, 1000), withWindow(PathWindow::FirstToken), "R 0-1000"};
    QTest::newRow("the answer is the stream that ends last")
        << Case{TraceBuilder().span("R", 0, 1000).span("plan", 0, 400, "R").streaming(50).span("answer", 500, 900, "R").streaming(600),
               withWindow(PathWindow::FirstToken), "plan:ttft 0-50, plan:decode 50-400, R 400-500, answer:ttft 500-600"};

    // root   |---|            the handler returned, the stream goes on
    // stream    |----------|
    const TraceBuilder returned = TraceBuilder().span("R", 0, 1000).span("stream", 500, 5000, "R").span("tail", 1500, 2000, "R");
    QTest::newRow("makespan runs to the last descendant") << Case{returned, withWindow(PathWindow::Makespan), "R 0-500, stream 500-5000"};
    QTest::newRow("makespan does not cross asynchronous edges")
        << Case{TraceBuilder().span("R", 0, 1000).span("job", 500, 5000, "R").async().span("x", 600, 9000, "job"),
               withWindow(PathWindow::Makespan), "R 0-1000"};
    PathOptions picked;
    picked.root = 1;
    QTest::newRow("another root") << Case{
        TraceBuilder().span("R", 0, 1000).span("a", 100, 700, "R").span("b", 200, 300, "a"), picked, "a 0-100, b 100-200, a 200-600"};
}

void TestCriticalPath::movesTheWindow()
{
    check();
}

void TestCriticalPath::toleratesTheClock_data()
{
    QTest::addColumn<Case>("given");
    constexpr std::int64_t us = 1000;
    // Microsecond clocks: 2 us of overlap are rounding, 3 us are not.
    QTest::newRow("overlap of two resolution steps")
        << Case{TraceBuilder().span("R", 0, 1000 * us).span("a", 0, 400 * us, "R").span("b", 398 * us, 1000 * us, "R"), {},
               "a 0-398000, b 398000-1000000"};
    QTest::newRow("overlap of three resolution steps")
        << Case{TraceBuilder().span("R", 0, 1000 * us).span("a", 0, 400 * us, "R").span("b", 397 * us, 1000 * us, "R"), {},
               "R 0-397000, b 397000-1000000"};
    QTest::newRow("never more than a hundredth of the parent")
        << Case{TraceBuilder().span("R", 0, 100 * us).span("a", 0, 40 * us, "R").span("b", 38 * us, 100 * us, "R"), {},
               "R 0-38000, b 38000-100000"};
    QTest::newRow("of several within the tolerance the first to start") << Case{TraceBuilder()
                                                                                    .span("R", 0, 1000 * us)
                                                                                    .span("a", 0, 399 * us, "R")
                                                                                    .span("a2", 50 * us, 400 * us, "R")
                                                                                    .span("b", 398 * us, 1000 * us, "R"),
        {}, "a 0-398000, b 398000-1000000"};
}

void TestCriticalPath::toleratesTheClock()
{
    check();
}

void TestCriticalPath::saysWhyTimeIsOwn_data()
{
    QTest::addColumn<Case>("given");
    QTest::newRow("backoff between attempts of one call")
        << Case{TraceBuilder().span("R", 0, 100).span("t1", 10, 20, "R").named("call").error().span("t2", 40, 90, "R").named("call"), {},
               "R 0-10, call 10-20, R:backoff 20-40, call 40-90, R 90-100"};
    QTest::newRow("no backoff after success") << Case{
        TraceBuilder().span("R", 0, 100).span("t1", 10, 20, "R").named("call").span("t2", 40, 90, "R").named("call"), {},
        "R 0-10, call 10-20, R 20-40, call 40-90, R 90-100"};
    QTest::newRow("no backoff before another operation")
        << Case{TraceBuilder().span("R", 0, 100).span("t1", 10, 20, "R").error().span("t2", 40, 90, "R"), {},
               "R 0-10, t1 10-20, R 20-40, t2 40-90, R 90-100"};
    const auto call = [](const char* serverHost) {
        return TraceBuilder()
            .span("R", 0, 100)
            .span("C", 10, 90, "R")
            .kind(SpanKind::Client)
            .host("a")
            .span("S", 30, 80, "C")
            .kind(SpanKind::Server)
            .host(serverHost);
    };
    QTest::newRow("network around a server on another host") << Case{call("b"), {}, "R 0-10, C:net 10-30, S 30-80, C:net 80-90, R 90-100"};
    QTest::newRow("no network on the same host") << Case{call("a"), {}, "R 0-10, C 10-30, S 30-80, C 80-90, R 90-100"};
    QTest::newRow("no network when a host is unknown") << Case{call(""), {}, "R 0-10, C 10-30, S 30-80, C 80-90, R 90-100"};
    // caller |---|
    // job          |---|      started by caller when that was over; the root waits for it
    QTest::newRow("waiting for asynchronous work")
        << Case{TraceBuilder().span("R", 0, 100).span("caller", 10, 20, "R").span("job", 50, 80, "caller"), {},
               "R 0-10, caller 10-20, R:async_wait 20-50, job 50-80, R 80-100"};
}

void TestCriticalPath::saysWhyTimeIsOwn()
{
    check();
}

/// Starts cut to whole milliseconds make steps that follow each other overlap by up to 1 ms. Without the jitter of the
/// population the walk jumps over the middle step.
void TestCriticalPath::startJitterKeepsStagesOnThePath()
{
    constexpr std::int64_t ms = 1'000'000;
    TraceBuilder builder;
    for (int request = 0; request < 3; ++request) {
        const std::int64_t t = request * 1000 * ms;
        builder.nextTrace();
        builder.span("R", t, t + 300 * ms + 1234).span("search", t, t + 100 * ms + 700'001, "R");
        builder.span("chat", t + 100 * ms, t + 250 * ms + 900'007, "R").span("reply", t + 250 * ms, t + 300 * ms + 1111, "R");
    }
    const TraceColumns columns = builder.build();
    const std::vector<Duration> jitter = startJitter(columns);
    PathOptions options;
    const CriticalPath plain = criticalPath(columns.trace(1), *columns.dictionary, options);
    QCOMPARE(pathText(plain, columns, 1),
        std::string("search 0-100700001, R 100700001-250000000, reply 250000000-300001111, R 300001111-300001234"));
    options.startJitter = jitter;
    const CriticalPath path = criticalPath(columns.trace(1), *columns.dictionary, options);
    QCOMPARE(pathText(path, columns, 1),
        std::string("search 0-100000000, chat 100000000-250000000, reply 250000000-300001111, R 300001111-300001234"));
}

void TestCriticalPath::countsTruncatedTimeAsInferred()
{
    const TraceColumns columns =
        TraceBuilder().span("R", 0, 1'000'000).span("a", 0, 400'000, "R").span("b", 398'000, 1'000'000, "R").build();
    const CriticalPath path = criticalPath(columns.trace(0), *columns.dictionary);
    QCOMPARE(toNs(path.inferred), std::int64_t(2000));
    QVERIFY(path.complete);
}

void TestCriticalPath::incompleteTraces_data()
{
    QTest::addColumn<Case>("given");
    QTest::addColumn<QString>("notes");
    QTest::newRow("no true root: the longest orphan")
        << Case{TraceBuilder().span("a", 0, 10, "gone").span("b", 20, 60, "gone"), {}, "b 0-40"} << "MISSING_PARENT 2, ORPHAN_BACKGROUND 1";
    QTest::newRow("open child") << Case{TraceBuilder().span("R", 0, 100).span("a", 10, 0, "R").noEnd(), {}, "R 0-10, a 10-100"}
                                << "UNFINISHED_SPAN 1";
    QTest::newRow("child without start") << Case{TraceBuilder().span("R", 0, 100).span("a", 0, 40, "R").noStart(), {}, "a 0-40, R 40-100"}
                                         << "MISSING_START 1";
}

void TestCriticalPath::incompleteTraces()
{
    check();
    QFETCH(Case, given);
    QFETCH(QString, notes);
    const TraceColumns columns = given.trace.build();
    const CriticalPath path = criticalPath(columns.trace(0), *columns.dictionary);
    QVERIFY(!path.complete);
    QCOMPARE(QString::fromStdString(notesText(path)), notes);
}

void TestCriticalPath::emptyTrace()
{
    const CriticalPath path = criticalPath(TraceView{}, Dictionary{});
    QCOMPARE(path.root, -1);
    QVERIFY(path.segments.empty() && !path.complete);
}

void TestCriticalPath::deepChain()
{
    const TraceColumns columns = chainTrace(1'000'000);
    const CriticalPath path = criticalPath(columns.trace(0), *columns.dictionary);
    QCOMPARE(path.segments.size(), std::size_t(1'999'999));
    QCOMPARE(QString::fromStdString(tilingFault(path)), QString());
    PathOptions jaeger;
    jaeger.policy = PathPolicy::Jaeger;
    QCOMPARE(criticalPath(columns.trace(0), *columns.dictionary, jaeger).segments, path.segments);
}

void TestCriticalPath::wideParent()
{
    const TraceColumns columns = wideTrace(1'000'000);
    const CriticalPath path = criticalPath(columns.trace(0), *columns.dictionary);
    QCOMPARE(path.segments.size(), std::size_t(2'000'001));
    QCOMPARE(QString::fromStdString(tilingFault(path)), QString());
}

QTEST_GUILESS_MAIN(TestCriticalPath)
#include "tst_criticalpath.moc"
