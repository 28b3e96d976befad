// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where JSON values end, whatever windows they come in, and texts that are too long to be held.
#include "core/import/bracketscanner.h"
#include "core/import/jsonstream.h"
#include "tests/core/import/importtext.h"

#include <QtTest>

#include <random>

using namespace chokepoint;
using namespace chokepoint::testing;

namespace {

constexpr std::size_t longest = 100; // in these tests

PullBytes inBlocks(std::string_view text, std::size_t blockSize)
{
    return [text, blockSize](char* to, std::size_t size) mutable -> Result<std::size_t> {
        const std::size_t got = text.copy(to, blockSize == 0 ? size : std::min(size, blockSize));
        text.remove_prefix(got);
        return got;
    };
}

std::string repeated(std::string_view text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i < times; ++i)
        all += text;
    return all;
}

/// The rules of BracketScanner byte by byte.
struct PlainScan {
    BracketScanner::State state = BracketScanner::State::More;
    std::size_t position = 0;
};
PlainScan plainScan(std::string_view text, bool stopAtRecord)
{
    using State = BracketScanner::State;
    const bool isText = text.front() == '"';
    std::size_t depth = 0;
    bool inString = false;
    bool isEscaped = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool opens = c == '{' || c == '[';
        if (stopAtRecord && i > 0 && text[i - 1] == '\n' && opens)
            return {State::NextRecord, i - 1};
        const bool wasEscaped = std::exchange(isEscaped, !isEscaped && c == '\\');
        if (c == '"' && !wasEscaped) {
            inString = !inString;
            if (isText && !inString)
                return {State::Complete, i + 1};
        } else if (!inString && opens) {
            ++depth;
        } else if (!inString && (c == '}' || c == ']') && --depth == 0) {
            return {State::Complete, i + 1};
        }
    }
    return {State::More, text.size()};
}

/// value() at the front of \a text: its text, a bar, what value() says at the next one, its place, and what was shortened.
std::string twoValues(std::string_view text, std::size_t blockSize)
{
    static constexpr std::array extents = {"complete", "too big", "cut", "none"};
    JsonStream stream(inBlocks(text, blockSize), longest);
    std::string result;
    for (int i = 0; i < 2; ++i) {
        const JsonStream::Value value = stream.value(10000);
        result += std::string(value.text) + " (" + extents[std::size_t(value.extent)] + ")|";
        stream.consume(value.text.size());
    }
    return result + "line " + std::to_string(stream.lineNumber()) + " byte " + std::to_string(stream.byte()) + " short "
        + std::to_string(stream.shortTexts());
}

/// A request whose second span has \a texts as attributes.
std::string threeSpans(const std::vector<std::string>& texts)
{
    std::string request = R"({"resourceSpans":[{"scopeSpans":[{"spans":[)";
    const auto add = [&request](const char* id, const std::vector<std::string>& values) {
        request +=
            std::string(R"({"traceId":"01","spanId":")") + id + R"(","name":"n","startTimeUnixNano":1,"endTimeUnixNano":2,"attributes":[)";
        for (const std::string& value : values) {
            request += R"({"key":"k","value":{"stringValue":")";
            request += value;
            request += &value == &values.back() ? "\"}}" : "\"}},";
        }
        request += "]}";
    };
    add("a1", {"before"});
    request += ',';
    add("a2", texts);
    request += ',';
    add("a3", {"behind"});
    return request + "]}]}]}\n";
}

} // namespace

class tst_JsonStream : public QObject {
    Q_OBJECT

private slots:
    void masks();
    void scanning();
    void values_data();
    void values();
    void passing_data();
    void passing();
    void longTextOfSpan();
    void longSpan();
};

void tst_JsonStream::masks()
{
    std::mt19937 random(7);
    std::string bytes(64, '\0');
    for (int round = 0; round < 2000; ++round) {
        for (char& c : bytes)
            c = round % 2 == 0 ? char(random()) : "{}[]\"\\\n|;<\x1b"[random() % 11];
        QVERIFY(byteMasks(bytes.data()) == portableByteMasks(bytes.data()));
    }
}

/// Random nests of brackets, quotes, escapes and line feeds in windows of every size.
void tst_JsonStream::scanning()
{
    std::mt19937 random(11);
    for (int round = 0; round < 20000; ++round) {
        const bool stopAtRecord = round % 3 == 0;
        std::string text(1, "{[\""[random() % 3]);
        const std::size_t size = 1 + random() % 300;
        const std::string_view letters = round % 2 == 0 ? "{}[]\"\\\na" : "aaaaaaaaaaaaaaaaaa{[\"]},\\\\\\";
        while (text.size() < size)
            text += letters[random() % letters.size()];
        const PlainScan expected = plainScan(text, stopAtRecord);
        const std::string padded = text + std::string(64, '"');
        BracketScanner scanner(stopAtRecord, std::string_view::npos);
        BracketScanner::State state = BracketScanner::State::More;
        for (std::size_t window = 0; window < text.size() && state == BracketScanner::State::More;) {
            window = std::min(text.size(), window + 1 + random() % 150);
            state = scanner.scan(std::string_view(padded).substr(0, window));
        }
        QVERIFY2(state == expected.state && scanner.position() == expected.position, text.c_str());
    }
}

void tst_JsonStream::values_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("values");
    const auto row = [](const char* name, const std::string& text, const std::string& values) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray::fromStdString(values);
    };
    const std::string hundred(100, 'x');
    row("objects", R"({"a":[1,{"b":2}]},[3])", R"({"a":[1,{"b":2}]} (complete)|[3] (complete)|line 1 byte 21 short 0)");
    row("brackets and quotes in texts", R"({"a}":"]\"}"}7,)", R"({"a}":"]\"}"} (complete)|7 (complete)|line 1 byte 14 short 0)");
    row("texts", R"("a\\" "b\"c")", R"("a\\" (complete)|"b\"c" (complete)|line 1 byte 12 short 0)");
    row("lines", "{\n}\n[\n\n]", "{\n} (complete)|[\n\n] (complete)|line 5 byte 8 short 0");
    row("zeros between", std::string("1\0\0\n\0[2]", 8), "1 (complete)|[2] (complete)|line 2 byte 8 short 0");
    row("cut", R"([1][{"a)", R"([1] (complete)|[{"a (cut)|line 1 byte 7 short 0)");
    row("cut in a text", R"(1 "abc)", R"(1 (complete)|"abc (cut)|line 1 byte 6 short 0)");
    row("a text of the longest", '"' + hundred + "\"1,", '"' + hundred + "\" (complete)|1 (complete)|line 1 byte 103 short 0");
    row("one byte more", '"' + hundred + "y\"1,", '"' + hundred + "\" (complete)|1 (complete)|line 1 byte 104 short 1");
    row("a text of some windows", '"' + hundred + std::string(900, 'y') + "\"1,",
        '"' + hundred + "\" (complete)|1 (complete)|line 1 byte 1003 short 1");
    row("inside", R"({"a":{"b":")" + hundred + R"(yy"},"c":")" + hundred + R"(zz"}[])",
        R"({"a":{"b":")" + hundred + R"("},"c":")" + hundred + R"("} (complete)|[] (complete)|line 1 byte 227 short 2)");
    // 99 bytes, then an escape that would be cut in its middle; quotes and brackets in what is dropped.
    row("an escape at the cut", '"' + hundred.substr(1) + R"(\"}{\\\"y" 1,)",
        '"' + hundred.substr(1) + "\" (complete)|1 (complete)|line 1 byte 112 short 1");
    row("backslashes at the cut", '"' + repeated("\\\\", 51) + "\"1,",
        '"' + repeated("\\\\", 50) + "\" (complete)|1 (complete)|line 1 byte 105 short 1");
    for (const std::size_t before : {99, 97, 95})
        row(("an escape by number, " + std::to_string(100 - before) + " bytes before the longest").c_str(),
            '"' + hundred.substr(100 - before) + "\\u20ac\\\\\"1,",
            '"' + hundred.substr(100 - before) + "\" (complete)|1 (complete)|line 1 byte " + std::to_string(before + 11) + " short 1");
    row("an escape by number that ends at the longest", '"' + hundred.substr(6) + "\\u20acx\"1,",
        '"' + hundred.substr(6) + "\\u20ac\" (complete)|1 (complete)|line 1 byte 104 short 1");
    row("a letter behind an escaped backslash", '"' + hundred.substr(3) + "\\\\u20ac\"1,",
        '"' + hundred.substr(3) + "\\\\u\" (complete)|1 (complete)|line 1 byte 107 short 1");
    row("a character at the cut", '"' + hundred.substr(2) + "\xe2\x82\xac\"1,",
        '"' + hundred.substr(2) + "\" (complete)|1 (complete)|line 1 byte 104 short 1");
    row("line feeds in what is dropped", "[\"" + hundred + "\n\n\"]1,",
        "[\"" + hundred + "\"] (complete)|1 (complete)|line 3 byte 107 short 1");
    row("cut behind the longest", "1 \"" + hundred + "yyy", "1 (complete)|\"" + hundred + " (cut)|line 1 byte 106 short 1");
}

void tst_JsonStream::values()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, values);
    for (const std::size_t block : {0, 1, 7, 63, 64, 65})
        QCOMPARE(QByteArray::fromStdString(twoValues(text.toStdString(), block)), values);
}

void tst_JsonStream::passing_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("outcome");
    QTest::newRow("object") << QByteArray(R"({"a":"}\"","b":[[]]} 1)") << QByteArray("passed, then 1, line 1");
    QTest::newRow("text") << QByteArray("\"a\\\"b\" 2") << QByteArray("passed, then 2, line 1");
    QTest::newRow("long text") << '"' + QByteArray(3000, '{') + "\"\n3" << QByteArray("passed, then 3, line 2");
    QTest::newRow("lines") << QByteArray("[\n1,\n\"x\"\n] 4") << QByteArray("passed, then 4, line 4");
    QTest::newRow("number") << QByteArray("12]") << QByteArray("passed, then ], line 1");
    QTest::newRow("long word") << QByteArray(3000, 'x') + "\n,4" << QByteArray("passed, then 4, line 2");
    QTest::newRow("number at the end") << QByteArray("12") << QByteArray("passed, then the end, line 1");
    QTest::newRow("cut") << "[\"" + QByteArray(300, 'x') << QByteArray("not passed, then the end, line 1");
    QTest::newRow("none") << QByteArray("]") << QByteArray("not passed, then ], line 1");
}

void tst_JsonStream::passing()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, outcome);
    const std::string bytes = text.toStdString();
    for (const std::size_t block : {0, 1, 7, 63, 64, 65}) {
        JsonStream stream(inBlocks(bytes, block), longest);
        const bool isPassed = stream.pass();
        const char next = stream.peek();
        const std::string then = next == 0 ? std::string("the end") : std::string(1, next);
        QCOMPARE(QByteArray::fromStdString(
                     (isPassed ? "passed, then " : "not passed, then ") + then + ", line " + std::to_string(stream.lineNumber())),
            outcome);
    }
}

/// The span is kept with the beginning of the text, which is counted; those around it are untouched.
void tst_JsonStream::longTextOfSpan()
{
    const std::size_t limit = std::size_t(64) << 20;
    const ImportText got = importText(threeSpans({std::string(limit + 100, 'x')}));
    const ImportText kept = importText(threeSpans({std::string(limit, 'x')}));
    QVERIFY(got.spans == kept.spans);
    QCOMPARE(QString::fromStdString(kept.faults), QString());
    QCOMPARE(QString::fromStdString(got.faults), QString("SIZE_LIMIT:1"));
    QVERIFY(got.spans.find("behind") != std::string::npos);
}

/// A span that is too long to be held costs itself, not those behind it.
void tst_JsonStream::longSpan()
{
    const std::string text(std::size_t(60) << 20, 'x');
    const ImportText got = importText(threeSpans({text, text, text, text, text}));
    QCOMPARE(QString::fromStdString(got.faults), QString("SIZE_LIMIT:1 rejected:1"));
    QVERIFY(got.spans.find("before") != std::string::npos && got.spans.find("behind") != std::string::npos);
    QVERIFY(got.spans.find("xx") == std::string::npos);
}

QTEST_GUILESS_MAIN(tst_JsonStream)
#include "tst_jsonstream.moc"
