// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OTLP JSON: framings, faults and large documents. Raw text in, spans as text out.
#include "tests/core/import/otlpjsontexts.h"

#include <algorithm>

using namespace chokepoint::testing;

namespace {

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

} // namespace

class tst_OtlpJson : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads() { compareOtlpReading(); }
    void largeDocument_data();
    void largeDocument();
    void placesAreNamed();

private:
    static void framings();
    static void faults();
};

void tst_OtlpJson::reads_data()
{
    otlpColumns();
    framings();
    faults();
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
    const QByteArray zeros(50, '\0');
    row("zeros between lines", first + "\n" + zeros + "\n" + second + "\n", a1 + a2);
    row("zeros in front", zeros + first, a1);
    row("zeros at the end of a line and of all", first + zeros + "\n" + second + "\n" + zeros, a1 + a2);
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
    row("one document cut inside a null", document.left(document.indexOf(",{") + 1) + "nul", a1, "TRUNCATED_INPUT:1 rejected:1");
    row("no spans among the spans", request(span("a1") + R"(,7,"x",null,true,)" + span("a2")), a1 + a2, "BAD_RECORD:3 rejected:3");
    row("no resources among them", R"({"resourceSpans":[5,)" + resourceSpans(span("a1")) + R"(,"x"]})", a1, "BAD_RECORD:2 rejected:2");
    row("a number in place of the spans", R"({"resourceSpans":[{"scopeSpans":[{"spans":7}]},)" + resourceSpans(span("a1")) + "]}", a1,
        "BAD_RECORD:1 rejected:1");
    row("one malformed span in a document", request(span("a1") + R"(,{"traceId":01 x},)" + span("a2")), a1 + a2, "BAD_RECORD:1 rejected:1");
    row("zeros inside a list",
        R"({"resourceSpans":[)" + resourceSpans(span("a1")) + "," + QByteArray(5, '\0') + resourceSpans(span("a2")) + "]}", a1 + a2,
        "BAD_RECORD:1 rejected:1");
    row("zeros behind the first bracket", "[" + QByteArray(5, '\0') + first + "]", a1, "BAD_RECORD:1 rejected:1");
    row("a malformed member beside the resources", R"({"a":tru,"resourceSpans":[)" + resourceSpans(span("a1")) + "]}", a1,
        "BAD_RECORD:1 rejected:1");
    row("a malformed member beside the spans",
        R"({"resourceSpans":[)" + QByteArray(resourceSpans(span("a1"))).replace(R"("spans")", R"("a":tru,"spans")") + ","
            + resourceSpans(span("a2")) + "]}",
        a1 + a2, "BAD_RECORD:1 rejected:1");
    row("an object in place of the spans beside a malformed member",
        R"({"resourceSpans":[{"scopeSpans":[{"a":tru,"spans":{"0":)" + span("a2") + R"(}},{"spans":[)" + span("a1") + "]}]}]}", bare,
        "BAD_RECORD:1 rejected:1");
    row("an object in place of the resources beside a malformed member",
        R"({"a":tru,"resourceSpans":)" + resourceSpans(span("a1")) + "}\n" + first, a1, "BAD_RECORD:1 rejected:1");
    row("no spans among the spans beside a malformed member", R"({"scopeSpans":[{"a":tru,"spans":[)" + span("a1") + R"(,"x",null,5]}]})",
        bare, "BAD_RECORD:2 rejected:2");
    row("bare span malformed, first of all", QByteArray(span("a1")).replace("\"1000\"", "nan") + "\n" + request(span("a2")), a2,
        "BAD_RECORD:1 rejected:1");
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
    const ImportText got = importText(viewOf(document));
    QCOMPARE(std::count(got.spans.begin(), got.spans.end(), '\n'), count);
    const QByteArray last = "1/" + QByteArray::number(count, 16) + " '" + padding + "' s|lib 1000..2000\n";
    const bool isCut = after.startsWith(',');
    QCOMPARE(QByteArray::fromStdString(got.faults), QByteArray(isCut ? "TRUNCATED_INPUT:1 rejected:1" : ""));
    QCOMPARE(QByteArray::fromStdString(got.spans.substr(got.spans.size() - std::size_t(last.size()))), last);
}

void tst_OtlpJson::placesAreNamed()
{
    const QByteArray input = request(span("a1")) + "\n\n" + request(R"({"startTimeUnixNano":"soon","name":"late"})") + "\n";
    const ImportText got = importText(viewOf(input));
    QVERIFY2(got.message.find("line 3 (byte ") != std::string::npos, got.message.c_str());
    QVERIFY2(got.message.find("\"late\"") != std::string::npos, got.message.c_str());
}

QTEST_GUILESS_MAIN(tst_OtlpJson)
#include "tst_otlpjson.moc"