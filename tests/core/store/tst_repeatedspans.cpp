// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reports with one id: duplicates, partial reports, conflicts; in one window, over windows, over imports, in any order.
#include "tests/core/store/plainspans.h"

#include <QtTest>

#include <algorithm>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

struct RepeatedCase {
    const char* name;
    std::vector<PlainSpan> reports;
    std::vector<PlainSpan> kept;
    std::uint64_t duplicates;
    std::uint64_t merged;
};

PlainSpan with(PlainSpan span, const std::string& key, AttributeValue value)
{
    span.payload.attributes.push_back({key, std::move(value)});
    return span;
}

PlainSpan ofKind(PlainSpan span, SpanKind kind)
{
    SpanFlags flags{span.flags};
    flags.setKind(kind);
    span.flags = flags.bits;
    return span;
}

PlainSpan unfinished(PlainSpan span)
{
    span.end = unknownTime;
    return span;
}

PlainSpan renamed(PlainSpan span, const std::string& name)
{
    span.name = name;
    return span;
}

std::vector<RepeatedCase> repeatedCases()
{
    const PlainSpan work = with(plainSpan(1, 7, 100, 200), "model", {std::string("gpt-4o")});
    const PlainSpan client = ofKind(work, SpanKind::Client);
    const PlainSpan server = ofKind(work, SpanKind::Server);
    const PlainSpan late = plainSpan(1, 7, 300, 400);
    const PlainSpan other = plainSpan(1, 8, 100, 200);
    const PlainSpan elsewhere = plainSpan(2, 7, 100, 200);
    const PlainSpan fuller = with(work, "tokens", {std::int64_t(12)});
    const PlainSpan begun = unfinished(with(plainSpan(1, 7, 100, 0), "prompt", {std::string("hi")}));
    PlainSpan merged = with(work, "prompt", {std::string("hi")});
    PlainSpan begunOtherwise = unfinished(with(plainSpan(1, 7, 100, 0), "model", {std::string("gpt-4o-mini")}));
    PlainSpan noTimes = unfinished(work);
    noTimes.start = unknownTime;

    return {
        {"identical, twice", {work, work}, {work}, 1, 0},
        {"identical, five times", {work, other, work, work, work, work}, {work, other}, 4, 0},
        {"same id in another trace", {work, elsewhere}, {work, elsewhere}, 0, 0},
        {"says less of the same", {work, fuller}, {fuller}, 1, 0},
        {"client and server half", {client, server}, {client, server}, 0, 0},
        {"client and server half, each twice", {client, server, client, server}, {client, server}, 2, 0},
        {"other times", {work, late}, {work, late}, 0, 0},
        {"other name", {work, renamed(work, "again")}, {work, renamed(work, "again")}, 0, 0},
        {"other attribute value", {with(other, "a", {std::int64_t(1)}), with(other, "a", {std::int64_t(2)})},
            {with(other, "a", {std::int64_t(1)}), with(other, "a", {std::int64_t(2)})}, 0, 0},
        {"started, then finished", {begun, work}, {merged}, 0, 1},
        {"started twice, then finished", {begun, begun, work}, {merged}, 1, 1},
        {"the finished value stands", {begunOtherwise, work}, {work}, 0, 1},
        {"started as another kind", {ofKind(begun, SpanKind::Client), work}, {ofKind(begun, SpanKind::Client), work}, 0, 0},
        {"started at another time", {unfinished(late), work}, {unfinished(late), work}, 0, 0},
        {"never finished", {begun, begunOtherwise}, {begun, begunOtherwise}, 0, 0},
        {"unknown start", {noTimes, work}, {noTimes, work}, 0, 0},
        {"finished and merged, then the same again", {begun, work, work, begun}, {merged}, 2, 1},
    };
}

SpanWriter::Written imported(Store& store, const std::vector<PlainSpan>& spans, std::size_t window = 131072)
{
    auto written = importSpans(store, "run", spans, {.batch = 3, .window = {.spans = window}});
    if (!written)
        qFatal("%s", written.error().message().c_str());
    return std::move(*written);
}

} // namespace

class TestRepeatedSpans : public QObject {
    Q_OBJECT

private slots:
    void oneImport_data();
    void oneImport();
    void oneImportEach_data() { oneImport_data(); }
    void oneImportEach();
    void importingAgainChangesNothing();
    void partOfAFileAgain();
    void textsMayBeInternedOrNot();
    void deploymentsAreApart();
    void manyReportsOfOneId();
    void farApartInALongTrace();
    void segmentsFollowChunks();
};

void TestRepeatedSpans::oneImport_data()
{
    QTest::addColumn<int>("index");
    const std::vector<RepeatedCase> cases = repeatedCases();
    for (int i = 0; i < int(cases.size()); ++i)
        QTest::newRow(cases[std::size_t(i)].name) << i;
}

/// Forwards and backwards, in one window and span by span.
void TestRepeatedSpans::oneImport()
{
    QFETCH(const int, index);
    RepeatedCase row = repeatedCases()[std::size_t(index)];
    for (const bool reversed : {false, true}) {
        if (reversed)
            std::reverse(row.reports.begin(), row.reports.end());
        for (const std::size_t window : {std::size_t(1), std::size_t(2), std::size_t(131072)}) {
            Store store = opened(Store::temporary());
            const SpanWriter::Written written = imported(store, row.reports, window);
            QCOMPARE(storedByTrace(store), describeAll(row.kept));
            QCOMPARE(storedByColumns(store), describeAll(row.kept));
            QCOMPARE(written.newSpans, std::uint64_t(row.kept.size()));
            QCOMPARE(written.diagnostics.count(DiagnosticCode::DuplicateSpan), row.duplicates);
            QCOMPARE(written.diagnostics.count(DiagnosticCode::PartialSpanMerged), row.merged);
        }
    }
}

/// The same outcome when every report comes in a file of its own.
void TestRepeatedSpans::oneImportEach()
{
    QFETCH(const int, index);
    RepeatedCase row = repeatedCases()[std::size_t(index)];
    for (const bool reversed : {false, true}) {
        if (reversed)
            std::reverse(row.reports.begin(), row.reports.end());
        Store store = opened(Store::temporary());
        std::uint64_t newSpans = 0;
        for (const PlainSpan& report : row.reports)
            newSpans += imported(store, {report}).newSpans;
        QCOMPARE(storedByTrace(store), describeAll(row.kept));
        QCOMPARE(storedByColumns(store), describeAll(row.kept));
        QCOMPARE(newSpans, std::uint64_t(row.kept.size()));
        QCOMPARE(store.deployments()->front().spans, std::uint64_t(row.kept.size()));
    }
}

void TestRepeatedSpans::importingAgainChangesNothing()
{
    const StoreFolder folder;
    for (const std::uint64_t seed : {1, 2, 3}) {
        const std::string path = folder.file(std::to_string(seed).c_str());
        const std::vector<PlainSpan> spans = randomSpans(seed, {.traces = 50, .spansPerTrace = 40});
        auto store = Store::create(path);
        QVERIFY(store.has_value());
        imported(*store, spans);
        QVERIFY(store->publish());
        const auto size = readFile(path).size();
        std::vector<PlainSpan> again = spans;
        std::reverse(again.begin(), again.end());
        const SpanWriter::Written written = imported(*store, again, 10);
        QCOMPARE(written.newSpans, std::uint64_t(0));
        QCOMPARE(written.newTraces, std::uint64_t(0));
        QCOMPARE(written.diagnostics.count(DiagnosticCode::DuplicateSpan), std::uint64_t(spans.size()));
        QCOMPARE(storedByColumns(*store), describeAll(spans));
        QVERIFY(readFile(path).size() <= size + 2 * 16384); // the record of the second import may need a page
    }
}

void TestRepeatedSpans::partOfAFileAgain()
{
    const std::vector<PlainSpan> spans = randomSpans(4, {.traces = 30, .spansPerTrace = 40});
    const std::vector<PlainSpan> firstHalf(spans.begin(), spans.begin() + std::ptrdiff_t(spans.size() / 2));
    Store store = opened(Store::temporary());
    imported(store, firstHalf);
    const SpanWriter::Written written = imported(store, spans, 20);
    QCOMPARE(written.newSpans, std::uint64_t(spans.size() - firstHalf.size()));
    QCOMPARE(written.diagnostics.count(DiagnosticCode::DuplicateSpan), std::uint64_t(firstHalf.size()));
    QCOMPARE(storedByColumns(store), describeAll(spans));
    QCOMPARE(storedByTrace(store), describeAll(spans));
}

/// A key with many distinct values goes inline after a while: the same value has two encodings then.
void TestRepeatedSpans::textsMayBeInternedOrNot()
{
    std::vector<PlainSpan> spans{with(plainSpan(1, 1, 0, 10), "session", {std::string("shared value")})};
    for (std::uint64_t i = 0; i < 3000; ++i)
        spans.push_back(with(plainSpan(2 + i, 1, 0, 10), "session", {"session " + std::to_string(i)}));
    const std::vector<PlainSpan> expected = spans;
    spans.push_back(spans.front());
    Store store = opened(Store::temporary());
    const SpanWriter::Written written = imported(store, spans);
    QCOMPARE(written.diagnostics.count(DiagnosticCode::DuplicateSpan), std::uint64_t(1));
    QCOMPARE(storedByTrace(store), describeAll(expected));
}

void TestRepeatedSpans::deploymentsAreApart()
{
    const PlainSpan work = plainSpan(1, 7, 100, 200);
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "before", {work}));
    const auto written = importSpans(store, "after", {work});
    QVERIFY(written.has_value());
    QCOMPARE(written->newSpans, std::uint64_t(1));
    QVERIFY(written->diagnostics.empty());
    QCOMPARE(storedByTrace(store), describeAll({work, work}));
}

/// An exporter that gives every span one id must not make the import slow or lose spans.
void TestRepeatedSpans::manyReportsOfOneId()
{
    std::vector<PlainSpan> spans;
    for (std::int64_t i = 0; i < 20000; ++i)
        spans.push_back(with(plainSpan(1, 7, 100, 200), "n", {i}));
    for (std::int64_t i = 0; i < 20000; ++i)
        spans.push_back(plainSpan(2, 7, i, i + 5));
    Store store = opened(Store::temporary());
    QCOMPARE(imported(store, spans).newSpans, std::uint64_t(spans.size()));
    QCOMPARE(storedByTrace(store), describeAll(spans));
}

/// A long trace is written before all of it has come; what is repeated in its end is still found, and its figures cover all of it.
void TestRepeatedSpans::farApartInALongTrace()
{
    std::vector<PlainSpan> spans;
    for (std::uint64_t i = 1; i <= 40000; ++i)
        spans.push_back(plainSpan(1, i, std::int64_t(i), std::int64_t(i) + 10, i / 2));
    std::vector<PlainSpan> reports = spans;
    reports.push_back(spans[5]);
    reports.push_back(unfinished(spans[17000]));
    Store store = opened(Store::temporary());
    const SpanWriter::Written written = imported(store, reports);
    QCOMPARE(written.newSpans, std::uint64_t(40000));
    QCOMPARE(written.newTraces, std::uint64_t(1));
    QCOMPARE(written.diagnostics.count(DiagnosticCode::DuplicateSpan), std::uint64_t(1));
    QCOMPARE(written.diagnostics.count(DiagnosticCode::PartialSpanMerged), std::uint64_t(1));
    QCOMPARE(storedByTrace(store), describeAll(spans));
    QCOMPARE(storedByColumns(store), describeAll(spans));
}

/// Rewriting one trace must leave its neighbours in the shared segments alone.
void TestRepeatedSpans::segmentsFollowChunks()
{
    std::vector<PlainSpan> spans = randomSpans(8, {.traces = 60, .spansPerTrace = 30});
    std::vector<PlainSpan> expected = spans;
    std::vector<PlainSpan> second;
    for (std::size_t i = 0; i < spans.size(); i += 7) {
        PlainSpan& span = expected[i];
        if (!isKnown(span.start) || !isKnown(span.end))
            continue;
        second.push_back(unfinished(span));
        second.back().payload.attributes = {{"only.early", {true}}};
        second.back().payload.events.clear();
        second.back().payload.links.clear();
        span.payload.attributes.push_back({"only.early", {true}});
    }
    Store store = opened(Store::temporary());
    imported(store, spans);
    const SpanWriter::Written written = imported(store, second);
    QCOMPARE(written.diagnostics.count(DiagnosticCode::PartialSpanMerged), std::uint64_t(second.size()));
    QCOMPARE(written.newSpans, std::uint64_t(0));
    QCOMPARE(storedByColumns(store), describeAll(expected));
    QCOMPARE(storedByTrace(store), describeAll(expected));
}

QTEST_GUILESS_MAIN(TestRepeatedSpans)
#include "tst_repeatedspans.moc"
