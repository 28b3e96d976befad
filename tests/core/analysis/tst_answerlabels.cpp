// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Labels from a file of the user's own: the table, its mistakes by line, and which requests they find.
#include "core/analysis/answerlabels.h"
#include "tests/core/analysis/checkcase.h"

#include <QTest>

using namespace chokepoint;

namespace {

/// "3c 4i" for a correct answer in line 3 and an incorrect one in line 4, by line.
std::string linesOf(const AnswerLabels& labels)
{
    std::map<std::uint64_t, char> lines;
    const auto add = [&lines](
                         const AnswerLabels::Label& label) { lines[label.line] = label.verdict == AnswerVerdict::Correct ? 'c' : 'i'; };
    for (const auto& [id, label] : labels.byTrace)
        add(label);
    for (const auto& [id, label] : labels.byCall)
        add(label);
    std::string text;
    for (const auto& [line, verdict] : lines)
        text += (text.empty() ? "" : " ") + std::to_string(line) + verdict;
    return text;
}

std::string verdictsText(const std::vector<AnswerVerdict>& verdicts)
{
    std::string text;
    for (const AnswerVerdict verdict : verdicts)
        text += verdict == AnswerVerdict::Correct ? 'c' : verdict == AnswerVerdict::Incorrect ? 'i' : '-';
    return text;
}

/// Three requests; the second says itself that it is right.
const char* const requests = "ask | 0-100 | SERVER | x_request_id=req-1\n  chat m | 0-100 | CLIENT | gen_ai.operation.name=chat | "
                             "gen_ai.response.id=resp-1\n---\n"
                             "ask | 0-100 | SERVER\n  chat m | 0-100 | CLIENT | gen_ai.operation.name=chat | gen_ai.response.id=resp-2 | "
                             "!gen_ai.evaluation.result@90;gen_ai.evaluation.name=correctness;gen_ai.evaluation.score.label=correct\n---\n"
                             "ask | 0-100 | SERVER\n  chat m | 0-100 | CLIENT | gen_ai.operation.name=chat";

} // namespace

class TestAnswerLabels : public QObject {
    Q_OBJECT

private slots:
    void tables_data();
    void tables();
    void mistakes_data();
    void mistakes();
    void requestsFound_data();
    void requestsFound();
};

void TestAnswerLabels::tables_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("lines");
    const auto row = [](const char* name, const char* text, const char* lines) {
        QTest::newRow(name) << QByteArray(text) << QByteArray(lines);
    };
    row("one", "trace_id,correct\n1,true\n", "2c");
    row("no line end", "trace_id,correct\n1,false", "2i");
    row("columns in any order and more of them", "who,Correct,TRACE_ID\nme,1,1\nyou,0,2", "2c 3i");
    row("words", "trace_id,correct\n1,Correct\n2,pass\n3,YES\n4,1.0\n5,incorrect\n6,Fail\n7,no\n8,0", "2c 3c 4c 5c 6i 7i 8i 9i");
    row("label as name of the column", "trace_id,label\n1,good", "2c");
    row("semicolons", "trace_id;correct\n1;true", "2c");
    row("tabs", "trace_id\tcorrect\n1\ttrue", "2c");
    row("carriage returns, a mark of the encoding, empty lines", "\xef\xbb\xbftrace_id,correct\r\n\r\n1,true\r\n\r\n2,false\r\n", "3c 5i");
    row("quotes", "trace_id,correct,why\n\"1\",true,\"a, b\"\n2,\"false\",\"said \"\"no\"\"\nin two lines\"\n3,true,", "2c 3i 5c");
    row("responses", "response_id,correct\nr,true", "2c");
    row("either", "trace_id,response_id,correct\n1,,true\n,r,false", "2c 3i");
    row("twice the same", "trace_id,correct\n1,true\n1,yes", "2c");
    row("none", "trace_id,correct\n", "");
}

void TestAnswerLabels::tables()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, lines);
    const Result<AnswerLabels> labels = AnswerLabels::parse(text.toStdString(), "own.csv");
    QVERIFY2(labels, labels ? "" : labels.error().message().c_str());
    QCOMPARE(linesOf(*labels), lines.toStdString());
}

void TestAnswerLabels::mistakes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<quint64>("line");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const char* text, quint64 line, const char* words) {
        QTest::newRow(name) << QByteArray(text) << line << QByteArray(words);
    };
    row("empty", "", 1, "must name the columns");
    row("no names", "1,true\n2,false", 1, "must name the columns");
    row("no verdict", "trace_id,good\n1,true", 1, "must name the columns");
    row("a word that says nothing", "trace_id,correct\n1,true\n2,corect\n", 3, "\"corect\" does not say");
    row("an empty verdict", "trace_id,correct\n1,", 2, "does not say");
    row("too few fields", "trace_id,correct\n1,true\n2\n", 3, "1 fields where the first line names 2");
    row("too many fields", "trace_id,correct\n1,true,x\n", 2, "3 fields");
    row("no id", "trace_id,correct\n,true\n", 2, "names no request");
    row("both", "trace_id,correct\nA-1,true\n2,true\na1,false\n", 4, "the opposite of line 2");
    row("open quote", "trace_id,correct\n\"1,true\n2,false\n", 2, "never closed");
    row("open quote at the end", "trace_id,correct\n1,\"true", 2, "never closed");
    row("nothing but an open quote", "trace_id,correct\n1,true\n\"", 3, "never closed");
    row("open quote in the first line", "trace_id,\"correct\n1,true\n", 1, "never closed");
    row("open quote in a word that is none", "trace_id,correct\n1,\"corect\n2,true\n", 2, "never closed");
}

void TestAnswerLabels::mistakes()
{
    QFETCH(QByteArray, text);
    QFETCH(quint64, line);
    QFETCH(QByteArray, words);
    const Result<AnswerLabels> labels = AnswerLabels::parse(text.toStdString(), "own.csv");
    QVERIFY(!labels);
    QCOMPARE(labels.error().place.file, std::string("own.csv"));
    QCOMPARE(quint64(labels.error().place.line.value_or(0)), line);
    QVERIFY2(labels.error().detail.find(words.toStdString()) != std::string::npos, labels.error().detail.c_str());
}

void TestAnswerLabels::requestsFound_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("verdicts");
    QTest::addColumn<quint64>("matched");
    QTest::addColumn<QList<quint64>>("unmatched");
    const auto row = [](const char* name, const char* text, const char* verdicts, quint64 matched, const QList<quint64>& unmatched) {
        QTest::newRow(name) << QByteArray(text) << QByteArray(verdicts) << matched << unmatched;
    };
    row("none", "trace_id,correct\n", "-c-", 0, {});
    row("traces", "trace_id,correct\n00000000000000000000000000000001,true\n00000000-0000-0000-0000-000000000003,false", "cci", 2, {});
    row("the file wins", "trace_id,correct\n00000000000000000000000000000002,0", "-i-", 1, {});
    row("responses", "response_id,correct\nresp-1,0\nresp-2,0", "ii-", 2, {});
    row("requests", "request_id,correct\nreq-1,1", "cc-", 1, {});
    row("a trace before its calls", "trace_id,response_id,correct\n,resp-1,1\n00000000000000000000000000000001,,0", "ic-", 2, {});
    row("nobody", "trace_id,correct\n00000000000000000000000000000003,1\n77,1\n78,1", "-cc", 1, {3, 4});
    row("nobody's response", "response_id,correct\nresp-9,1", "-c-", 0, {2});
}

void TestAnswerLabels::requestsFound()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, verdicts);
    QFETCH(quint64, matched);
    QFETCH(QList<quint64>, unmatched);
    const auto given = checkCase(std::string(requests));
    const AnswerLabels labels = AnswerLabels::parse(text.toStdString(), "own.csv").value();
    std::vector<AnswerVerdict> found = given->verdicts;
    const LabelMatches matches = applyLabels(labels, given->columns, given->usage, given->attemptFacts, found);
    QCOMPARE(verdictsText(found), verdicts.toStdString());
    QCOMPARE(matches.labels, labels.size());
    QCOMPARE(quint64(matches.matched), matched);
    QCOMPARE(QList<quint64>(matches.unmatched.begin(), matches.unmatched.end()), unmatched);
}

QTEST_GUILESS_MAIN(TestAnswerLabels)
#include "tst_answerlabels.moc"
