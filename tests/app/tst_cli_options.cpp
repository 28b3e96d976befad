// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Options that say what the traces do not: clusters, labels of answers, what waits for what.
#include "tests/app/clirun.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace chokepoint::testing;

namespace {

/// Requests that take 100 to 140 ms, four of each session.
QByteArray sessions(int count)
{
    QByteArray spans;
    for (int i = 0; i < count * 4; ++i) {
        spans += i == 0 ? "" : ",";
        spans += QByteArray(
            R"({"traceId":"%1","spanId":"%2","name":"ask","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"%3","attributes":[{"key":"session.id","value":{"stringValue":"s%4"}}]})")
                     .replace("%1", QByteArray::number(i + 1, 16).rightJustified(32, '0'))
                     .replace("%2", QByteArray::number(i + 1, 16).rightJustified(16, '0'))
                     .replace("%3", QByteArray::number(1'700'000'000'100'000'000 + i / 4 * 7 % 41 * 1'000'000))
                     .replace("%4", QByteArray::number(i / 4));
    }
    return R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + spans + "]}]}]}";
}

} // namespace

class tst_CliOptions : public QObject {
    Q_OBJECT

private slots:
    void intervalsOfSessions()
    {
        const QByteArray requests = sessions(30);
        const Run alone = run({"summary", "-", "--json"}, requests);
        QCOMPARE(alone.json()["unit"].toObject()["kind"].toString(), QString("trace"));
        const Run together = run({"summary", "-", "--json", "--cluster", "session"}, requests);
        QCOMPARE(together.status, 0);
        const QJsonObject unit = together.json()["unit"].toObject();
        QCOMPARE(unit["kind"].toString(), QString("cluster"));
        QCOMPARE(unit["clusters"].toInt(), 30);
        QCOMPARE(unit["largest_cluster"].toInt(), 4);
        const auto width = [](const Run& result) {
            const QJsonArray interval = result.json()["e2e"].toObject()["mean_ci_ns"].toArray();
            return interval[1].toDouble() - interval[0].toDouble();
        };
        QVERIFY(width(together) > 1.6 * width(alone)); // four that take the same time say as much as one
        QCOMPARE(run({"summary", "-", "--json", "--cluster", "session.id"}, requests).json()["e2e"].toObject(),
            together.json()["e2e"].toObject());
        const Run unknown = run({"summary", "-", "--cluster", "no.such.key"}, requests);
        QCOMPARE(unknown.status, 2);
        QVERIFY2(unknown.err.contains("no complete trace"), unknown.err.constData());
    }

    void clustersOfAComparison()
    {
        QTemporaryDir directory;
        const QString before = directory.filePath("before.json");
        const QString after = directory.filePath("after.json");
        for (const QString& path : {before, after}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(sessions(path == before ? 30 : 10));
        }
        const QJsonObject plain = run({"compare", before, after, "--json"}).json();
        QVERIFY(QJsonDocument(plain["comparable"].toObject()).toJson().contains("--cluster session"));
        const QJsonObject clusters = run({"compare", before, after, "--json", "--cluster", "session"}).json();
        QCOMPARE(clusters["unit"].toObject()["before"].toObject()["clusters"].toInt(), 30);
        QCOMPARE(clusters["unit"].toObject()["after"].toObject()["clusters"].toInt(), 10);
        QVERIFY(QJsonDocument(clusters["comparable"].toObject()).toJson().contains("few of them"));
    }

    void labelsOfAnswers()
    {
        QTemporaryDir directory;
        const QString path = directory.filePath("labels.csv");
        const auto labelled = [&](const QByteArray& rows) {
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly) || file.write("trace_id,correct\n" + rows) < 0)
                qFatal("cannot write the labels");
            file.close();
            return run({"summary", "-", "--json", "--labels", path}, sessions(5));
        };
        const QByteArray id(31, '0');
        const Run good = labelled(id + "1,true\n" + id + "2,false\n" + id + "3,1\n");
        QCOMPARE(good.status, 0);
        QCOMPARE(good.json()["cost"].toObject()["correct"].toObject()["labelled"].toInt(), 3);
        QCOMPARE(good.json()["cost"].toObject()["correct"].toObject()["correct"].toInt(), 2);
        const Run unmatched = labelled(id + "1,true\nffff,true\n");
        QCOMPARE(unmatched.status, 0);
        QVERIFY2(unmatched.err.contains("1 of 2 labels") && unmatched.err.contains("line 3"), unmatched.err.constData());
        const Run wrong = labelled(id + "1,true\n" + id + "2,perhaps\n");
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.err.contains("labels.csv, line 3") && wrong.err.contains("perhaps"), wrong.err.constData());
    }

    void dependenciesOfAWhatIf()
    {
        const Run declared = run({"whatif", "-", "--dependencies", "declared"}, twoSpans);
        QCOMPARE(declared.status, 2);
        QVERIFY2(declared.err.contains("nothing declares what waits for what"), declared.err.constData());
        QCOMPARE(run({"whatif", "-", "--dependencies", "pessimistic", "--json"}, twoSpans).status, 0);
        QCOMPARE(run({"whatif", "-", "--dependencies", "guessed"}, twoSpans).status, 2);
    }

    /// A tool of 30 ms, then a model of 60: what a rule file says of the model's stage, and of another one.
    void dependenciesOfARuleFile_data()
    {
        QTest::addColumn<QByteArray>("rules");
        QTest::addColumn<double>("mean"); // ms, with the tool taking three times as long
        QTest::newRow("the model waits for nothing")
            << QByteArray(R"({"version":1,"dependencies":[{"stage":"generate","after":[]}]})") << 100.0;
        QTest::newRow("another stage does") << QByteArray(R"({"version":1,"dependencies":[{"stage":"ingress","after":[]}]})") << 160.0;
        QTest::newRow("the model waits for the tool")
            << QByteArray(R"({"version":1,"dependencies":[{"stage":"generate","after":"tool"}]})") << 160.0;
    }
    void dependenciesOfARuleFile()
    {
        QFETCH(QByteArray, rules);
        QFETCH(double, mean);
        const QTemporaryDir directory;
        QFile file(directory.filePath("rules.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(rules) > 0);
        file.close();
        const QByteArray trace = R"({"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0000000000000001","name":"ask","kind":2,"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000100000000"},
{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0000000000000002","parentSpanId":"0000000000000001","name":"look","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000030000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}}]},
{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0000000000000003","parentSpanId":"0000000000000001","name":"chat","kind":3,"startTimeUnixNano":"1700000000040000000","endTimeUnixNano":"1700000000100000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]}
]}]}]})";
        const Run result =
            run({"whatif", "-", "--json", "--dependencies", "declared", "--rules", file.fileName(), "--set", "stage.tool=x3"}, trace);
        QVERIFY2(result.status == 0, result.err.constData());
        const QJsonObject predicted = result.json()["predicted"].toObject();
        QCOMPARE(predicted["mean_ns"].toDouble() / 1e6, mean);
    }
};

QTEST_GUILESS_MAIN(tst_CliOptions)
#include "tst_cli_options.moc"
