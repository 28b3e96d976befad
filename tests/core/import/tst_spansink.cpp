// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sink: payloads as encodePayload() writes them, batches, holding, taking back, cancelling.
#include "core/import/bytesource.h"
#include "core/import/spansink.h"

#include <QtTest>

#include <vector>

using namespace chokepoint;

namespace {

/// A sink with everything around it; what it delivers is kept.
struct Bench {
    Dictionary dictionary;
    std::stop_source stop;
    JobControl job{stop.get_token()};
    ByteCount bytes;
    InputReport report;
    std::vector<SpanRow> rows;
    std::vector<SpanPayload> payloads;
    std::vector<std::size_t> batches;
    DeliverBatch deliver = [this](SpanBatch& batch) -> Result<void> {
        batches.push_back(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            rows.push_back(batch.spans.row(i));
            payloads.push_back(decodePayload(batch.payloadOf(i), batch.spans.start[i], dictionary.strings));
        }
        return {};
    };
    SpanSink sink{dictionary, deliver, job, bytes, report};
    SpanDraft draft;

    Result<void> add(std::uint64_t id)
    {
        draft.clear();
        draft.traceId = {0, 1};
        draft.row.spanId = {id};
        return sink.add(draft);
    }
    Result<void> addMany(std::uint64_t count)
    {
        Result<void> added;
        for (std::uint64_t id = 1; id <= count && added; ++id)
            added = add(id);
        return added;
    }
};

} // namespace

class tst_SpanSink : public QObject {
    Q_OBJECT

private slots:
    void payloads();
    void batches();
    void holding();
    void changesReachHeldBatches();
    void takingBack();
    void madeUpIds();
    void cancelling();
    void failureOfTheReceiver();
    void timeUnits_data();
    void timeUnits();
    void firstTokensInAnotherUnit();
};

/// Every part of a payload comes back as it was put in, and only that.
void tst_SpanSink::payloads()
{
    Bench bench;
    SpanDraft& draft = bench.draft;
    PackedWriter& writer = bench.sink.writer();
    draft.traceId = {0, 1};
    draft.row.spanId = {2};
    draft.row.start = timestampFromNs(1000);
    writer.setOutput(&draft.attributes);
    writer.key("a");
    writer.integer(-5);
    draft.addEvent().name = "dropped";
    draft.clearEvents();
    EventDraft& event = draft.addEvent();
    event.time = timestampFromNs(900); // before the span's start
    event.name = "e";
    event.droppedAttributes = 3;
    event.attributes.begin = draft.nested.size();
    writer.setOutput(&draft.nested);
    writer.key("k");
    writer.text("v");
    event.attributes.end = draft.nested.size();
    LinkDraft& link = draft.addLink();
    link.traceId = {7, 8};
    link.spanId = {9};
    link.flags = 1;
    link.traceState = "x=y";
    link.spanIdText = "span-A";
    draft.traceState = "k=v";
    draft.statusMessage = "no";
    draft.w3cFlags = 257;
    draft.droppedAttributes = 1;
    draft.droppedEvents = 2;
    draft.droppedLinks = 4;
    draft.traceIdText = "trace-A";
    draft.spanIdText = "span-B";
    draft.parentIdText = "span-C";
    QVERIFY(bench.sink.add(draft));
    QVERIFY(bench.add(3)); // nothing of the first may stick to it
    QVERIFY(bench.sink.finish());

    SpanPayload expected;
    expected.attributes = {{"a", {std::int64_t(-5)}}};
    expected.events = {{timestampFromNs(900), "e", {{"k", {std::string("v")}}}, 3}};
    expected.links = {{{7, 8}, {9}, "x=y", {}, 0, 1, "", "span-A"}};
    expected.traceState = "k=v";
    expected.statusMessage = "no";
    expected.flags = 257;
    expected.droppedAttributes = 1;
    expected.droppedEvents = 2;
    expected.droppedLinks = 4;
    expected.traceIdText = "trace-A";
    expected.spanIdText = "span-B";
    expected.parentIdText = "span-C";
    QCOMPARE(bench.payloads.size(), std::size_t(2));
    QVERIFY(bench.payloads[0] == expected);
    QVERIFY(bench.payloads[1] == SpanPayload{});
}

void tst_SpanSink::batches()
{
    Bench bench;
    QVERIFY(bench.addMany(10000));
    QCOMPARE(bench.batches, std::vector<std::size_t>({4096, 4096}));
    QVERIFY(bench.sink.finish());
    QCOMPARE(bench.batches, std::vector<std::size_t>({4096, 4096, 1808}));
    QCOMPARE(bench.report.spans, 10000ULL);
    QCOMPARE(bench.rows.back().spanId.value, 10000ULL);
}

void tst_SpanSink::holding()
{
    Bench bench;
    bench.sink.hold();
    bench.sink.hold();
    QVERIFY(bench.addMany(9000));
    QVERIFY(bench.sink.release());
    QVERIFY(bench.batches.empty());
    QVERIFY(bench.sink.release());
    QCOMPARE(bench.batches, std::vector<std::size_t>({4096, 4096}));
    QVERIFY(bench.sink.finish());
    for (std::size_t i = 0; i < bench.rows.size(); ++i)
        QCOMPARE(bench.rows[i].spanId.value, std::uint64_t(i + 1));
}

void tst_SpanSink::changesReachHeldBatches()
{
    Bench bench;
    bench.sink.hold();
    QVERIFY(bench.addMany(9000));
    bench.sink.setResource(100, ResourceId(1));
    bench.sink.setScope(8999, ScopeId(2));
    bench.sink.remapResources(4000, {ResourceId(0), ResourceId(5)});
    QVERIFY(bench.sink.release());
    QVERIFY(bench.sink.finish());
    for (std::size_t i = 0; i < bench.rows.size(); ++i) {
        QCOMPARE(toIndex(bench.rows[i].resource), std::size_t(i < 100 ? 0 : i < 4000 ? 1 : 5));
        QCOMPARE(toIndex(bench.rows[i].scope), std::size_t(i < 8999 ? 0 : 2));
    }
}

void tst_SpanSink::takingBack()
{
    for (const std::uint64_t keep : {0, 1, 4095, 4096, 4097, 8999, 9000}) {
        Bench bench;
        bench.sink.hold();
        QVERIFY(bench.addMany(9000));
        bench.sink.rollback(keep);
        QCOMPARE(bench.sink.position(), keep);
        QVERIFY(bench.add(77));
        QVERIFY(bench.sink.release());
        QVERIFY(bench.sink.finish());
        QCOMPARE(bench.rows.size(), std::size_t(keep + 1));
        QCOMPARE(bench.rows.back().spanId.value, 77ULL);
        QVERIFY(bench.payloads.back() == SpanPayload{});
    }
}

/// Reading the same input again must find the same spans, and no two spans may become one.
void tst_SpanSink::madeUpIds()
{
    Bench first;
    Bench second;
    for (Bench* bench : {&first, &second}) {
        bench->report.path = "a.json";
        QVERIFY(bench->add(0));
        QVERIFY(bench->add(0));
        QVERIFY(bench->sink.finish());
        QCOMPARE(bench->report.diagnostics.count(DiagnosticCode::InvalidId), 2ULL);
    }
    QVERIFY(!first.rows[0].spanId.isNull());
    QVERIFY(first.rows[0].spanId != first.rows[1].spanId);
    QCOMPARE(first.rows[0].spanId, second.rows[0].spanId);
}

void tst_SpanSink::cancelling()
{
    Bench bench;
    bench.stop.request_stop();
    const auto added = bench.addMany(5000);
    QVERIFY(!added);
    QCOMPARE(added.error().code, ErrorCode::Cancelled);
    QVERIFY(bench.batches.empty());
}

void tst_SpanSink::failureOfTheReceiver()
{
    Bench bench;
    bench.deliver = [](SpanBatch&) -> Result<void> { return fail(ErrorCode::CannotWrite, "disk full"); };
    const auto added = bench.addMany(5000);
    QVERIFY(!added);
    QCOMPARE(added.error().code, ErrorCode::CannotWrite);
}

void tst_SpanSink::timeUnits_data()
{
    QTest::addColumn<std::uint64_t>("count");
    QTest::addColumn<std::uint64_t>("goodOne"); // which span has a time in the format's own unit; 0: none
    QTest::addColumn<std::uint64_t>("repaired");
    QTest::newRow("few spans") << std::uint64_t(3) << std::uint64_t(0) << std::uint64_t(3);
    QTest::newRow("the last is good") << std::uint64_t(10000) << std::uint64_t(10000) << std::uint64_t(0);
    QTest::newRow("more than can wait") << std::uint64_t(100000) << std::uint64_t(0) << std::uint64_t(100000);
    QTest::newRow("more than can wait, then a good one") << std::uint64_t(100000) << std::uint64_t(90000) << std::uint64_t(99999);
}

/// Milliseconds where nanoseconds belong. A reader may hold spans of its own meanwhile.
void tst_SpanSink::timeUnits()
{
    QFETCH(std::uint64_t, count);
    QFETCH(std::uint64_t, goodOne);
    QFETCH(std::uint64_t, repaired);
    constexpr std::int64_t milliseconds = 1'700'000'000'000;
    Bench bench;
    for (std::uint64_t id = 1; id <= count; ++id) {
        if (id % 100 == 1)
            bench.sink.hold();
        bench.draft.clear();
        bench.draft.traceId = {0, 1};
        bench.draft.row.spanId = {id};
        bench.draft.row.start = timestampFromNs(id == goodOne ? milliseconds * 1'000'000 : milliseconds);
        bench.draft.row.end = bench.draft.row.start + Duration{2};
        QVERIFY(bench.sink.add(bench.draft));
        if (id % 100 == 0)
            QVERIFY(bench.sink.release());
    }
    QVERIFY(bench.sink.finish());
    QCOMPARE(bench.rows.size(), std::size_t(count));
    QCOMPARE(bench.report.diagnostics.count(DiagnosticCode::TimeUnitRepaired), repaired);
    for (const SpanRow& row : bench.rows) {
        const bool isRepaired = repaired != 0 && row.spanId.value != goodOne;
        QCOMPARE(row.flags.has(SpanFlags::TimeRepaired), isRepaired);
        QCOMPARE(toNs(row.start), isRepaired || row.spanId.value == goodOne ? milliseconds * 1'000'000 : milliseconds);
        QCOMPARE(toNs(row.end - row.start), isRepaired ? 2'000'000LL : 2LL);
    }
}

/// One that is an event moves with its event.
void tst_SpanSink::firstTokensInAnotherUnit()
{
    Bench bench;
    bench.draft.traceId = {0, 1};
    bench.draft.row.spanId = {1};
    bench.draft.row.start = timestampFromNs(1'700'000'000'000);
    bench.draft.row.end = timestampFromNs(1'700'000'000'900);
    EventDraft& event = bench.draft.addEvent();
    event.name = "first_token";
    event.time = timestampFromNs(1'700'000'000'250);
    QVERIFY(bench.sink.add(bench.draft));
    QVERIFY(bench.sink.finish());
    QCOMPARE(toNs(bench.rows[0].end), 1'700'000'000'900'000'000LL);
    QCOMPARE(toNs(bench.payloads[0].events[0].time), 1'700'000'000'250'000'000LL);
    QCOMPARE(toNs(bench.rows[0].firstToken), 1'700'000'000'250'000'000LL);
}

QTEST_GUILESS_MAIN(tst_SpanSink)
#include "tst_spansink.moc"
