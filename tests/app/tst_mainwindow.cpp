// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window from end to end, off screen: the sample pair opens, keys lead through the pages, faults are told.
#include "app/mainwindow.h"
#include "views/chrome/busystrip.h"
#include "views/session/problems.h"

#include <QAbstractButton>
#include <QAction>
#include <QDialog>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QtTest>

using namespace chokepoint;

namespace {

constexpr int patience = 120000; // ms, for machines under load

QString currentPage(const MainWindow& window)
{
    return window.findChild<QStackedWidget*>("pages")->currentWidget()->objectName();
}

void writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] QString settingsFile() const { return m_folder.filePath("settings.ini"); }

private slots:
    void init() { QFile::remove(settingsFile()); }

    void theSamplePairIsOneClickAway()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.show();
        QCOMPARE(currentPage(window), QString("startPage"));
        QTest::mouseClick(window.findChild<QAbstractButton*>("trySample"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window.state().comparison() != nullptr, patience);
        QCOMPARE(currentPage(window), QString("comparePage"));
        QCOMPARE(window.state().comparison()->tracesBefore, std::size_t(400));
        const QString shown = window.findChild<QLabel*>("verdictSentence")->text();
        QCOMPARE(QString(shown).replace(QChar::Nbsp, ' '), QString::fromStdString(window.state().comparison()->sentence));
        QVERIFY(shown.contains("28\u00a0% faster"));
        QCOMPARE(settings.recentComparisons().size(), 1);

        const auto contribution = [&] { return window.state().comparison()->e2e.front().delta; };
        const Duration before = contribution();
        window.findChild<QAction*>("editSwap")->trigger();
        QVERIFY(!window.state().comparison());
        QTRY_VERIFY_WITH_TIMEOUT(window.state().comparison() != nullptr, patience);
        QCOMPARE(contribution(), -before);

        window.findChild<QAction*>("fileClose")->trigger();
        QCOMPARE(currentPage(window), QString("startPage"));
        QVERIFY(!window.state().dataset(Side::Before));
    }

    void everyShortcutIsListedOnce()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.findChild<QAction*>("helpKeys")->trigger();
        const auto* table = window.findChild<QDialog*>("chartTableDialog")->findChild<QTableView*>();
        QStringList commands;
        for (int row = 0; row < table->model()->rowCount(); ++row)
            commands << table->model()->index(row, 0).data().toString();
        QVERIFY2(commands.contains("Swap before and after") && commands.contains("Waterfall: search"), qPrintable(commands.join('\n')));
        QCOMPARE(commands.removeDuplicates(), 0);
    }

    void aWorkspaceKeepsBothSides()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.state().comparison() != nullptr, patience);
        const Duration delta = window.state().comparison()->e2e.front().delta;
        const QString path = m_folder.filePath("pair.chokepoint");
        QSignalSpy saved(&window.session(), &Session::saved);
        window.session().saveWorkspace(path);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);

        const QString json = m_folder.filePath("pair.json");
        window.session().exportComparison(json);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 2, patience);
        QFile exported(json);
        QVERIFY(exported.open(QIODevice::ReadOnly));
        QVERIFY(exported.readAll().contains("chokepoint.compare/1"));
        QSignalSpy failed(&window.session(), &Session::saveFailed);
        window.session().exportComparison(m_folder.filePath("no/such/folder.json"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, patience);

        MainWindow other(settings);
        other.openFiles({path});
        QTRY_VERIFY_WITH_TIMEOUT(other.state().comparison() != nullptr, patience);
        QCOMPARE(other.state().comparison()->e2e.front().delta, delta);
        QCOMPARE(other.session().status(Side::After).label, window.session().status(Side::After).label);
    }

    void keysLeadThroughThePages()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.activateWindow();
        const QStringList pages{"startPage", "tracesPage", "waterfallPage", "comparePage"};
        for (const int page : {4, 2, 3, 1}) {
            QTest::keyClick(&window, Qt::Key(Qt::Key_0 + page), Qt::AltModifier);
            QTRY_COMPARE(currentPage(window), pages[page - 1]);
        }
        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE(currentPage(window), QString("waterfallPage"));
        QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
        QTRY_COMPARE(currentPage(window), QString("startPage"));
    }

    void whatIsNoTraceFileIsToldSo()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        const QString notes = m_folder.filePath("notes.json");
        writeFile(notes, "{\"hello\": \"world\"}\n");
        window.session().open(Side::Before, {notes});
        QTRY_COMPARE_WITH_TIMEOUT(window.session().status(Side::Before).phase, SideStatus::Phase::Failed, patience);
        QVERIFY(window.session().status(Side::Before).error.has_value());
        window.state().goTo(Page::Compare);
        QVERIFY(window.findChild<QWidget*>("comparePage")->findChild<QLabel*>("messageText")->text().contains("notes.json"));
        window.session().close(Side::Before);
        QCOMPARE(window.session().status(Side::Before).phase, SideStatus::Phase::Empty);
    }

    void aSingleSideNeverLooksLikeNone()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        const auto* title = window.findChild<QWidget*>("comparePage")->findChild<QLabel*>("messageTitle");
        QSet<QString> titles; // while there is something, and no figures yet
        const auto look = [&] {
            if (window.state().dataset(Side::Before) && !window.session().profile())
                titles.insert(title->text());
        };
        connect(&window.session(), &Session::profileChanged, &window, look);
        window.openFiles({CHOKEPOINT_SOURCE_DIR "/resources/samples/moved-before.jsonl.gz"});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().profile() != nullptr, patience);
        QCOMPARE(titles, QSet<QString>{"Working"});
        QVERIFY(!window.session().isProfiling());
    }

    void problemsAndDoubtsHaveAListEach()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        const QString file = m_folder.filePath("cut.json");
        const QByteArray cut =
            "{'resourceSpans':[{'scopeSpans':[{'spans':[{'traceId':'0102030405060708090a0b0c0d0e0f10','spanId':'00000000000000a1',"
            "'name':'root','startTimeUnixNano':'1700000000000000000','endTimeUnixNano':'1700000001000000000'}]}]}]}{'resource";
        writeFile(file, QByteArray(cut).replace('\'', '"'));
        window.openFiles({file});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().profile() != nullptr, patience);
        const auto* button = window.findChild<QAbstractButton*>("problemsButton");
        QVERIFY2(button->text().contains("problem") && button->text().contains("doubt"), qPrintable(button->text()));
        window.findChild<QAction*>("viewProblems")->trigger();
        const auto codes = [&](const char* list) {
            const auto* model = window.findChild<QTableView*>(list)->model();
            QStringList found;
            for (int row = 0; row < model->rowCount(); ++row)
                found << model->index(row, ProblemsModel::CodeColumn).data().toString();
            return found;
        };
        QVERIFY(!codes("problemsTable").isEmpty() && !codes("problemsTable").contains("LOW_N"));
        QVERIFY(codes("doubtsTable").contains("LOW_N"));
    }

    void readingCanBeCancelled()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.openSample();
        QVERIFY(window.session().isReading());
        window.session().cancel(Side::Before);
        window.session().cancel(Side::After);
        QVERIFY(!window.session().isReading());
        QTRY_COMPARE_WITH_TIMEOUT(window.jobs().runningCount(), 0, patience);
        QVERIFY(!window.state().dataset(Side::Before));
        QVERIFY(!window.state().comparison());
    }

    void cancellingOneSideKeepsTheFiguresOfTheOther()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.state().comparison() != nullptr, patience);
        window.session().close(Side::After);
        QTRY_VERIFY_WITH_TIMEOUT(window.session().profile() != nullptr, patience);
        window.session().open(Side::After, {QStringLiteral(CHOKEPOINT_SOURCE_DIR "/resources/samples/moved-after.jsonl.gz")});
        QVERIFY(window.session().isReading());
        emit window.findChild<BusyStrip*>("busyStrip")->cancelled();
        QVERIFY(!window.session().isReading());
        QTRY_VERIFY_WITH_TIMEOUT(window.session().profile() != nullptr && !window.session().isProfiling(), patience);
        QVERIFY(!window.session().compareError());
    }

    void everyWidgetThatTakesFocusHasAName()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.show();
        for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
            if (button->isVisible() && button->focusPolicy() != Qt::NoFocus)
                QVERIFY2(!button->text().isEmpty() || !button->accessibleName().isEmpty(), qPrintable(button->objectName()));
    }

    void theThemeChangesLive()
    {
        Settings settings(settingsFile());
        MainWindow window(settings);
        window.show();
        window.findChild<QAction*>("theme-dark")->trigger();
        QTRY_COMPARE(schemeOf(window.palette()), Scheme::Dark);
        const QList<QWidget*> widgets = window.findChildren<QWidget*>();
        for (const QWidget* widget : widgets)
            QVERIFY2(schemeOf(widget->palette()) == Scheme::Dark,
                qPrintable(widget->parent()->objectName() + ' ' + widget->metaObject()->className()));
        window.findChild<QAction*>("theme-light")->trigger();
        QTRY_COMPARE(schemeOf(window.palette()), Scheme::Light);
        QCOMPARE(Settings(settingsFile()).theme(), ThemeChoice::Light);
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
