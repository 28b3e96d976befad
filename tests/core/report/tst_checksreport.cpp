// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks as JSON and as text: the keys that scripts read, unknown as null, ids of traces to open.
#include "core/report/checksreport.h"
#include "tests/core/analysis/checkcase.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace chokepoint;

namespace {

const char* const drafted = "ask | 0-1000 | SERVER\n  chat m | 0-1000 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=m | "
                            "gen_ai.spec_decode.draft_tokens:=430 | gen_ai.spec_decode.accepted_tokens:=86";

QJsonObject checkNamed(const std::string& json, const char* id)
{
    for (const QJsonValue check : QJsonDocument::fromJson(QByteArray::fromStdString(json)).object()["checks"].toArray())
        if (check.toObject()["id"].toString() == id)
            return check.toObject();
    return {};
}

} // namespace

class ChecksReportTest : public QObject {
    Q_OBJECT

private slots:
    void json()
    {
        const auto given = checkCase(times(10, drafted));
        const std::vector<Check> checks = runChecks(given->side(), nullptr);
        const std::string text = checksJson({checks, given->columns, "after", ""});
        const QJsonObject document = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
        QCOMPARE(document["schema"].toString(), QString("chokepoint.checks/1"));
        QCOMPARE(document["checks"].toArray().size(), 10);
        QVERIFY(document["before"].isNull());

        const QJsonObject low = checkNamed(text, "speculative-acceptance");
        QCOMPARE(low["status"].toString(), QString("suspect"));
        QCOMPARE(low["value"].toDouble(), 0.2);
        QCOMPARE(low["threshold"].toDouble(), 0.4);
        QVERIFY(low["text"].toString().startsWith("Only 20.0 % of the drafted tokens are accepted"));
        QCOMPARE(low["needs"].toArray().size(), 0);
        QCOMPARE(low["evidence"].toObject()["drafted_tokens"].toInteger(), 4300);
        QCOMPARE(low["evidence"].toObject()["acceptance_ci"].toArray().size(), 2);
        QCOMPARE(low["traces"].toArray()[0].toString(), QString("00000000000000000000000000000001"));

        const QJsonObject tail = checkNamed(text, "distillation-tail");
        QCOMPARE(tail["status"].toString(), QString("missing-data"));
        QVERIFY(tail["value"].isNull());
        QCOMPARE(tail["needs"].toArray()[0].toString(), QString("BEFORE (--against)"));
        QVERIFY(checkNamed(text, "semantic-cache")["threshold"].isNull());
    }

    void timesAreNanoseconds()
    {
        const auto given = checkCase("ask | 0-1000 | SERVER\n  rerank | 0-30 | openinference.span.kind=RERANKER");
        const std::vector<Check> checks = runChecks(given->side(), nullptr);
        const QJsonObject evidence = checkNamed(checksJson({checks, given->columns, "a", "b"}), "rerank-payoff")["evidence"].toObject();
        QCOMPARE(evidence["rerank_time_ns"].toInteger(), 30'000'000);
    }

    void text()
    {
        const auto given = checkCase(times(10, drafted));
        const std::vector<Check> checks = runChecks(given->side(), nullptr);
        const QString text = QString::fromStdString(checksText({checks, given->columns, "after", ""}));
        QVERIFY2(text.contains("speculative-acceptance  suspect"), qPrintable(text));
        QVERIFY2(text.contains("open 00000000000000000000000000000001, "), qPrintable(text));
        QVERIFY2(text.contains("record BEFORE (--against)"), qPrintable(text));
    }
};

QTEST_GUILESS_MAIN(ChecksReportTest)
#include "tst_checksreport.moc"
