// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated walks of the pipeline: the pattern in a sequence of steps, and how sure it is that one walk repeats another.
#include "core/analysis/walkpattern.h"
#include "tests/core/analysis/retrytext.h"

#include <QTest>

#include <map>

using namespace chokepoint;

namespace {

/// Steps by letters: e embed, r retrieve, k rerank, g generate, t tool, v validate, c cache, p preprocess, a assemble.
std::vector<attempts::Step> steps(std::string_view letters)
{
    using attempts::StageRole;
    const std::map<char, StageRole> roles{{'e', StageRole::Embed}, {'r', StageRole::Retrieve}, {'k', StageRole::Rerank},
        {'g', StageRole::Generate}, {'t', StageRole::Tool}, {'v', StageRole::Validate}, {'c', StageRole::Cache},
        {'p', StageRole::Preprocess}, {'a', StageRole::Assemble}};
    std::vector<attempts::Step> result;
    for (const char letter : letters)
        result.push_back({roles.at(letter), 0});
    return result;
}

} // namespace

class RetriesWalksTest : public QObject {
    Q_OBJECT

private slots:
    void patterns_data()
    {
        QTest::addColumn<QByteArray>("letters");
        QTest::addColumn<QByteArray>("walks"); // begin-end, "~" anchored, "!" incomplete
        QTest::newRow("three walks") << QByteArray("erkgverkgverkgv") << QByteArray("0-5 5-10 10-15");
        QTest::newRow("a cache before the first walk") << QByteArray("cergvergv") << QByteArray("1-5 5-9");
        QTest::newRow("a cache in the first walk only, then none") << QByteArray("cergergerg") << QByteArray("0-4 4-7 7-10");
        QTest::newRow("retrievals before one answer") << QByteArray("ererg") << QByteArray();
        QTest::newRow("agent turns") << QByteArray("ergtgtg") << QByteArray();
        QTest::newRow("turns alone") << QByteArray("gtgtgt") << QByteArray();
        QTest::newRow("w w and a prefix") << QByteArray("ergvergver") << QByteArray("0-4 4-8");
        QTest::newRow("a rewritten query") << QByteArray("ergvpergv") << QByteArray("0-5 5-9 ~");
        QTest::newRow("something after the last") << QByteArray("ergvergva") << QByteArray("0-4 4-9 ~");
        QTest::newRow("broken off after a failure") << QByteArray("ergver") << QByteArray("0-4 4-6 !");
        QTest::newRow("one walk") << QByteArray("erkgv") << QByteArray();
        QTest::newRow("nothing") << QByteArray("") << QByteArray();
    }
    void patterns()
    {
        QFETCH(QByteArray, letters);
        const attempts::WalkPattern found =
            attempts::findWalks(steps(letters.toStdString()), [](std::size_t, std::size_t) { return true; });
        QByteArray text;
        for (const auto& walk : found.walks)
            text += QByteArray::number(qulonglong(walk.begin)) + "-" + QByteArray::number(qulonglong(walk.end)) + " ";
        if (!found.walks.empty())
            text += found.anchored ? "~" : found.incomplete ? "!" : "";
        QTEST(text.trimmed(), "walks");
    }

    void brokenOffNeedsAFailure()
    {
        QVERIFY(attempts::findWalks(steps("ergver"), [](std::size_t, std::size_t) { return false; }).walks.empty());
    }

    void walks_data()
    {
        QTest::addColumn<QByteArray>("trace");
        QTest::addColumn<QByteArray>("groups");
        QTest::newRow("same question, no failure to be seen") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER | input.value=how do I rotate the keys
  answer | 20-300 | openinference.span.kind=LLM
  find | 310-320 | openinference.span.kind=RETRIEVER | input.value=How do I rotate the keys?
  answer | 330-600 | openinference.span.kind=LLM
)") << QByteArray("walk R8 70 find x2 - ok\n");
        QTest::newRow("nothing found") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER | db.response.returned_rows:=0
  answer | 20-300 | openinference.span.kind=LLM
  find | 310-320 | openinference.span.kind=RETRIEVER | db.response.returned_rows:=4
  answer | 330-600 | openinference.span.kind=LLM
)") << QByteArray("walk R8 85 find x2 quality ok\n");
        QTest::newRow("answer cut off") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER
  answer | 20-300 | openinference.span.kind=LLM | gen_ai.response.finish_reasons=["length"]
  find | 310-320 | openinference.span.kind=RETRIEVER
  answer | 330-600 | openinference.span.kind=LLM | gen_ai.response.finish_reasons=["stop"]
)") << QByteArray("walk R8 85 find x2 validation ok\n");
        QTest::newRow("may be a loop: shown, not counted") << QByteArray(R"(
rag | 0-900 | openinference.span.kind=CHAIN
  find | 0-10 | openinference.span.kind=RETRIEVER
  answer | 20-300 | openinference.span.kind=LLM
  find | 310-320 | openinference.span.kind=RETRIEVER
  answer | 330-600 | openinference.span.kind=LLM
)") << QByteArray("(walk R8 40 find x2 - ok)\n");
        QTest::newRow("attempts that hold the pipeline are walks") << QByteArray(R"(
POST /rag | 0-900 | SERVER
  rag.attempt | 0-300 | ERROR | error.type=OutputValidationError | rag.attempt:=1
    find | 0-10 | openinference.span.kind=RETRIEVER
    answer | 20-300 | openinference.span.kind=LLM
  rag.attempt | 500-800 | rag.attempt:=2
    find | 500-510 | openinference.span.kind=RETRIEVER
    answer | 520-800 | openinference.span.kind=LLM
)") << QByteArray("walk R1 90 rag.attempt x2 validation ok\n");
        QTest::newRow("a container for each walk") << QByteArray(R"(
POST /rag | 0-900 | SERVER
  graph step 1 | 0-300 | openinference.span.kind=CHAIN
    find | 0-10 | openinference.span.kind=RETRIEVER
    answer | 20-200 | openinference.span.kind=LLM
    check | 210-300 | openinference.span.kind=GUARDRAIL | guardrail.passed?=false
  graph step 2 | 500-800 | openinference.span.kind=CHAIN
    find | 500-510 | openinference.span.kind=RETRIEVER
    answer | 520-700 | openinference.span.kind=LLM
    check | 710-800 | openinference.span.kind=GUARDRAIL | guardrail.passed?=true
)") << QByteArray("walk R8 85 graph step 1 x2 validation ok\n");
    }
    void walks()
    {
        QFETCH(QByteArray, trace);
        QTEST(QByteArray::fromStdString(groupsText(*retriesOf(trace.toStdString()))), "groups");
    }

    void walksHaveOneKind()
    {
        const auto set = retriesOf(R"(
POST /rag | 0-900 | SERVER
  rag.attempt | 0-300 | ERROR | rag.attempt:=1
    find | 0-10 | openinference.span.kind=RETRIEVER
    answer | 20-300 | openinference.span.kind=LLM
  rag.attempt | 500-800 | rag.attempt:=2
    find | 500-510 | openinference.span.kind=RETRIEVER
    answer | 520-800 | openinference.span.kind=LLM
)");
        QCOMPARE(set->retries.attempts.size(), std::size_t(2));
        for (const Attempt& attempt : set->retries.attempts)
            QVERIFY(attempt.kind == AttemptKind::Walk);
        QCOMPARE(set->retries.traces[0].walks, 2U);
    }
};

QTEST_GUILESS_MAIN(RetriesWalksTest)
#include "tst_retries_walks.moc"
