// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as CSV, HTML and Markdown: what stands in a trace is text and nothing else.
#include "core/export/tablewriter.h"
#include "tests/core/export/exportedfile.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

Trace hostileTrace(const std::string& name)
{
    return TraceBuilder().span("s", 1000, 3000).named(name).service("<b>svc</b>").attribute("<svg onload=alert(1)>", {name}).buildTrace();
}

} // namespace

class TestTableWriter : public QObject {
    Q_OBJECT

private slots:
    void csvCells_data();
    void csvCells();
    void csvRow();
    void aClockWithoutDatesShowsNone();
    void htmlShowsTextAsText_data();
    void htmlShowsTextAsText();
    void markdownKeepsItsColumns_data();
    void markdownKeepsItsColumns();
};

void TestTableWriter::csvCells_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("cell");
    QTest::newRow("plain") << "chat"
                           << "chat";
    QTest::newRow("empty") << ""
                           << "";
    QTest::newRow("comma") << "a,b"
                           << "\"a,b\"";
    QTest::newRow("quote") << "a\"b"
                           << "\"a\"\"b\"";
    QTest::newRow("line break") << "a\nb"
                                << "\"a\nb\"";
    QTest::newRow("formula") << "=1+1"
                             << "'=1+1";
    QTest::newRow("plus") << "+1"
                          << "'+1";
    QTest::newRow("minus") << "-2"
                           << "'-2";
    QTest::newRow("at") << "@SUM(A1)"
                        << "'@SUM(A1)";
    QTest::newRow("tab") << "\t=1"
                         << "'\t=1";
    QTest::newRow("carriage return") << "\r=1"
                                     << "\"'\r=1\"";
    QTest::newRow("formula with quotes") << "=A(\"x\")"
                                         << "\"'=A(\"\"x\"\")\"";
    QTest::newRow("equals inside") << "a=b"
                                   << "a=b";
}

void TestTableWriter::csvCells()
{
    QFETCH(QString, source);
    QFETCH(QString, cell);
    QCOMPARE(QString::fromStdString(csvTextCell(source.toStdString())), cell);
}

void TestTableWriter::csvRow()
{
    const Trace trace = TraceBuilder()
                            .span("root", 1'700'000'000'000'000'000, 1'700'000'000'002'000'000)
                            .service("api")
                            .span("child", 0, 0, "root")
                            .kind(SpanKind::Client)
                            .error()
                            .noStart()
                            .noEnd()
                            .attribute("n", {std::int64_t(5)})
                            .buildTrace();
    const auto stageOf = [](const Trace& t, std::size_t i) { return "stage of " + std::string(t.name(i)); };
    const QByteArray csv = exported(trace, {ExportFormat::Csv, stageOf, {}});
    QCOMPARE(csv,
        QByteArray(
            "trace_id,span_id,parent_span_id,service,name,kind,status,status_message,start,start_unix_ns,duration_ns,stage,attributes\r\n"
            "00000000000000000000000000000001,0000000000000001,,api,root,UNSPECIFIED,UNSET,,2023-11-14 22:13:20.000000000,"
            "1700000000000000000,2000000,stage of root,\r\n"
            "00000000000000000000000000000001,0000000000000002,0000000000000001,,child,CLIENT,ERROR,,,,,stage of "
            "child,\"{\"\"n\"\":5}\"\r\n"));
}

void TestTableWriter::aClockWithoutDatesShowsNone()
{
    const Trace trace = TraceBuilder().span("root", 86'412'345'678'901, 86'412'345'678'902).buildTrace();
    const Timestamp begin = timestampFromNs(86'400'000'000'000);
    QVERIFY(exported(trace, {ExportFormat::Csv, {}, {}}).contains(",UNSET,,,86412345678901,1,"));
    const QByteArray html = exported(trace, {ExportFormat::Html, {}, {}, begin});
    QVERIFY(html.contains("<td>+12.345678901 s</td>") && html.contains(">Start</th>"));
    const QByteArray markdown = exported(trace, {ExportFormat::Markdown, {}, {}, begin});
    QVERIFY(markdown.contains(" +12.345678901 s |") && markdown.contains("| Start |"));
    QVERIFY(exported(trace, {ExportFormat::Markdown, {}, {}}).contains("| Start (UTC) |"));
}

void TestTableWriter::htmlShowsTextAsText_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("shown");
    QTest::newRow("element") << "<img src=x onerror=alert(1)>"
                             << "&lt;img src=x onerror=alert(1)&gt;";
    QTest::newRow("script end") << "</script><script>alert(2)</script>"
                                << "&lt;/script&gt;&lt;script&gt;alert(2)&lt;/script&gt;";
    QTest::newRow("already escaped") << "&lt;a&gt;"
                                     << "&amp;lt;a&amp;gt;";
    QTest::newRow("quotes") << "\"'"
                            << "&quot;&#39;";
    QTest::newRow("controls") << "a\nb\x1b[0m"
                              << "a\\nb\\x1b[0m";
}

void TestTableWriter::htmlShowsTextAsText()
{
    QFETCH(QString, name);
    QFETCH(QString, shown);
    const QByteArray html = exported(hostileTrace(name.toStdString()), {ExportFormat::Html, {}, "<title>"});
    QVERIFY(html.contains(("<td>" + shown + "</td>").toUtf8()));
    QVERIFY(html.contains("<title>&lt;title&gt;</title>"));
    QVERIFY(html.contains("<td>&lt;b&gt;svc&lt;/b&gt;</td>"));
    for (const char* markup : {"<img", "<script", "<b>", "<svg"})
        QVERIFY2(!html.contains(markup), markup);
}

void TestTableWriter::markdownKeepsItsColumns_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("shown");
    QTest::newRow("pipe") << "a|b"
                          << "a\\|b";
    QTest::newRow("backslash and pipe") << "a\\|b"
                                        << "a\\\\\\|b";
    QTest::newRow("trailing backslash") << "a\\"
                                        << "a\\\\";
    QTest::newRow("line breaks") << "a\nb\r\nc"
                                 << "a\\\\nb\\\\x0d\\\\nc";
    QTest::newRow("markup") << "*[x](javascript:a)* <b> `c` _d_"
                            << "\\*\\[x\\](javascript:a)\\* &lt;b&gt; \\`c\\` \\_d\\_";
}

void TestTableWriter::markdownKeepsItsColumns()
{
    QFETCH(QString, name);
    QFETCH(QString, shown);
    const QString markdown = QString::fromUtf8(exported(hostileTrace(name.toStdString()), {ExportFormat::Markdown, {}, "Title"}));
    QVERIFY2(markdown.contains("| " + shown + " |"), qPrintable(markdown));
    const QStringList lines = markdown.split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 4); // title, head, rule, span
    for (const QString& line : lines.mid(1)) {
        QString bare = line;
        bare.remove("\\\\").remove("\\|");
        QCOMPARE(bare.count('|'), 12);
    }
}

QTEST_GUILESS_MAIN(TestTableWriter)
#include "tst_tablewriter.moc"
