// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What-ifs of single calls: retry policies against their formulas, failures, and caches whose hits were observed.
#include "core/analysis/formulas.h"
#include "core/analysis/whatif.h"
#include "tests/core/analysis/checkcase.h"

#include <QTest>

#include <fmt/format.h>

#include <cmath>

using namespace chokepoint;

namespace {

constexpr std::int64_t ms = 1'000'000;

Result<WhatIfResult> run(const CheckCase& given, std::initializer_list<const char*> settings)
{
    const Result<WhatIf> whatIf =
        WhatIf::create(given.columns, given.stages, given.population, &given.retries, given.path, 1, JobControl(), {}, &given.facts);
    std::vector<WhatIfSetting> parsed;
    for (const char* setting : settings)
        parsed.push_back(parseWhatIf(setting).value());
    return whatIf->run(parsed, {}, JobControl());
}

double meanOf(const Result<WhatIfResult>& result)
{
    return double(toNs(result->predicted.e2e.mean)) / double(ms);
}

double number(const WhatIfResult& result, const std::string& kind, const std::string& name)
{
    for (const WhatIfModel& model : result.models)
        for (const auto& [key, value] : model.numbers)
            if (model.kind == kind && key == name)
                return value;
    return std::nan("");
}

/// A request that asks a model for \a length ms and works for 20 ms more.
std::string answered(int length)
{
    return fmt::format(
        "ask | 0-{1} | SERVER\n  chat m | 0-{0} | CLIENT | gen_ai.operation.name=chat\n  db | {0}-{1} | CLIENT | db.system.name=pg", length,
        length + 20);
}

/// The first attempt fails after 100 ms, 50 ms later the next one takes 200 ms.
const char* const retried = "ask | 0-350 | SERVER\n  chat m | 0-100 | CLIENT | ERROR | gen_ai.operation.name=chat | error.type=timeout\n"
                            "  chat m | 150-350 | CLIENT | gen_ai.operation.name=chat";

std::string cached(bool hit, int lookup, int miss)
{
    const std::string top = fmt::format(
        "ask | 0-{} | SERVER\n  semantic_cache.lookup | 0-{} | cache.hit?={}", lookup + (hit ? 0 : miss), lookup, hit ? "true" : "false");
    return hit ? top : top + fmt::format("\n  chat m | {}-{} | CLIENT | gen_ai.operation.name=chat", lookup, lookup + miss);
}

} // namespace

class TestWhatIfCalls : public QObject {
    Q_OBJECT

private slots:
    void policyAgainstItsFormula_data();
    void policyAgainstItsFormula();
    void observedRetriesAreTakenOut();
    void moreFailuresAreNeverFaster();
    void failingCalls_data();
    void failingCalls();
    void observedHitsStay();
    void callsAtOnceAfterAMiss();
    void queues();
    void cacheWhereThereWasNone();
    void settingsThatDoNotFit_data();
    void settingsThatDoNotFit();
};

void TestWhatIfCalls::policyAgainstItsFormula_data()
{
    QTest::addColumn<double>("share");
    QTest::addColumn<unsigned>("most");
    QTest::addColumn<int>("backoff");
    QTest::addColumn<double>("growth");
    QTest::newRow("never") << 0.0 << 3U << 100 << 2.0;
    QTest::newRow("one in ten") << 0.1 << 3U << 100 << 2.0; // 901.2 ms for attempts of 800 ms
    QTest::newRow("often, at once") << 0.5 << 2U << 0 << 1.0;
    QTest::newRow("no retry allowed") << 0.3 << 0U << 100 << 2.0;
    QTest::newRow("always fails") << 1.0 << 2U << 10 << 3.0;
}

void TestWhatIfCalls::policyAgainstItsFormula()
{
    QFETCH(double, share);
    QFETCH(unsigned, most);
    QFETCH(int, backoff);
    QFETCH(double, growth);
    const auto given = checkCase(times(3000, answered(800)));
    const std::string p = fmt::format("retry.generate={}", share);
    const std::string m = fmt::format("retry_max.generate={}", most);
    const std::string b = fmt::format("retry_backoff.generate={}ms", backoff);
    const std::string f = fmt::format("retry_growth.generate={}", growth);
    const Result<WhatIfResult> result = run(*given, {m.c_str(), p.c_str(), b.c_str(), f.c_str()});
    QVERIFY2(result, result ? "" : result.error().detail.c_str());
    const double expected = formulas::expectedRetryTime(share, most, 800, backoff, growth);
    QVERIFY(std::abs(number(*result, "retry", "expected_ns") - expected * ms) < 1e-3);
    QVERIFY(std::abs(number(*result, "retry", "all_fail") - std::pow(share, most + 1)) < 1e-12);
    // A request that fails for good ends there, without the 20 ms behind.
    const double lost = std::pow(share, most + 1);
    const double mean = expected + 20 * (1 - lost);
    const double noise = 4 / std::sqrt(3000.0); // standard errors
    QVERIFY2(std::abs(meanOf(result) - mean) <= noise * 900 * std::sqrt(share * (1 + share)) + 1e-6,
        qPrintable(QString("%1 for %2").arg(meanOf(result)).arg(mean)));
    QVERIFY(std::abs(result->failedShare - lost) <= noise * std::sqrt(lost * (1 - lost)) + 1e-3);
    if (share == 1)
        QCOMPARE(meanOf(result), expected);
}

void TestWhatIfCalls::observedRetriesAreTakenOut()
{
    const auto given = checkCase(times(30, retried) + times(30, answered(200)));
    QCOMPARE(given->retries.summary.retriedRequests, std::uint64_t(30));
    const Result<WhatIfResult> none = run(*given, {"retry.generate=0"});
    QCOMPARE(meanOf(none), 210.0); // half of them 200 without the first attempt, half 220
    QCOMPARE(none->predicted.e2e.max, Duration{220 * ms});
    // 0.1 retries by accident: 90 attempts of which 30 take 100.
    const double attempt = (30 * 100.0 + 60 * 200.0) / 90;
    QVERIFY(std::abs(number(*run(*given, {"retry.generate=0.1"}), "retry", "attempt_ns") - attempt * ms) < 1);
}

void TestWhatIfCalls::moreFailuresAreNeverFaster()
{
    const auto given = checkCase(times(200, answered(100)) + times(50, retried));
    double last = 0;
    double lastFailed = 0;
    for (const char* share : {"retry.generate=0", "retry.generate=0.05", "retry.generate=0.2", "retry.generate=0.6"}) {
        const Result<WhatIfResult> result = run(*given, {share, "retry_max.generate=20"});
        QVERIFY(meanOf(result) >= last);
        QVERIFY(result->failedShare >= lastFailed);
        last = meanOf(result);
        lastFailed = result->failedShare;
        Duration sum{};
        for (const Duration stage : result->predicted.stageMean)
            sum += stage;
        QVERIFY(std::abs(toNs(sum) - toNs(result->predicted.e2e.mean)) <= std::int64_t(result->stages.size()));
    }
}

void TestWhatIfCalls::failingCalls_data()
{
    QTest::addColumn<QStringList>("settings");
    QTest::addColumn<double>("mean");
    QTest::addColumn<double>("failed");
    // 100 ms of generating, 20 ms of something else.
    QTest::newRow("once more") << QStringList{"failure.generate=1"} << 220.0 << 0.0;
    QTest::newRow("fallback") << QStringList{"failure.generate=1", "fallback.generate=30ms"} << 150.0 << 0.0;
    QTest::newRow("in any order") << QStringList{"fallback.generate=30ms", "failure.generate=1"} << 150.0 << 0.0;
    QTest::newRow("timeout, then fallback") << QStringList{"failure.generate=1", "timeout.generate=40ms", "fallback.generate=30ms"} << 90.0
                                            << 0.0;
    QTest::newRow("refused at once, then fallback")
        << QStringList{"failure.generate=1", "timeout.generate=0ms", "fallback.generate=30ms"} << 50.0 << 0.0;
    QTest::newRow("no fallback") << QStringList{"failure.generate=1", "fallback.generate=none"} << 100.0 << 1.0;
    QTest::newRow("no fallback after a timeout")
        << QStringList{"failure.generate=1", "fallback.generate=none", "timeout.generate=40ms"} << 40.0 << 1.0;
    QTest::newRow("never") << QStringList{"failure.generate=0", "fallback.generate=none"} << 120.0 << 0.0;
    QTest::newRow("retried to no avail") << QStringList{"retry.generate=1", "retry_max.generate=1", "retry_backoff.generate=5ms"} << 205.0
                                         << 1.0;
    QTest::newRow("fails while the cache answers") << QStringList{"cache_hit=1", "cache_lookup=3ms", "failure.generate=1"} << 23.0 << 0.0;
}

void TestWhatIfCalls::failingCalls()
{
    QFETCH(QStringList, settings);
    QFETCH(double, mean);
    QFETCH(double, failed);
    const auto given = checkCase(times(40, answered(100)));
    const WhatIf whatIf =
        WhatIf::create(given->columns, given->stages, given->population, &given->retries, given->path, 1, JobControl(), {}, &given->facts)
            .value();
    std::vector<WhatIfSetting> parsed;
    for (const QString& setting : settings)
        parsed.push_back(parseWhatIf(setting.toStdString()).value());
    const Result<WhatIfResult> result = whatIf.run(parsed, {}, JobControl());
    QVERIFY2(result, result ? "" : result.error().detail.c_str());
    QCOMPARE(meanOf(result), mean);
    QCOMPARE(result->failedShare, failed);
}

void TestWhatIfCalls::observedHitsStay()
{
    const auto given = checkCase(times(300, cached(true, 10, 1000)) + times(700, cached(false, 10, 1000)));
    const auto mean = [&](const char* setting) { return meanOf(run(*given, {setting})); };
    QCOMPARE(mean("cache_hit=0.3"), 710.0); // what was observed: 10 + 0.7 x 1000
    QCOMPARE(mean("cache_hit=1"), 10.0);
    QCOMPARE(mean("cache_hit=0"), 1010.0);
    QVERIFY(std::abs(mean("cache_hit=0.5") - 510) < 50);
    QVERIFY(std::abs(mean("cache_hit=0.1") - 910) < 50);
    double last = 2000;
    for (const char* share : {"cache_hit=0", "cache_hit=0.1", "cache_hit=0.3", "cache_hit=0.4", "cache_hit=0.8", "cache_hit=1"}) {
        QVERIFY(mean(share) <= last);
        last = mean(share);
    }
    const Result<WhatIfResult> result = run(*given, {"cache_hit=0.5"});
    QCOMPARE(number(*result, "cache", "observed_hit_rate"), 0.3);
    QCOMPARE(number(*result, "cache", "lookups"), 1000.0);
}

/// A miss takes the time that its calls take together.
void TestWhatIfCalls::callsAtOnceAfterAMiss()
{
    const char* const atOnce = "ask | 0-420 | SERVER\n  semantic_cache.lookup | 0-10 | cache.hit?=false\n"
                               "  chat m | 10-310 | CLIENT | gen_ai.operation.name=chat\n"
                               "  chat m | 20-410 | CLIENT | gen_ai.operation.name=chat";
    const auto given = checkCase(times(20, cached(true, 20, 0)) + times(20, atOnce));
    QCOMPARE(meanOf(run(*given, {"cache_hit=0"})), 420.0);
}

void TestWhatIfCalls::queues()
{
    // Calls of 280 ms of which 80 were waited, one a second, every other one later by \a late ms.
    const auto callsEvery = [](int late) {
        std::string traces;
        for (int i = 0; i < 30; ++i) {
            const int begin = i * 1000 + i % 2 * late;
            traces += fmt::format("ask | {0}-{1} | SERVER\n  llm_request | {0}-{1} | gen_ai.latency.e2e:=0.28 | "
                                  "gen_ai.latency.time_in_queue:=0.08\n---\n",
                begin, begin + 280);
        }
        return checkCase(traces);
    };
    const auto given = callsEvery(700);
    const Result<WhatIfResult> same = run(*given, {"servers.generate=1"});
    QVERIFY2(same, same ? "" : same.error().detail.c_str());
    QCOMPARE(meanOf(same), 280.0);
    QVERIFY(meanOf(run(*given, {"servers.generate=1", "load=x1.5"})) > 280);
    QCOMPARE(meanOf(run(*given, {"servers.generate=1", "stage.generate=x0"})), 0.0); // who is served at once lets nobody wait
    const Result<WhatIfResult> even = run(*callsEvery(0), {"servers.generate=1", "load=x1.5"});
    QVERIFY(!even && even.error().detail.find("nothing would wait") != std::string::npos);
}

void TestWhatIfCalls::cacheWhereThereWasNone()
{
    const auto given = checkCase(times(1000, answered(200)));
    QCOMPARE(meanOf(run(*given, {"cache_hit=0", "cache_lookup=5ms"})), 225.0);
    QCOMPARE(meanOf(run(*given, {"cache_lookup=5ms", "cache_hit=1"})), 25.0);
    QVERIFY(std::abs(meanOf(run(*given, {"cache_hit=0.3", "cache_lookup=5ms"})) - 20 - formulas::cacheTime(0.3, 5, 200)) < 10);
}

void TestWhatIfCalls::settingsThatDoNotFit_data()
{
    QTest::addColumn<QByteArray>("traces");
    QTest::addColumn<QByteArray>("setting");
    QTest::addColumn<QByteArray>("error");
    const QByteArray plain(times(30, answered(100)).c_str());
    const QByteArray hits(times(30, cached(true, 10, 1000)).c_str());
    QTest::newRow("lookup without a rate") << plain << QByteArray("cache_lookup=5ms") << QByteArray("set cache_hit=SHARE too");
    QTest::newRow("fallback without a failure")
        << plain << QByteArray("fallback.generate=5ms") << QByteArray("set failure.generate=SHARE too");
    QTest::newRow("timeout without a failure") << plain << QByteArray("timeout.generate=5ms")
                                               << QByteArray("set failure.generate=SHARE too");
    QTest::newRow("backoff without retries") << plain << QByteArray("retry_backoff.generate=5ms")
                                             << QByteArray("set retry.generate=SHARE too");
    QTest::newRow("stage that is not called") << plain << QByteArray("retry.queue=0.1") << QByteArray("no complete trace calls queue");
    const QByteArray unanswered =
        hits + QByteArray(times(30, "ask | 0-20 | SERVER\n  semantic_cache.lookup | 0-10 | cache.hit?=false").c_str());
    QTest::newRow("no call after a miss") << unanswered << QByteArray("cache_hit=0.1") << QByteArray("no model was called after a miss");
    QTest::newRow("no miss to learn from") << hits << QByteArray("cache_hit=0.5") << QByteArray("every lookup was a hit");
}

void TestWhatIfCalls::settingsThatDoNotFit()
{
    QFETCH(QByteArray, traces);
    QFETCH(QByteArray, setting);
    QFETCH(QByteArray, error);
    const auto given = checkCase(std::string(traces.constData()));
    const Result<WhatIfResult> result = run(*given, {setting.constData()});
    QVERIFY(!result);
    QVERIFY2(result.error().detail.find(error.constData()) != std::string::npos, result.error().detail.c_str());
    const auto looked = checkCase(times(15, cached(true, 10, 1000)) + times(15, cached(false, 10, 1000)));
    QVERIFY(!run(*looked, {"cache_hit=0.5", "cache_lookup=5ms"})); // they take what they take
}

QTEST_GUILESS_MAIN(TestWhatIfCalls)
#include "tst_whatif_calls.moc"
