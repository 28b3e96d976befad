// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fast protobuf reader on damaged, cut, gigantic and hostile bytes.
#include "tests/core/import/otlpprotobytes.h"

#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

class TestOtlpProtoDamage : public QObject {
    Q_OBJECT

private slots:
    void wrongWireTypeCostsTheFieldAlone_data();
    void wrongWireTypeCostsTheFieldAlone();
    void damageCostsThePartItIsIn_data();
    void damageCostsThePartItIsIn();
    void largeElementsAreNotHeld();
    void everyCutKeepsTheSpansBefore();
    void blockSizeChangesNothing();
    void hostileBytesFailInPeace_data();
    void hostileBytesFailInPeace();
    void flippedBytesNeverBreakTheReader();
};

void TestOtlpProtoDamage::wrongWireTypeCostsTheFieldAlone_data()
{
    QTest::addColumn<QByteArray>("file");
    const auto inSpan = [](const std::string& extra) { return requestBytes({spanBytes(7, "s") + extra}); };
    const auto row = [](const char* name, const std::string& file) { QTest::newRow(name) << QByteArray::fromStdString(file); };
    for (const std::uint32_t number : {1U, 2U, 3U, 4U, 5U, 9U, 11U, 13U, 15U})
        row(qPrintable(QString("span field %1 as varint").arg(number)), inSpan(varintField(number, 77)));
    for (const std::uint32_t number : {6U, 7U, 8U, 10U, 12U, 14U, 16U})
        row(qPrintable(QString("span field %1 as bytes").arg(number)), inSpan(lengthField(number, "\x08\x08")));
    row("flags as varint, as some wrote them", inSpan(varintField(16, 1)));
    row("event time as varint", inSpan(lengthField(11, varintField(1, 5))));
    row("link flags as varint", inSpan(lengthField(13, varintField(6, 5))));
    row("status message as varint", inSpan(lengthField(15, varintField(2, 5))));
    row("attribute key as varint", inSpan(lengthField(9, varintField(1, 5))));
    row("scope as varint", requestOfScope(varintField(1, 5) + lengthField(2, spanBytes(7, "s"))));
    row("resource as varint", lengthField(1, varintField(1, 5) + lengthField(2, lengthField(2, spanBytes(7, "s")))));
    row("resource_spans as varint", varintField(1, 5) + inSpan(""));
}

void TestOtlpProtoDamage::wrongWireTypeCostsTheFieldAlone()
{
    QFETCH(QByteArray, file);
    const ReadOutcome outcome = readOtlpProto(file.toStdString());
    QVERIFY(outcome.result);
    QCOMPARE(outcome.spans.size(), std::size_t(1));
    QCOMPARE(outcome.spans[0].name, std::string("s"));
    QVERIFY(outcome.spans[0].spanId == SpanId{7});
    QVERIFY(outcome.spans[0].end == timestampFromNs(2000));
    QCOMPARE(outcome.diagnostics.count(DiagnosticCode::WireType), std::uint64_t(1));
    QCOMPARE(outcome.diagnostics.rejected(), std::uint64_t(0));
}

void TestOtlpProtoDamage::damageCostsThePartItIsIn_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QStringList>("names"); // of the spans that are left
    QTest::addColumn<int>("attributes"); // of the first of them
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("rejected");
    const std::string good = lengthField(9, textAttribute("a", "b"));
    const std::string broken = "\x0a\x7f"; // a length beyond its message
    const auto row = [](const char* name, const std::string& file, const QStringList& names, int attributes, DiagnosticCode code,
                         int rejected) {
        QTest::newRow(name) << QByteArray::fromStdString(file) << names << attributes << int(code) << rejected;
    };
    row("attribute", requestBytes({spanBytes(1, "s") + good + lengthField(9, broken) + good}), {"s"}, 2, DiagnosticCode::BadAttributes, 0);
    row("value inside an array inside an attribute",
        requestBytes({spanBytes(1, "s") + good
            + lengthField(9, lengthField(1, "k") + lengthField(2, lengthField(5, lengthField(1, broken)))) + good}),
        {"s"}, 2, DiagnosticCode::BadAttributes, 0);
    row("event", requestBytes({spanBytes(1, "s") + lengthField(11, broken) + good}), {"s"}, 1, DiagnosticCode::BadRecord, 0);
    row("link", requestBytes({spanBytes(1, "s") + lengthField(13, broken) + good}), {"s"}, 1, DiagnosticCode::BadRecord, 0);
    row("status", requestBytes({spanBytes(1, "s") + lengthField(15, broken) + good}), {"s"}, 1, DiagnosticCode::BadRecord, 0);
    row("span", requestBytes({spanBytes(1, "s") + good, spanBytes(2, "t") + broken, spanBytes(3, "u")}), {"s", "u"}, 1,
        DiagnosticCode::BadRecord, 1);
    row("group inside a span", requestBytes({spanBytes(1, "s") + good, spanBytes(2, "t") + "\x8b\x01", spanBytes(3, "u")}), {"s", "u"}, 1,
        DiagnosticCode::BadRecord, 1);
    row("scope spans", requestOfScope(lengthField(2, spanBytes(1, "s") + good) + broken) + requestBytes({spanBytes(3, "u")}), {"s", "u"}, 1,
        DiagnosticCode::BadRecord, 1);
    row("bytes behind the message", requestBytes({spanBytes(1, "s") + good}) + std::string("\0\0\0", 3), {"s"}, 1,
        DiagnosticCode::BadRecord, 1);
    row("resource", lengthField(1, lengthField(1, broken) + lengthField(2, lengthField(2, spanBytes(1, "s")))), {"s"}, 0,
        DiagnosticCode::BadRecord, 0);
}

void TestOtlpProtoDamage::damageCostsThePartItIsIn()
{
    QFETCH(QByteArray, file);
    QFETCH(QStringList, names);
    QFETCH(int, attributes);
    QFETCH(int, code);
    QFETCH(int, rejected);
    const ReadOutcome outcome = readOtlpProto(file.toStdString());
    QVERIFY(outcome.result);
    QStringList found;
    for (const DecodedSpan& span : outcome.spans)
        found << QString::fromStdString(span.name);
    QCOMPARE(found, names);
    QCOMPARE(int(outcome.spans[0].payload.attributes.size()), attributes);
    QCOMPARE(outcome.diagnostics.count(DiagnosticCode(code)), std::uint64_t(1));
    QCOMPARE(int(outcome.diagnostics.rejected()), rejected);
}

/// Above 64 MiB spans do not wait for the end of their ResourceSpans; what comes late is lost and counted.
void TestOtlpProtoDamage::largeElementsAreNotHeld()
{
    const std::string resource = lengthField(1, lengthField(1, textAttribute("service.name", "svc")));
    const std::string scope = lengthField(1, lengthField(1, "lib"));
    const std::string big = lengthField(2, spanBytes(1, "s") + lengthField(9, textAttribute("prompt", std::string(33 << 20, 'x'))));
    const std::string scopeSpans = lengthField(2, scope + big + lengthField(2, spanBytes(2, "t")));
    const std::string late = lengthField(2, scope + big + lengthField(2, spanBytes(2, "t")) + lengthField(3, "urn:scope"));

    const ReadOutcome early = readOtlpProto(lengthField(1, resource + scopeSpans + scopeSpans));
    QVERIFY(early.result);
    QVERIFY(early.diagnostics.empty());
    QCOMPARE(early.spans.size(), std::size_t(4));
    for (const DecodedSpan& span : early.spans) {
        QVERIFY(span.resource == Resource({{{"service.name", {std::string("svc")}}}, 0, "", {}}));
        QCOMPARE(span.scope.name, std::string("lib"));
    }
    const ReadOutcome lateUrls = readOtlpProto(lengthField(1, resource + scopeSpans + late + lengthField(3, "urn:resource")));
    QCOMPARE(lateUrls.spans.size(), std::size_t(4));
    QCOMPARE(lateUrls.diagnostics.count(DiagnosticCode::SizeLimit), std::uint64_t(2));
    QCOMPARE(lateUrls.diagnostics.rejected(), std::uint64_t(0));
    const ReadOutcome lateResource = readOtlpProto(lengthField(1, scopeSpans + scopeSpans + resource));
    QCOMPARE(lateResource.spans.size(), std::size_t(4));
    QVERIFY(lateResource.diagnostics.empty());
    QVERIFY(lateResource.spans[3].resource == early.spans[3].resource);
}

void TestOtlpProtoDamage::everyCutKeepsTheSpansBefore()
{
    std::vector<std::string> contents;
    for (std::uint64_t id = 1; id <= 4; ++id)
        contents.push_back(spanBytes(id, "span " + std::to_string(id)) + lengthField(9, textAttribute("k", "value")));
    const std::string first = requestBytes({contents[0], contents[1]});
    const std::string file = first + requestBytes({contents[2], contents[3]});
    for (std::size_t size = 0; size <= file.size(); ++size) {
        const ReadOutcome outcome = readOtlpProto(std::string_view(file).substr(0, size));
        std::size_t whole = 0;
        while (whole < contents.size() && file.find(contents[whole]) + contents[whole].size() <= size)
            ++whole;
        QCOMPARE(outcome.spans.size(), whole);
        for (std::size_t i = 0; i < whole; ++i)
            QVERIFY(outcome.spans[i].spanId == SpanId{i + 1});
        const bool atBoundary = size == 0 || size == first.size() || size == file.size();
        QCOMPARE(outcome.diagnostics.count(DiagnosticCode::TruncatedInput), std::uint64_t(atBoundary ? 0 : 1));
        QCOMPARE(outcome.diagnostics.rejected(), std::uint64_t(atBoundary ? 0 : 1));
        QCOMPARE(outcome.result.has_value(), whole > 0 || atBoundary);
        if (!outcome.result)
            QCOMPARE(int(outcome.result.error().code), int(ErrorCode::Malformed));
    }
}

void TestOtlpProtoDamage::blockSizeChangesNothing()
{
    std::vector<std::string> contents;
    for (std::uint64_t id = 1; id <= 40; ++id)
        contents.push_back(spanBytes(id, std::string(std::size_t(id) * 7, 'n')));
    const std::string file = requestBytes(contents) + requestBytes(contents);
    const ReadOutcome whole = readOtlpProto(file);
    QCOMPARE(whole.spans.size(), std::size_t(80));
    for (const std::size_t block : {1, 2, 3, 7, 64, 1000})
        QVERIFY(readOtlpProto(file, block).spans == whole.spans);
}

void TestOtlpProtoDamage::hostileBytesFailInPeace_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const std::string& bytes) { QTest::newRow(name) << QByteArray::fromStdString(bytes); };
    const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"; // 2^64 - 1
    row("field 0", std::string("\x02\x01\x00", 3));
    row("group", "\x0b\x0c");
    row("wire type 7", "\x0f\x01");
    row("varint of 11 bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    row("element of 2^64 - 1 bytes", "\x0a" + huge + "\x12");
    row("element of 8 EiB", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\x02\x12");
    row("span of 2^63 bytes", lengthField(1, std::string("\x12\x0c\x12\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 13)));
    row("span of 4 GiB", "\x0a\x90\x80\x80\x80\x10\x12\x88\x80\x80\x80\x10\x12\x80\x80\x80\x80\x10xyz");
    row("frame of 4 GiB", std::string("\xff\xff\xff\xff\x0a", 5));
    row("only zeros", std::string(4096, '\0'));
    row("only 0x0a", std::string(4096, '\x0a'));
    row("only 0xff", std::string(4096, '\xff'));
}

void TestOtlpProtoDamage::hostileBytesFailInPeace()
{
    QFETCH(QByteArray, bytes);
    const ReadOutcome outcome = readOtlpProto(bytes.toStdString());
    QVERIFY(outcome.spans.empty());
    QVERIFY(!outcome.result || outcome.diagnostics.rejected() == 0);
    // With good records before, those stay.
    const ReadOutcome behind = readOtlpProto(requestBytes({spanBytes(1, "s")}) + bytes.toStdString());
    QVERIFY(behind.result);
    QCOMPARE(behind.spans.size(), std::size_t(1));
}

void TestOtlpProtoDamage::flippedBytesNeverBreakTheReader()
{
    const std::string nested = lengthField(5, lengthField(1, lengthField(5, lengthField(1, lengthField(1, "deep")))));
    const std::string good = requestBytes({spanBytes(1, "s") + lengthField(9, lengthField(1, "k") + lengthField(2, nested)),
        spanBytes(2, "t") + lengthField(11, fixed64Field(1, 3)),
        spanBytes(3, "u") + lengthField(13, lengthField(1, bigEndianBytes(1, 16)))});
    std::uint64_t state = 1;
    for (int round = 0; round < 3000; ++round) {
        std::string bad = good;
        for (int flips = 0; flips < 1 + round % 4; ++flips) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            bad[std::size_t(state >> 33) % bad.size()] = char(state >> 25);
        }
        const ReadOutcome outcome = readOtlpProto(bad);
        QVERIFY(outcome.spans.size() <= 64);
        QVERIFY(outcome.result || !outcome.result.error().detail.empty());
    }
}

QTEST_GUILESS_MAIN(TestOtlpProtoDamage)
#include "tst_otlpprotodamage.moc"
