// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What Chrome trace events become: slices from their phases, parents, links, services and ids.
#include "core/import/readinput.h"
#include "tests/core/import/chrometext.h"
#include "tests/core/import/importtext.h"

#include <algorithm>

using namespace chokepoint;
using namespace chokepoint::testing;

class tst_ChromeSlices : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { checkRow(); }
    void processesAndThreads();
    void sameIds();

private:
    static void phases();
    static void nesting();
    static void references();
};

void tst_ChromeSlices::reads_data()
{
    addColumns();
    phases();
    nesting();
    references();
}

void tst_ChromeSlices::phases()
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
    row("end alone", list({phase("E", "a", "1"), outer()}), outerText(), "UNMATCHED_EVENT:1");
    row("beginning alone", list({phase("B", "a", "0"), slice("b", "1", "1")}), "a 0..2000 {chrome.unfinished=true}\nb<a 1000..2000\n",
        "UNFINISHED_SPAN:1");
    row("beginnings alone inside a slice", list({outer(), phase("B", "a", "2"), phase("B", "b", "3"), phase("E", "c", "50")}),
        "outer 0..10000\na<outer 2000..10000 {chrome.unfinished=true}\nb<a 3000..10000 {chrome.unfinished=true}\n",
        "UNMATCHED_EVENT:1 UNFINISHED_SPAN:2");
    row("beginning alone, as long as the file", list({phase("B", "a", "2"), R"({"ph":"X","name":"b","pid":1,"tid":2,"ts":20,"dur":1})"}),
        "a 2000..21000 {chrome.unfinished=true}\nb 20000..21000\n", "UNFINISHED_SPAN:1");
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
        list({outer(), async("b", "a", "1", id7), async("b", "b", "2", id7), async("e", "b", "20", id7), async("e", "a", "30", id7)}),
        outerText() + "a 1000..30000 {chrome.category=c}\nb<a 2000..20000 {chrome.category=c}\n");
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
        "a 1000..3000 {chrome.category=c}\nb 2000..3000 {chrome.category=c, chrome.unfinished=true}\n", "UNFINISHED_SPAN:1");
    row("global id of two processes",
        list({async("b", "a", "1", R"(,"id2":{"global":"1"})"),
            QByteArray(async("e", "a", "2", R"(,"id2":{"global":"1"})")).replace("\"pid\":1", "\"pid\":2")}),
        "a 1000..2000 {chrome.category=c}\n");
    row("instant of an asynchronous slice", list({async("b", "a", "1", id7), async("n", "step", "2", id7), async("e", "a", "3", id7)}),
        "a 1000..3000 {chrome.category=c} event step@2000\n");
    row("legacy asynchronous",
        list({async("S", "a", "1", id7), async("T", "a", "2", id7 + R"(,"args":{"step":"s"})"), async("F", "a", "3", id7)}),
        "a 1000..3000 {chrome.category=c} event a@2000 {step=s}\n");
    row("instants", list({outer(), phase("i", "x", "3", R"(,"s":"t","args":{"k":1})"), phase("I", "y", "4"), phase("R", "z", "0")}),
        "outer 0..10000 event z@0 event x@3000 {k=1} event y@4000\n");
    row("instant in the inner slice", list({outer(), slice("inner", "2", "2"), phase("i", "x", "3")}),
        "outer 0..10000\ninner<outer 2000..4000 event x@3000\n");
    row("instant where a slice ends", list({slice("a", "0", "3"), phase("i", "x", "3")}), "a 0..3000 event x@3000\n");
    row("instant behind all slices", list({slice("a", "0", "3"), phase("i", "x", "9")}), "a 0..3000 event x@9000\n");
    row("instant before all slices", list({phase("i", "x", "1"), slice("a", "2", "3")}), "a 2000..5000 event x@1000\n");
    row("instant of a thread without slices",
        list(
            {slice("a", "0", "3"), R"({"ph":"i","name":"x","pid":1,"tid":"T","ts":1})", R"({"ph":"i","name":"y","pid":8,"tid":1,"ts":2})"}),
        "a 0..3000 event x@1000 event y@2000\n");
    row("skipped phases",
        list({outer(), phase("C", "mem", "1", R"(,"args":{"b":1})"), phase("P", "x", "2"), phase("N", "x", "2"), phase("?", "x", "2")}),
        outerText(), "OTHER_SIGNAL:4");
    row("object without a phase", list({outer(), R"({"name":"a"})"}), outerText(), "BAD_RECORD:1 rejected:1");
    row("element that is no object", list({outer(), "5", R"(["x"])"}), outerText(), "BAD_RECORD:2 rejected:2");
}

void tst_ChromeSlices::nesting()
{
    row("by containment", list({slice("c", "3", "2"), outer(), slice("b", "2", "4")}),
        "c<b 3000..5000\nouter 0..10000\nb<outer 2000..6000\n");
    row("equal times: the first is the outer one", list({slice("a", "0", "5"), slice("b", "0", "5")}), "a 0..5000\nb<a 0..5000\n");
    row("end at the start of the next", list({slice("a", "0", "5"), slice("b", "5", "5")}), "a 0..5000\nb 5000..10000\n");
    row("overlap", list({slice("b", "5", "10"), slice("a", "0", "10"), slice("c", "12", "2")}),
        "b 5000..15000\na 0..10000\nc<b 12000..14000\n", "OVERLAPPING_EVENTS:1");
    row("overlap inside another slice", list({slice("p", "0", "20"), slice("a", "1", "8"), slice("b", "5", "10"), slice("c", "6", "1")}),
        "p 0..20000\na<p 1000..9000\nb<p 5000..15000\nc<b 6000..7000\n", "OVERLAPPING_EVENTS:1");
    row("slices of no length hold nothing", list({outer(), slice("a", "5", "0"), slice("b", "5", "0"), slice("c", "10", "0")}),
        "outer 0..10000\na<outer 5000..5000\nb<outer 5000..5000\nc 10000..10000\n");
    row("other thread", list({outer(), R"({"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":1})"}), "outer 0..10000\na 1000..2000\n");
    row("same thread id of another process", list({outer(), R"({"ph":"X","name":"a","pid":2,"tid":1,"ts":1,"dur":1})"}),
        "outer 0..10000\na 1000..2000\n");
    row("device annotation around its kernels: longer by the producer's slack",
        list({slice("a1", "0.999", "5.002", R"(,"cat":"gpu_user_annotation")"), slice("k1", "1", "5"),
            slice("a2", "5.999", "2.002", R"(,"cat":"gpu_user_annotation")"), slice("k2", "6", "2")}),
        "a1 999..6001 {chrome.category=gpu_user_annotation}\nk1<a1 1000..6000\na2 5999..8001 {chrome.category=gpu_user_annotation}\nk2<a2 "
        "6000..8000\n");
    row("slack is for device annotations alone", list({slice("a", "0.999", "5.002"), slice("b", "5.999", "2.002")}),
        "a 999..6001\nb 5999..8001\n", "OVERLAPPING_EVENTS:1");
}

void tst_ChromeSlices::references()
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
    row("flow without a beginning", list({outer(), phase("f", "go", "1", R"(,"id":3,"bp":"e")")}), outerText(), "UNMATCHED_EVENT:1");
    row("flow outside of all slices", list({outer(), phase("s", "go", "11", R"(,"id":3)"), phase("f", "go", "1", R"(,"id":3,"bp":"e")")}),
        outerText(), "UNMATCHED_EVENT:2");
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

void tst_ChromeSlices::processesAndThreads()
{
    const QByteArray input = object({outer(), R"({"ph":"X","name":"a","pid":"Spans","tid":"T 1","ts":1,"dur":1})",
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
void tst_ChromeSlices::sameIds()
{
    QByteArrayList events = {outer(), slice("a", "1", "2"), slice("a", "1", "2"), slice("b", "20", "5"), phase("B", "c", "30"),
        phase("E", "c", "31"), R"({"ph":"X","name":"k","pid":2,"tid":7,"ts":4,"dur":1})"};
    const std::string ids = chromeText(view(list(events))).ids;
    QCOMPARE(std::count(ids.begin(), ids.end(), ' '), 6); // the two equal slices are two spans
    QCOMPARE(chromeText(view(object(events))).ids, ids);
    QCOMPARE(chromeText(zstdCompressed(view(object(events)))).ids, ids);
    std::reverse(events.begin(), events.end());
    QCOMPARE(chromeText(view(list(events))).ids, ids);
}

QTEST_GUILESS_MAIN(tst_ChromeSlices)
#include "tst_chromeslices.moc"
