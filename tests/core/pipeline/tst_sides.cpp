// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Two sides: how their requests belong together, and what a side keeps of the doubts about the whole.
#include "core/pipeline/requestclusters.h"
#include "core/pipeline/splitset.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

using namespace chokepoint;

namespace {

std::shared_ptr<const Dataset> loaded(const std::string& lines)
{
    const QTemporaryDir directory;
    QFile file(directory.filePath("run.jsonl"));
    if (!file.open(QIODevice::WriteOnly) || file.write(lines.c_str()) < 0)
        qFatal("cannot write the traces");
    file.close();
    Result<Store> store = Store::temporary();
    if (!store || !importInputs(*store, {file.fileName().toStdString()}, "run", {}))
        qFatal("import failed");
    Result<std::shared_ptr<const Dataset>> dataset =
        loadDataset(std::make_shared<const Store>(std::move(*store)), std::nullopt, "run", {}, {});
    if (!dataset)
        qFatal("%s", dataset.error().message().c_str());
    return *dataset;
}

/// A line of OTLP JSON with one span in trace \a trace; \a more are further members of the span.
std::string line(int trace, const std::string& name, std::int64_t ms, const std::string& version, const std::string& more)
{
    const std::int64_t start = 1'700'000'000'000'000'000 + trace * 1'000'000'000LL;
    return fmt::format(
        R"({{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.version","value":{{"stringValue":"{}"}}}}]}},)"
        R"("scopeSpans":[{{"spans":[{{"traceId":"{:032x}","spanId":"{:016x}","name":"{}","startTimeUnixNano":"{}","endTimeUnixNano":"{}",{}}}]}}]}}]}})"
        "\n",
        version, trace, trace, name, start, start + ms * 1'000'000, more);
}

/// Four requests of each of 30 values of \a key, alike in their times.
std::string alike(const std::string& key)
{
    std::string lines;
    for (int i = 0; i < 120; ++i)
        lines += line(i + 1, "ask", 100 + i / 4 * 7 % 41, "1",
            fmt::format(R"("attributes":[{{"key":"{}","value":{{"stringValue":"v{}"}}}}])", key, i / 4));
    return lines;
}

std::uint64_t countOf(const std::shared_ptr<const Dataset>& side, DiagnosticCode code)
{
    return side->allDoubts().count(code);
}

} // namespace

class tst_Sides : public QObject {
    Q_OBJECT

private slots:
    void hints_data()
    {
        QTest::addColumn<QString>("before"); // keys of what belongs together
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("cluster"); // that is named; "": none
        QTest::newRow("sessions") << "session.id"
                                  << "session.id"
                                  << "session";
        QTest::newRow("conversations and sessions") << "gen_ai.conversation.id"
                                                    << "session.id"
                                                    << "session";
        QTest::newRow("users") << "user.id"
                               << "user.id"
                               << "user";
        QTest::newRow("users under another name") << "user.id"
                                                  << "enduser.id"
                                                  << "user";
        QTest::newRow("neither on both sides") << "user.id"
                                               << "session.id"
                                               << "";
        QTest::newRow("another key") << "tenant"
                                     << "tenant"
                                     << "";
    }
    void hints()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, cluster);
        const std::shared_ptr<const Dataset> first = loaded(alike(before.toStdString()));
        const std::shared_ptr<const Dataset> second = loaded(alike(after.toStdString()));
        const std::vector<std::string> hints = clusterHints(*first, *second);
        QCOMPARE(hints.size(), std::size_t(cluster.isEmpty() ? 0 : 1));
        if (cluster.isEmpty())
            return;
        QVERIFY2(hints[0].ends_with("use --cluster " + cluster.toStdString()), hints[0].c_str());
        for (const auto& side : {first, second}) // the hint can be followed
            QVERIFY(requestClusters(*side, cluster.toStdString(), {}));
    }

    void doubtsOutliveASplit()
    {
        const auto linkTo = [](int trace) { return fmt::format(R"("links":[{{"traceId":"{0:032x}","spanId":"{0:016x}"}}])", trace); };
        const std::shared_ptr<const Dataset> whole =
            loaded(line(1, "llm_request", 1000, "1.8",
                       R"("attributes":[{"key":"gen_ai.latency.time_in_queue","value":{"intValue":"100000000000000"}}])")
                + line(2, "ask", 100, "1.8", linkTo(3)) + line(3, "ask", 100, "1.9", linkTo(1)) + line(4, "ask", 100, "1.9", linkTo(77)));
        QCOMPARE(countOf(whole, DiagnosticCode::UnitUnknown), std::uint64_t(1));
        QCOMPARE(countOf(whole, DiagnosticCode::LinkUnresolved), std::uint64_t(1));
        const Result<SplitSides> sides = splitByAttribute(whole, "service.version", "1.8", "1.9", {});
        QVERIFY(sides);
        for (const auto& side : {sides->before, sides->after})
            QCOMPARE(countOf(side, DiagnosticCode::UnitUnknown), std::uint64_t(1));
        QCOMPARE(countOf(sides->before, DiagnosticCode::LinkUnresolved), std::uint64_t(0)); // to the other side
        QCOMPARE(countOf(sides->after, DiagnosticCode::LinkUnresolved), std::uint64_t(1)); // to nowhere
    }
};

QTEST_GUILESS_MAIN(tst_Sides)
#include "tst_sides.moc"
