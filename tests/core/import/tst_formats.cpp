// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that are refused: by which code, and with what said.
#include "tests/core/import/importtext.h"

#include <QtTest>

using namespace chokepoint::testing;

namespace {

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

} // namespace

class tst_Formats : public QObject {
    Q_OBJECT

private slots:
    void refuses_data();
    void refuses();
};

void tst_Formats::refuses_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("message");
    const auto refusal = [](const char* name, const QByteArray& input, const char* code, const char* message) {
        QTest::newRow(name) << input << QByteArray(code) << QByteArray(message);
    };
    refusal("empty", "", "EMPTY_FILE", "file is empty");
    refusal("white space", " \n\t\r\n", "EMPTY_FILE", "file is empty");
    refusal("null", "null", "UNRECOGNIZED_FORMAT", "null");
    refusal("number", "123\n", "UNRECOGNIZED_FORMAT", "123");
    refusal("other object", R"({"hello":"x","spans":3})", "UNRECOGNIZED_FORMAT", "hello, spans");
    refusal("empty list", "[]", "UNRECOGNIZED_FORMAT", "without any member");
    refusal("a million brackets without an end", R"({"resourceSpans":)" + QByteArray(1000000, '['), "MALFORMED", "malformed");
    refusal("error body", R"({"data":null,"errors":[{"code":404,"msg":"trace not found"}]})", "UNRECOGNIZED_FORMAT", "trace not found");
    refusal("metrics", R"({"resourceMetrics":[{}]})", "UNSUPPORTED_FORMAT", "no traces");
    refusal("Chrome", R"({"traceEvents":[{"ph":"X","ts":1}]})", "UNSUPPORTED_FORMAT", "Chrome");
    refusal("Chrome list without end", R"([{"name":"x","ph":"X","ts":1,"dur":2},)", "UNSUPPORTED_FORMAT", "Chrome");
    refusal("Tempo search", R"({"traces":[{"traceID":"01","rootServiceName":"x"}]})", "UNSUPPORTED_FORMAT", "search result");
    refusal("Parquet", "PAR1\x15\x04", "UNSUPPORTED_FORMAT", "Parquet");
    refusal("SQLite", QByteArray("SQLite format 3\0\x10", 17), "UNSUPPORTED_FORMAT", "SQLite");
    refusal("text", "trace: 5 spans\n", "UNRECOGNIZED_FORMAT", "trace: 5 spans");
    refusal("every span unreadable",
        R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"a2","startTimeUnixNano":"soon"}]}]}]})", "MALFORMED",
        "cannot be read");
}

void tst_Formats::refuses()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, message);
    const ImportText got = importText(view(input));
    QCOMPARE(QByteArray::fromStdString(got.format), code);
    QVERIFY2(got.message.find(message.toStdString()) != std::string::npos, got.message.c_str());
    QCOMPARE(got.spans, std::string());
}

QTEST_GUILESS_MAIN(tst_Formats)
#include "tst_formats.moc"
