// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reports: aligned tables, escaped text, and JSON with absent numbers as null.
#include "core/report/comparisonreport.h"
#include "core/report/summaryreport.h"
#include "core/report/texttable.h"
#include "core/report/tracesreport.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace chokepoint;

namespace {

QJsonObject parsed(const std::string& json)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(json), &error);
    if (error.error != QJsonParseError::NoError)
        qFatal("%s", qPrintable(error.errorString()));
    return document.object();
}

} // namespace

class tst_Report : public QObject {
    Q_OBJECT

private slots:
    void tablesAlign()
    {
        using enum TextTable::Align;
        TextTable table({{"stage", Left}, {"time", Right, 6}});
        table.addRow({"générer", "1.20 s"});
        table.addRow({"検索", "95 ms"});
        table.addRow({"x\x1b[2J", "longer than six"});
        QCOMPARE(table.text(),
            std::string("stage       time\n"
                        "générer   1.20 s\n"
                        "検索       95 ms\n"
                        "x\\x1b[2J  longe…\n"));
    }

    void summaryWithoutTracesHasNullsAndNoBottleneck()
    {
        const QJsonObject json = parsed(summaryJson({}));
        QCOMPARE(json["schema"].toString(), QString("chokepoint.summary/1"));
        QVERIFY(json["bottleneck"].isNull());
        QVERIFY(json["e2e"].toObject()["p50_ns"].isNull());
        QVERIFY(json["time"].toObject()["first_unix_ns"].isNull());
        QCOMPARE(json["e2e"].toObject()["n"].toInt(-1), 0);
        QVERIFY(summaryText({}).find("Not enough data") != std::string::npos);
    }

    void summaryListsFaultsUnderTheOnlyInput()
    {
        Diagnostics imported;
        imported.report(DiagnosticCode::InvalidId, "line 3: made up");
        Diagnostics tree;
        tree.add(DiagnosticCode::MissingParent, 4, "span 7");
        const ReportedInput input{"a.jsonl", "otlp-json", "gzip", 100, 5, imported};
        const QJsonArray warnings = parsed(summaryJson({{}, {input}, tree}))["inputs"].toArray()[0].toObject()["warnings"].toArray();
        QCOMPARE(warnings.size(), 2);
        QCOMPARE(warnings[1].toObject()["code"].toString(), QString("MISSING_PARENT"));
        QCOMPARE(warnings[1].toObject()["count"].toInt(), 4);
        QVERIFY(!parsed(summaryJson({{}, {input}, tree})).contains("warnings"));
        QCOMPARE(parsed(summaryJson({{}, {input, input}, tree}))["warnings"].toArray().size(), 1);
    }

    void summaryListsDoubtsApart()
    {
        Diagnostics doubts;
        doubts.add(DiagnosticCode::UnitUnknown, 3, "gen_ai.latency.e2e is 7");
        const auto write = [&doubts](const auto& report) { return report(ReportedSummary{.doubts = &doubts}); };
        const QJsonArray listed = parsed(write(summaryJson))["diagnostics"].toArray();
        QCOMPARE(listed.size(), 1);
        QCOMPARE(listed[0].toObject()["code"].toString(), QString("UNIT_UNKNOWN"));
        QCOMPARE(listed[0].toObject()["count"].toInt(), 3);
        QVERIFY(write(summaryText).find("can be trusted\n  3 x UNIT_UNKNOWN: gen_ai.latency.e2e is 7\n") != std::string::npos);
        QVERIFY(!parsed(summaryJson({})).contains("diagnostics")); // not looked for
        doubts = {};
        QVERIFY(parsed(write(summaryJson))["diagnostics"].toArray().isEmpty());
        QVERIFY(write(summaryText).find("trusted") == std::string::npos);
    }

    void comparisonKeepsUnknownAsNull()
    {
        Comparison comparison;
        comparison.sentence = "Not enough data";
        comparison.e2e = {{.statistic = Statistic::P99, .shortfall = "needs 500 traces a side, have 40"}};
        GroupRow fresh{.service = "s", .name = "only new", .countAfter = 3, .p50After = Duration{5}};
        const QJsonObject json = parsed(comparisonJson({comparison, "a", "b", {fresh}}));
        const QJsonObject row = json["e2e"].toArray()[0].toObject();
        QVERIFY(row["before_ns"].isNull() && row["ci_ns"].isNull() && row["delta"].isNull());
        QCOMPARE(row["shortfall"].toString(), QString("needs 500 traces a side, have 40"));
        const QJsonObject group = json["rows"].toArray()[0].toObject();
        QCOMPARE(group["state"].toString(), QString("only_after"));
        QVERIFY(group["p50_before_ns"].isNull() && group["p50_pct"].isNull());
        QVERIFY(json["bottleneck"].toObject()["before"].isNull());
    }

    /// Unknown tokens and amounts are null; known ones exact.
    void usageKeepsUnknownAsNull()
    {
        Spending spending;
        spending.currency = "EUR";
        const QJsonObject empty = parsed(summaryJson({.spending = &spending}));
        QVERIFY(empty["tokens"].toObject()["input"].isNull() && empty["tokens"].toObject()["total"].isNull());
        QVERIFY(empty["cost"].toObject()["total"].isNull() && empty["cost"].toObject()["per_correct_answer"].isNull());
        QCOMPARE(empty["cost"].toObject()["currency"].toString(), QString("EUR"));
        QVERIFY(!parsed(summaryJson({})).contains("tokens"));
        spending.totals.generate[TokenKind::Input] = 131;
        spending.totals.generate[TokenKind::CacheRead] = 12890;
        spending.totals.generate[TokenKind::Output] = 0;
        spending.totals.cost = Money::fromText("0.3000021");
        spending.totals.unpricedSpans = 1;
        const QJsonObject json = parsed(summaryJson({.spending = &spending}));
        QCOMPARE(json["tokens"].toObject()["input"].toInt(), 13021);
        QCOMPARE(json["tokens"].toObject()["output"].toInt(-1), 0);
        QCOMPARE(json["tokens"].toObject()["cache_read"].toInt(), 12890);
        QVERIFY(json["tokens"].toObject()["reasoning"].isNull());
        QCOMPARE(json["cost"].toObject()["total"].toDouble(), 0.3000021);
        spending.totals.withUsage = 1;
        QVERIFY(summaryText({.spending = &spending}).find("Cost: 0.3000021 EUR (1 call without price)") != std::string::npos);
    }

    void tracesSortStably()
    {
        QVERIFY(traceOrderFromText("-duration")->descending);
        QVERIFY(!traceOrderFromText("latency"));
    }
};

QTEST_GUILESS_MAIN(tst_Report)
#include "tst_report.moc"
