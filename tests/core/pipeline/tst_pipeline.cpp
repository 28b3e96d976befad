// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From files to figures: what must not change them (order, split, threads, a second import), and what must not get in.
#include "core/analysis/summary.h"
#include "core/pipeline/dataset.h"
#include "core/pipeline/samples.h"
#include "core/pipeline/search.h"
#include "core/pipeline/splitset.h"
#include "core/report/comparisonreport.h"
#include "core/report/summaryreport.h"
#include "tests/testkit/randomtrace.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <filesystem>
#include <pthread.h>

using namespace chokepoint;

namespace {

/// One line of OTLP JSON with one request: a root and a `chat` below it, version and times by \a i.
std::string requestLine(int i, const char* version)
{
    const long long start = 1700000000000000000LL + i * 1000000000LL;
    const long long chat = 400000000LL + (i % 7) * 10000000LL;
    return fmt::format(
        R"({{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"api"}}}},{{"key":"service.version","value":{{"stringValue":"{}"}}}}]}},)"
        R"("scopeSpans":[{{"scope":{{"name":"t"}},"spans":[)"
        R"({{"traceId":"{:032x}","spanId":"{:016x}","name":"POST /chat","kind":2,"startTimeUnixNano":"{}","endTimeUnixNano":"{}"}},)"
        R"({{"traceId":"{:032x}","spanId":"{:016x}","parentSpanId":"{:016x}","name":"chat model-{}","kind":3,"startTimeUnixNano":"{}","endTimeUnixNano":"{}",)"
        R"("attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"chat"}}}},{{"key":"user.id","value":{{"intValue":"{}"}}}},)"
        R"({{"key":"gen_ai.request.model","value":{{"stringValue":"gpt-x"}}}},{{"key":"gen_ai.usage.output_tokens","value":{{"intValue":"10"}}}},)"
        R"({{"key":"gen_ai.usage.input_tokens","value":{{"intValue":"{}"}}}}]}}]}}]}}]}})",
        version, i + 1, 2 * i + 1, start, start + chat + 100000000, i + 1, 2 * i + 2, 2 * i + 1, i % 3, start + 50000000,
        start + 50000000 + chat, 7000 + i, 1000 + i);
}

std::vector<std::string> requestLines(int count)
{
    std::vector<std::string> lines;
    for (int i = 0; i < count; ++i)
        lines.push_back(requestLine(i, i % 2 == 0 ? "1.8" : "1.9"));
    return lines;
}

class Files {
public:
    std::string write(const QString& name, const std::vector<std::string>& lines) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(name));
        for (const std::string& line : lines)
            file.write((line + "\n").c_str());
        return file.fileName().toStdString();
    }
    [[nodiscard]] QString path(const QString& name) const { return m_directory.filePath(name); }

private:
    QTemporaryDir m_directory;
};

std::shared_ptr<const Dataset> loaded(const std::vector<std::string>& inputs, unsigned threads = 0)
{
    Result<Store> store = Store::temporary();
    if (!store || !importInputs(*store, inputs, "run", {}))
        qFatal("import failed");
    AnalysisOptions options;
    options.threads = threads;
    Result<std::shared_ptr<const Dataset>> dataset =
        loadDataset(std::make_shared<const Store>(std::move(*store)), std::nullopt, "run", options, {});
    if (!dataset)
        qFatal("%s", dataset.error().message().c_str());
    return *dataset;
}

/// Everything that the command line would print of a dataset, without what names its files.
std::string figures(const Dataset& dataset)
{
    return summaryJson({summarise(dataset.columns, dataset.population), {}, dataset.faults(), &dataset.spending});
}

} // namespace

class tst_Pipeline : public QObject {
    Q_OBJECT

private slots:
    void orderSplitAndThreadsChangeNothing()
    {
        const Files files;
        std::vector<std::string> lines = requestLines(60);
        const std::string whole = figures(*loaded({files.write("whole.jsonl", lines)}));
        QVERIFY(whole.find("\"traces\":60") != std::string::npos);
        const std::string first = files.write("1.jsonl", {lines.begin(), lines.begin() + 25});
        const std::string second = files.write("2.jsonl", {lines.begin() + 25, lines.end()});
        QCOMPARE(figures(*loaded({first, second})), whole);
        QCOMPARE(figures(*loaded({second, first})), whole);
        QCOMPARE(figures(*loaded({second, first}, 1)), whole);
        testkit::Random random(7);
        for (std::size_t i = lines.size(); i > 1; --i)
            std::swap(lines[i - 1], lines[random.below(i)]);
        QCOMPARE(figures(*loaded({files.write("shuffled.jsonl", lines)})), whole);
    }

    void importsWhereNoThreadIsToBeHad()
    {
        const Files files;
        const std::string file = files.write("run.jsonl", requestLines(20));
        pthread_attr_t usual;
        QCOMPARE(pthread_getattr_default_np(&usual), 0);
        pthread_attr_t huge = usual;
        QCOMPARE(pthread_attr_setstacksize(&huge, std::size_t(1) << 47), 0); // more than there are addresses
        QCOMPARE(pthread_setattr_default_np(&huge), 0);
        Result<Store> store = Store::temporary();
        const Result<std::vector<ImportOutcome>> outcomes = importInputs(*store, {file, files.path("none").toStdString()}, "run", {});
        QCOMPARE(pthread_setattr_default_np(&usual), 0);
        QVERIFY(outcomes);
        QCOMPARE(outcomes->at(0).written.newSpans, std::uint64_t(40));
        QVERIFY(outcomes->at(1).error.has_value());
        QCOMPARE(errorCodeName(outcomes->at(1).error->code), "CANNOT_OPEN");
    }

    void importingTwiceChangesNothing()
    {
        const Files files;
        const std::string file = files.write("run.jsonl", requestLines(20));
        Result<Store> store = Store::temporary();
        QVERIFY(importInputs(*store, {file}, "run", {}));
        const Result<std::vector<ImportOutcome>> again = importInputs(*store, {file}, "run", {});
        QVERIFY(again);
        QCOMPARE(again->front().written.newSpans, std::uint64_t(0));
        QCOMPARE(again->front().written.diagnostics.count(DiagnosticCode::DuplicateSpan), std::uint64_t(40));
        QCOMPARE(figures(*loaded({file, file})), figures(*loaded({file})));
    }

    void aWorkspaceIsAnInputLikeAnyOther()
    {
        const Files files;
        const std::string file = files.write("run.jsonl", requestLines(20));
        const std::string workspace = files.path("saved.chokepoint").toStdString();
        {
            Result<Store> store = Store::create(workspace);
            QVERIFY(store.has_value());
            QVERIFY(importInputs(*store, {file}, "run", {}));
            QVERIFY(store->publish());
        }
        QVERIFY(Store::isWorkspace(workspace));
        QCOMPARE(figures(*loaded({workspace})), figures(*loaded({file})));
        QCOMPARE(figures(*loaded({workspace, file})), figures(*loaded({file})));
    }

    void aRefusedFileLeavesNothingAndStopsNobody()
    {
        const Files files;
        const std::string good = files.write("good.jsonl", requestLines(4));
        const std::string bad = files.write("bad.json", {"{\"spans\": 3}"});
        Result<Store> store = Store::temporary();
        const Result<std::vector<ImportOutcome>> outcomes =
            importInputs(*store, {bad, files.path("missing.json").toStdString(), good}, "run", {});
        QVERIFY(outcomes);
        QCOMPARE(outcomes->size(), std::size_t(3));
        QCOMPARE((*outcomes)[0].error->code, ErrorCode::UnrecognizedFormat);
        QCOMPARE((*outcomes)[1].error->code, ErrorCode::CannotOpen);
        QVERIFY(!(*outcomes)[2].error);
        QCOMPARE(store->inputs()->size(), std::size_t(1));
        QCOMPARE(store->loadColumns(std::nullopt, {})->traceCount(), std::size_t(4));
    }

    void filesOfADirectoryThatAreNoTracesAreTold()
    {
        const Files files;
        const std::string good = files.write("run.jsonl", requestLines(4));
        const std::string notes = files.write("README.md", {"# notes"});
        files.write(".hidden.md", {"# notes"});
        Result<Store> store = Store::temporary();
        const Result<std::vector<ImportOutcome>> outcomes = importInputs(*store, {files.path("").toStdString()}, "run", {});
        QVERIFY(outcomes);
        QCOMPARE(outcomes->size(), std::size_t(2));
        QCOMPARE((*outcomes)[0].report.format, std::string("otlp-json"));
        const ImportOutcome& passed = (*outcomes)[1];
        QCOMPARE(std::filesystem::path(passed.report.path), std::filesystem::path(notes));
        QVERIFY(!passed.error && passed.report.format.empty());
        QCOMPARE(passed.report.diagnostics.count(DiagnosticCode::OtherSignal), std::uint64_t(1));
        QCOMPARE(passed.report.diagnostics.rejected(), std::uint64_t(0));
        QVERIFY(passed.report.diagnostics.entries().front().first.starts_with("passed over: "));
        QCOMPARE(store->inputs()->size(), std::size_t(1));

        const Files others;
        others.write("README.md", {"# notes"});
        const Result<std::vector<ImportOutcome>> none = importInputs(*store, {others.path("").toStdString()}, "run", {});
        QVERIFY(none);
        QCOMPARE(none->size(), std::size_t(1));
        QCOMPARE(none->front().error->code, ErrorCode::UnrecognizedFormat);
    }

    void cancellingLeavesTheWorkspaceAsItWas()
    {
        const Files files;
        const std::string file = files.write("run.jsonl", requestLines(4));
        Result<Store> store = Store::temporary();
        std::stop_source stop;
        stop.request_stop();
        const Result<std::vector<ImportOutcome>> outcomes = importInputs(*store, {file}, "run", JobControl(stop.get_token()));
        QVERIFY(!outcomes);
        QCOMPARE(outcomes.error().code, ErrorCode::Cancelled);
        QCOMPARE(store->loadColumns(std::nullopt, {})->spanCount(), std::size_t(0));
        QVERIFY(importInputs(*store, {file}, "run", {}));
        QCOMPARE(store->loadColumns(std::nullopt, {})->spanCount(), std::size_t(8));
    }

    void splitByAnAttribute()
    {
        const Files files;
        const std::shared_ptr<const Dataset> whole = loaded({files.write("run.jsonl", requestLines(21))});
        const Result<SplitSides> sides = splitByAttribute(whole, "service.version", "", "", {});
        QVERIFY2(sides.has_value(), sides ? "" : sides.error().detail.c_str());
        QCOMPARE(sides->before->label, std::string("1.8"));
        QCOMPARE(sides->before->population.included.size(), std::size_t(11));
        QCOMPARE(sides->after->population.included.size(), std::size_t(10));
        QCOMPARE(sides->before->columns.spanCount() + sides->after->columns.spanCount(), whole->columns.spanCount());
        const Result<SplitSides> swapped = splitByAttribute(whole, "service.version", "1.9", "1.8", {});
        QCOMPARE(swapped->before->label, std::string("1.9"));
        QVERIFY(!splitByAttribute(whole, "service.version", "1.8", "2.0", {}));
        QVERIFY(splitByAttribute(whole, "nowhere", "", "", {}).error().detail.find("no trace has it") != std::string::npos);
    }

    /// Prices of the command line win over those of the workspace; without either, cost is unknown. Both halves of a split add up.
    void pricesComeFromTheUserOrTheWorkspace()
    {
        const Files files;
        Result<Store> created = Store::temporary();
        QVERIFY(importInputs(*created, {files.write("run.jsonl", requestLines(20))}, "run", {}));
        const auto store = std::make_shared<Store>(std::move(*created));
        const auto cost = [&](const char* prices) {
            AnalysisOptions options;
            options.prices = prices;
            options.pricesFile = "mine.json";
            return loadDataset(store, std::nullopt, "run", options, {});
        };
        QVERIFY(!(*cost(""))->spending.cost.has_value());
        QCOMPARE((*cost(""))->spending.totals.generate.input().orZero(), std::int64_t(20'190));
        QVERIFY(
            store->setSetting("prices", R"({"version": 1, "models": [{"model": "gpt-x", "per_million": {"input": 2, "output": 10}}]})"));
        const Result<std::shared_ptr<const Dataset>> stored = cost("");
        QCOMPARE((*stored)->spending.cost->text(), std::string("0.04238"));
        const Result<SplitSides> sides = splitByAttribute(*stored, "service.version", "", "", {});
        QCOMPARE((*sides->before->spending.cost + *sides->after->spending.cost).text(), std::string("0.04238"));
        QCOMPARE((*cost(R"({"version": 1, "models": [{"model": "gpt-x", "per_request": 1}]})"))->spending.cost->text(), std::string("20"));
        const Result<std::shared_ptr<const Dataset>> refused = cost("{}");
        QVERIFY(!refused && refused.error().place.file == "mine.json");
    }

    void searchFindsLiterals()
    {
        const Files files;
        const std::shared_ptr<const Dataset> dataset = loaded({files.write("run.jsonl", requestLines(10))});
        const auto count = [&](const char* text) { return searchSpans(*dataset, text, {})->size(); };
        QCOMPARE(count("MODEL-1"), std::size_t(3));
        QCOMPARE(count("7003"), std::size_t(1));
        QCOMPARE(count("api"), std::size_t(20));
        QCOMPARE(count("%"), std::size_t(0));
        QCOMPARE(count(""), std::size_t(0));
        QCOMPARE(searchSpans(*dataset, "7003", {})->front().field, std::string("user.id"));
    }

    void theSamplePairTellsItsStory()
    {
        const Result<SamplePair> samples = findSamples("");
        QVERIFY(samples.has_value());
        const std::shared_ptr<const Dataset> before = loaded({samples->before});
        const std::shared_ptr<const Dataset> after = loaded({samples->after});
        const Result<Comparison> comparison = compareDatasets(*before, *after, {}, {});
        QVERIFY(comparison.has_value());
        QCOMPARE(comparison->tracesBefore, std::size_t(400));
        QCOMPARE(comparison->bottleneck.before, std::string("generate"));
        QCOMPARE(comparison->bottleneck.after, std::string("retrieve"));
        QVERIFY(comparison->bottleneck.moved);
        QCOMPARE(comparison->verdict, VerdictKind::Faster);
        QVERIFY(comparison->e2e[0].significant && comparison->e2e[0].delta < Duration{0});
        QVERIFY(comparison->e2e[2].delta > Duration{0} && !comparison->e2e[2].significant); // P95 +7 %, within the noise
        Duration contributions{0};
        for (const StageRow& row : comparison->stages)
            contributions += row.contribution;
        QCOMPARE(contributions, comparison->e2e[0].delta);
        QTemporaryDir target;
        const Result<SamplePair> written = writeSamples(*samples, target.filePath("demo").toStdString());
        QVERIFY(written && QFile::exists(QString::fromStdString(written->after)));
        QVERIFY(!writeSamples(*samples, target.filePath("demo").toStdString())); // never overwrites
    }
};

QTEST_GUILESS_MAIN(tst_Pipeline)
#include "tst_pipeline.moc"
