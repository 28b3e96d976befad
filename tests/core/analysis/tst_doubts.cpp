// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every doubt about the figures: traces that raise it, how often, and what is said of the first; and traces that do not.
#include "core/analysis/doubts.h"

#include "tests/core/analysis/checkcase.h"

#include <QTest>

using namespace chokepoint;

namespace {

Diagnostics doubtsOf(const CheckCase& given)
{
    Diagnostics all = doubtsIn(given.billing.diagnostics);
    all.merge(findDoubts(given.side(), given.doubtFacts));
    return all;
}

std::string firstOf(const Diagnostics& doubts, DiagnosticCode code)
{
    for (const DiagnosticEntry& entry : doubts.entries())
        if (entry.code == code)
            return entry.first;
    return {};
}

/// Retrievals and answers in turn, too many to look for walks in.
std::string longTrace(unsigned steps)
{
    std::string text = "agent | 0-100000\n";
    for (unsigned i = 0; i < steps; ++i) {
        const std::string begin = std::to_string(10 * i);
        const std::string end = std::to_string(10 * i + 9);
        text += (i % 2 == 0 ? "  v | " : "  c | ") + begin + "-" + end
            + (i % 2 == 0 ? " | gen_ai.operation.name=retrieval\n" : " | gen_ai.operation.name=chat\n");
    }
    return text;
}

constexpr const char* quiet = R"(POST /ask | 0-1000 | SERVER
  embeddings | 0-100 | CLIENT | gen_ai.operation.name=embeddings
  chat | 100-1000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.input.messages=[{"role":"user","content":"q"}])";

} // namespace

class TestDoubts : public QObject {
    Q_OBJECT

private slots:
    void raised_data();
    void raised();
    void nothingToDoubt();
    void sampledTraces();
    void linksThatLeadNowhere();
    void faultsAndDoubts();
};

void TestDoubts::raised_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("traces");
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("first"); // a part of what is said
    const auto row = [](const char* name, DiagnosticCode code, const std::string& traces, int count, const char* first) {
        QTest::newRow(name) << int(code) << QString::fromStdString(traces) << count << first;
    };
    using enum DiagnosticCode;
    row("a latency that fits no unit", UnitUnknown, "llm_request | 0-1000 | gen_ai.latency.time_in_queue:=100000000000000", 1,
        "gen_ai.latency.time_in_queue is 100000000000000, which fits a span of 1.00 s in no unit");
    row("a latency in seconds", UnitUnknown, "llm_request | 0-1000 | gen_ai.latency.time_in_queue:=0.5", 0, "");
    const std::string seconds = times(6, "llm_request | 0-1000 | gen_ai.latency.e2e:=0.95");
    row("units that disagree", UnitMixed, seconds + times(3, "llm_request | 0-1000 | gen_ai.latency.e2e:=950000000"), 3,
        "gen_ai.latency.e2e is in s on 6 spans and in ns on 3");
    row("units that agree", UnitMixed, seconds, 0, "");
    row("old and new names in one trace", SchemaMixed,
        "chat | 0-1000 | gen_ai.provider.name=openai\n  llm_request | 10-990 | gen_ai.usage.prompt_tokens:=5", 1,
        "span llm_request of trace");
    row("an old name beside its successor", SchemaMixed, "chat | 0-1000 | gen_ai.provider.name=openai | gen_ai.system=openai", 0, "");
    row("old and new names in two traces", SchemaMixed,
        "chat | 0-1000 | gen_ai.provider.name=openai\n---\nchat | 0-1000 | gen_ai.usage.prompt_tokens:=5", 0, "");
    row("two vocabularies that disagree", VocabConflict, "x | 0-10 | openinference.span.kind=RETRIEVER | gen_ai.operation.name=embeddings",
        1, "T1-20 says retrieve and counts, T2-20 says embed");
    row("two vocabularies that agree", VocabConflict, "x | 0-10 | openinference.span.kind=LLM | gen_ai.operation.name=chat", 0, "");
    row("stages by name", StageLowConf, "POST /ask | 0-1000 | SERVER\n  answer question | 0-600\n  make tool call | 600-1000", 2,
        "are guesses; a rules file can name them: answer question, make tool call");
    row("stages by attributes", StageLowConf, quiet, 0, "");
    row("a third without spans", Uninstrumented, "POST /ask | 0-1000 | SERVER\n  embed | 0-100\n  chat | 400-1000", 1,
        "30.0 % of the time on the path has no spans; the largest gap is 300 ms, after embed in span POST /ask");
    row("a tenth without spans", Uninstrumented, "POST /ask | 0-1000 | SERVER\n  chat | 100-1000", 0, "");
    row("decades without spans", Uninstrumented, times(4, "POST /ask | 0-3000000000000 | SERVER\n  embed | 0-1000000000000"), 4,
        "66.7 % of the time on the path has no spans");
    row("decades that are guesses", StageLowConf, times(4, "POST /ask | 0-3000000000000 | SERVER\n  answer question | 0-2000000000000"), 1,
        "the stages of 66.7 % of the time on the path are guesses");
    const std::string call =
        "ChatOpenAI | 0-1000 | openinference.span.kind=LLM | llm.token_count.prompt:=100 | llm.token_count.completion:=20\n";
    row("one call in two records", DuplicateCall,
        call + "  chat | 10-990 | gen_ai.operation.name=chat | gen_ai.usage.input_tokens:=100 | gen_ai.usage.output_tokens:=20", 1,
        "its call stands in two records");
    row("a call outside its caller", ClockSkew, "POST | 0-100 | CLIENT | %web\n  POST /x | 50-120 | SERVER | %api", 1,
        "those of api from web by 20.0 ms as a rule");
    row("a call that runs on", ClockSkew, "POST | 0-100 | CLIENT | %web\n  POST /x | 50-400 | SERVER | %api", 0, "");
    row("a stream whose call ends with the headers", StreamTail,
        "chat | 0-1000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.request.stream?=true\n  POST | 10-200 | "
        "CLIENT",
        1, "span chat of trace");
    row("an answer in one piece", StreamTail,
        "chat | 0-1000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=m\n  POST | 10-200 | CLIENT", 0, "");
    row("a counter without the attempts before", AttemptEarlierMissing,
        "job | 0-1000\n  GET | 500-700 | CLIENT | http.request.resend_count:=2", 1, "span GET of trace");
    const std::string usual = "chat | 0-1000 | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.usage.output_tokens:=20";
    row("longer by a backoff", HiddenRetryHint,
        times(40, usual) + "chat | 0-1450 | gen_ai.operation.name=chat | gen_ai.request.model=m | gen_ai.usage.output_tokens:=20", 1,
        "may hold retries that have no spans");
    row("too many steps", WalkTruncated, longTrace(420), 1, "too many steps");
    row("scores of two collections", ScoreIncomparable,
        "ask | 0-100\n  v | 0-50 | db.system=qdrant | qdrant.search.collection_name=a | db.vector.query.top_score:=0.5\n"
        "  v | 50-90 | db.system=qdrant | qdrant.search.collection_name=b | db.vector.query.top_score:=0.5",
        2, "scores of 2 collections or metrics");
    row("29 traces", LowN, times(29, quiet), 29, "29 complete traces");
    row("30 traces", LowN, times(30, quiet), 0, "");
    const std::string judged =
        "chat | 0-100 | gen_ai.operation.name=chat | annotations.0.annotation.name=correctness | annotations.0.annotation.score:=1.0";
    row("19 labels", LabelsFew, times(19, judged), 19, "19 judged answers");
    row("20 labels", LabelsFew, times(20, judged), 0, "");
    row("work after the answer", AsyncAfterResponse, "POST /ask | 0-100 | SERVER\n  log | 50-90\n  evaluate | 200-300", 1,
        "span evaluate of trace");
    row("calls without messages", ContentAbsent, usual, 1, "span chat of trace");
    row("calls with messages", ContentAbsent, quiet, 0, "");
}

void TestDoubts::raised()
{
    QFETCH(int, code);
    QFETCH(QString, traces);
    QFETCH(int, count);
    QFETCH(QString, first);
    const auto given = checkCase(traces.toStdString());
    const Diagnostics doubts = doubtsOf(*given);
    QCOMPARE(doubts.count(DiagnosticCode(code)), std::uint64_t(count));
    const std::string said = firstOf(doubts, DiagnosticCode(code));
    QVERIFY2(said.find(first.toStdString()) != std::string::npos, said.c_str());
}

void TestDoubts::nothingToDoubt()
{
    QVERIFY(doubtsOf(*checkCase(times(30, quiet))).empty());
}

void TestDoubts::sampledTraces()
{
    testkit::TraceBuilder traces;
    traces.span("root", 0, 100).span("chat", 10, 90, "root").span("lost", 20, 30, "elsewhere");
    const auto given = checkCase(traces);
    QCOMPARE(doubtsOf(*given).count(DiagnosticCode::SampledTrace), std::uint64_t(1));
    traces.nextTrace().span("piece", 0, 10, "elsewhere");
    const auto more = checkCase(traces);
    const std::string said = firstOf(doubtsOf(*more), DiagnosticCode::SampledTrace);
    QVERIFY2(said.find("the parents of 2 of 4 spans are not here, nor the roots of 1 traces") != std::string::npos, said.c_str());
}

void TestDoubts::linksThatLeadNowhere()
{
    testkit::TraceBuilder traces;
    traces.span("a", 0, 100).nextTrace().span("b", 0, 10).span("c", 20, 30, "b").link("b");
    const auto whole = checkCase(traces);
    QCOMPARE(doubtsOf(*whole).count(DiagnosticCode::LinkUnresolved), std::uint64_t(0));

    DoubtFacts facts = whole->doubtFacts;
    facts.links.insert(facts.links.begin(), {LinkTarget{0, TraceId{0, 2}, SpanId{99}}, LinkTarget{1, TraceId{0, 77}, SpanId{2}}});
    const Diagnostics doubts = findDoubts(whole->side(), facts);
    QCOMPARE(doubts.count(DiagnosticCode::LinkUnresolved), std::uint64_t(2));
    QVERIFY(firstOf(doubts, DiagnosticCode::LinkUnresolved).find("span a of trace") != std::string::npos);

    DoubtFacts part; // what a part of the traces takes over
    part.append(facts, 1, 2, 10);
    QCOMPARE(part.links.size(), std::size_t(2));
    QCOMPARE(part.links.front().span, std::uint64_t(10));
    QCOMPARE(part.links.back().span, std::uint64_t(11)); // of c, whose link leads to b
}

void TestDoubts::faultsAndDoubts()
{
    Diagnostics all;
    all.add(DiagnosticCode::MissingParent, 2, "x");
    all.add(DiagnosticCode::UsageRollupIgnored, 1, "y");
    all.add(DiagnosticCode::UnpricedModel, 3, "z");
    QCOMPARE(faultsIn(all).entries().size(), std::size_t(2));
    QCOMPARE(doubtsIn(all).entries().size(), std::size_t(1));
    QCOMPARE(doubtsIn(all).count(DiagnosticCode::UnpricedModel), std::uint64_t(3));
}

QTEST_GUILESS_MAIN(TestDoubts)
#include "tst_doubts.moc"
