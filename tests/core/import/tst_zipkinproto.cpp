// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Zipkin's protobuf: fields as bytes in, spans as text out; every row also in single bytes and in sevens.
#include "tests/core/import/importtext.h"
#include "tests/core/import/otlpprotobytes.h"

#include <QtTest>

using namespace chokepoint::testing;
using namespace chokepoint::testkit;
using namespace std::string_literals;

namespace {

std::string id(std::uint64_t value)
{
    return bigEndianBytes(value, 8);
}

std::string endpoint(const std::string& service)
{
    return lengthField(1, service);
}

/// The content of a span of service s from 1 ms on for 2 ms; \a more is further fields.
std::string span(std::uint64_t spanId, const std::string& more = {})
{
    return lengthField(1, id(1)) + lengthField(3, id(spanId)) + lengthField(5, "n") + fixed64Field(6, 1000) + varintField(7, 2000)
        + lengthField(8, endpoint("s")) + more;
}

std::string list(const std::string& content)
{
    return lengthField(1, content);
}

std::string tag(const std::string& key, const std::string& value)
{
    return lengthField(11, lengthField(1, key) + lengthField(2, value));
}

const QByteArray a1 = "1/a1 'n' s INTERNAL 1000000..3000000\n";
const QByteArray a2 = "1/a2 'n' s INTERNAL 1000000..3000000\n";

void row(const char* name, const std::string& input, const QByteArray& spans, const char* faults = "")
{
    QTest::newRow(name) << QByteArray::fromStdString(input) << spans << QByteArray(faults);
}

} // namespace

class tst_ZipkinProto : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
    void resources_data();
    void resources();

private:
    static void fields();
    static void faults();
};

void tst_ZipkinProto::reads_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("spans");
    QTest::addColumn<QByteArray>("faults");
    fields();
    faults();
}

void tst_ZipkinProto::fields()
{
    const auto with = [](const char* name, const std::string& more, const QByteArray& text, const char* faults = "") {
        row(name, list(span(0xa1, more)), "1/a1" + text + "\n", faults);
    };
    row("one span", list(span(0xa1)), a1);
    row("several spans", list(span(0xa1)) + list(span(0xa2)), a1 + a2);
    row("fields of later versions", list(span(0xa1, varintField(20, 7))) + varintField(9, 1), a1);
    row("128-bit trace id", list(lengthField(1, id(0x5e1f000000000000) + id(0xaa)) + lengthField(3, id(0xa1)) + lengthField(5, "n")),
        "5e1f00000000000000000000000000aa/a1 'n' INTERNAL ?..?\n");
    with("parent", lengthField(2, id(0xb1)), "<b1 'n' s INTERNAL 1000000..3000000");
    with("parent of zeros", lengthField(2, id(0)), " 'n' s INTERNAL 1000000..3000000");
    with("client", varintField(4, 1), " 'n' s CLIENT 1000000..3000000");
    with("server", varintField(4, 2), " 'n' s SERVER 1000000..3000000");
    with("producer", varintField(4, 3), " 'n' s PRODUCER 1000000..3000000");
    with("consumer", varintField(4, 4), " 'n' s CONSUMER 1000000..3000000");
    with("kind of a later version", varintField(4, 9), " 'n' s 1000000..3000000 {import.raw_kind=Zipkin 9}", "UNKNOWN_ENUM:1");
    with("debug", varintField(12, 1), " 'n' s INTERNAL 1000000..3000000 {zipkin.debug=true}");
    with("shared", varintField(13, 1), " 'n' s SERVER 1000000..3000000");
    with("tags", tag("k", "v") + tag("error", "no"), " 'n' s INTERNAL ERROR(no) 1000000..3000000 {k=v, error=no}");
    with("annotation", lengthField(10, fixed64Field(1, 1500) + lengthField(2, "e")), " 'n' s INTERNAL 1000000..3000000 event e@1500000{}");
    with("annotation without a time", lengthField(10, lengthField(2, "e")), " 'n' s INTERNAL 1000000..3000000 event e@?{}");
    with("remote endpoint before tags",
        lengthField(9, endpoint("db") + lengthField(2, "\x0a\x00\x00\x01"s) + varintField(4, 5432)) + tag("k", "v"),
        " 'n' s INTERNAL 1000000..3000000 {k=v, peer.service=db, network.peer.address=10.0.0.1, network.peer.port=5432}");
    row("no times", list(lengthField(1, id(1)) + lengthField(3, id(0xa1)) + lengthField(5, "n")), "1/a1 'n' INTERNAL ?..?\n");
}

void tst_ZipkinProto::faults()
{
    row("cut", (list(span(0xa1)) + list(span(0xa2))).substr(0, 2 * list(span(0xa1)).size() - 3), a1, "TRUNCATED_INPUT:1 rejected:1");
    row("damaged span", list(span(0xa1)) + list("\x0a\x7f"s) + list(span(0xa2)), a1 + a2, "BAD_RECORD:1 rejected:1");
    row("damaged tag", list(span(0xa1, lengthField(11, lengthField(1, "k") + "\x12\x7f"s))), "1/a1 'n' s INTERNAL 1000000..3000000 {k=}\n",
        "BAD_ATTRIBUTES:1");
    row("wrong type", list(span(0xa1, varintField(5, 1))), a1, "WIRE_TYPE:1");
    row("invalid text", list(span(0xa1, tag("k", "\xff"))), "1/a1 'n' s INTERNAL 1000000..3000000 {k=\xef\xbf\xbd}\n", "INVALID_UTF8:1");
    row("time beyond int64", list(span(0xa1, fixed64Field(6, 0xffffffffffffffff))),
        "1/a1 'n' s INTERNAL 9223372036854775807..9223372036854775807 +time-out-of-range\n", "TIME_OUT_OF_RANGE:1");
    row("rest that is no protobuf", list(span(0xa1)) + "\x03"s, a1, "BAD_RECORD:1 rejected:1");
    row("id as hex text", list(span(0xa2)) + list(lengthField(1, "00000000000000000000000000000001") + lengthField(3, "00000000000000a1")),
        a2 + "1/a1 '' INTERNAL ?..?\n");
}

void tst_ZipkinProto::reads()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, spans);
    QFETCH(QByteArray, faults);
    const std::string bytes = input.toStdString();
    const ImportText whole = importText(bytes);
    QCOMPARE(QByteArray::fromStdString(whole.spans), spans);
    QCOMPARE(QByteArray::fromStdString(whole.faults), faults);
    QCOMPARE(whole.format, "zipkin-json"s);
    QVERIFY(importText(bytes, 1) == whole);
    QVERIFY(importText(bytes, 7) == whole);
}

void tst_ZipkinProto::resources_data()
{
    QTest::addColumn<QByteArray>("endpoint");
    QTest::addColumn<QByteArray>("resource");
    const auto resource = [](const char* name, const std::string& bytes, const char* text) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(text);
    };
    resource("empty", "", "{}");
    resource("name", endpoint("s"), "{service.name=s}");
    resource("addresses",
        endpoint("s") + lengthField(2, "\xc0\xa8\x00\x0a"s) + lengthField(3, std::string(15, '\0') + "\x01") + varintField(4, 80),
        "{service.name=s, net.host.ip=192.168.0.10, net.host.ip=::1, net.host.port=80}");
    resource("address of another length", endpoint("s") + lengthField(2, "\x01\x02"s), "{service.name=s}");
}

void tst_ZipkinProto::resources()
{
    QFETCH(QByteArray, endpoint);
    QFETCH(QByteArray, resource);
    QCOMPARE(QByteArray::fromStdString(firstResource(list(span(0xa1, lengthField(8, endpoint.toStdString()))))), resource);
}

QTEST_GUILESS_MAIN(tst_ZipkinProto)
#include "tst_zipkinproto.moc"
