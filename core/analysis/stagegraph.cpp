// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stagegraph.h"

#include "core/analysis/pathfinder.h"
#include "core/analysis/populationparts.h"
#include "core/analysis/statistics.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace chokepoint {

namespace {

constexpr std::uint32_t noTrace = 0xffffffff;

/// What is counted of a node or an edge.
struct Tally {
    std::uint64_t count = 0;
    std::uint64_t requests = 0;
    std::uint32_t lastTrace = noTrace;
    std::vector<Duration> latencies; // the known ones

    void touch(std::uint32_t trace)
    {
        requests += lastTrace == trace ? 0 : 1;
        lastTrace = trace;
    }
    void add(std::uint32_t trace, Duration latency)
    {
        ++count;
        touch(trace);
        if (isKnown(latency))
            latencies.push_back(latency);
    }
};

class GraphRun {
public:
    GraphRun(const TraceColumns& columns, const StageMap& stages, const Population& population, const RetryAnalysis* retries,
        const PathOptions& options)
        : m_columns(columns), m_stages(stages), m_population(population), m_retries(retries), m_options(options),
          m_unmapped(stages.table->find(unmappedStage)), m_nodes(stages.table->size())
    {
        m_options.root = -1; // an index means nothing across traces
    }

    void add(std::uint32_t trace)
    {
        addPath(trace);
        addCalls(trace);
        if (m_retries != nullptr)
            for (const AttemptGroup& group : m_retries->groupsOf(trace))
                if (group.counted)
                    addRetries(group);
    }

    [[nodiscard]] StageGraph take()
    {
        StageGraph graph;
        graph.requests = m_population.included.size();
        std::vector<StageId> used;
        for (std::size_t stage = 0; stage < m_nodes.size(); ++stage)
            if (m_nodes[stage].requests > 0)
                used.push_back(StageId(stage));
        const StageTable& table = *m_stages.table;
        std::sort(used.begin(), used.end(), [&](StageId a, StageId b) { return table.name(a) < table.name(b); });
        std::vector<std::uint32_t> place(m_nodes.size(), 0);
        for (std::uint32_t k = 0; k < used.size(); ++k) {
            place[toIndex(used[k])] = k;
            graph.nodes.push_back(nodeOf(used[k]));
        }
        for (auto& [key, tally] : m_edges) {
            const auto& [kind, from, to] = key;
            StageEdge edge{kind, place[toIndex(from)], place[toIndex(to)], tally.count, tally.requests, rate(tally.count), {}, {}};
            setLatency(tally, edge.mean, edge.p95);
            graph.edges.push_back(edge);
        }
        std::sort(graph.edges.begin(), graph.edges.end(),
            [](const StageEdge& a, const StageEdge& b) { return std::tuple(a.kind, a.from, a.to) < std::tuple(b.kind, b.from, b.to); });
        return graph;
    }

private:
    using Key = std::tuple<StageEdgeKind, StageId, StageId>;

    [[nodiscard]] double rate(std::uint64_t count) const { return double(count) / double(m_population.included.size()); }
    [[nodiscard]] StageId topOf(std::uint64_t span) const { return m_stages.table->topLevel(m_stages.stage[span]); }

    /// Time between steps: own time of what holds them, network, gaps without spans.
    [[nodiscard]] bool isGlue(StageId top, StageId stage, std::uint64_t span) const
    {
        const bool isGap = stage == m_stages.gaps.network || stage == m_stages.gaps.uninstrumented;
        const bool isContainer = !m_stages.container.empty() && m_stages.container[span] && top == topOf(span);
        return top == m_unmapped || isGap || isContainer;
    }

    void addEdge(StageEdgeKind kind, StageId from, StageId to, std::uint32_t trace, Duration latency)
    {
        m_nodes[toIndex(from)].touch(trace);
        m_nodes[toIndex(to)].touch(trace);
        m_edges[{kind, from, to}].add(trace, latency);
    }

    static void setLatency(Tally& tally, Duration& average, Duration& p95)
    {
        std::sort(tally.latencies.begin(), tally.latencies.end());
        average = mean(tally.latencies);
        p95 = quantile(tally.latencies, 0.95);
    }

    [[nodiscard]] StageNode nodeOf(StageId stage)
    {
        Tally& tally = m_nodes[toIndex(stage)];
        StageNode node;
        node.stage = m_stages.table->name(stage);
        node.label = m_stages.table->label(stage);
        node.calls = tally.count;
        node.requests = tally.requests;
        node.callsPerRequest = rate(tally.count);
        setLatency(tally, node.mean, node.p95);
        std::vector<Duration> onPath;
        Int128 all = 0;
        Int128 sum = 0;
        for (const std::uint32_t trace : m_population.included) {
            onPath.push_back(m_population.onPathOf(trace, stage));
            sum += toNs(onPath.back());
            all += toNs(m_population.traces[trace].e2e);
        }
        node.onPathMean = mean(onPath);
        node.share = all == 0 ? 0 : double(sum) / double(all);
        return node;
    }

    void addPath(std::uint32_t index)
    {
        const TraceView trace = m_columns.trace(index);
        m_finder.find(trace, *m_columns.dictionary, m_options, m_path);
        StageId before = StageTable::noStage;
        StageId at = StageTable::noStage;
        Duration stay{0};
        const auto leave = [&] {
            if (before != StageTable::noStage)
                addEdge(StageEdgeKind::Path, before, at, index, stay);
        };
        visitStageParts(m_path, trace, m_stages, m_columns.firstSpan[index], [&](StageId stage, const PathSegment& part) {
            const StageId top = m_stages.table->topLevel(stage);
            m_nodes[toIndex(top)].touch(index);
            if (isGlue(top, stage, m_columns.firstSpan[index] + part.span))
                return;
            if (top != at) {
                leave();
                before = at;
                at = top;
                stay = Duration{0};
            }
            stay += part.end - part.begin;
        });
        leave();
    }

    void addCalls(std::uint32_t index)
    {
        const TraceView trace = m_columns.trace(index);
        const std::uint64_t first = m_columns.firstSpan[index];
        m_above.assign(trace.size(), StageTable::noStage);
        for (std::size_t i = 0; i < trace.size(); ++i) {
            const std::int32_t parent = trace.parent[i];
            if (parent >= 0) {
                const StageId of = topOf(first + std::uint64_t(parent));
                m_above[i] = of == m_unmapped ? m_above[std::size_t(parent)] : of;
            }
            const StageId top = topOf(first + i);
            if (top == m_unmapped || top == m_above[i])
                continue;
            m_nodes[toIndex(top)].add(index, trace.duration(i));
            if (m_above[i] != StageTable::noStage)
                addEdge(StageEdgeKind::Call, m_above[i], top, index, trace.duration(i));
        }
    }

    void addRetries(const AttemptGroup& group)
    {
        const std::span<const Attempt> attempts = m_retries->attemptsOf(group);
        if (attempts.size() < 2)
            return;
        const std::vector<std::pair<StageId, StageId>> ends = group.kind == AttemptKind::Walk && group.stage == StageTable::noStage
            ? endsOfWalks(group, attempts)
            : endsOfCalls(group, attempts);
        for (std::size_t k = 0; k + 1 < attempts.size(); ++k) {
            if (ends[k].second == StageTable::noStage || ends[k + 1].first == StageTable::noStage)
                continue;
            const bool known = isKnown(attempts[k].begin) && isKnown(attempts[k + 1].begin);
            addEdge(StageEdgeKind::Retry, ends[k].second, ends[k + 1].first, group.trace,
                known ? saturatingDifference(attempts[k + 1].begin, attempts[k].begin) : unknownDuration);
        }
    }

    /// First and last stage of each attempt: that of the attempt itself.
    [[nodiscard]] std::vector<std::pair<StageId, StageId>> endsOfCalls(const AttemptGroup& group, std::span<const Attempt> attempts) const
    {
        std::vector<std::pair<StageId, StageId>> ends;
        for (const Attempt& attempt : attempts) {
            const StageId stage = group.stage != StageTable::noStage ? m_stages.table->topLevel(group.stage)
                                                                     : topOf(m_columns.firstSpan[attempt.trace] + attempt.span);
            ends.emplace_back(stage, stage);
        }
        return ends;
    }

    /// First and last stage of each walk: by the steps that begin and end in it.
    [[nodiscard]] std::vector<std::pair<StageId, StageId>> endsOfWalks(const AttemptGroup& group, std::span<const Attempt> walks) const
    {
        const TraceView trace = m_columns.trace(group.trace);
        const std::uint64_t first = m_columns.firstSpan[group.trace];
        struct Ends {
            Timestamp begin = unknownTime;
            Timestamp end = unknownTime;
        };
        std::vector<Ends> times(walks.size());
        std::vector<std::pair<StageId, StageId>> ends(walks.size(), {StageTable::noStage, StageTable::noStage});
        const std::size_t from = group.parent < 0 ? 0 : std::size_t(group.parent) + 1;
        const std::size_t to = group.parent < 0 ? trace.size() : std::size_t(group.parent) + trace.subtreeSize[std::size_t(group.parent)];
        for (std::size_t i = from; i < to; ++i) {
            const StageId top = topOf(first + i);
            const bool isStep = top != m_unmapped && (m_stages.container.empty() || !m_stages.container[first + i]);
            if (!isStep || !isKnown(trace.start[i]) || !isKnown(trace.duration(i)))
                continue;
            const auto next = std::partition_point(
                walks.begin(), walks.end(), [&](const Attempt& walk) { return isKnown(walk.begin) && walk.begin <= trace.start[i]; });
            if (next == walks.begin())
                continue;
            const auto k = std::size_t(next - walks.begin()) - 1;
            const Timestamp end = trace.start[i] + trace.duration(i);
            if (!isKnown(times[k].begin) || trace.start[i] < times[k].begin) {
                times[k].begin = trace.start[i];
                ends[k].first = top;
            }
            if (!isKnown(times[k].end) || end >= times[k].end) { // a child ends with its parent: the step is the child
                times[k].end = end;
                ends[k].second = top;
            }
        }
        return ends;
    }

    const TraceColumns& m_columns;
    const StageMap& m_stages;
    const Population& m_population;
    const RetryAnalysis* m_retries;
    PathOptions m_options;
    StageId m_unmapped;
    std::vector<Tally> m_nodes; // by stage; of the top level
    std::map<Key, Tally> m_edges;
    PathFinder m_finder;
    CriticalPath m_path;
    std::vector<StageId> m_above; // by span: the stage around it
};

} // namespace

const char* stageEdgeKindName(StageEdgeKind kind)
{
    switch (kind) {
    case StageEdgeKind::Path: return "path";
    case StageEdgeKind::Call: return "call";
    case StageEdgeKind::Retry: return "retry";
    }
    return "path";
}

Result<StageGraph> stageGraph(const TraceColumns& columns, const StageMap& stages, const Population& population,
    const RetryAnalysis* retries, const PathOptions& options, const JobControl& job)
{
    job.report({.step = "Drawing the pipeline"});
    GraphRun run(columns, stages, population, retries, options);
    for (const std::uint32_t trace : population.included) {
        if (job.stopRequested())
            return fail(ErrorCode::Cancelled, "The analysis was cancelled");
        run.add(trace);
    }
    return run.take();
}

} // namespace chokepoint
