// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that one deployment is enough for: every status, and the numbers by hand.
#include "tests/core/analysis/checkcase.h"

#include <QTest>

#include <fmt/format.h>

using namespace chokepoint;

namespace {

/// A request that calls a model with these fields.
std::string chat(std::string_view fields, std::string_view below = {})
{
    return fmt::format("ask | 0-1000 | SERVER\n  chat m | 0-1000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=m{}{}{}",
        fields.empty() ? "" : " | ", fields, below);
}

std::string drafts(int drafted, int accepted)
{
    return chat(fmt::format("gen_ai.spec_decode.draft_tokens:={} | gen_ai.spec_decode.accepted_tokens:={}", drafted, accepted));
}

/// A lookup of \a lookup ms that hits, or misses and costs \a miss ms more.
std::string cached(bool hit, int lookup, int miss, std::string_view fields = {})
{
    const std::string top = fmt::format("ask | 0-{} | SERVER\n  semantic_cache.lookup | 0-{} | cache.hit?={}{}", lookup + (hit ? 0 : miss),
        lookup, hit ? "true" : "false", fields);
    return hit ? top : top + fmt::format("\n  chat m | {}-{} | CLIENT | gen_ai.operation.name=chat", lookup, lookup + miss);
}

const char* const search = "ask | 0-1000 | SERVER\n  search | 0-1000 | openinference.span.kind=RETRIEVER";

} // namespace

class tst_Checks : public QObject {
    Q_OBJECT

    static void compare(const char* id)
    {
        QFETCH(QString, traces);
        QFETCH(QString, expected);
        QFETCH(QString, text);
        const Check check = checkOf(id, *checkCase(traces.toStdString()));
        QCOMPARE(QString::fromStdString(outcome(check)), expected);
        QVERIFY2(check.text.find(text.toStdString()) != std::string::npos, check.text.c_str());
        QCOMPARE(check.status != CheckStatus::MissingData || !check.needs.empty(), true);
    }
    static void columns()
    {
        QTest::addColumn<QString>("traces");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("text"); // a part of the sentence
    }
    static void row(const char* name, const std::string& traces, const char* expected, const char* text)
    {
        QTest::newRow(name) << QString::fromStdString(traces) << expected << text;
    }

private slots:
    void tenChecksInTheirOrder()
    {
        const std::vector<Check> checks = runChecks(checkCase(chat(""))->side(), nullptr);
        std::string ids;
        for (const Check& check : checks) {
            ids += std::string(check.id) + ' ';
            QVERIFY(!check.text.empty() && !check.formula.empty() && check.text.find("unknown") == std::string::npos);
        }
        QCOMPARE(ids,
            std::string("quantization-overhead speculative-acceptance distillation-tail over-padding retrieval-cascade rerank-payoff "
                        "semantic-cache router-accuracy uninstrumented-time hidden-retries "));
    }

    void nothingAtAll()
    {
        const auto given = checkCase(testkit::TraceBuilder().span("ask", 0, 100));
        for (const Check& check : runChecks(given->side(), nullptr))
            QVERIFY2(check.status == CheckStatus::NotApplicable || check.id == "uninstrumented-time", check.text.c_str());
    }

    void speculativeAcceptance_data()
    {
        columns();
        row("low", times(10, drafts(430, 111)), "suspect 0.2581", "25.8 % of the drafted tokens are accepted, below 40.0 %");
        row("very low", times(10, drafts(430, 86)), "suspect 0.2", "Only 20.0 %");
        const auto positions = [](const char* fields) {
            return times(
                10, chat(fmt::format("gen_ai.spec_decode.draft_tokens:=400 | gen_ai.spec_decode.accepted_tokens:=180 | {}", fields)));
        };
        row("late positions hardly accepted",
            positions(
                "spec_decode.num_drafts:=100 | spec_decode.accepted_tokens_per_pos.0:=90 | spec_decode.accepted_tokens_per_pos.1:=60 | "
                "spec_decode.accepted_tokens_per_pos.2:=19 | spec_decode.accepted_tokens_per_pos.3:=11"),
            "ok 0.45", "From position 3 on fewer than 20.0 % are accepted: drafts of 2 would do.");
        row("positions without drafts, by their number",
            positions("spec_decode.acceptance_rate_per_pos.0:=0.8 | spec_decode.acceptance_rate_per_pos.1:=0.1"), "ok 0.45",
            "From position 2 on");
        row("the first position hardly accepted", positions("spec_decode.acceptance_rate_per_position.0:=0.1"), "ok 0.45",
            "Already the first token");
        row("all positions accepted",
            positions(
                "spec_decode.num_drafts:=100 | spec_decode.accepted_tokens_per_pos.0:=90 | spec_decode.accepted_tokens_per_pos.1:=50"),
            "ok 0.45", "not below 40.0 %.");
        row("as low as allowed", times(10, drafts(500, 200)), "ok 0.4", "40.0 %");
        row("high", times(10, drafts(430, 301)), "ok 0.7", "70.0 %");
        row("weighted by tokens", drafts(1000, 900) + "\n---\n" + drafts(9000, 1800), "suspect 0.27", "27.0 %");
        row("too few tokens", times(2, drafts(430, 111)), "missing-data 0.2581", "860 drafted tokens, 1,000 are needed");
        row("predictions of an API", times(10, chat("accepted_prediction_tokens:=60 | rejected_prediction_tokens:=60")), "ok 0.5",
            "50.0 %");
        row("rates alone", times(20, chat("spec_accept_rate:=0.3")), "suspect 0.3", "30.0 %");
        row("too few rates", times(19, chat("spec_accept_rate:=0.3")), "missing-data 0.3", "19 calls tell their acceptance, 20 are needed");
        row("not recorded", chat(""), "missing-data -", "Acceptance is not in these spans");
        row("no model", search, "not-applicable -", "No span calls a model");
        row("one call seen twice",
            times(10,
                chat("gen_ai.spec_decode.draft_tokens:=430 | gen_ai.spec_decode.accepted_tokens:=111",
                    "\n    llm.decode | 100-900 | vllm.spec_decode.num_draft_tokens:=430 | vllm.spec_decode.num_accepted_tokens:=111")),
            "suspect 0.2581", "25.8 %");
    }
    void speculativeAcceptance() { compare("speculative-acceptance"); }

    /// 9.2: L = 1 + 8/10 tokens a step; drafts of 8 at a tenth of a step each: 1.8 / 1.8 = 1; with 6 accepted 1.6 / 1.8.
    void expectedSpeedup()
    {
        const auto of = [](int accepted) {
            return checkOf("speculative-acceptance",
                *checkCase(times(2,
                    chat(fmt::format("spec_decode.num_drafts:=100 | spec_decode.num_draft_tokens:=800 | "
                                     "spec_decode.num_accepted_tokens:={}",
                        accepted)))));
        };
        QCOMPARE(figure(of(80), "expected_speedup"), std::string("1.00"));
        QCOMPARE(figure(of(60), "expected_speedup"), std::string("0.89"));
        QCOMPARE(figure(of(60), "draft_length"), std::string("8.00"));
        QVERIFY(of(60).text.find("0.89 times its speed") != std::string::npos);
    }

    /// Every call accepts the same share: the interval has no width. 100 and 300 of 400: 1.96 * sqrt(2 * (2 * 100^2)) / 800 = 0.49.
    void acceptanceHasAnInterval()
    {
        const auto intervalOf = [](const std::string& traces) {
            for (const CheckFigure& each : checkOf("speculative-acceptance", *checkCase(traces)).figures)
                if (each.name == "acceptance")
                    return each.interval;
            return std::optional<Interval>();
        };
        QCOMPARE(intervalOf(drafts(400, 100)), std::optional<Interval>());
        QCOMPARE(intervalOf(times(3, drafts(400, 100))), std::optional(Interval{0.25, 0.25}));
        const std::optional<Interval> wide = intervalOf(drafts(400, 100) + "\n---\n" + drafts(400, 300));
        QCOMPARE(qRound(wide->low * 1e4), 100);
        QCOMPARE(qRound(wide->high * 1e4), 9900);
    }

    void tracesWorthOpening()
    {
        const Check check = checkOf("speculative-acceptance", *checkCase(drafts(800, 300) + "\n---\n" + drafts(800, 100)));
        QCOMPARE(check.traces, (std::vector<std::uint32_t>{1, 0}));
        QCOMPARE(checkOf("speculative-acceptance", *checkCase(times(9, drafts(800, 100)))).traces.size(), std::size_t(5));
    }

    void overPadding_data()
    {
        columns();
        const auto embed = [](const char* fields) {
            return fmt::format("ask | 0-100 | SERVER\n  embeddings | 0-100 | gen_ai.operation.name=embeddings{}", fields);
        };
        row("three quarters", times(2, chat("gen_ai.request.padded_length:=2048 | gen_ai.usage.input_tokens:=512")), "suspect 0.75",
            "75.0 % of the 4,096 tokens computed are padding, more than half");
        row("a third and more", embed(" | llm.padded_tokens:=100 | llm.actual_tokens:=60"), "suspect 0.4", "above 30.0 %");
        row("as much as allowed", embed(" | llm.padded_tokens:=100 | llm.actual_tokens:=70"), "ok 0.3", "not above 30.0 %");
        row("weighted by tokens",
            embed(" | llm.padded_tokens:=100 | llm.actual_tokens:=50") + "\n---\n"
                + embed(" | llm.padded_tokens:=900 | llm.actual_tokens:=900"),
            "ok 0.05", "5.0 %");
        row("padding told", embed(" | llm.padding_tokens:=30 | llm.actual_tokens:=10"), "suspect 0.75", "75.0 %");
        row("a batch of sequences", embed(" | padded_length:=100 | batch.size:=4 | llm.actual_tokens:=300"), "ok 0.25", "25.0 %");
        row("a limit is no length", embed(" | max_seq_len:=512"), "missing-data -", "No padded length");
        row("more actual than padded", embed(" | llm.padded_tokens:=50 | llm.actual_tokens:=60"), "missing-data -", "No padded length");
        row("not recorded", embed(""), "missing-data -", "No padded length");
        row("ragged batches", chat("gen_ai.provider.name=vllm"), "not-applicable -", "without padding");
        row("no such stage", search, "not-applicable -", "No span embeds, reranks or generates");
    }
    void overPadding() { compare("over-padding"); }

    /// Inputs of 1 to 100 tokens that all take about as long: a hint. Times that grow with the input are none.
    void sameTimeForAllLengths_data()
    {
        QTest::addColumn<int>("growth"); // ms a token
        QTest::addColumn<int>("calls");
        QTest::addColumn<QString>("correlation");
        QTest::newRow("the same time") << 0 << 100 << "0.00";
        QTest::newRow("longer inputs take longer") << 1 << 100 << "absent";
        QTest::newRow("few calls") << 0 << 99 << "absent";
    }
    void sameTimeForAllLengths()
    {
        QFETCH(int, growth);
        QFETCH(int, calls);
        QFETCH(QString, correlation);
        std::string traces;
        for (int i = 1; i <= calls; ++i)
            traces += times(1,
                fmt::format("ask | 0-{0} | SERVER\n  embeddings e | 0-{0} | gen_ai.operation.name=embeddings | gen_ai.request.model=e | "
                            "gen_ai.usage.input_tokens:={1}",
                    100 + growth * i, i));
        const Check check = checkOf("over-padding", *checkCase(traces));
        QCOMPARE(outcome(check), std::string("missing-data -"));
        QCOMPARE(QString::fromStdString(figure(check, "rank_correlation")), correlation);
    }

    void timeLostToPadding()
    {
        const Check embeds = checkOf("over-padding",
            *checkCase(times(3,
                "ask | 0-100 | SERVER\n  embeddings | 0-100 | gen_ai.operation.name=embeddings | padded_tokens:=10 | actual_tokens:=4")));
        QCOMPARE(figure(embeds, "lost_time"), std::string("180 ms"));
    }

    void semanticCache_data()
    {
        columns();
        const auto half = [](int lookup, int miss, const char* fields = "") {
            return times(20, cached(true, lookup, miss, fields)) + times(20, cached(false, lookup, miss));
        };
        row("pays", half(10, 1000), "ok 0.5", "hits 50.0 %");
        row("never hits", times(500, cached(false, 10, 1000)), "suspect 0", "below the 1.0 % that pay for lookups of 10.0 ms");
        row("too few to say that it never hits", times(100, cached(false, 10, 1000)), "missing-data 0", "Not enough data");
        row("slow lookups", half(200, 1000), "suspect 0.5", "One of twenty lookups takes 200 ms or more");
        row("hits at the edge", half(10, 1000, " | cache.similarity:=0.81 | cache.threshold:=0.8"), "suspect 0.5", "20 of 20 hits");
        row("safe hits", half(10, 1000, " | cache.similarity:=0.95 | cache.threshold:=0.8"), "ok 0.5", "50.0 %");
        row("few lookups", times(19, cached(true, 10, 1000)), "missing-data 1", "19 cache lookups, 20 are needed");
        row("no outcome, but no call of a model either",
            times(20, "ask | 0-10 | SERVER\n  semantic_cache.lookup | 0-10") + times(20, cached(false, 10, 1000)), "ok 0.5", "50.0 %");
        row("no outcome", "ask | 0-10 | SERVER | ERROR\n  semantic_cache.lookup | 0-10", "missing-data -", "None of 1 cache lookups");
        row("writes are no lookups", "ask | 0-10 | SERVER\n  semantic_cache.store | 0-10 | cache.operation=set", "not-applicable -",
            "No cache");
        row("none", chat(""), "not-applicable -", "No cache lookups found");
    }
    void semanticCache() { compare("semantic-cache"); }

    /// 20 hits save the 1000 ms of a miss each, 40 lookups take 10 ms each: 19.6 s. It pays from 10 / 1000 on.
    void whatACacheSaves()
    {
        const Check check = checkOf("semantic-cache", *checkCase(times(20, cached(true, 10, 1000)) + times(20, cached(false, 10, 1000))));
        QCOMPARE(figure(check, "saved_time"), std::string("19.6 s"));
        QCOMPARE(*check.threshold, 0.01);
        const auto before = checkCase(times(36, cached(true, 10, 1000)) + times(4, cached(false, 10, 1000)));
        const auto after = checkCase(times(20, cached(true, 10, 1000)) + times(20, cached(false, 10, 1000)));
        QVERIFY(checkOf("semantic-cache", *after, before.get()).text.find("50.0 % of the time, 90.0 % before") != std::string::npos);
        QCOMPARE(int(checkOf("semantic-cache", *before, after.get()).status), int(CheckStatus::Ok));
    }

    void uninstrumentedTime_data()
    {
        columns();
        const auto request = [](int from) {
            return fmt::format("ask | 0-1000 | SERVER\n  search | 0-100 | openinference.span.kind=RETRIEVER\n  chat m | {}-1000 | CLIENT | "
                               "gen_ai.operation.name=chat",
                from);
        };
        row("a gap", request(400), "suspect 0.3",
            "30.0 % of the time on the critical paths has no spans, above 20.0 %; a gap of 300 ms follows search");
        row("a short gap", request(200), "ok 0.1", "10.0 %");
        row("no gap", request(100), "ok 0", "All of the critical paths");
        row("over all requests", request(100) + "\n---\n" + request(600), "suspect 0.25", "a gap of 500 ms follows search");
        row("no root", "ask | 0-? | SERVER", "missing-data -", "No complete trace");
    }
    void uninstrumentedTime() { compare("uninstrumented-time"); }

    void hiddenRetries_data()
    {
        columns();
        const auto calls = [](unsigned usual, unsigned longer) {
            const char* const call =
                "ask | 0-{0} | SERVER\n  chat m | 0-{0} | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=m | "
                "gen_ai.usage.output_tokens:=100";
            return times(usual, fmt::format(fmt::runtime(call), 1000)) + times(longer, fmt::format(fmt::runtime(call), 2300));
        };
        row("longer by a backoff", calls(96, 4), "suspect 0.04", "4 of 100 calls of models take longer than usual");
        row("too few to tell from chance", calls(98, 2), "missing-data 0.02", "100 of 100 calls");
        row("none", calls(100, 0), "missing-data -", "their length does not tell");
        row("few calls", calls(5, 0), "missing-data -", "20 are needed");
        row("HTTP spans below", times(3, chat("", "\n    POST | 0-900 | CLIENT | http.request.method=POST")), "ok 0", "All 3 calls");
        row("no model", search, "not-applicable -", "No span calls a model");
    }
    void hiddenRetries() { compare("hidden-retries"); }
};

QTEST_GUILESS_MAIN(tst_Checks)
#include "tst_checks.moc"
