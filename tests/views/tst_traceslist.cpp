// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The trace list: rows, filter, order, model, histogram and the page.
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"
#include "tests/views/tracefixture.h"
#include "views/traces/durationhistogram.h"
#include "views/traces/histogramview.h"
#include "views/traces/tracelistmodel.h"
#include "views/traces/tracespage.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <limits>
#include <numeric>
#include <utility>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

constexpr std::int64_t ms = 1'000'000;

struct Request {
    std::string name;
    std::int64_t duration = 0; // ms
    std::int64_t retrieval = 0; // ms, its first part; the rest is generation
    bool isError = false;
};

TraceBuilder traces(const std::vector<Request>& requests)
{
    TraceBuilder builder;
    bool isFirst = true;
    for (const Request& request : requests) {
        if (!std::exchange(isFirst, false))
            builder.nextTrace();
        builder.span("ingress", 0, request.duration * ms).named("ingress " + request.name).service("gateway");
        builder.span("retrieve", 0, request.retrieval * ms, "ingress");
        builder.span("generate", request.retrieval * ms, request.duration * ms, "ingress");
        if (request.isError)
            builder.error();
    }
    return builder;
}

/// Before: 100, 200, 300, 400 ms. After: 50 ms (an error), and one that is not finished.
std::shared_ptr<const TraceRows> someRows()
{
    const TraceBuilder before = traces({{"a", 300, 30}, {"b", 100, 90}, {"c", 400, 100}, {"d", 200, 20}});
    TraceBuilder after = traces({{"=e", 50, 10, true}});
    after.nextTrace().span("ingress", 0, 10 * ms).named("ingress f").span("open", 0, 0, "ingress").noEnd();
    return makeTraceRows(datasetOf(before, "before"), datasetOf(after, "after"));
}

QString namesOf(const TraceRows& rows, const std::vector<std::uint32_t>& order)
{
    QString names;
    for (const std::uint32_t row : order)
        names += QChar(rows.rows[row].name.back());
    return names;
}

TraceListModel& filled(TraceListModel& model, const std::shared_ptr<const TraceRows>& rows)
{
    std::vector<std::uint32_t> order(rows->rows.size());
    std::iota(order.begin(), order.end(), 0U);
    model.setRows(rows, std::move(order), {TraceColumn::Count_, false, {}});
    return model;
}

} // namespace

class TestTracesList : public QObject {
    Q_OBJECT

private slots:
    void rowsOfBothSides();
    void stripsAddUp();
    void filters_data();
    void filters();
    void brokenFilterNamesItsPlace();
    void emptyResultNamesTheClause();
    void orders_data();
    void orders();
    void modelKeepsItsPromises();
    void selectionFollowsItsTrace();
    void tsv();
    void histogramHoldsEveryValue();
    void histogramEdges_data();
    void histogramEdges();
    void brushByKeys();
    void pageStates();
    void tableFitsItsPage();
    void pageFiltersAndOpens();
    void stageSelectsAPill();
    void fiftyThousandTraces();
};

void TestTracesList::rowsOfBothSides()
{
    const auto rows = someRows();
    QCOMPARE(rows->rows.size(), std::size_t(6));
    QCOMPARE(rows->count(Side::Before), std::size_t(4));
    QCOMPARE(rows->rows[0].e2e, Duration{300 * ms});
    QCOMPARE(rows->rows[0].rank, 0.5); // two of four are shorter
    QCOMPARE(rows->rows[2].rank, 0.75);
    QCOMPARE(rows->rows[4].errors, 1U);
    QVERIFY(!rows->rows[5].complete);
    QCOMPARE(rows->rows[5].rank, -1.0);
    QVERIFY(makeTraceRows(nullptr, nullptr)->rows.empty());
}

void TestTracesList::stripsAddUp()
{
    const auto rows = someRows();
    for (std::size_t row = 0; row < rows->rows.size(); ++row) {
        double end = 0;
        for (const StripPart& part : rows->strip(row)) {
            QCOMPARE(part.begin + 1, end + 1);
            end = part.end;
        }
        QCOMPARE(end, 1.0);
    }
    QCOMPARE(rows->share(1, "retrieve"), 0.9);
    QCOMPARE(rows->share(1, "no such stage"), 0.0);
    QCOMPARE(rows->largestShare(1), 0.9);
}

void TestTracesList::filters_data()
{
    QTest::addColumn<TraceScope>("scope");
    QTest::addColumn<QString>("names"); // last letters of the root names, in the order of the rows
    const auto scope = [](const auto& edit) {
        TraceScope result;
        edit(result);
        return result;
    };
    const auto text = [&](const char* expression) { return scope([&](TraceScope& s) { s.text = QString::fromUtf8(expression); }); };
    QTest::newRow("nothing") << TraceScope{} << "abcdef";
    QTest::newRow("duration") << text("duration > 150ms") << "acd";
    QTest::newRow("share of a stage") << text("stage.retrieve > 40%") << "b";
    QTest::newRow("time of a stage") << text("stage.retrieve >= 90ms") << "bc";
    QTest::newRow("errors") << text("errors > 0") << "e";
    QTest::newRow("free text") << text("INGRESS") << "abcdef";
    QTest::newRow("service") << text("service = gateway and duration < 250ms") << "bde";
    QTest::newRow("not complete") << text("not complete") << "f";
    QTest::newRow("pill errors") << scope([](TraceScope& s) { s.errorsOnly = true; }) << "e";
    QTest::newRow("pill incomplete") << scope([](TraceScope& s) { s.incompleteOnly = true; }) << "f";
    QTest::newRow("pill side") << scope([](TraceScope& s) { s.side = Side::After; }) << "ef";
    QTest::newRow("pill stage") << scope([](TraceScope& s) { s.stage = QStringLiteral("generate"); }) << "abcde";
    QTest::newRow("upper half of each side") << scope([](TraceScope& s) { s.band = {0.5, 1}; }) << "ac";
    QTest::newRow("lowest quarter of each side") << scope([](TraceScope& s) { s.band = {0, 0.25}; }) << "be";
    QTest::newRow("brushed range is half open") << scope([](TraceScope& s) {
        s.from = Duration{100 * ms};
        s.below = Duration{300 * ms};
    }) << "bd";
    QTest::newRow("all at once") << scope([](TraceScope& s) {
        s.text = QStringLiteral("duration > 150ms");
        s.band = {0.5, 1};
        s.side = Side::Before;
        s.below = Duration{350 * ms};
    }) << "a";
}

void TestTracesList::filters()
{
    QFETCH(TraceScope, scope);
    QFETCH(QString, names);
    const auto rows = someRows();
    const auto result = queryTraces(*rows, scope, {TraceColumn::Count_, false, {}}, {});
    QVERIFY(result.has_value());
    QCOMPARE(namesOf(*rows, result->rows), names);
    if (scope.text.isEmpty())
        QCOMPARE(countTraces(*rows, scope), std::size_t(names.size()));
}

void TestTracesList::brokenFilterNamesItsPlace()
{
    TraceScope scope;
    scope.text = QStringLiteral("errors > 0 and duration > 3");
    const auto result = queryTraces(*someRows(), scope, {}, {});
    QVERIFY(!result.has_value());
    QVERIFY(result.error().code == ErrorCode::InvalidQuery);
    QCOMPARE(*result.error().place.byte, std::uint64_t(26));
}

void TestTracesList::emptyResultNamesTheClause()
{
    TraceScope scope;
    scope.text = QStringLiteral("duration > 150ms and errors > 5");
    scope.side = Side::Before;
    const auto result = queryTraces(*someRows(), scope, {}, {});
    QVERIFY(result.has_value());
    QVERIFY(result->rows.empty());
    QCOMPARE(result->clauses.size(), std::size_t(3));
    QCOMPARE(result->clauses[0].passing, std::size_t(3));
    QCOMPARE(result->clauses[1].clause, std::string("errors > 5"));
    QCOMPARE(result->clauses[1].passing, std::size_t(0));
    QCOMPARE(result->clauses[2].clause, std::string());
    QCOMPARE(result->clauses[2].passing, std::size_t(4));
}

void TestTracesList::orders_data()
{
    QTest::addColumn<int>("column");
    QTest::addColumn<bool>("descending");
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* name, TraceColumn column, bool descending, const char* stage, const char* names) {
        QTest::newRow(name) << int(column) << descending << QString::fromUtf8(stage) << QString::fromUtf8(names);
    };
    row("longest first", TraceColumn::E2e, true, "", "cadbef");
    row("shortest first", TraceColumn::E2e, false, "", "febdac");
    row("rank, incomplete last", TraceColumn::Rank, false, "", "bedacf");
    row("rank downwards, incomplete last", TraceColumn::Rank, true, "", "cadbef");
    row("side is stable", TraceColumn::Side, true, "", "efabcd");
    row("errors are stable", TraceColumn::Errors, true, "", "eabcdf");
    row("name", TraceColumn::Name, false, "", "eabcdf"); // "=e" sorts before letters
    row("spans", TraceColumn::Spans, false, "", "fabcde");
    row("share of retrieval", TraceColumn::Shares, true, "retrieve", "bceadf");
}

void TestTracesList::orders()
{
    QFETCH(int, column);
    QFETCH(bool, descending);
    QFETCH(QString, stage);
    QFETCH(QString, names);
    const auto rows = someRows();
    std::vector<std::uint32_t> order(rows->rows.size());
    std::iota(order.begin(), order.end(), 0U);
    sortTraces(*rows, order, {TraceColumn(column), descending, stage.toStdString()});
    QCOMPARE(namesOf(*rows, order), names);
}

void TestTracesList::modelKeepsItsPromises()
{
    TraceListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    filled(model, someRows());
    QCOMPARE(model.rowCount(), 6);
    const auto cell = [&](int row, TraceColumn column, int role = Qt::DisplayRole) { return model.index(row, int(column)).data(role); };
    QCOMPARE(cell(0, TraceColumn::E2e).toString(), QStringLiteral("300 ms"));
    QCOMPARE(cell(0, TraceColumn::E2e, TraceListModel::sortRole).toLongLong(), 300 * ms);
    QCOMPARE(cell(0, TraceColumn::Rank).toString(), QStringLiteral("P50"));
    QVERIFY(!cell(5, TraceColumn::Rank, TraceListModel::sortRole).isValid()); // unknown is not zero
    QCOMPARE(cell(1, TraceColumn::Shares).toString(), QStringLiteral("retrieve 90.0 %, generate 10.0 %"));
    for (int column = 0; column < model.columnCount(); ++column) {
        model.sort(column, Qt::DescendingOrder);
        model.sort(column, Qt::AscendingOrder);
        QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    }
    model.setRows(nullptr, {}, {});
    QCOMPARE(model.rowCount(), 0);
}

void TestTracesList::selectionFollowsItsTrace()
{
    TraceListModel model;
    filled(model, someRows());
    const QPersistentModelIndex third(model.index(2, 0));
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    model.sort(int(TraceColumn::E2e), Qt::DescendingOrder);
    QCOMPARE(third.row(), 0); // 400 ms is the longest
    QCOMPARE(model.row(third.row()).ref.index, std::size_t(2));
    QCOMPARE(*model.rowOf({Side::Before, 2}), 0);
    QCOMPARE(resets.count(), 0);
}

void TestTracesList::tsv()
{
    TraceListModel model;
    filled(model, someRows());
    const QStringList lines = model.toTsv({0, 4}).split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0].split(QLatin1Char('\t')).size(), int(TraceColumn::Count_));
    const QStringList first = lines[1].split(QLatin1Char('\t'));
    QCOMPARE(first[0], QStringLiteral("A"));
    QCOMPARE(first[2], QStringLiteral("300000000"));
    QCOMPARE(first[7], QStringLiteral("ingress a"));
    QCOMPARE(lines[2].split(QLatin1Char('\t'))[0], QStringLiteral("B"));

    TraceBuilder hostile;
    hostile.span("x", 0, 1).named("=HYPERLINK(\"x\")\tand more");
    filled(model, makeTraceRows(datasetOf(hostile, "h"), nullptr));
    QCOMPARE(model.toTsv({0}).split(QLatin1Char('\n'))[1].split(QLatin1Char('\t'))[7], QStringLiteral("'=HYPERLINK(\"x\") and more"));
}

void TestTracesList::histogramHoldsEveryValue()
{
    Random random(3);
    for (int run = 0; run < 200; ++run) {
        std::array<std::vector<Duration>, 2> values;
        for (std::vector<Duration>& side : values) {
            for (std::uint64_t i = 0, n = random.below(50); i < n; ++i)
                side.push_back(Duration{random.between(run % 3 == 0 ? -5 : 0, std::int64_t(1) << random.below(62))});
        }
        values[0].push_back(unknownDuration);
        const AxisScale scale = run % 2 == 0 ? AxisScale::Linear : AxisScale::Logarithmic;
        const DurationHistogram histogram = durationHistogram(values[0], values[1], 1 + random.below(100), scale);
        for (std::size_t side = 0; side < 2; ++side) {
            std::size_t known = 0;
            for (const Duration value : values[side]) {
                known += isKnown(value) ? 1 : 0;
                QVERIFY(!isKnown(value) || histogram.binOf(value).has_value());
            }
            const auto& counts = histogram.counts[side];
            QCOMPARE(std::accumulate(counts.begin(), counts.end(), std::size_t(0)), known);
            QCOMPARE(histogram.totals[side], known);
        }
        QVERIFY(std::adjacent_find(histogram.edges.begin(), histogram.edges.end(), std::greater_equal<>()) == histogram.edges.end());
    }
}

void TestTracesList::histogramEdges_data()
{
    QTest::addColumn<QList<qint64>>("values");
    QTest::addColumn<int>("bins");
    QTest::addColumn<bool>("log");
    QTest::addColumn<QList<qint64>>("edges");
    QTest::newRow("none") << QList<qint64>{} << 4 << false << QList<qint64>{};
    QTest::newRow("linear") << QList<qint64>{0, 99} << 4 << false << QList<qint64>{0, 25, 50, 75, 100};
    QTest::newRow("log") << QList<qint64>{1, 9999} << 4 << true << QList<qint64>{1, 10, 100, 1000, 10000};
    QTest::newRow("one value") << QList<qint64>{7} << 4 << false << QList<qint64>{7, 8};
    QTest::newRow("zeros on a log axis") << QList<qint64>{0, 0} << 4 << true << QList<qint64>{0, 1};
    QTest::newRow("fewer whole numbers than bins") << QList<qint64>{0, 1} << 10 << false << QList<qint64>{0, 1, 2};
}

void TestTracesList::histogramEdges()
{
    QFETCH(QList<qint64>, values);
    QFETCH(int, bins);
    QFETCH(bool, log);
    QFETCH(QList<qint64>, edges);
    std::vector<Duration> durations;
    for (const qint64 value : values)
        durations.emplace_back(value);
    QList<qint64> actual;
    for (const Duration edge : durationHistogram(durations, {}, std::size_t(bins), log ? AxisScale::Logarithmic : AxisScale::Linear).edges)
        actual << toNs(edge);
    QCOMPARE(actual, edges);
}

void TestTracesList::brushByKeys()
{
    HistogramView view;
    view.setValues({Duration{0}, Duration{500}, Duration{999}}, {});
    std::optional<Duration> from;
    std::optional<Duration> below;
    connect(&view, &HistogramView::rangeChanged, this, [&](std::optional<Duration> a, std::optional<Duration> b) {
        from = a;
        below = b;
        view.setRange(a, b);
    });
    const std::vector<Duration> edges = view.histogram().edges;
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(from == edges[0] && below == edges[1]);
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(from == edges[1] && below == edges[2]);
    QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(from == edges[1] && below == edges[3]);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!from && !below);
}

void TestTracesList::pageStates()
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

void TestTracesList::tableFitsItsPage()
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

void TestTracesList::pageFiltersAndOpens()
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

void TestTracesList::stageSelectsAPill()
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

void TestTracesList::fiftyThousandTraces()
{
    std::vector<Request> requests;
    for (int i = 0; i < 50'000; ++i)
        requests.push_back({"r" + std::to_string(i), 100 + i % 977, 10 + i % 89, i % 13 == 0});
    const auto dataset = datasetOf(traces(requests), "many");
    QElapsedTimer clock;
    clock.start();
    const auto rows = makeTraceRows(dataset, nullptr);
    const qint64 made = clock.restart();
    TraceScope scope;
    scope.text = QStringLiteral("duration > 500ms and stage.retrieve > 5% and r1");
    const auto result = queryTraces(*rows, scope, {}, {});
    const qint64 queried = clock.restart();
    TraceListModel model;
    filled(model, rows);
    model.sort(int(TraceColumn::E2e), Qt::DescendingOrder);
    const qint64 sorted = clock.restart();
    qInfo("50k traces: rows %lld ms, query %lld ms, sort %lld ms", made, queried, sorted);
    QVERIFY(result.has_value() && !result->rows.empty());
    QCOMPARE(model.rowCount(), 50'000);
}

QTEST_MAIN(TestTracesList)
#include "tst_traceslist.moc"
