// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OTLP JSON: ids, times, values and the other fields of spans. Raw text in, spans as text out.
#include "tests/core/import/otlpjsontexts.h"

using namespace chokepoint::testing;

class tst_OtlpJsonFields : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareOtlpReading(); }

private:
    static void ids();
    static void times();
    static void values();
    static void fields();
    static void derivedFacts();
};

void tst_OtlpJsonFields::reads_data()
{
    otlpColumns();
    ids();
    times();
    values();
    fields();
    derivedFacts();
}

void tst_OtlpJsonFields::ids()
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

void tst_OtlpJsonFields::times()
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

void tst_OtlpJsonFields::values()
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

void tst_OtlpJsonFields::fields()
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

void tst_OtlpJsonFields::derivedFacts()
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

QTEST_GUILESS_MAIN(tst_OtlpJsonFields)
#include "tst_otlpjsonfields.moc"
