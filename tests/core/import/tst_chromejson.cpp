// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome trace files: their forms, the times in them, and what breaks; every row also in single bytes, in sevens and compressed.
#include "core/import/readinput.h"
#include "tests/core/import/chrometext.h"

#include <algorithm>

using namespace chokepoint;
using namespace chokepoint::testing;

class tst_ChromeJson : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { checkRow(); }
    void refuses_data();
    void refuses();
    void otherFilesAreOtherTraces();
    void depthOfAMillion();
    void manyEqualEvents();
    void brokenEventsAmongMany();
    void textThatGoesOnForMegabytes();
    void textsThatCannotBeHeld();
    void cancels();

private:
    static void files();
    static void times();
    static void faults();
};

void tst_ChromeJson::reads_data()
{
    addColumns();
    files();
    times();
    faults();
}

void tst_ChromeJson::files()
{
    row("list", list({outer()}), outerText());
    row("object", object({outer()}), outerText());
    row("object with members before and behind",
        R"({"displayTimeUnit":"ns","otherData":{"v":1},"traceEvents":[)" + outer() + R"(],"x":[1,{"y":[]}]})", outerText());
    row("list without an end", "[\n" + outer(), outerText());
    row("list without an end, trailing comma", "[\n" + outer() + ",\n", outerText());
    row("trailing comma", '[' + outer() + ",]", outerText());
    row("empty event at the end", list({outer(), "{}"}), outerText());
    row("null among events", list({"null", outer()}), outerText());
    row("no comma between events", '[' + outer() + '\n' + slice("next", "20", "1") + ']', outerText() + "next 20000..21000\n");
    row("one event a line", outer() + '\n' + slice("next", "20", "1") + '\n', outerText() + "next 20000..21000\n");
    row("two documents", object({outer()}) + object({slice("next", "20", "1")}), outerText() + "next 20000..21000\n");
    row("byte-order mark and CRLF", "\xef\xbb\xbf" + object({outer()}).replace("\n", "\r\n"), outerText());
    row("line break between name and colon", list({QByteArray(outer()).replace("\"ts\":", "\"ts\"\n:\n")}), outerText());
    row("stack frames are skipped", object({outer()}, R"(,"stackFrames":{"1":{"name":"f","parent":"]"}},"samples":[{"sf":1}])"),
        outerText(), "OTHER_SIGNAL:2");
    row("no events", R"({"traceEvents":[],"displayTimeUnit":"ms"})", "", "NO_SPANS:1");
    row("metadata alone", list({phase("M", "process_name", "0", R"(,"args":{"name":"p"})")}), "", "NO_SPANS:1");
    row("keys in alphabetical order", R"([{"args":{"k":1},"cat":"c","dur":10,"name":"outer","ph":"X","pid":1,"tid":1,"ts":0}])",
        "outer 0..10000 {k=1, chrome.category=c}\n");
    row("escaped name and key", list({slice("a\\u00e9\\\"b", "0", "1", R"(,"args":{"k\n":"v\t"})")}), "a\xc3\xa9\"b 0..1000 {k\n=v\t}\n");
    row("other members", list({slice("a", "0", "1", R"(,"tdur":0.5,"cname":"good","sf":7)")}),
        "a 0..1000 {chrome.tdur=0.5, chrome.sf=7}\n");
    row("members that come twice", list({slice("a", "0", "1", R"(,"args":{"x":1},"name":"b","args":{"y":2})")}), "b 0..1000 {y=2}\n",
        "DUPLICATE_KEY:2");
    row("arguments that are no object", list({slice("a", "0", "1", R"(,"args":"text")"), slice("b", "2", "1", R"(,"args":null)")}),
        "a 0..1000 {args=text}\nb 2000..3000\n");
    row("no name", list({R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":1})"}), " 0..1000\n");
}

void tst_ChromeJson::times()
{
    row("three decimals", list({slice("a", "1.001", "0.002")}), "a 1001..1003\n");
    row("beyond nanoseconds is rounded", list({slice("a", "1.0006", "2.00049")}), "a 1001..3001\n");
    row("exponents", list({slice("a", "1.70000000000000025e+15", "4.75"), slice("b", "17e14", "2.5e0")}),
        "a 1700000000000000250..1700000000000005000 +absolute\nb 1700000000000000000..1700000000000002500 +absolute\n",
        "OVERLAPPING_EVENTS:1");
    row("texts", list({slice("a", "\"1700000000000000.25\"", "\"4.5\"")}), "a 1700000000000000250..1700000000000004750 +absolute\n");
    row("a date of our time", list({slice("a", "1700000000000000", "1")}), "a 1700000000000000000..1700000000000001000 +absolute\n");
    row("relative clock", list({slice("a", "99999999999999", "1")}), "a 99999999999999000..100000000000000000\n");
    row("base behind the events", object({slice("a", "5.5", "1")}, R"(,"baseTimeNanoseconds":1719853884000000000)"),
        "a 1719853884000005500..1719853884000006500 +absolute\n");
    row("base before the events", R"({"baseTimeNanoseconds":1719853884000000000,"traceEvents":[)" + slice("a", "0", "1") + "]}",
        "a 1719853884000000000..1719853884000001000 +absolute\n");
    row("base as text", object({slice("a", "0", "1")}, R"(,"baseTimeNanoseconds":"1719853884000000001")"),
        "a 1719853884000000001..1719853884000001001 +absolute\n");
    row("unit of display is not the unit", object({slice("a", "1", "1")}, R"(,"displayTimeUnit":"ns")"), "a 1000..2000\n");
    row("negative time", list({slice("a", "-2.5", "1")}), "a -2500..-1500\n");
    row("negative length", list({slice("a", "5", "-1"), slice("b", "5", "1")}), "a<b 5000..4000\nb 5000..6000\n");
    row("date with three decimals", list({slice("a", "1700000000000000.123", "4.5")}),
        "a 1700000000000000123..1700000000000004623 +absolute\n");
    row("the largest times", list({slice("a", "9223372036854774.999", "0"), slice("b", "9223372036854775.806", "0")}),
        "a 9223372036854774999..9223372036854774999 +absolute\nb 9223372036854775806..9223372036854775806 +absolute\n");
    row("no length", list({phase("X", "a", "5")}), "a 5000..5000 {chrome.unfinished=true}\n", "UNFINISHED_SPAN:1");
    row("null length", list({slice("a", "5", "null")}), "a 5000..5000 {chrome.unfinished=true}\n", "UNFINISHED_SPAN:1");
    row("no length: to the end of the thread",
        list({phase("X", "a", "5"), slice("b", "7", "2"), R"({"ph":"X","name":"c","pid":1,"tid":2,"ts":20,"dur":1})"}),
        "a 5000..9000 {chrome.unfinished=true}\nb<a 7000..9000\nc 20000..21000\n", "UNFINISHED_SPAN:1");
    row("no time", list({outer(), R"({"ph":"X","name":"a","pid":1,"tid":1,"dur":1})"}), outerText() + "a ?..?\n");
    row("unreadable time", list({slice("a", "\"soon\"", "1"), outer()}), outerText(), "BAD_TIMESTAMP:1 rejected:1");
    row("unreadable length", list({slice("a", "0", "\"long\""), outer()}), outerText(), "BAD_TIMESTAMP:1 rejected:1");
    row("time that is no number", list({slice("a", "NaN", "1"), outer()}), outerText(), "BAD_TIMESTAMP:1 rejected:1");
    row("time beyond 64 bits", list({slice("a", "1e300", "1")}), "a 9223372036854775807..9223372036854775807 +absolute +range\n",
        "TIME_OUT_OF_RANGE:1");
    row("a time beyond 64 bits ends nothing", list({phase("B", "a", "17e14"), slice("b", "17e14", "2"), slice("c", "1e300", "1")}),
        "a 1700000000000000000..1700000000000002000 {chrome.unfinished=true} +absolute\nb<a 1700000000000000000..1700000000000002000 "
        "+absolute\nc 9223372036854775807..9223372036854775807 +absolute +range\n",
        "TIME_OUT_OF_RANGE:1 UNFINISHED_SPAN:1");
    row("times that come twice",
        list({slice("a", "\"soon\"", "1e300", R"(,"ts":1,"dur":2)"), slice("b", "1", "1e300", R"(,"ts":9,"ts":5,"dur":1)"),
            slice("c", "8", "\"long\"", R"(,"dur":null)")}),
        "a 1000..3000\nb 5000..6000\nc 8000..8000 {chrome.unfinished=true}\n", "DUPLICATE_KEY:6 UNFINISHED_SPAN:1");
    row("end beyond 64 bits", list({slice("a", "9e15", "9e15")}), "a 9000000000000000000..9223372036854775807 +absolute +range\n");
    row("base beyond 64 bits", object({slice("a", "9e15", "1")}, R"(,"baseTimeNanoseconds":9000000000000000000)"),
        "a 9223372036854775807..9223372036854775807 +absolute +range\n");
}

void tst_ChromeJson::faults()
{
    const QByteArray next = slice("next", "20", "1");
    const QByteArray nextText = "next 20000..21000\n";
    row("unescaped quotes in a name", object({outer(), slice("say \"hi\" now", "1", "1"), next}), outerText() + nextText,
        "BAD_RECORD:1 rejected:1");
    row("one unescaped quote", object({outer(), slice("say \"hi", "1", "1"), next}), outerText() + nextText, "BAD_RECORD:1 rejected:1");
    row("one unescaped quote, no line breaks", "{\"traceEvents\":[" + outer() + "," + slice("say \"hi", "1", "1") + "," + next + "]}",
        outerText() + nextText, "BAD_RECORD:1 rejected:1");
    row("missing quote", object({outer(), QByteArray(slice("a", "1", "1")).replace("\"a\"", "\"a"), next}), outerText() + nextText,
        "BAD_RECORD:1 rejected:1");
    row("broken event last", object({outer(), slice("say \"hi\" now", "1", "1")}, R"(,"traceName":"x")"), outerText(),
        "BAD_RECORD:1 rejected:1");
    row("broken event first", object({slice("say \"hi", "1", "1"), outer()}), outerText(), "BAD_RECORD:1 rejected:1");
    row("brackets in what is broken", object({outer(), slice("}],[{\" x", "1", "1"), next}), outerText() + nextText,
        "BAD_RECORD:1 rejected:1");
    row("objects among the arguments of what is broken",
        object({outer(), slice("\"", "1", "1", R"(,"args":{"l":[{"id":1},{"id":2}]})"), next}), outerText() + nextText,
        "BAD_RECORD:1 rejected:1");
    row("line break in a name", object({outer(), slice("two\nlines", "1", "1"), next}),
        outerText() + "two\nlines<outer 1000..2000\n" + nextText);
    row("control characters in a name", object({outer(), slice("bell\x07tab\t", "1", "1"), next}),
        outerText() + "bell\x07tab\t<outer 1000..2000\n" + nextText);
    row("bytes that are no UTF-8", object({outer(), slice("a\xff", "1", "1"), next}),
        outerText() + "a\xef\xbf\xbd<outer 1000..2000\n" + nextText, "INVALID_UTF8:1");
    row("half a surrogate pair", object({slice("a\\ud83d", "1", "1")}), "a\xef\xbf\xbd 1000..2000\n");
    row("number without digits", object({outer(), slice("a", "1", "-"), next}), outerText() + nextText, "BAD_TIMESTAMP:1 rejected:1");
    row("cut inside an event", "{\"traceEvents\":[\n" + outer() + ",\n" + next.left(40), outerText(),
        "TRUNCATED_INPUT:1 UNTERMINATED_ARRAY:1 rejected:1");
    row("cut between events", "{\"traceEvents\":[\n" + outer() + ",\n", outerText(), "UNTERMINATED_ARRAY:1");
    row("members cut behind the list", "{\"traceEvents\":[\n" + outer() + "],\"x\":{\"y", outerText(), "OTHER_SIGNAL:1");
    row("list cut inside an event", "[\n" + outer() + ",\n" + next.left(40), outerText(), "TRUNCATED_INPUT:1 rejected:1");
    row("list without its bracket in a closed object", "{\"traceEvents\":[\n" + outer() + ",\n" + next + "}", outerText() + nextText,
        "UNTERMINATED_ARRAY:1");
    row("text behind the end", list({outer()}) + "\ndone\n", outerText(), "NON_JSON_TEXT:1");
}

void tst_ChromeJson::refuses_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("other list") << QByteArray(R"([{"phase":"X"}])") << QByteArray("UNRECOGNIZED_FORMAT");
    QTest::newRow("nothing can be read") << object({slice("a\"", "0", "1")}) << QByteArray("MALFORMED");
    for (const char* text : {R"({"traceEvents":)", R"({"displayTimeUnit":"ns")", R"({"displayTimeUnit":"ns","trace)"})
        QTest::newRow(text) << QByteArray(text) << QByteArray("MALFORMED");
    QTest::newRow("no time can be read") << list({slice("a", "\"x\"", "1")}) << QByteArray("MALFORMED");
}

void tst_ChromeJson::refuses()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, code);
    QCOMPARE(QByteArray::fromStdString(chromeText(view(input)).format), code);
}

void tst_ChromeJson::otherFilesAreOtherTraces()
{
    const auto traceOf = [](const QByteArray& input) { return chromeText(view(input)).ids.substr(0, 32); };
    const std::string trace = traceOf(list({outer()}));
    QVERIFY(traceOf(list({slice("outer", "0", "11")})) != trace);
    QVERIFY(traceOf(list({outer(), outer()})) != trace);
    QVERIFY(traceOf(list({QByteArray(outer()).replace("\"pid\":1", "\"pid\":2")})) != trace);
    QVERIFY(traceOf(object({outer()}, R"(,"baseTimeNanoseconds":1719853884000000000)")) != trace);
}

void tst_ChromeJson::depthOfAMillion()
{
    QByteArray input = "[";
    for (int i = 0; i < 100000; ++i)
        input += slice("a", QByteArray::number(i), QByteArray::number(200000 - 2 * i)) + ",\n";
    const ChromeText got = chromeText(view(input));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), 100000);
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '<'), 99999);
    QCOMPARE(got.faults, std::string());
}

/// As a profiler wrote them whose clock stopped.
void tst_ChromeJson::manyEqualEvents()
{
    QByteArray input = "[" + slice("first", "1700000000000000", "1");
    for (int i = 0; i < 50000; ++i)
        input += ",\n" + slice("a", "0.000", "0.000");
    const ChromeText got = chromeText(view(input));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '<'), 0);
    QCOMPARE(std::count(got.ids.begin(), got.ids.end(), ' '), 50001);
}

void tst_ChromeJson::brokenEventsAmongMany()
{
    QByteArrayList events;
    for (int i = 0; i < 20000; ++i)
        events += slice(i % 100 == 50 ? "br\"oken" : "good", QByteArray::number(i * 10), "5", R"(,"args":{"list":[{"x":1},{"x":"},{"}]})");
    for (const QByteArray& input : {object(events), '[' + events.join(',') + ']'}) {
        const ChromeText got = chromeText(view(input));
        QCOMPARE(QByteArray::fromStdString(got.faults), QByteArray("BAD_RECORD:200 rejected:200"));
        QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), 19800);
    }
}

void tst_ChromeJson::textThatGoesOnForMegabytes()
{
    const QByteArray longText(3000000, 'x');
    const QByteArray input = object({outer(), slice("a", "1", "1", ",\"args\":{\"prompt\":\"" + longText + "\"}"), slice("b", "2", "1")});
    const ChromeText got = chromeText(view(input));
    QCOMPARE(got.faults, std::string());
    QCOMPARE(
        got.spans.size(), std::size_t(3000000) + std::string("outer 0..10000\na<outer 1000..2000 {prompt=}\nb<outer 2000..3000\n").size());
}

/// Longer ones are kept in part, and cost nothing but themselves; beside the events they are passed over.
void tst_ChromeJson::textsThatCannotBeHeld()
{
    const auto events = [](qsizetype size) {
        return "\"traceEvents\":[" + slice("a", "1", "1", ",\"args\":{\"prompt\":\"" + QByteArray(size, 'x') + "\"}") + ','
            + slice("b", "2", "1") + "]}";
    };
    const qsizetype limit = qsizetype(64) << 20;
    const ChromeText kept = chromeText(view('{' + events(limit)));
    const ChromeText got = chromeText(view('{' + events(limit + 100)));
    QVERIFY(got.spans == kept.spans && got.spans.ends_with("b 2000..3000\n"));
    QCOMPARE(kept.faults, std::string());
    QCOMPARE(got.faults, std::string("SIZE_LIMIT:1"));
    const ChromeText beside = chromeText(view(R"({"displayTimeUnit":"ns","x":")" + QByteArray(limit + (8 << 20), '{') + "\"," + events(1)));
    QCOMPARE(beside.spans, std::string("a 1000..2000 {prompt=x}\nb 2000..3000\n"));
    QCOMPARE(beside.faults, std::string("OTHER_SIGNAL:1"));
}

/// Spans come only at the end, but nobody has to wait for that.
void tst_ChromeJson::cancels()
{
    QByteArray input = "[";
    while (input.size() < (20 << 20))
        input += slice("a", QByteArray::number(input.size()), "1", ",\"args\":{\"text\":\"" + QByteArray(3000, 'x') + "\"}") + ",\n";
    std::stop_source stop;
    int reports = 0;
    const JobControl job(stop.get_token(), [&](const Progress&) {
        ++reports;
        stop.request_stop();
    });
    Dictionary dictionary;
    const auto deliver = [](SpanBatch&) -> Result<void> { return {}; };
    const auto report = readInputBytes("test", view(input), dictionary, deliver, job);
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::Cancelled);
    QCOMPARE(reports, 1);
}

QTEST_GUILESS_MAIN(tst_ChromeJson)
#include "tst_chromejson.moc"
