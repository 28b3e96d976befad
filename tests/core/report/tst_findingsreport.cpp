// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Findings, Amdahl and the graph of stages as JSON, text, Markdown and DOT: absent numbers are null, text from traces is data.
#include "core/report/comparisonreport.h"
#include "core/report/findingsreport.h"
#include "core/report/graphreport.h"
#include "core/report/summaryreport.h"

#include <QTest>

#include <algorithm>
#include <limits>

using namespace chokepoint;

namespace {

/// JSON written with single quotes.
std::string quoted(std::string json)
{
    std::replace(json.begin(), json.end(), '\'', '"');
    return json;
}

std::vector<Finding> twoFindings()
{
    return {{"bottleneck-moved", FindingSeverity::Warning, "The bottleneck moved to a|b", "It has 68.0 %.",
                {{"after", std::string("a|b"), "a|b"}, {"share", 0.68, "68.0 %"}, {"mean_ns", std::int64_t(5), "5 ns"}}, {"abc"}},
        {"cost", FindingSeverity::Info, "A request costs \x1b[2J", "Nothing more.", {}, {}}};
}

AmdahlAnalysis oneFaster()
{
    AmdahlRow row;
    row.stage = "generate";
    row.factor = 0.5;
    row.stageSpeedup = 2;
    row.shareBefore = 1;
    row.predictedSpeedup = 2;
    row.ceilingSpeedup = std::numeric_limits<double>::infinity();
    row.actualSpeedup = 1.5;
    row.predicted = Duration(50);
    row.gap = Duration(17);
    row.terms = {{"retries", Duration(20)}, {"rest", Duration(-3)}};
    AmdahlAnalysis analysis;
    analysis.stages.push_back(row);
    analysis.backtest = Backtest{7, {{Statistic::P95, Duration(100), Duration(60), Duration(80), -0.25, unknownDuration}},
        {{"generate", 0.5, Duration(50), Duration(67)}}, {"rerank"}};
    return analysis;
}

StageGraph loop(const std::string& label)
{
    StageGraph graph;
    graph.requests = 2;
    graph.nodes.push_back({"a", label, 3, 2, 1.5, Duration(10), Duration(20), Duration(15), 0.5});
    graph.edges.push_back({StageEdgeKind::Retry, 0, 0, 1, 1, 0.5, unknownDuration, unknownDuration});
    return graph;
}

} // namespace

class TestFindingsReport : public QObject {
    Q_OBJECT

private slots:
    void findingsAsJson()
    {
        QCOMPARE(toText(findingsJson(twoFindings())),
            quoted("[{'id':'bottleneck-moved','severity':'warning','title':'The bottleneck moved to a|b','text':'It has 68.0 %.',"
                   "'evidence':{'after':'a|b','share':0.68,'mean_ns':5,'trace_ids':['abc']}},"
                   "{'id':'cost','severity':'info','title':'A request costs \\u001b[2J','text':'Nothing more.','evidence':{}}]"));
    }

    void findingsForPeople()
    {
        QCOMPARE(findingsText(twoFindings()),
            std::string("!  The bottleneck moved to a|b. It has 68.0 %.\n   A request costs \\x1b[2J. Nothing more.\n"));
        QVERIFY(findingsMarkdown(twoFindings()).starts_with("- **The bottleneck moved to a\\|b** (warning). It has 68"));
        QCOMPARE(findingsText({}), std::string());
    }

    void amdahlAsJson()
    {
        const Json row = amdahlJson(oneFaster())[0];
        QCOMPARE(row["stage_speedup"].get<double>(), 2.0);
        QVERIFY(row["ceiling_speedup"].is_null()); // there is no limit
        QCOMPARE(row["gap_ns"].get<int>(), 17);
        QCOMPARE(row["explained_by"].dump(), quoted("[{'what':'retries','ns':20},{'what':'rest','ns':-3}]"));
        const Json back = backtestJson(*oneFaster().backtest);
        QCOMPARE(back["e2e"].dump(),
            quoted("[{'stat':'p95','before_ns':100,'predicted_ns':60,'actual_ns':80,'error':-0.25,"
                   "'predicted_with_retries_ns':null}]"));
        QCOMPARE(back["unpredicted"].dump(), quoted("['rerank']"));
    }

    void amdahlForPeople()
    {
        const std::string text = amdahlText(oneFaster());
        QVERIFY(text.find("no limit") != std::string::npos);
        QVERIFY(text.find("retries +20 ns, rest") != std::string::npos);
        QCOMPARE(amdahlText({}), std::string());
    }

    void reportsSayFindingsFirst()
    {
        const std::vector<Finding> findings = twoFindings();
        const AmdahlAnalysis amdahl = oneFaster();
        Comparison comparison;
        comparison.e2e.push_back({});
        ReportedComparison report{comparison, "a", "b", {}};
        QVERIFY(!Json::parse(comparisonJson(report)).contains("amdahl"));
        QVERIFY(!Json::parse(comparisonJson(report)).contains("findings"));
        report.findings = &findings;
        report.amdahl = &amdahl;
        const Json json = Json::parse(comparisonJson(report));
        QCOMPARE(json["findings"].size(), std::size_t(2));
        QCOMPARE(json["amdahl"].size(), std::size_t(1));
        QCOMPARE(json["backtest"]["traces"].get<int>(), 7);
        const std::string text = comparisonText(report);
        QVERIFY(text.find("The bottleneck moved") < text.find("end to end"));
        const std::string markdown = comparisonMarkdown(report);
        QVERIFY(markdown.find("## Findings") < markdown.find("## End to end"));
        const std::string summary = summaryText({.findings = &findings});
        QVERIFY(summary.find("The bottleneck moved") < summary.find("Not enough data"));
        QCOMPARE(Json::parse(summaryJson({.findings = &findings}))["findings"].size(), std::size_t(2));
    }

    void graphAsJson()
    {
        QCOMPARE(graphJson(loop("A")),
            quoted("{'schema':'chokepoint.graph/1','requests':2,'nodes':[{'stage':'a','label':'A','calls':3,'requests':2,"
                   "'calls_per_request':1.5,'mean_ns':10,'p95_ns':20,'critical_mean_ns':15,'share':0.5}],"
                   "'edges':[{'kind':'retry','from':'a','to':'a','count':1,'requests':1,'per_request':0.5,"
                   "'mean_ns':null,'p95_ns':null}]}"));
    }

    void labelsCannotEscapeFromDot()
    {
        const std::string dot = graphDot(loop("a\"]; evil [x=\"\\\n}"));
        QVERIFY(dot.find("n0 [label=\"a\\\"]; evil [x=\\\"\\\\") != std::string::npos);
        QCOMPARE(std::count(dot.begin(), dot.end(), '\n'), std::ptrdiff_t(6)); // the label added no line
        QVERIFY(dot.find("n0 -> n0 [label=\"retry 0.50 a request\", style=bold") != std::string::npos);
        QVERIFY(graphText(loop("A")).find("retry") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestFindingsReport)
#include "tst_findingsreport.moc"
