// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold for every path, tried on seeded random traces: the definition's invariants I1 to I10, and its plain twin.
// CHOKEPOINT_SEED tries another seed; a failure prints the one it used.
#include "core/analysis/criticalpath.h"
#include "core/analysis/pathfinder.h"
#include "core/model/traceassembler.h"
#include "tests/core/analysis/pathtext.h"
#include "tests/core/analysis/plainpath.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

constexpr int traces = 1500;

std::uint64_t seed()
{
    return qEnvironmentVariableIsSet("CHOKEPOINT_SEED") ? qEnvironmentVariable("CHOKEPOINT_SEED").toULongLong() : 1;
}

/// Faults of every kind but unknown times and skew, which the plain twin does not know.
RandomShape knownTimes()
{
    RandomShape shape = hostileShape();
    shape.noStartPercent = 0;
    shape.noEndPercent = 0;
    shape.skew = 0;
    return shape;
}

/// A segment without indices, which depend on the order of spans.
using Mark = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

std::vector<Mark> marks(const CriticalPath& path, const TraceView& trace)
{
    std::vector<Mark> result;
    for (const PathSegment& s : path.segments)
        result.emplace_back(trace.spanId[s.span].value, toNs(trace.start[s.span]), toNs(trace.end[s.span]), toNs(s.begin), toNs(s.end));
    return result;
}

SpanColumns rowsOf(const TraceView& trace, const std::vector<bool>& kept)
{
    SpanColumns rows;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (!kept[i])
            continue;
        SpanFlags flags = trace.flags[i];
        flags.bits = flags.stored();
        rows.push_back({trace.spanId[i], trace.parentId[i], trace.start[i], trace.end[i], trace.name[i], trace.resource[i], trace.scope[i],
            flags, trace.firstToken[i]});
    }
    return rows;
}

std::vector<bool> reachable(const std::vector<std::int32_t>& waiter, std::int32_t root)
{
    std::vector<bool> result(waiter.size());
    for (std::size_t i = 0; i < waiter.size(); ++i) {
        std::int32_t at = std::int32_t(i);
        while (at >= 0 && at != root)
            at = waiter[std::size_t(at)];
        result[i] = at == root;
    }
    return result;
}

} // namespace

class TestInvariants : public QObject {
    Q_OBJECT

private slots:
    void init() { m_place = QStringLiteral("seed %1").arg(seed()); }
    void equalsThePlainTwin_data();
    void equalsThePlainTwin();
    void equalsThePlainJaegerTwin();
    void tiles_data();
    void tiles();
    void staysInsideItsSpans();
    void inputOrderChangesNothing();
    void timeShiftMovesNothing();
    void subtreesAreContiguous();
    void backgroundSpansChangeNothing();
    void equalsJaegerWhereNothingIsInferred();
    void zeroLengthRootsAreEmpty();
    void keptMemoryIsNoState();

private:
    QByteArray where(std::size_t trace) const { return QStringLiteral("%1, trace %2").arg(m_place).arg(trace).toUtf8(); }
    QString m_place;
};

void TestInvariants::equalsThePlainTwin_data()
{
    QTest::addColumn<int>("policy");
    QTest::addColumn<bool>("tame");
    QTest::newRow("default, tame") << int(PathPolicy::Default) << true;
    QTest::newRow("default, hostile") << int(PathPolicy::Default) << false;
    QTest::newRow("detach, hostile") << int(PathPolicy::Detach) << false;
}

void TestInvariants::equalsThePlainTwin()
{
    QFETCH(int, policy);
    QFETCH(bool, tame);
    const TraceColumns columns = randomTraces(seed(), traces, tame ? tameShape() : knownTimes());
    PathOptions options;
    options.policy = PathPolicy(policy);
    std::size_t longPaths = 0;
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const CriticalPath path = criticalPath(columns.trace(i), *columns.dictionary, options);
        QVERIFY2(plainSegments(path) == plainPath(columns.trace(i), options.policy).segments, where(i));
        longPaths += path.segments.size() > 3 ? 1 : 0;
    }
    QVERIFY(longPaths > traces / 4);
}

void TestInvariants::equalsThePlainJaegerTwin()
{
    const TraceColumns columns = randomTraces(seed(), traces, knownTimes());
    PathOptions options;
    options.policy = PathPolicy::Jaeger;
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const CriticalPath path = criticalPath(columns.trace(i), *columns.dictionary, options);
        QVERIFY2(plainSegments(path) == plainJaegerPath(columns.trace(i)), where(i));
        Duration sum{0};
        for (const PathSegment& segment : path.segments)
            sum += segment.end - segment.begin;
        QVERIFY2(sum == path.length, where(i));
    }
}

void TestInvariants::tiles_data()
{
    QTest::addColumn<int>("policy");
    QTest::addColumn<int>("window");
    QTest::addColumn<int>("skew");
    for (const PathPolicy policy : {PathPolicy::Default, PathPolicy::Detach}) {
        for (const PathWindow window : {PathWindow::Root, PathWindow::FirstToken, PathWindow::Makespan}) {
            for (const SkewCorrection skew : {SkewCorrection::Off, SkewCorrection::Fit, SkewCorrection::Jaeger})
                QTest::addRow("policy %d, window %d, skew %d", int(policy), int(window), int(skew))
                    << int(policy) << int(window) << int(skew);
        }
    }
}

/// I1, and with it I2: whatever gives each segment one stage adds up to the window.
void TestInvariants::tiles()
{
    QFETCH(int, policy);
    QFETCH(int, window);
    QFETCH(int, skew);
    const TraceColumns columns = randomTraces(seed(), traces, hostileShape());
    const std::vector<Duration> jitter(columns.dictionary->resourceCount(), Duration{700});
    PathOptions options;
    options.policy = PathPolicy(policy);
    options.window = PathWindow(window);
    options.skew = SkewCorrection(skew);
    options.startJitter = jitter;
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const CriticalPath path = criticalPath(columns.trace(i), *columns.dictionary, options);
        QVERIFY2(tilingFault(path).empty(), where(i));
        QVERIFY2(path.inferred >= Duration{0} && path.inferred <= path.length, where(i));
        QCOMPARE(path.complete, path.root >= 0 && columns.trace(i).isTrueRoot(std::size_t(path.root)) && !isPartial(columns.trace(i)));
    }
}

/// I5: each span's segments lie in its own, corrected interval.
void TestInvariants::staysInsideItsSpans()
{
    RandomShape shape = hostileShape();
    shape.noStartPercent = 0;
    shape.noEndPercent = 0;
    const TraceColumns columns = randomTraces(seed(), traces, shape);
    PathOptions options;
    options.skew = SkewCorrection::Fit;
    std::size_t shifted = 0;
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const TraceView trace = columns.trace(i);
        const CriticalPath path = criticalPath(trace, *columns.dictionary, options);
        shifted += path.shift.empty() ? 0 : 1;
        for (const PathSegment& segment : path.segments) {
            const Duration shift = path.shift.empty() ? Duration{0} : path.shift[segment.span];
            QVERIFY2(path.begin + segment.begin >= trace.start[segment.span] + shift, where(i));
            QVERIFY2(path.begin + segment.end <= trace.end[segment.span] + shift, where(i));
        }
    }
    QVERIFY(shifted > 50);
}

/// I3
void TestInvariants::inputOrderChangesNothing()
{
    Random random(seed());
    const auto dictionary = std::make_shared<Dictionary>();
    for (int i = 0; i < traces; ++i) {
        const SpanColumns rows = randomRows(random, hostileShape(), *dictionary);
        const TraceColumns one = assemble(dictionary, {rows});
        const TraceColumns other = assemble(dictionary, {shuffled(rows, random)});
        const CriticalPath path = criticalPath(one.trace(0), *dictionary);
        const CriticalPath again = criticalPath(other.trace(0), *dictionary);
        QVERIFY2(marks(path, one.trace(0)) == marks(again, other.trace(0)), where(std::size_t(i)));
        QVERIFY2(path.inferred == again.inferred && notesText(path) == notesText(again), where(std::size_t(i)));
    }
}

/// I4: in whole milliseconds, so that the clock's resolution stays what it is.
void TestInvariants::timeShiftMovesNothing()
{
    RandomShape shape = hostileShape();
    shape.origin = 1'000'000;
    const TraceColumns early = randomTraces(seed(), traces, shape);
    shape.origin = 1'000'000'000'000;
    const TraceColumns late = randomTraces(seed(), traces, shape);
    for (std::size_t i = 0; i < early.traceCount(); ++i) {
        const CriticalPath path = criticalPath(early.trace(i), *early.dictionary);
        const CriticalPath moved = criticalPath(late.trace(i), *late.dictionary);
        QVERIFY2(path.segments == moved.segments && path.notes == moved.notes, where(i));
        QVERIFY2(path.root < 0 || moved.begin - path.begin == Duration{1'000'000'000'000 - 1'000'000}, where(i));
    }
}

/// I7: a span and those it waits for share one unbroken piece of the path.
void TestInvariants::subtreesAreContiguous()
{
    const TraceColumns columns = randomTraces(seed(), traces, knownTimes());
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const CriticalPath path = criticalPath(columns.trace(i), *columns.dictionary);
        const std::vector<std::int32_t> waiter = plainPath(columns.trace(i), PathPolicy::Default).waiter;
        std::map<std::int32_t, std::pair<Duration, Duration>> extent; // by span: begin and end of its subtree's piece so far
        for (const PathSegment& segment : path.segments) {
            for (auto at = std::int32_t(segment.span); at >= 0; at = at == path.root ? -1 : waiter[std::size_t(at)]) {
                const auto [place, fresh] = extent.try_emplace(at, segment.begin, segment.end);
                QVERIFY2(fresh || place->second.second == segment.begin, where(i));
                place->second.second = segment.end;
            }
        }
    }
}

/// I6 and I9
void TestInvariants::backgroundSpansChangeNothing()
{
    RandomShape shape = knownTimes();
    shape.cancelPercent = 0; // a background span may be the winner of a hedge
    shape.duplicatePercent = 0;
    const TraceColumns columns = randomTraces(seed(), traces, shape);
    int compared = 0;
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const TraceView trace = columns.trace(i);
        const CriticalPath path = criticalPath(trace, *columns.dictionary);
        if (path.root < 0)
            continue;
        const std::vector<bool> kept = reachable(plainPath(trace, PathPolicy::Default).waiter, path.root);
        for (const PathSegment& segment : path.segments)
            QVERIFY2(kept[segment.span], where(i));
        bool uprooted = false; // a span on the path whose recorded parent goes away would be adopted anew
        for (std::size_t s = 0; s < trace.size(); ++s)
            uprooted = uprooted || (kept[s] && trace.parent[s] >= 0 && !kept[std::size_t(trace.parent[s])]);
        if (uprooted)
            continue;
        const TraceColumns rest = assemble(columns.dictionary, {rowsOf(trace, kept)});
        const CriticalPath again = criticalPath(rest.trace(0), *columns.dictionary);
        QVERIFY2(marks(path, trace) == marks(again, rest.trace(0)), where(i));
        ++compared;
    }
    QVERIFY(compared > traces / 4);
}

/// I10: on one host, without adjacency and overflow, both policies walk the same way.
void TestInvariants::equalsJaegerWhereNothingIsInferred()
{
    RandomShape shape = tameShape();
    shape.adjacentPercent = 0;
    shape.duration = 10'000'000;
    shape.grid = 10'000; // far beyond the tolerance of 2 us
    const TraceColumns columns = randomTraces(seed(), traces, shape);
    PathOptions jaeger;
    jaeger.policy = PathPolicy::Jaeger;
    int compared = 0;
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        const TraceView trace = columns.trace(i);
        std::set<Timestamp> times(trace.start.begin(), trace.start.end());
        times.insert(trace.end.begin(), trace.end.end());
        if (times.size() != 2 * trace.size())
            continue; // some touch
        const CriticalPath path = criticalPath(trace, *columns.dictionary);
        QVERIFY2(path.segments == criticalPath(trace, *columns.dictionary, jaeger).segments, where(i));
        ++compared;
    }
    QVERIFY(compared > traces / 2);
}

/// I8
void TestInvariants::zeroLengthRootsAreEmpty()
{
    RandomShape shape = hostileShape();
    shape.duration = 1;
    shape.rootPercent = 0;
    Random random(seed());
    const auto dictionary = std::make_shared<Dictionary>();
    for (int i = 0; i < 200; ++i) {
        SpanColumns rows = randomRows(random, shape, *dictionary);
        for (std::size_t s = 0; s < rows.size(); ++s) {
            if (rows.parentId[s].isNull())
                rows.end[s] = rows.start[s];
        }
        const TraceColumns columns = assemble(dictionary, {rows});
        const CriticalPath path = criticalPath(columns.trace(0), *dictionary);
        if (path.root >= 0 && columns.trace(0).duration(std::size_t(path.root)) == Duration{0})
            QVERIFY2(path.segments.empty() && path.length == Duration{0}, where(std::size_t(i)));
    }
}

/// A finder that has seen other traces, under other options, answers like a fresh one.
void TestInvariants::keptMemoryIsNoState()
{
    const TraceColumns columns = randomTraces(seed(), traces, hostileShape());
    PathFinder finder;
    CriticalPath path;
    for (std::size_t i = 0; i < columns.traceCount(); ++i) {
        PathOptions options;
        options.policy = PathPolicy(i % 3);
        options.window = PathWindow(i / 3 % 3);
        options.skew = SkewCorrection(i / 9 % 3);
        const TraceView trace = columns.trace(i);
        finder.find(trace, *columns.dictionary, options, path);
        const CriticalPath fresh = criticalPath(trace, *columns.dictionary, options);
        QVERIFY2(path.segments == fresh.segments && path.length == fresh.length && path.begin == fresh.begin && path.root == fresh.root,
            where(i));
        QVERIFY2(path.inferred == fresh.inferred && path.complete == fresh.complete && path.shift == fresh.shift, where(i));
        QVERIFY2(finder.notes(trace, options) == fresh.notes, where(i));
    }
}

QTEST_GUILESS_MAIN(TestInvariants)
#include "tst_invariants.moc"
