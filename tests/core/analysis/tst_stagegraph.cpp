// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of stages: literal ones, and every edge counted again the slow way.
#include "core/analysis/stagegraph.h"
#include "tests/core/analysis/namedstages.h"
#include "tests/testkit/randomtrace.h"

#include <QTest>

#include <map>
#include <tuple>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

StageGraph graphOf(const NamedDeployment& deployment, const RetryAnalysis* retries = nullptr)
{
    return stageGraph(deployment.columns, deployment.stages, deployment.population, retries, deployment.options, JobControl()).value();
}

/// "path a>b 2, call root>a 1": edges with their counts.
QString edgesOf(const StageGraph& graph)
{
    QStringList edges;
    for (const StageEdge& edge : graph.edges)
        edges << QString("%1 %2>%3 %4")
                     .arg(stageEdgeKindName(edge.kind), graph.nodes[edge.from].stage.c_str(), graph.nodes[edge.to].stage.c_str())
                     .arg(edge.count);
    return edges.join(", ");
}

struct Counted {
    std::uint64_t count = 0;
    std::int64_t sum = 0;
    std::uint64_t known = 0;
};
using CountedEdges = std::map<std::tuple<int, std::string, std::string>, Counted>;

/// Climbs from every span, walks every path, one trace after the other.
CountedEdges countedAgain(const NamedDeployment& deployment)
{
    CountedEdges edges;
    const StageTable& table = *deployment.stages.table;
    for (const std::uint32_t t : deployment.population.included) {
        const TraceView trace = deployment.columns.trace(t);
        const std::uint64_t first = deployment.columns.firstSpan[t];
        const auto stageOf = [&](std::size_t i) { return table.name(table.topLevel(deployment.stages.stage[first + i])); };
        for (std::size_t i = 0; i < trace.size(); ++i) {
            std::int32_t above = trace.parent[i];
            while (above >= 0 && stageOf(std::size_t(above)) == "other")
                above = trace.parent[std::size_t(above)];
            if (stageOf(i) == "other" || above < 0 || stageOf(std::size_t(above)) == stageOf(i))
                continue;
            Counted& edge = edges[{int(StageEdgeKind::Call), stageOf(std::size_t(above)), stageOf(i)}];
            ++edge.count;
            if (isKnown(trace.duration(i))) {
                edge.sum += toNs(trace.duration(i));
                ++edge.known;
            }
        }
        std::vector<std::pair<std::string, std::int64_t>> stays;
        const CriticalPath path = criticalPath(trace, *deployment.columns.dictionary, deployment.options);
        forEachStagePart(path, trace, deployment.stages, first, [&](StageId stage, const PathSegment& part) {
            const std::string name = table.name(table.topLevel(stage));
            if (name == "other")
                return;
            if (stays.empty() || stays.back().first != name)
                stays.emplace_back(name, 0);
            stays.back().second += toNs(part.end - part.begin);
        });
        for (std::size_t k = 1; k < stays.size(); ++k) {
            Counted& edge = edges[{int(StageEdgeKind::Path), stays[k - 1].first, stays[k].first}];
            ++edge.count;
            ++edge.known;
            edge.sum += stays[k].second;
        }
    }
    return edges;
}

/// A group of attempts in trace 0, each a span.
RetryAnalysis retriesOf(
    const NamedDeployment& deployment, AttemptKind kind, StageId stage, const std::vector<std::uint32_t>& spans, bool counted = true)
{
    RetryAnalysis retries;
    retries.traces.resize(deployment.columns.traceCount());
    retries.traces[0].groupCount = 1;
    AttemptGroup group;
    group.kind = kind;
    group.counted = counted;
    group.stage = stage;
    group.parent = 0;
    group.attemptSpans = group.attempts = std::uint32_t(spans.size());
    retries.groups.push_back(group);
    const TraceView trace = deployment.columns.trace(0);
    for (const std::uint32_t span : spans)
        retries.attempts.push_back({.span = span, .begin = trace.start[span], .end = trace.end[span], .tokens = {}});
    return retries;
}

} // namespace

class TestStageGraph : public QObject {
    Q_OBJECT

private slots:
    void steps()
    {
        const NamedDeployment two(traces(2, [](TraceBuilder& builder, std::size_t t) {
            addSteps(builder, {{"embed", 10}, {"retrieve", 20 + 20 * std::int64_t(t)}, {"generate", 70}});
        }));
        const StageGraph graph = graphOf(two);
        QCOMPARE(graph.requests, std::uint64_t(2));
        QCOMPARE(edgesOf(graph),
            QString("path embed>retrieve 2, path retrieve>generate 2, call root>embed 2, call root>generate 2, call root>retrieve 2"));
        const StageEdge& edge = graph.edges[0];
        QCOMPARE(edge.requests, std::uint64_t(2));
        QCOMPARE(edge.perRequest, 1.0);
        QCOMPARE(edge.mean, Duration(30 * ms)); // of retrieve
        QCOMPARE(edge.p95, Duration(39 * ms));
        QCOMPARE(graph.nodes.size(), std::size_t(4));
        QCOMPARE(graph.nodes[2].stage, std::string("retrieve"));
        QCOMPARE(graph.nodes[2].calls, std::uint64_t(2));
        QCOMPARE(graph.nodes[2].onPathMean, Duration(30 * ms));
        QCOMPARE(graph.nodes[2].share, 60.0 / 220.0);
    }

    void spansWithoutAStageAreLookedThrough()
    {
        const NamedDeployment one(TraceBuilder()
                                      .span("root", 0, 100)
                                      .span("other", 10, 90, "root")
                                      .span("a", 20, 40, "other")
                                      .span("a-1", 25, 30, "a")
                                      .span("b", 50, 90, "a-1")
                                      .build());
        QVERIFY(edgesOf(graphOf(one)).contains("call root>a 1"));
        QVERIFY(edgesOf(graphOf(one)).contains("call a>b 1"));
        QVERIFY(!edgesOf(graphOf(one)).contains("other"));
    }

    void containersAndGapsAreLookedThrough()
    {
        NamedDeployment one(TraceBuilder().span("root", 0, 100).span("a", 10, 40, "root").span("b", 60, 90, "root").build());
        QVERIFY(edgesOf(graphOf(one)).startsWith("path a>root 1, path b>root 1, path root>a 1, path root>b 1"));
        one.stages.container = {true, false, false};
        QCOMPARE(edgesOf(graphOf(one)), QString("path a>b 1, call root>a 1, call root>b 1"));
    }

    void repeatedCalls()
    {
        const NamedDeployment one(
            TraceBuilder().span("root", 0, 100).span("a", 0, 30, "root").span("a", 35, 60, "root").span("a", 70, 100, "root").build());
        const StageId a = one.stages.table->find("a");
        const RetryAnalysis retries = retriesOf(one, AttemptKind::Retry, a, {1, 2, 3});
        const StageGraph graph = graphOf(one, &retries);
        QVERIFY(edgesOf(graph).endsWith("retry a>a 2"));
        QCOMPARE(graph.edges.back().mean, Duration(35)); // begin to begin
        const RetryAnalysis uncounted = retriesOf(one, AttemptKind::Retry, a, {1, 2, 3}, false);
        QVERIFY(!edgesOf(graphOf(one, &uncounted)).contains("retry"));
    }

    void repeatedWalks()
    {
        NamedDeployment one(TraceBuilder()
                                .span("root", 0, 100)
                                .span("walk-1", 0, 40, "root")
                                .span("embed", 0, 10, "walk-1")
                                .span("generate", 10, 30, "walk-1")
                                .span("validate", 30, 40, "walk-1")
                                .span("walk-2", 50, 100, "root")
                                .span("embed", 50, 60, "walk-2")
                                .span("generate", 60, 100, "walk-2")
                                .build());
        one.stages.container = {true, true, false, false, false, true, false, false};
        const RetryAnalysis retries = retriesOf(one, AttemptKind::Walk, StageTable::noStage, {1, 5});
        QVERIFY(edgesOf(graphOf(one, &retries)).endsWith("retry validate>embed 1"));
    }

    void nothing()
    {
        NamedDeployment one(TraceBuilder().span("root", 0, 1).build());
        one.population.included.clear();
        const StageGraph graph = graphOf(one);
        QCOMPARE(graph.requests, std::uint64_t(0));
        QVERIFY(graph.nodes.empty() && graph.edges.empty());
    }

    /// Random trees with names of a few stages.
    void sameAsCountedAgain()
    {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            Random random(seed);
            const NamedDeployment many(traces(5, [&](TraceBuilder& builder, std::size_t) { addRandomTree(builder, random); }));
            const StageGraph graph = graphOf(many);
            CountedEdges expected = countedAgain(many);
            QCOMPARE(graph.edges.size(), expected.size());
            for (const StageEdge& edge : graph.edges) {
                const Counted& counted = expected[{int(edge.kind), graph.nodes[edge.from].stage, graph.nodes[edge.to].stage}];
                QCOMPARE(edge.count, counted.count);
                QCOMPARE(edge.perRequest, double(counted.count) / 5);
                if (counted.known > 0)
                    QVERIFY(std::abs(toNs(edge.mean) * std::int64_t(counted.known) - counted.sum) <= std::int64_t(counted.known));
                QVERIFY(edge.requests <= 5 && edge.requests <= edge.count);
            }
        }
    }

private:
    static void addRandomTree(TraceBuilder& builder, Random& random)
    {
        static const std::vector<std::string> names{"a", "b", "c", "other"};
        struct Placed {
            std::string key;
            std::int64_t begin;
            std::int64_t end;
        };
        std::vector<Placed> placed{{"root", 0, 1000}};
        builder.span("root", 0, 1000);
        for (std::uint64_t i = 0, count = random.below(20); i < count; ++i) {
            const Placed parent = placed[random.below(placed.size())];
            const std::int64_t begin = random.between(parent.begin, parent.end);
            const std::int64_t end = random.between(begin, parent.end);
            placed.push_back({"k" + std::to_string(i), begin, end});
            builder.span(placed.back().key, begin, end, parent.key).named(names[random.below(names.size())]);
        }
    }
};

QTEST_GUILESS_MAIN(TestStageGraph)
#include "tst_stagegraph.moc"
