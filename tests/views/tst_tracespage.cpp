// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page of traces: its states, filter, pills and what opening a row does.
#include "tests/views/requestsfixture.h"
#include "views/traces/tracelistmodel.h"
#include "views/traces/tracespage.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace chokepoint;
using namespace chokepoint::testkit;

class TestTracesPage : public QObject {
    Q_OBJECT

private slots:
    void pageStates();
    void tableFitsItsPage();
    void pageFiltersAndOpens();
    void stageSelectsAPill();
};

void TestTracesPage::pageStates()
{
    ViewState state;
    JobRunner jobs;
    TracesPage page(state, jobs);
    const auto* message = page.findChild<QLabel*>(QStringLiteral("tracesMessage"));
    QVERIFY(message->text().contains(QStringLiteral("Nothing is loaded")));
    state.setDataset(Side::Before, someRows()->datasets[0]);
    QTRY_COMPARE(page.model()->rowCount(), 4);
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("traceCount"))->text(), QStringLiteral("4 traces"));

    auto* filter = page.findChild<QLineEdit*>(QStringLiteral("traceFilter"));
    auto* fault = page.findChild<QLabel*>(QStringLiteral("traceFilterFault"));
    filter->setText(QStringLiteral("duration > 3"));
    QTRY_VERIFY(!fault->isHidden());
    QVERIFY(fault->text().contains(QStringLiteral("At character 12")));
    QCOMPARE(page.model()->rowCount(), 4); // the last good result stays
    filter->setText(QStringLiteral("duration > 1ms and errors > 5"));
    QTRY_COMPARE(page.model()->rowCount(), 0);
    QVERIFY(fault->isHidden());
    QVERIFY(message->text().contains(QStringLiteral("“errors > 5” alone lets none of the 4 traces pass.")));
    page.findChild<QPushButton*>(QStringLiteral("clearFilter"))->click();
    QTRY_COMPARE(page.model()->rowCount(), 4);
    QVERIFY(filter->text().isEmpty());
    state.setDataset(Side::Before, nullptr);
    QTRY_COMPARE(page.model()->rowCount(), 0);
}

void TestTracesPage::tableFitsItsPage()
{
    ViewState state;
    JobRunner jobs;
    TracesPage page(state, jobs);
    page.resize(1180, 600); // of a window of 1280
    state.setDataset(Side::Before, someRows()->datasets[0]);
    page.show();
    QTRY_COMPARE(page.model()->rowCount(), 4);
    const auto* table = page.findChild<QTableView*>(QStringLiteral("traceTable"));
    QCoreApplication::processEvents();
    QCOMPARE(table->horizontalScrollBar()->maximum(), 0);
    QVERIFY(table->columnWidth(int(TraceColumn::Shares)) >= 150);
    const QString id = page.model()->index(0, int(TraceColumn::TraceId)).data(Qt::ToolTipRole).toString();
    QCOMPARE(id.size(), QStringLiteral("<qt></qt>").size() + 32); // in full
}

void TestTracesPage::pageFiltersAndOpens()
{
    const auto rows = someRows();
    ViewState state;
    JobRunner jobs;
    TracesPage page(state, jobs);
    state.setDataset(Side::Before, rows->datasets[0]);
    state.setDataset(Side::After, rows->datasets[1]);
    QTRY_COMPARE(page.model()->rowCount(), 6);
    QCOMPARE(page.model()->row(0).e2e, Duration{400 * ms}); // the longest first
    QVERIFY(state.traceOrder() && state.traceOrder()->size() == 6);

    page.findChild<QToolButton*>(QStringLiteral("pillErrors"))->click();
    QVERIFY(state.filter().errorsOnly);
    QTRY_COMPARE(page.model()->rowCount(), 1);
    state.setFilter({}); // as the status bar does
    QTRY_COMPARE(page.model()->rowCount(), 6);
    QVERIFY(!page.findChild<QToolButton*>(QStringLiteral("pillErrors"))->isChecked());

    page.table()->setCurrentIndex(page.model()->index(1, 0));
    QVERIFY((state.trace() == TraceRef{Side::Before, 0}));
    QTest::keyClick(page.table(), Qt::Key_Return);
    QCOMPARE(state.page(), Page::Waterfall);
    QTest::keyClick(page.table(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("ingress a")));
}

void TestTracesPage::stageSelectsAPill()
{
    ViewState state;
    JobRunner jobs;
    TracesPage page(state, jobs);
    state.setDataset(Side::Before, someRows()->datasets[0]);
    QTRY_COMPARE(page.model()->rowCount(), 4);
    auto* pill = page.findChild<QToolButton*>(QStringLiteral("pillStage"));
    QVERIFY(pill->isHidden());
    state.selectStage(QStringLiteral("retrieve"));
    QVERIFY(!pill->isHidden());
    pill->click();
    QCOMPARE(state.filter().stage, QStringLiteral("retrieve"));
    // The largest share first.
    QTRY_COMPARE(page.model()->row(0).ref.index, std::size_t(1));
}

QTEST_MAIN(TestTracesPage)
#include "tst_tracespage.moc"
