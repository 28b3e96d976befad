// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON writer: valid text whatever the bytes, and no recursion on what is nested.
#include "core/export/jsonwriter.h"

#include <QTest>

using namespace chokepoint;

class TestJsonWriter : public QObject {
    Q_OBJECT

private slots:
    void jsonTextIsAlwaysValid_data();
    void jsonTextIsAlwaysValid();
    void jsonNestsWithoutRecursion();
};

void TestJsonWriter::jsonTextIsAlwaysValid_data()
{
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QByteArray>("json");
    QTest::newRow("plain") << QByteArray("abc") << QByteArray("\"abc\"");
    QTest::newRow("escapes") << QByteArray("\"\\\n\r\t") << QByteArray(R"("\"\\\n\r\t")");
    QTest::newRow("controls") << QByteArray("\x01\x1f\x7f") << QByteArray(R"("\u0001\u001f\u007f")");
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << QByteArray(R"("a\u0000b")");
    QTest::newRow("UTF-8") << QByteArray("\xe6\x9d\xb1") << QByteArray("\"\xe6\x9d\xb1\"");
    QTest::newRow("invalid UTF-8") << QByteArray("a\xff\"") << QByteArray("\"a\xef\xbf\xbd\\\"\"");
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\xbd") << QByteArray("\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

void TestJsonWriter::jsonTextIsAlwaysValid()
{
    QFETCH(QByteArray, source);
    QFETCH(QByteArray, json);
    JsonWriter writer;
    writer.string(source.toStdString());
    QCOMPARE(QByteArray::fromStdString(writer.text()), json);
}

void TestJsonWriter::jsonNestsWithoutRecursion()
{
    constexpr int levels = 5000;
    AttributeValue value{std::string("deep")};
    for (int i = 0; i < levels; ++i) {
        AttributeValue outer{AttributeValue::Array{}};
        std::get<AttributeValue::Array>(outer.value).push_back(std::move(value));
        value = std::move(outer);
    }
    JsonWriter writer;
    writeAnyValue(writer, value);
    const QByteArray json = QByteArray::fromStdString(writer.text());
    QCOMPARE(json.count("{\"arrayValue\":{\"values\":["), levels);
    QVERIFY(json.endsWith(QByteArray("]}}").repeated(levels)));
}

QTEST_GUILESS_MAIN(TestJsonWriter)
#include "tst_jsonwriter.moc"
