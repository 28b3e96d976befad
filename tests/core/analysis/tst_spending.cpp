// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cost per request, per successful and per correct answer; which judgement of an answer counts.
#include "core/analysis/rulebook.h"
#include "core/analysis/spending.h"
#include "core/model/packed.h"
#include "tests/core/analysis/usagecase.h"

#include <QTest>

#include <fmt/format.h>

#include <cmath>

using namespace chokepoint;

namespace {

struct Judged {
    UsageCase given;
    Population population;
    std::vector<AnswerVerdict> verdicts;
    std::vector<bool> successful;
    Spending spent;
};

Judged judged(const StageCase& traces, std::string_view rules = {}, const PriceTable& prices = examplePrices())
{
    Judged result{usageCase(traces, rules), {}, {}, {}, {}};
    const UsageCase& given = result.given;
    result.population = analysePopulation(given.columns, given.stages, {}, 1, {}).value();
    const auto parsed = parseStageRules(builtInStageRules(), rules).value();
    result.verdicts = judgeAnswers(given.columns, result.population, given.stages, given.usage, parsed->correctness);
    result.successful = successfulRequests(given.columns, result.population, given.stages, given.usage);
    result.spent = spending(given.columns, result.population, given.bill(prices), result.verdicts, result.successful);
    return result;
}

std::string verdict(const std::string& root, const std::string& below = {}, std::string_view rules = {})
{
    const AnswerVerdict found = judged(stageCase({"ask | " + root + (below.empty() ? "" : "\n" + below)}), rules).verdicts[0];
    return found == AnswerVerdict::Correct ? "correct" : found == AnswerVerdict::Incorrect ? "incorrect" : "unlabelled";
}

/// A request of \a input tokens at 2.5 USD a million, labelled "yes", "no" or not at all.
std::string request(int input, const char* label)
{
    return fmt::format("ask | SERVER{}\n  chat | gen_ai.operation.name=chat | gen_ai.request.model=gpt-x | gen_ai.usage.input_tokens:={} | "
                       "gen_ai.usage.output_tokens:=0 | gen_ai.response.finish_reasons=stop",
        label[0] == '\0' ? "" : fmt::format(" | gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.label={}", label), input);
}

} // namespace

class tst_Spending : public QObject {
    Q_OBJECT

private slots:
    void verdicts_data()
    {
        QTest::addColumn<QString>("root");
        QTest::addColumn<QString>("below");
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* root, const char* expected, const char* below = "", const char* rules = "") {
            QTest::newRow(name) << root << below << rules << expected;
        };
        row("no judgement", "x=y", "unlabelled");
        row("label", "gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.label=pass", "correct");
        row("label, other case", "gen_ai.evaluation.name=Correctness | gen_ai.evaluation.score.label=Incorrect", "incorrect");
        row("score", "gen_ai.evaluation.name=answer_accuracy | gen_ai.evaluation.score.value:=0.5", "correct");
        row("low score", "gen_ai.evaluation.name=answer_accuracy | gen_ai.evaluation.score.value:=0.49", "incorrect");
        row("grade", "gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.value:=4", "correct");
        row("low grade", "gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.value:=3", "incorrect");
        row("unknown range", "gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.value:=80", "unlabelled");
        row("relevance is not correctness", "gen_ai.evaluation.name=relevance | gen_ai.evaluation.score.value:=1", "unlabelled");
        row("unless the user says so", "gen_ai.evaluation.name=relevance | gen_ai.evaluation.score.value:=1", "correct", "",
            R"({"version": 1, "correctness": [{"metric": "^relevance$"}]})");
        row("with a threshold", "gen_ai.evaluation.name=relevance | gen_ai.evaluation.score.value:=80", "incorrect", "",
            R"({"version": 1, "correctness": [{"metric": "^relevance$", "threshold": 90}]})");
        row("inverse metric", "gen_ai.evaluation.name=hallucination | gen_ai.evaluation.score.value:=0.9", "incorrect", "",
            R"({"version": 1, "correctness": [{"metric": "hallucination"}]})");
        row("inverse metric, answered no", "gen_ai.evaluation.name=hallucination | gen_ai.evaluation.score.label=no", "correct", "",
            R"({"version": 1, "correctness": [{"metric": "hallucination"}]})");
        row("lower is better", "gen_ai.evaluation.name=distance | gen_ai.evaluation.score.value:=0.1", "correct", "",
            R"({"version": 1, "correctness": [{"metric": "distance", "lower_is_better": true}]})");
        row("OpenInference annotation", "annotations.0.annotation.name=correctness | annotations.0.annotation.label=correct", "correct");
        row("people before models",
            "annotations.0.annotation.name=correctness | annotations.0.annotation.label=correct | "
            "annotations.0.annotation.annotator_kind=LLM | "
            "annotations.1.annotation.name=correctness | annotations.1.annotation.label=incorrect | "
            "annotations.1.annotation.annotator_kind=HUMAN",
            "incorrect");
        row("the trace before the root",
            "evaluations.0.evaluation.name=correctness | evaluations.0.evaluation.label=correct | "
            "trace.evaluations.0.evaluation.name=correctness | trace.evaluations.0.evaluation.label=incorrect",
            "incorrect");
        row("the root before the session",
            "session.evaluations.0.evaluation.name=correctness | session.evaluations.0.evaluation.label=correct | "
            "evaluations.0.evaluation.name=correctness | evaluations.0.evaluation.label=incorrect",
            "incorrect");
        row("an evaluator's span", "x=y", "correct",
            "  qa_correctness | openinference.span.kind=EVALUATOR | output.value={\"score\": 1, \"label\": \"correct\"}");
        row("the final answer, not a draft", "x=y", "incorrect",
            "  chat | 10ms | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.evaluation.name=correctness | "
            "gen_ai.evaluation.score.label=yes\n"
            "  chat | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.evaluation.name=correctness | "
            "gen_ai.evaluation.score.label=no");
        row("a judgement of something else", "x=y", "unlabelled",
            "  search | openinference.span.kind=RETRIEVER | gen_ai.evaluation.name=correctness | gen_ai.evaluation.score.label=yes");
        row("OpenLIT", "evals.verdict=yes", "unlabelled"); // its span is called "ask": no metric of correctness
    }
    void verdicts()
    {
        QFETCH(QString, root);
        QFETCH(QString, below);
        QFETCH(QString, rules);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(verdict(root.toStdString(), below.toStdString(), rules.toStdString())), expected);
    }

    /// Feedback that comes later is a span of its own with one link to what it judges.
    void feedbackIsLinked()
    {
        StageCase given = stageCase({request(1000, ""), "feedback"});
        const auto dictionary = std::make_shared<Dictionary>();
        for (std::size_t i = 0; i < given.columns.dictionary->strings.size(); ++i)
            dictionary->strings.intern(given.columns.dictionary->strings.text(StringId(i)));
        SpanPayload payload;
        for (const auto& [key, value] :
            {std::pair{"annotations.0.annotation.name", "correctness"}, std::pair{"annotations.0.annotation.label", "correct"}})
            payload.attributes.push_back({key, AttributeValue{std::string(value)}});
        SpanLink link;
        link.traceId = given.columns.traceId[0];
        link.spanId = given.columns.spans.spanId[0];
        const auto verdicts = [&](std::size_t links) {
            payload.links.assign(links, link);
            PackedWriter writer(dictionary->strings);
            given.payloads[2].clear();
            encodePayload(payload, given.columns.spans.start[2], writer, given.payloads[2]);
            given.columns.dictionary = dictionary;
            return judged(given).verdicts;
        };
        QVERIFY(verdicts(1)[0] == AnswerVerdict::Correct && verdicts(1)[1] == AnswerVerdict::Unlabelled);
        QVERIFY(verdicts(2)[0] == AnswerVerdict::Unlabelled);
        link.traceId.lo = 77;
        QVERIFY(verdicts(1)[0] == AnswerVerdict::Unlabelled);
    }

    void costPerCorrectAnswerIsRefusedForFewLabels()
    {
        std::vector<std::string> traces(19, request(1000, "yes"));
        const Judged few = judged(stageCase(traces));
        QVERIFY(!few.spent.correct.cost.has_value());
        QCOMPARE(few.spent.correct.shortfall, std::string("needs 20 labelled answers, has 19"));
        QCOMPARE(*few.spent.perRequest, 0.0025);
        traces.push_back(request(1000, "yes"));
        const Judged enough = judged(stageCase(traces));
        QCOMPARE(*enough.spent.correct.cost, 0.0025);
        QVERIFY(enough.spent.correct.costInterval->low <= 0.0025 && enough.spent.correct.costInterval->high > 0.0025);
        QCOMPARE(judged(stageCase({request(1000, "")})).spent.correct.shortfall, std::string("no answer is labelled right or wrong"));
        QCOMPARE(judged(stageCase(std::vector<std::string>(20, request(1000, "no")))).spent.correct.shortfall,
            std::string("no labelled answer is correct"));
    }

    /// Every request labelled: the whole cost, wrong answers included, over the right ones.
    void wrongAnswersCostToo()
    {
        std::vector<std::string> traces(15, request(1000, "yes"));
        traces.insert(traces.end(), 5, request(3000, "no"));
        const Judged all = judged(stageCase(traces));
        QCOMPARE(all.spent.cost->text(), std::string("0.075"));
        QCOMPARE(*all.spent.correct.cost, 0.005);
        QCOMPARE(*all.spent.correct.rate, 0.75);
        // Wilson for 15 of 20: [0.5313, 0.8881].
        QCOMPARE(qRound(*all.spent.perRequest / all.spent.correct.costInterval->low * 1e4), 8881);
        QCOMPARE(qRound(*all.spent.perRequest / all.spent.correct.costInterval->high * 1e4), 5313);
    }

    /// Partial labels: the mean cost of the labelled ones over their share of right answers.
    void unlabelledRequestsDoNotCount()
    {
        std::vector<std::string> traces(20, request(1000, "yes"));
        traces.insert(traces.end(), 80, request(100'000, ""));
        const Judged some = judged(stageCase(traces));
        QCOMPARE(*some.spent.correct.cost, 0.0025);
        QCOMPARE(some.spent.correct.labelled, std::uint64_t(20));
        QCOMPARE(some.spent.requests, std::uint64_t(100));
    }

    void successfulIsNotCorrect_data()
    {
        QTest::addColumn<QString>("below");
        QTest::addColumn<bool>("rootFails");
        QTest::addColumn<bool>("expected");
        const char* stopped = "  chat | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.response.finish_reasons=stop";
        QTest::newRow("stopped") << stopped << false << true;
        QTest::newRow("root failed") << stopped << true << false;
        QTest::newRow("cut off") << "  chat | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.response.finish_reasons=length"
                                 << false << false;
        QTest::newRow("the last one counts")
            << (std::string("  chat | 10ms | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.response.finish_reasons=length\n")
                   + stopped)
                   .c_str()
            << false << true;
        QTest::newRow("nothing generates") << "  search" << false << true;
    }
    void successfulIsNotCorrect()
    {
        QFETCH(QString, below);
        QFETCH(bool, rootFails);
        QFETCH(bool, expected);
        StageCase given = stageCase({"ask | SERVER\n" + below.toStdString()});
        if (rootFails)
            given.columns.spans.flags[0].setStatus(SpanStatus::Error);
        QCOMPARE(judged(given).successful[0], expected);
    }

    /// Figures for gates: equal sides differ by nothing, swapped ones by the opposite.
    void figures()
    {
        const Spending cheap = judged(stageCase(std::vector<std::string>(30, request(1000, "")))).spent;
        std::vector<std::string> mixed(15, request(1000, ""));
        mixed.insert(mixed.end(), 15, request(3000, ""));
        const Spending dear = judged(stageCase(mixed)).spent;
        const GateFigure figure = *spendingFigure(cheap, dear, "cost_per_request");
        QVERIFY(std::abs(*figure.before - 0.0025) < 1e-12 && std::abs(*figure.after - 0.005) < 1e-12);
        // Variance 0.0025^2 * 30 / 29: half width 1.96 * sqrt(variance / 30) = 0.00090988.
        QVERIFY(std::abs(figure.difference->low - (0.0025 - 0.00090988)) < 1e-7);
        const GateFigure swapped = *spendingFigure(dear, cheap, "cost_per_request");
        QCOMPARE(swapped.difference->low, -figure.difference->high);
        QCOMPARE(swapped.difference->high, -figure.difference->low);
        QCOMPARE(*spendingFigure(cheap, dear, "tokens_per_request")->after, 2000.0);
        QVERIFY(!spendingFigure(cheap, dear, "p95"));
        const Spending few = judged(stageCase({request(1000, "")})).spent;
        QCOMPARE(spendingFigure(few, dear, "cost_per_request")->missing, std::string("needs 30 requests a side"));
        const Spending unknown = judged(stageCase({request(1000, "")}), {}, PriceTable()).spent;
        QCOMPARE(
            spendingFigure(unknown, dear, "cost_per_request")->missing, std::string("more than 1 % of the calls of one side have no cost"));
        QVERIFY(!spendingFigure(unknown, dear, "cost_per_request")->before);
        QCOMPARE(*spendingFigure(unknown, dear, "tokens_per_request")->before, 1000.0);
    }

    void unknownCostStaysUnknown()
    {
        const Judged none = judged(stageCase({request(1000, "yes")}), {}, PriceTable());
        QVERIFY(!none.spent.cost && !none.spent.perRequest && !none.spent.perSuccessfulAnswer);
        QCOMPARE(none.spent.totals.generate.input().orZero(), std::int64_t(1000));
    }
};

QTEST_GUILESS_MAIN(tst_Spending)
#include "tst_spending.moc"
