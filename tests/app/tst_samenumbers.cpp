// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the command line show the same number for the same thing.
#include "app/mainwindow.h"

#include "views/format/text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTableView>
#include <QtTest>

using namespace chokepoint;

namespace {

QByteArray commandLine(const QStringList& arguments)
{
    QProcess process;
    process.start(CHOKEPOINT_CLI, arguments);
    if (!process.waitForFinished(120000) || process.exitCode() != 0)
        qFatal("chokepoint-cli failed: %s", process.readAllStandardError().constData());
    return process.readAllStandardOutput();
}

const QStringList samplePair{
    CHOKEPOINT_SOURCE_DIR "/resources/samples/moved-before.jsonl.gz", CHOKEPOINT_SOURCE_DIR "/resources/samples/moved-after.jsonl.gz"};

} // namespace

class TestSameNumbers : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

private slots:
    void initTestCase()
    {
        m_settings = std::make_unique<Settings>(m_folder.filePath("settings.ini"));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->openFiles(samplePair);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->state().comparison() != nullptr, 120000);
    }

    void comparisonIsThatOfTheCommandLine()
    {
        const Comparison& shown = *m_window->state().comparison();
        const QJsonObject json = QJsonDocument::fromJson(commandLine(QStringList{"compare"} + samplePair + QStringList{"--json"})).object();
        QCOMPARE(json["sentence"].toString(), QString::fromStdString(shown.sentence));
        const QJsonArray e2e = json["e2e"].toArray();
        QCOMPARE(std::size_t(e2e.size()), shown.e2e.size());
        for (qsizetype i = 0; i < e2e.size(); ++i) {
            const E2eRow& row = shown.e2e[std::size_t(i)];
            QCOMPARE(e2e[i].toObject()["before_ns"].toInteger(), toNs(row.before));
            QCOMPARE(e2e[i].toObject()["after_ns"].toInteger(), toNs(row.after));
            QCOMPARE(e2e[i].toObject()["significant"].toBool(), row.significant);
        }
        const QJsonArray stages = json["stages"].toArray();
        QCOMPARE(std::size_t(stages.size()), shown.stages.size());
        for (qsizetype i = 0; i < stages.size(); ++i) {
            const StageRow& row = shown.stages[std::size_t(i)];
            QCOMPARE(stages[i].toObject()["stage"].toString(), QString::fromStdString(row.stage));
            QCOMPARE(stages[i].toObject()["contribution_ns"].toInteger(), toNs(row.contribution));
            QCOMPARE(stages[i].toObject()["after_share"].toDouble(), row.afterShare);
        }
    }

    void percentileTableShowsTheTextsOfTheCommandLine()
    {
        const QString text = QString::fromUtf8(commandLine(QStringList{"compare"} + samplePair));
        const QAbstractItemModel* model = m_window->findChild<QTableView*>("percentileTable")->model();
        for (int row = 0; row < 4; ++row)
            for (int column = 1; column <= 4; ++column) {
                QString cell = model->index(row, column).data().toString();
                cell.remove(QRegularExpression("\\s*[▲▼~]$"));
                QVERIFY2(!cell.isEmpty() && text.contains(cell), qPrintable(cell));
            }
    }

    void traceListHasTheTimesOfTheCommandLine()
    {
        const QJsonObject json = QJsonDocument::fromJson(commandLine({"traces", samplePair[1], "--json"})).object();
        QHash<QString, qint64> durations;
        for (const QJsonValue trace : json["traces"].toArray())
            durations[trace.toObject()["trace_id"].toString()] = trace.toObject()["duration_ns"].toInteger();
        const Dataset& after = *m_window->state().dataset(Side::After);
        QCOMPARE(std::size_t(durations.size()), after.columns.traceCount());
        for (std::size_t t = 0; t < after.columns.traceCount(); ++t)
            QCOMPARE(durations[QString::fromStdString(after.columns.traceIdName(t))], toNs(after.population.traces[t].e2e));
    }
};

QTEST_MAIN(TestSameNumbers)
#include "tst_samenumbers.moc"
