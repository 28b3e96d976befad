// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that compare two deployments, and that of routers: every status, and the numbers by hand.
#include "tests/core/analysis/checkcase.h"

#include <QTest>

#include <fmt/format.h>

using namespace chokepoint;

namespace {

/// A call of 101 output tokens: prefill and decode in ms, in a batch.
std::string timed(int prefill, int decode, int batch = 1, const char* model = "m")
{
    return fmt::format("ask | 0-{0} | SERVER\n  chat | 0-{0} | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model={1} | "
                       "gen_ai.usage.input_tokens:=600 | gen_ai.usage.output_tokens:=101 | batch.size:={2}\n"
                       "    prefill_forward | 0-{3} | %engine\n    decode_loop | {3}-{0} | %engine",
        prefill + decode, model, batch, prefill);
}

/// A request of \a input tokens, cut off or not.
std::string asked(int input, bool cutOff, const char* label = "")
{
    return fmt::format("ask | 0-100 | SERVER{}\n  chat m | 0-100 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=m | "
                       "gen_ai.usage.input_tokens:={} | gen_ai.response.finish_reasons={}",
               label, input, cutOff ? "length" : "stop")
        + "\n---\n";
}

/// Requests of 1 to \a count input tokens; those above \a from fail \a every so many.
std::string graded(int count, int from, int every)
{
    std::string all;
    for (int i = 1; i <= count; ++i)
        all += asked(i, i > from && i % every == 0);
    return all;
}

/// A search of this score, then a call, or two when the first answer was malformed.
std::string searched(double score, bool retried, const char* fields = "", int search = 100)
{
    const char* const call = "gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.usage.input_tokens:=900 | "
                             "gen_ai.usage.output_tokens:=100";
    std::string text =
        fmt::format("ask | 0-{0} | SERVER\n  search | 0-{1} | openinference.span.kind=RETRIEVER", search + (retried ? 800 : 400), search);
    if (score > 0)
        text += fmt::format(" | db.vector.query.top_score:={}", score);
    text += fmt::format(
        "{}\n  chat | {}-{} | CLIENT{} | {}", fields, search, search + 400, retried ? " | ERROR | error.type=ValidationError" : "", call);
    if (retried)
        text += fmt::format("\n  chat | {}-{} | CLIENT | {}", search + 400, search + 800, call);
    return text;
}

/// A request that takes 200 ms, of \a reranked ms of reranking, and 800 ms of a failed try where it is retried.
std::string reranked(int rerank, bool retried)
{
    std::string text = fmt::format("ask | 0-{} | SERVER", 200 + rerank + (retried ? 800 : 0));
    if (rerank > 0)
        text += fmt::format("\n  rerank | 0-{} | openinference.span.kind=RERANKER", rerank);
    if (retried)
        text += fmt::format(
            "\n  POST | {}-{} | CLIENT | ERROR | http.request.method=POST | http.response.status_code:=500", rerank, rerank + 800);
    return text
        + fmt::format(
            "\n  POST | {}-{} | CLIENT | http.request.method=POST | http.response.status_code:=200 | http.request.resend_count:={}",
            rerank + (retried ? 800 : 0), rerank + (retried ? 1000 : 200), retried ? 1 : 0);
}

const char* const usage = "gen_ai.usage.input_tokens:=1000 | gen_ai.usage.output_tokens:=100 | gen_ai.operation.name=chat";

/// A call of the cheap model; if \a escalated, its answer is rejected and the dear one is asked.
std::string routed(bool escalated, const char* failure = "")
{
    std::string text =
        fmt::format("ask | 0-1000 | SERVER\n  chat cheap | 0-200 | CLIENT{} | gen_ai.request.model=cheap-x | {}", failure, usage);
    if (escalated && failure[0] == '\0')
        text += "\n  validate_output | 200-210 | ERROR";
    if (escalated)
        text += fmt::format("\n  chat dear | 210-1000 | CLIENT | gen_ai.request.model=dear-x | {}", usage);
    return text;
}

PriceTable routerPrices()
{
    return PriceTable::parse(R"({"version": 1, "models": [
        {"model": "cheap-x", "per_million": {"input": 0.1, "output": 1}},
        {"model": "dear-x", "per_million": {"input": 1, "output": 10}}]})",
        "prices.json")
        .value();
}

} // namespace

class tst_ChecksPair : public QObject {
    Q_OBJECT

    static void columns()
    {
        QTest::addColumn<QString>("before"); // "" is none
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("text"); // a part of the sentence
    }
    static void row(const char* name, const std::string& before, const std::string& after, const char* expected, const char* text)
    {
        QTest::newRow(name) << QString::fromStdString(before) << QString::fromStdString(after) << expected << text;
    }
    static void compare(const char* id, const PriceTable& prices = {})
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, expected);
        QFETCH(QString, text);
        const auto sideAfter = checkCase(after.toStdString(), prices);
        const auto sideBefore = before.isEmpty() ? nullptr : checkCase(before.toStdString(), prices);
        const Check check = checkOf(id, *sideAfter, sideBefore.get());
        QCOMPARE(QString::fromStdString(outcome(check) + (check.text.find(text.toStdString()) == std::string::npos ? check.text : "")),
            expected);
        QVERIFY(check.status != CheckStatus::MissingData || !check.needs.empty());
    }

private slots:
    void quantizationOverhead_data()
    {
        columns();
        const std::string before = times(25, timed(60, 1000)) + times(25, timed(60, 1000, 20));
        row("slower decoding", before, times(25, timed(60, 1200)) + times(25, timed(60, 1200, 20)), "suspect 1.2",
            "1.20 times as long as before");
        row("slower prompts", before, times(25, timed(72, 1000)) + times(25, timed(72, 1000, 20)), "suspect 1.2",
            "1.20 times as long as before");
        row("hardly slower", before, times(25, timed(60, 1050)) + times(25, timed(60, 1050, 20)), "ok 1.05", "not above 1.10");
        row("the slow kernel", before, times(25, timed(150, 2500)) + times(25, timed(150, 2500, 20)), "suspect 2.5", "fast kernel");
        row("converting weights back", before, times(25, timed(60, 800)) + times(25, timed(60, 1300, 20)), "suspect 1.3",
            "of small batches takes 0.80 times as long as before, of large ones 1.30");
        row("faster decoding, slower prompts", times(25, timed(60, 1000)), times(25, timed(90, 900)), "suspect 1.5",
            "but 1.50 times to read");
        row("other sizes", before, times(25, timed(60, 1200, 3)), "missing-data -",
            "no bucket of input length and batch size has 20 calls");
        row("few calls", times(19, timed(60, 1000)), times(19, timed(60, 1200)), "missing-data -", "20 calls on both sides");
        row("the same precision", times(25, timed(60, 1000, 1, "m-awq")), times(25, timed(60, 1200, 1, "n-awq")), "not-applicable -",
            "the same precision, awq");
        row("another precision", times(25, timed(60, 1000, 1, "m-fp16")), times(25, timed(60, 1200, 1, "m-awq")), "suspect 1.2",
            "1.20 times");
        row("slower because of drafts", before, times(25, timed(60, 1200) + " | spec_decode.draft_tokens:=400"), "missing-data 1.2",
            "drafts or the padding that AFTER alone has may be why");
        row("one side", "", before, "missing-data -", "One deployment alone");
        row("no times of phases", asked(600, false), asked(600, false), "missing-data -", "spans of clients alone do not tell");
        row("no model", "", "ask | 0-10 | SERVER", "not-applicable -", "No span calls a model");
    }
    void quantizationOverhead() { compare("quantization-overhead"); }

    /// Batches that are not recorded are the calls of the model under way at the same time; a client that streams tells decoding.
    void batchesAndDecodingOfAClient()
    {
        const auto streamed = [](std::int64_t decode) {
            constexpr std::int64_t ms = 1'000'000;
            testkit::TraceBuilder traces;
            for (int k = 0; k < 25; ++k) {
                const std::int64_t from = k * 10'000 * ms; // one after the other
                traces.span("ask", from, from + (500 + decode) * ms)
                    .kind(SpanKind::Server)
                    .span("chat", from, from + (500 + decode) * ms, "ask")
                    .streaming(from + 500 * ms)
                    .attribute("gen_ai.operation.name", {std::string("chat")})
                    .attribute("gen_ai.request.model", {std::string("m")})
                    .attribute("gen_ai.usage.input_tokens", {std::int64_t(600)})
                    .attribute("gen_ai.usage.output_tokens", {std::int64_t(101)});
                if (k < 24)
                    traces.nextTrace();
            }
            return checkCase(traces);
        };
        const auto before = streamed(1000);
        const Check check = checkOf("quantization-overhead", *streamed(1200), before.get());
        QCOMPARE(outcome(check), std::string("suspect 1.2"));
        QCOMPARE(figure(check, "batch_size"), std::string("estimated: calls of the model under way at the same time"));
        QCOMPARE(figure(check, "decode_timed_by"), std::string("the client, network and queue included"));
        QCOMPARE(figure(check, "decode_buckets"), std::string("1"));
        QCOMPARE(figure(check, "decode_ratio_small_batch"), std::string("1.20"));
    }

    void distillationTail_data()
    {
        columns();
        const std::string before = graded(400, 400, 1);
        row("the longest tenth fails", before, graded(400, 360, 6), "suspect 0.15",
            "from 0.0 % to 15.0 %, while all requests together hide it");
        row("so many that it shows", before, graded(400, 360, 3), "suspect 0.325", "of the others from 0.0 % to 0.0 %");
        row("all fail alike", before, graded(400, 0, 5), "ok 0", "below +5.0 points");
        row("may be chance", before, graded(400, 360, 15), "missing-data 0.05", "may be chance");
        row("few requests", graded(100, 100, 1), graded(100, 90, 2), "missing-data -", "10 requests before and 10 after");
        row("one side", "", before, "missing-data -", "One deployment alone");
        row("length of inputs untold", "ask | 0-9 | SERVER\n  chat | 0-9 | gen_ai.operation.name=chat",
            "ask | 0-9 | SERVER\n  chat | 0-9 | gen_ai.operation.name=chat", "missing-data -",
            "The length of inputs is not in these spans");
        row("no model", "", "ask | 0-10 | SERVER", "not-applicable -", "No span calls a model");
    }
    void distillationTail() { compare("distillation-tail"); }

    /// What one deployment alone tells: 1060 ms for 600 and 101 tokens; six of the forty longest inputs are cut off.
    void figuresOfOneSide()
    {
        const Check tokens = checkOf("quantization-overhead", *checkCase(times(3, timed(60, 1000))));
        QCOMPARE(figure(tokens, "prefill_time_a_token"), QString::fromUtf8("100 \u00b5s").toStdString());
        QCOMPARE(figure(tokens, "decode_time_a_token"), std::string("10.0 ms"));
        const Check tail = checkOf("distillation-tail", *checkCase(graded(400, 360, 6)));
        QCOMPARE(figure(tail, "tail_failures"), std::string("15.0 %"));
        QCOMPARE(figure(tail, "body_failures"), std::string("0.0 %"));
        QCOMPARE(figure(tail, "tail_requests"), std::string("40"));
    }

    void labelsGoBeforeStructure()
    {
        const char* const right = " | gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.label=correct";
        const char* const wrong = " | gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.label=incorrect";
        std::string before;
        std::string after;
        for (int i = 1; i <= 400; ++i) {
            before += asked(i, true, right);
            after += asked(i, true, i > 360 && i % 6 == 0 ? wrong : right);
        }
        const auto sideBefore = checkCase(before);
        const Check check = checkOf("distillation-tail", *checkCase(after), sideBefore.get());
        QCOMPARE(outcome(check), std::string("suspect 0.15"));
        QCOMPARE(figure(check, "failures_by"), std::string("evaluations"));
        QVERIFY(check.needs.empty());
    }

    /// BEFORE: 20 scores of 0.6, 80 of 0.9, 2 requests retried. AFTER: 30 of 0.5, 15 of them retried, 70 of 0.8, 2 of them retried:
    /// lift = (15.5 / 31) / (2.5 / 71) = 14.2; the median falls by 11.1 %, tokens rise from 1020 to 1170 a request.
    void retrievalCascade_data()
    {
        columns();
        const auto set = [](unsigned low, unsigned lowRetried, double lowScore, unsigned high, unsigned highRetried, double highScore,
                             const char* fields = "", int search = 100) {
            return times(low, searched(lowScore, false, fields, search)) + times(lowRetried, searched(lowScore, true, fields, search))
                + times(high, searched(highScore, false, fields, search)) + times(highRetried, searched(highScore, true, fields, search));
        };
        const std::string before = set(20, 0, 0.6, 78, 2, 0.9);
        row("a cascade", before, set(15, 15, 0.5, 68, 2, 0.8), "suspect 14.2",
            "retried 14.20 times as often as others, retries went from 2.0 % to 17.0 %");
        row("faster retrieval, slower answers", before, set(15, 15, 0.5, 68, 2, 0.8, "", 80), "suspect 14.2",
            "Retrieval got faster, answers got slower");
        row("scores hold", before, set(15, 15, 0.5, 68, 2, 0.9), "ok 14.2", "No chain");
        row("low scores do no harm", before, set(30, 0, 0.5, 53, 17, 0.8), "ok 0.06544", "No chain");
        row("other embeddings", before, set(15, 15, 0.5, 68, 2, 0.8, " | db.collection.name=new"), "missing-data -", "cannot be compared");
        row("no scores", set(50, 0, 0, 50, 0, 0), set(25, 25, 0, 50, 0, 0), "missing-data -",
            "carry too few scores: retries went from 0.0 % to 25.0 %");
        row("no scores, no retries", set(50, 0, 0, 50, 0, 0), set(50, 0, 0, 50, 0, 0), "ok -", "No chain");
        row("no retrieval before", asked(600, false), before, "missing-data -", "nothing to compare with");
        row("one side", "", set(15, 15, 0.5, 68, 2, 0.8), "missing-data -", "");
        row("one side without scores", "", set(50, 0, 0, 50, 0, 0), "missing-data -", "carry no scores");
        row("no retrieval", "", asked(600, false), "not-applicable -", "No request retrieves");
    }
    void retrievalCascade() { compare("retrieval-cascade"); }

    void cascadeFigures()
    {
        const auto before = checkCase(times(20, searched(0.6, false)) + times(78, searched(0.9, false)) + times(2, searched(0.9, true)));
        const auto after = checkCase(times(15, searched(0.5, false)) + times(15, searched(0.5, true)) + times(68, searched(0.8, false))
            + times(2, searched(0.8, true)));
        const Check check = checkOf("retrieval-cascade", *after, before.get());
        QCOMPARE(figure(check, "top_score_change"), std::string("-11.1 %"));
        QCOMPARE(figure(check, "tokens_a_request_before"), std::string("1,020"));
        QCOMPARE(figure(check, "tokens_a_request"), std::string("1,170"));
        QCOMPARE(check.traces.front(), std::uint32_t(15)); // the first with a low score that was retried
    }

    /// Algorithms E2: a tenth of the requests lost 800 ms, 80 ms a request; reranking pays below that.
    void rerankPayoff_data()
    {
        columns();
        const std::string before = times(270, reranked(0, false)) + times(30, reranked(0, true));
        row("pays", before, times(300, reranked(30, false)), "ok 2.667", "takes 30.0 ms a request and removes 80.0 ms of retries: it pays");
        row("costs more", before, times(300, reranked(160, false)), "suspect 0.5", "it costs more time than it saves");
        row("hard to tell", before, times(300, reranked(80, false)), "missing-data 1", "does not tell which is more");
        row("removes nothing", before, times(270, reranked(30, false)) + times(30, reranked(30, true)), "missing-data 0", "does not tell");
        row("few requests", times(29, reranked(0, true)), times(29, reranked(30, false)), "missing-data -",
            "29 requests before and 29 after");
        row("both rerank", times(40, reranked(30, true)), times(40, reranked(30, false)), "not-applicable -", "Both deployments rerank");
        row("one side", "", times(40, reranked(30, false)), "missing-data -", "takes 30.0 ms a request");
        row("none", "", before, "not-applicable -", "No request reranks");
    }
    void rerankPayoff() { compare("rerank-payoff"); }

    /// d = 60 ms: mean 280 -> 260, P50 +60, P95 200 + 800 -> 260 (E2 with a base of 200 ms).
    void rerankIsWorseInTheMedianAndBetterInTheTail()
    {
        const auto before = checkCase(times(270, reranked(0, false)) + times(30, reranked(0, true)));
        const Check check = checkOf("rerank-payoff", *checkCase(times(300, reranked(60, false))), before.get());
        QCOMPARE(figure(check, "mean_change"), QString::fromUtf8("\u221220.0 ms").toStdString());
        QCOMPARE(figure(check, "p50_change"), std::string("60.0 ms"));
        QCOMPARE(figure(check, "p95_change"), QString::fromUtf8("\u2212740 ms").toStdString());
    }

    void routerAccuracy_data()
    {
        columns();
        row("a fifth", "", times(24, routed(false)) + times(6, routed(true)), "suspect 0.2", "6 of 30 requests sent to the cheaper model");
        row("a tenth", "", times(27, routed(false)) + times(3, routed(true)), "ok 0.1", "not above 10.0 %");
        row("a limit of the provider is no misroute", "",
            times(24, routed(false)) + times(6, routed(true, " | ERROR | http.response.status_code:=429")), "ok 0", "0.0 %");
        row("an error is one", "", times(24, routed(false)) + times(6, routed(true, " | ERROR")), "suspect 0.2", "6 of 30");
        row("few requests", "", times(18, routed(false)) + times(1, routed(true)), "missing-data 0.05263", "19 requests were first sent");
        row("one model", "", times(30, routed(false)), "not-applicable -", "Only one model is visible");
        row("one model and a router", "",
            "ask | 0-9 | SERVER\n  route | 0-1 | routing.selected_model=a\n  chat | 1-9 | gen_ai.operation.name=chat | "
            "gen_ai.request.model=a",
            "missing-data -", "the calls tell only 1 model");
        row("no model", "", "ask | 0-10 | SERVER", "not-applicable -", "No span calls a model");
    }
    void routerAccuracy() { compare("router-accuracy", routerPrices()); }

    void withoutPricesNobodyKnowsTheCheaperModel()
    {
        const Check check = checkOf("router-accuracy", *checkCase(times(24, routed(false)) + times(6, routed(true))));
        QCOMPARE(outcome(check), std::string("missing-data -"));
        QCOMPARE(figure(check, "model_changes_after_rejection"), std::string("6"));
    }

    /// A call costs 0.0002 at the cheap model and 0.002 at the dear one. 30 requests at the dear one: 0.06; routed: 30 * 0.0002, and 3
    /// * 0.002 once more: 0.012.
    void savingOfARouter()
    {
        const Check check = checkOf("router-accuracy", *checkCase(times(27, routed(false)) + times(3, routed(true)), routerPrices()));
        QCOMPARE(figure(check, "net_saving"), std::string("0.048"));
        QCOMPARE(figure(check, "wasted_cost"), std::string("0.0006"));
        QCOMPARE(figure(check, "added_time"), std::string("600 ms"));
        QCOMPARE(check.traces, (std::vector<std::uint32_t>{27, 28, 29}));
    }

    void deterministic()
    {
        const auto before = checkCase(times(270, reranked(0, false)) + times(30, reranked(0, true)));
        const auto after = checkCase(times(300, reranked(60, false)));
        const CheckSide sideBefore = before->side();
        const std::vector<Check> first = runChecks(after->side(), &sideBefore, 7);
        const std::vector<Check> second = runChecks(after->side(), &sideBefore, 7);
        for (std::size_t k = 0; k < first.size(); ++k) {
            QCOMPARE(first[k].text, second[k].text);
            for (std::size_t f = 0; f < first[k].figures.size(); ++f)
                QVERIFY(first[k].figures[f].interval == second[k].figures[f].interval);
        }
    }
};

QTEST_GUILESS_MAIN(tst_ChecksPair)
#include "tst_checks_pair.moc"
