// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome trace events: raw text in, spans as text out; every row also in single bytes, in sevens and compressed.
#include "core/import/readsource.h"
#include "tests/core/import/importtext.h"

#include <QtTest>

#include <fmt/format.h>

#include <algorithm>
#include <map>

using namespace chokepoint;
using namespace chokepoint::testing;

namespace {

struct ChromeText {
    std::string spans;
    std::string faults;
    std::string format; // or the name of the error code
    std::string ids; // trace id, then all span ids, sorted
};

/// One read file, with names for ids.
class Spans {
public:
    explicit Spans(const std::vector<SpanBatch>& batches, const Dictionary& dictionary) : m_batches(batches), m_dictionary(dictionary)
    {
        for (const SpanBatch& batch : batches)
            for (std::size_t i = 0; i < batch.size(); ++i)
                m_names[batch.spans.spanId[i].value] = dictionary.text(batch.spans.name[i]);
    }

    /// name<parent service start..end {attributes} event.. link->name flags
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const SpanBatch& batch : m_batches)
            for (std::size_t i = 0; i < batch.size(); ++i)
                out += spanText(batch, i);
        return out;
    }

    [[nodiscard]] std::string ids() const
    {
        std::string out = m_batches.empty() ? "" : toHex(m_batches.front().traceId.front());
        for (const auto& [id, name] : m_names)
            out += fmt::format(" {:x}", id);
        return out;
    }

private:
    static std::string attributesText(const AttributeList& attributes)
    {
        std::string text;
        for (const Attribute& attribute : attributes)
            if (attribute.key != "thread.id")
                text += fmt::format("{}{}={}", text.empty() ? "" : ", ", attribute.key, toText(attribute.value));
        return text.empty() ? text : " {" + text + '}';
    }

    [[nodiscard]] std::string nameOf(SpanId id) const
    {
        const auto found = m_names.find(id.value);
        return found == m_names.end() ? "MISSING" : found->second;
    }

    [[nodiscard]] std::string spanText(const SpanBatch& batch, std::size_t i) const
    {
        const SpanRow row = batch.spans.row(i);
        bool ok = false;
        const SpanPayload payload = decodePayload(batch.payloadOf(i), row.start, m_dictionary.strings, &ok);
        const auto time = [](Timestamp t) { return isKnown(t) ? fmt::to_string(toNs(t)) : "?"; };
        std::string out = nameOf(row.spanId);
        if (!row.parentId.isNull())
            out += '<' + nameOf(row.parentId);
        out += fmt::format(" {}..{}{}", time(row.start), time(row.end), attributesText(payload.attributes));
        for (const SpanEvent& event : payload.events)
            out += fmt::format(" event {}@{}{}", event.name, time(event.time), attributesText(event.attributes));
        for (const SpanLink& link : payload.links)
            out += fmt::format(" link {}{}", nameOf(link.spanId), attributesText(link.attributes));
        out += row.flags.has(SpanFlags::RelativeClock) ? "" : " +absolute";
        out += row.flags.has(SpanFlags::TimeOutOfRange) ? " +range" : "";
        return out + (ok ? "\n" : " DAMAGED\n");
    }

    const std::vector<SpanBatch>& m_batches;
    const Dictionary& m_dictionary;
    std::map<std::uint64_t, std::string> m_names;
};

ChromeText chromeText(std::string_view bytes, std::size_t blockSize = 0)
{
    ChromeText text;
    Dictionary dictionary;
    std::vector<SpanBatch> batches;
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
        batches.push_back(batch);
        return {};
    };
    const auto report = readSource("test", ByteSource::openMemory(bytes, blockSize), dictionary, deliver, JobControl{});
    if (!report) {
        text.format = errorCodeName(report.error().code);
        text.faults = report.error().detail;
        return text;
    }
    const Spans spans(batches, dictionary);
    text.spans = spans.text();
    text.ids = spans.ids();
    text.format = report->format;
    for (const DiagnosticEntry& entry : report->diagnostics.entries())
        text.faults += fmt::format("{}{}:{}", text.faults.empty() ? "" : " ", diagnosticName(entry.code), entry.count);
    if (report->diagnostics.rejected() != 0)
        text.faults += fmt::format(" rejected:{}", report->diagnostics.rejected());
    return text;
}

/// An event of thread 1 of process 1; times in microseconds as they are written, \a more is further members with a leading comma.
QByteArray phase(const char* letter, const char* name, const QByteArray& ts, const QByteArray& more = {})
{
    return QByteArray(R"({"ph":")") + letter + R"(","name":")" + name + R"(","pid":1,"tid":1,"ts":)" + ts + more + "}";
}

QByteArray slice(const char* name, const QByteArray& ts, const QByteArray& duration, const QByteArray& more = {})
{
    return phase("X", name, ts, ",\"dur\":" + duration + more);
}

/// The array form.
QByteArray list(const QByteArrayList& events)
{
    return '[' + events.join(",\n") + ']';
}

/// The object form; \a more is further members with a leading comma.
QByteArray object(const QByteArrayList& events, const QByteArray& more = {})
{
    return "{\"traceEvents\":[\n  " + events.join(",\n  ") + "\n]" + more + "}\n";
}

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

void row(const char* name, const QByteArray& input, const QByteArray& spans, const char* faults = "")
{
    QTest::newRow(name) << input << spans << QByteArray(faults);
}

const QByteArray outer = slice("outer", "0", "10");
const QByteArray outerText = "outer 0..10000\n";

} // namespace

class tst_ChromeJson : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
    void refuses_data();
    void refuses();
    void processesAndThreads();
    void sameIds();
    void otherFilesAreOtherTraces();
    void depthOfAMillion();
    void manyEqualEvents();
    void brokenEventsAmongMany();
    void textThatGoesOnForMegabytes();
    void cancels();

private:
    static void files();
    static void times();
    static void phases();
    static void nesting();
    static void references();
    static void faults();
};

void tst_ChromeJson::reads_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("spans");
    QTest::addColumn<QByteArray>("faults");
    files();
    times();
    phases();
    nesting();
    references();
    faults();
}

void tst_ChromeJson::files()
{
    row("list", list({outer}), outerText);
    row("object", object({outer}), outerText);
    row("object with members before and behind",
        R"({"displayTimeUnit":"ns","otherData":{"v":1},"traceEvents":[)" + outer + R"(],"x":[1,{"y":[]}]})", outerText);
    row("list without an end", "[\n" + outer, outerText);
    row("list without an end, trailing comma", "[\n" + outer + ",\n", outerText);
    row("trailing comma", '[' + outer + ",]", outerText);
    row("empty event at the end", list({outer, "{}"}), outerText);
    row("null among events", list({"null", outer}), outerText);
    row("no comma between events", '[' + outer + '\n' + slice("next", "20", "1") + ']', outerText + "next 20000..21000\n");
    row("one event a line", outer + '\n' + slice("next", "20", "1") + '\n', outerText + "next 20000..21000\n");
    row("two documents", object({outer}) + object({slice("next", "20", "1")}), outerText + "next 20000..21000\n");
    row("byte-order mark and CRLF", "\xef\xbb\xbf" + object({outer}).replace("\n", "\r\n"), outerText);
    row("line break between name and colon", list({QByteArray(outer).replace("\"ts\":", "\"ts\"\n:\n")}), outerText);
    row("stack frames are skipped", object({outer}, R"(,"stackFrames":{"1":{"name":"f","parent":"]"}},"samples":[{"sf":1}])"), outerText,
        "OTHER_SIGNAL:2");
    row("no events", R"({"traceEvents":[],"displayTimeUnit":"ms"})", "", "NO_SPANS:1");
    row("metadata alone", list({phase("M", "process_name", "0", R"(,"args":{"name":"p"})")}), "", "NO_SPANS:1");
    row("keys in alphabetical order", R"([{"args":{"k":1},"cat":"c","dur":10,"name":"outer","ph":"X","pid":1,"tid":1,"ts":0}])",
        "outer 0..10000 {k=1, chrome.category=c}\n");
    row("escaped name and key", list({slice("a\\u00e9\\\"b", "0", "1", R"(,"args":{"k\n":"v\t"})")}), "a\xc3\xa9\"b 0..1000 {k\n=v\t}\n");
    row("other members", list({slice("a", "0", "1", R"(,"tdur":0.5,"cname":"good","sf":7)")}),
        "a 0..1000 {chrome.tdur=0.5, chrome.sf=7}\n");
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
    row("no length", list({phase("X", "a", "5")}), "a 5000..?\n");
    row("null length", list({slice("a", "5", "null")}), "a 5000..?\n");
    row("no time", list({outer, R"({"ph":"X","name":"a","pid":1,"tid":1,"dur":1})"}), outerText + "a ?..?\n");
    row("unreadable time", list({slice("a", "\"soon\"", "1"), outer}), outerText, "BAD_TIMESTAMP:1 rejected:1");
    row("unreadable length", list({slice("a", "0", "\"long\""), outer}), outerText, "BAD_TIMESTAMP:1 rejected:1");
    row("time that is no number", list({slice("a", "NaN", "1"), outer}), outerText, "BAD_TIMESTAMP:1 rejected:1");
    row("time beyond 64 bits", list({slice("a", "1e300", "1")}), "a 9223372036854775807..9223372036854775807 +absolute +range\n",
        "TIME_OUT_OF_RANGE:1");
    row("end beyond 64 bits", list({slice("a", "9e15", "9e15")}), "a 9000000000000000000..9223372036854775807 +absolute +range\n");
    row("base beyond 64 bits", object({slice("a", "9e15", "1")}, R"(,"baseTimeNanoseconds":9000000000000000000)"),
        "a 9223372036854775807..9223372036854775807 +absolute +range\n");
}

void tst_ChromeJson::phases()
{
    row("begin and end", list({phase("B", "a", "0"), phase("E", "a", "2")}), "a 0..2000\n");
    row("end without a name",
        list({phase("B", "a", "0"), phase("B", "b", "1"), R"({"ph":"E","pid":1,"tid":1,"ts":2})", R"({"ph":"E","pid":1,"tid":1,"ts":3})"}),
        "a 0..3000\nb<a 1000..2000\n");
    row("arguments of the end", list({phase("B", "a", "0", R"(,"args":{"x":1})"), phase("E", "a", "2", R"(,"args":{"y":2})")}),
        "a 0..2000 {x=1, y=2}\n");
    row("the end before the beginning in the file", list({phase("E", "a", "2"), phase("B", "a", "0")}), "a 0..2000\n");
    row("ends in the order of the beginnings",
        list({phase("B", "a", "0"), phase("B", "b", "1"), phase("E", "a", "9"), phase("E", "b", "10")}), "a 0..9000\nb 1000..10000\n",
        "OVERLAPPING_EVENTS:1");
    row("recursion", list({phase("B", "a", "0"), phase("B", "a", "1"), phase("E", "a", "2"), phase("E", "a", "3")}),
        "a 0..3000\na<a 1000..2000\n");
    row("end of a name that is not open", list({phase("B", "a", "0"), phase("E", "b", "1"), phase("E", "a", "2")}), "a 0..2000\n",
        "UNMATCHED_EVENT:1");
    row("end alone", list({phase("E", "a", "1"), outer}), outerText, "UNMATCHED_EVENT:1");
    row("beginning alone", list({phase("B", "a", "0"), slice("b", "1", "1")}), "a 0..?\nb<a 1000..2000\n");
    row("at one time an end comes before a beginning",
        list({phase("B", "a", "0"), phase("B", "b", "5"), phase("E", "a", "5"), phase("E", "b", "9")}), "a 0..5000\nb 5000..9000\n");
    row("beginning and end at one time",
        list({phase("B", "a", "0"), phase("B", "b", "5"), phase("E", "b", "5"), phase("E", "c", "6"), phase("B", "c", "6"),
            phase("E", "a", "9")}),
        "a 0..9000\nb<a 5000..5000\nc<a 6000..6000\n");
    row("unnamed end at the time of its beginning",
        list({phase("B", "a", "0"), phase("B", "b", "5"), R"({"ph":"E","pid":1,"tid":1,"ts":5})", R"({"ph":"E","pid":1,"tid":1,"ts":9})"}),
        "a 0..9000\nb<a 5000..5000\n");
    row("begin and end on two threads",
        list({phase("B", "a", "0"), R"({"ph":"B","name":"a","pid":1,"tid":2,"ts":1})", phase("E", "a", "5"),
            R"({"ph":"E","name":"a","pid":1,"tid":2,"ts":3})"}),
        "a 0..5000\na 1000..3000\n");
    const auto async = [](const char* letter, const char* name, const char* ts, const QByteArray& id) {
        return phase(letter, name, ts, ",\"cat\":\"c\"" + id);
    };
    const QByteArray id7 = R"(,"id":"0x7")";
    row("asynchronous",
        list({outer, async("b", "a", "1", id7), async("b", "b", "2", id7), async("e", "b", "20", id7), async("e", "a", "30", id7)}),
        outerText + "a 1000..30000 {chrome.category=c}\nb<a 2000..20000 {chrome.category=c}\n");
    row("asynchronous with other ids",
        list({async("b", "a", "1", R"(,"id":1)"), async("b", "a", "2", R"(,"id":2)"), async("e", "a", "3", R"(,"id":2)"),
            async("e", "a", "9", R"(,"id":1)")}),
        "a 1000..9000 {chrome.category=c}\na 2000..3000 {chrome.category=c}\n");
    row("asynchronous ids beyond 2^53",
        list({async("b", "a", "1", R"(,"id":9007199254740993)"), async("b", "b", "2", R"(,"id":9007199254740992)"),
            async("e", "a", "3", R"(,"id":9007199254740993)"), async("e", "b", "9", R"(,"id":9007199254740992)")}),
        "a 1000..3000 {chrome.category=c}\nb 2000..9000 {chrome.category=c}\n");
    row("local ids of two processes",
        list({async("b", "a", "1", R"(,"id2":{"local":"1"})"),
            QByteArray(async("b", "b", "2", R"(,"id2":{"local":"1"})")).replace("\"pid\":1", "\"pid\":2"),
            async("e", "a", "3", R"(,"id2":{"local":"1"})")}),
        "a 1000..3000 {chrome.category=c}\nb 2000..? {chrome.category=c}\n");
    row("global id of two processes",
        list({async("b", "a", "1", R"(,"id2":{"global":"1"})"),
            QByteArray(async("e", "a", "2", R"(,"id2":{"global":"1"})")).replace("\"pid\":1", "\"pid\":2")}),
        "a 1000..2000 {chrome.category=c}\n");
    row("instant of an asynchronous slice", list({async("b", "a", "1", id7), async("n", "step", "2", id7), async("e", "a", "3", id7)}),
        "a 1000..3000 {chrome.category=c} event step@2000\n");
    row("legacy asynchronous",
        list({async("S", "a", "1", id7), async("T", "a", "2", id7 + R"(,"args":{"step":"s"})"), async("F", "a", "3", id7)}),
        "a 1000..3000 {chrome.category=c} event a@2000 {step=s}\n");
    row("instants", list({outer, phase("i", "x", "3", R"(,"s":"t","args":{"k":1})"), phase("I", "y", "4"), phase("R", "z", "0")}),
        "outer 0..10000 event z@0 event x@3000 {k=1} event y@4000\n");
    row("instant in the inner slice", list({outer, slice("inner", "2", "2"), phase("i", "x", "3")}),
        "outer 0..10000\ninner<outer 2000..4000 event x@3000\n");
    row("instant where a slice ends", list({slice("a", "0", "3"), phase("i", "x", "3")}), "a 0..3000 event x@3000\n");
    row("instant behind all slices", list({slice("a", "0", "3"), phase("i", "x", "9")}), "a 0..3000 event x@9000\n");
    row("instant before all slices", list({phase("i", "x", "1"), slice("a", "2", "3")}), "a 2000..5000 event x@1000\n");
    row("instant of a thread without slices",
        list(
            {slice("a", "0", "3"), R"({"ph":"i","name":"x","pid":1,"tid":"T","ts":1})", R"({"ph":"i","name":"y","pid":8,"tid":1,"ts":2})"}),
        "a 0..3000 event x@1000 event y@2000\n");
    row("skipped phases",
        list({outer, phase("C", "mem", "1", R"(,"args":{"b":1})"), phase("P", "x", "2"), phase("N", "x", "2"), phase("?", "x", "2")}),
        outerText, "OTHER_SIGNAL:4");
    row("object without a phase", list({outer, R"({"name":"a"})"}), outerText, "BAD_RECORD:1 rejected:1");
    row("element that is no object", list({outer, "5", R"(["x"])"}), outerText, "BAD_RECORD:2 rejected:2");
}

void tst_ChromeJson::nesting()
{
    row("by containment", list({slice("c", "3", "2"), outer, slice("b", "2", "4")}),
        "c<b 3000..5000\nouter 0..10000\nb<outer 2000..6000\n");
    row("equal times: the first is the outer one", list({slice("a", "0", "5"), slice("b", "0", "5")}), "a 0..5000\nb<a 0..5000\n");
    row("end at the start of the next", list({slice("a", "0", "5"), slice("b", "5", "5")}), "a 0..5000\nb 5000..10000\n");
    row("overlap", list({slice("b", "5", "10"), slice("a", "0", "10"), slice("c", "12", "2")}),
        "b 5000..15000\na 0..10000\nc<b 12000..14000\n", "OVERLAPPING_EVENTS:1");
    row("overlap inside another slice", list({slice("p", "0", "20"), slice("a", "1", "8"), slice("b", "5", "10"), slice("c", "6", "1")}),
        "p 0..20000\na<p 1000..9000\nb<p 5000..15000\nc<b 6000..7000\n", "OVERLAPPING_EVENTS:1");
    row("slices of no length hold nothing", list({outer, slice("a", "5", "0"), slice("b", "5", "0"), slice("c", "10", "0")}),
        "outer 0..10000\na<outer 5000..5000\nb<outer 5000..5000\nc 10000..10000\n");
    row("other thread", list({outer, R"({"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":1})"}), "outer 0..10000\na 1000..2000\n");
    row("same thread id of another process", list({outer, R"({"ph":"X","name":"a","pid":2,"tid":1,"ts":1,"dur":1})"}),
        "outer 0..10000\na 1000..2000\n");
    row("device annotation around its kernels: longer by the producer's slack",
        list({slice("a1", "0.999", "5.002", R"(,"cat":"gpu_user_annotation")"), slice("k1", "1", "5"),
            slice("a2", "5.999", "2.002", R"(,"cat":"gpu_user_annotation")"), slice("k2", "6", "2")}),
        "a1 999..6001 {chrome.category=gpu_user_annotation}\nk1<a1 1000..6000\na2 5999..8001 {chrome.category=gpu_user_annotation}\nk2<a2 "
        "6000..8000\n");
    row("slack is for device annotations alone", list({slice("a", "0.999", "5.002"), slice("b", "5.999", "2.002")}),
        "a 999..6001\nb 5999..8001\n", "OVERLAPPING_EVENTS:1");
}

void tst_ChromeJson::references()
{
    const auto python = [](const char* name, const char* ts, const char* duration, const char* id, const char* parent) {
        return slice(name, ts, duration, QByteArray(R"(,"args":{"Python id":)") + id + R"(,"Python parent id":)" + parent + "}");
    };
    row("Python's own parents", list({python("f", "0", "5", "1", "null"), python("g", "6", "2", "2", "1")}),
        "f 0..5000 {Python id=1, Python parent id=}\ng<f 6000..8000 {Python id=2, Python parent id=1}\n");
    row("a closer parent inside Python's",
        list({python("f", "0", "9", "1", "null"), slice("op", "1", "7"), python("g", "2", "2", "2", "1")}),
        "f 0..9000 {Python id=1, Python parent id=}\nop<f 1000..8000\ng<op 2000..4000 {Python id=2, Python parent id=1}\n");
    row("Python parent that is not there", list({python("f", "0", "9", "1", "5"), python("g", "2", "2", "2", "2")}),
        "f 0..9000 {Python id=1, Python parent id=5}\ng<f 2000..4000 {Python id=2, Python parent id=2}\n");
    const auto on = [](const char* tid, QByteArray event) { return event.replace("\"tid\":1", QByteArray("\"tid\":") + tid); };
    row("flow",
        list({slice("a", "0", "5"), phase("s", "go", "1", R"(,"cat":"c","id":3)"), on("2", slice("b", "6", "5")),
            on("2", phase("f", "go", "7", R"(,"cat":"c","id":3,"bp":"e")"))}),
        "a 0..5000\nb 6000..11000 link a {chrome.flow=go}\n");
    row("flow with a step",
        list({slice("a", "0", "5"), phase("s", "go", "1", R"(,"id":3)"), on("2", slice("b", "6", "5")),
            on("2", phase("t", "go", "7", R"(,"id":3)")), on("3", slice("c", "20", "5")),
            on("3", phase("f", "go", "21", R"(,"id":3,"bp":"e")"))}),
        "a 0..5000\nb 6000..11000 link a {chrome.flow=go}\nc 20000..25000 link b {chrome.flow=go}\n");
    row("flow to the next slice",
        list({slice("a", "0", "5"), phase("s", "go", "1", R"(,"id":3)"), on("2", slice("before", "6", "5")),
            on("2", phase("f", "go", "7", R"(,"id":3)")), on("2", slice("next", "12", "5"))}),
        "a 0..5000\nbefore 6000..11000\nnext 12000..17000 link a {chrome.flow=go}\n");
    row("flow without a beginning", list({outer, phase("f", "go", "1", R"(,"id":3,"bp":"e")")}), outerText, "UNMATCHED_EVENT:1");
    row("flow outside of all slices", list({outer, phase("s", "go", "11", R"(,"id":3)"), phase("f", "go", "1", R"(,"id":3,"bp":"e")")}),
        outerText, "UNMATCHED_EVENT:2");
    row("flow that a slice declares",
        list({slice("a", "0", "5", R"(,"bind_id":"0x9","flow_out":true)"),
            on("2", slice("b", "6", "5", R"(,"bind_id":"0x9","flow_in":true)"))}),
        "a 0..5000\nb 6000..11000 link a {chrome.flow=b}\n");
    const auto launch = [](const char* name, const char* ts, const char* id) {
        return slice(name, ts, "1", QByteArray(R"(,"cat":"cuda_runtime","args":{"correlation":)") + id + "}");
    };
    const auto kernel = [&](const char* name, const char* ts, const QByteArray& arguments) {
        return on("7", slice(name, ts, "3", R"(,"cat":"kernel","args":{)" + arguments + "}"));
    };
    row("kernel and its launch", list({kernel("k", "9", R"("correlation":12)"), launch("l", "1", "12"), launch("m", "2", "13")}),
        "k 9000..12000 {correlation=12, chrome.category=kernel} link l {chrome.flow=correlation}\n"
        "l 1000..2000 {correlation=12, chrome.category=cuda_runtime}\nm 2000..3000 {correlation=13, chrome.category=cuda_runtime}\n");
    row("kernel and its operator",
        list({slice("op", "0", "5", R"(,"cat":"cpu_op","args":{"External id":4})"), kernel("k", "9", R"("External id":4)")}),
        "op 0..5000 {External id=4, chrome.category=cpu_op}\nk 9000..12000 {External id=4, chrome.category=kernel} link op "
        "{chrome.flow=External id}\n");
    row("one link for the flow and the number that say the same",
        list({launch("l", "1", "12"), phase("s", "ac2g", "1", R"(,"cat":"ac2g","id":12)"), kernel("k", "9", R"("correlation":12)"),
            on("7", phase("f", "ac2g", "9", R"(,"cat":"ac2g","id":12,"bp":"e")"))}),
        "l 1000..2000 {correlation=12, chrome.category=cuda_runtime}\nk 9000..12000 {correlation=12, chrome.category=kernel} link l "
        "{chrome.flow=ac2g}\n");
    row("correlation beyond 2^53",
        list({launch("l", "1", "9007199254740993"), launch("m", "2", "9007199254740992"),
            kernel("k", "9", R"("correlation":"9007199254740993")")}),
        "l 1000..2000 {correlation=9007199254740993, chrome.category=cuda_runtime}\nm 2000..3000 {correlation=9007199254740992, "
        "chrome.category=cuda_runtime}\n"
        "k 9000..12000 {correlation=9007199254740993, chrome.category=kernel} link l {chrome.flow=correlation}\n");
}

void tst_ChromeJson::faults()
{
    const QByteArray next = slice("next", "20", "1");
    const QByteArray nextText = "next 20000..21000\n";
    row("unescaped quotes in a name", object({outer, slice("say \"hi\" now", "1", "1"), next}), outerText + nextText,
        "BAD_RECORD:1 rejected:1");
    row("one unescaped quote", object({outer, slice("say \"hi", "1", "1"), next}), outerText + nextText, "BAD_RECORD:1 rejected:1");
    row("one unescaped quote, no line breaks", "{\"traceEvents\":[" + outer + "," + slice("say \"hi", "1", "1") + "," + next + "]}",
        outerText + nextText, "BAD_RECORD:1 rejected:1");
    row("missing quote", object({outer, QByteArray(slice("a", "1", "1")).replace("\"a\"", "\"a"), next}), outerText + nextText,
        "BAD_RECORD:1 rejected:1");
    row("broken event last", object({outer, slice("say \"hi\" now", "1", "1")}, R"(,"traceName":"x")"), outerText,
        "BAD_RECORD:1 rejected:1");
    row("broken event first", object({slice("say \"hi", "1", "1"), outer}), outerText, "BAD_RECORD:1 rejected:1");
    row("brackets in what is broken", object({outer, slice("}],[{\" x", "1", "1"), next}), outerText + nextText, "BAD_RECORD:1 rejected:1");
    row("objects among the arguments of what is broken",
        object({outer, slice("\"", "1", "1", R"(,"args":{"l":[{"id":1},{"id":2}]})"), next}), outerText + nextText,
        "BAD_RECORD:1 rejected:1");
    row("line break in a name", object({outer, slice("two\nlines", "1", "1"), next}),
        outerText + "two\nlines<outer 1000..2000\n" + nextText);
    row("control characters in a name", object({outer, slice("bell\x07tab\t", "1", "1"), next}),
        outerText + "bell\x07tab\t<outer 1000..2000\n" + nextText);
    row("bytes that are no UTF-8", object({outer, slice("a\xff", "1", "1"), next}),
        outerText + "a\xef\xbf\xbd<outer 1000..2000\n" + nextText, "INVALID_UTF8:1");
    row("half a surrogate pair", object({slice("a\\ud83d", "1", "1")}), "a\xef\xbf\xbd 1000..2000\n");
    row("number without digits", object({outer, slice("a", "1", "-"), next}), outerText + nextText, "BAD_TIMESTAMP:1 rejected:1");
    row("cut inside an event", "{\"traceEvents\":[\n" + outer + ",\n" + next.left(40), outerText,
        "TRUNCATED_INPUT:1 UNTERMINATED_ARRAY:1 rejected:1");
    row("cut between events", "{\"traceEvents\":[\n" + outer + ",\n", outerText, "UNTERMINATED_ARRAY:1");
    row("list cut inside an event", "[\n" + outer + ",\n" + next.left(40), outerText, "TRUNCATED_INPUT:1 rejected:1");
    row("list without its bracket in a closed object", "{\"traceEvents\":[\n" + outer + ",\n" + next + "}", outerText + nextText,
        "UNTERMINATED_ARRAY:1");
    row("text behind the end", list({outer}) + "\ndone\n", outerText, "NON_JSON_TEXT:1");
}

void tst_ChromeJson::reads()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, spans);
    QFETCH(QByteArray, faults);
    const ChromeText got = chromeText(view(input));
    QCOMPARE(QByteArray::fromStdString(got.spans), spans);
    QCOMPARE(QByteArray::fromStdString(got.faults), faults);
    QCOMPARE(got.format, std::string("chrome-trace"));
    for (const std::size_t blockSize : {1U, 7U}) {
        const ChromeText again = chromeText(view(input), blockSize);
        QCOMPARE(again.spans, got.spans);
        QCOMPARE(again.faults, got.faults);
        QCOMPARE(again.ids, got.ids);
    }
    const ChromeText unpacked = chromeText(gzipped(view(input)));
    QCOMPARE(unpacked.spans, got.spans);
    QCOMPARE(unpacked.ids, got.ids);
}

void tst_ChromeJson::refuses_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("other list") << QByteArray(R"([{"phase":"X"}])") << QByteArray("UNRECOGNIZED_FORMAT");
    QTest::newRow("nothing can be read") << object({slice("a\"", "0", "1")}) << QByteArray("MALFORMED");
    QTest::newRow("no time can be read") << list({slice("a", "\"x\"", "1")}) << QByteArray("MALFORMED");
}

void tst_ChromeJson::refuses()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, code);
    QCOMPARE(QByteArray::fromStdString(chromeText(view(input)).format), code);
}

void tst_ChromeJson::processesAndThreads()
{
    const QByteArray input = object({outer, R"({"ph":"X","name":"a","pid":"Spans","tid":"T 1","ts":1,"dur":1})",
                                        R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"server"}})",
                                        R"({"ph":"M","name":"process_labels","pid":1,"tid":0,"args":{"labels":"GPU 0"}})",
                                        R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}})",
                                        R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":1,"args":{"sort_index":1}})"},
        R"(,"distributedInfo":{"rank":3},"traceName":"x.json")");
    const auto report = importText(view(input));
    const std::string expected = "'outer' server 0..10000 {thread.id=1, thread.name=main} +relative\n";
    QCOMPARE(report.spans.substr(report.spans.find('\''), expected.size()), expected);
    const std::string other = "'a' pid Spans 1000..2000 {thread.id=T 1} +relative\n";
    QCOMPARE(report.spans.substr(report.spans.rfind("'a'")), other);

    Dictionary dictionary;
    ResourceId resource{};
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
        resource = batch.spans.resource[0];
        return {};
    };
    QVERIFY(readInputBytes("test", view(input), dictionary, deliver, JobControl{}));
    std::string attributes;
    for (const Attribute& attribute : dictionary.resource(resource).attributes)
        attributes += attribute.key + '=' + toText(attribute.value) + ' ';
    QCOMPARE(attributes,
        std::string("service.name=server process.pid=1 process.labels=GPU 0 chrome.distributedInfo={\"rank\":3} chrome.traceName=x.json "));
}

/// The order of events, the form of the file and its compression change no id.
void tst_ChromeJson::sameIds()
{
    QByteArrayList events = {outer, slice("a", "1", "2"), slice("a", "1", "2"), slice("b", "20", "5"), phase("B", "c", "30"),
        phase("E", "c", "31"), R"({"ph":"X","name":"k","pid":2,"tid":7,"ts":4,"dur":1})"};
    const std::string ids = chromeText(view(list(events))).ids;
    QCOMPARE(std::count(ids.begin(), ids.end(), ' '), 6); // the two equal slices are two spans
    QCOMPARE(chromeText(view(object(events))).ids, ids);
    QCOMPARE(chromeText(zstdCompressed(view(object(events)))).ids, ids);
    std::reverse(events.begin(), events.end());
    QCOMPARE(chromeText(view(list(events))).ids, ids);
}

void tst_ChromeJson::otherFilesAreOtherTraces()
{
    const auto traceOf = [](const QByteArray& input) { return chromeText(view(input)).ids.substr(0, 32); };
    const std::string trace = traceOf(list({outer}));
    QVERIFY(traceOf(list({slice("outer", "0", "11")})) != trace);
    QVERIFY(traceOf(list({outer, outer})) != trace);
    QVERIFY(traceOf(list({QByteArray(outer).replace("\"pid\":1", "\"pid\":2")})) != trace);
    QVERIFY(traceOf(object({outer}, R"(,"baseTimeNanoseconds":1719853884000000000)")) != trace);
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
    const QByteArray input = object({outer, slice("a", "1", "1", ",\"args\":{\"prompt\":\"" + longText + "\"}"), slice("b", "2", "1")});
    const ChromeText got = chromeText(view(input));
    QCOMPARE(got.faults, std::string());
    QCOMPARE(
        got.spans.size(), std::size_t(3000000) + std::string("outer 0..10000\na<outer 1000..2000 {prompt=}\nb<outer 2000..3000\n").size());
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
