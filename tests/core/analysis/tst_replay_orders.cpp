// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What waits for what, read from times, learned and declared: small cases, and replays against the plain definition.
#include "core/analysis/population.h"
#include "core/analysis/rulebook.h"
#include "core/analysis/whatif.h"
#include "tests/core/analysis/plainreplay.h"
#include "tests/core/analysis/stagesbyname.h"
#include "tests/testkit/randomtrace.h"
#include "tests/testkit/tracebuilder.h"

#include <QTest>

#include <algorithm>

using namespace chokepoint;
using namespace chokepoint::testkit;
using namespace chokepoint::testing;

namespace {

DeclaredLinks linksOf(const TraceBuilder& builder)
{
    const auto [columns, payloads] = builder.buildWithPayloads();
    DeclaredLinkReader reader;
    for (std::size_t trace = 0; trace < columns.traceCount(); ++trace) {
        const TraceView view = columns.trace(trace);
        for (std::size_t i = 0; i < view.size(); ++i)
            readPayload(view, i, payloads[columns.firstSpan[trace] + i], columns.dictionary->strings, reader);
        reader.endTrace(view);
    }
    return reader.take();
}

/// Two lanes below one parent that the times alone read as barriers: fetch -> rank, and parse -> embed.
TraceBuilder lanes(bool withLinks)
{
    TraceBuilder builder;
    builder.span("root", 0, 100).span("fetch", 0, 30, "root").span("parse", 0, 50, "root").span("rank", 60, 100, "root");
    if (withLinks)
        builder.link("fetch");
    return builder;
}

} // namespace

class TestReplayOrders : public QObject {
    Q_OBJECT

private slots:
    void linksOfATrace();
    void stagesAndLinksDeclare();
    void readingsOfAWhatIf();
    void nothingDeclared();
    void operationsOfOneName();
    void declaredAmongManyOperations();
    void ordersInAnotherTable();
    void orderOfStagesInRules_data();
    void orderOfStagesInRules();
    void randomTraces();
};

void TestReplayOrders::linksOfATrace()
{
    TraceBuilder builder;
    builder.span("root", 0, 100).span("a", 0, 30, "root").span("b", 40, 60, "root").link("a").link("b");
    builder.span("early", 0, 10, "root").link("b"); // begins before what it names
    builder.nextTrace().span("root", 0, 10).span("c", 5, 6, "root").link("root");
    const DeclaredLinks links = linksOf(builder);
    const TraceColumns columns = builder.build();
    QCOMPARE(links.links.size(), std::size_t(2));
    const auto nameOf = [&](std::uint32_t span) { return columns.dictionary->text(columns.spans.name[span]); };
    QVERIFY(nameOf(links.links[0].span) == "b" && nameOf(links.links[0].predecessor) == "a");
    QVERIFY(nameOf(links.links[1].span) == "c" && nameOf(links.links[1].predecessor) == "root");
    QCOMPARE(links.of(0, columns.firstSpan[1]).size(), std::size_t(1));
    QCOMPARE(links.of(columns.firstSpan[1], 2).size(), std::size_t(1));
    DeclaredLinks second;
    second.append(links, columns.firstSpan[1], 2, 0);
    QCOMPARE(second.links, (std::vector<DeclaredLink>{{1, 0}}));
}

void TestReplayOrders::stagesAndLinksDeclare()
{
    const auto replayed = [](const TraceBuilder& builder, const DeclaredOrders& declared, const char* stage, double factor) {
        const TraceColumns columns = builder.build();
        const StageMap stages = stagesByName(columns);
        Replayer replayer(*columns.dictionary, stages, {}, nullptr, declared);
        if (!replayer.prepare(columns.trace(0), 0))
            return std::int64_t(-1);
        ReplayEdits edits;
        edits.factor.assign(stages.table->size(), 1.0);
        edits.factor[toIndex(stages.table->find(stage))] = factor;
        return toNs(replayer.replay(edits).e2e);
    };
    const TraceBuilder plain = lanes(false);
    const StageMap stages = stagesByName(plain.build());
    const auto id = [&](const char* name) { return stages.table->find(name); };
    // By the times alone, rank waits for parse: it comes 10 behind it.
    QCOMPARE(replayed(plain, {}, "parse", 2), std::int64_t(150));
    QCOMPARE(replayed(plain, {}, "fetch", 2), std::int64_t(110));
    // It waits for fetch, 30 behind it.
    const std::vector<StageOrder> afterFetch{{id("rank"), {id("fetch")}}};
    QCOMPARE(replayed(plain, {nullptr, afterFetch}, "parse", 2), std::int64_t(100));
    QCOMPARE(replayed(plain, {nullptr, afterFetch}, "parse", 3), std::int64_t(150));
    QCOMPARE(replayed(plain, {nullptr, afterFetch}, "fetch", 2), std::int64_t(130));
    QCOMPARE(replayed(plain, {nullptr, afterFetch}, "fetch", 0), std::int64_t(70));
    // Of nothing: it begins 60 behind its parent.
    const std::vector<StageOrder> free{{id("rank"), {}}};
    QCOMPARE(replayed(plain, {nullptr, free}, "fetch", 3), std::int64_t(100));
    // A link says the same as the rule.
    const TraceBuilder linked = lanes(true);
    const DeclaredLinks links = linksOf(linked);
    QCOMPARE(links.links.size(), std::size_t(1));
    QCOMPARE(replayed(linked, {&links, {}}, "parse", 2), std::int64_t(100));
    QCOMPARE(replayed(linked, {&links, {}}, "fetch", 2), std::int64_t(130));
    // Both together: what either names.
    const std::vector<StageOrder> afterParse{{id("rank"), {id("parse")}}};
    QCOMPARE(replayed(linked, {&links, afterParse}, "parse", 2), std::int64_t(150));
}

void TestReplayOrders::readingsOfAWhatIf()
{
    TraceBuilder builder;
    for (int i = 0; i < 30; ++i) {
        if (i > 0)
            builder.nextTrace();
        builder.span("root", 0, 100).span("fetch", 0, 30, "root").span("parse", 0, 50, "root");
        builder.span("rank", i == 7 ? 40 : 60, 100, "root").link("fetch"); // once while parse still runs
    }
    const TraceColumns columns = builder.build();
    const StageMap stages = stagesByName(columns);
    const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
    const DeclaredLinks links = linksOf(builder);
    const WhatIf whatIf = WhatIf::create(columns, stages, population, nullptr, {}, 1, JobControl{}, {&links, {}}).value();
    const auto median = [&](WaitReading reading) {
        return toNs(whatIf.run({parseWhatIf("stage.parse=x2").value()}, {.reading = reading}, JobControl{})->predicted.e2e.p50);
    };
    QCOMPARE(median(WaitReading::Pessimistic), std::int64_t(150));
    QCOMPARE(median(WaitReading::Learned), std::int64_t(100));
    QCOMPARE(median(WaitReading::Declared), std::int64_t(100));
    const WhatIfResult result = whatIf.run({parseWhatIf("stage.fetch=x2").value()}, {}, JobControl{}).value();
    QCOMPARE(result.readings.size(), std::size_t(3));
    QCOMPARE(result.readings[0].first, WaitReading::Pessimistic);
    QCOMPARE(result.readings[1].first, WaitReading::Learned);
    QCOMPARE(result.readings[2].first, WaitReading::Declared);
    QCOMPARE(result.readings[0].second.p50, Duration{110}); // 10 behind parse, which fetch now outlasts
    QCOMPARE(result.readings[1].second.p50, Duration{130});
    QCOMPARE(result.readings[2].second.p50, Duration{130});
    QVERIFY(result.predicted.e2e.p50 == Duration{130} && result.pessimisticMean);
    QVERIFY(whatIf.run({parseWhatIf("stage.rank=x2").value()}, {}, JobControl{})->readings.empty()); // all agree
    QVERIFY(whatIf.run({}, {}, JobControl{})->readings.empty());
    QCOMPARE(whatIf.run({}, {.reading = WaitReading::Declared}, JobControl{})->predicted.e2e.p50, Duration{100});
}

void TestReplayOrders::nothingDeclared()
{
    const TraceColumns columns = lanes(false).build();
    const StageMap stages = stagesByName(columns);
    const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
    const WhatIf whatIf = WhatIf::create(columns, stages, population, nullptr, {}, 1, JobControl{}).value();
    const Result<WhatIfResult> result = whatIf.run({}, {.reading = WaitReading::Declared}, JobControl{});
    QVERIFY(!result && result.error().detail.find("nothing declares what waits for what") != std::string::npos);
}

/// An HTTP client calls everything by the method's name: that embedding comes before generating breaks no order.
void TestReplayOrders::operationsOfOneName()
{
    TraceBuilder builder;
    for (int i = 0; i < 30; ++i) {
        if (i > 0)
            builder.nextTrace();
        builder.span("root", 0, 310).span("embed", 1, 101, "root").named("POST").span("generate", 105, 305, "root").named("POST");
    }
    const TraceColumns columns = builder.build();
    StageMap stages = stagesByName(columns);
    const auto table = std::make_shared<StageTable>(*stages.table);
    const StageId embed = table->add("embed");
    const StageId generate = table->add("generate");
    stages.table = table;
    for (std::size_t span = 0; span < columns.spanCount(); ++span)
        if (columns.dictionary->text(columns.spans.name[span]) == "POST")
            stages.stage[span] = toNs(columns.spans.end[span] - columns.spans.start[span]) == 100 ? embed : generate;
    const Population population = analysePopulation(columns, stages, {}, 1, JobControl{}).value();
    const WhatIf whatIf = WhatIf::create(columns, stages, population, nullptr, {}, 1, JobControl{}).value();
    const WhatIfResult result = whatIf.run({parseWhatIf("stage.embed=x3").value()}, {}, JobControl{}).value();
    QCOMPARE(result.predicted.e2e.p50, Duration{510});
}

/// More operations below one parent than are told apart by name: what rules say of their stages holds all the same.
void TestReplayOrders::declaredAmongManyOperations()
{
    TraceBuilder builder;
    builder.span("root", 0, 300).span("fetch", 0, 50, "root").span("rank", 210, 300, "root");
    for (int i = 0; i < 20; ++i)
        builder.span("tool " + std::to_string(i), i * 10, i * 10 + 10, "root");
    const TraceColumns columns = builder.build();
    StageMap stages = stagesByName(columns);
    const auto table = std::make_shared<StageTable>(*stages.table);
    const StageId tool = table->add("tool");
    stages.table = table;
    for (std::size_t span = 0; span < columns.spanCount(); ++span)
        if (columns.dictionary->text(columns.spans.name[span]).starts_with("tool"))
            stages.stage[span] = tool;
    const auto replayed = [&](const std::vector<StageOrder>& orders) {
        Replayer replayer(*columns.dictionary, stages, {}, nullptr, {nullptr, orders});
        if (!replayer.prepare(columns.trace(0), 0))
            return std::int64_t(-1);
        ReplayEdits edits;
        edits.factor.assign(table->size(), 1.0);
        edits.factor[toIndex(tool)] = 3;
        return toNs(replayer.replay(edits).e2e);
    };
    QCOMPARE(replayed({}), std::int64_t(700)); // 400 later
    QCOMPARE(replayed({{table->find("rank"), {table->find("fetch")}}}), std::int64_t(600)); // the last tool ends last
}

void TestReplayOrders::ordersInAnotherTable()
{
    StageTable rules;
    StageTable found; // other ids, and not all of them
    for (const char* name : {"embed", "retrieve", "rerank", "tool"})
        static_cast<void>(rules.add(name));
    for (const char* name : {"rerank", "embed"})
        static_cast<void>(found.add(name));
    const auto in = [](const StageTable& table, const char* name) { return table.find(name); };
    const std::vector<StageOrder> said{
        {in(rules, "rerank"), {in(rules, "retrieve"), in(rules, "embed")}}, {in(rules, "tool"), {in(rules, "embed")}}};
    const std::vector<StageOrder> orders = ordersIn(found, rules, said);
    QCOMPARE(orders.size(), std::size_t(1)); // there are no tools
    QVERIFY(orders[0].stage == in(found, "rerank"));
    QCOMPARE(orders[0].after, (std::vector<StageId>{in(found, "embed")}));
}

void TestReplayOrders::orderOfStagesInRules_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected"); // "stage<after,after", or a part of the error
    const auto row = [](const char* name, const char* entries, const char* expected) {
        QTest::newRow(name) << QString(R"({"version": 1, "dependencies": %1})").arg(entries) << QString(expected);
    };
    row("one", R"([{"stage": "rerank", "after": "retrieve"}])", "rerank<retrieve");
    row("several", R"([{"stage": "rerank", "after": ["retrieve", "embed"], "comment": "why"}, {"stage": "embed", "after": []}])",
        "rerank<retrieve,embed embed<");
    row("no array", R"({"stage": "rerank"})", "must be an array");
    row("no object", R"(["rerank"])", "must be an object with a \"stage\"");
    row("no after", R"([{"stage": "rerank"}])", "that it waits for as \"after\"");
    row("unknown stage", R"([{"stage": "rerunk", "after": "retrieve"}])", "rerunk");
    row("unknown stage before", R"([{"stage": "rerank", "after": "retrive"}])", "retrive");
    row("unknown key", R"([{"stage": "rerank", "after": "retrieve", "befor": 1}])", "befor");
    row("a number", R"([{"stage": "rerank", "after": 3}])", "after");
    row("twice", R"([{"stage": "rerank", "after": "retrieve"}, {"stage": "rerank", "after": "embed"}])", "rerank occurs twice");
}

void TestReplayOrders::orderOfStagesInRules()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const auto rules = parseStageRules(builtInStageRules(), text.toStdString(), "own.json");
    if (!rules) {
        QVERIFY2(rules.error().detail.find(expected.toStdString()) != std::string::npos, rules.error().message().c_str());
        return;
    }
    QStringList found;
    for (const StageOrder& order : (*rules)->dependencies) {
        QStringList after;
        for (const StageId stage : order.after)
            after.append(QString::fromStdString((*rules)->table.name(stage)));
        found.append(QString::fromStdString((*rules)->table.name(order.stage)) + "<" + after.join(","));
    }
    QCOMPARE(found.join(" "), expected);
}

void TestReplayOrders::randomTraces()
{
    Random random(5);
    RandomShape shape = tameShape();
    shape.maxSpans = 40;
    const TraceColumns columns = testkit::randomTraces(17, 300, shape);
    const StageMap stages = stagesByName(columns);
    const std::size_t kinds = stages.table->size();
    std::size_t differing = 0;
    for (std::size_t round = 0; round < 4; ++round) {
        BrokenOrders broken;
        std::vector<StageOrder> orders;
        DeclaredLinks links;
        if (round > 0)
            for (int i = 0; i < 60; ++i) {
                const auto any = [&] { return random.below(columns.spanCount()); };
                const std::uint64_t first = any();
                const std::uint64_t second = any();
                const auto nameOf = [&](std::uint64_t span) { return columns.spans.name[span]; };
                broken.insert({nameOf(any()), nameOf(first), nameOf(second), stages.stage[first], stages.stage[second]});
            }
        if (round > 1)
            for (std::size_t stage = 0; stage < kinds; stage += 2) {
                orders.push_back({StageId(stage), {}});
                for (std::size_t after = 0; after < kinds; ++after)
                    if (random.chance(40))
                        orders.back().after.push_back(StageId(after));
            }
        if (round > 2)
            for (std::size_t trace = 0; trace < columns.traceCount(); ++trace) {
                const std::uint64_t first = columns.firstSpan[trace];
                const std::uint64_t count = columns.firstSpan[trace + 1] - first;
                for (std::uint64_t span = 1; span < count; ++span)
                    for (int i = 0; i < 2 && random.chance(60); ++i)
                        links.links.push_back({std::uint32_t(first + span), std::uint32_t(first + random.below(count))});
            }
        std::sort(links.links.begin(), links.links.end());
        const DeclaredOrders declared{&links, orders};
        Replayer replayer(*columns.dictionary, stages, {}, &broken, declared);
        Replayer strict(*columns.dictionary, stages, {}, nullptr);
        PlainReplay plain(columns, stages, broken, declared);
        for (std::size_t trace = 0; trace < columns.traceCount(); ++trace) {
            QVERIFY(replayer.prepare(columns.trace(trace), columns.firstSpan[trace]));
            QVERIFY(strict.prepare(columns.trace(trace), columns.firstSpan[trace]));
            const Duration observed = columns.trace(trace).duration(0);
            ReplayEdits edits;
            edits.spans = {{0, -1, false, 0}};
            QCOMPARE(replayer.replay(edits).e2e, observed);
            for (int scenario = 0; scenario < 3; ++scenario) {
                edits.factor.assign(kinds, 1.0);
                edits.factor[random.below(kinds)] = 0.25 * double(random.below(12));
                edits.factor[random.below(kinds)] = 0.5;
                const Replayed& replayed = replayer.replay(edits);
                QCOMPARE(toNs(replayed.e2e), plain.e2e(trace, edits.factor));
                Duration sum{};
                for (const Duration part : replayed.onPath)
                    sum += part;
                QCOMPARE(sum, replayed.e2e);
                differing += strict.replay(edits).e2e != replayed.e2e ? 1 : 0;
            }
        }
    }
    QVERIFY(differing > 100); // the readings are told apart at all
}

QTEST_GUILESS_MAIN(TestReplayOrders)
#include "tst_replay_orders.moc"
