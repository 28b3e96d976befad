// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The trace list: rows, filter, order and model.
#include "tests/views/requestsfixture.h"
#include "views/traces/tracelistmodel.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <numeric>
#include <utility>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

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
    void startsWithoutDates();
    void tsv();
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
    QCOMPARE(cell(0, TraceColumn::Rank).toString(), QStringLiteral("P50\u2002"));
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

void TestTracesList::startsWithoutDates()
{
    constexpr std::int64_t boot = 86'400'000'000'000;
    TraceBuilder profile;
    profile.span("step", boot, boot + ms).nextTrace().span("step", boot + 12'345 * ms, boot + 12'346 * ms);
    TraceBuilder server;
    server.span("ingress", 1'700'000'000'123'456'789, 1'700'000'000'200'000'000);
    const auto header = [](const TraceListModel& model) {
        return model.headerData(int(TraceColumn::Start), Qt::Horizontal, Qt::DisplayRole).toString();
    };
    TraceListModel model;
    const auto cell = [&](int row, int role) { return model.index(row, int(TraceColumn::Start)).data(role).toString(); };

    filled(model, makeTraceRows(datasetOf(profile, "profile"), datasetOf(server, "server")));
    QCOMPARE(header(model), QStringLiteral("Start"));
    QCOMPARE(cell(0, Qt::DisplayRole), QStringLiteral("+0.000 s"));
    QCOMPARE(cell(1, Qt::DisplayRole), QStringLiteral("+12.345 s"));
    QVERIFY(cell(1, Qt::ToolTipRole).startsWith(QStringLiteral("+12.345000000 s after the first span")));
    QCOMPARE(cell(1, TraceListModel::sortRole), QString::number(boot + 12'345 * ms));
    QCOMPARE(cell(2, Qt::DisplayRole), QStringLiteral("2023-11-14 22:13:20.123"));

    filled(model, makeTraceRows(datasetOf(server, "server"), nullptr));
    QCOMPARE(header(model), QStringLiteral("Start (UTC)"));
    QCOMPARE(cell(0, Qt::ToolTipRole), QStringLiteral("2023-11-14 22:13:20.123456789"));
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
