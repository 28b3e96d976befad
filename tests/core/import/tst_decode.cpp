// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Ids, numbers, times, enums and base64 in every spelling.
#include "core/import/base64.h"
#include "core/import/decodeenum.h"
#include "core/import/decodeid.h"
#include "core/import/decodenumber.h"
#include "core/import/decodetime.h"
#include "core/import/jsontoken.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace chokepoint;

class tst_Decode : public QObject {
    Q_OBJECT

private slots:
    void traceId_data();
    void traceId();
    void spanId_data();
    void spanId();
    void idBytes();
    void opaqueIds();
    void scaled_data();
    void scaled();
    void reals();
    void time_data();
    void time();
    void enums();
    void base64();
    void unescapedText_data();
    void unescapedText();
};

void tst_Decode::traceId_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("hex");
    const auto row = [](const char* name, const char* text, const char* hex) { QTest::newRow(name) << text << hex; };
    row("lower case", "5b8efff798038103d269b633813fc60c", "5b8efff798038103d269b633813fc60c");
    row("upper case", "5B8EFFF798038103D269B633813FC60C", "5b8efff798038103d269b633813fc60c");
    row("0x and blanks", " 0x5b8efff798038103d269b633813fc60c ", "5b8efff798038103d269b633813fc60c");
    row("64 bit", "d269b633813fc60c", "0000000000000000d269b633813fc60c");
    row("stripped zeros", "1f3a9c", "000000000000000000000000001f3a9c");
    row("base64", "W47/95gDgQPSabYzgT/GDA==", "5b8efff798038103d269b633813fc60c");
    row("base64 without padding", "W47/95gDgQPSabYzgT/GDA", "5b8efff798038103d269b633813fc60c");
    row("base64 for URLs", "W47_95gDgQPSabYzgT_GDA", "5b8efff798038103d269b633813fc60c");
    row("base64 of hex", "NWI4ZWZmZjc5ODAzODEwM2QyNjliNjMzODEzZmM2MGM=", "5b8efff798038103d269b633813fc60c");
    row("base64 of short hex", "ZDI2OWI2MzM4MTNmYzYwYw==", "0000000000000000d269b633813fc60c");
    row("hex of base64 of hex", "e5bf1e7df7fbf7cd37f35d37776ebd6fadf7f35ddf73ad1c", "5b8efff798038103d269b633813fc60c");
    row("UUID", "5b8efff7-9803-8103-d269-b633813fc60c", "5b8efff798038103d269b633813fc60c");
    row("empty", "", "00000000000000000000000000000000");
    row("zero", "0", "00000000000000000000000000000000");
    row("all zero", "00000000000000000000000000000000", "00000000000000000000000000000000");
}

void tst_Decode::traceId()
{
    QFETCH(QString, text);
    QFETCH(QString, hex);
    const auto decoded = decodeTraceId(text.toStdString());
    QCOMPARE(QString::fromStdString(toHex(decoded.id)), hex);
    QVERIFY(!decoded.isOpaque);
}

void tst_Decode::spanId_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("hex");
    QTest::newRow("hex") << "eee19b7ec3c1b174"
                         << "eee19b7ec3c1b174";
    QTest::newRow("upper case") << "EEE19B7EC3C1B174"
                                << "eee19b7ec3c1b174";
    QTest::newRow("short") << "2"
                           << "0000000000000002";
    QTest::newRow("base64") << "7uGbfsPBsXQ="
                            << "eee19b7ec3c1b174";
    QTest::newRow("base64 of hex") << "ZWVlMTliN2VjM2MxYjE3NA=="
                                   << "eee19b7ec3c1b174";
    QTest::newRow("zero") << "0000000000000000"
                          << "0000000000000000";
}

void tst_Decode::spanId()
{
    QFETCH(QString, text);
    QFETCH(QString, hex);
    const auto decoded = decodeSpanId(text.toStdString());
    QCOMPARE(QString::fromStdString(toHex(decoded.id)), hex);
    QVERIFY(!decoded.isOpaque);
}

void tst_Decode::idBytes()
{
    QCOMPARE(decodeSpanIdBytes("\x01\x02\x03\x04\x05\x06\x07\x08").id.value, 0x0102030405060708ULL);
    QCOMPARE(decodeSpanIdBytes("\x07\x08").id.value, 0x0708ULL);
    QCOMPARE(decodeSpanIdBytes("7uGbfsPBsXQ=").id.value, 0xeee19b7ec3c1b174ULL);
    QCOMPARE(decodeTraceIdBytes("W47/95gDgQPSabYzgT/GDA==").id.hi, 0x5b8efff798038103ULL);
    QCOMPARE(decodeTraceIdBytes("5b8efff798038103d269b633813fc60c").id.lo, 0xd269b633813fc60cULL);
    QVERIFY(decodeTraceIdBytes("").id.isNull());
    QVERIFY(decodeTraceIdBytes("seventeen bytes!!").isOpaque);
}

void tst_Decode::opaqueIds()
{
    for (const char* text : {"run-42", "span-A", "root-span-1", "fixture-trace-1", "übung", "00000000-0000-zz"}) {
        QVERIFY2(decodeTraceId(text).isOpaque, text);
        QVERIFY2(decodeSpanId(text).isOpaque, text);
        QVERIFY(!decodeSpanId(text).id.isNull());
    }
    QVERIFY(decodeSpanId("5b8efff798038103d269b633813fc60c").isOpaque); // does not fit 64 bits
    QCOMPARE(decodeSpanId("span-A").id, decodeSpanId(" span-A").id);
    QVERIFY(decodeSpanId("span-A").id != decodeSpanId("span-B").id);
}

void tst_Decode::scaled_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("power");
    QTest::addColumn<qint64>("value");
    QTest::addColumn<bool>("exact");
    QTest::addColumn<bool>("outOfRange");
    constexpr qint64 most = std::numeric_limits<qint64>::max();
    constexpr qint64 least = std::numeric_limits<qint64>::min();
    QTest::newRow("integer") << "1700000000000000001" << 0 << qint64(1700000000000000001) << true << false;
    QTest::newRow("fraction of a microsecond") << "50.25" << 3 << qint64(50250) << true << false;
    QTest::newRow("rounds half away") << "0.0005" << 3 << qint64(1) << false << false;
    QTest::newRow("rounds down") << "1.4" << 0 << qint64(1) << false << false;
    QTest::newRow("negative half") << "-2.5" << 0 << qint64(-3) << false << false;
    QTest::newRow("exponent") << "1.7e18" << 0 << qint64(1700000000000000000) << true << false;
    QTest::newRow("negative exponent") << "5e-1" << 3 << qint64(500) << true << false;
    QTest::newRow("beyond a double") << "1581452772000000321.0" << 0 << qint64(1581452772000000321) << true << false;
    QTest::newRow("largest") << "9223372036854775807" << 0 << most << true << false;
    QTest::newRow("one more") << "9223372036854775808" << 0 << most << true << true;
    QTest::newRow("rounds over") << "9223372036854775807.5" << 0 << most << false << true;
    QTest::newRow("smallest") << "-9223372036854775808" << 0 << least << true << false;
    QTest::newRow("one less") << "-9223372036854775809" << 0 << least << true << true;
    QTest::newRow("absurd exponent") << "1e99999999999999999999" << 0 << most << true << true;
    QTest::newRow("tiny") << "1e-99999999999999999999" << 9 << qint64(0) << false << false;
    QTest::newRow("zero with exponent") << "0e999999" << 0 << qint64(0) << true << false;
}

void tst_Decode::scaled()
{
    QFETCH(QString, text);
    QFETCH(int, power);
    QFETCH(qint64, value);
    QFETCH(bool, exact);
    QFETCH(bool, outOfRange);
    const auto number = scaledInteger(text.toStdString(), power);
    QVERIFY(number);
    QCOMPARE(qint64(number->value), value);
    QCOMPARE(number->isExact, exact);
    QCOMPARE(number->isOutOfRange, outOfRange);
    for (const char* bad : {"", "-", ".", "e5", "1e", "0x10", "1 ", "1,5", "NaN", "--1", "1.2.3"})
        QVERIFY2(!scaledInteger(bad, 0), bad);
}

void tst_Decode::reals()
{
    QCOMPARE(realFromText("0.1"), std::optional(0.1));
    QCOMPARE(realFromText("-1.5e3"), std::optional(-1500.0));
    QCOMPARE(realFromText("+2"), std::optional(2.0));
    QVERIFY(std::isnan(realFromText("NaN").value_or(0)));
    QVERIFY(std::isinf(realFromText("-Infinity").value_or(0)));
    for (const char* bad : {"", "nano", "1e999", "0x1p3", "inf"})
        QVERIFY2(!realFromText(bad), bad);
}

void tst_Decode::time_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("unit");
    QTest::addColumn<qint64>("ns");
    QTest::addColumn<QString>("notes");
    const int nano = int(TimeUnit::Nanoseconds);
    QTest::newRow("nanoseconds") << "1700000000123456789" << nano << qint64(1700000000123456789) << "";
    QTest::newRow("microseconds") << "1700000000123456.5" << int(TimeUnit::Microseconds) << qint64(1700000000123456500) << "";
    QTest::newRow("UTC") << "2023-11-14T22:13:20.123456789Z" << nano << qint64(1700000000123456789) << "date";
    QTest::newRow("offset") << "2023-11-15T00:13:20+02:00" << nano << qint64(1700000000000000000) << "date";
    QTest::newRow("offset without colon") << "2023-11-14T17:13:20-0500" << nano << qint64(1700000000000000000) << "date";
    QTest::newRow("no zone") << "2023-11-14 22:13:20.5" << nano << qint64(1700000000500000000) << "date naive";
    QTest::newRow("too many digits") << "2023-11-14T22:13:20.1234567899Z" << nano << qint64(1700000000123456789) << "date";
    QTest::newRow("before 1970") << "1969-12-31T23:59:59Z" << nano << qint64(-1000000000) << "date";
    QTest::newRow("beyond int64") << "18446744073709551615" << nano << std::numeric_limits<qint64>::max() << "range";
    const int micro = int(TimeUnit::Microseconds);
    QTest::newRow("nanoseconds for microseconds") << "1700000000123456789" << micro << qint64(1700000000123456789) << "finer3";
    QTest::newRow("nanoseconds for seconds") << "1700000000123456789" << int(TimeUnit::Seconds) << qint64(1700000000123456789) << "finer9";
    QTest::newRow("milliseconds for seconds") << "1700000000123.5" << int(TimeUnit::Seconds) << qint64(1700000000123500000) << "finer3";
    QTest::newRow("plausible in no unit") << "9000000000000000000" << micro << std::numeric_limits<qint64>::max() << "range";
    QTest::newRow("year 9999") << "9999-12-31T23:59:59Z" << nano << std::numeric_limits<qint64>::max() << "date range";
}

void tst_Decode::time()
{
    QFETCH(QString, text);
    QFETCH(int, unit);
    QFETCH(qint64, ns);
    QFETCH(QString, notes);
    const auto decoded = decodeTime(text.toStdString(), TimeUnit(unit));
    QVERIFY(decoded);
    QCOMPARE(qint64(toNs(decoded->time)), ns);
    QCOMPARE(decoded->isDate, notes.contains("date"));
    QCOMPARE(decoded->isNaive, notes.contains("naive"));
    QCOMPARE(decoded->isOutOfRange, notes.contains("range"));
    QCOMPARE(decoded->finer, notes.startsWith("finer") ? notes.mid(5).toInt() : 0);
    for (const char* bad :
        {"", "soon", "2023-13-01T00:00:00Z", "2023-02-30T00:00:00Z", "2023-11-14", "2023-11-14T25:00:00Z", "2023-11-14T22:13:20.5+1"})
        QVERIFY2(!decodeTime(bad, TimeUnit::Nanoseconds), bad);
}

void tst_Decode::enums()
{
    for (const char* server : {"2", "SPAN_KIND_SERVER", "SERVER", "server", "Server", "SpanKind.SERVER"})
        QVERIFY2(decodeSpanKind(server) == SpanKind::Server, server);
    for (const char* bad : {"6", "-1", "Entry", "", "SPAN_KIND_"})
        QVERIFY2(!decodeSpanKind(bad), bad);
    for (const char* error : {"2", "STATUS_CODE_ERROR", "Error", "StatusCode.ERROR"})
        QVERIFY2(decodeSpanStatus(error) == SpanStatus::Error, error);
    QVERIFY(decodeSpanStatus("Ok") == SpanStatus::Ok);
    QVERIFY(!decodeSpanStatus("3"));
}

void tst_Decode::base64()
{
    QCOMPARE(fromBase64(""), std::optional(std::string()));
    QCOMPARE(fromBase64("AAEC/w=="), std::optional(std::string("\x00\x01\x02\xff", 4)));
    QCOMPARE(fromBase64("-_8"), std::optional(std::string("\xfb\xff")));
    for (const char* bad : {"A", "A===", "AAE*", "AB==", "AA=", "=AAA"})
        QVERIFY2(!fromBase64(bad), bad);
}

void tst_Decode::unescapedText_data()
{
    QTest::addColumn<QByteArray>("escaped");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, QByteArray escaped, QByteArray text) { QTest::newRow(name) << escaped << text; };
    row("plain", "plain", "plain");
    row("letters", R"(a\"\\\/\b\f\n\r\tz)", "a\"\\/\b\f\n\r\tz");
    row("two bytes", R"(\u00e9)", "\xc3\xa9");
    row("pair", R"(\ud83d\ude00)", "\xf0\x9f\x98\x80");
    row("first half alone", R"(\ud83d!)", "\xef\xbf\xbd!");
    row("second half alone", R"(\ude00)", "\xef\xbf\xbd");
    row("first half twice", R"(\ud83d\ud83d\ude00)", "\xef\xbf\xbd\xf0\x9f\x98\x80");
    row("zero", R"(a\u0000b)", QByteArray("a\0b", 3));
    row("bad digits", R"(\u12x4)",
        "\xef\xbf\xbd"
        "12x4");
    row("cut", R"(\)", "");
}

void tst_Decode::unescapedText()
{
    QFETCH(QByteArray, escaped);
    QFETCH(QByteArray, text);
    std::string scratch;
    const std::string_view got = unescaped({escaped.constData(), std::size_t(escaped.size())}, scratch);
    QCOMPARE(QByteArray(got.data(), int(got.size())), text);
}

QTEST_GUILESS_MAIN(tst_Decode)
#include "tst_decode.moc"
