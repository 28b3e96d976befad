// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Models on servers of one's own: the price of a GPU's hour shared out among the calls that it computes.
#include "tests/core/analysis/checkcase.h"

#include <QTest>

#include <cmath>

using namespace chokepoint;

namespace {

PriceTable table(const std::string& model)
{
    return PriceTable::parse(R"({"version": 1, "models": [)" + model + "]}", "prices.json").value();
}

/// Two GPUs of 3.6 an hour, eight calls at a time: 0.00025 a second of each call.
const std::string own = R"({"match": "^own", "gpu_hour": {"price": 3.6, "gpus": 2, "concurrency": 8}})";

TokenBuckets tokens(std::int64_t input, std::int64_t output)
{
    TokenBuckets buckets;
    buckets[TokenKind::Input] = input;
    buckets[TokenKind::Output] = output;
    return buckets;
}

const char* const call = "ask | 0-3000 | SERVER\n  chat | 0-2000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=own-7b | "
                         "gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=20";

} // namespace

class TestGpuPrices : public QObject {
    Q_OBJECT

private slots:
    void prices()
    {
        const PriceTable prices = table(own);
        QVERIFY(prices.pricesTime() && !PriceTable().pricesTime());
        const auto cost = [&prices](Duration busy) {
            const std::optional<Price> price = prices.price(prices.find("", "own-7b", ""), {{}, unknownTime, tokens(10, 2), busy});
            return price ? price->cost.text() : "";
        };
        QCOMPARE(cost(std::chrono::seconds(1)), std::string("0.00025"));
        QCOMPARE(cost(std::chrono::hours(8)), std::string("7.2"));
        QCOMPARE(cost(Duration{1}), std::string("0.00000000000025"));
        QCOMPARE(cost(Duration{0}), std::string("0"));
        QCOMPARE(cost(unknownDuration), std::string()); // not free
        const Price price = *prices.price(prices.find("", "own-7b", ""), {{}, unknownTime, {}, std::chrono::seconds(2)});
        QVERIFY(price.estimated && !price.assumed && !price.lowerBound);
    }

    void besideOtherPrices()
    {
        const PriceTable prices = table(
            R"({"model": "own", "per_million": {"input": 1, "output": 10}, "per_request": 0.5, "gpu_hour": {"price": 3600, "concurrency": 2.5}})");
        const Price price = *prices.price(prices.find("", "own", ""), {{}, unknownTime, tokens(100, 10), std::chrono::seconds(1)});
        QCOMPARE(price.cost.text(), std::string("0.9002"));
        QVERIFY(price.estimated);
    }

    void withoutTokensTheHoursRemain()
    {
        const PriceTable prices =
            table(R"({"model": "own", "per_million": {"input": 1, "output": 10}, "gpu_hour": {"price": 3600, "concurrency": 2.5}})");
        const std::optional<Price> price = prices.price(prices.find("", "own", ""), {{}, unknownTime, {}, std::chrono::seconds(1)});
        QVERIFY(price);
        QCOMPARE(price->cost.text(), std::string("0.4"));
        QVERIFY(price->estimated && price->lowerBound);
    }

    void mistakes_data()
    {
        QTest::addColumn<QByteArray>("gpuHour");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* gpuHour, const char* words) { QTest::newRow(gpuHour) << QByteArray(gpuHour) << QByteArray(words); };
        row("2.5", "must be an object with a \"price\"");
        row("{}", "must be an object with a \"price\"");
        row(R"({"price": -1})", "must be a number of at least 0");
        row(R"({"price": 1, "gpus": 0})", "whole number of at least 1");
        row(R"({"price": 1, "gpus": 1.5})", "whole number of at least 1");
        row(R"({"price": 1e20, "gpus": 100000})", "at most 1e12");
        row(R"({"price": 2e12})", "at most 1e12");
        row(R"({"price": 1e12, "gpus": 2})", "at most 1e12");
        row(R"({"price": 1, "concurrency": 0})", "number of at least 1");
        row(R"({"price": 1, "concurency": 2})", "not known in \"gpu_hour\"");
    }
    void mistakes()
    {
        QFETCH(QByteArray, gpuHour);
        QFETCH(QByteArray, words);
        const Result<PriceTable> prices =
            PriceTable::parse(R"({"version": 1, "models": [{"model": "a", "gpu_hour": )" + gpuHour.toStdString() + "}]}", "prices.json");
        QVERIFY(!prices);
        QVERIFY2(prices.error().detail.find(words.toStdString()) != std::string::npos, prices.error().detail.c_str());
    }

    void calls_data()
    {
        QTest::addColumn<QByteArray>("trace");
        QTest::addColumn<double>("seconds"); // that are paid for
        QTest::newRow("all that the client saw") << QByteArray(call) << 2.0;
        QTest::newRow("as the engine's record tells") << QByteArray(call)
                + "\n    llm_request | 100-1900 | SERVER | gen_ai.latency.time_in_queue:=0.3 | "
                  "gen_ai.latency.time_in_model_prefill:=0.5 | gen_ai.latency.time_in_model_decode:=1.0"
                                                      << 1.5;
        QTest::newRow("as spans of the phases tell") << QByteArray(call)
                + "\n    Req 0a1b2c3d | 100-1900\n      prefill_waiting | 100-300\n      prefill_forward | 300-700\n"
                  "      decode_forward | 700-1900" << 1.6;
        QTest::newRow("as two GPUs at the same time tell") << QByteArray(call)
                + "\n    Scheduler [TP 0] | 100-1900\n      prefill_forward | 300-700\n      decode_forward | 700-1900\n"
                  "    Scheduler [TP 1] | 100-1900\n      prefill_forward | 300-800\n      decode_forward | 800-1900"
                                                           << 1.6;
    }
    void calls()
    {
        QFETCH(QByteArray, trace);
        QFETCH(double, seconds);
        const auto given = checkCase(std::string(trace.constData()), table(own));
        QCOMPARE(given->spending.totals.pricedSpans, std::uint64_t(1));
        QCOMPARE(given->spending.totals.estimatedSpans, std::uint64_t(1));
        const double cost = given->spending.totals.cost->number();
        QVERIFY2(std::abs(cost - 0.00025 * seconds) < 1e-12, qPrintable(QString::number(cost / 0.00025)));
    }

    void callsAboveCalls_data()
    {
        QTest::addColumn<QByteArray>("below"); // the call, whose own record tells 100/20
        QTest::addColumn<double>("seconds"); // that are paid for, all in all
        const QByteArray smaller = "\n    chat | 500-1500 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=own-7b | "
                                   "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2";
        const QByteArray larger = "\n    chat | 500-1500 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=own-7b | "
                                  "gen_ai.usage.input_tokens:=1000 | gen_ai.usage.output_tokens:=200";
        const QByteArray phases = "\n      Req 0a1b2c3d | 500-1500\n        prefill_forward | 600-700\n        decode_forward | 700-1400";
        QTest::newRow("what is left over took no time of its own") << smaller << 1.0;
        QTest::newRow("nor has it phases of its own") << smaller + phases << 0.8;
        QTest::newRow("two calls, each its own time") << larger << 2.0;
        QTest::newRow("phases belong to the call around them") << larger + phases << 1.8;
    }
    void callsAboveCalls()
    {
        QFETCH(QByteArray, below);
        QFETCH(double, seconds);
        const auto given = checkCase(std::string(call) + below.toStdString(), table(own));
        QCOMPARE(given->billing.calls.size(), std::size_t(2));
        const double cost = given->spending.totals.cost->number();
        QVERIFY2(std::abs(cost - 0.00025 * seconds) < 1e-12, qPrintable(QString::number(cost / 0.00025)));
    }

    void whatIsLeftOverIsNoRequest()
    {
        const auto given = checkCase(std::string(call)
                + "\n    chat | 500-1500 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=own-7b | "
                  "gen_ai.usage.input_tokens:=10 | gen_ai.usage.output_tokens:=2",
            table(R"({"match": "^own", "per_million": {"input": 1, "output": 10}, "per_request": 0.5})"));
        QCOMPARE(given->billing.calls.size(), std::size_t(2));
        QCOMPARE(given->spending.totals.cost->text(), std::string("0.5003"));
    }

    void reportedCostsAreNoEstimates()
    {
        const auto given = checkCase(std::string(call) + " | gen_ai.usage.cost:=0.125", table(own));
        QCOMPARE(given->spending.totals.cost->number(), 0.125);
        QCOMPARE(given->spending.totals.estimatedSpans, std::uint64_t(0));
    }
};

QTEST_GUILESS_MAIN(TestGpuPrices)
#include "tst_gpuprices.moc"
