// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Export as OTLP JSON and import again: random traces, hostile trees and every kind of value come back equal.
#include "core/export/exporter.h"
#include "core/import/readinput.h"
#include "core/model/traceassembler.h"
#include "tests/testkit/randomtrace.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <limits>
#include <map>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

std::string randomText(Random& random)
{
    constexpr std::string_view pieces[] = {"", "a", "=1+1", "\n", "\"", "\\", "\xc3\xa9", "\xf0\x9f\x98\x80", "</script>", "|"};
    std::string text;
    for (std::uint64_t i = random.below(5); i > 0; --i)
        text += pieces[random.below(std::size(pieces))];
    return text;
}

AttributeValue randomValue(Random& random, int depth)
{
    switch (random.below(depth < 4 ? 9 : 7)) {
    case 0: return {};
    case 1: return {random.chance(50)};
    case 2: return {std::int64_t(random.below(std::numeric_limits<std::uint64_t>::max()))};
    case 3: return {double(std::int64_t(random.below(1 << 30))) / double(1 + random.below(1000)) - 1e5};
    case 4: return {randomText(random)};
    case 5: return {Bytes{randomText(random)}};
    case 6: return {NumberText{random.chance(50) ? "NaN" : "-98765432109876543210"}};
    case 7: {
        AttributeValue::Array array;
        for (std::uint64_t i = random.below(4); i > 0; --i)
            array.push_back(randomValue(random, depth + 1));
        return {array};
    }
    default: {
        AttributeList list;
        for (std::uint64_t i = random.below(4); i > 0; --i)
            list.push_back({randomText(random), randomValue(random, depth + 1)});
        return {list};
    }
    }
}

AttributeList randomAttributes(Random& random)
{
    AttributeList list;
    for (std::uint64_t i = random.below(4); i > 0; --i)
        list.push_back({"k" + std::to_string(random.below(3)), randomValue(random, 0)});
    return list;
}

SpanPayload randomPayload(Random& random)
{
    SpanPayload payload;
    payload.attributes = randomAttributes(random);
    for (std::uint64_t i = random.below(3); i > 0; --i)
        payload.events.push_back(
            {timestampFromNs(random.between(1, 1000)), randomText(random), randomAttributes(random), std::uint32_t(random.below(3))});
    for (std::uint64_t i = random.below(3); i > 0; --i) {
        SpanLink link;
        link.traceId = {random.below(100), 1 + random.below(100)};
        link.spanId = {1 + random.below(100)};
        link.traceState = randomText(random);
        link.attributes = randomAttributes(random);
        link.flags = std::uint32_t(random.below(1000));
        payload.links.push_back(link);
    }
    payload.traceState = randomText(random);
    payload.statusMessage = randomText(random);
    payload.flags = std::uint32_t(random.below(1000));
    payload.droppedAttributes = std::uint32_t(random.below(3));
    payload.droppedEvents = std::uint32_t(random.below(3));
    payload.droppedLinks = std::uint32_t(random.below(3));
    return payload;
}

/// One span as text, so that equal spans are equal text whatever dictionary they came from.
struct Comparable {
    SpanId parentId;
    std::int64_t start = 0;
    std::int64_t end = 0;
    SpanKind kind{};
    SpanStatus status{};
    std::string name;
    SpanPayload payload;
    Resource resource;
    Scope scope;

    friend bool operator==(const Comparable&, const Comparable&) = default;
};

Comparable comparable(const SpanRow& row, std::string_view packed, const Dictionary& dictionary)
{
    return {row.parentId, toNs(row.start), toNs(row.end), row.flags.kind(), row.flags.status(), std::string(dictionary.text(row.name)),
        decodePayload(packed, row.start, dictionary.strings), dictionary.resource(row.resource), dictionary.scope(row.scope)};
}

using SpanKey = std::pair<TraceId, SpanId>;
using Spans = std::multimap<SpanKey, Comparable>;

Trace randomTrace(Random& random, std::uint64_t id, const std::shared_ptr<Dictionary>& dictionary, Spans& spans)
{
    RandomShape shape = hostileShape();
    shape.origin = 1'700'000'000'000'000'000;
    shape.duplicatePercent = 0; // two spans of one id cannot be told apart below
    SpanColumns rows = randomRows(random, shape, *dictionary);
    TraceColumns columns;
    std::vector<std::uint32_t> order;
    assembleTrace(rows, order, columns);
    columns.dictionary = dictionary;
    columns.traceId = {TraceId{7, id}};
    columns.storeKey = {std::int64_t(id)};
    std::vector<std::uint64_t> begin;
    std::vector<std::uint32_t> size;
    std::string packed;
    PackedWriter writer(dictionary->strings);
    for (std::size_t i = 0; i < columns.spanCount(); ++i) {
        SpanRow row = columns.spans.row(i);
        row.scope = dictionary->internScope({randomText(random), "", randomAttributes(random), 0, randomText(random)});
        columns.spans.setRow(i, row);
        begin.push_back(packed.size());
        encodePayload(randomPayload(random), row.start, writer, packed);
        size.push_back(std::uint32_t(packed.size() - begin.back()));
        spans.emplace(SpanKey{columns.traceId[0], row.spanId}, comparable(row, std::string_view(packed).substr(begin.back()), *dictionary));
    }
    return Trace(std::move(columns), std::move(begin), std::move(size), std::move(packed));
}

} // namespace

class TestRoundTrip : public QObject {
    Q_OBJECT

private slots:
    void otlpJsonImportsAgain();
};

void TestRoundTrip::otlpJsonImportsAgain()
{
    const QTemporaryDir dir;
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const auto dictionary = std::make_shared<Dictionary>();
        const std::string path = dir.filePath("out.json").toStdString();
        Spans written;
        auto exporter = Exporter::begin(path, {ExportFormat::OtlpJson, {}, {}});
        QVERIFY(exporter);
        for (std::uint64_t id = 1; id <= 4; ++id)
            QVERIFY(exporter->append(randomTrace(random, id, dictionary, written)));
        QVERIFY(exporter->finish());

        Dictionary again;
        Spans read;
        const auto deliver = [&](SpanBatch& batch) -> Result<void> {
            for (std::size_t i = 0; i < batch.size(); ++i)
                read.emplace(SpanKey{batch.traceId[i], batch.spans.spanId[i]}, comparable(batch.spans.row(i), batch.payloadOf(i), again));
            return {};
        };
        const auto report = readInput(path, again, deliver, {});
        QVERIFY2(report, report ? "" : report.error().message().c_str());
        QCOMPARE(report->format, std::string("otlp-json"));
        QCOMPARE(report->diagnostics.rejected(), std::uint64_t(0));
        QCOMPARE(read.size(), written.size());
        for (auto a = written.begin(), b = read.begin(); a != written.end(); ++a, ++b)
            QVERIFY2(
                *a == *b, qPrintable(QString("seed %1, span %2 of trace %3").arg(seed).arg(a->first.second.value).arg(a->first.first.lo)));
        compared += read.size();
    }
    QVERIFY(compared > 1000);
}

QTEST_GUILESS_MAIN(TestRoundTrip)
#include "tst_roundtrip.moc"
