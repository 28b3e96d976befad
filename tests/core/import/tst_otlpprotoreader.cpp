// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fast protobuf reader: its rules one by one, and what it is not.
#include "tests/core/import/otlpprotobytes.h"

#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

AttributeValue text(const char* value)
{
    return {std::string(value)};
}

std::string anyText(std::string_view value)
{
    return lengthField(1, value);
}

/// An attribute "k" whose AnyValue has the given bytes.
std::string attributeOf(std::string_view anyValue)
{
    return lengthField(9, lengthField(1, "k") + lengthField(2, anyValue));
}

/// Reads one span that has the usual fields and \a extra.
ReadOutcome readSpanWith(const std::string& extra)
{
    return readOtlpProto(requestBytes({spanBytes(7, "s") + extra}));
}

std::string nestedArrays(int levels)
{
    std::string value = anyText("deep");
    for (int i = 0; i < levels; ++i)
        value = lengthField(5, lengthField(1, value));
    return value;
}

/// Containers around the innermost value.
int depthOf(const AttributeValue& value)
{
    int depth = 0;
    const AttributeValue* inner = &value;
    while (const auto* array = std::get_if<AttributeValue::Array>(&inner->value)) {
        ++depth;
        inner = &array->front();
    }
    return depth;
}

} // namespace

class TestOtlpProtoReader : public QObject {
    Q_OBJECT

private slots:
    void readsEveryField();
    void valueRules_data();
    void valueRules();
    void spanRules_data();
    void spanRules();
    void idRules_data();
    void idRules();
    void valuesNestSoDeepAndNoDeeper();
    void resourceAndScopeMayComeInAnyOrder_data();
    void resourceAndScopeMayComeInAnyOrder();
    void otherFormatsAreRefusedByName_data();
    void otherFormatsAreRefusedByName();
    void otherSignalsBesideTracesAreCounted();
};

void TestOtlpProtoReader::readsEveryField()
{
    const std::string event =
        fixed64Field(1, 1500) + lengthField(2, "retry") + lengthField(3, textAttribute("why", "429")) + varintField(4, 2);
    const std::string link = lengthField(1, bigEndianBytes(9, 16)) + lengthField(2, bigEndianBytes(8, 8)) + lengthField(3, "a=1")
        + lengthField(4, textAttribute("rel", "queue")) + varintField(5, 3) + fixed32Field(6, 0x301);
    const std::string span = lengthField(1, bigEndianBytes(1, 16)) + lengthField(2, bigEndianBytes(7, 8)) + lengthField(3, "vendor=x")
        + lengthField(4, bigEndianBytes(6, 8)) + lengthField(5, "chat") + varintField(6, 3) + fixed64Field(7, 1000) + fixed64Field(8, 2000)
        + lengthField(9, textAttribute("model", "m")) + varintField(10, 4) + lengthField(11, event) + varintField(12, 5)
        + lengthField(13, link) + varintField(14, 6) + lengthField(15, lengthField(2, "timeout") + varintField(3, 2))
        + fixed32Field(16, 0x101);
    const std::string entity =
        lengthField(1, "https://s/1") + lengthField(2, "service") + lengthField(3, "service.name") + lengthField(4, "service.version");
    const std::string resource = lengthField(1, textAttribute("service.name", "gateway")) + varintField(2, 1) + lengthField(3, entity);
    const std::string scope =
        lengthField(1, "lib") + lengthField(2, "1.2") + lengthField(3, textAttribute("short", "yes")) + varintField(4, 2);
    const std::string scopeSpans = lengthField(1, scope) + lengthField(2, span) + lengthField(3, "https://s/scope");
    const ReadOutcome outcome =
        readOtlpProto(lengthField(1, lengthField(1, resource) + lengthField(2, scopeSpans) + lengthField(3, "https://s/resource")));

    QVERIFY(outcome.result);
    QVERIFY(outcome.diagnostics.empty());
    QCOMPARE(outcome.spans.size(), std::size_t(1));
    DecodedSpan expected;
    expected.traceId = {0, 1};
    expected.spanId = {7};
    expected.parentId = {6};
    expected.start = timestampFromNs(1000);
    expected.end = timestampFromNs(2000);
    expected.kind = SpanKind::Client;
    expected.status = SpanStatus::Error;
    expected.name = "chat";
    expected.payload.traceState = "vendor=x";
    expected.payload.attributes = {{"model", text("m")}};
    expected.payload.droppedAttributes = 4;
    expected.payload.events = {{timestampFromNs(1500), "retry", {{"why", text("429")}}, 2}};
    expected.payload.droppedEvents = 5;
    expected.payload.links = {{{0, 9}, {8}, "a=1", {{"rel", text("queue")}}, 3, 0x301, "", ""}};
    expected.payload.droppedLinks = 6;
    expected.payload.statusMessage = "timeout";
    expected.payload.flags = 0x101;
    expected.resource.attributes = {{"service.name", text("gateway")}};
    expected.resource.droppedAttributes = 1;
    expected.resource.schemaUrl = "https://s/resource";
    expected.resource.entityRefs.value = AttributeValue::Array{{AttributeList{
        {"schemaUrl", text("https://s/1")},
        {"type", text("service")},
        {"idKeys", {AttributeValue::Array{text("service.name")}}},
        {"descriptionKeys", {AttributeValue::Array{text("service.version")}}},
    }}};
    expected.scope = {"lib", "1.2", {{"short", text("yes")}}, 2, "https://s/scope"};
    QVERIFY(outcome.spans.front() == expected);
}

void TestOtlpProtoReader::valueRules_data()
{
    QTest::addColumn<QByteArray>("anyValue");
    QTest::addColumn<QString>("shown"); // type and text
    QTest::addColumn<int>("warning"); // DiagnosticCode, -1 for none
    const auto row = [](const char* name, const std::string& bytes, const char* shown, int warning = -1) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << shown << warning;
    };
    row("empty", "", "0:");
    row("false", varintField(2, 0), "1:false");
    row("true is any other number", varintField(2, 2), "1:true");
    row("smallest int", varintField(3, 0x8000000000000000ULL), "2:-9223372036854775808");
    row("largest int", varintField(3, 0x7fffffffffffffffULL), "2:9223372036854775807");
    row("double", fixed64Field(4, 0x3fb999999999999aULL), "3:0.1");
    row("NaN", fixed64Field(4, 0x7ff8000000000000ULL), "6:NaN", int(DiagnosticCode::NumberOutOfRange));
    row("infinity", fixed64Field(4, 0xfff0000000000000ULL), "6:-Infinity", int(DiagnosticCode::NumberOutOfRange));
    row("text", anyText("a"), "4:a");
    row("invalid UTF-8", anyText("a\xff"), "4:a\xef\xbf\xbd", int(DiagnosticCode::InvalidUtf8));
    row("bytes", lengthField(7, std::string_view("\0\xff", 2)), "5:AP8=");
    row("empty array", lengthField(5, ""), "7:[]");
    row("mixed array", lengthField(5, lengthField(1, anyText("x")) + lengthField(1, varintField(3, 1)) + lengthField(1, "")),
        "7:[\"x\",1,null]");
    row("map", lengthField(6, lengthField(1, textAttribute("a", "b"))), "8:{\"a\":\"b\"}");
    row("the last member wins", varintField(3, 1) + anyText("x"), "4:x");
    row("arrays in a row merge", lengthField(5, lengthField(1, varintField(3, 1))) + lengthField(5, lengthField(1, varintField(3, 2))),
        "7:[1,2]");
    row("an array after a text does not merge with one before",
        lengthField(5, lengthField(1, varintField(3, 1))) + anyText("x") + lengthField(5, lengthField(1, varintField(3, 2))), "7:[2]");
    row("wrong wire type", fixed32Field(1, 5) + varintField(3, 4), "2:4", int(DiagnosticCode::WireType));
    row("a later version's member", varintField(8, 3), "0:");
}

void TestOtlpProtoReader::valueRules()
{
    QFETCH(QByteArray, anyValue);
    QFETCH(QString, shown);
    QFETCH(int, warning);
    const ReadOutcome outcome = readSpanWith(attributeOf(anyValue.toStdString()));
    QVERIFY(outcome.result);
    QCOMPARE(outcome.spans.at(0).payload.attributes.size(), std::size_t(1));
    const AttributeValue& value = outcome.spans[0].payload.attributes[0].value;
    QCOMPARE(QString("%1:%2").arg(value.value.index()).arg(QString::fromStdString(toText(value))), shown);
    QCOMPARE(outcome.diagnostics.entries().size(), std::size_t(warning < 0 ? 0 : 1));
    if (warning >= 0)
        QCOMPARE(outcome.diagnostics.count(DiagnosticCode(warning)), std::uint64_t(1));
}

void TestOtlpProtoReader::spanRules_data()
{
    QTest::addColumn<QByteArray>("extra"); // fields behind the usual ones
    QTest::addColumn<QString>("name");
    QTest::addColumn<qint64>("start");
    QTest::addColumn<qint64>("end"); // min: unknown
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("warning");
    const auto row = [](const char* label, const std::string& extra, const char* name, qint64 start, qint64 end, int kind, int status,
                         int warning = -1) {
        QTest::newRow(label) << QByteArray::fromStdString(extra) << name << start << end << kind << status << warning;
    };
    constexpr qint64 none = std::numeric_limits<qint64>::min();
    constexpr qint64 latest = std::numeric_limits<qint64>::max();
    row("nothing more", "", "s", 1000, 2000, 0, 0);
    row("the last scalar wins", lengthField(5, "t") + fixed64Field(7, 5) + varintField(6, 1) + varintField(6, 2), "t", 5, 2000, 2, 0);
    row("status messages merge", lengthField(15, varintField(3, 2)) + lengthField(15, lengthField(2, "m")), "s", 1000, 2000, 0, 2);
    row("an end of zero is none", fixed64Field(8, 0), "s", 1000, none, 0, 0);
    row("a start of zero is for the trace to judge", fixed64Field(7, 0), "s", 0, 2000, 0, 0);
    row("beyond int64", fixed64Field(8, 1ULL << 63), "s", 1000, latest, 0, 0, int(DiagnosticCode::TimeOutOfRange));
    row("kind 9", varintField(6, 9), "s", 1000, 2000, 0, 0, int(DiagnosticCode::UnknownEnum));
    row("status 7", lengthField(15, varintField(3, 7)), "s", 1000, 2000, 0, 0, int(DiagnosticCode::UnknownEnum));
    row("deprecated status code", lengthField(15, varintField(1, 2)), "s", 1000, 2000, 0, 0);
    row("unknown fields", varintField(17, 1) + lengthField(900, "x") + fixed32Field(20, 1) + fixed64Field(21, 1), "s", 1000, 2000, 0, 0);
    row("name of invalid UTF-8", lengthField(5, "\xc3("), "\xef\xbf\xbd(", 1000, 2000, 0, 0, int(DiagnosticCode::InvalidUtf8));
}

void TestOtlpProtoReader::spanRules()
{
    QFETCH(QByteArray, extra);
    QFETCH(QString, name);
    QFETCH(qint64, start);
    QFETCH(qint64, end);
    QFETCH(int, kind);
    QFETCH(int, status);
    QFETCH(int, warning);
    const ReadOutcome outcome = readSpanWith(extra.toStdString());
    QVERIFY(outcome.result);
    QCOMPARE(outcome.spans.size(), std::size_t(1));
    const DecodedSpan& span = outcome.spans[0];
    QCOMPARE(QString::fromStdString(span.name), name);
    QCOMPARE(qint64(toNs(span.start)), start);
    QCOMPARE(qint64(toNs(span.end)), end);
    QCOMPARE(int(span.kind), kind);
    QCOMPARE(int(span.status), status);
    QCOMPARE(span.timeOutOfRange, warning == int(DiagnosticCode::TimeOutOfRange));
    QCOMPARE(outcome.diagnostics.entries().size(), std::size_t(warning < 0 ? 0 : 1));
    if (warning >= 0)
        QCOMPARE(outcome.diagnostics.count(DiagnosticCode(warning)), std::uint64_t(1));
}

void TestOtlpProtoReader::idRules_data()
{
    QTest::addColumn<QByteArray>("traceId");
    QTest::addColumn<QByteArray>("parentId");
    QTest::addColumn<QString>("traceHex");
    QTest::addColumn<QString>("traceText"); // kept beside an opaque id
    QTest::addColumn<QString>("parentHex"); // zeros: a root
    const QByteArray sixteen = QByteArray::fromHex("0102030405060708090a0b0c0d0e0f10");
    const QByteArray eight = QByteArray::fromHex("a1a2a3a4a5a6a7a8");
    const QString traceHex = "0102030405060708090a0b0c0d0e0f10";
    const QString root = "0000000000000000";
    QTest::newRow("bytes") << sixteen << eight << traceHex << ""
                           << "a1a2a3a4a5a6a7a8";
    QTest::newRow("no parent") << sixteen << QByteArray() << traceHex << "" << root;
    QTest::newRow("zero parent") << sixteen << QByteArray(8, '\0') << traceHex << "" << root;
    QTest::newRow("zero parent of another length") << sixteen << QByteArray(16, '\0') << traceHex << "" << root;
    QTest::newRow("base64 text") << sixteen.toBase64() << eight.toBase64() << traceHex << ""
                                 << "a1a2a3a4a5a6a7a8";
    QTest::newRow("hex text") << sixteen.toHex() << eight.toHex() << traceHex << ""
                              << "a1a2a3a4a5a6a7a8";
    QTest::newRow("short") << eight << QByteArray::fromHex("01") << "0000000000000000a1a2a3a4a5a6a7a8"
                           << ""
                           << "0000000000000001";
    QTest::newRow("opaque text") << QByteArray("checkout-request-1") << QByteArray("parent-of-it") << ""
                                 << "checkout-request-1"
                                 << "";
    QTest::newRow("opaque bytes") << QByteArray(17, '\x01') << eight << "" << QString("01").repeated(17) << "a1a2a3a4a5a6a7a8";
}

void TestOtlpProtoReader::idRules()
{
    QFETCH(QByteArray, traceId);
    QFETCH(QByteArray, parentId);
    QFETCH(QString, traceHex);
    QFETCH(QString, traceText);
    QFETCH(QString, parentHex);
    const ReadOutcome outcome = readSpanWith(lengthField(1, traceId.toStdString()) + lengthField(4, parentId.toStdString()));
    QCOMPARE(outcome.spans.size(), std::size_t(1));
    const DecodedSpan& span = outcome.spans[0];
    QCOMPARE(QString::fromStdString(span.payload.traceIdText), traceText);
    if (traceText.isEmpty())
        QCOMPARE(QString::fromStdString(toHex(span.traceId)), traceHex);
    else
        QVERIFY(span.traceId == opaqueTraceId(traceText.toStdString()));
    if (parentHex.isEmpty())
        QCOMPARE(span.payload.parentIdText, parentId.toStdString());
    else
        QCOMPARE(QString::fromStdString(toHex(span.parentId)), parentHex);
}

void TestOtlpProtoReader::valuesNestSoDeepAndNoDeeper()
{
    const ReadOutcome fits = readSpanWith(attributeOf(nestedArrays(200)));
    QVERIFY(fits.diagnostics.empty());
    QCOMPARE(depthOf(fits.spans.at(0).payload.attributes.at(0).value), 200);
    const ReadOutcome deep = readSpanWith(attributeOf(nestedArrays(5000)) + lengthField(9, textAttribute("next", "kept")));
    QVERIFY(deep.result);
    QCOMPARE(deep.diagnostics.count(DiagnosticCode::DepthLimit), std::uint64_t(1));
    QCOMPARE(depthOf(deep.spans.at(0).payload.attributes.at(0).value), 201);
    QVERIFY(deep.spans[0].payload.attributes.at(1) == Attribute({"next", text("kept")}));
}

void TestOtlpProtoReader::resourceAndScopeMayComeInAnyOrder_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<int>("spans");
    const std::string resource = lengthField(1, lengthField(1, textAttribute("service.name", "svc")));
    const std::string more = lengthField(1, lengthField(1, textAttribute("region", "eu")) + varintField(2, 3));
    const std::string scope = lengthField(1, lengthField(1, "lib"));
    const std::string version = lengthField(1, lengthField(2, "2"));
    const std::string span = lengthField(2, spanBytes(1, "s"));
    const std::string scopeUrl = lengthField(3, "urn:scope");
    const std::string url = lengthField(3, "urn:resource");
    const auto row = [](const char* name, const std::string& element, int spans) {
        QTest::newRow(name) << QByteArray::fromStdString(lengthField(1, element)) << spans;
    };
    row("usual", resource + more + lengthField(2, scope + version + span + scopeUrl) + url, 1);
    row("everything after the spans", lengthField(2, span + scopeUrl + scope + version) + url + resource + more, 1);
    row("in pieces around the spans", resource + lengthField(2, scope + span + version + scopeUrl) + more + url, 1);
    row("old field", resource + more + lengthField(1000, scope + version + span + scopeUrl) + url, 1);
    row("old field before the new one", resource + more + lengthField(1000, span) + lengthField(2, scope + version + span + scopeUrl) + url,
        1);
    row("old field after the new one", lengthField(2, scope + version + span + scopeUrl) + resource + more + lengthField(1000, span) + url,
        1);
    row("last schema URL wins",
        lengthField(3, "urn:old") + resource + more + lengthField(2, lengthField(3, "urn:x") + scope + version + span + span + scopeUrl)
            + url,
        2);
}

void TestOtlpProtoReader::resourceAndScopeMayComeInAnyOrder()
{
    QFETCH(QByteArray, file);
    QFETCH(int, spans);
    const ReadOutcome outcome = readOtlpProto(file.toStdString());
    QVERIFY(outcome.result);
    QCOMPARE(int(outcome.spans.size()), spans);
    const Resource expected{{{"service.name", text("svc")}, {"region", text("eu")}}, 3, "urn:resource", {}};
    const Scope expectedScope{"lib", "2", {}, 0, "urn:scope"};
    for (const DecodedSpan& span : outcome.spans) {
        QVERIFY(span.resource == expected);
        QVERIFY(span.scope == expectedScope);
    }
}

void TestOtlpProtoReader::otherFormatsAreRefusedByName_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("name");
    const auto row = [](const char* label, const std::string& bytes, const char* name) {
        QTest::newRow(label) << QByteArray::fromStdString(bytes) << name;
    };
    const std::string gauge = lengthField(5, lengthField(1, fixed64Field(3, 1) + fixed64Field(4, 0)));
    row("metrics", requestOfScope(lengthField(2, lengthField(1, "http.server.duration") + gauge)), "OTLP metrics");
    row("metrics whose texts are as long as ids",
        requestOfScope(lengthField(2, lengthField(1, "sixteen.letters!") + lengthField(2, "8letters") + gauge)), "OTLP metrics");
    row("logs", requestOfScope(lengthField(2, fixed64Field(1, 1000) + lengthField(5, anyText("hello")))), "OTLP logs");
    row("profiles",
        requestOfScope(lengthField(2, lengthField(2, "\x08\x01") + lengthField(7, bigEndianBytes(1, 16)))) + lengthField(2, "\x0a\x01x"),
        "OTLP profiles");
    const std::string zipkin = lengthField(1, bigEndianBytes(1, 16)) + lengthField(3, bigEndianBytes(2, 8)) + varintField(4, 2)
        + lengthField(5, "get") + fixed64Field(6, 1700000000000000) + varintField(7, 100);
    row("Zipkin", lengthField(1, zipkin) + lengthField(1, zipkin), "Zipkin");
    row("pprof", lengthField(1, varintField(1, 1) + varintField(2, 2)) + lengthField(6, "") + lengthField(6, "cpu"), "pprof");
    const std::string packet = varintField(8, 123456) + varintField(10, 1) + lengthField(11, "\x08\x01");
    row("Perfetto", lengthField(1, packet) + lengthField(1, packet) + lengthField(1, packet), "Perfetto");
}

void TestOtlpProtoReader::otherFormatsAreRefusedByName()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, name);
    const ReadOutcome outcome = readOtlpProto(bytes.toStdString());
    QVERIFY(!outcome.result);
    QCOMPARE(int(outcome.result.error().code), int(ErrorCode::UnsupportedFormat));
    QVERIFY2(outcome.result.error().detail.find(name.toStdString()) != std::string::npos, outcome.result.error().detail.c_str());
}

void TestOtlpProtoReader::otherSignalsBesideTracesAreCounted()
{
    const std::string logs = requestOfScope(lengthField(2, fixed64Field(1, 1000) + lengthField(5, anyText("hello"))));
    const ReadOutcome outcome = readOtlpProto(logs + requestBytes({spanBytes(1, "s")}) + logs);
    QVERIFY(outcome.result);
    QCOMPARE(outcome.spans.size(), std::size_t(1));
    QCOMPARE(outcome.diagnostics.count(DiagnosticCode::OtherSignal), std::uint64_t(2));
}

QTEST_GUILESS_MAIN(TestOtlpProtoReader)
#include "tst_otlpprotoreader.moc"
