// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Files that come again: the same, longer, changed, under another name; and rotated ones whose records were cut.
#include "core/pipeline/dataset.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

using namespace chokepoint;

namespace {

std::string line(int i)
{
    return fmt::format(R"({{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"api"}}}}]}},)"
                       R"("scopeSpans":[{{"scope":{{"name":"t"}},"spans":[{{"traceId":"{:032x}","spanId":"{:016x}","name":"a",)"
                       R"("startTimeUnixNano":"1764484800000000000","endTimeUnixNano":"1764484800000001000"}}]}}]}}]}})"
                       "\n",
        i, i);
}

std::string lines(int from, int to)
{
    std::string text;
    for (int i = from; i < to; ++i)
        text += line(i);
    return text;
}

/// A workspace on disk and files beside it.
class Workspace {
public:
    Workspace()
    {
        Result<Store> store = Store::create(m_directory.filePath("w.chokepoint").toStdString());
        if (!store || !store->publish())
            qFatal("no workspace");
        m_store.emplace(std::move(*store));
    }

    std::string write(const QString& name, const std::string& bytes) const
    {
        const QString path = m_directory.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), qint64(bytes.size())) != qint64(bytes.size()))
            qFatal("cannot write %s", qPrintable(path));
        return path.toStdString();
    }

    std::vector<ImportOutcome> import(const std::string& path, const std::string& label = "run")
    {
        Result<std::vector<ImportOutcome>> outcomes = importInputs(*m_store, {path}, label, {});
        if (!outcomes)
            qFatal("%s", outcomes.error().message().c_str());
        return std::move(*outcomes);
    }

    [[nodiscard]] std::uint64_t spans() const
    {
        std::uint64_t count = 0;
        const Result<std::vector<Deployment>> deployments = m_store->deployments();
        for (const Deployment& deployment : *deployments)
            count += deployment.spans;
        return count;
    }
    [[nodiscard]] std::vector<StoredInput> inputs() const { return *m_store->inputs(); }

private:
    QTemporaryDir m_directory;
    std::optional<Store> m_store;
};

std::string faultsOf(const Diagnostics& diagnostics)
{
    std::string text;
    for (const DiagnosticEntry& entry : diagnostics.entries())
        text += fmt::format("{}:{} ", diagnosticName(entry.code), entry.count);
    return text + (diagnostics.rejected() == 0 ? "" : fmt::format("rejected:{}", diagnostics.rejected()));
}

} // namespace

class tst_Reimport : public QObject {
    Q_OBJECT

private slots:
    void theSameFileIsPassedOver()
    {
        Workspace workspace;
        const std::string file = workspace.write("a.jsonl", lines(1, 20));
        QVERIFY(!workspace.import(file).front().unchanged);
        const ImportOutcome again = workspace.import(file).front();
        QVERIFY(again.unchanged);
        QCOMPARE(again.report.format, std::string("otlp-json"));
        QCOMPARE(again.written.newSpans, 0ULL);
        QVERIFY(workspace.import(workspace.write("copy.jsonl", lines(1, 20))).front().unchanged);
        QCOMPARE(workspace.spans(), 19ULL);
        QCOMPARE(workspace.inputs().size(), std::size_t(1));
    }

    void anotherLabelIsAnotherImport()
    {
        Workspace workspace;
        const std::string file = workspace.write("a.jsonl", lines(1, 20));
        workspace.import(file);
        QVERIFY(!workspace.import(file, "other").front().unchanged);
        QCOMPARE(workspace.spans(), 38ULL);
    }

    void aLongerFileIsReadOn_data()
    {
        QTest::addColumn<int>("cut"); // bytes of the last line that are missing in the first import
        for (const int cut : {0, 1, 2, 50, 150})
            QTest::addRow("%d bytes short", cut) << cut;
    }

    void aLongerFileIsReadOn()
    {
        QFETCH(int, cut);
        Workspace workspace;
        const std::string first = lines(1, 20);
        workspace.import(workspace.write("a.jsonl", first.substr(0, first.size() - std::size_t(cut))));
        const ImportOutcome more = workspace.import(workspace.write("a.jsonl", lines(1, 40))).front();
        const std::string known = lines(1, cut < 2 ? 20 : 19);
        QVERIFY(!more.unchanged && !more.error);
        QVERIFY(more.report.from.byte + 1 >= known.size() && more.report.from.byte <= known.size());
        QCOMPARE(more.report.spans, cut < 2 ? 20ULL : 21ULL);
        QCOMPARE(workspace.spans(), 39ULL);
        QCOMPARE(workspace.inputs().size(), std::size_t(1));
        QCOMPARE(workspace.inputs().front().bytes, std::uint64_t(lines(1, 40).size()));
        QCOMPARE(workspace.inputs().front().spans, 39ULL);
        QCOMPARE(faultsOf(workspace.inputs().front().diagnostics), std::string()); // the cut is healed
        QVERIFY(workspace.import(workspace.write("a.jsonl", lines(1, 40))).front().unchanged);
    }

    /// Places in messages are those of the whole file.
    void faultsInWhatWasAdded()
    {
        Workspace workspace;
        workspace.import(workspace.write("a.jsonl", lines(1, 20)));
        const ImportOutcome more =
            workspace.import(workspace.write("a.jsonl", lines(1, 20) + "{\"resourceSpans\":[}\n" + line(20))).front();
        QCOMPARE(more.written.newSpans, 1ULL);
        QCOMPARE(more.report.diagnostics.rejected(), 1ULL);
        const std::string place = fmt::format("line 20 (byte {})", lines(1, 20).size());
        QVERIFY2(
            more.report.diagnostics.firstRejection().find(place) != std::string::npos, more.report.diagnostics.firstRejection().c_str());
    }

    void aChangedFileIsReadAgain()
    {
        Workspace workspace;
        workspace.import(workspace.write("a.jsonl", lines(1, 20)));
        const ImportOutcome changed = workspace.import(workspace.write("a.jsonl", lines(2, 30))).front();
        QCOMPARE(changed.report.from.byte, 0ULL);
        QCOMPARE(changed.written.newSpans, 10ULL);
        QCOMPARE(faultsOf(changed.written.diagnostics), std::string("DUPLICATE_SPAN:18 "));
        QCOMPARE(workspace.spans(), 29ULL);
    }

    /// Where places of the text are not those of the file, all of it is read again, and known spans are kept once.
    void aLongerFileOfAnotherFraming()
    {
        Workspace workspace;
        const std::string mark = "\xef\xbb\xbf";
        workspace.import(workspace.write("a.jsonl", mark + lines(1, 20)));
        const ImportOutcome more = workspace.import(workspace.write("a.jsonl", mark + lines(1, 40))).front();
        QCOMPARE(more.report.from.byte, 0ULL);
        QCOMPARE(more.written.newSpans, 20ULL);
        QCOMPARE(workspace.spans(), 39ULL);
    }

    void whatWasAddedIsNoTrace()
    {
        Workspace workspace;
        workspace.import(workspace.write("a.jsonl", lines(1, 20)));
        const ImportOutcome more = workspace.import(workspace.write("a.jsonl", lines(1, 20) + "\n \n")).front();
        QVERIFY(!more.error);
        QCOMPARE(more.written.newSpans, 0ULL);
        QCOMPARE(workspace.spans(), 19ULL);
    }

    /// Wherever a line is cut, the next segment goes on with it.
    void cutByRotation()
    {
        const std::string text = lines(1, 6);
        const std::size_t begin = line(1).size() + line(2).size();
        std::size_t joined = 0;
        for (std::size_t cut = begin + 1; cut < begin + line(3).size(); ++cut) {
            if (text[cut] == '{' || text[cut] == '[' || text[cut] == '\n')
                continue; // looks like a record of its own
            Workspace workspace;
            workspace.write("t/traces-2026-11-30T06-00-00.000.jsonl", text.substr(0, cut));
            const std::string live = workspace.write("t/traces.jsonl", text.substr(cut));
            const std::string directory = QFileInfo(QString::fromStdString(live)).path().toStdString();
            for (const ImportOutcome& outcome : workspace.import(directory))
                QCOMPARE(faultsOf(outcome.report.diagnostics), std::string());
            QCOMPARE(workspace.spans(), 5ULL);
            for (const ImportOutcome& outcome : workspace.import(directory))
                QVERIFY(outcome.unchanged);
            ++joined;
            cut += 6;
        }
        QVERIFY(joined > 20);
    }

    /// The live file was imported before it was rotated in the middle of a record.
    void rotatedAfterTheFirstImport()
    {
        Workspace workspace;
        const std::string text = lines(1, 6);
        const std::size_t cut = text.size() - 60;
        workspace.import(workspace.write("t/traces.jsonl", text.substr(0, cut)));
        QCOMPARE(workspace.spans(), 4ULL);
        workspace.write("t/traces-2026-11-30T06-00-00.000.jsonl", text.substr(0, cut));
        const std::string live = workspace.write("t/traces.jsonl", text.substr(cut) + line(6));
        workspace.import(QFileInfo(QString::fromStdString(live)).path().toStdString());
        QCOMPARE(workspace.spans(), 6ULL);
    }
};

QTEST_GUILESS_MAIN(tst_Reimport)
#include "tst_reimport.moc"
