// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// 64-bit trace ids beside the 128-bit ids that they were cut from: in one import, over imports, in any order.
#include "tests/core/store/plainspans.h"

#include <QtTest>

#include <algorithm>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

constexpr TraceId shortId{0, 7};
constexpr TraceId longId{1, 7};
constexpr TraceId otherLongId{2, 7};

PlainSpan of(TraceId trace, std::uint64_t id, std::uint64_t parent = 0)
{
    PlainSpan span = plainSpan(1, id, std::int64_t(id) * 100, std::int64_t(id) * 100 + 50, parent);
    span.traceId = trace;
    return span;
}

SpanWriter::Written imported(Store& store, const char* format, const std::vector<PlainSpan>& spans)
{
    auto writer = SpanWriter::begin(store, "a", {});
    if (!writer || !appendSpans(*writer, spans))
        qFatal("cannot write");
    StoredInput input;
    input.path = "a.json";
    input.format = format;
    auto written = writer->commit(std::move(input));
    if (!written)
        qFatal("cannot commit: %s", written.error().detail.c_str());
    return *written;
}

struct ShortIdCase {
    const char* name;
    const char* format;
    std::vector<PlainSpan> spans;
    std::vector<PlainSpan> kept;
    std::uint64_t traces;
};

std::vector<ShortIdCase> shortIdCases()
{
    const PlainSpan root = of(longId, 1);
    const PlainSpan cut = of(shortId, 2, 1);
    const PlainSpan joined = of(longId, 2, 1);
    return {
        {"one of each", "zipkin-json", {root, cut}, {root, joined}, 1},
        {"a span under both ids", "zipkin-json", {root, cut, joined}, {root, joined}, 1},
        {"two candidates", "zipkin-json", {root, cut, of(otherLongId, 3)}, {root, cut, of(otherLongId, 3)}, 3},
        {"no candidate", "zipkin-json", {cut, of(TraceId{1, 8}, 3)}, {cut, of(TraceId{1, 8}, 3)}, 2},
        {"short ids alone", "zipkin-json", {cut, of(TraceId{0, 9}, 3)}, {cut, of(TraceId{0, 9}, 3)}, 2},
        {"two pairs", "zipkin-json", {root, cut, of(TraceId{3, 9}, 4), of(TraceId{0, 9}, 5)},
            {root, joined, of(TraceId{3, 9}, 4), of(TraceId{3, 9}, 5)}, 2},
        {"other producers do not cut ids", "otlp-json", {root, cut}, {root, cut}, 2},
    };
}

} // namespace

class TestShortIds : public QObject {
    Q_OBJECT

private slots:
    void oneImport_data();
    void oneImport();
    void oneImportEach_data() { oneImport_data(); }
    void oneImportEach();
    void importingAgainChangesNothing();
    void anyZipkinInputCounts();
    void neighboursStay();
};

void TestShortIds::oneImport_data()
{
    QTest::addColumn<int>("index");
    const std::vector<ShortIdCase> cases = shortIdCases();
    for (int i = 0; i < int(cases.size()); ++i)
        QTest::newRow(cases[std::size_t(i)].name) << i;
}

void TestShortIds::oneImport()
{
    QFETCH(const int, index);
    ShortIdCase row = shortIdCases()[std::size_t(index)];
    for (const bool reversed : {false, true}) {
        if (reversed)
            std::reverse(row.spans.begin(), row.spans.end());
        Store store = opened(Store::temporary());
        const SpanWriter::Written written = imported(store, row.format, row.spans);
        QCOMPARE(storedByTrace(store), describeAll(row.kept));
        QCOMPARE(storedByColumns(store), describeAll(row.kept));
        QCOMPARE(written.newSpans, std::uint64_t(row.kept.size()));
        QCOMPARE(written.newTraces, row.traces);
        QCOMPARE(store.deployments()->front().traces, row.traces);
    }
}

/// The same outcome when every span comes in a file of its own, as long as no second candidate follows a join.
void TestShortIds::oneImportEach()
{
    QFETCH(const int, index);
    ShortIdCase row = shortIdCases()[std::size_t(index)];
    if (QString(row.name) == "two candidates")
        std::rotate(row.spans.begin(), row.spans.begin() + 2, row.spans.end());
    Store store = opened(Store::temporary());
    for (const PlainSpan& span : row.spans)
        imported(store, row.format, {span});
    QCOMPARE(storedByTrace(store), describeAll(row.kept));
    QCOMPARE(storedByColumns(store), describeAll(row.kept));
    QCOMPARE(store.deployments()->front().traces, row.traces);
}

void TestShortIds::importingAgainChangesNothing()
{
    const std::vector<PlainSpan> spans{of(longId, 1), of(shortId, 2, 1)};
    Store store = opened(Store::temporary());
    imported(store, "zipkin-json", spans);
    const std::vector<std::string> before = storedByTrace(store);
    const SpanWriter::Written again = imported(store, "zipkin-json", spans);
    QCOMPARE(storedByTrace(store), before);
    QCOMPARE(storedByColumns(store), before);
    QCOMPARE(again.newSpans, std::uint64_t(0));
    QCOMPARE(again.diagnostics.count(DiagnosticCode::DuplicateSpan), std::uint64_t(2));
}

/// OTLP before or behind Zipkin in one deployment: joined as soon as both are there.
void TestShortIds::anyZipkinInputCounts()
{
    const PlainSpan root = of(longId, 1);
    const PlainSpan cut = of(shortId, 2, 1);
    for (const bool zipkinFirst : {false, true}) {
        Store store = opened(Store::temporary());
        imported(store, zipkinFirst ? "zipkin-json" : "otlp-json", {zipkinFirst ? cut : root});
        imported(store, zipkinFirst ? "otlp-json" : "zipkin-json", {zipkinFirst ? root : cut});
        QCOMPARE(storedByTrace(store), describeAll({root, of(longId, 2, 1)}));
    }
}

/// Joining one trace must leave its neighbours in the shared segments alone.
void TestShortIds::neighboursStay()
{
    std::vector<PlainSpan> spans = randomSpans(8, {.traces = 60, .spansPerTrace = 30});
    std::vector<PlainSpan> expected = spans;
    spans.push_back(of(shortId, 2, 1));
    spans.push_back(of(longId, 1));
    expected.push_back(of(longId, 2, 1));
    expected.push_back(of(longId, 1));
    Store store = opened(Store::temporary());
    imported(store, "zipkin-json", spans);
    QCOMPARE(storedByTrace(store), describeAll(expected));
    QCOMPARE(storedByColumns(store), describeAll(expected));
}

QTEST_GUILESS_MAIN(TestShortIds)
#include "tst_shortids.moc"
