// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The command line over two sides: labels of both in one file, and more threads than there are cores.
#include "tests/app/clirun.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace chokepoint::testing;

namespace {

/// What a run says on standard error; its status must be 0.
QByteArray said(const QStringList& arguments)
{
    const Run result = run(arguments);
    if (result.status != 0)
        qFatal("%s: %s", qPrintable(arguments.join(' ')), result.err.constData());
    return result.err;
}

QByteArray idOf(int trace)
{
    return QByteArray::number(trace, 16).rightJustified(32, '0');
}

/// Ten requests from trace \a first on.
QByteArray requests(int first)
{
    QByteArray spans;
    for (int i = first; i < first + 10; ++i) {
        spans += i == first ? "" : ",";
        spans += QByteArray(
            R"({"traceId":"%1","spanId":"%2","name":"ask","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000100000000"})")
                     .replace("%1", idOf(i))
                     .replace("%2", idOf(i).right(16));
    }
    return R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + spans + "]}]}]}";
}

} // namespace

class tst_CliSides : public QObject {
    Q_OBJECT

private slots:
    void labelsOfBothSides_data()
    {
        QTest::addColumn<QByteArray>("rows");
        QTest::addColumn<QByteArray>("note"); // "": none
        const QByteArray both = idOf(1) + ",true\n" + idOf(12) + ",false\n";
        QTest::newRow("all found") << both << QByteArray();
        QTest::newRow("one on neither side") << both + idOf(40)
                + ",true\n" << QByteArray("2 of 3 labels name a request of before or after; the first that does not is in line 4");
    }
    void labelsOfBothSides()
    {
        QFETCH(QByteArray, rows);
        QFETCH(QByteArray, note);
        const QString labels = write("labels.csv", "trace_id,correct\n" + rows);
        for (const QStringList& command :
            {QStringList{"compare", before(), after()}, QStringList{"checks", after(), "--against", before()}}) {
            const QByteArray text = said(command + QStringList{"--labels", labels});
            QVERIFY2(note.isEmpty() ? text.isEmpty() : text.contains(note) && text.count("labels name") == 1, text.constData());
        }
    }

    /// As `summary` does for one side; the JSON has no place for it.
    void doubtsOfBothSides()
    {
        const QByteArray few = "10 x LOW_N: 10 complete traces; high quantiles and intervals need at least 30\n";
        const QString markdown = m_directory.filePath("report.md");
        const Run text = run({"compare", before(), after(), "--report", markdown});
        QCOMPARE(text.status, 0);
        const qsizetype title = text.out.indexOf("\nHow far these figures can be trusted\n");
        QVERIFY2(title > 0, text.out.constData());
        QVERIFY2(text.out.indexOf("\n  Before: " + few) > title && text.out.indexOf("\n  After: " + few) > title, text.out.constData());
        QFile written(markdown);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray report = written.readAll();
        const qsizetype heading = report.indexOf("\n## How far these figures can be trusted\n\n- Before: ");
        QVERIFY2(heading > 0 && report.indexOf("\n- After: 10 x LOW\\_N: 10 complete") > heading, report.constData());
        QVERIFY(!run({"compare", before(), after(), "--json"}).out.contains("LOW_N"));
    }

    void moreThreadsThanCores_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("retries") << QStringList{"retries", before()};
        QTest::newRow("whatif") << QStringList{"whatif", before()};
        QTest::newRow("compare") << QStringList{"compare", before(), after()};
        QTest::newRow("checks") << QStringList{"checks", after(), "--against", before()};
    }
    void moreThreadsThanCores()
    {
        QFETCH(QStringList, command);
        const QByteArray text = said(command + QStringList{"-j", "64"});
        QVERIFY2(!text.contains("TBB"), text.constData());
    }

private:
    [[nodiscard]] QString write(const QString& name, const QByteArray& text) const
    {
        QFile file(m_directory.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            qFatal("cannot write %s", qPrintable(name));
        return file.fileName();
    }
    [[nodiscard]] QString before() const { return write("before.json", requests(1)); }
    [[nodiscard]] QString after() const { return write("after.json", requests(11)); }

    QTemporaryDir m_directory;
};

QTEST_GUILESS_MAIN(tst_CliSides)
#include "tst_cli_sides.moc"
