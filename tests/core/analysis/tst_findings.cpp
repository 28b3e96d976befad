// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Findings: which come, what they say, and that they say nothing that their evidence does not show.
#include "core/analysis/findings.h"
#include "tests/core/analysis/tst_comparison_sides.h"

#include <QRegularExpression>
#include <QTest>

#include <set>

using namespace chokepoint;

namespace {

/// One side with all that findings take.
struct Known {
    Side made;
    PopulationSummary summary;
    std::optional<Spending> spending;
    std::optional<RetryAnalysis> retries;
    std::optional<WhatIfResult> ceilings;

    explicit Known(Side side) : made(std::move(side))
    {
        made.population.selfTime.resize(made.population.stageCount);
        made.population.spanCount.resize(made.population.stageCount);
        summary = summarise(made.columns, made.population);
    }
    [[nodiscard]] FindingsSide view() const
    {
        return {made.columns, made.population, summary, spending ? &*spending : nullptr, retries ? &*retries : nullptr,
            ceilings ? &*ceilings : nullptr};
    }
};

std::vector<Finding> compared(const Known& before, const Known& after, const AmdahlAnalysis* amdahl = nullptr)
{
    const FindingsSide first = before.view();
    const FindingsSide second = after.view();
    const Comparison comparison = compared(before.made, after.made);
    return findingsOf(FindingsPair{first, second, comparison, amdahl});
}

QString idsOf(const std::vector<Finding>& findings)
{
    QStringList ids;
    for (const Finding& finding : findings)
        ids << QString::fromStdString(finding.id);
    return ids.join(' ');
}

const Finding& find(const std::vector<Finding>& findings, const std::string& id)
{
    for (const Finding& finding : findings)
        if (finding.id == id)
            return finding;
    qFatal("no finding %s among %s", id.c_str(), qPrintable(idsOf(findings)));
}

/// The numbers of a text, those of names of statistics left out.
QStringList numbersIn(const QString& text)
{
    static const QRegularExpression number("(?<![A-Za-z0-9.])[0-9][0-9.,e]*[0-9]|(?<![A-Za-z0-9.])[0-9]");
    QStringList numbers;
    for (auto match = number.globalMatch(text); match.hasNext();)
        numbers << match.next().captured();
    return numbers;
}

/// What is wrong with a finding; "" when nothing is.
QString faultOf(const Finding& finding)
{
    QStringList shown;
    std::set<std::string> names;
    for (const Evidence& evidence : finding.evidence) {
        shown << numbersIn(QString::fromStdString(evidence.shown));
        if (!names.insert(evidence.name).second)
            return QString("%1 has two figures %2").arg(finding.id.c_str(), evidence.name.c_str());
    }
    for (const std::string& text : {finding.title, finding.text}) {
        if (text.empty() || text.find_first_of("{}") != std::string::npos)
            return QString("%1 says \"%2\"").arg(finding.id.c_str(), text.c_str());
        for (const QString& number : numbersIn(QString::fromStdString(text)))
            if (!shown.contains(number))
                return QString("%1: %2 is in no evidence: %3").arg(finding.id.c_str(), number, text.c_str());
    }
    return {};
}

RetryAnalysis retriesOf(const Side& side, std::size_t retried, std::int64_t wasted, bool cascade = false)
{
    RetryAnalysis retries;
    retries.traces.resize(side.columns.traceCount());
    for (std::size_t t = 0; t < retried; ++t) {
        TraceRetries& trace = retries.traces[t];
        trace.retries = 2;
        trace.wasted = Duration(wasted);
        trace.generates = 9;
        trace.logicalGenerates = 3;
        trace.walks = 3;
        trace.cascade = cascade;
    }
    RetrySummary& summary = retries.summary;
    summary.requests = side.columns.traceCount();
    summary.retriedRequests = retried;
    summary.extraAttempts = 2 * retried;
    summary.wasted = Duration(std::int64_t(retried) * wasted);
    summary.wastedTokens = TokenCount(std::int64_t(retried) * 100);
    summary.wastedCost = Money::fromNumber(0.25);
    summary.unknownTokenAttempts = 3;
    summary.cascades = cascade ? retried : 0;
    CauseFigures cause;
    cause.cause = RetryCause::Timeout;
    cause.count = 2 * retried;
    summary.byCause.push_back(cause);
    return retries;
}

Spending spendingOf(double perRequest, std::optional<double> perCorrect = std::nullopt)
{
    Spending spending;
    spending.currency = "USD";
    spending.requests = 100;
    spending.totals.generate[TokenKind::Input] = TokenCount(123456);
    spending.totals.unpricedSpans = 7;
    spending.perRequest = perRequest;
    spending.cost = Money::fromNumber(perRequest * 100);
    spending.perSuccessfulAnswer = perRequest * 1.25;
    spending.correct.cost = perCorrect;
    spending.correct.labelled = 40;
    return spending;
}

Known known(std::uint64_t seed, std::size_t n, const std::vector<double>& means, const SideOptions& options = {})
{
    return Known(side({"retrieve", "generate", "validate"}, scattered(seed, n, means), options));
}

} // namespace

class TestFindings : public QObject {
    Q_OBJECT

private slots:
    void oneSide()
    {
        Known one(side({"retrieve", "generate"}, std::vector<StageTimes>(40, {300 * ms, 700 * ms})));
        const std::vector<Finding> findings = findingsOf(one.view());
        QCOMPARE(idsOf(findings), QString("bottleneck"));
        QCOMPARE(findings[0].title, std::string("generate is the bottleneck, with 70.0 % of the end-to-end time"));
        QCOMPARE(findings[0].text,
            std::string("Of the 1.00 s that a request takes on average, 700 ms are on the critical path in generate. Next is retrieve with "
                        "30.0 %."));
        QCOMPARE(std::get<std::int64_t>(findings[0].evidence[2].value), 700 * ms);
        QCOMPARE(findings[0].traces.size(), std::size_t(1));
    }

    void oneSideIds_data()
    {
        QTest::addColumn<QString>("ids");
        QTest::addColumn<int>("traces");
        QTest::addColumn<int>("errors");
        QTest::addColumn<int>("retried");
        QTest::addColumn<bool>("cascade");
        QTest::newRow("few traces") << "not-enough-data bottleneck" << 5 << 0 << 0 << false;
        QTest::newRow("failures") << "bottleneck failures" << 40 << 1 << 0 << false;
        QTest::newRow("retries") << "bottleneck retries-cost" << 40 << 0 << 4 << false;
        QTest::newRow("cascade") << "bottleneck retries-cost cascade" << 40 << 0 << 4 << true;
    }
    void oneSideIds()
    {
        QFETCH(int, traces);
        QFETCH(int, errors);
        QFETCH(int, retried);
        QFETCH(bool, cascade);
        Known one = known(1, std::size_t(traces), {100, 500, 50}, {.errors = std::size_t(errors)});
        one.retries = retriesOf(one.made, std::size_t(retried), 40 * ms, cascade);
        const std::vector<Finding> findings = findingsOf(one.view());
        QTEST(idsOf(findings), "ids");
        for (const Finding& finding : findings)
            QCOMPARE(faultOf(finding), QString());
    }

    void failuresBySeverity_data()
    {
        QTest::addColumn<int>("errors");
        QTest::addColumn<int>("severity");
        QTest::newRow("a few") << 1 << int(FindingSeverity::Info);
        QTest::newRow("many") << 2 << int(FindingSeverity::Warning);
        QTest::newRow("too many") << 10 << int(FindingSeverity::Critical);
    }
    void failuresBySeverity()
    {
        QFETCH(int, errors);
        const Known one = known(1, 200, {100, 500, 50}, {.errors = std::size_t(errors)});
        const std::vector<Finding> findings = findingsOf(one.view());
        QTEST(int(find(findings, "failures").severity), "severity");
        QCOMPARE(find(findings, "failures").traces.size(), std::size_t(std::min(errors, 3)));
    }

    void whatRetriesCost()
    {
        Known one(side({"generate"}, std::vector<StageTimes>(40, {100 * ms})));
        one.retries = retriesOf(one.made, 4, 50 * ms);
        one.spending = spendingOf(0.01);
        const std::vector<Finding> findings = findingsOf(one.view());
        const Finding& finding = find(findings, "retries-cost");
        QCOMPARE(finding.title, std::string("10.0 % of the requests are retried"));
        QCOMPARE(finding.text,
            std::string(
                "4 of 40 needed 8 more attempts; 200 ms went into those that did not give the answer (5.0 % of the 4.00 s of all "
                "complete requests). They took 400 tokens. They cost 0.25 USD. Of 3 attempts the tokens are unknown, so it is more. "
                "The most frequent cause is timeout, with 8 attempts."));
        QCOMPARE(find(findings, "cost").title, std::string("A request costs 0.01 USD"));
    }

    void withoutPricesOnlyTokens()
    {
        Known one = known(1, 40, {100, 500, 50});
        one.spending = spendingOf(0);
        one.spending->perRequest.reset();
        QCOMPARE(idsOf(findingsOf(one.view())), QString("bottleneck tokens"));
        one.spending->totals.generate = {};
        QCOMPARE(idsOf(findingsOf(one.view())), QString("bottleneck")); // unknown is not zero
    }

    void whatToTry()
    {
        Known one = known(1, 40, {100, 500, 50});
        one.ceilings = WhatIfResult();
        one.ceilings->ceilings = {{"generate", 4.3, Duration(1)}, {"retrieve", 1.2, Duration(1)}};
        const std::vector<Finding> findings = findingsOf(one.view());
        QCOMPARE(find(findings, "try-next").title, std::string("Most is to be had from generate"));
        QCOMPARE(faultOf(find(findings, "try-next")), QString());
        one.ceilings->ceilings = {{"generate", 1.01, Duration(1)}};
        QCOMPARE(idsOf(findingsOf(one.view())), QString("bottleneck"));
    }

    void theBottleneckMoved()
    {
        const Known before = known(1, 200, {200, 800, 50});
        const Known after = known(2, 200, {400, 250, 50});
        const std::vector<Finding> findings = compared(before, after);
        QCOMPARE(idsOf(findings), QString("changed bottleneck-moved what-paid what-cost"));
        QCOMPARE(find(findings, "bottleneck-moved").title, std::string("The bottleneck moved from generate to retrieve"));
        QCOMPARE(find(findings, "what-paid").title, std::string("Time was saved in generate"));
        QCOMPARE(find(findings, "what-cost").title, std::string("Time was lost in retrieve"));
        QVERIFY(find(findings, "changed").title.starts_with("After is faster on average: −"));
        for (const Finding& finding : findings)
            QCOMPARE(faultOf(finding), QString());
    }

    void theBottleneckStayed()
    {
        const std::vector<Finding> findings = compared(known(1, 200, {200, 800, 50}), known(2, 200, {200, 600, 50}));
        QCOMPARE(idsOf(findings), QString("changed bottleneck-stayed what-paid"));
    }

    void tooFewOrTheSame()
    {
        const Known few = known(1, 10, {200, 800, 50});
        const Known many = known(2, 100, {200, 800, 50});
        QCOMPARE(idsOf(compared(few, many)), QString("not-enough-data"));
        QCOMPARE(idsOf(compared(many, many)), QString("identical"));
    }

    void tooFewClusters()
    {
        const Known before = known(1, 100, {200, 800, 50});
        const Known after = known(2, 100, {200, 600, 50});
        const std::vector<std::string> one(100, "7");
        std::vector<std::string> five;
        for (int row = 0; row < 100; ++row)
            five.push_back(std::to_string(row % 5));
        ComparisonSide first = before.made.view();
        ComparisonSide second = after.made.view();
        first.clusters = &one;
        second.clusters = &five;
        const Comparison comparison = compare(first, second, {.cluster = "minute"}, JobControl()).value();
        QCOMPARE(comparison.sentence,
            std::string("Not enough data: 1 cluster by minute before and 5 after; a verdict needs at least 6 a side."));
        const FindingsSide viewBefore = before.view();
        const FindingsSide viewAfter = after.view();
        const std::vector<Finding> findings = findingsOf(FindingsPair{viewBefore, viewAfter, comparison, nullptr});
        QCOMPARE(idsOf(findings), QString("not-enough-data"));
        QCOMPARE(findings[0].text, std::string("1 cluster by minute before and 5 after; 6 a side are needed."));
        QCOMPARE(faultOf(findings[0]), QString());
    }

    void rates()
    {
        Known before = known(1, 200, {200, 800, 50});
        Known after = known(2, 200, {200, 600, 50}, {.errors = 40});
        before.retries = retriesOf(before.made, 4, 10 * ms);
        after.retries = retriesOf(after.made, 40, 10 * ms);
        before.spending = spendingOf(0.02, 0.03);
        after.spending = spendingOf(0.01, 0.05);
        const std::vector<Finding> findings = compared(before, after);
        QCOMPARE(find(findings, "failures-changed").severity, FindingSeverity::Critical);
        QCOMPARE(find(findings, "retries-changed").title, std::string("More requests are retried: 2.0 % before, 20.0 % after"));
        QCOMPARE(find(findings, "cost-changed").title, std::string("A request costs 0.01 USD; it was 0.02 USD (−50.0 %)"));
        QCOMPARE(find(findings, "cost-changed").text, std::string("A correct answer costs 0.05 USD; it was 0.03 USD."));
        const std::vector<Finding> back = compared(after, before);
        QCOMPARE(find(back, "failures-changed").severity, FindingSeverity::Info);
        QCOMPARE(find(back, "retries-changed").severity, FindingSeverity::Info);
        for (const std::vector<Finding>* each : {&findings, &back})
            for (const Finding& finding : *each)
                QCOMPARE(faultOf(finding), QString());
    }

    void fallingShortOfAmdahl()
    {
        const Known before = known(1, 200, {200, 800, 50});
        const Known after = known(2, 200, {500, 400, 50});
        AmdahlAnalysis amdahl;
        AmdahlRow row;
        row.stage = "generate";
        row.factor = 0.5;
        row.stageSpeedup = 2;
        row.shareBefore = 0.762;
        row.predictedSpeedup = 1.62;
        row.ceilingSpeedup = 4.2;
        row.actualSpeedup = 1.1;
        row.predicted = Duration(650 * ms);
        row.gap = Duration(300 * ms);
        row.terms = {{"stage:retrieve", Duration(280 * ms)}, {"retries", Duration(20 * ms)}};
        row.significant = true;
        amdahl.stages.push_back(row);
        const std::vector<Finding> findings = compared(before, after, &amdahl);
        const Finding& finding = find(findings, "amdahl-gap");
        QCOMPARE(finding.title, std::string("generate is 2.00x as fast, requests are 1.10x"));
        QVERIFY(finding.text.ends_with("Between them: retrieve (+280 ms). Then: attempts that were repeated (+20.0 ms)."));
        QCOMPARE(faultOf(finding), QString());
        amdahl.stages[0].gap = Duration(0);
        QVERIFY(idsOf(compared(before, after, &amdahl)).contains("amdahl"));
        QVERIFY(!idsOf(compared(before, after, &amdahl)).contains("amdahl-gap"));
    }

    /// Whatever comes: no number without evidence, and the same again.
    void numbersOccurInTheEvidence()
    {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            RandomStream random(seed, 5);
            const auto made = [&](std::uint64_t number) {
                const auto n = std::size_t(5 + 300 * random.uniform());
                Known side = known(seed * 2 + number, n, {50 + 900 * random.uniform(), 50 + 900 * random.uniform(), 50 * random.uniform()},
                    {.errors = std::size_t(double(n) * 0.2 * random.uniform()), .excluded = std::uint64_t(20 * random.uniform())});
                side.retries = retriesOf(side.made, std::size_t(double(n) * 0.3 * random.uniform()),
                    std::int64_t(100 * double(ms) * random.uniform()), random.uniform() < 0.5);
                side.spending = spendingOf(random.uniform() / 100, random.uniform() / 50);
                return side;
            };
            const Known before = made(0);
            const Known after = made(1);
            for (const std::vector<Finding>& findings : {findingsOf(before.view()), findingsOf(after.view()), compared(before, after)}) {
                QVERIFY(!findings.empty());
                for (const Finding& finding : findings)
                    QCOMPARE(faultOf(finding), QString());
            }
            QCOMPARE(idsOf(compared(before, after)), idsOf(compared(before, after)));
        }
    }
};

QTEST_GUILESS_MAIN(TestFindings)
#include "tst_findings.moc"
