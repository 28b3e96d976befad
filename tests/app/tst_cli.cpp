// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as scripts see it: exit status, JSON alone on standard output, messages on standard error.
#include "tests/app/clirun.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace chokepoint::testing;

class tst_Cli : public QObject {
    Q_OBJECT

private slots:
    void usage_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::newRow("help") << QStringList{"--help"} << 0;
        QTest::newRow("version") << QStringList{"--version"} << 0;
        QTest::newRow("nothing") << QStringList{} << 2;
        QTest::newRow("unknown command") << QStringList{"frobnicate"} << 2;
        QTest::newRow("unknown option") << QStringList{"summary", "x", "--wat"} << 2;
        QTest::newRow("missing file") << QStringList{"summary", "/nowhere/x.json"} << 2;
        QTest::newRow("compare with one input") << QStringList{"compare", "a"} << 2;
        QTest::newRow("standard input twice") << QStringList{"summary", "-", "-"} << 2;
        QTest::newRow("standard input as both sides") << QStringList{"compare", "-", "-"} << 2;
        QTest::newRow("standard input as both sides of checks") << QStringList{"checks", "-", "--against", "-"} << 2;
        QTest::newRow("empty rules") << QStringList{"summary", "-", "--rules", "/dev/null"} << 2;
        QTest::newRow("bad filter") << QStringList{"traces", "-", "--filter", "latency > 3"} << 2;
        QTest::newRow("bad sort") << QStringList{"traces", "-", "--sort", "size"} << 2;
        QTest::newRow("bad format") << QStringList{"export", "-", "--format", "docx", "-o", "x"} << 2;
        for (const char* command : {"summary", "traces", "retries", "dump", "search", "critical-path", "compare", "checks", "graph",
                 "whatif", "rules", "import", "export", "query", "demo"})
            QTest::newRow(command) << QStringList{command, "--help"} << 0;
    }
    void usage()
    {
        QFETCH(const QStringList, arguments);
        const Run result = run(arguments, twoSpans);
        QTEST(result.status, "status");
        if (result.status != 0)
            QVERIFY2(!result.err.isEmpty() && result.out.isEmpty(), result.out.constData());
        else if (arguments.size() == 2)
            QVERIFY2(result.out.contains("xample"), result.out.constData());
    }

    void summaryOfStandardInput()
    {
        const Run result = run({"summary", "-", "--json"}, twoSpans);
        QCOMPARE(result.status, 0);
        QVERIFY2(result.err.isEmpty(), result.err.constData());
        const QJsonObject json = result.json();
        QCOMPARE(json["schema"].toString(), QString("chokepoint.summary/1"));
        QCOMPARE(json["spans"].toInt(), 2);
        QCOMPARE(json["error_spans"].toInt(), 1);
        QCOMPARE(json["e2e"].toObject()["p50_ns"].toInteger(), 1000000000);
        double share = 0;
        qint64 critical = 0;
        for (const QJsonValue stage : json["stages"].toArray()) {
            share += stage.toObject()["share"].toDouble();
            critical += stage.toObject()["critical_ns"].toInteger();
        }
        QCOMPARE(share, 1.0);
        QCOMPARE(critical, 1000000000);
        QCOMPARE(run({"summary", "-", "--json", "-j", "1"}, twoSpans).out, result.out);
    }

    void startsOfAClockWithoutDates()
    {
        const QByteArray profile = R"({"traceEvents":[{"ph":"X","name":"step","pid":1,"tid":1,"ts":86400000000.5,"dur":1000},)"
                                   R"({"ph":"X","name":"step","pid":2,"tid":1,"ts":86412345678,"dur":1000}]})";
        const QByteArray text = run({"traces", "-"}, profile).out;
        QVERIFY2(text.contains("  +0.000000000 s  ") && !text.contains("1970") && !text.contains("(UTC)"), text.constData());
        const QJsonObject json = run({"traces", "-", "--json"}, profile).json();
        QCOMPARE(json["traces"].toArray()[0].toObject()["start_unix_ns"].toString(), QString("86400000000500"));
        QVERIFY(run({"traces", "-"}, twoSpans).out.contains("2023-11-14 22:13:20.000000000"));
    }

    void aTraceWithoutAnyStartHasNone()
    {
        const QByteArray spans = twoSpans
            + "\n"
              R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"000000000000000000000000000000b2",)"
              R"("spanId":"0000000000000021","name":"lost","endTimeUnixNano":"1700000000000000000"}]}]}]})";
        const QByteArray text = run({"traces", "-", "--sort", "-start"}, spans).out;
        QVERIFY2(text.contains("  unknown  ") && text.contains("start (UTC)") && !text.contains("+0.0"), text.constData());
        const QJsonArray traces = run({"traces", "-", "--json", "--sort", "-start"}, spans).json()["traces"].toArray();
        QCOMPARE(traces.size(), 2);
        QVERIFY(traces[1].toObject()["start_unix_ns"].isNull());
    }

    void gatesOfOneSide()
    {
        // An input may follow a gate.
        QCOMPARE(run({"summary", "--fail-if", "mean > 1min", "-"}, twoSpans).status, 0);
        QCOMPARE(run({"summary", "--fail-if", "mean > 0ns", "-"}, twoSpans).status, 1);
        QCOMPARE(run({"summary", "-", "--fail-if", "p95 > 1min"}, twoSpans).status, 3); // one trace has no P95
        QCOMPARE(run({"summary", "-", "--fail-if", "speed > 1"}, twoSpans).status, 2);
        const Run result = run({"summary", "-", "--json", "--fail-if", "mean > 1min", "--fail-if", "mean > 0ns"}, twoSpans);
        QCOMPARE(result.json()["gates"].toArray().size(), 2);
        QCOMPARE(result.json()["findings"].toArray()[0].toObject()["id"].toString(), QString("not-enough-data"));
    }

    void graph()
    {
        const QJsonObject json = run({"graph", "-", "--json"}, twoSpans).json();
        QCOMPARE(json["schema"].toString(), QString("chokepoint.graph/1"));
        QCOMPARE(json["requests"].toInt(), 1);
        QVERIFY(!json["nodes"].toArray().isEmpty());
        QVERIFY(run({"graph", "-", "--dot"}, twoSpans).out.startsWith("digraph pipeline {"));
    }

    void terminalNeverSeesControlCharacters()
    {
        for (const QStringList& arguments :
            {QStringList{"summary", "-"}, {"traces", "-"}, {"critical-path", "-"}, {"checks", "-"}, {"rules", "--explain", "-"}}) {
            const Run result = run(arguments, twoSpans);
            QCOMPARE(result.status, 0);
            QVERIFY2(!result.out.contains('\x1b'), result.out.constData());
        }
    }

    void pathCoversTheWindow()
    {
        const QJsonObject trace = run({"critical-path", "-", "--json"}, twoSpans).json()["traces"].toArray()[0].toObject();
        qint64 end = 0;
        for (const QJsonValue segment : trace["segments"].toArray()) {
            QCOMPARE(segment.toObject()["start_ns"].toInteger(), end);
            end = segment.toObject()["end_ns"].toInteger();
        }
        QCOMPARE(end, trace["duration_ns"].toInteger());
        QCOMPARE(run({"critical-path", "-", "--trace", "ffff"}, twoSpans).status, 2);
        QCOMPARE(run({"critical-path", "-", "--trace", "0102030405060708090A0B0C0D0E0F10"}, twoSpans).status, 0);
    }

    void strictTurnsRepairsIntoStatusTwo()
    {
        const QByteArray cut = twoSpans.left(twoSpans.size() - 60);
        QCOMPARE(run({"summary", "-", "--strict"}, twoSpans).status, 0);
        const Run lenient = run({"summary", "-"}, cut);
        QCOMPARE(lenient.status, 0);
        QVERIFY(!lenient.err.isEmpty());
        QCOMPARE(run({"summary", "-", "--strict"}, cut).status, 2);
    }

    /// Zipkin gives client and server one id; parents are told by ids, so that each half is printed under its own.
    void halvesOfACallAreToldApartInTheDump()
    {
        const QByteArray half = R"({"traceId":"01","id":"c2","name":"get","kind":"%1","timestamp":%2,"duration":10,)"
                                R"("localEndpoint":{"serviceName":"%3","ipv4":"10.0.0.%4"}})";
        const QString client = QString(half).arg("CLIENT", "1700000000000000", "a", "1");
        const QString server = QString(half).arg("SERVER", "1700003600000000", "b", "2");
        const QString query = R"({"traceId":"01","parentId":"c2","id":"c3","name":"query","timestamp":1700003600000001,"duration":2,)"
                              R"("localEndpoint":{"serviceName":"b","ipv4":"10.0.0.2"}})";
        const Run result = run({"dump", "-", "--json"}, QString("[%1,%2,%3]").arg(query, server, client).toUtf8());
        const QJsonArray spans = result.json()["trace_list"][0]["spans"].toArray();
        QCOMPARE(spans.size(), 3);
        QCOMPARE(spans[0]["span_id"].toString(), QString("00000000000000c2"));
        QCOMPARE(spans[0]["service"].toString(), QString("a"));
        QCOMPARE(spans[1]["span_id"].toString(), QString("00000000000000c2/server"));
        QCOMPARE(spans[1]["parent_id"].toString(), QString("00000000000000c2"));
        QCOMPARE(spans[2]["parent_id"].toString(), QString("00000000000000c2/server"));
        QCOMPARE(result.json()["warnings"][0]["code"].toString(), QString("CLOCK_SKEW_SUSPECTED"));
    }

    void rejectedDumpIsStillJson()
    {
        const Run result = run({"dump", "-", "--json"}, "{\"hello\": 1}");
        QCOMPARE(result.status, 2);
        QCOMPARE(result.json()["outcome"].toString(), QString("rejected"));
        QCOMPARE(result.json()["errors"].toArray().size(), 1);
        QVERIFY(run({"summary", "-"}, "").err.contains("empty"));
    }

    void ruleFilesAreCheckedByNameAndLine()
    {
        const QTemporaryDir directory;
        const auto write = [&](const char* name, const char* text) {
            QFile file(directory.filePath(name));
            if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
                qFatal("cannot write %s", name);
            return file.fileName();
        };
        const QString good = write("good.json", R"({"version": 1, "units": {"acme.queue": "ms"}})");
        const QString bad = write("bad.json", "{\"version\": 1,\n\"units\": {\"acme.queue\": \"min\"}}");
        QCOMPARE(run({"rules", "--check", good}).status, 0);
        QCOMPARE(run({"rules", "--check", "--rules", good}).status, 0);
        const Run refused = run({"rules", "--check", good, bad});
        QCOMPARE(refused.status, 2);
        QVERIFY(refused.err.contains("bad.json, line 2"));
        QVERIFY(refused.out.contains("good.json"));
        QCOMPARE(run({"rules", "--check"}).status, 2);
    }

    void aPriceTableIsReadOrRefused()
    {
        const QTemporaryDir directory;
        QFile file(directory.filePath("prices.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(R"({"version": 1, "models": [{"model": "m", "per_million": {"input": 1}}]})") > 0);
        file.close();
        const Run priced = run({"summary", "-", "--json", "--prices", file.fileName()}, twoSpans);
        QCOMPARE(priced.status, 0);
        QVERIFY(priced.json()["cost"].toObject().contains("per_request"));
        QVERIFY(priced.json()["tokens"].toObject().contains("total"));
        QCOMPARE(run({"summary", "-", "--prices", "/nowhere/prices.json"}, twoSpans).status, 2);
        QVERIFY(run({"summary", "-", "--prices", directory.path()}, twoSpans).err.contains("cannot read"));
    }

    void namedPipeIsReadOnce()
    {
        QTemporaryDir directory;
        const QString pipe = directory.filePath("spans.pipe");
        QCOMPARE(QProcess::execute("mkfifo", {pipe}), 0);
        QProcess writer;
        writer.setStandardInputFile("/dev/null");
        writer.start("sh", {"-c", R"(printf %s "$1" > "$2")", "sh", QString::fromUtf8(twoSpans), pipe});
        QVERIFY(writer.waitForStarted());
        QCOMPARE(run({"summary", pipe, "--json"}).json()["spans"].toInt(), 2);
        QVERIFY(writer.waitForFinished());
    }

    void interruptEndsAWaitForBytes()
    {
        QProcess process;
        process.start(CHOKEPOINT_CLI, {"summary", "-"});
        QVERIFY(process.waitForStarted());
        process.write(twoSpans + QByteArray(1 << 20, '\n')); // more than a pipe holds, and no end
        while (process.bytesToWrite() > 0)
            QVERIFY(process.waitForBytesWritten());
        process.terminate();
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
    }

    void importQueryExportAndBack()
    {
        QTemporaryDir directory;
        const QString workspace = directory.filePath("runs.chokepoint");
        QCOMPARE(run({"import", "-", "--into", workspace, "--label", "v1"}, twoSpans).status, 0);
        const Run twice = run({"import", "-", "--into", workspace, "--label", "v1", "--json"}, twoSpans);
        QCOMPARE(twice.json()["inputs"].toArray()[0].toObject()["spans"].toInt(-1), 0);
        const Run query = run({"query", workspace, "SELECT count(*), max(duration_ns) FROM span", "--json"});
        QCOMPARE(query.status, 0);
        QCOMPARE(query.json()["rows"].toArray()[0].toArray()[0].toInt(), 2);
        QCOMPARE(query.json()["rows"].toArray()[0].toArray()[1].toInteger(), 1000000000);
        QCOMPARE(run({"query", workspace, "DELETE FROM trace"}).status, 2);
        QCOMPARE(run({"query", workspace, "SELEC 1"}).status, 2);
        const QString exported = directory.filePath("spans.json");
        QCOMPARE(run({"export", workspace, "--format", "json", "-o", exported}).status, 0);
        QCOMPARE(run({"summary", exported, "--json"}).json()["spans"].toInt(), 2);
        QCOMPARE(run({"import", "/nowhere/x", "--into", directory.filePath("new.chokepoint")}).status, 2);
        QVERIFY(!QFile::exists(directory.filePath("new.chokepoint")));
    }

    void checksOfTheSamplePair()
    {
        const QString samples = CHOKEPOINT_SOURCE_DIR "/resources/samples/";
        const QStringList arguments{"checks", samples + "moved-after.jsonl.gz", "--against", samples + "moved-before.jsonl.gz", "--json"};
        const Run there = run(arguments);
        QCOMPARE(there.status, 0);
        QCOMPARE(run(arguments + QStringList{"-j", "1"}).out, there.out);
        const QJsonArray checks = there.json()["checks"].toArray();
        QCOMPARE(checks.size(), 10);
        const QStringList statuses{"ok", "suspect", "not-applicable", "missing-data"};
        for (const QJsonValue check : checks)
            QVERIFY2(statuses.contains(check.toObject()["status"].toString()) && !check.toObject()["text"].toString().isEmpty(), there.out);
        QCOMPARE(run({"checks", samples + "moved-after.jsonl.gz", "--against", "/nowhere/x"}).status, 2);
    }

    void compareIsDeterministicAndSwapNegates()
    {
        const QString samples = CHOKEPOINT_SOURCE_DIR "/resources/samples/";
        const QStringList pair{samples + "moved-before.jsonl.gz", samples + "moved-after.jsonl.gz"};
        const Run there = run({"compare", pair[0], pair[1], "--json"});
        QCOMPARE(there.status, 0);
        QCOMPARE(run({"compare", pair[0], pair[1], "--json", "-j", "1"}).out, there.out);
        const Run back = run({"compare", pair[1], pair[0], "--json"});
        const QJsonArray forward = there.json()["e2e"].toArray();
        const QJsonArray reverse = back.json()["e2e"].toArray();
        for (qsizetype i = 0; i < forward.size(); ++i) {
            QCOMPARE(reverse[i].toObject()["delta_ns"].toInteger(), -forward[i].toObject()["delta_ns"].toInteger());
            const QJsonArray interval = forward[i].toObject()["ci_ns"].toArray();
            const QJsonArray mirrored = reverse[i].toObject()["ci_ns"].toArray();
            if (!interval.isEmpty())
                QCOMPARE(mirrored[0].toInteger(), -interval[1].toInteger());
        }
        const QJsonObject same = run({"compare", pair[0], pair[0], "--json"}).json();
        QCOMPARE(same["verdict"].toString(), QString("identical"));
        for (const QJsonValue row : same["e2e"].toArray())
            QVERIFY(!row.toObject()["significant"].toBool());
    }
};

QTEST_GUILESS_MAIN(tst_Cli)
#include "tst_cli.moc"
