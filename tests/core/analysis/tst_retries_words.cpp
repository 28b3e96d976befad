// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that are the same, statuses and error types, as the search for retries reads them.
#include "core/analysis/attemptcause.h"
#include "core/analysis/inputtext.h"

#include <QTest>

using namespace chokepoint;

class RetriesWordsTest : public QObject {
    Q_OBJECT

private slots:
    void inputs_data() // ' stands for a double quote
    {
        QTest::addColumn<QByteArray>("a");
        QTest::addColumn<QByteArray>("b");
        QTest::addColumn<bool>("same");
        const struct {
            const char* name;
            const char* a;
            const char* b;
            bool same;
        } rows[] = {{"white space in JSON", "{'q':'a b','n':1}", "{ 'q' : 'a b', 'n' : 1 }", true},
            {"ids and times", "{'id':'1','q':'x','created_at':5}", "{'id':'2','q':'x','created_at':6}", true},
            {"an object as id", "{'request_id':{'a':[1,2]},'q':'x'}", "{'q':'x'}", true},
            {"another value", "{'q':'x'}", "{'q':'y'}", false}, {"a key is no value", "{'q':'x'}", "['q','x']", false},
            {"plain text", " why ", "why", true}, {"broken JSON", "{'q':'x", "{'q':'x'}", false}};
        for (const auto& row : rows)
            QTest::newRow(row.name) << QByteArray(row.a).replace('\'', '"') << QByteArray(row.b).replace('\'', '"') << row.same;
    }
    void inputs()
    {
        QFETCH(QByteArray, a);
        QFETCH(QByteArray, b);
        QFETCH(bool, same);
        QCOMPARE(inputHash(a.toStdString()) == inputHash(b.toStdString()), same);
        QVERIFY(inputHash(a.toStdString()) != 0);
    }

    void inputsThatSayNothing()
    {
        for (const char* text : {"", "  ", "{}", "[]", "{\"args\":[],\"kwargs\":{}}", "{\"id\":\"7\"}"})
            QVERIFY2(inputHash(text) == 0, text);
    }

    void statuses_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("cause");
        QTest::addColumn<bool>("repeatable");
        const struct {
            int status;
            const char* cause;
            bool repeatable;
        } rows[] = {{200, "", false}, {302, "redirect", false}, {400, "4xx", false}, {401, "auth", false}, {404, "4xx", false},
            {408, "timeout", true}, {409, "409", true}, {422, "4xx", false}, {425, "409", true}, {429, "429", true},
            {499, "cancelled", false}, {500, "5xx", true}, {503, "5xx", true}, {504, "5xx", true}, {529, "5xx", true}, {700, "", false}};
        for (const auto& row : rows)
            QTest::addRow("%d", row.status) << row.status << QByteArray(row.cause) << row.repeatable;
    }
    void statuses()
    {
        QFETCH(int, status);
        QFETCH(bool, repeatable);
        const RetryCause cause = causeOfHttpStatus(status);
        QTEST(QByteArray(retryCauseName(cause)), "cause");
        QCOMPARE(isRepeatable(cause), repeatable);
    }

    void errorTypes_data()
    {
        QTest::addColumn<QByteArray>("cause");
        const struct {
            const char* type;
            const char* cause;
        } rows[] = {{"RateLimitError", "429"}, {"429", "429"}, {"ThrottlingException", "429"}, {"APITimeoutError", "timeout"},
            {"ETIMEDOUT", "timeout"}, {"openai.APIConnectionError", "connection"}, {"ECONNRESET", "connection"},
            {"UNAVAILABLE", "connection"}, {"overloaded_error", "5xx"}, {"InternalServerError", "5xx"},
            {"pydantic.ValidationError", "validation"}, {"OutputParserException", "validation"}, {"JSONDecodeError", "validation"},
            {"IncompleteOutputException", "validation"}, {"context_length_exceeded", "4xx"}, {"insufficient_quota", "4xx"},
            {"content_policy_violation", "4xx"}, {"AuthenticationError", "auth"}, {"ENOENT", "4xx"}, {"KeyError", ""}, {"", ""}};
        for (const auto& row : rows)
            QTest::newRow(row.type) << QByteArray(row.cause);
    }
    void errorTypes() { QTEST(QByteArray(retryCauseName(CauseTexts().ofType(QTest::currentDataTag()))), "cause"); }
};

QTEST_GUILESS_MAIN(RetriesWordsTest)
#include "tst_retries_words.moc"
