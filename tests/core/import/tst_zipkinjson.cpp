// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Zipkin JSON, version 2 and version 1: raw text in, spans as text out; every row also in single bytes and in sevens.
#include "tests/core/import/readerrows.h"

#include <algorithm>

using namespace chokepoint::testing;

namespace {

/// A span of service s from 1 ms on for 2 ms; \a more is further members with a leading comma.
QByteArray span(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"traceId":"01","id":")" + id + R"(","name":"n","timestamp":1000,"duration":2000,"localEndpoint":{"serviceName":"s"})" + more
        + "}";
}

QByteArray list(const QByteArray& items)
{
    return "[" + items + "]";
}

/// A version 1 annotation at \a time microseconds, recorded by \a service.
QByteArray annotation(const QByteArray& value, const QByteArray& time, const QByteArray& service)
{
    return R"({"timestamp":)" + time + R"(,"value":")" + value + R"(","endpoint":{"serviceName":")" + service + R"("}})";
}

QByteArray binary(const QByteArray& key, const QByteArray& value, const QByteArray& service)
{
    return R"({"key":")" + key + R"(","value":)" + value + R"(,"endpoint":{"serviceName":")" + service + R"("}})";
}

QByteArray version1(const QByteArray& annotations, const QByteArray& binaries = {}, const QByteArray& more = {})
{
    return R"([{"traceId":"01","id":"a1","name":"n","annotations":[)" + annotations + R"(],"binaryAnnotations":[)" + binaries + "]" + more
        + "}]";
}

const QByteArray a1 = "1/a1 'n' s INTERNAL 1000000..3000000\n";
const QByteArray a2 = "1/a2 'n' s INTERNAL 1000000..3000000\n";

} // namespace

class tst_ZipkinJson : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareReading("zipkin-json"); }
    void resources_data();
    void resources();
    void largeArray();
    void compressed();

private:
    static void shapes();
    static void faults();
    static void fields();
    static void tags();
    static void annotations();
    static void sidesOfVersion1();
    static void timesOfVersion1();
};

void tst_ZipkinJson::reads_data()
{
    readerColumns();
    shapes();
    faults();
    fields();
    tags();
    annotations();
    sidesOfVersion1();
    timesOfVersion1();
}

void tst_ZipkinJson::shapes()
{
    readerRow("list of spans", list(span("a1") + "," + span("a2")), a1 + a2);
    readerRow("list of traces", list(list(span("a1")) + "," + list(span("a2"))), a1 + a2);
    readerRow("one object", span("a1"), a1);
    readerRow("lines", span("a1") + "\n" + span("a2") + "\n", a1 + a2);
    readerRow("lines with carriage returns", span("a1") + "\r\n" + span("a2") + "\r\n", a1 + a2);
    readerRow("lines of lists", list(span("a1")) + "\n" + list(span("a2")), a1 + a2);
    readerRow("one behind the other", span("a1") + span("a2"), a1 + a2);
    readerRow("printed over lines", list("\n  " + QByteArray(span("a1")).replace(",", ",\n   ") + "\n"), a1);
    readerRow(
        "documents of Elasticsearch", R"({"hits":{"hits":[{"_source":)" + span("a1") + R"(},{"_source":)" + span("a2") + "}]}}", a1 + a2);
    readerRow("empty lists among traces", list("[]," + list(span("a1"))), a1);
    readerRow("nulls among spans", list("null," + span("a1")), a1);
}

void tst_ZipkinJson::faults()
{
    readerRow("cut list", list(span("a1") + "," + span("a2")).chopped(20), a1, "TRUNCATED_INPUT:1 rejected:1");
    readerRow("list without an end", "[" + span("a1") + "," + span("a2") + ",", a1 + a2, "TRUNCATED_INPUT:1 rejected:1");
    readerRow("cut line", span("a1") + "\n" + span("a2").chopped(20), a1, "TRUNCATED_INPUT:1 rejected:1");
    readerRow("one bad span of a list", list(span("a1") + R"(,{"traceId":"01","id":"b1","name":no},)" + span("a2")), a1 + a2,
        "BAD_RECORD:1 rejected:1");
    readerRow("one bad span of a trace", list(list(span("a1") + R"(,{"traceId":"01","id":"b1","name":no},)" + span("a2"))), a1 + a2,
        "BAD_RECORD:1 rejected:1");
    readerRow("first line bad",
        R"({"traceId":"01","id":"b1","name":no})"
        "\n" + span("a2"),
        a2, "BAD_RECORD:1 rejected:1");
    readerRow("one bad line", span("a1") + "\n" + R"({"traceId":"01","id":"b1","name":no})" + "\n" + span("a2"), a1 + a2,
        "BAD_RECORD:1 rejected:1");
    readerRow("time that is none", list(span("a1") + "," + span("a2").replace("1000", "\"soon\"")), a1, "BAD_TIMESTAMP:1 rejected:1");
    readerRow("no spans among the spans", list(span("a1") + R"(,7,"x",{"hello":1},)" + span("a2")), a1 + a2, "BAD_RECORD:3 rejected:3");
    readerRow("nanoseconds", list(QByteArray(span("a1")).replace("1000", "1700000000123456789").replace("2000", "2500")),
        "1/a1 'n' s INTERNAL 1700000000123456789..1700000000123459289 +repaired\n", "TIME_UNIT_REPAIRED:1");
    readerRow("milliseconds", list(QByteArray(span("a1")).replace("1000", "1700000000000")),
        "1/a1 'n' s INTERNAL 1700000000000000000..1700000002000000000 +repaired\n", "TIME_UNIT_REPAIRED:1");
    readerRow("a member twice", list(QByteArray(span("a1")).replace(R"("name":"n")", R"("name":"m","name":"n")")), a1, "DUPLICATE_KEY:1");
    readerRow("duration that is none", list(span("a1") + "," + span("a2").replace("2000", "\"long\"")), a1, "BAD_TIMESTAMP:1 rejected:1");
    readerRow("time beyond int64", span("a1").replace("1000", "9300000000000000000"),
        "1/a1 'n' s INTERNAL 9223372036854775807..9223372036854775807 +time-out-of-range\n", "TIME_OUT_OF_RANGE:1");
    readerRow("endpoint that is none", span("a1").replace(R"({"serviceName":"s"})", "7"), "1/a1 'n' INTERNAL 1000000..3000000\n");
    readerRow("annotation that is none", span("a1", R"(,"annotations":[7])"), a1, "BAD_ATTRIBUTES:1");
    readerRow(
        "kind that is none", span("a1", R"(,"kind":"PROXY")"), "1/a1 'n' s 1000000..3000000 {import.raw_kind=PROXY}\n", "UNKNOWN_ENUM:1");
    readerRow("no ids", span("").replace(R"("01")", R"("")"),
        "4b75b3d3e7432b51f80c3468eb0c8667/1f01d7cc6947dd85 'n' s INTERNAL 1000000..3000000\n", "INVALID_ID:1");
}

void tst_ZipkinJson::fields()
{
    readerRow("nothing but ids and a name", R"([{"traceId":"01","id":"a1","name":"n"}])", "1/a1 'n' INTERNAL ?..?\n");
    readerRow("no name", R"([{"traceId":"01","id":"a1","timestamp":1,"duration":1}])", "1/a1 '' INTERNAL 1000..2000\n");
    readerRow("nulls",
        R"([{"traceId":"01","id":"a1","parentId":null,"name":null,"kind":null,"timestamp":1,"duration":1,"localEndpoint":null,)"
        R"("remoteEndpoint":null,"annotations":null,"tags":null,"debug":null,"shared":null}])",
        "1/a1 '' INTERNAL 1000..2000\n");
    readerRow("128-bit trace id", span("a1").replace(R"("01")", R"("5E1F00000000000000000000000000AA")"),
        "5e1f00000000000000000000000000aa/a1 'n' s INTERNAL 1000000..3000000\n");
    readerRow("64-bit trace id", span("a1").replace(R"("01")", R"("00000000000000AA")"), "aa/a1 'n' s INTERNAL 1000000..3000000\n");
    readerRow("trace id of odd length", span("a1").replace(R"("01")", R"("abc")"), "abc/a1 'n' s INTERNAL 1000000..3000000\n");
    readerRow("span id of full length", span("123456789abcdef0"), "1/123456789abcdef0 'n' s INTERNAL 1000000..3000000\n");
    readerRow("parent", span("a1", R"(,"parentId":"00000000000000b1")"), "1/a1<b1 'n' s INTERNAL 1000000..3000000\n");
    readerRow("parent of zeros", span("a1", R"(,"parentId":"0000000000000000")"), a1);
    readerRow("empty parent", span("a1", R"(,"parentId":"")"), a1);
    for (const char* kind : {"CLIENT", "SERVER", "PRODUCER", "CONSUMER"})
        readerRow(kind, span("a1", R"(,"kind":")" + QByteArray(kind) + "\""), "1/a1 'n' s " + QByteArray(kind) + " 1000000..3000000\n");
    readerRow("kind in small letters", span("a1", R"(,"kind":"client")"), "1/a1 'n' s CLIENT 1000000..3000000\n");
    readerRow("shared without a kind", span("a1", R"(,"shared":true)"), "1/a1 'n' s SERVER 1000000..3000000\n");
    readerRow("not shared, without a kind", span("a1", R"(,"shared":false)"), a1);
    readerRow("debug", span("a1", R"(,"debug":true)"), "1/a1 'n' s INTERNAL 1000000..3000000 {zipkin.debug=true}\n");
    readerRow("times as text", span("a1").replace("1000", "\"1000\"").replace("2000", "\"2000\""), a1);
    readerRow("fractions of a microsecond", span("a1").replace("1000", "1000.25").replace("2000", "2000.5"),
        "1/a1 'n' s INTERNAL 1000250..3000750\n");
    readerRow("exponents", span("a1").replace("1000", "1e3"), a1);
    readerRow("no duration", span("a1").replace(R"("duration":2000,)", ""), "1/a1 'n' s INTERNAL 1000000..?\n");
    readerRow("duration 0 is none", span("a1").replace("2000", "0"), "1/a1 'n' s INTERNAL 1000000..?\n");
    readerRow("no timestamp", span("a1").replace(R"("timestamp":1000,)", ""), "1/a1 'n' s INTERNAL ?..?\n");
    readerRow("timestamp 0 is none", span("a1").replace("1000", "0"), "1/a1 'n' s INTERNAL ?..?\n");
    readerRow("remote endpoint", span("a1", R"(,"remoteEndpoint":{"serviceName":"db","ipv4":"10.0.0.1","ipv6":"::1","port":5432})"),
        "1/a1 'n' s INTERNAL 1000000..3000000 {peer.service=db, network.peer.address=10.0.0.1, network.peer.address=::1, "
        "network.peer.port=5432}\n");
    readerRow("empty remote endpoint", span("a1", R"(,"remoteEndpoint":{})"), a1);
    readerRow("remote endpoint without an address", span("a1", R"(,"remoteEndpoint":{"serviceName":"db","port":0})"),
        "1/a1 'n' s INTERNAL 1000000..3000000 {peer.service=db}\n");
    readerRow("the peer's name twice", span("a1", R"(,"tags":{"peer.service":"x"},"remoteEndpoint":{"serviceName":"db"})"),
        "1/a1 'n' s INTERNAL 1000000..3000000 {peer.service=x}\n");
    readerRow("members of a later version", span("a1", R"(,"more":{"a":[1]})"), a1);
    readerRow("escaped texts", span("a1", R"(,"tags":{"a\"b":"c\u00e9\n"})").replace(R"("n")", R"("n\u0041")"),
        "1/a1 'nA' s INTERNAL 1000000..3000000 {a\"b=c\xc3\xa9\n}\n");
}

void tst_ZipkinJson::tags()
{
    const auto tagged = [](const char* name, const QByteArray& tags, const QByteArray& text, const char* faults = "") {
        readerRow(name, span("a1", R"(,"tags":{)" + tags + "}"), "1/a1 'n' s INTERNAL" + text + "\n", faults);
    };
    tagged("texts stay texts", R"("a":"1","b":"true","c":"007","d":"")", " 1000000..3000000 {a=1, b=true, c=007, d=}");
    tagged("types are kept", R"("i":7,"f":0.5,"t":true,"u":null,"l":[1,"x"],"m":{"k":2})",
        R"( 1000000..3000000 {i=7, f=0.5, t=true, u=, l=[1,"x"], m={"k":2}})");
    tagged("error", R"("error":"true")", " ERROR 1000000..3000000 {error=true}");
    tagged("error as a truth value", R"("error":true)", " ERROR 1000000..3000000 {error=true}");
    tagged("error without a text", R"("error":"")", " ERROR 1000000..3000000 {error=}");
    tagged("error with a message", R"("error":"timed out")", " ERROR(timed out) 1000000..3000000 {error=timed out} +timed-out");
    tagged("no error", R"("error":"False")", " 1000000..3000000 {error=False}");
    tagged("no error as a truth value", R"("error":false)", " 1000000..3000000 {error=false}");
    tagged("error with the words of HTTP", R"("error":"true","http.status_message":"gone")",
        " ERROR(gone) 1000000..3000000 {error=true, http.status_message=gone}");
    tagged("an HTTP status is no error", R"("http.status_code":"500")", " 1000000..3000000 {http.status_code=500}");
    tagged("status", R"("otel.status_code":"ERROR","otel.status_description":"no")", " ERROR(no) 1000000..3000000");
    tagged("status OK", R"("otel.status_code":"OK")", " OK 1000000..3000000");
    tagged("misspelt status", R"("ot.status_code":"ERROR","ot.status_description":"no")", " ERROR(no) 1000000..3000000");
    tagged("status by number", R"("otel.status_code":2)", " ERROR 1000000..3000000");
    tagged("status that is none", R"("otel.status_code":"BAD")", " 1000000..3000000 {otel.status_code=BAD}");
    tagged("error beside status", R"("error":"no","otel.status_code":"OK")", " ERROR(no) 1000000..3000000 {error=no}");
    tagged(
        "description beside error", R"("error":"short","otel.status_description":"long")", " ERROR(long) 1000000..3000000 {error=short}");
    readerRow("scope", span("a1", R"(,"tags":{"otel.library.name":"lib","otel.library.version":"2"})"),
        "1/a1 'n' s|lib@2 INTERNAL 1000000..3000000\n");
    readerRow("scope by its newer name", span("a1", R"(,"tags":{"otel.scope.name":"lib","otel.scope.version":"2"})"),
        "1/a1 'n' s|lib@2 INTERNAL 1000000..3000000\n");
    tagged("trace state", R"("w3c.tracestate":"k=v")", " 1000000..3000000 state=k=v");
}

void tst_ZipkinJson::annotations()
{
    const auto annotated = [](const char* name, const QByteArray& annotation, const QByteArray& text, const char* faults = "") {
        readerRow(name, span("a1", R"(,"annotations":[)" + annotation + "]"), "1/a1 'n' s INTERNAL 1000000..3000000" + text + "\n", faults);
    };
    annotated("events", R"({"timestamp":1500,"value":"a"},{"timestamp":1600,"value":"b"})", " event a@1500000{} event b@1600000{}");
    annotated("time as text", R"({"timestamp":"1500","value":"a"})", " event a@1500000{}");
    annotated("time with a fraction", R"({"timestamp":1500.125,"value":"a"})", " event a@1500125{}");
    annotated("no time", R"({"value":"a"})", " event a@?{}", "BAD_TIMESTAMP:1");
    annotated("time that is none", R"({"timestamp":"soon","value":"a"})", " event a@?{}", "BAD_TIMESTAMP:1");
    annotated("time in nanoseconds", R"({"timestamp":1700000000000000000,"value":"a"})", " event a@1700000000000000000{}",
        "TIME_UNIT_REPAIRED:1");
    annotated(
        "time beyond int64", R"({"timestamp":9300000000000000000,"value":"a"})", " event a@9223372036854775807{}", "TIME_OUT_OF_RANGE:1");
    annotated("name and attributes", R"({"timestamp":1500,"value":"\"a b\": {\"k\":1,\"t\":\"x\"}"})", " event a b@1500000{k=1, t=x}");
    annotated("attributes in an object", R"({"timestamp":1500,"value":"{\"a\":{\"k\":true}}"})", " event a@1500000{k=true}");
    annotated("attributes of the collector", R"({"timestamp":1500,"value":"a|{\"k\":\"x|y\"}|3"})", " event a@1500000{k=x|y}");
    annotated("bars in a name", R"({"timestamp":1500,"value":"a|{b}|c"})", " event a|{b}|c@1500000{}");
    annotated("an object of its own", R"({"timestamp":1500,"value":"{\"k\":1,\"l\":2}"})", R"( event {"k":1,"l":2}@1500000{})");
    annotated("broken attributes", R"({"timestamp":1500,"value":"\"a\":{\"k\":"})", R"( event "a":{"k":@1500000{})");
    annotated("attributes and more", R"({"timestamp":1500,"value":"\"a\":{\"k\":1},\"b\":{}"})", R"( event "a":{"k":1},"b":{}@1500000{})");
}

void tst_ZipkinJson::sidesOfVersion1()
{
    readerRow("client", version1(annotation("cs", "10", "s") + "," + annotation("cr", "30", "s"), binary("k", R"("v")", "s")),
        "1/a1 'n' s CLIENT 10000..30000 {k=v}\n");
    readerRow("server", version1(annotation("sr", "10", "s") + "," + annotation("ss", "30", "s"), binary("k", R"("v")", "s")),
        "1/a1 'n' s SERVER 10000..30000 {k=v}\n");
    readerRow("both sides",
        version1(annotation("cs", "10", "s") + "," + annotation("sr", "15", "t") + "," + annotation("ss", "25", "t") + ","
                + annotation("cr", "30", "s") + "," + annotation("note", "20", "t"),
            binary("k", R"("v")", "s") + "," + binary("l", R"("w")", "t") + "," + R"({"key":"m","value":"x"})"),
        "1/a1 'n' s CLIENT 10000..30000 {k=v, m=x}\n1/a1 'n' t SERVER 15000..25000 {l=w} event note@20000{}\n");
    readerRow("both sides of one service",
        version1(annotation("cs", "10", "s") + "," + annotation("sr", "15", "s") + "," + annotation("ss", "25", "s") + ","
                + annotation("cr", "30", "s"),
            binary("k", R"("v")", "s")),
        "1/a1 'n' s CLIENT 10000..30000 {k=v}\n1/a1 'n' s SERVER 15000..25000\n");
    readerRow(
        "producer", version1(annotation("ms", "10", "s"), {}, R"(,"timestamp":10,"duration":5)"), "1/a1 'n' s PRODUCER 10000..15000\n");
    readerRow("consumer", version1(annotation("mr", "10", "s")), "1/a1 'n' s CONSUMER 10000..?\n");
    readerRow("server's address", version1(annotation("cs", "10", "s"), binary("sa", "true", "db")),
        "1/a1 'n' s CLIENT 10000..? {peer.service=db}\n");
    readerRow("client's address", version1(annotation("sr", "10", "s"), binary("ca", "true", "web")),
        "1/a1 'n' s SERVER 10000..? {peer.service=web}\n");
    readerRow("broker's address", version1(annotation("ms", "10", "s"), binary("ma", "true", "mq")),
        "1/a1 'n' s PRODUCER 10000..? {peer.service=mq}\n");
    readerRow("server's address alone",
        version1({}, binary("sa", "true", "db") + "," + binary("k", R"("v")", "s"), R"(,"timestamp":10,"duration":5)"),
        "1/a1 'n' s CLIENT 10000..15000 {k=v, peer.service=db}\n");
    readerRow("local component", version1({}, binary("lc", R"("cache")", "s"), R"(,"timestamp":10,"duration":5)"),
        "1/a1 'n' s INTERNAL 10000..15000 {lc=cache}\n");
    readerRow("unnamed local component", version1({}, binary("lc", R"("")", "s"), R"(,"timestamp":10,"duration":5)"),
        "1/a1 'n' s INTERNAL 10000..15000\n");
    readerRow("values of other types", version1(annotation("sr", "10", "s"), binary("b", "true", "s") + "," + binary("i", "7", "s")),
        "1/a1 'n' s SERVER 10000..? {b=true, i=7}\n");
    readerRow("error", version1(annotation("sr", "10", "s"), binary("error", R"("no")", "s")),
        "1/a1 'n' s SERVER ERROR(no) 10000..? {error=no}\n");
    readerRow("parent and debug", version1(annotation("sr", "10", "s"), {}, R"(,"parentId":"b1","debug":true)"),
        "1/a1<b1 'n' s SERVER 10000..? {zipkin.debug=true}\n");
}

void tst_ZipkinJson::timesOfVersion1()
{
    readerRow("the span's own times",
        version1(annotation("cs", "10", "s") + "," + annotation("cr", "30", "s"), {}, R"(,"timestamp":11,"duration":7)"),
        "1/a1 'n' s CLIENT 11000..18000\n");
    readerRow("the span's own times are the client's",
        version1(annotation("cs", "10", "s") + "," + annotation("sr", "15", "t") + "," + annotation("ss", "25", "t"), {},
            R"(,"timestamp":10,"duration":40)"),
        "1/a1 'n' s CLIENT 10000..50000\n1/a1 'n' t SERVER 15000..25000\n");
    readerRow("one way", version1(annotation("cs", "10", "s")), "1/a1 'n' s CLIENT 10000..?\n");
    readerRow("the end alone", version1(annotation("ss", "30", "s")), "1/a1 'n' s SERVER ?..30000\n");
    readerRow("the end and a duration", version1(annotation("ss", "30", "s"), {}, R"(,"duration":5)"), "1/a1 'n' s SERVER 25000..30000\n");
    readerRow(
        "the start and a duration", version1(annotation("sr", "30", "s"), {}, R"(,"duration":5)"), "1/a1 'n' s SERVER 30000..35000\n");
    const QByteArray fiveMilliseconds = "1/a1 'n' s SERVER 1700000000000000000..1700000000005000000 +repaired\n";
    readerRow("the start in nanoseconds and a duration",
        version1(annotation("sr", "1700000000000000000", "s"), {}, R"(,"duration":5000000)"), fiveMilliseconds, "TIME_UNIT_REPAIRED:1");
    readerRow("the end in nanoseconds and a duration", version1(annotation("ss", "1700000000005000000", "s"), {}, R"(,"duration":5000000)"),
        fiveMilliseconds, "TIME_UNIT_REPAIRED:1");
    readerRow("no annotation", version1({}, {}, R"(,"timestamp":10,"duration":5)"), "1/a1 'n' INTERNAL 10000..15000\n");
    readerRow("times as text", version1(annotation("sr", "\"10\"", "s") + "," + annotation("ss", "30.5", "s")),
        "1/a1 'n' s SERVER 10000..30500\n");
}

void tst_ZipkinJson::resources_data()
{
    QTest::addColumn<QByteArray>("endpoint");
    QTest::addColumn<QByteArray>("resource");
    QTest::newRow("none") << QByteArray("null") << QByteArray("{}");
    QTest::newRow("empty") << QByteArray("{}") << QByteArray("{}");
    QTest::newRow("name") << QByteArray(R"({"serviceName":"s"})") << QByteArray("{service.name=s}");
    QTest::newRow("all") << QByteArray(R"({"port":80,"ipv6":"::1","ipv4":"10.0.0.1","serviceName":"s"})")
                         << QByteArray("{service.name=s, net.host.ip=10.0.0.1, net.host.ip=::1, net.host.port=80}");
    QTest::newRow("port as text") << QByteArray(R"({"serviceName":"s","port":"80"})") << QByteArray("{service.name=s, net.host.port=80}");
    QTest::newRow("no port") << QByteArray(R"({"serviceName":"s","port":0,"ipv4":""})") << QByteArray("{service.name=s}");
}

void tst_ZipkinJson::resources()
{
    QFETCH(QByteArray, endpoint);
    QFETCH(QByteArray, resource);
    const QByteArray input = span("a1").replace(R"({"serviceName":"s"})", endpoint);
    QCOMPARE(QByteArray::fromStdString(firstResource(viewOf(input))), resource);
}

/// Above 8 MiB a list is walked into, span by span; one line or many make no difference.
void tst_ZipkinJson::largeArray()
{
    constexpr int count = 30000;
    const QByteArray tag = R"(,"tags":{"k":")" + QByteArray(250, 'x') + R"("})";
    QByteArray spans;
    for (int i = 0; i < count; ++i)
        spans += (i == 0 ? "" : ",") + span(QByteArray::number(i + 1, 16), tag);
    const QByteArray document = list(spans);
    QVERIFY(document.size() > (8 << 20));
    const ImportText got = importText(viewOf(document));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), count);
    QCOMPARE(got.faults, std::string());
    QVERIFY(importText(viewOf(list(list(spans)))) == got);
    const ImportText cut = importText(viewOf(document.chopped(100)));
    QCOMPARE(std::count(cut.spans.begin(), cut.spans.end(), '\n'), count - 1);
    QCOMPARE(cut.faults, std::string("TRUNCATED_INPUT:1 rejected:1"));
}

void tst_ZipkinJson::compressed()
{
    const QByteArray input = list(span("a1") + "," + span("a2"));
    const ImportText got = importText(gzipped(viewOf(input)));
    QCOMPARE(QByteArray::fromStdString(got.spans), a1 + a2);
    QCOMPARE(got.compression, std::string("gzip"));
    QCOMPARE(got.format, std::string("zipkin-json"));
}

QTEST_GUILESS_MAIN(tst_ZipkinJson)
#include "tst_zipkinjson.moc"
