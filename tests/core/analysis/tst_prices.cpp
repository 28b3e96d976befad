// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Exact money, and price tables: four formats, how a model finds its row, dates, tiers, what is missing.
#include "core/analysis/prices.h"
#include "tests/core/analysis/usagecase.h"

#include <QFile>
#include <QTest>

#include <cmath>

using namespace chokepoint;

namespace {

PriceTable table(const std::string& models)
{
    return PriceTable::parse(R"({"version": 1, "models": [)" + models + "]}", "prices.json").value();
}

TokenBuckets tokens(std::int64_t input, std::int64_t output)
{
    TokenBuckets buckets;
    buckets[TokenKind::Input] = input;
    buckets[TokenKind::Output] = output;
    return buckets;
}

/// The cost of 1,000 input tokens of a response model, as text; "" without a price.
std::string thousand(const PriceTable& prices, std::string_view model, std::string_view provider = {}, std::string_view request = {})
{
    const std::optional<Price> price = prices.price(prices.find(provider, model, request), {{}, unknownTime, tokens(1000, 0)});
    return price ? price->cost.text() : "";
}

constexpr const char* liteLlm = R"({
    "sample_spec": {"input_cost_per_token": 0, "litellm_provider": "one of ..."},
    "gpt-4o": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05,
               "cache_read_input_token_cost": 1.25e-06, "input_cost_per_token_flex": 1.25e-06},
    "long-1": {"litellm_provider": "x", "input_cost_per_token": 1e-06, "input_cost_per_token_above_200k_tokens": 2e-06},
    "rerank-1": {"litellm_provider": "cohere", "mode": "rerank", "input_cost_per_query": 0.002}})";

constexpr const char* langfuse = R"([
    {"modelName": "gpt-4o", "matchPattern": "(?i)^(openai/)?(gpt-4o)$", "pricingTiers": [
        {"isDefault": true, "prices": {"input": 2.5e-06, "input_cached_tokens": 1.25e-06, "output": 1e-05}},
        {"isDefault": false, "conditions": [{"source": "usageDetails", "key": "input", "operator": "gt", "values": [1000]}],
         "prices": {"input": 5e-06}}]},
    {"modelName": "odd", "matchPattern": "(?<!x)y", "pricingTiers": [{"isDefault": true, "prices": {"input": 1e-06}}]}])";

constexpr const char* phoenix = R"({"models": [
    {"name": "gpt-4o", "name_pattern": "gpt-4o", "source": "litellm", "provider": "openai", "token_prices": [
        {"base_rate": 2.5e-06, "is_prompt": true, "token_type": "input"}, {"base_rate": 1e-05, "is_prompt": false, "token_type": "output"},
        {"base_rate": 1.25e-06, "is_prompt": true, "token_type": "cache_read"}]}]})";

} // namespace

class tst_Prices : public QObject {
    Q_OBJECT

private slots:
    void moneyFromText_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("shift");
        QTest::addColumn<QString>("expected"); // "" is refused
        const auto row = [](const char* text, int shift, const char* expected) {
            QTest::addRow("%s, %d", text, shift) << text << shift << expected;
        };
        row("0", 0, "0");
        row("0.30", 0, "0.3");
        row("12", 0, "12");
        row("-3.5", 0, "-3.5");
        row("2.1e-06", 0, "0.0000021");
        row("1.5E+3", 0, "1500");
        row("2.5", -6, "0.0000025");
        row("250000", -6, "0.25");
        row("0.000000000000000001", 0, "0.000000000000000001");
        row("0.0000000000000000014", 0, "0.000000000000000001");
        row("0.0000000000000000015", 0, "0.000000000000000002");
        row("-0.0000000000000000015", 0, "-0.000000000000000002");
        row("1e-400", 0, "0");
        row(".5", 0, "0.5");
        row("", 0, "");
        row(".", 0, "");
        row("1.2.3", 0, "");
        row("1e", 0, "");
        row("1 USD", 0, "");
        row("nan", 0, "");
        row("1e30", 0, "");
    }
    void moneyFromText()
    {
        QFETCH(QString, text);
        QFETCH(int, shift);
        QFETCH(QString, expected);
        const std::optional<Money> money = Money::fromText(text.toStdString(), shift);
        QCOMPARE(money ? QString::fromStdString(money->text()) : QString(), expected);
    }

    /// Sums of binary numbers show no noise, and text and number lead back.
    void moneyIsDecimal()
    {
        const Money sum = *Money::fromNumber(0.1) + *Money::fromNumber(0.2) + *Money::fromNumber(2.1e-06);
        QCOMPARE(sum.text(), std::string("0.3000021"));
        QCOMPARE(sum.number(), 0.3000021);
        Money cents;
        for (int i = 0; i < 1'000'000; ++i)
            cents += *Money::fromNumber(0.01);
        QCOMPARE(cents.text(), std::string("10000"));
        for (const double number : {0.0, 1e-18, 0.123456789, 42.0, 1e9, 0.00002})
            QCOMPARE(Money::fromText(Money::fromNumber(number)->text())->number(), number);
        QVERIFY(!Money::fromNumber(std::nan("")) && !Money::fromNumber(INFINITY));
        QCOMPARE((*Money::fromText("0.0000025") * 13'800).text(), std::string("0.0345"));
    }

    /// The order in which a model finds its row.
    void matching_data()
    {
        QTest::addColumn<QString>("models");
        QTest::addColumn<QString>("response");
        QTest::addColumn<QString>("request");
        QTest::addColumn<QString>("provider");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* models, const char* response, const char* request, const char* provider,
                             const char* expected) { QTest::newRow(name) << models << response << request << provider << expected; };
        const char* two = R"({"model": "a", "per_million": {"input": 1}}, {"model": "b", "per_million": {"input": 2}})";
        row("response before request", two, "a", "b", "", "0.001");
        row("request when the response has none", two, "a-new", "b", "", "0.002");
        row("case does not matter", two, "A", "", "", "0.001");
        row("no row is no price", two, "c", "d", "", "");
        row("without provider prefix", two, "openrouter/vendor/a", "", "", "0.001");
        row("without region", R"({"model": "vendor.a", "per_million": {"input": 1}})", "eu.vendor.a", "", "", "0.001");
        row("without compact date", two, "a-20240806", "", "", "0.001");
        row("without dashed date", two, "a-2024-08-06", "", "", "0.001");
        row("without @date", two, "a@20240806", "", "", "0.001");
        row("without version", two, "a:2", "", "", "0.001");
        row("exact before stripped",
            R"({"model": "a", "per_million": {"input": 1}}, {"model": "a-2024-08-06", "per_million": {"input": 2}})", "a-2024-08-06", "",
            "", "0.002");
        row("name before pattern", R"({"match": "^a", "per_million": {"input": 1}}, {"model": "a", "per_million": {"input": 2}})", "a", "",
            "", "0.002");
        row("longer pattern first", R"({"match": "^a", "per_million": {"input": 1}}, {"match": "^a-big", "per_million": {"input": 2}})",
            "a-big-1", "", "", "0.002");
        row("own provider first",
            R"({"match": "^a", "per_million": {"input": 1}}, {"match": "^a", "provider": "azure", "per_million": {"input": 2}})", "a", "",
            "azure.ai.openai", "0.002");
        row("other provider never", R"({"model": "a", "provider": "azure", "per_million": {"input": 2}})", "a", "", "openai", "");
        row("unknown provider takes any", R"({"model": "a", "provider": "azure", "per_million": {"input": 2}})", "a", "", "", "0.002");
    }
    void matching()
    {
        QFETCH(QString, models);
        QFETCH(QString, response);
        QFETCH(QString, request);
        QFETCH(QString, provider);
        QFETCH(QString, expected);
        const PriceTable prices = table(models.toStdString());
        QCOMPARE(QString::fromStdString(thousand(prices, response.toStdString(), provider.toStdString(), request.toStdString())), expected);
    }

    void aliasesAreTriedLast()
    {
        const PriceTable prices = PriceTable::parse(R"({"version": 1, "aliases": {"house": "a", "a": "b"},
            "models": [{"model": "a", "per_million": {"input": 1}}, {"model": "b", "per_million": {"input": 2}}]})",
            "p")
                                      .value();
        QCOMPARE(thousand(prices, "house"), std::string("0.001"));
        QCOMPARE(thousand(prices, "a"), std::string("0.001"));
    }

    void pricesHaveDates()
    {
        const PriceTable prices = table(R"({"model": "a", "valid_from": "2024-05-13", "per_million": {"input": 5}},
                                           {"model": "a", "valid_from": "2025-01-01T00:00:00Z", "per_million": {"input": 2}})");
        const auto at = [&](std::int64_t seconds) {
            const std::optional<Price> price =
                prices.price(prices.find("", "a", ""), {{}, timestampFromNs(seconds * 1'000'000'000), tokens(1'000'000, 0)});
            return price ? price->cost.text() : "";
        };
        QCOMPARE(at(1'715'558'399), std::string()); // the second before
        QCOMPARE(at(1'715'558'400), std::string("5"));
        QCOMPARE(at(1'735'689'599), std::string("5"));
        QCOMPARE(at(1'735'689'600), std::string("2"));
    }

    void tiers()
    {
        const PriceTable prices = table(R"({"model": "a", "per_million": {"input": 1, "output": 10}, "tiers": [
            {"if": {"in_tok_gt": 200000}, "per_million": {"input": 2}}, {"if": {"in_tok_gt": 400000}, "per_million": {"input": 4}},
            {"if": {"service_tier": "flex|batch"}, "per_million": {"input": 0.5}}], "per_request": 0.01})");
        const auto cost = [&](std::int64_t input, std::string_view tier) {
            return prices.price(prices.find("", "a", ""), {tier, unknownTime, tokens(input, 0)})->cost.text();
        };
        QCOMPARE(cost(200'000, ""), std::string("0.21"));
        QCOMPARE(cost(200'001, ""), std::string("0.410002"));
        QCOMPARE(cost(500'000, ""), std::string("2.01"));
        QCOMPARE(cost(500'000, "flex"), std::string("0.26"));
        QCOMPARE(cost(500'000, "batch"), std::string("0.26"));
        QCOMPARE(cost(500'000, "priority"), std::string("2.01"));
    }

    void pricesByRequestAlone()
    {
        const PriceTable prices = table(R"({"model": "a", "per_request": 0.25})");
        const std::optional<Price> price = prices.price(prices.find("", "a", ""), {{}, unknownTime, tokens(1000, 10)});
        QCOMPARE(price->cost.text(), std::string("0.25"));
        QVERIFY(!price->assumed && !price->lowerBound);
    }

    void missingKindsTakeTheirNeighbours()
    {
        const PriceTable prices =
            table(R"({"model": "a", "per_million": {"input": 1, "output": 10}}, {"model": "e", "per_million": {"input": 1}})");
        TokenBuckets buckets = tokens(100, 10);
        buckets[TokenKind::CacheRead] = 1000;
        buckets[TokenKind::Reasoning] = 100;
        const std::optional<Price> price = prices.price(prices.find("", "a", ""), {{}, unknownTime, buckets});
        QCOMPARE(price->cost.text(), std::string("0.0022"));
        QVERIFY(price->assumed && !price->lowerBound);
        QVERIFY(!prices.price(prices.find("", "e", ""), {{}, unknownTime, tokens(1, 1)})); // output has no price at all
        QVERIFY(!prices.price(prices.find("", "a", ""), {{}, unknownTime, {}})); // no count is known
        TokenBuckets half;
        half[TokenKind::Input] = 100;
        QVERIFY(prices.price(prices.find("", "a", ""), {{}, unknownTime, half})->lowerBound);
        QVERIFY(!prices.price(prices.find("", "e", ""), {{}, unknownTime, half})->lowerBound); // embeddings have no output
    }

    void imports_data()
    {
        QTest::addColumn<QString>("json");
        QTest::newRow("LiteLLM") << liteLlm;
        QTest::newRow("Langfuse") << langfuse;
        QTest::newRow("Phoenix") << phoenix;
    }
    void imports()
    {
        QFETCH(QString, json);
        const PriceTable prices = PriceTable::parse(json.toStdString(), "imported.json").value();
        TokenBuckets buckets = tokens(600, 20);
        buckets[TokenKind::CacheRead] = 400;
        const std::optional<Price> price = prices.price(prices.find("openai", "gpt-4o", ""), {{}, unknownTime, buckets});
        QVERIFY(price.has_value());
        QCOMPARE(price->cost.text(), std::string("0.0022"));
        QCOMPARE(prices.currency(), std::string("USD"));
    }

    void tiersOfImports()
    {
        const PriceTable lite = PriceTable::parse(liteLlm, "l").value();
        QCOMPARE(lite.price(lite.find("", "long-1", ""), {{}, unknownTime, tokens(300'000, 0)})->cost.text(), std::string("0.6"));
        QCOMPARE(lite.price(lite.find("", "gpt-4o", ""), {"flex", unknownTime, tokens(1'000'000, 0)})->cost.text(), std::string("1.25"));
        QCOMPARE(lite.price(lite.find("", "rerank-1", ""), {{}, unknownTime, {}})->cost.text(), std::string("0.002"));
        QVERIFY(lite.find("", "sample_spec", "").empty());
        const PriceTable fuse = PriceTable::parse(langfuse, "l").value();
        QCOMPARE(fuse.price(fuse.find("", "openai/gpt-4o", ""), {{}, unknownTime, tokens(2000, 0)})->cost.text(), std::string("0.01"));
        QCOMPARE(fuse.skipped().size(), std::size_t(1)); // a look-behind
        QVERIFY(!fuse.find("", "odd", "").empty()); // its name still counts
    }

    /// The file that shows the format is one.
    void theExampleIsValid()
    {
        QFile file(CHOKEPOINT_SOURCE_DIR "/resources/prices/example.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Result<PriceTable> prices = PriceTable::parse(file.readAll().toStdString(), "example.json");
        QVERIFY2(prices.has_value(), prices ? "" : prices.error().detail.c_str());
        QVERIFY(prices->skipped().empty());
        QCOMPARE(thousand(*prices, "our-deployment-name"), std::string("0.003"));
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const char* json, const char* expected, int line = 0) {
            QTest::newRow(name) << json << expected << line;
        };
        row("no JSON", "{\n\"version\": 1,\n oops}", "not valid JSON", 3);
        row("no table", R"({"hello": 1})", "no price table");
        row("later version", R"({"version": 2, "models": []})", "\"version\" must be 1");
        row("unknown key", R"({"version": 1, "models": [], "modles": 1})", "\"modles\" is not known");
        row("no name", R"({"version": 1, "models": [{"per_million": {"input": 1}}]})", "model 1");
        row("no price", R"({"version": 1, "models": [{"model": "a"}]})", "it has no price");
        row("bad kind", R"({"version": 1, "models": [{"model": "a", "per_million": {"inptu": 1}}]})", "\"inptu\" is no kind of token");
        row("negative", R"({"version": 1, "models": [{"model": "a", "per_million": {"input": -1}}]})", "must be a number of at least 0");
        row("bad pattern", R"({"version": 1, "models": [{"match": "*a", "per_million": {"input": 1}}]})", "not a regular expression");
        row("bad date", R"({"version": 1, "models": [{"model": "a", "valid_from": "May", "per_million": {"input": 1}}]})",
            "must be a date");
        row("bad tier",
            R"({"version": 1, "models": [{"model": "a", "per_million": {"input": 1}, "tiers": [{"if": {"x": 1}, "per_million": {}}]}]})",
            "\"if\" takes");
    }
    void refusals()
    {
        QFETCH(QString, json);
        QFETCH(QString, expected);
        QFETCH(int, line);
        const Result<PriceTable> prices = PriceTable::parse(json.toStdString(), "mine.json");
        QVERIFY(!prices);
        QVERIFY2(QString::fromStdString(prices.error().detail).contains(expected), prices.error().detail.c_str());
        QCOMPARE(prices.error().place.file, std::string("mine.json"));
        QCOMPARE(int(prices.error().place.line.value_or(0)), line);
    }
};

QTEST_GUILESS_MAIN(tst_Prices)
#include "tst_prices.moc"
