// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace gives back exactly what was put in: spans, texts, inputs, settings, over several imports and whatever the window.
#include "tests/core/store/plainspans.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <set>
#include <thread>

using namespace chokepoint;
using namespace chokepoint::testkit;

class TestStore : public QObject {
    Q_OBJECT

private slots:
    void givesBackWhatWasPutIn_data();
    void givesBackWhatWasPutIn();
    void orderAndWindowChangeNothing();
    void keepsEveryBitOfNumbers();
    void keepsExtremeTimes();
    void largeTraceSpansManyParts();
    void severalImportsAndDeployments();
    void survivesReopening();
    void recordsInputsWithTheirFaults();
    void settings();
    void findsTracesByAnySpelling();
    void tracesComeByTime();
    void publishNamesTheFile();
    void dropsUnpublishedFile();
    void copies();
    void visitorStopsEarly();
    void cancels();
    void manyThreadsRead();
    void refusesUnknownTrace();
};

void TestStore::givesBackWhatWasPutIn_data()
{
    QTest::addColumn<quint64>("seed");
    QTest::addColumn<quint64>("window");
    for (quint64 seed = 1; seed <= 12; ++seed)
        for (const quint64 window : {quint64(1), quint64(10), quint64(131072)})
            QTest::addRow("seed %llu, window %llu", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(window))
                << seed << window;
}

void TestStore::givesBackWhatWasPutIn()
{
    QFETCH(const quint64, seed);
    QFETCH(const quint64, window);
    const std::vector<PlainSpan> spans = randomSpans(seed);
    Store store = opened(Store::temporary());
    const auto written = importSpans(store, "run", spans, {.batch = 7, .window = {.spans = window}});
    QVERIFY2(written.has_value(), written ? "" : written.error().message().c_str());
    QCOMPARE(written->newSpans, std::uint64_t(spans.size()));
    QCOMPARE(written->newTraces, std::uint64_t(20));
    QVERIFY(written->diagnostics.empty());
    const std::vector<std::string> expected = describeAll(spans);
    QCOMPARE(storedByColumns(store), expected);
    QCOMPARE(storedByTrace(store), expected);
}

void TestStore::orderAndWindowChangeNothing()
{
    std::vector<PlainSpan> spans = randomSpans(99, {.traces = 40, .spansPerTrace = 30});
    const auto idsInOrder = [&](std::size_t window) {
        Store store = opened(Store::temporary());
        if (!importSpans(store, "run", spans, {.batch = 5, .window = {.spans = window}}))
            qFatal("import failed");
        const auto columns = store.loadColumns({}, {});
        return std::pair(columns->traceId, columns->spans.spanId);
    };
    const auto expected = idsInOrder(131072);
    std::reverse(spans.begin(), spans.end());
    QVERIFY(idsInOrder(131072) == expected);
    QVERIFY(idsInOrder(3) == expected);
}

void TestStore::keepsEveryBitOfNumbers()
{
    PlainSpan span = plainSpan(1, 1, 10, 20);
    const std::uint64_t signallingNan = 0x7ff4000000000001;
    double odd = 0;
    std::memcpy(&odd, &signallingNan, sizeof odd);
    for (const double value : {odd, -0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min()})
        span.payload.attributes.push_back({"x", {value}});
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "run", {span}));
    QCOMPARE(storedByTrace(store), describeAll({span}));
}

void TestStore::keepsExtremeTimes()
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min() + 1; // the minimum itself means unknown
    std::vector<PlainSpan> spans{
        plainSpan(1, 1, least, most), plainSpan(1, 2, most, least), plainSpan(1, 3, 1, least), plainSpan(1, 4, -5, -5)};
    spans[0].firstToken = timestampFromNs(most);
    spans[1].firstToken = timestampFromNs(least);
    spans.push_back(plainSpan(2, 5, 0, most));
    spans.back().start = unknownTime;
    spans.push_back(plainSpan(2, 6, 0, 0));
    spans.back().start = spans.back().end = unknownTime;
    spans.back().firstToken = timestampFromNs(0);
    for (PlainSpan& span : spans)
        span.flags |= SpanFlags::RelativeClock; // so that 0 counts as a time
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "run", spans));
    QCOMPARE(storedByColumns(store), describeAll(spans));
    QCOMPARE(storedByTrace(store), describeAll(spans));
}

void TestStore::largeTraceSpansManyParts()
{
    // More than two chunks (4,096 spans each), and more than one segment (65,536 spans) together with its neighbours.
    std::vector<PlainSpan> spans;
    for (std::uint64_t i = 1; i <= 70000; ++i)
        spans.push_back(plainSpan(1, i, std::int64_t(i), std::int64_t(i) + 10, i / 2));
    for (std::uint64_t i = 1; i <= 20; ++i)
        spans.push_back(plainSpan(2, i, std::int64_t(i), std::int64_t(i) + 10, i / 2));
    for (const std::size_t window : {std::size_t(9000), std::size_t(131072)}) {
        Store store = opened(Store::temporary());
        QVERIFY(importSpans(store, "run", spans, {.batch = 4096, .window = {.spans = window}}));
        const auto columns = store.loadColumns({}, {});
        QVERIFY(columns.has_value());
        QCOMPARE(columns->spanCount(), spans.size());
        QCOMPARE(columns->traceCount(), std::size_t(2));
        QCOMPARE(columns->diagnostics.entries().size(), std::size_t(0));
        QCOMPARE(storedByTrace(store), describeAll(spans));
    }
}

void TestStore::severalImportsAndDeployments()
{
    const std::vector<PlainSpan> first = randomSpans(1);
    const std::vector<PlainSpan> second = randomSpans(2);
    std::vector<PlainSpan> both = first;
    both.insert(both.end(), second.begin(), second.end());
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "before", first));
    QVERIFY(importSpans(store, "after", first)); // the same ids again, in another deployment
    QVERIFY(importSpans(store, "before", second));
    const auto deployments = store.deployments();
    QVERIFY(deployments.has_value());
    QCOMPARE(deployments->size(), std::size_t(2));
    QCOMPARE((*deployments)[0].label, std::string("before"));
    QCOMPARE((*deployments)[0].spans, std::uint64_t(both.size()));
    QCOMPARE((*deployments)[0].traces, std::uint64_t(40));
    QCOMPARE((*deployments)[1].label, std::string("after"));
    QCOMPARE((*deployments)[1].spans, std::uint64_t(first.size()));
    QCOMPARE(storedByColumns(store, (*deployments)[0].id), describeAll(both));
    QCOMPARE(storedByTrace(store, (*deployments)[1].id), describeAll(first));
    both.insert(both.end(), first.begin(), first.end());
    QCOMPARE(storedByColumns(store), describeAll(both));
}

void TestStore::survivesReopening()
{
    const StoreFolder folder;
    const std::vector<PlainSpan> first = randomSpans(3);
    const std::vector<PlainSpan> second = randomSpans(4);
    {
        Store store = opened(Store::create(folder.file()));
        QVERIFY(importSpans(store, "run", first));
        QVERIFY(store.publish());
        QVERIFY(importSpans(store, "run", second));
    }
    std::vector<PlainSpan> all = first;
    all.insert(all.end(), second.begin(), second.end());
    for (const Store::Mode mode : {Store::Mode::ReadOnly, Store::Mode::ReadWrite}) {
        const Store store = opened(Store::open(folder.file(), mode));
        QCOMPARE(storedByColumns(store), describeAll(all));
        QCOMPARE(storedByTrace(store), describeAll(all));
    }
    Store store = opened(Store::open(folder.file(), Store::Mode::ReadWrite));
    const std::vector<PlainSpan> third = randomSpans(5);
    QVERIFY(importSpans(store, "run", third));
    all.insert(all.end(), third.begin(), third.end());
    QCOMPARE(storedByColumns(store), describeAll(all));
    QCOMPARE(folder.names(), std::vector<std::string>{"test.chokepoint"});
}

void TestStore::recordsInputsWithTheirFaults()
{
    const StoreFolder folder;
    StoredInput input;
    input.path = "/traces/ü ' \" run.jsonl.gz";
    input.format = "otlp-json";
    input.compression = "gzip";
    input.bytes = 12345;
    input.diagnostics.report(DiagnosticCode::InvalidUtf8, "line 3: repaired");
    input.diagnostics.report(DiagnosticCode::InvalidUtf8, "line 4: repaired");
    input.diagnostics.reject(DiagnosticCode::BadRecord, [] { return std::string("line 5: not JSON, skipped"); });
    {
        Store store = opened(Store::create(folder.file()));
        auto writer = SpanWriter::begin(store, "run");
        QVERIFY(writer.has_value());
        QVERIFY(appendSpans(*writer, {plainSpan(1, 1, 0, 5), plainSpan(1, 1, 0, 5)}));
        QVERIFY(writer->commit(input));
        QVERIFY(store.publish());
    }
    const Store store = opened(Store::open(folder.file(), Store::Mode::ReadOnly));
    const auto inputs = store.inputs();
    QVERIFY(inputs.has_value());
    QCOMPARE(inputs->size(), std::size_t(1));
    const StoredInput& stored = inputs->front();
    QCOMPARE(stored.path, input.path);
    QCOMPARE(stored.format, input.format);
    QCOMPARE(stored.compression, input.compression);
    QCOMPARE(stored.bytes, input.bytes);
    QCOMPARE(stored.spans, std::uint64_t(1));
    QVERIFY(QDateTime::fromString(QString::fromStdString(stored.importedAt), Qt::ISODate).isValid());
    QCOMPARE(stored.diagnostics.count(DiagnosticCode::InvalidUtf8), std::uint64_t(2));
    QCOMPARE(stored.diagnostics.count(DiagnosticCode::DuplicateSpan), std::uint64_t(1));
    QCOMPARE(stored.diagnostics.rejected(), std::uint64_t(1));
    QCOMPARE(stored.diagnostics.firstRejection(), std::string("line 5: not JSON, skipped"));
    for (const DiagnosticEntry& entry : stored.diagnostics.entries())
        if (entry.code == DiagnosticCode::InvalidUtf8)
            QCOMPARE(entry.first, std::string("line 3: repaired"));
}

void TestStore::settings()
{
    Store store = opened(Store::temporary());
    QVERIFY(!store.setting("rules")->has_value());
    QVERIFY(store.setSetting("rules", "{}"));
    QVERIFY(store.setSetting("rules", "{\"stages\": []}"));
    QVERIFY(store.setSetting("verdict", ""));
    QCOMPARE(store.setting("rules")->value(), std::string("{\"stages\": []}"));
    QCOMPARE(store.setting("verdict")->value(), std::string());
}

void TestStore::findsTracesByAnySpelling()
{
    std::vector<PlainSpan> spans{plainSpan(0, 1, 10, 20), plainSpan(0, 1, 10, 20), plainSpan(0, 1, 10, 20)};
    spans[0].traceId = {0x0af7651916cd43dd, 0x8448eb211c80319c};
    spans[1].traceId = {0, 0xab};
    spans[2].traceId = opaqueTraceId("run/17 a");
    spans[2].payload.traceIdText = "run/17 a";
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "before", spans));
    QVERIFY(importSpans(store, "after", {spans[1]}));
    const auto columns = store.loadColumns({}, {});
    const auto names = [&](const std::string& id) {
        std::vector<std::string> found;
        const auto keys = store.findTrace(id);
        for (const std::int64_t key : *keys)
            found.push_back((*store.loadTrace(key))->idName());
        return found;
    };
    const std::string full = "0af7651916cd43dd8448eb211c80319c";
    const std::string padded = "000000000000000000000000000000ab";
    QCOMPARE(names(full), std::vector<std::string>{full});
    QCOMPARE(names("0AF7651916CD43DD8448EB211C80319C"), std::vector<std::string>{full});
    QCOMPARE(names("af7651916cd43dd8448eb211c80319c"), std::vector<std::string>{full});
    QCOMPARE(names("0af76519-16cd-43dd-8448-eb211c80319c"), std::vector<std::string>{full});
    QCOMPARE(names("AB"), (std::vector<std::string>{padded, padded})); // one a deployment
    QCOMPARE(names("00ab"), (std::vector<std::string>{padded, padded}));
    QCOMPARE(names("run/17 a"), std::vector<std::string>{"run/17 a"});
    QCOMPARE(names("run/17"), std::vector<std::string>{});
    QCOMPARE(names(""), std::vector<std::string>{});
    // The columns know the text, too.
    std::multiset<std::string> all;
    for (std::size_t t = 0; t < columns->traceCount(); ++t)
        all.insert(columns->traceIdName(t));
    QVERIFY(all == (std::multiset<std::string>{full, padded, padded, "run/17 a"}));
}

void TestStore::tracesComeByTime()
{
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "run", {plainSpan(1, 1, 100, 200), plainSpan(2, 3, 50, 60), plainSpan(3, 2, 100, 300)}));
    QCOMPARE(store.loadColumns({}, {})->traceId, (std::vector<TraceId>{{0, 2}, {0, 1}, {0, 3}}));
}

void TestStore::publishNamesTheFile()
{
    const StoreFolder folder;
    Store store = opened(Store::create(folder.file()));
    QVERIFY(importSpans(store, "run", randomSpans(1)));
    QVERIFY(!QFile::exists(QString::fromStdString(folder.file())));
    QVERIFY(store.publish());
    QVERIFY(store.publish()); // once is enough, twice does no harm
    QCOMPARE(store.path(), folder.file());
    QVERIFY(Store::isWorkspace(folder.file()));
    QCOMPARE(folder.names(), std::vector<std::string>{"test.chokepoint"});
    QCOMPARE(storedByColumns(store), describeAll(randomSpans(1)));

    const auto again = Store::create(folder.file());
    QVERIFY(!again);
    QCOMPARE(again.error().code, ErrorCode::CannotWrite);
    QCOMPARE(storedByColumns(opened(Store::open(folder.file(), Store::Mode::ReadOnly))), describeAll(randomSpans(1)));
}

void TestStore::dropsUnpublishedFile()
{
    const StoreFolder folder;
    {
        Store store = opened(Store::create(folder.file()));
        QVERIFY(importSpans(store, "run", randomSpans(1)));
        QCOMPARE(folder.names().size(), std::size_t(1)); // the file aside
    }
    QCOMPARE(folder.names(), std::vector<std::string>{});
}

void TestStore::copies()
{
    const StoreFolder folder;
    const std::vector<std::string> expected = describeAll(randomSpans(6));
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "run", randomSpans(6)));
    QVERIFY(store.setSetting("rules", "mine"));
    QVERIFY(store.copyTo(folder.file("copy.chokepoint")));
    const Store copy = opened(Store::open(folder.file("copy.chokepoint"), Store::Mode::ReadOnly));
    QCOMPARE(storedByTrace(copy), expected);
    QCOMPARE(copy.setting("rules")->value(), std::string("mine"));
    QVERIFY(copy.copyTo(folder.file("second.chokepoint")));
    QCOMPARE(storedByTrace(opened(Store::open(folder.file("second.chokepoint"), Store::Mode::ReadOnly))), expected);

    const auto ontoItself = copy.copyTo(folder.file("copy.chokepoint"));
    QVERIFY(!ontoItself);
    QCOMPARE(ontoItself.error().code, ErrorCode::CannotWrite);
    const auto nowhere = copy.copyTo(folder.file("missing/copy.chokepoint"));
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().code, ErrorCode::CannotWrite);
    auto writer = SpanWriter::begin(store, "run");
    QCOMPARE(store.copyTo(folder.file("third.chokepoint")).error().code, ErrorCode::WorkspaceBusy);
    QCOMPARE(folder.names(), (std::vector<std::string>{"copy.chokepoint", "second.chokepoint"}));
}

void TestStore::visitorStopsEarly()
{
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "run", randomSpans(7)));
    const auto columns = store.loadColumns({}, {});
    std::size_t visits = 0;
    const auto visit = [&](std::size_t trace, const std::vector<std::string_view>&) {
        if (trace != visits++)
            qFatal("traces out of order");
        return visits < 5;
    };
    QVERIFY(store.forEachTracePayloads(*columns, visit, {}));
    QCOMPARE(visits, std::size_t(5));
}

void TestStore::cancels()
{
    Store store = opened(Store::temporary());
    QVERIFY(importSpans(store, "run", randomSpans(7)));
    std::stop_source stop;
    const JobControl job(stop.get_token());
    const auto columns = store.loadColumns({}, job);
    QVERIFY(columns.has_value());
    stop.request_stop();
    QCOMPARE(store.loadColumns({}, job).error().code, ErrorCode::Cancelled);
    const auto visit = [](std::size_t, const std::vector<std::string_view>&) { return true; };
    QCOMPARE(store.forEachTracePayloads(*columns, visit, job).error().code, ErrorCode::Cancelled);
}

/// The window reads from its workers: whole traces, columns and payloads of one store at the same time.
void TestStore::manyThreadsRead()
{
    const StoreFolder folder;
    Store store = opened(Store::create(folder.file()));
    const std::vector<std::string> expected = describeAll(randomSpans(9));
    QVERIFY(importSpans(store, "run", randomSpans(9)));
    QVERIFY(store.publish());
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 6; ++i)
            threads.emplace_back([&, i] {
                for (int round = 0; round < 5; ++round)
                    right += (i % 2 == 0 ? storedByTrace(store) : storedByColumns(store)) == expected ? 1 : 0;
            });
    }
    QCOMPARE(right.load(), 30);
}

void TestStore::refusesUnknownTrace()
{
    const Store store = opened(Store::temporary());
    QCOMPARE(store.loadTrace(17).error().code, ErrorCode::NotFound);
    QCOMPARE(store.loadColumns({}, {})->traceCount(), std::size_t(0));
    QCOMPARE(store.loadColumns(5, {})->traceCount(), std::size_t(0));
}

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
