// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OTLP JSON: raw text in, spans as text out; every row also in single bytes, in sevens, gzipped and as zstd.
#include "tests/core/import/importtext.h"

#include <QtTest>

#include <algorithm>

using namespace chokepoint::testing;

namespace {

QByteArray resourceSpans(const QByteArray& spans)
{
    return R"({"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},"scopeSpans":[{"scope":{"name":"lib"},"spans":[)"
        + spans + "]}]}";
}

QByteArray request(const QByteArray& spans)
{
    return R"({"resourceSpans":[)" + resourceSpans(spans) + "]}";
}

/// A span with the given id; \a more is further members with a leading comma.
QByteArray span(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"traceId":"00000000000000000000000000000001","spanId":"00000000000000)" + id
        + R"(","name":"n","startTimeUnixNano":"1000","endTimeUnixNano":"2000")" + more + "}";
}

QByteArray attribute(const QByteArray& value)
{
    return request(span("a1", R"(,"attributes":[{"key":"k","value":)" + value + "}]"));
}

QByteArray utf16(const QString& text, bool little)
{
    QByteArray bytes = little ? QByteArray("\xff\xfe", 2) : QByteArray("\xfe\xff", 2);
    for (const QChar c : text) {
        const char low = char(c.unicode() & 0xff);
        const char high = char(c.unicode() >> 8);
        bytes.append(little ? low : high).append(little ? high : low);
    }
    return bytes;
}

const QByteArray a1 = "1/a1 'n' s|lib 1000..2000\n";
const QByteArray a2 = "1/a2 'n' s|lib 1000..2000\n";
const QByteArray bare = "1/a1 'n' 1000..2000\n";

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

} // namespace

class tst_OtlpJson : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
    void largeDocument_data();
    void largeDocument();
    void placesAreNamed();

private:
    static void framings();
    static void faults();
    static void ids();
    static void times();
    static void values();
    static void fields();
    static void derivedFacts();
};

namespace {

void row(const char* name, const QByteArray& input, const QByteArray& spans, const char* faults = "", const char* format = "otlp-json")
{
    QTest::newRow(name) << input << spans << QByteArray(faults) << QByteArray(format);
}

} // namespace

void tst_OtlpJson::reads_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("spans");
    QTest::addColumn<QByteArray>("faults");
    QTest::addColumn<QByteArray>("format");
    framings();
    faults();
    ids();
    times();
    values();
    fields();
    derivedFacts();
}

void tst_OtlpJson::framings()
{
    const QByteArray first = request(span("a1"));
    const QByteArray second = request(span("a2"));
    const QByteArray pretty = QByteArray(second).replace("{", "{\n  ").replace("[", "[\n  ").replace("]", "\n ]").replace("}", "\n  }");
    row("one document", first, a1);
    row("lines", first + "\n" + second + "\n", a1 + a2);
    row("CRLF, blank lines, blanks at the end", first + "  \r\n\r\n" + second + "\r\n\r\n", a1 + a2);
    row("byte-order mark", "\xef\xbb\xbf" + first + "\n" + second, a1 + a2);
    row("UTF-16 little endian", utf16(QString::fromUtf8(first), true), a1);
    row("UTF-16 big endian", utf16(QString::fromUtf8(first), false), a1);
    row("UTF-16 without a mark", utf16(QString::fromUtf8(first), true).mid(2), a1);
    row("no separator", first + second, a1 + a2);
    row("blanks between", first + "  " + second, a1 + a2);
    row("record separators", "\x1e" + first + "\n\x1e" + second + "\n", a1 + a2);
    row("pretty printed", pretty, a2);
    row("a line, then pretty printed, then glued", first + "\n" + pretty + first, a1 + a2 + a1);
    row("list of requests", "[" + first + ",\n" + second + "]", a1 + a2);
    row("bare ResourceSpans", resourceSpans(span("a1")) + "\n" + resourceSpans(span("a2")), a1 + a2);
    row("bare ScopeSpans", R"({"scope":{"name":"lib"},"spans":[)" + span("a1") + "]}", "1/a1 'n'|lib 1000..2000\n");
    row("bare spans", span("a1") + "\n" + span("a2"), bare + "1/a2 'n' 1000..2000\n");
    row("list of bare spans", "[" + span("a1") + "," + span("a2") + "]", bare + "1/a2 'n' 1000..2000\n");
    row("snake case",
        R"({"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"01","span_id":"a1","parent_span_id":"a2","name":"n",)"
        R"("start_time_unix_nano":1000,"end_time_unix_nano":"2000","dropped_events_count":3,"trace_state":"k=v"}]}]}]})",
        "1/a1<a2 'n' 1000..2000 state=k=v -events=3\n");
    row("batches", R"({"batches":[)" + resourceSpans(span("a1")) + "]}", a1, "", "tempo-json");
    row("trace wrapper", R"({"trace":)" + first + R"(,"status":"PARTIAL","message":"too large"})", a1, "PARTIAL_TRACE:1", "tempo-json");
    row("result wrapper", R"({"result":)" + first + "}\n" + R"({"result":)" + second + "}\n", a1 + a2);
    row("data wrapper", R"({"data":[)" + first + "]}", a1);
    row("legacy scope name",
        R"({"resourceSpans":[{"instrumentationLibrarySpans":[{"instrumentationLibrary":{"name":"lib","version":"2"},"spans":[)" + span("a1")
            + "]}]}]}",
        "1/a1 'n'|lib@2 1000..2000\n");
    row("both scope names, old first",
        R"({"resourceSpans":[{"instrumentationLibrarySpans":[{"spans":[)" + span("a1") + R"(]}],"scopeSpans":[{"spans":[)" + span("a1")
            + "]}]}]}",
        bare);
    row("both scope names, old last",
        R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + span("a1") + R"(]}],"instrumentationLibrarySpans":[{"spans":[)" + span("a1")
            + "]}]}]}",
        bare);
    row("both scope names, new one empty",
        R"({"resourceSpans":[{"scopeSpans":[],"instrumentationLibrarySpans":[{"spans":[)" + span("a1") + "]}]}]}", bare);
    row("resource and scope last",
        R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + span("a1")
            + R"(],"scope":{"name":"lib"}}],"resource":{"attributes":[{"value":{"stringValue":"s"},"key":"service.name"}]}}]})",
        a1);
    row("resource does not leak",
        R"({"resourceSpans":[)" + resourceSpans(span("a1")) + R"(,{"scopeSpans":[{"spans":[)" + span("a2") + "]}]}]}",
        a1 + "1/a2 'n' 1000..2000\n");
    QByteArray quoted = first;
    row("Docker log", R"({"log":")" + quoted.replace("\"", "\\\"") + R"(\n","stream":"stdout","time":"2026-01-01T00:00:00Z"})" + "\n", a1);
    const QByteArray cri = "2026-01-01T00:00:00.1Z stdout ";
    row("CRI log, one line in two parts",
        cri + "P " + first.left(40) + "\n" + cri + "F " + first.mid(40) + "\n" + cri + "F " + second + "\n", a1 + a2);
    row("no spans", R"({"resourceSpans":[]})", "", "NO_SPANS:1");
    row("empty request", R"({"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[]}]}]})", "", "NO_SPANS:1");
}

void tst_OtlpJson::faults()
{
    const QByteArray first = request(span("a1"));
    const QByteArray second = request(span("a2"));
    row("last line cut", first + "\n" + second + "\n" + second.left(150), a1 + a2, "TRUNCATED_INPUT:1 rejected:1");
    row("line in the middle cut", first + "\n" + second.left(150) + "\n" + second + "\n", a1 + a2, "BAD_RECORD:1 rejected:1");
    row("line in the middle cut inside a text", first + "\n" + second.left(second.indexOf("lib") + 2) + "\n" + second + "\n", a1 + a2,
        "BAD_RECORD:1 rejected:1");
    row("line in the middle malformed", first + "\n" + R"({"resourceSpans":[{"scopeSpans" []}]})" + "\n" + second + "\n", a1 + a2,
        "BAD_RECORD:1 rejected:1");
    const QByteArray document = request(span("a1") + "," + span("a2") + "," + span("a3"));
    row("one document cut", document.left(document.indexOf("a3")), a1 + a2, "TRUNCATED_INPUT:1 rejected:1");
    row("one malformed span in a document", request(span("a1") + R"(,{"traceId":01 x},)" + span("a2")), a1 + a2, "BAD_RECORD:1 rejected:1");
    row("text behind the document", first + "\nmade by hand\n", a1, "TRAILING_DATA:1");
    row("text between lines", "starting\n" + first + "\nlog line\nanother\n" + second + "\n", a1 + a2, "NON_JSON_TEXT:3");
    row("other signal beside traces",
        R"({"resourceMetrics":[]})"
        "\n" + first,
        a1, "OTHER_SIGNAL:1");
    row("object that is no trace among lines", first + "\n" + R"({"hello":1})" + "\n" + second, a1 + a2, "BAD_RECORD:1 rejected:1");
    row("invalid UTF-8", QByteArray(first).replace("\"n\"", "\"\xff\""), "1/a1 '\xef\xbf\xbd' s|lib 1000..2000\n", "INVALID_UTF8:1");
    row("raw control character", QByteArray(first).replace("\"n\"", "\"a\tb\""), "1/a1 'a\tb' s|lib 1000..2000\n");
    row("duplicate names, last wins", QByteArray(first).replace(R"("name":"n")", R"("name":"x","name":"n")"), a1, "DUPLICATE_KEY:1");
    row("duplicate list, last wins",
        R"({"resourceSpans":[)" + resourceSpans(span("a1")) + R"(],"resourceSpans":[)" + resourceSpans(span("a2")) + "]}", a2,
        "DUPLICATE_KEY:1");
    row("canonical spelling wins", request(span("a1", R"(,"trace_id":"02")")), a1);
    row("unknown members", request(span("a1", R"(,"unknown":{"deep":[1,{"x":null}]})")), a1);
    row("null everywhere",
        R"({"resourceSpans":[{"resource":null,"schemaUrl":null,"scopeSpans":[{"scope":null,"spans":[)"
            + span("a1", R"(,"parentSpanId":null,"kind":null,"attributes":null,"events":null,"links":null,"status":null,"flags":null)")
            + "]}]}]}",
        bare);
}

void tst_OtlpJson::ids()
{
    const auto withIds = [](const QByteArray& trace, const QByteArray& spanId, const QByteArray& parent) {
        return R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":)" + trace + R"(,"spanId":)" + spanId + R"(,"parentSpanId":)"
            + parent + R"(,"name":"n","startTimeUnixNano":"1000","endTimeUnixNano":"2000"}]}]}]})";
    };
    row("upper case", withIds(R"("5B8EFFF798038103D269B633813FC60C")", R"("00000000000000AB")", R"("")"),
        "5b8efff798038103d269b633813fc60c/ab 'n' 1000..2000\n");
    row("base64", withIds(R"("W47/95gDgQPSabYzgT/GDA==")", R"("7uGbfsPBsXQ=")", R"("7uGbfsPBsXU=")"),
        "5b8efff798038103d269b633813fc60c/eee19b7ec3c1b174<eee19b7ec3c1b175 'n' 1000..2000\n");
    row("bytes", withIds("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,255]", "[0,0,0,0,0,0,0,161]", "[]"), "1ff/a1 'n' 1000..2000\n");
    row("opaque", withIds(R"("run-42")", R"("span-B")", R"("span-A")"), "run-42/span-B<span-A 'n' 1000..2000\n");
    row("zero parent", withIds(R"("01")", R"("a1")", R"("0000000000000000")"), bare);
    row("UUID", withIds(R"("5b8efff7-9803-8103-d269-b633813fc60c")", R"("a1")", "null"),
        "5b8efff798038103d269b633813fc60c/a1 'n' 1000..2000\n");
}

void tst_OtlpJson::times()
{
    const auto withTimes = [](const QByteArray& start, const QByteArray& end) {
        return R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"a1","name":"n","startTimeUnixNano":)" + start
            + R"(,"endTimeUnixNano":)" + end + "}]}]}]}";
    };
    const auto timed = [](const QByteArray& id, const QByteArray& start) {
        return span(id).replace("\"1000\"", '"' + start + '"').replace("\"2000\"", "null");
    };
    row("numbers", withTimes("1700000000000000001", "1700000000000000102"), "1/a1 'n' 1700000000000000001..1700000000000000102\n");
    row("exponent and fraction", withTimes("1.7e18", "1700000000000000321.0"), "1/a1 'n' 1700000000000000000..1700000000000000321\n");
    row("low and high", withTimes(R"({"low":-1,"high":1})", R"({"low":0,"high":2})"), "1/a1 'n' 8589934591..8589934592\n");
    row("seconds and nanos", withTimes(R"({"seconds":"1","nanos":5})", R"({"seconds":2})"), "1/a1 'n' 1000000005..2000000000\n");
    row("dates", withTimes(R"("2023-11-14T22:13:20Z")", R"("2023-11-14 22:13:21")"), "1/a1 'n' 1700000000000000000..1700000001000000000\n",
        "NAIVE_TIMESTAMP:1 TIME_FORMAT:2");
    row("no end", withTimes("1000", "null"), "1/a1 'n' 1000..?\n");
    row("end of zero", withTimes("1000", "0"), "1/a1 'n' 1000..?\n");
    row("start of zero", withTimes("0", "1000"), "1/a1 'n' 0..1000\n");
    row("empty text", withTimes(R"("")", "1000"), "1/a1 'n' ?..1000\n");
    row("beyond int64", withTimes(R"("18446744073709551614")", R"("18446744073709551615")"),
        "1/a1 'n' 9223372036854775807..9223372036854775807 +time-out-of-range\n", "TIME_OUT_OF_RANGE:2");
    row("through a double", withTimes("1700000000000000256", "1700000000000000768"),
        "1/a1 'n' 1700000000000000256..1700000000000000768 +rounded\n");
    row("milliseconds", withTimes("1700000000000", "1700000000250"), "1/a1 'n' 1700000000000000000..1700000000250000000 +repaired\n",
        "TIME_UNIT_REPAIRED:1");
    row("seconds", withTimes("1700000000", "1700000002"), "1/a1 'n' 1700000000000000000..1700000002000000000 +repaired\n",
        "TIME_UNIT_REPAIRED:1");
    row("microseconds, events too",
        request(QByteArray(span("a1", R"(,"events":[{"timeUnixNano":"1700000000000100","name":"e"}])"))
                    .replace("\"1000\"", "\"1700000000000000\"")
                    .replace("\"2000\"", "\"1700000000000250\"")),
        "1/a1 'n' s|lib 1700000000000000000..1700000000000250000 event e@1700000000000100000{} +repaired\n", "TIME_UNIT_REPAIRED:1");
    row("one odd time among good ones is no other unit", request(timed("a1", "1700000000000") + "," + timed("a2", "1700000000000000001")),
        "1/a1 'n' s|lib 1700000000000..?\n1/a2 'n' s|lib 1700000000000000001..?\n");
    row("a clock that begins at 0 is no other unit", request(timed("a1", "5000000") + "," + timed("a2", "1700000000000")),
        "1/a1 'n' s|lib 5000000..?\n1/a2 'n' s|lib 1700000000000..?\n");
    row("two units", request(timed("a1", "1700000000000") + "," + timed("a2", "1700000000000000")),
        "1/a1 'n' s|lib 1700000000000..?\n1/a2 'n' s|lib 1700000000000000..?\n");
    row("a date leaves no doubt", request(timed("a1", "1970-01-01T00:00:01Z") + "," + timed("a2", "1700000000000")),
        "1/a1 'n' s|lib 1000000000..?\n1/a2 'n' s|lib 1700000000000..?\n", "TIME_FORMAT:1");
    row("a span of years is no other unit", withTimes("1000000000", "1200000000"), "1/a1 'n' 1000000000..1200000000\n");
    row("no time beside another unit", request(timed("a1", "0") + "," + timed("a2", "1700000000000")),
        "1/a1 'n' s|lib 0..?\n1/a2 'n' s|lib 1700000000000000000..? +repaired\n", "TIME_UNIT_REPAIRED:1");
    row("unreadable beside a good one", request(span("a1") + R"(,{"traceId":"01","spanId":"a2","startTimeUnixNano":"soon"})"), a1,
        "BAD_TIMESTAMP:1 rejected:1");
}

void tst_OtlpJson::values()
{
    const auto value = [](const char* name, const QByteArray& json, const QByteArray& text, const char* faults = "") {
        row(name, attribute(json), "1/a1 'n' s|lib 1000..2000 {k=" + text + "}\n", faults);
    };
    value("text", R"({"stringValue":"x"})", "x");
    value("empty text", R"({"stringValue":""})", "");
    value("integer as text", R"({"intValue":"9007199254740993"})", "9007199254740993");
    value("integer as number", R"({"intValue":-5})", "-5");
    value("integer with point", R"({"intValue":5.0})", "5");
    value("integer with exponent", R"({"intValue":"5e2"})", "500");
    value("integer that is none", R"({"intValue":2.5})", "2.5");
    value("integer too large", R"({"intValue":"9223372036854775808"})", "9223372036854775808", "NUMBER_OUT_OF_RANGE:1");
    value("integer of letters", R"({"intValue":"many"})", "many", "BAD_ATTRIBUTES:1");
    value("double", R"({"doubleValue":0.1})", "0.1");
    value("double as text", R"({"doubleValue":"1.5"})", "1.5");
    value("NaN as text", R"({"doubleValue":"NaN"})", "NaN", "NUMBER_OUT_OF_RANGE:1");
    value("NaN as Python writes it", R"({"doubleValue":NaN})", "NaN", "NUMBER_OUT_OF_RANGE:1");
    value("negative infinity", R"({"doubleValue":-Infinity})", "-Infinity", "NUMBER_OUT_OF_RANGE:1");
    value("true", R"({"boolValue":true})", "true");
    value("boolean as text", R"({"boolValue":"false"})", "false");
    value("bytes", R"({"bytesValue":"AAEC/w=="})", "AAEC/w==");
    value("bytes as list", R"({"bytesValue":[0,1,2,255]})", "AAEC/w==");
    value("list", R"({"arrayValue":{"values":[{"stringValue":"x"},{},{"intValue":"3"}]}})", R"(["x",null,3])");
    value("empty list", R"({"arrayValue":{}})", "[]");
    value("list of null", R"({"arrayValue":{"values":null}})", "[]");
    value("map", R"({"kvlistValue":{"values":[{"key":"a","value":{"intValue":1}},{"value":{"boolValue":true},"key":"b"}]}})",
        R"({"a":1,"b":true})");
    value("nested", R"({"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[]}}]}}}]}})",
        R"({"a":[{}]})");
    value("first member that is not null",
        R"({"stringValue":null,"boolValue":null,"intValue":"7","doubleValue":null,"arrayValue":null,"kvlistValue":null,"bytesValue":null})",
        "7");
    value("null", "null", "");
    value("nothing", "{}", "");
    value("bytes in hexadecimal, as Phoenix writes them", R"({"string_value":null,"int_value":null,"bytes_value":"deadbeef"})", "deadbeef",
        "BAD_ATTRIBUTES:1");
    value("integer as JavaScript splits it", R"({"intValue":{"low":-5,"high":-1,"unsigned":false}})", "-5");
    value("large integer as JavaScript splits it", R"({"intValue":{"low":5,"high":1,"unsigned":false}})", "4294967301");
    value("object where a text belongs", R"({"stringValue":{"a":1,"low":2}})", R"({"a":1,"low":2})", "BAD_ATTRIBUTES:1");
    value("index of a text", R"({"stringValueStrindex":3})", "", "BAD_ATTRIBUTES:1");
    value("all null", R"({"stringValue":null,"intValue":null})", "");
    value("snake case", R"({"string_value":"x"})", "x");
    value("bare text", R"("x")", "x");
    value("bare number", "1e2", "100");
    value("bare list", R"(["x",1,true,null])", R"(["x",1,true,null])");
    value("bare map", R"({"a":{"b":[1]}})", R"({"a":{"b":[1]}})");
    value("half a surrogate pair", R"({"stringValue":"a\ud83d"})", "a\xef\xbf\xbd");
    row("attributes as a plain object", request(span("a1", R"(,"attributes":{"a\"b":1,"c":"d"})")),
        "1/a1 'n' s|lib 1000..2000 {a\"b=1, c=d}\n");
    row("duplicate attributes are kept",
        request(span("a1", R"(,"attributes":[{"key":"k","value":{"intValue":1}},{"key":"k","value":{"intValue":2}}])")),
        "1/a1 'n' s|lib 1000..2000 {k=1, k=2}\n");
    row("value missing, key missing, no object", request(span("a1", R"(,"attributes":[{"key":"k"},{"value":{"intValue":1}},7])")),
        "1/a1 'n' s|lib 1000..2000 {k=}\n", "BAD_ATTRIBUTES:2");
    QByteArray deep = R"({"stringValue":"x"})";
    QByteArray text = "\"x\"";
    for (int i = 0; i < 200; ++i) {
        deep = R"({"kvlistValue":{"values":[{"key":"d","value":)" + deep + "}]}}";
        text = "{\"d\":" + text + "}";
    }
    value("200 levels", deep, text);
}

void tst_OtlpJson::fields()
{
    row("kind and status by number", request(span("a1", R"(,"kind":3,"status":{"code":2,"message":"no"})")),
        "1/a1 'n' s|lib CLIENT ERROR(no) 1000..2000\n");
    row("kind and status by name", request(span("a1", R"(,"kind":"SPAN_KIND_SERVER","status":{"code":"STATUS_CODE_OK"})")),
        "1/a1 'n' s|lib SERVER OK 1000..2000\n");
    row("kind of our own making", request(span("a1", R"(,"kind":"Entry")")), "1/a1 'n' s|lib 1000..2000 {import.raw_kind=Entry}\n",
        "UNKNOWN_ENUM:1");
    row("flags and counts",
        request(span("a1", R"(,"flags":257,"traceState":"k=v","droppedAttributesCount":1,"droppedEventsCount":"2","droppedLinksCount":3)")),
        "1/a1 'n' s|lib 1000..2000 state=k=v w3c=257 -attributes=1 -events=2 -links=3\n");
    row("event",
        request(
            span("a1", R"(,"events":[{"timeUnixNano":"1500","name":"e","attributes":[{"key":"k","value":{"intValue":1}}]},{"name":"f"}])")),
        "1/a1 'n' s|lib 1000..2000 event e@1500{k=1} event f@?{}\n");
    row("event before the start is known",
        request(
            R"({"events":[{"timeUnixNano":"1500","name":"e"}],"traceId":"01","spanId":"a1","name":"n","endTimeUnixNano":"2000","startTimeUnixNano":"1000"})"),
        "1/a1 'n' s|lib 1000..2000 event e@1500{}\n");
    row("event with an unreadable time", request(span("a1", R"(,"events":[{"timeUnixNano":"soon","name":"e"}])")),
        "1/a1 'n' s|lib 1000..2000 event e@?{}\n", "BAD_TIMESTAMP:1");
    row("link",
        request(span(
            "a1", R"(,"links":[{"traceId":"02","spanId":"b1","traceState":"x=y","attributes":[{"key":"k","value":{"boolValue":true}}]}])")),
        "1/a1 'n' s|lib 1000..2000 link 2/b1{k=true}\n");
    row("no name", QByteArray(request(span("a1"))).replace(R"("name":"n")", R"("name":null)"), "1/a1 '' s|lib 1000..2000\n");
    row("zero byte in a name", QByteArray(request(span("a1"))).replace(R"("name":"n")", R"("name":"a\u0000b")"),
        QByteArray("1/a1 'a\0b' s|lib 1000..2000\n", 28));
}

void tst_OtlpJson::derivedFacts()
{
    const auto fact = [](const char* name, const QByteArray& attributes, const QByteArray& text, const QByteArray& flags) {
        row(name, request(span("a1", R"(,"attributes":{)" + attributes + "}")), "1/a1 'n' s|lib 1000..2000 {" + text + "}" + flags + "\n");
    };
    fact("async", R"("span.async":true)", "span.async=true", " +async");
    fact("not async", R"("async":false)", "async=false", "");
    fact("cancelled", R"("error.type":"asyncio.CancelledError")", "error.type=asyncio.CancelledError", " +cancelled");
    fact("cancelled by gRPC code", R"("rpc.grpc.status_code":1)", "rpc.grpc.status_code=1", " +cancelled");
    fact("timed out", R"("error.type":"ReadTimeout")", "error.type=ReadTimeout", " +timed-out");
    fact("gateway timeout", R"("http.response.status_code":504)", "http.response.status_code=504", " +timed-out");
    fact("streaming", R"("llm.is_streaming":"True")", "llm.is_streaming=True", " +streaming");
    fact("not streaming", R"("llm.is_streaming":"False")", "llm.is_streaming=False", "");
    fact("time to first token", R"("gen_ai.server.time_to_first_token":4e-7)", "gen_ai.server.time_to_first_token=4e-07",
        " +streaming first-token=1400");
    fact("first token outside of the span", R"("gen_ai.server.time_to_first_token":5)", "gen_ai.server.time_to_first_token=5",
        " +streaming");
    row("status message", request(span("a1", R"(,"status":{"code":2,"message":"context canceled: deadline exceeded"})")),
        "1/a1 'n' s|lib ERROR(context canceled: deadline exceeded) 1000..2000 +cancelled +timed-out\n");
    row("first token event wins",
        request(span("a1", R"(,"attributes":{"time_to_first_token_ms":0.0004},"events":[{"timeUnixNano":1300,"name":"first_token"}])")),
        "1/a1 'n' s|lib 1000..2000 {time_to_first_token_ms=0.0004} event first_token@1300{} +streaming first-token=1300\n");
}

void tst_OtlpJson::reads()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, spans);
    QFETCH(QByteArray, faults);
    QFETCH(QByteArray, format);
    const ImportText whole = importText(view(input));
    QCOMPARE(QByteArray::fromStdString(whole.spans), spans);
    QCOMPARE(QByteArray::fromStdString(whole.faults), faults);
    QCOMPARE(QByteArray::fromStdString(whole.format), format);
    QVERIFY(importText(view(input), 1) == whole);
    QVERIFY(importText(view(input), 7) == whole);
    for (const std::string& packed : {gzipped(view(input)), zstdCompressed(view(input))}) {
        ImportText unpacked = importText(packed, 5);
        unpacked.compression = whole.compression;
        QVERIFY(unpacked == whole);
    }
}

void tst_OtlpJson::largeDocument_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    const QByteArray resource = R"("resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]})";
    const QByteArray scope = R"("scope":{"name":"lib"})";
    QTest::newRow("one list of spans") << R"({"resourceSpans":[{)" + resource + R"(,"scopeSpans":[{)" + scope + R"(,"spans":[)"
                                       << QByteArray("]}]}]}");
    QTest::newRow("resource and scope last") << QByteArray(R"({"trace":{"resourceSpans":[{"scopeSpans":[{"spans":[)")
                                             << "]," + scope + "}]," + resource + "}]}}";
    QTest::newRow("cut at the end") << R"({"resourceSpans":[{)" + resource + R"(,"scopeSpans":[{)" + scope + R"(,"spans":[)"
                                    << QByteArray(",{\"traceId\":");
}

/// Above 8 MiB a document is walked into, and says the same as one that is read whole.
void tst_OtlpJson::largeDocument()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    constexpr int count = 30000;
    QByteArray document = before;
    const QByteArray padding(200, 'x');
    for (int i = 0; i < count; ++i)
        document += (i == 0 ? "" : ",") + QByteArray(R"({"traceId":"01","spanId":")") + QByteArray::number(i + 1, 16) + R"(","name":")"
            + padding + R"(","startTimeUnixNano":"1000","endTimeUnixNano":"2000"})";
    document += after;
    QVERIFY(document.size() > (8 << 20));
    const ImportText got = importText(view(document));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), count);
    const QByteArray last = "1/" + QByteArray::number(count, 16) + " '" + padding + "' s|lib 1000..2000\n";
    const bool isCut = after.startsWith(',');
    QCOMPARE(QByteArray::fromStdString(got.faults), QByteArray(isCut ? "TRUNCATED_INPUT:1 rejected:1" : ""));
    QCOMPARE(QByteArray::fromStdString(got.spans.substr(got.spans.size() - std::size_t(last.size()))), last);
}

void tst_OtlpJson::placesAreNamed()
{
    const QByteArray input = request(span("a1")) + "\n\n" + request(R"({"startTimeUnixNano":"soon","name":"late"})") + "\n";
    const ImportText got = importText(view(input));
    QVERIFY2(got.message.find("line 3 (byte ") != std::string::npos, got.message.c_str());
    QVERIFY2(got.message.find("\"late\"") != std::string::npos, got.message.c_str());
}

QTEST_GUILESS_MAIN(tst_OtlpJson)
#include "tst_otlpjson.moc"
