// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A request that walks the pipeline three times, with an HTTP retry in the second walk: every figure by hand.
#include "tests/core/analysis/retrytext.h"

#include <QTest>

using namespace chokepoint;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view example = R"(
POST /ask | 0-8760 | SERVER | %rag
  embed query | 20-60 | gen_ai.operation.name=embeddings | gen_ai.request.model=ada | gen_ai.usage.input_tokens:=24
  vector search | 60-95 | CLIENT | db.system=qdrant | db.operation=search
  rerank | 95-215
  chat gpt | 230-2630 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=gpt | gen_ai.usage.input_tokens:=3100 | gen_ai.usage.output_tokens:=240
  validate_output | 2630-2660 | ERROR | error.type=OutputValidationError
  embed query | 2665-2705 | gen_ai.operation.name=embeddings | gen_ai.request.model=ada | gen_ai.usage.input_tokens:=24
  vector search | 2705-2735 | CLIENT | db.system=qdrant | db.operation=search
  rerank | 2735-2855
  chat gpt | 2870-5570 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=gpt | gen_ai.usage.input_tokens:=4600 | gen_ai.usage.output_tokens:=260
    POST | 2870-2910 | CLIENT | ERROR | http.request.method=POST | url.full=https://llm/v1/chat | http.response.status_code:=429
    POST | 3370-5570 | CLIENT | http.request.method=POST | url.full=https://llm/v1/chat | http.response.status_code:=200
  validate_output | 5570-5600 | ERROR | error.type=OutputValidationError
  embed query | 5605-5645 | gen_ai.operation.name=embeddings | gen_ai.request.model=ada | gen_ai.usage.input_tokens:=24
  vector search | 5645-5680 | CLIENT | db.system=qdrant | db.operation=search
  rerank | 5680-5800
  chat gpt | 5815-8715 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=gpt | gen_ai.usage.input_tokens:=6100 | gen_ai.usage.output_tokens:=280
  validate_output | 8715-8745
)";

constexpr std::string_view priceList = R"({"version":1,"currency":"USD","models":[
    {"match":"^gpt$","per_million":{"input":2.5,"output":10}},{"match":"^ada$","per_million":{"input":0.02,"output":0}}]})";

} // namespace

class RetriesExampleTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_set = retriesOf(tracesFromText(example), PriceTable::parse(priceList, "prices.json").value()); }

    void groups()
    {
        QCOMPARE(groupsText(*m_set), "walk R8 85 embed query x3 validation ok\nretry R5 90 POST x2 429 ok\n");
        QCOMPARE(int(m_set->retries.groups[0].level), 1);
        QCOMPARE(int(m_set->retries.groups[1].level), 2);
        QVERIFY(m_set->retries.groups[0].evidence == RetryEvidence::Inferred);
    }

    void resendCountMakesItSure()
    {
        std::string counted(example);
        counted.insert(counted.find(" | http.response.status_code:=200"), " | http.request.resend_count:=1");
        QCOMPARE(groupsText(*retriesOf(counted)), "walk R8 85 embed query x3 validation ok\nretry R1 99 POST x2 429 ok\n");
    }

    void cascade()
    {
        const TraceRetries& trace = m_set->retries.traces[0];
        QCOMPARE(trace.walks, 3U);
        QCOMPARE(int(trace.depth), 2);
        QCOMPARE(trace.generates, 4U);
        QCOMPARE(trace.logicalGenerates, 1U);
        QCOMPARE(trace.amplification(), 4.0);
        QCOMPARE(trace.bound, 6U);
        QVERIFY(trace.cascade);
        QVERIFY(trace.firstWalk == 2660ms);
        QCOMPARE(trace.retries, 3U);
    }

    void wastedTime()
    {
        const RetryAnalysis& retries = m_set->retries;
        QVERIFY(retries.traces[0].wasted == 5585ms); // 2640 + 5 + 2935 + 5: the 429 within counts once
        QVERIFY(retries.groups[0].wasted == 5585ms);
        QVERIFY(retries.groups[1].wasted == 500ms);
        QCOMPARE(std::llround(1000.0 * double(toNs(retries.traces[0].wasted)) / double(toNs(m_set->population.traces[0].e2e))), 638);
    }

    void walks()
    {
        const auto attempts = m_set->retries.attemptsOf(m_set->retries.groups[0]);
        QCOMPARE(attempts.size(), std::size_t(3));
        const struct {
            std::int64_t begin;
            std::int64_t end;
            bool failed;
            std::int64_t tokens;
        } expected[] = {{20, 2660, true, 3340}, {2665, 5600, true, 4860}, {5605, 8745, false, 6380}};
        for (std::size_t i = 0; i < attempts.size(); ++i) {
            QCOMPARE(attempts[i].number, std::uint32_t(i + 1));
            QVERIFY(attempts[i].begin == timestampFromNs(expected[i].begin * 1'000'000));
            QVERIFY(attempts[i].end == timestampFromNs(expected[i].end * 1'000'000));
            QCOMPARE(attempts[i].failed, expected[i].failed);
            QCOMPARE(attempts[i].tokens.orZero(), expected[i].tokens);
            QVERIFY(attempts[i].cause == (expected[i].failed ? RetryCause::Validation : RetryCause::None));
        }
    }

    void tokensAndCost()
    {
        const TraceRetries& trace = m_set->retries.traces[0];
        QCOMPARE(trace.wastedTokens.orZero(), std::int64_t(3340 + 4860));
        QCOMPARE(trace.wastedCost.value().text(), std::string("0.02425096")); // 0.01015048 + 0.01410048
        const auto inner = m_set->retries.attemptsOf(m_set->retries.groups[1]);
        QVERIFY(inner[0].tokens.isKnown()); // the 429 never reached the model
        QCOMPARE(inner[0].tokens.orZero(), std::int64_t(0));
    }

    void byCause()
    {
        const RetrySummary& summary = m_set->retries.summary;
        QCOMPARE(summary.requests, std::uint64_t(1));
        QCOMPARE(summary.retriedRequests, std::uint64_t(1));
        QCOMPARE(summary.extraAttempts, std::uint64_t(3));
        QCOMPARE(summary.byCause.size(), std::size_t(2));
        QVERIFY(summary.byCause[0].cause == RetryCause::Validation);
        QCOMPARE(summary.byCause[0].count, std::uint64_t(2));
        QVERIFY(summary.byCause[0].wasted == 5585ms);
        QVERIFY(summary.byCause[1].cause == RetryCause::RateLimit);
        QCOMPARE(summary.byCause[1].count, std::uint64_t(1));
        QVERIFY(summary.byCause[1].wasted == 0ms); // inside a walk that was lost anyway
    }

private:
    std::unique_ptr<RetrySet> m_set;
};

QTEST_GUILESS_MAIN(RetriesExampleTest)
#include "tst_retries_example.moc"
