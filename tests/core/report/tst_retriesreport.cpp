// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Retries as JSON and as text: the keys that scripts read, unknown as null, what is not counted apart.
#include "core/report/retriesjson.h"
#include "core/report/retriesreport.h"
#include "tests/core/analysis/retrytext.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace chokepoint;

namespace {

RetriesSource sourceOf(const RetrySet& set)
{
    return {set.columns, set.retries, [&set](std::size_t trace, std::size_t span) { return toHex(set.columns.trace(trace).spanId[span]); }};
}

QJsonObject written(const RetrySet& set)
{
    std::string text;
    writeRetriesJson(sourceOf(set), [&](std::string_view piece) { text += piece; });
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error);
    if (error.error != QJsonParseError::NoError)
        qFatal("no JSON: %s", text.c_str());
    return document.object();
}

QJsonObject parsed(const Json& json)
{
    return QJsonDocument::fromJson(QByteArray::fromStdString(toText(json))).object();
}

constexpr std::string_view traces = R"(
POST /ask | 1000-3000 | SERVER
  chat gpt | 1100-2900 | CLIENT | gen_ai.operation.name=chat | gen_ai.usage.input_tokens:=70 | gen_ai.usage.output_tokens:=30
    POST | 1100-1200 | CLIENT | ERROR | http.request.method=POST | url.full=http://llm/v1 | http.response.status_code:=429
    POST | 1700-2900 | CLIENT | http.request.method=POST | url.full=http://llm/v1 | http.response.status_code:=200
---
POST /ask | 1000-2000 | SERVER
  chat gpt | 1000-1100 | CLIENT | ERROR | gen_ai.operation.name=chat | gen_ai.request.model=gpt | error.type=TimeoutError
  chat claude | 1200-1900 | CLIENT | gen_ai.operation.name=chat | gen_ai.request.model=claude
---
POST /ask | 1000-2000 | SERVER
  Bedrock.InvokeModel | 1000-1900 | CLIENT | retry_attempts:=2
)";

} // namespace

class RetriesReportTest : public QObject {
    Q_OBJECT

private slots:
    void json()
    {
        const auto set = retriesOf(traces);
        const QJsonObject json = written(*set);
        QCOMPARE(json["schema"].toString(), QString("chokepoint.retries/1"));
        QCOMPARE(json["requests"].toInt(), 3);
        QCOMPARE(json["retried_requests"].toInt(), 2);
        QCOMPARE(json["extra_attempts"].toInt(), 3);
        QCOMPARE(json["attempts_of_unknown_time"].toInt(), 2);
        const QJsonArray causes = json["by_cause"].toArray();
        QCOMPARE(causes.size(), 2);
        QCOMPARE(causes[0].toObject()["cause"].toString(), QString("unknown"));
        QCOMPARE(causes[0].toObject()["count"].toInt(), 2);
        QCOMPARE(causes[0].toObject()["evidence"].toString(), QString("recorded"));
        QCOMPARE(causes[1].toObject()["cause"].toString(), QString("429"));
        QCOMPARE(causes[1].toObject()["wasted_ns"].toInteger(), qint64(600'000'000));
        QCOMPARE(causes[1].toObject()["evidence"].toString(), QString("inferred"));

        const QJsonArray list = json["traces"].toArray();
        QCOMPARE(list.size(), 2);
        const QJsonArray attempts = list[0].toObject()["attempts"].toArray();
        QCOMPARE(attempts.size(), 2);
        const QJsonObject first = attempts[0].toObject();
        QCOMPARE(first["index"].toInt(), 1);
        QCOMPARE(first["span_id"].toString(), QString("0000000000000003"));
        QCOMPARE(first["start_ns"].toInteger(), qint64(100'000'000)); // from the root's start
        QCOMPARE(first["end_ns"].toInteger(), qint64(200'000'000));
        QCOMPARE(first["outcome"].toString(), QString("failed"));
        QCOMPARE(first["cause"].toString(), QString("429"));
        QCOMPARE(first["tokens"].toInt(-1), 0);
        const QJsonObject second = attempts[1].toObject();
        QCOMPARE(second["outcome"].toString(), QString("ok"));
        QVERIFY(second["cause"].isNull());
        QVERIFY(second["tokens"].isNull()); // the call above it tells them

        const QJsonObject other = json["not_counted"].toArray()[0].toObject();
        QCOMPARE(json["not_counted"].toArray().size(), 1);
        QCOMPARE(other["kind"].toString(), QString("fallback"));
        QCOMPARE(other["attempts"].toArray().size(), 2);
    }

    void nothingRetried()
    {
        const QJsonObject json = written(*retriesOf("POST /ask | 0-100 | SERVER\n"));
        QCOMPARE(json["retried_requests"].toInt(-1), 0);
        QCOMPARE(json["wasted_ns"].toInt(-1), 0);
        QCOMPARE(json["wasted_tokens"].toInt(-1), 0);
        QVERIFY(json["traces"].toArray().isEmpty() && json["by_cause"].toArray().isEmpty());
    }

    void comparison()
    {
        const auto before = retriesOf(traces);
        const auto after = retriesOf("POST /ask | 0-100 | SERVER\n");
        const QJsonObject there = parsed(retryComparisonJson(before->retries.summary, after->retries.summary));
        const QJsonObject back = parsed(retryComparisonJson(after->retries.summary, before->retries.summary));
        QCOMPARE(there["delta_wasted_ns"].toInteger(), qint64(-600'000'000));
        QCOMPARE(back["delta_wasted_ns"].toInteger(), qint64(600'000'000));
        QCOMPARE(there["delta_retry_rate"].toDouble(), -back["delta_retry_rate"].toDouble());
        QCOMPARE(there["before"].toObject()["retried_requests"].toInt(), 2);
    }

    void amplification()
    {
        const auto set = retriesOf(R"(
GET /cart | 0-1000 | SERVER
  GET /stock | 0-300 | CLIENT | ERROR
    SELECT stock | 10-80 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 100-170 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 190-260 | CLIENT | ERROR | db.system=postgresql
  GET /stock | 320-620 | CLIENT | ERROR
    SELECT stock | 330-400 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 420-490 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 510-580 | CLIENT | ERROR | db.system=postgresql
  GET /stock | 640-940 | CLIENT
    SELECT stock | 650-720 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 740-810 | CLIENT | ERROR | db.system=postgresql
    SELECT stock | 830-900 | CLIENT | db.system=postgresql
)");
        const QJsonObject json = parsed(amplificationJson(set->retries, set->columns, 0));
        QCOMPARE(json["SELECT stock"].toInt(), 9);
        QCOMPARE(json["GET /stock"].toInt(), 3);
        QCOMPARE(json.size(), 2);
        QCOMPARE(set->retries.traces[0].retries, 8U);
        QCOMPARE(set->retries.traces[0].bound, 9U);
    }

    void text()
    {
        const auto set = retriesOf(traces);
        const QString text = QString::fromStdString(retriesText(sourceOf(*set)));
        QVERIFY2(text.startsWith("2 of 3 requests were retried"), qPrintable(text));
        for (const char* part : {"429", "fallback", "(not counted)", "Lower bounds: 2 attempts"})
            QVERIFY2(text.contains(part), qPrintable(text));
    }
};

QTEST_GUILESS_MAIN(RetriesReportTest)
#include "tst_retriesreport.moc"
