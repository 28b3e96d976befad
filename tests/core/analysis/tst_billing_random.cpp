// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The billing set over random traces against plain addition, and over traces too deep or too wide for recursion.
#include "tests/core/analysis/usagecase.h"
#include "tests/testkit/randomtrace.h"

#include <QTest>

#include <fmt/format.h>

using namespace chokepoint;

namespace {

std::string usageOf(std::int64_t input, std::int64_t output)
{
    return fmt::format("gen_ai.usage.input_tokens:={} | gen_ai.usage.output_tokens:={}", input, output);
}

/// Random trees whose calls are leaves and whose containers may carry the sum of what is below them.
struct RandomBilling {
    std::string text;
    std::int64_t input = 0; // of the leaves: what a plain addition gives
    std::int64_t output = 0;
    std::uint64_t calls = 0;
};

struct RandomNode {
    std::size_t depth = 0;
    bool isCall = false;
    std::int64_t input = 0;
    std::int64_t output = 0;
};

RandomBilling randomBilling(testkit::Random& random, bool withSums)
{
    std::vector<RandomNode> nodes{{}};
    const std::size_t count = 2 + random.below(30);
    while (nodes.size() < count) {
        const bool canGoDown = !nodes.back().isCall;
        RandomNode node;
        node.depth = 1 + random.below(nodes.back().depth + (canGoDown ? 1 : 0) + (nodes.back().depth == 0 ? 1 : 0));
        node.depth = std::min(node.depth, nodes.back().depth + (canGoDown ? 1 : 0));
        node.isCall = random.chance(50);
        node.input = node.isCall ? random.between(1, 1000) : 0;
        node.output = node.isCall ? random.between(0, 300) : 0;
        nodes.push_back(node);
    }
    RandomBilling result;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        RandomNode sum = nodes[i];
        for (std::size_t below = i + 1; below < nodes.size() && nodes[below].depth > nodes[i].depth; ++below) {
            sum.input += nodes[below].isCall ? nodes[below].input : 0;
            sum.output += nodes[below].isCall ? nodes[below].output : 0;
        }
        const bool isTold = nodes[i].isCall || (withSums && sum.input > 0 && random.chance(60));
        result.text += std::string(2 * nodes[i].depth, ' ')
            + (nodes[i].isCall ? "chat | gen_ai.operation.name=chat | gen_ai.request.model=gpt-x" : "chain | openinference.span.kind=CHAIN")
            + (isTold ? " | " + usageOf(sum.input, sum.output) : "") + "\n";
        result.input += nodes[i].isCall ? nodes[i].input : 0;
        result.output += nodes[i].isCall ? nodes[i].output : 0;
        result.calls += nodes[i].isCall ? 1 : 0;
    }
    return result;
}

} // namespace

class tst_BillingRandom : public QObject {
    Q_OBJECT

private slots:
    void wrappersChangeNothing();
    void deepAndWideTracesAreOrdinary();
};

/// Against plain addition over the leaves: wrapping chains with summed usage change neither tokens nor cost.
void tst_BillingRandom::wrappersChangeNothing()
{
    const PriceTable prices = examplePrices();
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        testkit::Random random(seed);
        const RandomBilling expected = randomBilling(random, seed % 3 != 0);
        const UsageTotals totals = usageCase({expected.text}).totals(0, prices);
        const std::string what = fmt::format("seed {}\n{}", seed, expected.text);
        QVERIFY2(totals.generate.input().orZero() == expected.input, what.c_str());
        QVERIFY2(totals.generate.output().orZero() == expected.output, what.c_str());
        QVERIFY2(totals.withUsage == expected.calls, what.c_str());
        const Money cost = *Money::fromText("0.0000025") * expected.input + *Money::fromText("0.00001") * expected.output;
        QVERIFY2(totals.cost.value_or(Money()) == cost, what.c_str());
    }
}

void tst_BillingRandom::deepAndWideTracesAreOrdinary()
{
    // 100,000 roll-ups around one call, and one roll-up around 100,000 calls: each in one go, without recursion.
    constexpr std::uint32_t many = 100'000;
    for (const bool isDeep : {true, false}) {
        UsageCase given{isDeep ? testkit::chainTrace(many) : testkit::wideTrace(many), {}, {}};
        const auto table = std::make_shared<StageTable>();
        const StageId generate = table->add("generate");
        const StageId orchestrate = table->add("orchestrate");
        given.stages.table = table;
        const std::size_t spans = given.columns.spanCount();
        for (std::size_t i = 0; i < spans; ++i) {
            const bool isCall = isDeep ? i + 1 == spans : i > 0;
            given.stages.stage.push_back(isCall ? generate : orchestrate);
            given.stages.container.push_back(!isCall);
            CallFacts call;
            call.span = i;
            call.reported.input = isCall ? 10 : isDeep ? 10 : 10 * std::int64_t(spans - 1);
            call.reported.output = 0;
            given.usage.calls.push_back(call);
        }
        const UsageTotals totals = given.totals();
        QCOMPARE(totals.generate.input().orZero(), isDeep ? std::int64_t(10) : 10 * std::int64_t(spans - 1));
        QCOMPARE(totals.withUsage, isDeep ? std::uint64_t(1) : std::uint64_t(spans - 1));
    }
}

QTEST_GUILESS_MAIN(tst_BillingRandom)
#include "tst_billing_random.moc"
