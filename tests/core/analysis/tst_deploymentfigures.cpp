// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gates on retries and on the cost of correct answers.
#include "core/analysis/deploymentfigures.h"
#include "core/analysis/proportions.h"

#include <QTest>

#include <cmath>

using namespace chokepoint;

namespace {

RetrySummary retried(std::uint64_t some, std::uint64_t of)
{
    RetrySummary summary;
    summary.requests = of;
    summary.retriedRequests = some;
    return summary;
}

Spending correctFor(std::optional<double> cost, std::optional<Interval> interval)
{
    Spending spending;
    spending.correct.cost = cost;
    spending.correct.costInterval = interval;
    if (!cost)
        spending.correct.shortfall = "no answer is labelled right or wrong";
    return spending;
}

GateResult judged(const char* gate, const DeploymentFigures& before, const DeploymentFigures& after)
{
    return evaluateGates(
        {parseGate(gate).value()}, [&](std::string_view statistic) { return deploymentFigure(before, after, statistic); }, true)
        .value()
        .front();
}

} // namespace

class TestDeploymentFigures : public QObject {
    Q_OBJECT

private slots:
    void retryRate_data()
    {
        QTest::addColumn<int>("before");
        QTest::addColumn<int>("after");
        QTest::addColumn<int>("of");
        QTest::addColumn<QByteArray>("gate");
        QTest::addColumn<int>("status");
        QTest::newRow("limit on after, beyond") << 10 << 150 << 1000 << QByteArray("retry_rate > 0.1") << int(GateStatus::Fail);
        QTest::newRow("limit on after, inside") << 10 << 50 << 1000 << QByteArray("retry_rate > 10%") << int(GateStatus::Pass);
        QTest::newRow("difference, beyond") << 30 << 150 << 1000 << QByteArray("retry_rate > +0.05") << int(GateStatus::Fail);
        QTest::newRow("difference, inside") << 30 << 32 << 1000 << QByteArray("retry_rate > +0.05") << int(GateStatus::Pass);
        QTest::newRow("difference, on the limit") << 30 << 80 << 1000 << QByteArray("retry_rate > +0.05") << int(GateStatus::Inconclusive);
        QTest::newRow("relative to nothing") << 0 << 80 << 1000 << QByteArray("retry_rate > +5%") << int(GateStatus::Inconclusive);
        QTest::newRow("no requests") << 0 << 0 << 0 << QByteArray("retry_rate > 0.1") << int(GateStatus::Inconclusive);
    }
    void retryRate()
    {
        QFETCH(int, before);
        QFETCH(int, after);
        QFETCH(int, of);
        QFETCH(QByteArray, gate);
        const RetrySummary first = retried(std::uint64_t(before), std::uint64_t(of));
        const RetrySummary second = retried(std::uint64_t(after), std::uint64_t(of));
        const Spending none;
        QTEST(int(judged(gate.constData(), {first, none}, {second, none}).status), "status");
        const std::optional<GateFigure> figure = deploymentFigure({first, none}, {second, none}, "retry_rate");
        QCOMPARE(figure->difference,
            proportionDifference({std::uint64_t(before), std::uint64_t(of)}, {std::uint64_t(after), std::uint64_t(of)}));
    }

    void costPerCorrectAnswer()
    {
        const RetrySummary none;
        const Spending before = correctFor(0.02, Interval{0.017, 0.024});
        const Spending after = correctFor(0.03, Interval{0.027, 0.033});
        const std::optional<GateFigure> figure = deploymentFigure({none, before}, {none, after}, "cost_per_correct_answer");
        QVERIFY(figure && figure->difference);
        QVERIFY(std::abs(figure->difference->low - 0.005) < 1e-12); // 0.01 - hypot(0.003, 0.004)
        QVERIFY(std::abs(figure->difference->high - (0.01 + std::hypot(0.003, 0.003))) < 1e-12);
        const std::optional<GateFigure> back = deploymentFigure({none, after}, {none, before}, "cost_per_correct_answer");
        QCOMPARE(back->difference->low, -figure->difference->high);
        QCOMPARE(back->difference->high, -figure->difference->low);
        QCOMPARE(judged("cost_per_correct_answer > +0.004", {none, before}, {none, after}).status, GateStatus::Fail);
        QCOMPARE(judged("cost_per_correct_answer > +0.02", {none, before}, {none, after}).status, GateStatus::Pass);
        QCOMPARE(judged("cost_per_correct_answer > +50%", {none, before}, {none, after}).status, GateStatus::Inconclusive);
        const GateResult unknown = judged("cost_per_correct_answer > +0%", {none, before}, {none, correctFor(std::nullopt, std::nullopt)});
        QCOMPARE(unknown.status, GateStatus::Inconclusive);
        QCOMPARE(unknown.why, std::string("no answer is labelled right or wrong"));
    }

    void oneSide_data()
    {
        QTest::addColumn<QByteArray>("gate");
        QTest::addColumn<int>("traces");
        QTest::addColumn<int>("status");
        QTest::newRow("mean beyond") << QByteArray("mean > 9ns") << 100 << int(GateStatus::Fail);
        QTest::newRow("mean inside") << QByteArray("mean > 10ns") << 100 << int(GateStatus::Pass);
        QTest::newRow("P95 of enough traces") << QByteArray("p95 > 19ns") << 72 << int(GateStatus::Fail);
        QTest::newRow("P95 of too few traces") << QByteArray("p95 > 19ns") << 71 << int(GateStatus::Inconclusive);
        QTest::newRow("no traces") << QByteArray("mean > 9ns") << 0 << int(GateStatus::Inconclusive);
        QTest::newRow("error rate") << QByteArray("error_rate > 2%") << 100 << int(GateStatus::Fail);
        QTest::newRow("share of a stage") << QByteArray("stage.generate.share > 0.7") << 100 << int(GateStatus::Pass);
        QTest::newRow("time of a sub-stage") << QByteArray("stage.generate.decode.mean > 3ns") << 100 << int(GateStatus::Fail);
        QTest::newRow("a stage that does not occur") << QByteArray("stage.rerank.share > 0.7") << 100 << int(GateStatus::Inconclusive);
        QTest::newRow("retries") << QByteArray("retry_rate > 0.1") << 100 << int(GateStatus::Fail);
        QTest::newRow("money that nobody knows") << QByteArray("cost_per_request > 0.1") << 100 << int(GateStatus::Inconclusive);
        QTest::newRow("a difference has no other side") << QByteArray("mean > +9ns") << 100 << int(GateStatus::Inconclusive);
        QTest::newRow("nor has that of a rate") << QByteArray("retry_rate > +1%") << 100 << int(GateStatus::Inconclusive);
    }
    void oneSide()
    {
        QFETCH(QByteArray, gate);
        QFETCH(int, traces);
        PopulationSummary summary;
        summary.e2e.n = std::uint64_t(traces);
        summary.e2e.mean = Duration(10);
        summary.e2e.p95 = Duration(20);
        StageFigures generate;
        generate.stage = "generate";
        generate.share = 0.68;
        StageFigures decode;
        decode.stage = "generate.decode";
        decode.critical = Duration(400);
        generate.substages.push_back(decode);
        summary.stages.push_back(generate);
        const RetrySummary retries = retried(20, 100);
        const Spending spending;
        const auto figure = [&](std::string_view statistic) { return singleFigure(summary, {3, 100}, {retries, spending}, statistic); };
        QTEST(int(evaluateGates({parseGate(gate.constData()).value()}, figure, true).value().front().status), "status");
        QVERIFY(!figure("speed"));
        QVERIFY(!figure("stage.generate.speed"));
    }

    void otherNames()
    {
        const RetrySummary none;
        const Spending nothing;
        QVERIFY(deploymentFigure({none, nothing}, {none, nothing}, "tokens_per_request"));
        QVERIFY(!deploymentFigure({none, nothing}, {none, nothing}, "p95"));
    }
};

QTEST_GUILESS_MAIN(TestDeploymentFigures)
#include "tst_deploymentfigures.moc"
