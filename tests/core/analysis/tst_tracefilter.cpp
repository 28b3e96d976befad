// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The filter language of the trace list: what passes, what is refused and where.
#include "core/analysis/tracefilter.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

using namespace chokepoint;

namespace {

/// Four traces: fast (2 s, all generate), slow (4 s, 3 s retrieve, one error), open (no end-to-end time), quiet (1 s, other service).
struct Fixture {
    TraceColumns columns = testkit::TraceBuilder()
                               .span("POST /chat", 0, 2000000000)
                               .service("gateway")
                               .nextTrace()
                               .span("POST /chat", 0, 4000000000)
                               .service("gateway")
                               .span("search", 0, 3000000000, "POST /chat")
                               .error()
                               .nextTrace()
                               .span("POST /chat", 0, 0)
                               .noEnd()
                               .service("gateway")
                               .nextTrace()
                               .span("GET /health \"deep\"", 0, 1000000000)
                               .service("Ops")
                               .build();
    Population population;

    Fixture()
    {
        const auto table = std::make_shared<StageTable>();
        table->add("generate");
        table->add("retrieve");
        table->add("retrieve.vector");
        population.table = table;
        population.stageCount = 3;
        const auto seconds = [](double s) { return Duration{std::int64_t(s * 1e9)}; };
        population.traces = {{0, seconds(2), true, true, 0, {}}, {0, seconds(4), true, true, 1, {}},
            {0, unknownDuration, true, false, 0, {}}, {0, seconds(1), true, true, 0, {}}};
        population.onPath = {seconds(2), {}, {}, seconds(1), seconds(1), seconds(2), {}, {}, {}, seconds(1), {}, {}};
    }
};

} // namespace

class tst_TraceFilter : public QObject {
    Q_OBJECT

private slots:
    void passes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("traces");
        const auto row = [](const char* text, const QList<int>& traces) { QTest::newRow(text) << QString::fromUtf8(text) << traces; };
        row("", {0, 1, 2, 3});
        row("duration > 1500ms", {0, 1});
        row("duration >= 2s", {0, 1});
        row("duration<2s", {3});
        row("duration = 0.001h or duration = 4s", {1});
        row("stage.retrieve > 40%", {1});
        row("stage.retrieve >= 3s", {1});
        row("stage.retrieve.vector = 2s", {1});
        row("stage.nowhere < 1%", {0, 1, 3});
        row("errors > 0", {1});
        row("spans = 1", {0, 2, 3});
        row("complete", {0, 1, 3});
        row("not complete", {2});
        row("root ~ CHAT", {0, 1, 2});
        row("root = \"GET /health \\\"deep\\\"\"", {3});
        row("service != gateway", {3});
        row("ops", {3});
        row("health deep", {3});
        row("00000000000000000000000000000002", {1});
        row("trace_id ~ 0002", {1});
        row("duration > 1500ms and errors = 0", {0});
        row("duration > 1500ms errors = 0", {0});
        row("errors > 0 or service = Ops and complete", {1, 3});
        row("(errors > 0 or service = Ops) and duration < 3s", {3});
        row("not (errors > 0 or service = Ops)", {0, 2});
        row("not errors > 0 and not service = Ops", {0, 2});
        row("not not complete", {0, 1, 3});
    }
    void passes()
    {
        QFETCH(const QString, text);
        const Fixture fixture;
        const Result<TraceFilter> filter = TraceFilter::parse(text.toStdString());
        QVERIFY2(filter.has_value(), filter ? "" : filter.error().detail.c_str());
        QList<int> passing;
        for (const std::uint32_t trace : filter->apply(fixture.columns, fixture.population))
            passing.push_back(int(trace));
        QTEST(passing, "traces");
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("at");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* text, int at, const char* says) { QTest::newRow(text) << QString(text) << at << QString(says); };
        row("duration > 3", 11, "unit");
        row("duration > 40%", 11, "unit");
        row("stage.generate > 3", 17, "unit, such as");
        row("duration > fast", 11, "no number");
        row("errors > 1.5", 9, "whole number");
        row("duration ~ 3s", 8, "~ goes with");
        row("root > chat", 4, "is a text");
        row("latency > 3s", 0, "no field");
        row("duration >", 10, "value is missing");
        row("> 3s", 0, "field is missing");
        row("errors > 0 and", 14, "condition is missing");
        row("and errors > 0", 0, "condition is missing");
        row("(errors > 0", 0, "not closed");
        row("errors > 0)", 10, "no '('");
        row("\"open", 0, "closing quote");
        row("errors ! 0", 7, "no comparison");
        row("()", 1, "condition is missing");
        row("duration > 1e300s", 11, "unit");
    }
    void refuses()
    {
        QFETCH(const QString, text);
        const Result<TraceFilter> filter = TraceFilter::parse(text.toStdString());
        QVERIFY(!filter);
        QCOMPARE(filter.error().code, ErrorCode::InvalidQuery);
        QTEST(int(filter.error().place.byte.value_or(9999)), "at");
        QFETCH(const QString, says);
        QVERIFY2(QString::fromStdString(filter.error().detail).contains(says), filter.error().detail.c_str());
    }

    void clauses()
    {
        const auto of = [](const char* text) { return TraceFilter::parse(text)->clauses(); };
        QCOMPARE(of("duration > 3s and (errors > 0 or spans > 5) chat"),
            (std::vector<std::string>{"duration > 3s", "(errors > 0 or spans > 5)", "chat"}));
        QCOMPARE(of("errors > 0 or spans > 5"), (std::vector<std::string>{"errors > 0 or spans > 5"}));
        QVERIFY(of("  ").empty());
    }

    void deepParenthesesUseNoCallStack()
    {
        const std::string deep = std::string(200000, '(') + "complete" + std::string(200000, ')');
        QVERIFY(TraceFilter::parse(deep).has_value());
    }
};

QTEST_GUILESS_MAIN(tst_TraceFilter)
#include "tst_tracefilter.moc"
