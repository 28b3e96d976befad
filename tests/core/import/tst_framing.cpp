// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every way in which messages follow each other in a file, found by content and read to the same spans.
#include "core/import/framing.h"
#include "tests/core/import/otlpprotobytes.h"

#include <QTest>

#include <zlib.h>
#include <zstd.h>

#include <functional>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

std::string zstdFrame(const std::string& content)
{
    std::string frame(ZSTD_compressBound(content.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 3));
    return frame;
}

std::string gzipMember(const std::string& content)
{
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string member(deflateBound(&stream, content.size()) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = uInt(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(member.data());
    stream.avail_out = uInt(member.size());
    deflate(&stream, Z_FINISH);
    member.resize(stream.total_out);
    deflateEnd(&stream);
    return member;
}

std::string bigEndianFrame(const std::string& payload)
{
    return bigEndianBytes(payload.size(), 4) + payload;
}

std::string varintFrame(const std::string& payload)
{
    return varintBytes(payload.size()) + payload;
}

std::string grpcFrame(const std::string& payload)
{
    return std::string(1, '\0') + bigEndianFrame(payload);
}

std::string compressedGrpcFrame(const std::string& payload)
{
    return std::string(1, '\1') + bigEndianFrame(gzipMember(payload));
}

/// Three messages of two spans each, ids 1 to 6.
std::vector<std::string> messages()
{
    std::vector<std::string> all;
    for (std::uint64_t id = 1; id <= 5; id += 2)
        all.push_back(requestBytes({spanBytes(id, "first"), spanBytes(id + 1, "second")}));
    return all;
}

using Frame = std::function<std::string(const std::string&)>;

std::string joined(const Frame& frame, const std::vector<std::string>& payloads)
{
    std::string file;
    for (const std::string& payload : payloads)
        file += frame(payload);
    return file;
}

QStringList idsOf(const std::vector<DecodedSpan>& spans)
{
    QStringList ids;
    for (const DecodedSpan& span : spans)
        ids << QString::number(span.spanId.value);
    return ids;
}

struct NamedFraming {
    const char* name;
    Frame frame;
    Framing framing;
};

const std::vector<NamedFraming>& framings()
{
    static const std::vector<NamedFraming> all = {
        {"bare, bodies after each other", [](const std::string& p) { return p; }, Framing::None},
        {"4 bytes big endian", bigEndianFrame, Framing::BigEndianLength},
        {"4 bytes big endian, a zstd frame each", [](const std::string& p) { return bigEndianFrame(zstdFrame(p)); },
            Framing::BigEndianLength},
        {"4 bytes big endian, a gzip member each", [](const std::string& p) { return bigEndianFrame(gzipMember(p)); },
            Framing::BigEndianLength},
        {"4 bytes big endian, empty frames between", [](const std::string& p) { return bigEndianFrame("") + bigEndianFrame(p); },
            Framing::BigEndianLength},
        {"varint", varintFrame, Framing::VarintLength},
        {"varint, empty frames between", [](const std::string& p) { return varintFrame(p) + varintFrame(""); }, Framing::VarintLength},
        {"gRPC", grpcFrame, Framing::Grpc},
        {"gRPC, compressed", compressedGrpcFrame, Framing::Grpc},
    };
    return all;
}

} // namespace

class TestFraming : public QObject {
    Q_OBJECT

private slots:
    void everyFramingGivesTheSameSpans_data();
    void everyFramingGivesTheSameSpans();
    void aCutInTheLastFrameKeepsTheOthers_data() { everyFramingGivesTheSameSpans_data(); }
    void aCutInTheLastFrameKeepsTheOthers();
    void aDamagedFrameCostsItselfAlone_data();
    void aDamagedFrameCostsItselfAlone();
    void findsTheFraming_data();
    void findsTheFraming();
    void framesOfJsonAreRead_data();
    void framesOfJsonAreRead();
    void otherSignalsInFramesAreCounted();
};

void TestFraming::everyFramingGivesTheSameSpans_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < framings().size(); ++i)
        QTest::newRow(framings()[i].name) << int(i);
}

void TestFraming::everyFramingGivesTheSameSpans()
{
    QFETCH(int, index);
    const NamedFraming& framing = framings()[std::size_t(index)];
    for (std::size_t count = 1; count <= 3; ++count) {
        std::vector<std::string> payloads = messages();
        payloads.resize(count);
        const std::string file = joined(framing.frame, payloads);
        const FoundFraming found = findFraming(file, true);
        QCOMPARE(int(found.framing), int(framing.framing));
        QCOMPARE(int(found.payload), int(PayloadKind::Protobuf));
        QCOMPARE(int(found.shape), int(ProtoShape::OtlpTraces));
        for (const std::size_t block : {0, 1, 5}) {
            const ReadOutcome outcome = readOtlpProto(file, block);
            QVERIFY(outcome.result);
            QVERIFY(outcome.diagnostics.empty());
            QCOMPARE(idsOf(outcome.spans), QStringList({"1", "2", "3", "4", "5", "6"}).mid(0, int(count) * 2));
        }
    }
}

void TestFraming::aCutInTheLastFrameKeepsTheOthers()
{
    QFETCH(int, index);
    const Frame& frame = framings()[std::size_t(index)].frame;
    const std::vector<std::string> payloads = messages();
    const std::size_t whole = (frame(payloads[0]) + frame(payloads[1])).size();
    const std::string file = joined(frame, payloads);
    for (std::size_t size = whole; size < file.size(); ++size) {
        const ReadOutcome outcome = readOtlpProto(std::string_view(file).substr(0, size));
        QVERIFY(outcome.result);
        QVERIFY(outcome.spans.size() >= 4 && outcome.spans.size() <= 6);
        QCOMPARE(idsOf(outcome.spans).mid(0, 4), QStringList({"1", "2", "3", "4"}));
        QVERIFY2(outcome.diagnostics.rejected() <= 1, outcome.diagnostics.firstRejection().c_str());
    }
}

void TestFraming::aDamagedFrameCostsItselfAlone_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QStringList>("ids");
    const std::vector<std::string> m = messages();
    const std::string broken = "\x0a\x7f\x12";
    const auto row = [](const char* name, const std::string& file, const QStringList& ids) {
        QTest::newRow(name) << QByteArray::fromStdString(file) << ids;
    };
    std::string badZstd = zstdFrame(m[1]);
    badZstd.resize(badZstd.size() / 2);
    row("4 bytes big endian", bigEndianFrame(m[0]) + bigEndianFrame(broken) + bigEndianFrame(m[2]), {"1", "2", "5", "6"});
    row("varint", varintFrame(m[0]) + varintFrame(broken) + varintFrame(m[2]), {"1", "2", "5", "6"});
    row("gRPC", grpcFrame(m[0]) + grpcFrame(broken) + grpcFrame(m[2]), {"1", "2", "5", "6"});
    row("half a zstd frame", bigEndianFrame(zstdFrame(m[0])) + bigEndianFrame(badZstd) + bigEndianFrame(zstdFrame(m[2])),
        {"1", "2", "5", "6"});
    row("a length beyond reason", bigEndianFrame(m[0]) + bigEndianFrame(m[1]) + "\xff\xff\xff\xff" + m[2], {"1", "2", "3", "4"});
}

void TestFraming::aDamagedFrameCostsItselfAlone()
{
    QFETCH(QByteArray, file);
    QFETCH(QStringList, ids);
    const ReadOutcome outcome = readOtlpProto(file.toStdString());
    QVERIFY2(outcome.result, outcome.result ? "" : outcome.result.error().detail.c_str());
    QCOMPARE(idsOf(outcome.spans), ids);
    QCOMPARE(outcome.diagnostics.rejected(), std::uint64_t(1));
}

void TestFraming::findsTheFraming_data()
{
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<int>("framing");
    QTest::addColumn<int>("payload");
    const auto row = [](const char* name, const std::string& head, Framing framing, PayloadKind payload) {
        QTest::newRow(name) << QByteArray::fromStdString(head) << int(framing) << int(payload);
    };
    const std::string json = R"({"resourceSpans":[{"scopeSpans":[]}]})";
    row("JSON in 4-byte frames", bigEndianFrame(json) + bigEndianFrame(json), Framing::BigEndianLength, PayloadKind::Json);
    row("JSON in zstd in 4-byte frames", bigEndianFrame(zstdFrame(json)), Framing::BigEndianLength, PayloadKind::Json);
    row("JSON in gRPC frames", grpcFrame(json), Framing::Grpc, PayloadKind::Json);
    row("plain JSON", json, Framing::None, PayloadKind::Unknown);
    for (const char* space : {" ", "    ", "\n\n\n\n", "\r\n\r\n", "\t\t\t\t", "\n", "                                      "})
        row(qPrintable(QString("JSON behind white space %1").arg(QString(QByteArray(space).toHex()))), space + json, Framing::None,
            PayloadKind::Unknown);
    row("JSON array behind white space", "   [" + json, Framing::None, PayloadKind::Unknown);
    row("JSON array behind a byte order mark", "\xef\xbb\xbf[" + json, Framing::None, PayloadKind::Unknown);
    row("JSON array of text length 91", "[" + json, Framing::None, PayloadKind::Unknown);
    row("byte order mark", "\xef\xbb\xbf" + json, Framing::None, PayloadKind::Unknown);
    row("nothing", "", Framing::None, PayloadKind::Unknown);
    row("text", "2026-11-30 06:58:44 INFO started", Framing::None, PayloadKind::Unknown);
    row("zeros", std::string(64, '\0'), Framing::None, PayloadKind::Unknown);
    // 0x0a 0x5b and 0x0a 0x7b look like a line break and a JSON bracket: a first element of 91 or 123 bytes.
    const std::size_t without = requestBytes({spanBytes(1, "")}).size() - 2;
    for (const std::size_t length : {std::size_t('['), std::size_t('{')})
        row(length == '[' ? "protobuf that begins like [" : "protobuf that begins like {",
            requestBytes({spanBytes(1, std::string(length - without, 'x'))}), Framing::None, PayloadKind::Protobuf);
    row("OTLP without spans", requestOfScope(lengthField(1, lengthField(1, "scope"))), Framing::None, PayloadKind::Protobuf);
}

void TestFraming::findsTheFraming()
{
    QFETCH(QByteArray, head);
    QFETCH(int, framing);
    QFETCH(int, payload);
    for (const bool isWhole : {true, false}) {
        const FoundFraming found = findFraming(head.toStdString(), isWhole);
        QCOMPARE(int(found.payload), payload);
        QCOMPARE(int(found.framing), framing);
    }
}

void TestFraming::framesOfJsonAreRead_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QStringList>("ids");
    QTest::addColumn<int>("rejected");
    const auto json = [](int id) {
        return QString(
            R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"000000000000000%1",)"
            R"("name":"s","startTimeUnixNano":"1000","endTimeUnixNano":"2000"}]}]}]})")
            .arg(id)
            .toStdString();
    };
    const auto row = [](const char* name, const std::string& file, const QStringList& ids, int rejected) {
        QTest::newRow(name) << QByteArray::fromStdString(file) << ids << rejected;
    };
    row("4 bytes big endian", bigEndianFrame(json(1)) + bigEndianFrame(json(2)), {"1", "2"}, 0);
    row("a zstd frame each", bigEndianFrame(zstdFrame(json(1))) + bigEndianFrame(zstdFrame(json(2))), {"1", "2"}, 0);
    row("gRPC", grpcFrame(json(1)) + compressedGrpcFrame(json(2)), {"1", "2"}, 0);
    row("JSON beside protobuf", bigEndianFrame(json(9)) + bigEndianFrame(messages()[0]), {"9", "1", "2"}, 0);
    row("Zipkin's JSON",
        bigEndianFrame(R"([{"traceId":"0000000000000001","id":"0000000000000003","name":"s","timestamp":1,"duration":1}])"), {"3"}, 0);
    row("one is no JSON", bigEndianFrame(json(1)) + bigEndianFrame("{]") + bigEndianFrame(json(2)), {"1", "2"}, 1);
    row("the last is cut", bigEndianFrame(json(1)) + bigEndianFrame(json(2)).substr(0, 60), {"1"}, 1);
}

void TestFraming::framesOfJsonAreRead()
{
    QFETCH(QByteArray, file);
    QFETCH(QStringList, ids);
    QFETCH(int, rejected);
    const ReadOutcome outcome = readOtlpProto(file.toStdString());
    QVERIFY2(outcome.result, outcome.result ? "" : outcome.result.error().detail.c_str());
    QCOMPARE(idsOf(outcome.spans), ids);
    QCOMPARE(int(outcome.diagnostics.rejected()), rejected);
}

void TestFraming::otherSignalsInFramesAreCounted()
{
    const std::string metrics =
        requestOfScope(lengthField(2, lengthField(1, "http.server.duration") + lengthField(5, lengthField(1, fixed64Field(3, 1)))));
    const ReadOutcome mixed = readOtlpProto(bigEndianFrame(metrics) + bigEndianFrame(messages()[0]));
    QVERIFY(mixed.result);
    QCOMPARE(idsOf(mixed.spans), QStringList({"1", "2"}));
    QCOMPARE(mixed.diagnostics.count(DiagnosticCode::OtherSignal), std::uint64_t(1));
    const ReadOutcome none = readOtlpProto(bigEndianFrame(metrics));
    QVERIFY(!none.result);
    QCOMPARE(int(none.result.error().code), int(ErrorCode::UnsupportedFormat));
}

QTEST_GUILESS_MAIN(TestFraming)
#include "tst_framing.moc"
